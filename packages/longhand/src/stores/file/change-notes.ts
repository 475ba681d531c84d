import { isFull, mayPass, reasonOf } from './failures.ts';

/**
 * Notes a log in the change files of the users who wrote to it. A note that fails spoils no write that is
 * stored already, but readers would not be notified: it is retried until it stands.
 */
export class ChangeNotes {
  readonly #note: (userId: string) => void;
  readonly #onFailure: (reason: string) => void;
  readonly #retryMs: number;
  readonly #owed = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(note: (userId: string) => void, onFailure: (reason: string) => void, retryMs: number) {
    this.#note = note;
    this.#onFailure = onFailure;
    this.#retryMs = retryMs;
  }

  get isIdle(): boolean {
    return this.#owed.size === 0;
  }

  /** Now, and again later when it fails. Never throws. */
  note(userId: string): void {
    if (this.#owed.size > 0 && !this.#owed.has(userId)) this.#payAll();
    if (this.#isNoted(userId)) this.#owed.delete(userId);
    else this.#owe(userId);
  }

  close(): void {
    this.#payAll();
    clearTimeout(this.#timer);
  }

  #payAll(): void {
    for (const userId of this.#owed) {
      if (this.#isNoted(userId)) this.#owed.delete(userId);
    }
    if (this.#owed.size > 0) this.#payLater();
  }

  /** Whether nothing is owed any more: the note stands, or never will. */
  #isNoted(userId: string): boolean {
    try {
      this.#note(userId);
      return true;
    } catch (error) {
      this.#onFailure(reasonOf(error));
      return !mayPass(error) && !isFull(error);
    }
  }

  #owe(userId: string): void {
    this.#owed.add(userId);
    this.#payLater();
  }

  #payLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#payAll();
    }, this.#retryMs);
    this.#timer.unref();
  }
}
