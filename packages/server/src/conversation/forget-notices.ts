import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * How processes that share a folder notify each other that something was forgotten, so that each can drop the copies
 * that it holds: messages in its spool, answers that it keeps for repeated requests. A notice is a small file whose
 * content changes each time: one file for any forgetting, and one for each user for what was theirs. Notices do not
 * say what was forgotten, and hold no names.
 */
export class ForgetNotices {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** @param userId whose it was; all users' when left out */
  leave(userId?: string): void {
    this.#write(nameFor(userId));
    this.#write(ANYTHING);
  }

  /** Another text after each forgetting. */
  latest(): string {
    return this.#read(ANYTHING);
  }

  /** Another text after each forgetting that may concern this user; after each one when none is named. */
  latestOf(userId: string | undefined): string {
    return userId === undefined
      ? this.latest()
      : `${this.#read(nameFor(userId))} ${this.#read(nameFor(undefined))}`;
  }

  #read(name: string): string {
    try {
      return readFileSync(join(this.#directory, name), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }

  #write(name: string): void {
    const draft = join(this.#directory, `${randomUUID()}.new`);
    writeFileSync(draft, randomUUID(), { mode: 0o600 });
    renameSync(draft, join(this.#directory, name));
  }
}

const ANYTHING = 'forgotten';

function nameFor(userId: string | undefined): string {
  if (userId === undefined) return `${ANYTHING}-everybody`;
  return `${ANYTHING}-${createHash('sha256').update(userId).digest('hex').slice(0, 32)}`;
}
