import { LeastRecentlyUsed } from '../layers/least-recently-used.ts';

/**
 * Which version of its notes each agent was last shown in a conversation: by reading them, by changing them, or in its
 * prompt. A model cannot name the version that it works from, so this does it: a change that replaces text is made to
 * the version that the model has seen, and refused when another writer has changed the notes since.
 *
 * It lives in the process. Where nothing is known, as after a restart, the notes that are there count as seen.
 */
interface NotesReader {
  readonly userId: string;
  readonly agentId: string;
  readonly sessionId: string | undefined;
}

const CONVERSATIONS_IN_MEMORY = 1_024;

export class NotesShown {
  readonly #versions = new LeastRecentlyUsed<number>(CONVERSATIONS_IN_MEMORY);

  note(reader: NotesReader, version: number): void {
    this.#versions.set(keyOf(reader), version);
  }

  /** `undefined` when nothing is known of the conversation. */
  versionFor(reader: NotesReader): number | undefined {
    return this.#versions.get(keyOf(reader));
  }
}

function keyOf({ userId, agentId, sessionId }: NotesReader): string {
  return JSON.stringify([userId, agentId, sessionId ?? null]);
}
