/** One turn at a time in a session: the second question is answered with the first answer known. */
export class TurnLocks {
  readonly #last = new Map<string, Promise<void>>();

  has(sessionId: string): boolean {
    return this.#last.has(sessionId);
  }

  /** Waits for its turn. @returns what ends it @throws the signal's reason when the caller leaves before its turn */
  async take(sessionId: string, signal?: AbortSignal): Promise<() => void> {
    const before = this.#last.get(sessionId) ?? Promise.resolve();
    let end: () => void = () => undefined;
    const own = new Promise<void>((resolve) => {
      end = resolve;
    });
    const last = before.then(() => own);
    this.#last.set(sessionId, last);
    void last.then(() => {
      if (this.#last.get(sessionId) === last) this.#last.delete(sessionId);
    });
    try {
      await Promise.race([before, aborted(signal)]);
    } catch (error) {
      end();
      throw error;
    }
    return end;
  }

  /** Done when every turn that has begun has ended. */
  async settle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values());
  }
}

function aborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
