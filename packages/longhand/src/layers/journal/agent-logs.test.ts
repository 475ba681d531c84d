import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AgentDesk, openDesk } from '../../../test/agents-fixture.ts';
import { newRoot, openFiles, STORES } from '../../../test/open-stores.ts';
import { IOError } from '../../core/errors.ts';
import { readLog } from '../../core/read-log.ts';
import type { LogStore } from '../../core/store.ts';
import { MemoryStore } from '../../stores/memory/memory-store.ts';

const AGENT = 'ada';
const ADDRESS = { kind: 'agent', id: AGENT } as const;
const CANARY = 'xylophonecanary';

async function open(store: LogStore): Promise<AgentDesk> {
  const desk = openDesk(store);
  await desk.agents.create({ name: AGENT, colour: 'teal' });
  return desk;
}

const textOf = async (store: LogStore): Promise<string> =>
  (await readLog(store, ADDRESS)).lines.map(({ text }) => text).join('\n');
const linesOf = async (store: LogStore): Promise<number> => (await readLog(store, ADDRESS)).lines.length;

async function scan({ agents, journal }: AgentDesk): Promise<unknown> {
  return [await agents.get(AGENT), await journal.list(AGENT), await journal.export(AGENT)];
}

describe.each(STORES)('the log of an agent on %s', (_, newStore) => {
  test('compacts itself when most of it is without use, and says the same afterwards', async () => {
    const desk = await open(newStore()());
    const { journal, agents, store, clock } = desk;
    const first = await journal.save(AGENT, 'journal', 'first');
    const second = await journal.save(AGENT, 'core', 'second');
    const gone = await journal.save(AGENT, 'core', `gone ${CANARY}`);
    await journal.delete(AGENT, gone.id);
    await agents.update(AGENT, { icon: 'Brain' });
    for (let i = 0; (await linesOf(store)) === 6 + i; i++) {
      expect(i).toBeLessThan(100);
      clock.advance(1_000);
      if (i % 2 === 0) await journal.pin(AGENT, first.id, i % 4 === 0);
      else await journal.edit(AGENT, second.id, `second ${i}`);
    }
    // Settings, two memories and the closing record.
    expect(await linesOf(store)).toBe(4);
    expect(await textOf(store)).not.toContain(CANARY);
    const [agent, memories] = (await scan(desk)) as [object, object[]];
    expect(agent).toMatchObject({ colour: 'teal', icon: 'Brain', memories_count: { core: 1, journal: 1 } });
    expect(memories).toMatchObject([{ id: second.id }, { id: first.id }]);
    expect(await journal.history(AGENT, second.id)).toHaveLength(20);
    // Another reader, from the beginning.
    expect(await scan(openDesk(store, clock))).toEqual(await scan(desk));

    await journal.edit(AGENT, second.id, 'after');
    expect((await journal.history(AGENT, second.id)).at(-1)!.content).toMatch(/^second \d+$/);
    expect(await linesOf(store)).toBe(5);
  });

  test('stays as long as what it holds', async () => {
    const { journal, store } = await open(newStore()());
    for (let i = 0; i < 200; i++) await journal.save(AGENT, 'journal', `entry ${i}`);
    const { id } = await journal.save(AGENT, 'core', 'pinned');
    let longest = 0;
    for (let i = 0; i < 500; i++) {
      await journal.pin(AGENT, id, i % 2 === 0);
      longest = Math.max(longest, await linesOf(store));
    }
    expect(longest).toBeLessThanOrEqual(2 * 202 + 2);
    // And a long log is not rewritten for a few lines.
    expect(longest).toBeGreaterThan(2 * 202 - 2);
    expect(await journal.list(AGENT)).toHaveLength(201);
  });

  test('loses every byte of what is forgotten, with its history, deleted or not', async () => {
    const { journal, store, events } = await open(newStore()());
    const kept = await journal.save(AGENT, 'core', 'kept');
    const edited = await journal.save(AGENT, 'journal', `first ${CANARY}`);
    await journal.edit(AGENT, edited.id, 'harmless');
    const deleted = await journal.save(AGENT, 'journal', `deleted ${CANARY}`);
    await journal.delete(AGENT, deleted.id);
    expect(await journal.forget(AGENT, [edited.id, deleted.id, 'amem_nobody'])).toBe(2);
    expect(await textOf(store)).not.toContain(CANARY);
    expect((await journal.list(AGENT)).map(({ id }) => id)).toEqual([kept.id]);
    // Whose a deleted one was, only its provenance tells: without a user, that of admins.
    expect(events.slice(-2)).toEqual([
      { kind: 'agent-memories-changed', agent_id: AGENT, ids: [edited.id] },
      { kind: 'agent-memories-changed', agent_id: AGENT, ids: [deleted.id], user_id: null },
    ]);
    expect(await journal.forget(AGENT, [edited.id])).toBe(0);
    expect(await journal.forget(AGENT, 'all')).toBe(1);
    expect(await journal.list(AGENT)).toEqual([]);
    expect(await openDesk(store).agents.get(AGENT)).toMatchObject({ colour: 'teal' });
  });

  test('loses earlier texts alone when those are forgotten', async () => {
    const { journal, store } = await open(newStore()());
    const { id } = await journal.save(AGENT, 'core', `my number is ${CANARY}`);
    const other = await journal.save(AGENT, 'core', 'one');
    await journal.edit(AGENT, other.id, 'two');
    await journal.edit(AGENT, id, 'my number is secret');
    await journal.pin(AGENT, id, true);
    expect(await journal.redact(AGENT, id, CANARY)).toBe(1);
    expect(await textOf(store)).not.toContain(CANARY);
    expect(await journal.get(AGENT, id)).toMatchObject({ content: 'my number is secret', pinned: true });
    expect(await journal.history(AGENT, id)).toMatchObject([{ content: 'my number is [redacted]' }]);
    expect(await journal.history(AGENT, other.id)).toHaveLength(1);
  });

  test('refuses to be read in part when a later version wrote to it', async () => {
    const { store, journal, agents } = await open(newStore()());
    const later = { schema_version: 2, record: 'agent_memory', timestamp: '2026-01-10T14:00:00.000Z' };
    await store.append(ADDRESS, [JSON.stringify(later)]);
    for (const tried of [journal.list(AGENT), agents.get(AGENT), journal.save(AGENT, 'core', 'x')]) {
      await expect(tried).rejects.toMatchObject({ code: 'SCHEMA_TOO_NEW' });
    }
    expect(await linesOf(store)).toBe(2);
  });

  test('keeps lines that mean nothing here, until all is forgotten', async () => {
    const { store, journal } = await open(newStore()());
    const timestamp = '2026-01-10T14:00:00.000Z';
    const strange = [
      { record: 'mood', timestamp, mood: 'fine' },
      { record: 'agent_memory', timestamp, id: 'amem_blank', memory_type: 'core', content: ' ' },
      { record: 'agent_memory', timestamp: 'once', id: 'amem_x', memory_type: 'core', content: 'timeless' },
      { record: 'agent', timestamp, colour: 7 },
      { record: 'delete', timestamp, ids: 'all' },
    ];
    await store.append(
      ADDRESS,
      strange.map((record) => JSON.stringify({ schema_version: 1, ...record })),
    );
    const { id } = await journal.save(AGENT, 'core', 'kept');
    for (let i = 0; i < 80; i++) await journal.pin(AGENT, id, i % 2 === 0);
    expect(await linesOf(store)).toBeLessThan(30);
    for (const { record } of strange) expect(await textOf(store)).toContain(`"record":"${record}"`);
    expect(await textOf(store)).toContain('timeless');
    expect(await journal.forget(AGENT, ['amem_x'])).toBe(1);
    expect(await textOf(store)).not.toContain('timeless');
    expect(await textOf(store)).toContain('"mood"');
    expect(await journal.forget(AGENT, 'all')).toBe(1);
    // Settings and the closing record.
    expect(await linesOf(store)).toBe(2);
  });
});

describe('an agent’s folder', () => {
  const filesWith = (root: string, text: string): string[] =>
    readdirSync(root, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text));

  test('holds nothing of what is forgotten, also not in damaged lines and their copies', async () => {
    const root = newRoot();
    const writer = await open(openFiles(root));
    const path = join(root, 'agents', AGENT, 'memory.jsonl');
    const kept = await writer.journal.save(AGENT, 'core', 'kept');
    const hurt = await writer.journal.save(AGENT, 'core', `hurt ${CANARY}`);
    writeFileSync(path, readFileSync(path, 'utf8').replace(hurt.id, hurt.id.toLowerCase()));
    const { journal, agents, events } = openDesk(openFiles(root));
    expect((await journal.list(AGENT)).map(({ id }) => id)).toEqual([kept.id]);
    expect(events.at(-1)).toMatchObject({ kind: 'corruption-found', log: `agent ${AGENT}`, lines: 1 });
    for (let i = 0; i < 80; i++) await journal.pin(AGENT, kept.id, i % 2 === 0);
    // Its id cannot be read any more, so the compaction has set it aside.
    expect(filesWith(root, CANARY)).toEqual([expect.stringContaining('corrupt')]);
    appendFileSync(path, `{"schema_version":1,"record":"agent_memory","content":"${CANARY}`);
    expect(await journal.forget(AGENT, [hurt.id])).toBe(0);
    expect(filesWith(root, CANARY)).toEqual([]);
    expect(await journal.list(AGENT)).toHaveLength(1);
    await journal.save(AGENT, 'core', CANARY);
    await agents.delete(AGENT);
    expect(filesWith(root, CANARY)).toEqual([]);
    expect(readdirSync(join(root, 'agents'))).toEqual([]);
  });

  test('still has its memories when its settings are damaged, and says so until they are set again', async () => {
    const root = newRoot();
    const { journal } = await open(openFiles(root));
    await journal.save(AGENT, 'core', 'kept');
    const path = join(root, 'agents', AGENT, 'memory.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('teal', 'TEAL'));
    const desk = openDesk(openFiles(root));
    await expect(desk.agents.get(AGENT)).rejects.toMatchObject({ code: 'CORRUPT_ENTRY' });
    expect(await desk.agents.list()).toEqual([]);
    expect(await desk.journal.list(AGENT)).toHaveLength(1);
    expect(await desk.agents.update(AGENT, { colour: 'red' })).toMatchObject({ colour: 'red', icon: null });
    expect(await desk.agents.list()).toHaveLength(1);
  });

  test('may be written by a person', async () => {
    const root = newRoot();
    const { journal, agents } = await open(openFiles(root));
    const path = join(root, 'agents', AGENT, 'memory.jsonl');
    const line = {
      record: 'agent_memory',
      timestamp: '2026-01-09T10:00:00+02:00',
      id: 'by_hand',
      memory_type: 'core',
      content: 'I was told so',
    };
    const settings = { record: 'agent', timestamp: '2026-01-09', system_prompt: 'by hand' };
    appendFileSync(path, `${JSON.stringify(line)}\n${JSON.stringify(settings)}\n`);
    expect(await journal.get(AGENT, 'by_hand')).toMatchObject({
      content: 'I was told so',
      created_at: '2026-01-09T08:00:00.000Z',
      provenance: { author: 'user', trust: 'owner' },
    });
    expect(await agents.get(AGENT)).toMatchObject({ system_prompt: 'by hand', colour: 'teal' });
    expect(await journal.edit(AGENT, 'by_hand', 'I saw it')).toMatchObject({ content: 'I saw it' });
  });

  test('of two stores at once loses nothing, compactions included', async () => {
    const root = newRoot();
    const desks = [await open(openFiles(root)), openDesk(openFiles(root))];
    const counter = await desks[0]!.journal.save(AGENT, 'core', 'edited by all');
    const saved: string[] = [];
    const deleted: string[] = [];
    await Promise.all(
      desks.flatMap(({ journal }, which) =>
        [0, 1, 2].map(async (lane) => {
          for (let i = 0; i < 40; i++) {
            const memory = await journal.save(AGENT, 'journal', `${which}.${lane}.${i}`);
            await journal.edit(AGENT, counter.id, `by ${which}.${lane}.${i}`);
            await journal.pin(AGENT, memory.id, true);
            if (i % 2 === 0) saved.push(memory.content);
            else if (await journal.delete(AGENT, memory.id)) deleted.push(memory.id);
          }
        }),
      ),
    );
    expect(deleted).toHaveLength(120);
    for (const { journal, agents } of desks) {
      const memories = await journal.list(AGENT, { type: 'journal' });
      expect(memories.map(({ content }) => content).sort()).toEqual([...saved].sort());
      expect(memories.every(({ pinned }) => pinned)).toBe(true);
      expect((await agents.get(AGENT)).memories_count).toEqual({ core: 1, journal: 120 });
    }
    expect(await scan(desks[0]!)).toEqual(await scan(desks[1]!));
  });
});

test('a compaction that fails does not fail the write that called for it', async () => {
  class NoRewrites extends MemoryStore {
    isRewriting = false;
    override rewrite(...given: Parameters<MemoryStore['rewrite']>): ReturnType<MemoryStore['rewrite']> {
      if (this.isRewriting) return super.rewrite(...given);
      return Promise.reject(new IOError('STORAGE_FULL', 'The disk is full.'));
    }
  }
  const store = new NoRewrites();
  const { journal, events } = await open(store);
  const { id } = await journal.save(AGENT, 'core', 'kept');
  for (let i = 0; i < 100; i++) await journal.pin(AGENT, id, i % 2 === 0);
  expect(await linesOf(store)).toBe(102);
  expect(events).toContainEqual({
    kind: 'io-failed',
    log: `agent ${AGENT}`,
    operation: 'compact',
    reason: 'STORAGE_FULL',
  });
  await expect(journal.forget(AGENT, [id])).rejects.toMatchObject({ code: 'STORAGE_FULL' });
  store.isRewriting = true;
  await journal.pin(AGENT, id, true);
  expect(await linesOf(store)).toBe(3);
});
