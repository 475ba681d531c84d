import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How processes that share a folder notify each other. A notice is a small file whose content changes each time, and
 * says nothing. There is one for anything, beside those of the names that are given.
 */
export class Notices {
  readonly #path: string;

  /** @param prefix of the names of the files */
  constructor(directory: string, prefix: string) {
    this.#path = join(directory, prefix);
  }

  leave(name: string): void {
    for (const each of [name, ANYTHING]) {
      const draft = `${this.#path}${each}.${randomUUID()}.new`;
      writeFileSync(draft, randomUUID(), { mode: 0o600 });
      renameSync(draft, this.#path + each);
    }
  }

  /** Another text after each notice of one of the names; after each one when none is given. */
  latest(names: readonly string[] = [ANYTHING]): string {
    return names.map((name) => readIfThere(this.#path + name) ?? '').join(' ');
  }
}

const ANYTHING = 'anything';

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
