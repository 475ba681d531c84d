import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MemoryManager, MemoryStore } from '../src/index.ts';
import { JOURNAL_WINDOW_MS } from '../src/layers/journal/shown-memory.ts';
import { FakeClock } from '../src/testing/index.ts';
import { type AgentDesk, DAY_MS, openDesk } from './agents-fixture.ts';
import { sized, withSeed } from './campaign.ts';
import { newRoot, openFiles } from './open-stores.ts';

/**
 * Random lives of several agents, on files and in memory, each with two desks on one store, against a plain
 * model that keeps one list an agent. Every operation names any agent and any id that was ever given out, also
 * those of other agents: what is not its own must be unknown to it, and stay as it is.
 */
const RUNS = sized(60, 3_000);
const AGENTS = ['ada', 'Ada', 'ada/../eve', 'eve'] as const;

interface ModelMemory {
  readonly id: string;
  type: 'journal' | 'core';
  content: string;
  readonly createdMs: number;
  pinned: boolean;
  readonly earlier: string[];
}
type Model = Map<string, Map<string, ModelMemory>>;

const OPERATIONS = [
  ...['create', 'save', 'save', 'save', 'save', 'edit', 'edit', 'pin', 'move', 'delete', 'forget'],
  ...['forget all', 'remove agent', 'pass time'],
] as const;

const operation = fc.record({
  what: fc.constantFrom(...OPERATIONS),
  agent: fc.constantFrom(...AGENTS),
  which: fc.constantFrom<0 | 1>(0, 1),
  type: fc.constantFrom<'journal' | 'core'>('journal', 'core'),
  nth: fc.nat(30),
  number: fc.nat(3),
  flag: fc.boolean(),
});
type Operation = typeof operation extends fc.Arbitrary<infer Value> ? Value : never;

/** An error by its code: an answer like any other. */
async function answer(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work;
  } catch (error) {
    return (error as { code?: string }).code ?? error;
  }
}

class Life {
  readonly #desks: readonly AgentDesk[];
  readonly #clock: FakeClock;
  readonly #model: Model = new Map();
  readonly #ids: string[] = [];

  constructor(desks: readonly AgentDesk[], clock: FakeClock) {
    this.#desks = desks;
    this.#clock = clock;
  }

  async live(step: Operation): Promise<void> {
    const { agent, which, nth } = step;
    const desk = this.#desks[which]!;
    const id = this.#ids[nth % Math.max(1, this.#ids.length)] ?? 'amem_nobody';
    const memories = this.#model.get(agent);
    const memory = memories?.get(id);
    const missing = memories === undefined ? 'AGENT_NOT_FOUND' : 'MEMORY_NOT_FOUND';
    switch (step.what) {
      case 'create': {
        const created = await answer(desk.agents.create({ name: agent }));
        if (memories !== undefined) expect(created).toBe('AGENT_EXISTS');
        else this.#model.set(agent, new Map());
        return;
      }
      case 'save':
        return this.#save(desk, step);
      case 'edit': {
        const content = `${agent} ${step.number}`;
        const edited = await answer(desk.journal.edit(agent, id, content));
        if (memory === undefined) return expect(edited).toBe(missing);
        if (memory.content !== content) memory.earlier.push(memory.content);
        memory.content = content;
        return;
      }
      case 'pin': {
        const pinned = await answer(desk.journal.pin(agent, id, step.flag));
        if (memory === undefined) return expect(pinned).toBe(missing);
        memory.pinned = step.flag;
        return;
      }
      case 'move': {
        const moved = await answer(desk.journal.moveToCore(agent, id));
        if (memory === undefined) return expect(moved).toBe(missing);
        memory.type = 'core';
        return;
      }
      case 'delete': {
        const deleted = await answer(desk.journal.delete(agent, id));
        expect(deleted).toBe(memories === undefined ? missing : memories.delete(id));
        return;
      }
      case 'forget': {
        const forgotten = await answer(desk.journal.forget(agent, [id]));
        // What was deleted before may still be in the log, or not: only live ones are certain.
        if (memories === undefined) expect(forgotten).toBe(missing);
        else if (memories.delete(id)) expect(forgotten).toBe(1);
        return;
      }
      case 'forget all': {
        const forgotten = await answer(desk.journal.forget(agent, 'all'));
        if (memories === undefined) expect(forgotten).toBe(missing);
        else expect(forgotten).toBeGreaterThanOrEqual(memories.size);
        memories?.clear();
        return;
      }
      case 'remove agent':
        expect(await desk.agents.delete(agent)).toBe(this.#model.delete(agent));
        return;
      case 'pass time':
        this.#clock.advance(step.number * 2 * DAY_MS);
    }
  }

  async #save(desk: AgentDesk, { agent, type, number }: Operation): Promise<void> {
    const content = `${agent} says ${number}`;
    const saved = await answer(desk.journal.save(agent, type, content));
    const memories = this.#model.get(agent);
    if (memories === undefined) return expect(saved).toBe('AGENT_NOT_FOUND');
    const { id } = saved as { id: string };
    this.#ids.push(id);
    memories.set(id, { id, type, content, createdMs: this.#clock.now(), pinned: false, earlier: [] });
  }

  /** What each desk sees of each agent is what the model has of it, and nothing else. */
  async compare(): Promise<void> {
    const nowMs = this.#clock.now();
    for (const { journal, agents } of this.#desks) {
      expect((await agents.list()).map(({ id }) => id)).toEqual([...this.#model.keys()].sort());
      for (const agent of AGENTS) {
        const memories = this.#model.get(agent);
        if (memories === undefined) {
          expect(await answer(journal.list(agent))).toBe('AGENT_NOT_FOUND');
          continue;
        }
        const expected = [...memories.values()];
        const isExpired = ({ type, pinned, createdMs }: ModelMemory): boolean =>
          type === 'journal' && !pinned && createdMs < nowMs - JOURNAL_WINDOW_MS;
        const seen = await journal.export(agent);
        expect(
          seen.map(({ id, memory_type, content, pinned, expired, history }) => {
            return {
              id,
              memory_type,
              content,
              pinned,
              expired,
              earlier: history.map((text) => text.content),
            };
          }),
        ).toEqual(
          expected.map((memory) => {
            const { id, type, content, pinned, earlier } = memory;
            const expired = isExpired(memory);
            return { id, memory_type: type, content, pinned, expired, earlier: earlier.slice(-20) };
          }),
        );
        const prompt = await journal.forPrompt(agent, nowMs);
        const live = expected.filter((memory) => !isExpired(memory));
        for (const type of ['core', 'journal'] as const) {
          expect(prompt[type].map(({ id }) => id)).toEqual(
            live.filter((memory) => memory.type === type).map(({ id }) => id),
          );
        }
        for (const other of this.#ids) {
          const isOwn = memories.has(other);
          expect((await journal.find(agent, other)) !== undefined).toBe(isOwn);
        }
      }
    }
  }
}

test.each([
  ['memory', () => new MemoryStore()],
  ['files', () => openFiles(newRoot())],
])('no agent reads or changes what is another’s, on %s', async (_, newStore) => {
  await withSeed((seed) =>
    fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 80 }), async (steps) => {
        const store = newStore();
        const other = 'root' in store ? openFiles(store.root) : store;
        const clock = new FakeClock();
        const life = new Life([openDesk(store, clock), openDesk(other, clock)], clock);
        for (const step of steps) await life.live(step);
        await life.compare();
        await Promise.all([store.close(), other.close()]);
      }),
      { numRuns: RUNS, seed },
    ),
  );
});

const USERS = ['ada', 'bob'] as const;

test.each([
  ['memory', () => new MemoryStore()],
  ['files', () => openFiles(newRoot())],
])('no member sees or changes what an agent saved for another user, on %s', async (_, newStore) => {
  const entry = fc.record({
    user: fc.constantFrom(...USERS, undefined),
    type: fc.constantFrom<'journal' | 'core'>('journal', 'core'),
    agentShares: fc.boolean(),
    isShared: fc.constantFrom(true, false, undefined),
  });
  await withSeed((seed) =>
    fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 12 }), async (entries) => {
        const manager = new MemoryManager({ store: newStore() });
        const { agents, journal } = await manager.layers();
        await agents.create({ name: 'scout' });
        const all: { readonly id: string; readonly user?: string | undefined; isWide: boolean }[] = [];
        for (const { user, type, agentShares, isShared } of entries) {
          await agents.update('scout', { share_memory: agentShares });
          const provenance = user === undefined ? {} : { provenance: { user_id: user } };
          const { id } = await journal.save('scout', type, `of ${user}`, provenance);
          if (isShared !== undefined) await journal.share('scout', id, isShared);
          all.push({ id, user, isWide: isShared ?? (user === undefined || agentShares) });
        }
        for (const user of USERS) {
          const own = await manager.as({ account_id: 'local', user_id: user }).journalOf('scout');
          const seen = all.filter((one) => one.isWide || one.user === user).map(({ id }) => id);
          const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();
          const { core, journal: recent } = await own.forPrompt(Date.now());
          expect(ids(await own.list())).toEqual(seen.toSorted());
          expect(ids(await own.export())).toEqual(seen.toSorted());
          expect(ids([...core, ...recent])).toEqual(seen.toSorted());
          expect(ids(await journal.export('scout', user))).toEqual(
            ids(all.filter((one) => one.user === user)),
          );
          for (const { id, isWide, user: owner } of all) {
            const edited = await answer(own.edit(id, 'changed'));
            if (!seen.includes(id)) expect(edited).toBe('MEMORY_NOT_FOUND');
            else if (isWide || owner !== user) expect(edited).toBe('FORBIDDEN');
            else expect(edited).toMatchObject({ content: 'changed', share_memory: false });
          }
        }
        expect(await journal.list('scout')).toHaveLength(all.length);
        await manager.close();
      }),
      { numRuns: sized(20, 500), seed },
    ),
  );
});

test('entries from before there was a stamp are their session’s user’s; where that is unknown, admins’', async () => {
  const root = newRoot();
  const store = openFiles(root);
  const manager = new MemoryManager({ store });
  const { agents, journal } = await manager.layers();
  await agents.create({ name: 'scout' });
  await manager.createSession('ada', { session_id: 'chat', created_at: '2026-01-01T00:00:00.000Z' });
  const older = (id: string, provenance: object) =>
    JSON.stringify({
      schema_version: 1,
      record: 'agent_memory',
      agent_id: 'scout',
      id,
      timestamp: '2026-02-01T00:00:00.000Z',
      memory_type: 'core',
      content: id,
      pinned: false,
      provenance: { author: 'assistant', trust: 'agent', ...provenance },
    });
  await store.append({ kind: 'agent', id: 'scout' }, [
    older('of_session', { session_id: 'chat' }),
    older('of_user', { user_id: 'bob', session_id: 'gone' }),
    older('of_gone', { session_id: 'gone' }),
    older('of_nobody', {}),
  ]);
  const seenBy = async (user_id: string) =>
    (await (await manager.as({ account_id: 'local', user_id }).journalOf('scout')).list()).map(
      ({ id }) => id,
    );
  expect(await seenBy('ada')).toEqual(['of_session']);
  expect(await seenBy('bob')).toEqual(['of_user']);
  const prompt = await journal.forPrompt('scout', Date.now(), 'ada');
  expect(prompt.core.map(({ id }) => id)).toEqual(['of_session']);
  const admin = await manager.as({ account_id: 'local' }).journalOf('scout');
  expect(await admin.list()).toHaveLength(4);
  // A session that another user makes under the old id inherits nothing.
  await manager.createSession('bob', { session_id: 'gone' });
  expect(await seenBy('bob')).toEqual(['of_user']);
  await manager.close();
});
