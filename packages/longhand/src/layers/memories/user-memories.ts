import { LonghandError, NotFoundError, SizeLimitError } from '../../core/errors.ts';
import { parseMemoryId, parseName } from '../../core/ids.ts';
import { LIMITS } from '../../core/limits.ts';
import { type FoundMemory, parseQuery } from '../../core/query.ts';
import type { MemoryEntry, NewMemory } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { logNotFound } from '../../core/store.ts';
import type { MemorySearch } from '../search/memory-search.ts';
import type { Memories } from './memories.ts';
import { addressOf, type Sessions } from './sessions.ts';

export interface UserMemoriesNeeds {
  readonly sessions: Sessions;
  readonly memories: Memories;
  readonly search: () => Promise<MemorySearch>;
  readonly addMemory: (sessionId: string, memory: NewMemory) => Promise<string>;
  readonly listSessionIds: (userId: string) => Promise<readonly string[]>;
}

/** Full sessions that follow one another; more than that is a mistake, not a conversation. */
const MAX_CONTINUATIONS = 10_000;
const CONTINUATION = /^(.+)-(\d{1,5})$/;

/**
 * The memories of a user across all their sessions, for those who know the user and not where something is kept.
 * What belongs to somebody else is not found.
 */
export class UserMemories {
  readonly #needs: UserMemoriesNeeds;
  /** Where a full session went on, so that it is not asked again and again. */
  readonly #continuedIn = new Map<string, string>();

  constructor(needs: UserMemoriesNeeds) {
    this.#needs = needs;
  }

  /**
   * Adds a memory. A full session never ends a conversation: it goes on in another one of the same user, with the
   * same settings, whose id is the first one's with a number behind it, so that every process finds the same one.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async add(
    userId: string,
    sessionId: string,
    memory: NewMemory,
  ): Promise<{ readonly id: string; readonly session_id: string }> {
    await this.#requireOwner(userId, sessionId);
    let current = this.#continuedIn.get(sessionId) ?? sessionId;
    for (let tries = 0; tries < MAX_CONTINUATIONS; tries++) {
      try {
        return { id: await this.#needs.addMemory(current, memory), session_id: current };
      } catch (error) {
        if (!(error instanceof SizeLimitError)) throw error;
        current = await this.#continue(userId, current);
        this.#continuedIn.set(sessionId, current);
      }
    }
    throw new Error(`${sessionId} has been continued ${MAX_CONTINUATIONS} times.`);
  }

  /** `undefined` when the user has no such memory. @throws CorruptionError CORRUPT_ENTRY */
  async get(userId: string, memoryId: string): Promise<MemoryEntry | undefined> {
    const id = parseMemoryId(memoryId);
    const { sessions, memories } = this.#needs;
    for (const sessionId of (await this.#needs.listSessionIds(parseName(userId, 'user id'))).toReversed()) {
      if ((await sessions.ownerIfReadable(sessionId)) !== userId) continue;
      const entry = await memories.get(sessionId, id).catch(ifGone);
      if (entry !== null) return entry;
    }
    return undefined;
  }

  /** Best first. In one session when it is named. @throws NotFoundError SESSION_NOT_FOUND, ValidationError INVALID_QUERY */
  async search(
    userId: string,
    query: { readonly text: string; readonly sessionId?: string | undefined; readonly limit: number },
  ): Promise<readonly FoundMemory[]> {
    const { text, sessionId, limit } = query;
    if (sessionId !== undefined) await this.#requireOwner(userId, sessionId);
    const [any] = sessionId === undefined ? await this.#needs.listSessionIds(userId) : [sessionId];
    if (any === undefined) return [];
    const scope = sessionId === undefined ? 'user' : 'session';
    const search = await this.#needs.search();
    return (await search.page(any, parseQuery({ text, limit, scope }))).memories;
  }

  async #continue(userId: string, sessionId: string): Promise<string> {
    const { sessions } = this.#needs;
    const { agents, preferences, decay_config, compaction_config } = (await sessions.view(sessionId)).session;
    const next = continuationOf(sessionId);
    try {
      await sessions.create(userId, {
        session_id: next,
        agents,
        preferences,
        decay_config,
        compaction_config,
      });
    } catch (error) {
      // Another process was faster, or was here before.
      if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
      await this.#requireOwner(userId, next);
    }
    return next;
  }

  async #requireOwner(userId: string, sessionId: string): Promise<void> {
    if ((await this.#needs.sessions.ownerOf(sessionId)) !== userId) throw logNotFound(addressOf(sessionId));
  }
}

/** `chat` → `chat-2` → `chat-3`. An id that has no room for a number is shortened to a hash of itself. */
function continuationOf(sessionId: string): string {
  const [, base = sessionId, number = '1'] = CONTINUATION.exec(sessionId) ?? [];
  const next = `${base}-${Number(number) + 1}`;
  if (next.length <= LIMITS.sessionIdCharacters) return next;
  return `${base.slice(0, 32)}${sha256Hex(base).slice(0, 24)}-${Number(number) + 1}`;
}

function ifGone(error: unknown): null {
  if (error instanceof NotFoundError) return null;
  throw error;
}
