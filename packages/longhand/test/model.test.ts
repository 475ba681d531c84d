import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MemoryEntry, MemoryManager, MemoryType, NewMemory } from '../src/index.ts';
import { sized, temporaryFolder } from './campaign.ts';
import { fadedKeys, hasTopic, type Model, type ModelMemory, type ModelSession } from './model/plain-model.ts';
import { openRealSystems, outcomeOf, type RealSystem } from './model/real-system.ts';

/**
 * Random lives of a store. Every command is given to files and to memory, each with two managers on it, and to a
 * plain model; all answers must be the same, and so must the sizes.
 */
const RUNS = sized(200, 10_000);
const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

type Systems = readonly RealSystem[];
type Which = 0 | 1;

/** Runs the call on every store and compares what came of it with what the model says. */
async function expectAll(
  systems: Systems,
  expected: unknown,
  call: (system: RealSystem) => Promise<unknown>,
): Promise<void> {
  for (const system of systems) {
    expect([system.name, await outcomeOf(() => call(system))]).toEqual([system.name, expected]);
  }
}

const notFound = { refused: 'SESSION_NOT_FOUND' };
const iso = (ms: number): string => new Date(ms).toISOString();

/** A command on one session of the model, which may not be there. */
abstract class SessionCommand implements fc.AsyncCommand<Model, Systems> {
  readonly session: string;
  readonly which: Which;
  constructor(session: string, which: Which) {
    this.session = session;
    this.which = which;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    const session = model.sessions.get(this.session);
    if (session === undefined)
      await expectAll(systems, notFound, (system) => this.call(system, system.manager(this.which), model));
    else await this.runOn(session, model, systems);
  }
  toString(): string {
    return `${this.constructor.name}(${JSON.stringify(this)})`;
  }
  /** Some call of the kind, for sessions that are not there. */
  abstract call(system: RealSystem, manager: MemoryManager, model: Model): Promise<unknown>;
  abstract runOn(session: ModelSession, model: Model, systems: Systems): Promise<void>;
}

class Create implements fc.AsyncCommand<Model, Systems> {
  readonly session: string;
  readonly which: Which;
  readonly user: string;
  constructor(session: string, which: Which, user: string) {
    this.session = session;
    this.which = which;
    this.user = user;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    const isThere = model.sessions.has(this.session);
    const expected = isThere ? { refused: 'SESSION_EXISTS' } : { answer: this.session };
    await expectAll(systems, expected, async (system) => {
      const created = await system
        .manager(this.which)
        .createSession(this.user, { session_id: this.session, agents: ['a'] });
      return created.id;
    });
    if (isThere) return;
    model.sessions.set(this.session, {
      userId: this.user,
      createdMs: model.nowMs,
      agents: ['a'],
      language: undefined,
      memories: [],
      deleted: new Set(),
      deletedOwnIds: new Set(),
    });
  }
  toString(): string {
    return `Create(${JSON.stringify(this)})`;
  }
}

interface Draft {
  readonly type: MemoryType;
  readonly number: number;
  readonly tags: readonly string[];
  readonly references: readonly string[];
  readonly importance: number;
  readonly ageHours: number;
  readonly ownId: string | undefined;
}

function inputOf(draft: Draft, nowMs: number): NewMemory {
  return {
    type: draft.type,
    content: { number: draft.number, text: 'words '.repeat(draft.number % 9) },
    tags: draft.tags,
    references: draft.references,
    importance: draft.importance,
    timestamp: iso(nowMs - draft.ageHours * HOUR_MS),
    ...(draft.ownId === undefined ? {} : { id: draft.ownId }),
  };
}

class Add extends SessionCommand {
  readonly drafts: readonly Draft[];
  constructor(session: string, which: Which, drafts: readonly Draft[]) {
    super(session, which);
    this.drafts = drafts;
  }
  call(_: RealSystem, manager: MemoryManager, model: Model): Promise<unknown> {
    const inputs = this.drafts.map((draft) => inputOf(draft, model.nowMs));
    return inputs.length === 1
      ? manager.addMemory(this.session, inputs[0]!).then((id) => [id])
      : manager.addMemories(this.session, inputs);
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const added: ModelMemory[] = [];
    const keys: number[] = [];
    let refused: string | undefined;
    for (const draft of this.drafts) {
      const twin = [...session.memories, ...added].find(
        ({ ownId }) => ownId !== undefined && ownId === draft.ownId,
      );
      if (draft.ownId !== undefined && session.deletedOwnIds.has(draft.ownId)) refused ??= 'ID_DELETED';
      else if (twin === undefined) {
        const timestampMs = model.nowMs - draft.ageHours * HOUR_MS;
        added.push({ ...draft, key: model.nextKey++, timestampMs });
        keys.push(added.at(-1)!.key);
      } else {
        const essence = ({ type, number, tags, references }: Draft | ModelMemory) =>
          JSON.stringify([type, number, tags, references]);
        if (essence(twin) !== essence(draft)) refused ??= 'ID_TAKEN';
        keys.push(twin.key);
      }
    }
    if (refused === undefined) session.memories.push(...added);
    await expectAll(
      systems,
      refused === undefined ? { answer: keys.length } : { refused },
      async (system) => {
        const ids = (await this.call(system, system.manager(this.which), model)) as string[];
        for (const [i, key] of keys.entries()) {
          if (system.idOfKey.has(key)) expect(ids[i]).toBe(system.idOfKey.get(key));
          else system.idOfKey.set(key, ids[i]!);
        }
        return ids.length;
      },
    );
  }
}

class Get extends SessionCommand {
  readonly nth: number;
  constructor(session: string, which: Which, nth: number) {
    super(session, which);
    this.nth = nth;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.getMemory(this.session, 'nobody');
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const gone = [...session.deleted];
    const memory = session.memories[this.nth % (session.memories.length + 1)];
    const key = memory?.key ?? gone[this.nth % (gone.length + 1)];
    const expected =
      memory === undefined
        ? null
        : {
            number: memory.number,
            timestamp: iso(memory.timestampMs),
            importance: memory.importance,
            tags: memory.tags,
          };
    await expectAll(systems, { answer: expected }, async (system) => {
      const id = key === undefined ? 'nobody' : system.idOfKey.get(key)!;
      const entry = await system.manager(this.which).getMemory(this.session, id);
      if (entry === null) return null;
      expect(entry.id).toBe(id);
      return {
        number: entry.content.number,
        timestamp: entry.timestamp,
        importance: entry.importance,
        tags: entry.tags,
      };
    });
  }
}

function remove(session: ModelSession, chosen: readonly ModelMemory[]): void {
  session.memories = session.memories.filter((memory) => !chosen.includes(memory));
  for (const { key, ownId } of chosen) {
    session.deleted.add(key);
    if (ownId !== undefined) session.deletedOwnIds.add(ownId);
  }
}

class Delete extends SessionCommand {
  readonly nth: number;
  constructor(session: string, which: Which, nth: number) {
    super(session, which);
    this.nth = nth;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.deleteMemory(this.session, 'nobody');
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const memory = session.memories[this.nth % (session.memories.length + 1)];
    await expectAll(systems, { answer: memory !== undefined }, async (system) => {
      const id = memory === undefined ? 'nobody' : system.idOfKey.get(memory.key)!;
      return system.manager(this.which).deleteMemory(this.session, id);
    });
    if (memory !== undefined) remove(session, [memory]);
  }
}

class DeleteByTopic extends SessionCommand {
  readonly topic: string;
  readonly exact: boolean;
  readonly dryRun: boolean;
  constructor(session: string, which: Which, topic: string, exact: boolean, dryRun: boolean) {
    super(session, which);
    this.topic = topic;
    this.exact = exact;
    this.dryRun = dryRun;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.deleteMemoriesByTopic(this.session, this.topic, {
      exact: this.exact,
      dryRun: this.dryRun,
    });
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const chosen = session.memories.filter((memory) => hasTopic(memory, this.topic, this.exact));
    await expectAll(systems, { answer: chosen.length }, (system) =>
      this.call(system, system.manager(this.which)),
    );
    if (!this.dryRun) remove(session, chosen);
    expect(model.sessions.get(this.session)).toBe(session);
  }
}

class DeleteByTime extends SessionCommand {
  readonly fromHours: number;
  readonly hours: number;
  constructor(session: string, which: Which, fromHours: number, hours: number) {
    super(session, which);
    this.fromHours = fromHours;
    this.hours = hours;
  }
  call(_: RealSystem, manager: MemoryManager, model: Model): Promise<unknown> {
    const start = model.nowMs - this.fromHours * HOUR_MS;
    return manager.deleteMemoriesByTimeRange(
      this.session,
      new Date(start),
      iso(start + this.hours * HOUR_MS),
    );
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const start = model.nowMs - this.fromHours * HOUR_MS;
    const end = start + this.hours * HOUR_MS;
    const chosen = session.memories.filter(({ timestampMs }) => timestampMs >= start && timestampMs <= end);
    await expectAll(systems, { answer: chosen.length }, (system) =>
      this.call(system, system.manager(this.which), model),
    );
    remove(session, chosen);
  }
}

class Update extends SessionCommand {
  readonly language: string;
  readonly agents: readonly string[] | undefined;
  constructor(session: string, which: Which, language: string, agents: readonly string[] | undefined) {
    super(session, which);
    this.language = language;
    this.agents = agents;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    const preferences = { language: this.language };
    return manager.updateSession(this.session, {
      preferences,
      ...(this.agents === undefined ? {} : { agents: this.agents }),
    });
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    session.language = this.language;
    session.agents = this.agents ?? session.agents;
    const expected = describe(this.session, session);
    await expectAll(systems, { answer: expected }, (system) => this.call(system, system.manager(this.which)));
  }
}

function describe(id: string, session: ModelSession): unknown {
  return {
    id,
    user_id: session.userId,
    account_id: 'local',
    created_at: iso(session.createdMs),
    agents: session.agents,
    preferences: session.language === undefined ? {} : { language: session.language },
    decay_config: {},
    compaction_config: {},
  };
}

class List implements fc.AsyncCommand<Model, Systems> {
  readonly which: Which;
  readonly user: string | undefined;
  constructor(which: Which, user: string | undefined) {
    this.which = which;
    this.user = user;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    const chosen = [...model.sessions].filter(
      ([, { userId }]) => this.user === undefined || userId === this.user,
    );
    const expected = chosen
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([id, session]) => describe(id, session));
    await expectAll(systems, { answer: expected }, (system) =>
      system.manager(this.which).listSessions(this.user),
    );
  }
  toString(): string {
    return `List(${JSON.stringify(this)})`;
  }
}

class Stats extends SessionCommand {
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.getSessionStats(this.session);
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const statistics = { conversations: 0, decisions: 0, findings: 0, preferences: 0 };
    for (const { type } of session.memories) statistics[`${type}s`]++;
    const sizes: unknown[] = [];
    const expected = {
      total_entries: session.memories.length,
      deleted: session.deleted.size,
      statistics,
      user_id: session.userId,
      corruption: { checksum: 0, torn: 0, sequence: 0, schema: 0 },
      unverified: 0,
      pending_writes: 0,
    };
    await expectAll(systems, { answer: expected }, async (system) => {
      const {
        total_entries,
        deleted,
        statistics: counted,
        user_id,
        corruption,
        unverified,
        pending_writes,
        size,
      } = await system.manager(this.which).getSessionStats(this.session);
      sizes.push(size);
      return { total_entries, deleted, statistics: counted, user_id, corruption, unverified, pending_writes };
    });
    expect(sizes[0]).toEqual(sizes[1]);
  }
}

class Compact extends SessionCommand {
  readonly dropFaded: boolean;
  readonly dryRun: boolean;
  constructor(session: string, which: Which, dropFaded: boolean, dryRun: boolean) {
    super(session, which);
    this.dropFaded = dropFaded;
    this.dryRun = dryRun;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.compactSession(this.session, { dropFaded: this.dropFaded, dryRun: this.dryRun });
  }
  async runOn(session: ModelSession, model: Model, systems: Systems): Promise<void> {
    const faded = this.dropFaded ? fadedKeys(session, model.nowMs) : new Set<number>();
    const bytes: unknown[] = [];
    await expectAll(systems, { answer: [...faded].sort() }, async (system) => {
      const options = { dropFaded: this.dropFaded, dryRun: this.dryRun };
      const report = await system.manager(this.which).compactSession(this.session, options);
      bytes.push([report.bytes_before, report.bytes_after, report.entries_before, report.entries_after]);
      expect(report.entries_after).toBe(session.memories.length - faded.size);
      // Only those of this session: another one may hold the same ids.
      const own = [...session.deleted, ...session.memories.map(({ key }) => key)];
      const keys = new Map(own.map((key) => [system.idOfKey.get(key)!, key]));
      const gone = report.dropped.filter(({ reason }) => reason === 'deleted').map(({ id }) => keys.get(id)!);
      expect(gone.filter((key) => !session.deleted.has(key))).toEqual([]);
      return report.dropped
        .filter(({ reason }) => reason === 'faded')
        .map(({ id }) => keys.get(id)!)
        .sort();
    });
    expect(bytes[0]).toEqual(bytes[1]);
    if (!this.dryRun) session.memories = session.memories.filter(({ key }) => !faded.has(key));
  }
}

class Rebuild extends SessionCommand {
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.rebuildIndex(this.session);
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const expected = {
      session_id: this.session,
      entries: session.memories.length,
      damaged_lines: 0,
      unverified_lines: 0,
    };
    await expectAll(systems, { answer: expected }, (system) => this.call(system, system.manager(this.which)));
  }
}

class Export extends SessionCommand {
  readonly format: 'json' | 'jsonl';
  constructor(session: string, which: Which, format: 'json' | 'jsonl') {
    super(session, which);
    this.format = format;
  }
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.exportSession(this.session, this.format);
  }
  async runOn(session: ModelSession, _: Model, systems: Systems): Promise<void> {
    const texts: string[] = [];
    for (const system of systems)
      texts.push(system.anonymous((await this.call(system, system.manager(this.which))) as string));
    expect(texts[0]).toBe(texts[1]);
    const memories =
      this.format === 'json'
        ? (JSON.parse(texts[0]!) as { memories: MemoryEntry[] }).memories
        : texts[0]!
            .split('\n')
            .slice(0, -1)
            .map((line) => JSON.parse(line) as MemoryEntry);
    expect(memories.map(({ content }) => content.number)).toEqual(
      session.memories.map(({ number }) => number),
    );
  }
}

class DeleteSession extends SessionCommand {
  call(_: RealSystem, manager: MemoryManager): Promise<unknown> {
    return manager.deleteSession(this.session);
  }
  override async run(model: Model, systems: Systems): Promise<void> {
    await expectAll(systems, { answer: model.sessions.delete(this.session) }, (system) =>
      this.call(system, system.manager(this.which)),
    );
  }
  async runOn(): Promise<void> {
    throw new Error('Does not depend on the session being there.');
  }
}

class Reopen implements fc.AsyncCommand<Model, Systems> {
  readonly which: Which;
  constructor(which: Which) {
    this.which = which;
  }
  check(): boolean {
    return true;
  }
  async run(_: Model, systems: Systems): Promise<void> {
    for (const system of systems) await system.reopen(this.which);
  }
  toString(): string {
    return `Reopen(${this.which})`;
  }
}

class PassTime implements fc.AsyncCommand<Model, Systems> {
  readonly hours: number;
  constructor(hours: number) {
    this.hours = hours;
  }
  check(): boolean {
    return true;
  }
  async run(model: Model, systems: Systems): Promise<void> {
    model.nowMs += this.hours * HOUR_MS;
    for (const { clock } of systems) clock.advance(this.hours * HOUR_MS);
  }
  toString(): string {
    return `PassTime(${this.hours})`;
  }
}

const session = fc.constantFrom('one', 'two');
const which = fc.constantFrom<Which>(0, 1);
const tag = fc.constantFrom('security', 'Security.auth', 'security.auth.tokens', 'securityx', 'misc');
const ownId = fc.constantFrom('own_1', 'own_2', 'own_3', '__proto__');
const draft = (id: fc.Arbitrary<string | undefined>): fc.Arbitrary<Draft> =>
  fc.record({
    type: fc.constantFrom<MemoryType>('conversation', 'decision', 'finding', 'preference'),
    number: fc.nat(2),
    tags: fc.uniqueArray(tag, { maxLength: 2 }),
    references: fc.uniqueArray(ownId, { maxLength: 2 }),
    importance: fc.constantFrom(0, 0.2, 0.5, 1),
    ageHours: fc.nat(2_000),
    ownId: id,
  });
const anyDraft = draft(fc.option(ownId, { nil: undefined, freq: 1 }));
const nth = fc.nat(20);

const commands = fc.commands(
  [
    fc.tuple(session, which, fc.constantFrom('ada', 'bob')).map(([s, w, user]) => new Create(s, w, user)),
    fc.tuple(session, which, draft(fc.constant(undefined))).map(([s, w, d]) => new Add(s, w, [d])),
    fc.tuple(session, which, draft(ownId)).map(([s, w, d]) => new Add(s, w, [d])),
    fc
      .tuple(session, which, fc.array(anyDraft, { minLength: 2, maxLength: 5 }))
      .map(([s, w, d]) => new Add(s, w, d)),
    fc.tuple(session, which, nth).map(([s, w, n]) => new Get(s, w, n)),
    fc.tuple(session, which, nth).map(([s, w, n]) => new Delete(s, w, n)),
    fc
      .tuple(session, which, tag, fc.boolean(), fc.boolean())
      .map(([s, w, t, exact, dry]) => new DeleteByTopic(s, w, t, exact, dry)),
    fc
      .tuple(session, which, fc.nat(2_500), fc.nat(300))
      .map(([s, w, from, hours]) => new DeleteByTime(s, w, from, hours)),
    fc
      .tuple(
        session,
        which,
        fc.constantFrom('en', 'de'),
        fc.option(fc.constant(['b', 'c']), { nil: undefined }),
      )
      .map(([s, w, l, a]) => new Update(s, w, l, a)),
    fc.tuple(which, fc.constantFrom(undefined, 'ada', 'bob')).map(([w, user]) => new List(w, user)),
    fc.tuple(session, which).map(([s, w]) => new Stats(s, w)),
    fc
      .tuple(session, which, fc.boolean(), fc.boolean())
      .map(([s, w, faded, dry]) => new Compact(s, w, faded, dry)),
    fc.tuple(session, which).map(([s, w]) => new Rebuild(s, w)),
    fc
      .tuple(session, which, fc.constantFrom('json' as const, 'jsonl' as const))
      .map(([s, w, f]) => new Export(s, w, f)),
    fc.tuple(session, which).map(([s, w]) => new DeleteSession(s, w)),
    which.map((w) => new Reopen(w)),
    fc.nat(1_500).map((hours) => new PassTime(hours)),
  ],
  { maxCommands: 60, size: 'max' },
);

test(`${RUNS} random lives of a store are the same in files, in memory and in the model`, async () => {
  const folder = temporaryFolder(false);
  let runs = 0;
  const property = fc.asyncProperty(commands, async (life) => {
    const systems = openRealSystems(join(folder, String(++runs)), START_MS);
    const created: Model = { sessions: new Map(), nowMs: START_MS, nextKey: 1 };
    const first = [new Create('one', 0, 'ada'), new Create('two', 1, 'bob')];
    for (const command of first) await command.run(created, systems);
    try {
      await fc.asyncModelRun(() => ({ model: created, real: systems }), life);
      for (const id of created.sessions.keys()) {
        await new Stats(id, 0).run(created, systems);
        await new Export(id, 1, 'json').run(created, systems);
      }
    } finally {
      for (const system of systems) await system.close();
    }
  });
  await fc.assert(property, { numRuns: RUNS, endOnFailure: false });
});
