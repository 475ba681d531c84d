import { ifGone, LonghandError, type SizeLimitError } from '../../core/errors.ts';
import { parseMemoryId, parseName } from '../../core/ids.ts';
import { encodeLine } from '../../core/line.ts';
import type { MemoryChanges } from '../../core/memory-changes.ts';
import { parseQuery } from '../../core/query.ts';
import type { MemoryEntry, MemoryType, NewMemory } from '../../core/records.ts';
import { LOCAL_ACCOUNT } from '../../core/scopes.ts';
import type { SessionSettings } from '../../core/session-options.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { foldedRecord } from '../memories/session.ts';
import { SessionRollover, takenFrom } from '../memories/session-rollover.ts';
import type { UnreadableSession } from '../memories/unreadable-sessions.ts';
import type { MemoryPage } from '../search/memory-search.ts';
import type { SessionOwner } from '../session-ref.ts';
import { addMemories, updateMemory } from './add-memories.ts';
import { type Remembered, remember } from './remember.ts';
import { Twins } from './twins.ts';
import type { UserParts } from './user-parts.ts';

/** Of a session of the day, in its id: whose it is. */
const OWNER_CHARACTERS = 16;

interface RememberPlace {
  /** In the user's session of the day when left out. */
  readonly sessionId?: string | undefined;
}

/** What to look for among the memories of a user. */
export interface UserQuery {
  readonly text: string;
  readonly limit: number;
  /** Only memories that hold so much of the text, 0 to 1. */
  readonly minMatch?: number | undefined;
  readonly sessionId?: string | undefined;
  /** Any of them, or one under it. */
  readonly tags?: readonly string[] | undefined;
  readonly types?: readonly MemoryType[] | undefined;
  /** A range in words: `last week`. */
  readonly within?: string | undefined;
  /** The time zone of the days that text and `within` refer to; that of the configuration when left out. */
  readonly timeZone?: string | undefined;
  readonly explain?: boolean;
  readonly cursor?: string | undefined;
  readonly collapse?: boolean;
  readonly includeReplaced?: boolean;
}

/**
 * The memories of a user across all their sessions, for those who know the user and not where something is kept.
 * What belongs to another user is not found.
 */
export class UserMemories {
  readonly #needs: UserParts;
  readonly #rollover: SessionRollover;
  readonly #twins: Twins;

  constructor(needs: UserParts) {
    this.#needs = needs;
    this.#rollover = new SessionRollover(needs.sessions);
    this.#twins = new Twins(needs.sessions, needs.memories);
  }

  /**
   * Adds a memory, in a session that continues this one when it is full.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async add(
    userId: string,
    sessionId: string,
    memory: NewMemory,
  ): Promise<{ readonly id: string; readonly session_id: string }> {
    return this.#rollover.withRoom(
      userId,
      sessionId,
      async (current) => {
        const taken = [takenFrom(sessionId, current, memory)];
        const [id] = await addMemories(this.#needs, current, taken, { user_id: userId });
        return { id: id!, session_id: current };
      },
      (error, current) => this.#canGoOn(error, current),
    );
  }

  /**
   * Keeps a memory, unless the user has it already: then that one is confirmed.
   * @throws NotFoundError SESSION_NOT_FOUND, ValidationError as `addMemory`
   */
  async remember(
    owner: SessionOwner,
    memory: NewMemory,
    { sessionId: named }: RememberPlace = {},
  ): Promise<Remembered> {
    const sessionId = named ?? (await this.sessionOfDay(owner));
    const needs = { ...this.#needs, add: (added: NewMemory) => this.add(owner.user_id, sessionId, added) };
    return needs.context.store.look([owner.user_id], () => remember(needs, owner, sessionId, memory));
  }

  /**
   * The session of a user for a day, made when there is none: a caller that names no session finds a day's memories
   * together. Every process gives the same one. When another user has taken its id, or it cannot be read, it is the one
   * that would continue it.
   */
  async sessionOfDay({ user_id, account_id = LOCAL_ACCOUNT }: SessionOwner): Promise<string> {
    const { sessions, context } = this.#needs;
    const owner = { user_id: parseName(user_id, 'user id'), account_id };
    const day = new Date(context.clock.now()).toISOString().slice(0, 'YYYY-MM-DD'.length);
    const whose = sha256Hex(JSON.stringify([account_id, user_id])).slice(0, OWNER_CHARACTERS);
    const id = `day-${day}-${whose}`;
    const isOwn = async (): Promise<boolean> => (await sessions.readable([id], owner)).length > 0;
    if (await isOwn()) return id;
    try {
      return (await sessions.create(user_id, { session_id: id, account_id })).id;
    } catch (error) {
      if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
    }
    // Another process was faster, or it is not this user's.
    return (await isOwn()) ? id : this.#rollover.after(owner, id, {});
  }

  /**
   * Adds memories together, in a session that continues this one when it has no room for them. Those that bring their
   * own ids and are in any of these sessions already are taken for a retry.
   * @returns the session that has taken them, or had all of them
   * @throws NotFoundError SESSION_NOT_FOUND, SizeLimitError SESSION_FULL when they are too much for a session of their own
   */
  async addAll(owner: SessionOwner, sessionId: string, memories: readonly NewMemory[]): Promise<string> {
    const isWithId = memories.some((memory) => memory?.id !== undefined);
    const add = async (current: string, some: readonly NewMemory[]): Promise<string> => {
      const taken = some.map((memory) => takenFrom(sessionId, current, memory));
      await addMemories(this.#needs, current, taken, owner);
      return current;
    };
    return this.#rollover.withRoom(
      owner.user_id,
      sessionId,
      (current) =>
        isWithId ? this.#addOnce(owner, sessionId, current, memories, add) : add(current, memories),
      (error, current) => this.#canGoOn(error, current),
    );
  }

  async #addOnce(
    owner: SessionOwner,
    sessionId: string,
    current: string,
    memories: readonly NewMemory[],
    add: (current: string, some: readonly NewMemory[]) => Promise<string>,
  ): Promise<string> {
    const chain = await this.#rollover.chainOf(owner.user_id, sessionId);
    const homes = await this.#twins.homesOf(owner, idsOf(memories), chain);
    const byHome = Map.groupBy(memories, ({ id }) => homes.get(id ?? '') ?? current);
    const fresh = byHome.get(current) ?? [];
    byHome.delete(current);
    // Adding what is there is a retry, and refused when it is another memory, or was deleted.
    for (const [home, part] of byHome) await add(home, part);
    if (fresh.length > 0) await add(current, fresh);
    // Of all of them: one that is tried again may have a twin, left by a process that was killed before it came to this.
    const now = await this.#rollover.chainOf(owner.user_id, sessionId);
    const left = await this.#twins.keepFirst(owner, idsOf(memories), now);
    if (fresh.length === 0) return [...byHome.keys()].at(-1)!;
    const homesOfFresh = fresh.map(({ id }) => left.get(id ?? ''));
    return homesOfFresh.includes(undefined) ? current : homesOfFresh.at(-1)!;
  }

  /**
   * The session to go on in instead of one that cannot be read, which is reported.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async goOnAfter(
    { user_id, account_id }: Required<SessionOwner>,
    unreadable: UnreadableSession,
    settings: SessionSettings,
  ): Promise<string> {
    const { session_id, code } = unreadable;
    this.#needs.sessions.tellUnreadable(session_id, code);
    return this.#rollover.after({ user_id, account_id }, session_id, settings);
  }

  /**
   * Not for a memory that a new session has no room for either. A new one holds this one's settings, and nothing else
   * that may take the room here: memories, and also deleted, damaged or torn lines, which no reader gets.
   */
  async #canGoOn({ details }: SizeLimitError, sessionId: string): Promise<boolean> {
    const { session } = await this.#needs.sessions.view(sessionId);
    const { agents, preferences, decay_config, compaction_config } = session;
    const settings = { agents, preferences, decay_config, compaction_config };
    const record = { ...foldedRecord(session), session_id: `${sessionId}--2`, ...settings };
    const newBytes = Buffer.byteLength(encodeLine(JSON.stringify(record), 1, true));
    // One that holds nothing either has as much room as a new one.
    const holdsMore = Number(details.size_bytes) > newBytes;
    return holdsMore && newBytes + Number(details.wanted_bytes) <= Number(details.limit_bytes);
  }

  /**
   * The index knows in which session a memory is. What it does not know may be damaged: then all sessions are asked, those with
   * the newest ids first. `undefined` when the user has no such memory.
   * @throws CorruptionError CORRUPT_ENTRY
   */
  async get(userId: string, memoryId: string): Promise<MemoryEntry | undefined> {
    const id = parseMemoryId(memoryId);
    const owner = parseName(userId, 'user id');
    const homes = await (await this.#needs.search.load()).homesOf(owner, id);
    const known = await this.#firstIn([...homes].sort().reverse(), owner, id);
    if (known !== undefined) return known;
    return this.#firstIn((await this.#needs.sessions.idsOfUser(owner)).toReversed(), owner, id);
  }

  async #firstIn(
    sessionIds: readonly string[],
    userId: string,
    id: string,
  ): Promise<MemoryEntry | undefined> {
    const { sessions, memories } = this.#needs;
    for (const sessionId of sessionIds) {
      if ((await sessions.ownerIfReadable(sessionId)) !== userId) continue;
      const entry = await memories.get(sessionId, id, { user_id: userId }).catch(ifGone);
      if (entry) return entry;
    }
    return undefined;
  }

  /** @throws ValidationError, NotFoundError MEMORY_NOT_FOUND, SizeLimitError SESSION_FULL */
  update(userId: string, { id, session_id }: MemoryEntry, changes: MemoryChanges): Promise<MemoryEntry> {
    return updateMemory(this.#needs, session_id, id, changes, { user_id: userId });
  }

  /** Best first. In one session when it is named. @throws NotFoundError SESSION_NOT_FOUND, ValidationError INVALID_QUERY */
  async search(userId: string, query: UserQuery): Promise<MemoryPage> {
    const { sessionId, tags, ...rest } = query;
    const search = await this.#needs.search.load();
    const asked = parseQuery({ ...rest, tags: tags && { include: tags, mode: 'any' } });
    if (sessionId === undefined) return search.pageOfUser(parseName(userId, 'user id'), asked);
    return search.page(sessionId, asked, { withCursor: false, owner: { user_id: userId } });
  }
}

function idsOf(memories: readonly NewMemory[]): readonly string[] {
  return memories.flatMap(({ id }) => id ?? []);
}
