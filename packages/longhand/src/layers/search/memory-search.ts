import { ifGone, NotFoundError, ValidationError } from '../../core/errors.ts';
import {
  type CheckedQuery,
  type Explanation,
  type FoundMemory,
  isAboutText,
  type MemoryQuery,
  parseQuery,
} from '../../core/query.ts';
import { readLog } from '../../core/read-log.ts';
import { MEMORY_TYPES, type MemoryEntry } from '../../core/records.ts';
import { logNotFound } from '../../core/store.ts';
import { writtenWords } from '../../recall/analysis/index.ts';
import { RecallIndex } from '../../recall/index/index.ts';
import {
  type DecayPolicy,
  resolveDecayPolicy,
  type SearchHit,
  type SessionHit,
  search,
  searchSessions,
  wordMeaning,
} from '../../recall/ranking/index.ts';
import { queryTextOf, type WordVectors } from '../../recall/vectors/index.ts';
import { failureOf } from '../failures.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import type { Accesses } from '../memories/accesses.ts';
import type { Memories, PlacedMemory } from '../memories/memories.ts';
import { checkReplaces, entriesAsOf, replacementsIn } from '../memories/replacements.ts';
import { foldSession } from '../memories/session-fold.ts';
import { addressOf, type Sessions } from '../memories/sessions.ts';
import type { SessionOwner } from '../session-ref.ts';
import { type Asked, DEFAULT_LIMIT_WITH_TEXT, refusing, requestOf, type Writable } from './asked-request.ts';
import { IndexSegments } from './index-segments.ts';
import { markReplaced } from './indexed-logs.ts';
import { UserIndex } from './user-index.ts';
import type { AskedMeaning, MeaningSearch, Semantic } from './vectors/meaning-search.ts';
import { OwedPurges } from './vectors/owed-purges.ts';
import type { UserVectors, VectorUpdate } from './vectors/user-vectors.ts';

/** Users whose index is held at the same time; beyond it, the one asked for longest ago is opened again. */
const INDEXES_IN_MEMORY = 32;
const MOST_SIMILAR = 10_000;
/** Facts are short, and the work of a comparison grows with both texts. */
const COMPARED_CHARACTERS = 1_000;
/** What a user said in passing is no fact. */
const FACT_TYPES = MEMORY_TYPES.filter((type) => type !== 'conversation');
const NO_AGENTS: readonly string[] = [];
/** The number that a registry gives to no session. */
const NO_SESSION = -1;
/** Others may delete and rewrite while a query is answered: then it is answered again, so many times. */
const MAX_TRIES = 3;

export interface MemoryPage {
  readonly memories: readonly FoundMemory[];
  /** There may be more behind this. */
  readonly nextCursor?: string;
  /** With a text: the strength that match qualities are relative to, for `inOneMeasure`. */
  readonly strongest?: number;
  /** With an embedder: whether the meaning of the text had a say, and why not. */
  readonly semantic?: Semantic;
}

type SessionSearchOptions = Pick<CheckedQuery, 'limit' | 'nowMs' | 'timeZone' | 'includeReplaced'>;

interface PageOptions {
  /** False when the caller will not ask for the next page. */
  readonly withCursor?: boolean;
  /** Whose the session must be: nothing is looked for in another user's index. */
  readonly owner?: SessionOwner | undefined;
}

/** A memory that is found and still has to be read. */
class Unread implements PlacedMemory {
  readonly sessionId: string;
  readonly id: string;
  readonly place: PlacedMemory['place'];
  readonly position: PlacedMemory['position'];

  constructor({ sessionId, id, place }: SearchHit, position: PlacedMemory['position']) {
    [this.sessionId, this.id, this.place, this.position] = [sessionId, id, place, position];
  }
}

/** What is asked by its meaning: of an embedder's vectors, or by words. */
type AskedOfIndex = Omit<AskedMeaning, 'semantic'>;

interface Attempt {
  readonly withCursor: boolean;
  readonly isLastTry: boolean;
}

/** Finding memories: the query's scope, its index, its hits, and their texts. Never across users. */
export class MemorySearch {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #memories: Memories;
  readonly #accesses: Accesses;
  readonly #indexes = new LeastRecentlyUsed<UserIndex>(INDEXES_IN_MEMORY);
  readonly #policy: DecayPolicy;
  readonly #words: WordVectors | undefined;
  readonly #owed: OwedPurges;
  #meaning: Promise<MeaningSearch> | undefined;

  /** @param words `undefined` with an embedder: memories are compared by one measure */
  constructor(
    context: LayerContext,
    sessions: Sessions,
    memories: Memories,
    accesses: Accesses,
    words: WordVectors | undefined,
  ) {
    this.#context = context;
    this.#words = words;
    this.#sessions = sessions;
    this.#memories = memories;
    this.#accesses = accesses;
    this.#policy = resolveDecayPolicy(context.config.decay);
    this.#owed = new OwedPurges({
      mayHaveAny: (userId) => this.#mayHaveVectors(userId),
      purge: async (userId, index) => (await this.#meaningSearch()).of(userId, index).purgeIfOwed(),
      emit: context.emit,
    });
  }

  /**
   * The memories that a query asks for, best first.
   * @throws ValidationError INVALID_QUERY, NotFoundError SESSION_NOT_FOUND
   */
  async page(
    sessionId: string,
    query: CheckedQuery,
    { withCursor = true, owner }: PageOptions = {},
  ): Promise<MemoryPage> {
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const userId = query.scope === 'agent' ? undefined : this.#knownUser(sessionId, owner);
      const asked =
        userId === undefined
          ? await this.#askedOf(sessionId, query, owner)
          : { sessionId, userId, agents: NO_AGENTS };
      const page = await this.#tryPage(asked, query, { withCursor, isLastTry: tries === MAX_TRIES });
      if (page !== undefined) return page;
    }
    throw logNotFound(addressOf(sessionId));
  }

  /** From all sessions of a user; nothing when there are none. @throws ValidationError INVALID_QUERY */
  async pageOfUser(userId: string, query: CheckedQuery): Promise<MemoryPage> {
    const asked: Asked = { sessionId: undefined, userId, agents: NO_AGENTS };
    for (let tries = 1; ; tries++) {
      const page = await this.#tryPage(
        asked,
        { ...query, scope: 'user' },
        { withCursor: true, isLastTry: tries >= MAX_TRIES },
      );
      if (page !== undefined) return page;
    }
  }

  /**
   * The memories that are most like one, best first, without itself: by meaning when there is an embedder, and by their
   * words. @throws NotFoundError MEMORY_NOT_FOUND, ValidationError INVALID_QUERY
   */
  async similar(
    sessionId: string,
    memoryId: string,
    asked: Omit<MemoryQuery, 'text' | 'cursor'>,
    owner?: SessionOwner,
  ): Promise<readonly FoundMemory[]> {
    if ('text' in asked || 'cursor' in asked) {
      const message = 'Memories like another are asked for without text and cursor.';
      throw new ValidationError('INVALID_QUERY', message);
    }
    const query = parseQuery(asked);
    const entry = await this.#memories.get(sessionId, memoryId, owner);
    if (entry === null) {
      throw new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${memoryId} in session ${sessionId}.`);
    }
    const text = queryTextOf(entry);
    if (text.trim() === '') return [];
    const { limit = DEFAULT_LIMIT_WITH_TEXT } = query;
    const like = { sessionId, memoryId: entry.id };
    // One more, because it is most like itself.
    const most = Math.min(limit, MOST_SIMILAR) + 1;
    const wanted = { sortBy: 'match', collapse: false, ...query, text, like, limit: most } as const;
    const { memories } = await this.page(sessionId, wanted, { withCursor: false, owner });
    const others = memories.filter((found) => found.id !== entry.id || found.session_id !== sessionId);
    return others.slice(0, limit);
  }

  /**
   * The facts of a user that are closest to a text, closest first, without those that others have replaced. Asking is no use
   * of them.
   */
  async closeTo(userId: string, text: string, limit: number): Promise<readonly FoundMemory[]> {
    const plain = text.slice(0, COMPARED_CHARACTERS).replaceAll(/["\u201c\u201d*]/g, ' ');
    if (plain.trim() === '') return [];
    const query = { sortBy: 'match', types: FACT_TYPES, collapse: false, limit } as const;
    const nowMs = this.#context.clock.now();
    return (await this.pageOfUser(userId, { ...query, text: plain.toWellFormed(), nowMs })).memories;
  }

  /** Another object when any process has changed a user's memories; turns and uses of memories are no change. */
  lastChange(userId: string): Promise<object> {
    const userIndex = this.#indexOf(userId);
    return userIndex.use(() => userIndex.logs.lastChange);
  }

  /** The sessions of a user in which the index has a memory of this id. */
  homesOf(userId: string, memoryId: string): Promise<readonly string[]> {
    return this.#indexOf(userId).use((index) =>
      index.referred(NO_SESSION, memoryId).map((found) => index.describe(found).sessionId),
    );
  }

  /** @throws ValidationError INVALID_ENTRY for memories that replace what they cannot replace */
  checkReplaces(
    userId: string,
    sessionId: string,
    entries: readonly Pick<MemoryEntry, 'id' | 'replaces'>[],
  ): Promise<void> {
    const userIndex = this.#indexOf(userId);
    return userIndex.use(
      (index) => checkReplaces(index, userIndex.replacements, index.registry.find(sessionId), entries),
      sessionId,
    );
  }

  /** Where the memories are that those of a session have replaced in other sessions: session → ids. */
  replacedElsewhere(userId: string, sessionId: string): Promise<ReadonlyMap<string, readonly string[]>> {
    const userIndex = this.#indexOf(userId);
    return userIndex.use((index) => {
      const own = index.registry.find(sessionId);
      const refs = userIndex.replacedBy(sessionId).flatMap((id) => index.referred(own, id));
      const found = refs.map((each) => index.describe(each));
      const groups = Map.groupBy(found, (memory) => memory.sessionId);
      groups.delete(sessionId);
      return new Map(Array.from(groups, ([session, all]) => [session, all.map(({ id }) => id)]));
    }, sessionId);
  }

  #tryPage(asked: Asked, query: CheckedQuery, attempt: Attempt): Promise<MemoryPage | undefined> {
    return this.#context.store.look([asked.userId], () => {
      if (this.#context.embedding !== undefined) return this.#pageByMeaning(asked, query, attempt);
      const meaning = this.#askWords(query.text);
      if (query.asOfMs !== undefined) return this.#pageAsOf(asked, query, query.asOfMs, meaning);
      return this.#pageNow(asked, query, attempt, meaning);
    });
  }

  #askWords(text: string | undefined): AskedOfIndex | undefined {
    const measure = this.#words && wordMeaning(text);
    return measure && { measure };
  }

  async #pageByMeaning(asked: Asked, query: CheckedQuery, attempt: Attempt): Promise<MemoryPage | undefined> {
    const meaning = await this.#ask(asked.userId, query);
    const page = await (query.asOfMs === undefined
      ? this.#pageNow(asked, query, attempt, meaning)
      : this.#pageAsOf(asked, query, query.asOfMs, meaning));
    return page && { ...page, semantic: meaning.semantic };
  }

  /** What the query asks by its meaning. Also starts making missing vectors, so that the next query finds more. */
  async #ask(userId: string, { text, like }: CheckedQuery): Promise<AskedMeaning> {
    const search = await this.#meaningSearch();
    const vectors = search.of(userId, this.#indexOf(userId));
    vectors.updateSoon();
    const index = this.#indexOf(userId);
    const known =
      like && (await vectors.prepare())
        ? await index.use((recall) => vectors.vectorOf(recall, like.sessionId, like.memoryId), like.sessionId)
        : undefined;
    return known === undefined ? search.ask(vectors, text) : search.like(vectors, known);
  }

  /** `undefined` when the index turned out to be behind, and the query should be asked again. */
  async #pageNow(
    asked: Asked,
    query: CheckedQuery,
    { withCursor, isLastTry }: Attempt,
    meaning: AskedOfIndex | undefined,
  ): Promise<MemoryPage | undefined> {
    const userIndex = this.#indexOf(asked.userId);
    const request = requestOf(asked, query, this.#policy, this.#context);
    if (meaning?.measure !== undefined) request.meaning = meaning.measure;
    if (!withCursor) request.withoutCursor = true;
    // A session that only says whose memories are meant is looked at like all the others.
    const { sessionId: named } = asked;
    const isAnchor = query.scope === 'user' && (named === undefined || userIndex.holds(named));
    const answer = await withAllVectors(meaning, () =>
      userIndex.use(
        (index) => {
          if (named !== undefined && !userIndex.holds(named)) return undefined;
          request.policyOfSession = userIndex.policies;
          request.usesOfSession = userIndex.uses;
          request.replaced = query.includeReplaced ? undefined : userIndex.replaced;
          const { hits, ...page } = refusing(() => search(index, request));
          // While nothing can change: a position from later would not fit the places.
          return { hits, page, found: hits.map((hit) => this.#knownOf(hit, userIndex)) };
        },
        isAnchor ? '' : named,
        meaning !== undefined,
      ),
    );
    if (answer === undefined) {
      // Removed by another process, and perhaps created again for another user.
      this.#sessions.forget(named!);
      return undefined;
    }
    const { hits, page, found } = answer;
    // Deleted, or damaged since it was indexed: queries skip what is not there.
    const unread = found.filter((each) => each instanceof Unread);
    const read =
      unread.length === 0 ? [] : await this.#memories.readPlaced(unread, { user_id: asked.userId });
    let next = 0;
    const entries = found.map((each) => (each instanceof Unread ? read[next++] : each));
    if (entries.includes(undefined) && !isLastTry) {
      const missing = hits.filter((_, i) => entries[i] === undefined);
      await userIndex.doubt(new Set(missing.map(({ sessionId }) => sessionId)));
      return undefined;
    }
    const memories: FoundMemory[] = [];
    for (let i = 0; i < hits.length; i++) {
      const hit = hits[i]!;
      const entry = entries[i];
      if (entry === undefined) continue;
      memories.push(toFound(entry, hit, query.explain));
      // A question about another moment is no use of the memory now, and neither is a list of all there is.
      if (query.nowMs === undefined && isAboutText(query))
        this.#accesses.note(hit.sessionId, entry.id, asked.userId);
    }
    return { ...page, memories };
  }

  /** The sessions of a user in which a text was talked about, best first. */
  async sessions(
    userId: string,
    text: string,
    options: SessionSearchOptions,
  ): Promise<readonly SessionHit[]> {
    const { clock, config } = this.#context;
    const { limit, nowMs = clock.now(), timeZone = config.time_zone, includeReplaced } = options;
    const isEmbedded = this.#context.embedding !== undefined;
    const meaning = isEmbedded ? await this.#ask(userId, { text }) : this.#askWords(text);
    const request = { text, nowMs, timeZone, limit, meaning: meaning?.measure };
    const userIndex = this.#indexOf(userId);
    const find = (index: RecallIndex): readonly SessionHit[] => {
      const replaced = includeReplaced ? undefined : userIndex.replaced;
      return refusing(() => searchSessions(index, { ...request, replaced }));
    };
    return this.#context.store.look([userId], () =>
      withAllVectors(meaning, () => userIndex.use(find, '', meaning !== undefined)),
    );
  }

  /** Takes what is gone from a user's logs out of the user's index on the disk, and its vectors. */
  async purge(userId: string): Promise<void> {
    const index = this.#indexOf(userId);
    await index.purge();
    // Also without an embedder: another process may have one, or this one had.
    const isEmbedded = this.#context.embedding !== undefined || (await this.#mayHaveVectors(userId));
    if (!isEmbedded) return;
    await (await this.#vectorsOf(userId)).purge();
    this.#owed.settle(userId, index);
  }

  /**
   * The same for a session that is gone, when the process that removed it was killed before this step. Costs next to
   * nothing otherwise.
   * @param userId whose it was, when that is known; all users are checked when not
   */
  async purgeRemoved(sessionId: string, userId?: string): Promise<void> {
    if (userId !== undefined) return this.#purgeIfLeft(userId, sessionId);
    for (const user of await this.#context.store.list('user')) {
      try {
        await this.#purgeIfLeft(user, sessionId);
      } catch (error) {
        // Usually the index of a user who has nothing to do with it.
        this.#context.emit(failureOf(`index of ${user}`, 'purge', error));
      }
    }
  }

  async #purgeIfLeft(userId: string, sessionId: string): Promise<void> {
    const segments = new IndexSegments(userId, this.#context.store, this.#context.indexLimits);
    if (await segments.mayHold(sessionId)) await this.purge(userId);
  }

  /** Makes the vectors that are missing, in the background. */
  async embedSoon(userId: string): Promise<void> {
    (await this.#vectorsOf(userId)).updateSoon();
  }

  /** Makes the vectors that are missing, and waits for them. */
  async embed(userId: string, onProgress?: (embedded: number) => void): Promise<VectorUpdate> {
    return (await this.#vectorsOf(userId)).update(onProgress);
  }

  async #mayHaveVectors(userId: string): Promise<boolean> {
    return (await this.#context.store.loadIndex(userId, 'vectors', () => [])) !== undefined;
  }

  async #vectorsOf(userId: string): Promise<UserVectors> {
    return (await this.#meaningSearch()).of(userId, this.#indexOf(userId));
  }

  /** Loaded when it is needed: never without an embedder. */
  #meaningSearch(): Promise<MeaningSearch> {
    this.#meaning ??= import('./vectors/meaning-search.ts').then(
      ({ MeaningSearch }) => new MeaningSearch(this.#context, this.#memories),
    );
    return this.#meaning;
  }

  /** Indexes a session again, at the next search. */
  doubt(userId: string, sessionId: string): Promise<void> {
    return this.#indexOf(userId).doubt([sessionId]);
  }

  /** Brings the indexes in use to the disk and releases them. */
  async close(): Promise<void> {
    (await this.#meaning)?.close();
    for (const userId of this.#indexes.keys()) await this.#closeIndex(userId);
  }

  #indexOf(userId: string): UserIndex {
    const known = this.#indexes.get(userId);
    if (known !== undefined) return known;
    if (this.#indexes.size === INDEXES_IN_MEMORY) void this.#closeIndex(this.#indexes.keys()[0]!);
    const listeners = {
      onDamage: (...damage: Parameters<Sessions['reportDamage']>) => this.#sessions.reportDamage(...damage),
      onGone: () => this.#owed.owe(userId, index),
    };
    const index: UserIndex = new UserIndex(this.#context, userId, listeners, this.#words);
    this.#indexes.set(userId, index);
    this.#owed.owe(userId, index);
    return index;
  }

  /** What cannot be brought to the disk is made again from the logs, so it is no reason to fail. */
  async #closeIndex(userId: string): Promise<void> {
    const index = this.#indexes.get(userId)!;
    this.#indexes.delete(userId);
    await this.#owed.pay(userId);
    await (await this.#meaning)?.closeUser(userId);
    try {
      await index.flush();
    } catch (error) {
      this.#context.emit(failureOf(`index of ${userId}`, 'flush', error));
    }
    await index.close();
    this.#owed.settle(userId, index);
  }

  /**
   * Whose memories are meant, when that is known without a look at the log. For an owner that is believed: in the
   * owner's index, a session that has become another's is not there.
   */
  #knownUser(sessionId: string, owner: SessionOwner | undefined): string | undefined {
    return this.#sessions.knownOriginOf(sessionId, owner)?.session.user_id;
  }

  /** Agents are settings, which may have changed; the owner is in the first record and cannot. */
  async #askedOf(
    sessionId: string,
    { scope }: CheckedQuery,
    owner: SessionOwner | undefined,
  ): Promise<Asked> {
    if (scope === 'agent') {
      const { user_id: userId, agents } = (await this.#sessions.open(sessionId, owner)).session;
      return { sessionId, userId, agents };
    }
    const { session } = await this.#sessions.originOf(sessionId, owner);
    return { sessionId, userId: session.user_id, agents: NO_AGENTS };
  }

  /** The memory, when it was read before, else where it stands. */
  #knownOf(hit: SearchHit, userIndex: UserIndex): MemoryEntry | Unread {
    const { id, sessionId, place } = hit;
    const position = userIndex.positionOf(sessionId, place.log);
    return (position && this.#memories.knownAt(id, place, position)) ?? new Unread(hit, position);
  }

  /**
   * From the logs themselves, in the words of then and without what came later: rare, and worth a reading of all of them.
   * What was deleted since stays deleted, and importance is today's. `undefined` when the session that is meant is gone, or another user's by now.
   */
  async #pageAsOf(
    asked: Asked,
    query: CheckedQuery,
    asOfMs: number,
    meaning: AskedOfIndex | undefined,
  ): Promise<MemoryPage | undefined> {
    const { config, store, schema } = this.#context;
    const index = new RecallIndex(this.#words);
    const entries = new Map<string, MemoryEntry>();
    const policyOfSession = new Map<string, DecayPolicy>();
    const replaced: [string, readonly string[]][] = [];
    const isWide = query.scope === 'user' || query.scope === 'agent';
    // Of all sessions in any case: a memory may be replaced in another one than its own.
    const sessionIds = await store.list('session', asked.userId);
    for (const id of new Set(isWide ? sessionIds : [asked.sessionId!, ...sessionIds])) {
      const isAsked = isWide || id === asked.sessionId;
      const slice = await readLog(store, addressOf(id)).catch(ifGone);
      const fold = slice && foldSession(id, slice, schema);
      const owner = fold && (fold.session?.user_id || (await this.#sessions.ownerIfReadable(id)));
      if (fold === undefined || owner !== asked.userId) {
        if (isWide || !isAsked) continue;
        this.#sessions.forget(id);
        return undefined;
      }
      policyOfSession.set(id, resolveDecayPolicy(config.decay, fold.session?.decay_config));
      const past = entriesAsOf(fold, asOfMs);
      const ownIds = new Set(isAsked ? [] : past.map(({ entry }) => entry.id));
      const targets = [...replacementsIn(past, fold, asOfMs).values()].flat();
      replaced.push([id, targets.filter((target) => !ownIds.has(target))]);
      for (const { entry, line, order } of isAsked ? past : []) {
        entries.set(`${id}/${entry.id}`, entry);
        index.add(entry, order, { log: 0, offset: line.offset, length: line.length });
      }
    }
    const request = requestOf(asked, { ...query, nowMs: query.nowMs ?? asOfMs }, this.#policy, this.#context);
    if (meaning?.measure !== undefined) request.meaning = meaning.measure;
    if (!query.includeReplaced) request.replaced = markReplaced(index, replaced);
    const { hits, ...page } = await withAllVectors(meaning, async () => {
      // The vectors must know the logs as they have been read.
      if (meaning?.catchUp !== undefined) await this.#indexOf(asked.userId).use(() => undefined);
      return refusing(() => search(index, { ...request, policyOfSession }));
    });
    const memories = hits.map((hit) =>
      toFound(entries.get(`${hit.sessionId}/${hit.id}`)!, hit, query.explain),
    );
    return { ...page, memories };
  }
}

/** Searches, and again when logs were reread after the question was asked: their vectors are compared first. */
async function withAllVectors<Result>(
  meaning: AskedOfIndex | undefined,
  look: () => Promise<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    const result = await look();
    if (tries === MAX_TRIES || meaning?.catchUp === undefined || !(await meaning.catchUp())) return result;
  }
}

function toFound(entry: MemoryEntry, hit: SearchHit, explain: CheckedQuery['explain'] = false): FoundMemory {
  const { importance, relevance, decay, recency, quality, matchParts, matchedWords, takenFor } = hit;
  const { matchedByDate = [] } = hit;
  // The index knows of a changed importance; the memory's line does not. The entry is the caller's own copy.
  const found = entry as Writable<FoundMemory>;
  found.importance = importance;
  found.relevance = relevance;
  if (hit.strength > 0) found.match = hit.match;
  if (hit.duplicates > 0) found.duplicates = hit.duplicates;
  if (!explain) return found;
  const explanation: Explanation = {
    importance,
    decay,
    recency,
    match_quality: quality,
    ...(matchParts === undefined ? {} : { match_parts: { ...matchParts } }),
    ...(matchedWords === undefined ? {} : { matched_words: matchedWords }),
    ...(matchedByDate.length === 0 ? {} : { matched_by_date: matchedByDate }),
    ...(takenFor === undefined ? {} : { taken_for: asWritten(takenFor, entry) }),
  };
  return { ...found, explanation };
}

function asWritten(
  takenFor: NonNullable<SearchHit['takenFor']>,
  entry: MemoryEntry,
): NonNullable<Explanation['taken_for']> {
  return Object.fromEntries(
    Object.entries(takenFor).map(([typed, words]) => [typed, writtenWords(words, entry)]),
  );
}
