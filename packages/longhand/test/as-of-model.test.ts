import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { readTable } from 'longhand-vectors';
import { expect, it } from 'vitest';
import type { DecayConfig } from '../src/core/decay-config.ts';
import {
  type MemoryEntry,
  MemoryManager,
  type MemoryQuery,
  MemoryStore,
  type NewMemory,
} from '../src/index.ts';
import { resolveDecayPolicy } from '../src/recall/ranking/decay.ts';
import { meaningText, WordVectors } from '../src/recall/vectors/word-vectors.ts';
import { FakeClock } from '../src/testing/fake-clock.ts';
import { lasting } from '../src/testing/lasting-store.ts';
import { assertFor, sized, temporaryFolder } from './campaign.ts';
import { datedText } from './dated-cases.ts';
import type { Document } from './naive/naive-document.ts';
import { meaningOfWords } from './naive/naive-meaning.ts';
import { time } from './naive/shared.ts';
import { CONDITIONS, draft, NOW, queryText, timeZone } from './search-cases.ts';
import { Model, type ModelRequest } from './search-model.ts';

/**
 * `asOf` against the model of search: after random adds, corrections, deletes, compactions and restarts, a question
 * about a moment is answered as by a store that holds what is dated until then, in the words of then as far as no
 * compaction has dropped them, and without what has been deleted since. A question without one is answered from all there is. Days begin and end where it is asked, in
 * words, in ranges and in the texts, and memories fade as the store and the session say. In files,
 * some of the memories are written by hand, without a number: they stand where they were written.
 */
const DAY_MS = 86_400_000;
const RUNS = { memory: sized(300, 5_000), file: sized(150, 500) };
const QUICK = { half_life_hours: 10 };
/** Two of one user, one with a decay of its own, and one of another user. */
const SESSIONS = [
  { id: 'sess_0', user: 'ada', agents: ['planner'] },
  { id: 'sess_1', user: 'ada', agents: ['writer'], decay_config: QUICK },
  { id: 'sess_2', user: 'eve', agents: ['planner'] },
] as const;

const session = fc.constantFrom(0, 1, 2);
const nth = fc.nat(30);
const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('add'), draft, isDated: fc.boolean(), isByHand: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('weigh'), nth, importance: fc.constantFrom(0, 0.3, 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('correct'),
      nth,
      corrected: draft,
      named: fc.subarray(['type', 'content', 'tags', 'timestamp'], { minLength: 1 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('delete'), nth }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass'), days: fc.nat(40) }) },
  fc.record({ kind: fc.constant('compact'), session }),
  fc.record({ kind: fc.constant('reopen') }),
);
type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;

const { sortBy, types, tags, minImportance, minMatch, collapse, references, decay } = CONDITIONS;
const words = new WordVectors(readTable());

/** An end of a time range: a day, or a moment of it. */
const end = fc.record({
  daysAgo: fc.nat(200),
  kind: fc.constantFrom('day' as const, 'moment' as const, 'none' as const),
});
type End = typeof end extends fc.Arbitrary<infer Value> ? Value : never;
const timeRange = fc.record({ start: end, end });

const within = fc.constantFrom(
  ...['today', 'yesterday', 'yesterday evening', 'this week', 'this month', 'until yesterday', '36h', 'P7D'],
  ...['last 20 days', '9 days ago', 'since Friday', 'since 2026-05-14', '2026-04-03', 'last quarter'],
);

const narrowing = { sortBy, types, tags, minImportance, minMatch, collapse, references };
const conditions = { ...narrowing, within, timeRange };
const question = fc.record({
  session: fc.constantFrom(0, 1),
  scope: fc.constantFrom('session' as const, 'user' as const, 'agent' as const),
  /** From before the first memory to after the last. */
  daysAgo: fc.integer({ min: -120, max: 220 }),
  isAsOf: fc.boolean(),
  limit: fc.constantFrom(1, 3, 10, 1_000),
  text: fc.oneof(queryText, datedText),
  zone: timeZone,
  maxDepth: fc.nat(3),
  kept: fc.subarray(Object.keys(conditions), { maxLength: 3 }),
  conditions: fc.record(conditions),
});
type Question = typeof question extends fc.Arbitrary<infer Value> ? Value : never;

/** The settings of a store. */
interface Settings {
  readonly decay: DecayConfig | undefined;
  /** Where it is asked, when a query does not say. */
  readonly home: string | undefined;
  /** Whether memories are compared by the word vectors that are installed. */
  readonly semantic: boolean;
}
const settings: fc.Arbitrary<Settings> = fc.record({
  decay: fc.option(decay, { nil: undefined }),
  home: timeZone,
  semantic: fc.boolean(),
});

/** As it is written in a query. */
const writtenEnd = ({ daysAgo, kind }: End): string | undefined => {
  const moment = new Date(NOW - daysAgo * DAY_MS + DAY_MS / 2).toISOString();
  return kind === 'none' ? undefined : kind === 'day' ? moment.slice(0, 10) : moment;
};

/** A memory with the lines that its log still has of it, the oldest first; the last one counts now. */
interface Lines extends Document {
  readonly lines: readonly MemoryEntry[];
}

/** As a memory was at a moment. Its importance is today's. */
function asOf({ lines, ...document }: Lines, asOfMs: number): Document {
  const written = ({ updated_at }: MemoryEntry): number =>
    updated_at === undefined ? 0 : Date.parse(updated_at);
  const then = lines.findLast((line) => written(line) <= asOfMs) ?? document.entry;
  return { ...document, entry: { ...then, importance: document.entry.importance } };
}

/** A life, as a store has it and as the model knows it. */
class Life {
  readonly clock = new FakeClock(NOW);
  readonly #settings: Settings;
  readonly #open: () => MemoryManager;
  readonly #documents: Lines[] = [];
  readonly #added = [0, 0, 0];
  manager: MemoryManager;

  readonly #logOf: ((sessionId: string) => string) | undefined;

  /** @param logOf where the log of a session is, when there is a file */
  constructor(
    open: (clock: FakeClock) => MemoryManager,
    set: Settings,
    logOf?: (sessionId: string) => string,
  ) {
    this.#settings = set;
    this.#logOf = logOf;
    this.#open = () => open(this.clock);
    this.manager = this.#open();
  }

  async begin(): Promise<void> {
    for (const { id, user, ...settings } of SESSIONS)
      await this.manager.createSession(user, { session_id: id, ...settings });
  }

  async run(step: Act): Promise<void> {
    switch (step.kind) {
      case 'add':
        return this.#add(step as Extract<Act, { draft: unknown }>);
      case 'weigh': {
        const { nth: at, importance } = step as Extract<Act, { importance: number }>;
        const found = this.#documents[at % this.#documents.length];
        if (found === undefined) return;
        await this.manager.setImportance(found.entry.session_id, found.entry.id, importance);
        this.#documents[this.#documents.indexOf(found)] = { ...found, entry: { ...found.entry, importance } };
        return;
      }
      case 'correct': {
        const { nth: at, corrected, named } = step as Extract<Act, { corrected: unknown }>;
        const found = this.#documents[at % this.#documents.length];
        if (found === undefined) return;
        const { type, message, tags, ageMs } = corrected;
        const timestamp = new Date(this.clock.now() - ageMs).toISOString();
        const said = { type, content: { message }, tags, timestamp };
        const changes = Object.fromEntries(Object.entries(said).filter(([name]) => named.includes(name)));
        const { session_id, id } = found.entry;
        const entry = await this.manager.updateMemory(session_id, id, changes);
        const { decay_factor, updated_at } = entry;
        expect(entry).toEqual({ ...found.entry, ...changes, decay_factor, updated_at });
        const lines = [...found.lines, entry];
        this.#documents[this.#documents.indexOf(found)] = { ...found, entry, lines };
        return;
      }
      case 'delete': {
        const found = this.#documents[(step as { nth: number }).nth % this.#documents.length];
        if (found === undefined) return;
        expect(await this.manager.deleteMemory(found.entry.session_id, found.entry.id)).toBe(true);
        this.#documents.splice(this.#documents.indexOf(found), 1);
        return;
      }
      case 'pass':
        this.clock.advance((step as { days: number }).days * DAY_MS);
        return;
      case 'compact': {
        const { id } = SESSIONS[(step as { session: number }).session]!;
        await this.manager.compactSession(id);
        for (const [at, each] of this.#documents.entries()) {
          if (each.entry.session_id === id) this.#documents[at] = { ...each, lines: [each.entry] };
        }
        return;
      }
      default:
        await this.manager.close();
        this.manager = this.#open();
    }
  }

  async #add({ draft: drawn, isDated, isByHand }: Extract<Act, { draft: unknown }>): Promise<void> {
    const at = drawn.session % SESSIONS.length;
    const { id: sessionId } = SESSIONS[at]!;
    const id = `mem_${this.#added[at]!++}`;
    const { type, message, author, role, ageMs, importance, agent, more } = drawn;
    const hasFile = isByHand && this.#logOf !== undefined;
    const timestamp = new Date(this.clock.now() - ageMs).toISOString();
    const memory: NewMemory = {
      id,
      type,
      importance,
      content: { message, ...(author ? { speaker: author } : {}), ...(role ? { role } : {}), ...more },
      tags: drawn.tags,
      references: drawn.references.map((target) => `mem_${target}`),
      ...(agent ? { provenance: { agent_id: agent } } : {}),
      ...(isDated ? { timestamp } : {}),
    };
    if (hasFile) appendFileSync(this.#logOf(sessionId), `${JSON.stringify(memory)}\n`);
    else await this.manager.addMemory(sessionId, memory);
    const entry = (await this.manager.getMemory(sessionId, id)) as MemoryEntry;
    // What a person wrote without a time has that of its session.
    const undatedMs = hasFile ? NOW : this.clock.now();
    expect(entry.timestamp).toBe(isDated ? timestamp : new Date(undatedMs).toISOString());
    const order = this.#documents.length + 1_000 * this.#added[at]!;
    this.#documents.push({ entry, order, lines: [entry] });
  }

  /** What a store that never got the rest would know. */
  known({ session: at, scope, isAsOf }: Question, asOfMs: number): Document[] {
    const { id, user } = SESSIONS[at]!;
    const own = SESSIONS.filter((each) => each.user === user).map((each) => each.id as string);
    const documents = isAsOf ? this.#documents.map((each) => asOf(each, asOfMs)) : this.#documents;
    return documents.filter(({ entry }) => {
      if (!isAsOf) return own.includes(entry.session_id);
      if (Date.parse(entry.timestamp) > asOfMs) return false;
      return scope === 'session' ? entry.session_id === id : own.includes(entry.session_id);
    });
  }

  async ask(asked: Question): Promise<void> {
    const { id, agents } = SESSIONS[asked.session]!;
    const { scope, text, maxDepth, limit, isAsOf } = asked;
    const asOfMs = NOW - asked.daysAgo * DAY_MS;
    const kept = Object.entries(asked.conditions).filter(([key]) => asked.kept.includes(key));
    const narrowed: Partial<Question['conditions']> = Object.fromEntries(kept);
    const when = isAsOf ? { asOf: new Date(asOfMs) } : { now: new Date(asOfMs) };
    const { within: inWords, timeRange: ends, ...others } = narrowed;
    const place = asked.zone === undefined ? {} : { timeZone: asked.zone };
    const query: MemoryQuery = {
      ...{ text, scope, maxDepth, ...others, ...when, ...place, limit },
      ...(inWords === undefined ? {} : { within: inWords }),
      ...(ends === undefined ? {} : { timeRange: writtenRange(ends) }),
    };
    const timeZone = asked.zone ?? this.#settings.home;
    const calendar = time.calendarOf(timeZone);
    const parsed = inWords === undefined ? undefined : time.parseWithin(inWords, asOfMs, calendar);
    const ranges = [
      ...(parsed?.ok === true ? [parsed.range] : []),
      ...(ends === undefined ? [] : [rangeIn(calendar, ends)]),
    ];
    if (parsed?.ok === false || ranges.some(({ startMs, endMs }) => startMs > endMs)) {
      // Since a day that had not come yet, or from one day to another before it.
      await expect(this.manager.queryMemories(id, query)).rejects.toMatchObject({ code: 'INVALID_QUERY' });
      return;
    }
    const { decay: config = {} } = this.#settings;
    const request: ModelRequest = {
      nowMs: asOfMs,
      timeZone,
      policy: resolveDecayPolicy(config),
      decay: config,
      overrides: new Map([['sess_1', QUICK]]),
      text,
      maxDepth,
      referencesFrom: id,
      collapse: true,
      // A blank text asks for all there is, and the newest first.
      ...(text === '' ? { sortBy: 'time' } : {}),
      ...others,
      startMs: Math.max(...ranges.map(({ startMs }) => startMs)),
      endMs: Math.min(...ranges.map(({ endMs }) => endMs)),
      ...(scope === 'session' ? { sessions: [id] } : {}),
      ...(scope === 'agent' ? { agents } : {}),
    };
    const known = this.known(asked, asOfMs);
    const found = await this.manager.queryMemories(id, query);
    const expected = this.#modelOf(known, text).search(request).slice(0, limit);
    expect(found.map((memory) => `${memory.session_id}/${memory.id}`)).toEqual(
      expected.map((hit) => `${hit.sessionId}/${hit.id}`),
    );
    for (const [rank, { relevance, match = 1, duplicates = 0, ...entry }] of found.entries()) {
      const hit = expected[rank]!;
      expect(relevance).toBeCloseTo(hit.relevance, 9);
      expect(match).toBeCloseTo(hit.strength > 0 ? hit.match : 1, 9);
      expect(duplicates).toBe(hit.duplicates);
      const isSame = (other: MemoryEntry): boolean =>
        other.session_id === hit.sessionId && other.id === hit.id;
      expect(entry).toEqual(known.find((document) => isSame(document.entry))?.entry);
    }
    await this.#askForSessions(asked, asOfMs);
  }

  /** `searchSessions` ranks by all that is known now, whatever else the question asks for. */
  async #askForSessions({ zone, text, limit }: Question, nowMs: number): Promise<void> {
    const own = this.#documents.filter(({ entry }) => entry.session_id !== 'sess_2');
    const timeZone = zone ?? this.#settings.home;
    const expected = this.#modelOf(own, text).searchSessions({ text, nowMs, timeZone }).slice(0, limit);
    const place = zone === undefined ? {} : { timeZone: zone };
    const found = await this.manager.searchSessions('ada', text, { now: new Date(nowMs), limit, ...place });
    expect(found.map(({ session_id }) => session_id)).toEqual(expected.map(({ sessionId }) => sessionId));
    for (const [rank, { relevance }] of found.entries())
      expect(relevance).toBeCloseTo(expected[rank]!.relevance, 5);
  }

  #modelOf(documents: readonly Document[], text: string): Model {
    const asksForMeaning = this.#settings.semantic && meaningText(text) !== undefined;
    const table = this.#settings.semantic ? words : undefined;
    return new Model(documents, asksForMeaning ? meaningOfWords(words) : undefined, table);
  }
}

function writtenRange(ends: { start: End; end: End }): { start?: string; end?: string } {
  const [start, last] = [writtenEnd(ends.start), writtenEnd(ends.end)];
  return { ...(start === undefined ? {} : { start }), ...(last === undefined ? {} : { end: last }) };
}

/** Days without a time are whole days of the place. */
function rangeIn(
  calendar: time.Calendar,
  ends: { start: End; end: End },
): { startMs: number; endMs: number } {
  const { start, end: last } = writtenRange(ends);
  const dayOf = (day: string): { startMs: number; endMs: number } =>
    calendar.days(Date.parse(day) / DAY_MS, 1);
  const startMs = ends.start.kind === 'day' ? dayOf(start!).startMs : Date.parse(start!);
  const endMs = ends.end.kind === 'day' ? dayOf(last!).endMs : Date.parse(last!);
  return {
    startMs: start === undefined ? Number.NEGATIVE_INFINITY : startMs,
    endMs: last === undefined ? Number.POSITIVE_INFINITY : endMs,
  };
}

it.each(['memory', 'file'] as const)(
  'a question about a moment is answered from what was known then, in the %s store',
  async (kind) => {
    const folder = temporaryFolder(false);
    let lives = 0;
    const property = fc.asyncProperty(
      fc.array(act, { minLength: 5, maxLength: 40, size: 'max' }),
      fc.array(question, { minLength: 4, maxLength: 8, size: 'max' }),
      settings,
      async (steps, questions, set) => {
        const store = new MemoryStore();
        const storageRoot = join(folder, String(++lives));
        const place = kind === 'memory' ? { store: lasting(store) } : { storageRoot };
        const logOf = (id: string): string => join(storageRoot, 'sessions', id, 'memory.jsonl');
        const config = {
          ...(set.decay === undefined ? {} : { decay: set.decay }),
          ...(set.home === undefined ? {} : { time_zone: set.home }),
        };
        const life = new Life(
          (clock) => new MemoryManager({ ...place, clock, config, semantic: set.semantic }),
          set,
          kind === 'file' ? logOf : undefined,
        );
        try {
          await life.begin();
          for (const step of steps) await life.run(step);
          for (const asked of questions) await life.ask(asked);
        } finally {
          await life.manager.close();
        }
      },
    );
    await assertFor(property, RUNS[kind]);
  },
);
