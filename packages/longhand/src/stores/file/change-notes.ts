import { isFull, mayPass, reasonOf } from './failures.ts';

/**
 * Notes a log in the change files of the users who wrote to it. A note that fails spoils no write that is
 * stored already, but readers would not hear of it: it is tried again until it stands.
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

  owe(userId: string | undefined): void {
    if (userId !== undefined) this.#owed.add(userId);
  }

  pay(): void {
    for (const userId of this.#owed) {
      try {
        this.#note(userId);
      } catch (error) {
        this.#onFailure(reasonOf(error));
        if (mayPass(error) || isFull(error)) continue;
      }
      this.#owed.delete(userId);
    }
    if (this.#owed.size > 0) this.#payLater();
  }

  close(): void {
    this.pay();
    clearTimeout(this.#timer);
  }

  #payLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.pay();
    }, this.#retryMs);
    this.#timer.unref();
  }
}
