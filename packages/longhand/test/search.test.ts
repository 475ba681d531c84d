import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  FileStore,
  type LogStore,
  MemoryManager,
  type MemoryQuery,
  MemoryStore,
  type MemoryType,
  type NewMemory,
} from '../src/index.ts';
import { FakeClock } from '../src/testing/index.ts';
import { lasting } from '../src/testing/lasting-store.ts';
import { sized, temporaryFolder } from './campaign.ts';
import { outcomeOf } from './model/real-system.ts';

/**
 * Random lives of a store, with a search after every step. Two managers on one folder, which seal and merge as
 * early as they can, a manager on a store in memory, and one that has just opened it must give the same answers
 * to the last bit: they depend on what the logs hold, and on nothing else. And no user ever sees another's. What a
 * person writes into a file, without a number, is as what is added to the store in memory at that moment.
 */
const RUNS = sized(40, 2_000);
const START_MS = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const EARLY = { sealAtDocuments: 3, sealWhenBuilding: 5, mergeAtSegments: 2, maxMergedDocuments: 64 };
const SESSIONS = ['one', 'two', 'three'];
const USERS = ['ada', 'bob'];

const session = fc.constantFrom(...SESSIONS);
const word = fc.constantFrom('tea', 'coffee', 'harbour', 'boats', 'ticket', 'garden', 'roses', 'why?', '42');
const text = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => words.join(' '));
const id = fc.nat(24).map((n) => `m${n}`);
/** Of those that are added, and of those that a person writes. */
const anyId = fc.oneof(
  { weight: 3, arbitrary: id },
  fc.nat(5).map((n) => `hand${n}`),
);
const tag = fc.constantFrom('home', 'Home.garden', 'work', 'work.plans.late');
const type = fc.constantFrom<MemoryType>('conversation', 'decision', 'finding', 'preference');
const importance = fc.constantFrom(0, 0.2, 0.5, 0.9, 1);

const draft = fc.record({
  id,
  type,
  text,
  speaker: fc.constantFrom('Ana', 'Ben', undefined),
  tags: fc.uniqueArray(tag, { maxLength: 2 }),
  references: fc.uniqueArray(id, { maxLength: 2 }),
  importance,
  ageHours: fc.nat(2_000),
  agent: fc.constantFrom('scout', 'clerk', undefined),
});

const CORRECTABLE: ('type' | 'content' | 'tags' | 'references' | 'importance' | 'timestamp')[] = [
  'type',
  'content',
  'tags',
  'references',
  'importance',
  'timestamp',
];
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      session,
      drafts: fc.array(draft, { minLength: 1, maxLength: 6 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('delete' as const), session, id: anyId }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('deleteTag' as const), session, tag }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('weigh' as const), session, id: anyId, importance }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('correct' as const),
      session,
      id: anyId,
      draft,
      named: fc.subarray(CORRECTABLE, { minLength: 1 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      session,
      drafts: fc.array(draft, { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('compact' as const), session, dropFaded: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('use' as const), session, text }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('settle' as const),
      session,
      halfLife: fc.constantFrom(1, 100, null),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), session }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('create' as const), session, user: fc.constantFrom(...USERS) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reopen' as const), which: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), hours: fc.nat(500) }) },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;
type Draft = typeof draft extends fc.Arbitrary<infer Value> ? Value : never;
type Writing = Extract<Step, { readonly do: 'write' }>;

const filter: fc.Arbitrary<MemoryQuery> = fc.oneof(
  fc.record({ types: fc.uniqueArray(type, { minLength: 1, maxLength: 2 }) }),
  fc.record({
    tags: fc.record(
      {
        include: fc.array(tag, { maxLength: 2 }),
        exclude: fc.array(tag, { maxLength: 1 }),
        mode: fc.constantFrom('all', 'any'),
        exact: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
  }),
  fc.record({ minImportance: importance }),
  fc.record({ references: fc.array(id, { minLength: 1, maxLength: 2 }), maxDepth: fc.nat(3) }),
  fc.record({ within: fc.constantFrom('last week', '24h', 'P30D') }),
  fc.constant({}),
);
const query: fc.Arbitrary<MemoryQuery> = fc
  .tuple(
    fc.record(
      {
        text: fc.oneof(
          text,
          fc.constantFrom('"tea coffee"', 'boat*', '*den', 'Ana', 'roses yesterday', 'hrabour cofee', ''),
        ),
        scope: fc.constantFrom('session', 'user', 'user', 'agent'),
        sortBy: fc.constantFrom('relevance', 'match', 'time', 'importance'),
        limit: fc.constantFrom(1, 3, 100),
        explain: fc.boolean(),
      },
      { requiredKeys: [] },
    ),
    filter,
  )
  .map(([base, more]) => ({ ...base, ...more }));

class System {
  readonly #openStore: () => LogStore;
  readonly #clock: FakeClock;
  readonly managers: MemoryManager[];

  constructor(count: number, clock: FakeClock, openStore: () => LogStore) {
    this.#openStore = openStore;
    this.#clock = clock;
    this.managers = Array.from({ length: count }, () => this.open());
  }

  open(): MemoryManager {
    return new MemoryManager({
      store: this.#openStore(),
      clock: this.#clock,
      indexLimits: EARLY,
      config: { decay: { related: { enabled: true }, reinforcement: { enabled: true } } },
    });
  }

  async reopen(which: number): Promise<void> {
    await this.managers[which]?.close();
    if (this.managers[which] !== undefined) this.managers[which] = this.open();
  }

  async close(): Promise<void> {
    for (const manager of this.managers) await manager.close();
  }
}

function memoryOf(
  { id, type, text, speaker, tags, references, importance, ageHours, agent }: Draft,
  nowMs: number,
): NewMemory {
  return {
    id,
    type,
    content: speaker === undefined ? { text } : { text, speaker },
    tags,
    references,
    importance,
    timestamp: new Date(nowMs - ageHours * HOUR_MS),
    ...(agent === undefined ? {} : { provenance: { agent_id: agent } }),
  };
}

/** By hand, and every process then asks the session: nothing else notifies them. */
async function write(
  root: string,
  system: System,
  nowMs: number,
  { session, drafts }: Writing,
): Promise<unknown> {
  await system.managers[0]!.loadSession(session);
  const lines = drafts.map((each) => `${JSON.stringify(memoryOf(each, nowMs))}\n`);
  appendFileSync(join(root, 'sessions', session, 'memory.jsonl'), lines.join(''));
  for (const manager of system.managers) await manager.queryMemories(session, { limit: 1 });
  return drafts.map(({ id }) => id);
}

async function take(manager: MemoryManager, nowMs: number, step: Step): Promise<unknown> {
  switch (step.do) {
    case 'add':
    case 'write':
      return manager.addMemories(
        step.session,
        step.drafts.map((each) => memoryOf(each, nowMs)),
      );
    case 'delete':
      return manager.deleteMemory(step.session, step.id);
    case 'deleteTag':
      return manager.deleteMemoriesByTopic(step.session, step.tag);
    case 'weigh':
      return manager.setImportance(step.session, step.id, step.importance);
    case 'correct': {
      const said = memoryOf(step.draft, nowMs);
      const changes = Object.fromEntries(step.named.map((name) => [name, said[name]]));
      const { decay_factor: _, ...entry } = await manager.updateMemory(step.session, step.id, changes);
      return entry;
    }
    case 'compact':
      return (await manager.compactSession(step.session, { dropFaded: step.dropFaded })).dropped;
    case 'use':
      return (await manager.queryMemories(step.session, { text: step.text })).map(({ id }) => id);
    case 'settle':
      return manager.updateSession(step.session, {
        decay_config: step.halfLife === null ? null : { half_life_hours: step.halfLife },
      });
    case 'remove':
      return manager.deleteSession(step.session);
    case 'create':
      await manager.createSession(step.user, { session_id: step.session, agents: ['scout'] });
      return undefined;
    case 'reopen':
    case 'wait':
      return undefined;
  }
}

test(`${RUNS} random lives give the same answers on files, in memory and from a new index`, async () => {
  const folder = temporaryFolder(false);
  let runs = 0;
  const life = fc.array(fc.record({ step, session, query, text, isFirst: fc.boolean() }), {
    minLength: 5,
    maxLength: 30,
    size: 'max',
  });
  const property = fc.asyncProperty(life, async (moves) => {
    const clock = new FakeClock(START_MS);
    const root = join(folder, String(++runs));
    const memory = lasting(new MemoryStore());
    const files = new System(2, clock, () => new FileStore({ root }));
    const plain = new System(1, clock, () => memory);
    try {
      for (const [i, id] of SESSIONS.entries()) {
        for (const { managers } of [files, plain]) {
          await managers[0]!.createSession(USERS[i % 2]!, { session_id: id, agents: ['scout'] });
        }
      }
      let written = 0;
      for (const { step: drawn, session, query, text, isFirst } of moves) {
        const named = (each: Draft): Draft => ({ ...each, id: `hand${written++}` });
        const step = drawn.do === 'write' ? { ...drawn, drafts: drawn.drafts.map(named) } : drawn;
        if (step.do === 'wait') clock.advance(step.hours * HOUR_MS);
        if (step.do === 'reopen') for (const system of [files, plain]) await system.reopen(step.which);
        // Uses are gathered by the manager that found them: the same one on both sides.
        const doer = files.managers[isFirst || step.do === 'use' ? 0 : 1]!;
        const done = await outcomeOf(() =>
          step.do === 'write' ? write(root, files, clock.now(), step) : take(doer, clock.now(), step),
        );
        expect(await outcomeOf(() => take(plain.managers[0]!, clock.now(), step))).toEqual(done);

        const fresh = plain.open();
        const askers = [...files.managers, ...plain.managers, fresh];
        const asked = { ...query, now: new Date(clock.now()) };
        const [expected, ...others] = await Promise.all(
          askers.map((manager) => outcomeOf(() => pagesOf(manager, session, asked))),
        );
        for (const other of others) expect(other).toEqual(expected);
        for (const user of USERS) {
          const [first, ...more] = await Promise.all(askers.map((each) => each.searchSessions(user, text)));
          for (const other of more) expect(other).toEqual(first);
          await expectOwn(
            fresh,
            user,
            first!.map(({ session_id }) => session_id),
          );
        }
        const { answer } = expected as { answer?: { memories: readonly { session_id: string }[] } };
        if (answer !== undefined) {
          const { user_id } = await fresh.loadSession(session);
          await expectOwn(
            fresh,
            user_id,
            answer.memories.map(({ session_id }) => session_id),
          );
        }
        await fresh.close();
      }
    } finally {
      await files.close();
      await plain.close();
    }
  });
  await fc.assert(property, { numRuns: RUNS, interruptAfterTimeLimit: sized(30_000, 3_600_000) });
});

/**
 * Two pages. Without the factor of the writing moment: a writer takes it from the settings that it has seen. Cursors
 * are another store's business: they may name a place in its log.
 */
async function pagesOf(manager: MemoryManager, session: string, query: MemoryQuery): Promise<unknown> {
  const first = await manager.pageMemories(session, query);
  const cursor = first.nextCursor;
  const second = cursor === undefined ? [] : await manager.queryMemories(session, { ...query, cursor });
  const memories = [...first.memories, ...second];
  return {
    memories: memories.map(({ decay_factor: _factor, ...rest }) => rest),
    hasCursor: cursor !== undefined,
  };
}

async function expectOwn(
  manager: MemoryManager,
  userId: string,
  sessionIds: readonly string[],
): Promise<void> {
  for (const id of new Set(sessionIds)) expect((await manager.loadSession(id)).user_id).toBe(userId);
}
