/**
 * What the store needs of a Postgres driver: the shape of `pg`'s Pool. The caller passes one, so that the library depends
 * on no driver. No named statements and no session state are used, so a pooler in transaction mode may stand in between.
 */
export interface PostgresPool extends PostgresQueries {
  connect(): Promise<PostgresClient>;
}

export interface PostgresClient extends PostgresQueries {
  /** @param destroy the connection is of no use any more */
  release(destroy?: boolean): void;
  /** Of drivers whose clients are event emitters: an error that none listens to would end the process. */
  on?(event: 'error', listener: () => void): unknown;
  off?(event: 'error', listener: () => void): unknown;
}

export interface PostgresQueries {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[] }>;
}

// biome-ignore lint/suspicious/noExplicitAny: what a row holds is known where the statement is.
export type Row = Record<string, any>;
