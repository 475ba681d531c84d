/** Where the table of word vectors is. */
export const tablePath: string;

/** Its bytes. They begin with its format and its id, which the library checks. @throws when the file cannot be read */
export function readTable(): Uint8Array;
