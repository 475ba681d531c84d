import { openSync, readFileSync, writeSync } from 'node:fs';

/**
 * What a process did and when, in a file that outlives it. Times are of the machine's monotonic clock, in
 * nanoseconds, and can be compared between processes. One write a line, so a kill tears at most the last.
 */
export class Trace {
  readonly #fd: number;

  constructor(path: string) {
    this.#fd = openSync(path, 'a');
  }

  note(what: string, ...words: readonly (string | number)[]): void {
    writeSync(this.#fd, `${process.hrtime.bigint()} ${what} ${words.join(' ')}\n`);
  }
}

export interface Noted {
  readonly at: bigint;
  readonly what: string;
  readonly words: readonly string[];
}

export function readTrace(path: string): Noted[] {
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => {
    const [at, what, ...words] = line.split(' ');
    return { at: BigInt(at!), what: what!, words: words.filter((word) => word !== '') };
  });
}
