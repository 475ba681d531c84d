import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newRoot, STORES } from '../../../test/open-stores.ts';
import { type FoundMemory, MemoryManager, type MemoryQuery } from '../../index.ts';
import { FakeClock } from '../../testing/fake-clock.ts';

const MONDAY = Date.parse('2026-03-02T10:00:00Z');
const DAY_MS = 86_400_000;
const OLD = 'I live in Hamburg';
const NEW = 'We moved to Lisbon';
const QUESTION = 'Where do I live? In Hamburg or in Lisbon?';

const textsOf = (found: readonly FoundMemory[]): unknown[] => found.map(({ content }) => content.text);

describe.each(STORES)('facts that change, on the %s store', (_name, open) => {
  const setUp = (): { manager: MemoryManager; clock: FakeClock; another: () => MemoryManager } => {
    const reopen = open();
    const clock = new FakeClock(MONDAY);
    const another = (): MemoryManager => new MemoryManager({ store: reopen(), clock, semantic: false });
    return { manager: another(), clock, another };
  };

  /** The old fact on Monday, the new one on Tuesday: in two sessions. */
  const moved = async () => {
    const scene = setUp();
    const { manager, clock } = scene;
    const { id: old } = await manager.remember('ada', OLD);
    clock.advance(DAY_MS);
    const { id: now } = await manager.remember('ada', NEW, { replaces: [old] });
    const ask = async (query: Partial<MemoryQuery> = {}, by = manager): Promise<unknown[]> =>
      textsOf(await by.recall('ada', QUESTION, query)).sort();
    return { ...scene, old, now, ask };
  };

  it('do not count among sessions when they are replaced', async () => {
    const { manager } = await moved();
    const sessions = async (includeReplaced?: boolean) => {
      const options = includeReplaced === undefined ? {} : { includeReplaced };
      return manager.searchSessions('ada', 'Hamburg live', options);
    };
    expect(await sessions(true)).toHaveLength(1);
    expect(await sessions()).toEqual([]);
    expect(await sessions(false)).toEqual([]);
    // Of a session in which something else says it too, only that counts.
    const [first] = (await manager.listSessions('ada')).map(({ id }) => id);
    await manager.addMemory(first!, { type: 'finding', content: { text: 'The ferry leaves from Hamburg' } });
    const [[all], [live]] = [await sessions(true), await sessions()];
    expect(live!.session_id).toBe(all!.session_id);
    expect(live!.relevance).toBeLessThan(all!.relevance);
    await manager.close();
  });

  it('leave recall, lists and prompts when they are replaced, and keep their lines', async () => {
    const { manager, old, now, ask } = await moved();
    expect(await ask()).toEqual([NEW]);
    expect(await ask({ includeReplaced: true })).toEqual([OLD, NEW]);
    const all = await manager.pageMemoriesOfUser('ada', {});
    expect(textsOf(all.memories)).toEqual([NEW]);
    const { messages } = await manager.context('ada', [{ role: 'user', content: QUESTION }]);
    expect(JSON.stringify(messages)).toContain(NEW);
    expect(JSON.stringify(messages)).not.toContain(OLD);
    const [first, second] = await manager.listSessions('ada');
    expect((await manager.getMemory(first!.id, old))?.content.text).toBe(OLD);
    expect((await manager.getMemory(second!.id, now))?.replaces).toEqual([old]);
    await manager.close();
  });

  it('come back for the time before, and not for the time after', async () => {
    const { manager, ask } = await moved();
    expect(await ask({ asOf: new Date(MONDAY + 1) })).toEqual([OLD]);
    expect(await ask({ asOf: new Date(MONDAY + DAY_MS) })).toEqual([NEW]);
    const [first] = await manager.listSessions('ada');
    const inFirst = async (days: number) =>
      textsOf(await manager.queryMemories(first!.id, { asOf: new Date(MONDAY + days * DAY_MS) }));
    expect(await inFirst(0)).toEqual([OLD]);
    expect(await inFirst(1)).toEqual([]);
    await manager.close();
  });

  it('are replaced for every process, and after a restart, a compaction and a new index', async () => {
    const { manager, another, ask } = await moved();
    const other = another();
    expect(await ask({}, other)).toEqual([NEW]);
    for (const { id } of await manager.listSessions('ada')) {
      await manager.compactSession(id);
      await manager.rebuildIndex(id);
    }
    expect(await ask({}, other)).toEqual([NEW]);
    await other.close();
    await manager.close();
    const later = another();
    expect(await ask({}, later)).toEqual([NEW]);
    await later.close();
  });

  it('stay replaced when the newer one is deleted or forgotten, until it says so no more', async () => {
    for (const how of ['delete', 'forget', 'topic', 'session'] as const) {
      const { manager, another, now, ask } = await moved();
      const [, second] = await manager.listSessions('ada');
      if (how === 'topic') {
        await manager.updateMemory(second!.id, now, { tags: ['home'] });
        expect(await manager.deleteMemoriesByTopic(second!.id, 'home')).toBe(1);
      } else if (how === 'session') await manager.deleteSession(second!.id);
      else if (how === 'delete') await manager.deleteMemory(second!.id, now);
      else await manager.forget('ada', now);
      const other = another();
      for (const by of [manager, other]) {
        expect(await ask({}, by)).toEqual([]);
        expect(await ask({ includeReplaced: true }, by)).toEqual([OLD]);
        expect(await ask({ asOf: new Date(MONDAY) }, by)).toEqual([OLD]);
        expect(await ask({ asOf: new Date(MONDAY + DAY_MS) }, by)).toEqual([]);
      }
      await other.close();
      await manager.close();
    }
    const { manager, now, ask } = await moved();
    const [, second] = await manager.listSessions('ada');
    await manager.updateMemory(second!.id, now, { replaces: [] });
    expect(await ask()).toEqual([OLD, NEW]);
    await manager.close();
  });

  it('stay replaced when the newer one has faded and the session is compacted', async () => {
    const { manager, clock, now, ask } = await moved();
    const [, second] = await manager.listSessions('ada');
    await manager.setImportance(second!.id, now, 0.001);
    clock.advance(30 * DAY_MS);
    for (const { id } of await manager.listSessions('ada'))
      await manager.compactSession(id, { dropFaded: true });
    expect(await ask()).toEqual([NEW]);
    await manager.close();
  });

  it('never come back when they are deleted or forgotten themselves', async () => {
    const { manager, old, ask } = await moved();
    await manager.forget('ada', old);
    for (const query of [{ includeReplaced: true }, { asOf: new Date(MONDAY + 1) }])
      expect(await ask(query)).not.toContain(OLD);
    await manager.close();
  });

  it('are refused when they replace what cannot be replaced', async () => {
    const { manager, old, now } = await moved();
    await manager.remember('eve', 'Eve lives in Oslo', { id: 'mem_eve' });
    const [first, second] = await manager.listSessions('ada');
    const wrong = (field: string) => ({ code: 'INVALID_ENTRY', details: { field } });
    for (const replaces of [['mem_none'], ['mem_eve'], [old, 'mem_none']]) {
      const memory = { content: 'I live in Rome', replaces };
      const reason = { ...wrong('replaces'), message: expect.stringContaining('There is no memory') };
      await expect(manager.remember('ada', memory)).rejects.toMatchObject(reason);
      await expect(manager.addMemory(first!.id, memory)).rejects.toMatchObject(reason);
      await expect(manager.addMemories(first!.id, [{ content: 'x' }, memory])).rejects.toMatchObject(reason);
      await expect(manager.updateMemory(second!.id, now, { replaces })).rejects.toMatchObject(reason);
    }
    const itself = { message: expect.stringContaining('cannot replace itself') };
    const own = { id: 'mem_own', content: 'I live in Rome', replaces: ['mem_own'] };
    await expect(manager.addMemory(first!.id, own)).rejects.toMatchObject(itself);
    await expect(manager.updateMemory(first!.id, old, { replaces: [old] })).rejects.toMatchObject(itself);
    const cycle = { ...wrong('replaces'), message: expect.stringContaining('replaces it already') };
    await expect(manager.updateMemory(first!.id, old, { replaces: [now] })).rejects.toMatchObject(cycle);
    for (const replaces of ['mem_none', [3], [''], null] as never[])
      await expect(manager.addMemory(first!.id, { content: 'x', replaces })).rejects.toMatchObject({
        code: expect.stringMatching(/^INVALID_/),
      });
    expect(textsOf((await manager.pageMemoriesOfUser('ada', {})).memories)).toEqual([NEW]);
    await manager.close();
  });

  it('are confirmed by remember alone, and get the new tags', async () => {
    const { manager, clock } = setUp();
    const { id } = await manager.remember('ada', OLD, { tags: ['home'] });
    clock.advance(3 * DAY_MS);
    const again = await manager.remember('ada', `  ${OLD}\n`, { tags: ['Home', 'city'], importance: 1 });
    expect(again).toMatchObject({ id, confirmed: true, similar: [] });
    const [session] = await manager.listSessions('ada');
    expect(await manager.getMemory(session!.id, id)).toMatchObject({
      content: { text: OLD },
      tags: ['home', 'city'],
      importance: 0.5,
      timestamp: new Date(MONDAY).toISOString(),
      confirmed_at: new Date(MONDAY + 3 * DAY_MS).toISOString(),
    });
    const total = async (): Promise<number> => (await manager.pageMemoriesOfUser('ada', {})).memories.length;
    expect(await total()).toBe(1);
    // Another type, another user, an id of one's own, turns, and what is added to a session are memories of their own.
    await manager.remember('ada', OLD, { type: 'preference' });
    await manager.remember('eve', OLD);
    await manager.remember('ada', { id: 'mem_own', content: OLD });
    await manager.remember('ada', { type: 'conversation', content: OLD });
    await manager.remember('ada', { type: 'conversation', content: OLD });
    await manager.addMemory(session!.id, { content: OLD });
    await manager.addMemories(session!.id, [{ content: OLD }]);
    expect(await total()).toBe(7);
    await manager.close();
  });

  it('are added again, not confirmed, when the same text was replaced', async () => {
    const { manager, old, now, ask } = await moved();
    const back = await manager.remember('ada', OLD, { replaces: [now] });
    expect(back.confirmed).toBe(false);
    expect(back.id).not.toBe(old);
    expect(await ask()).toEqual([OLD]);
    await manager.close();
  });

  it('name close memories when they are saved, of this user alone', async () => {
    const { manager } = setUp();
    const { id } = await manager.remember('ada', 'My dentist is in Mill Lane');
    await manager.remember('ada', 'The bicycle is green');
    await manager.remember('eve', 'My dentist is in Sea Road');
    const { similar } = await manager.remember('ada', 'My dentist is in Park Street now');
    expect(similar).toMatchObject([{ id, text: 'My dentist is in Mill Lane' }]);
    await manager.close();
  });

  it('are in exports, and come in again with them', async () => {
    const { manager, old, now } = await moved();
    const [first, second] = await manager.listSessions('ada');
    const lines = await manager.exportSession(second!.id, 'jsonl');
    const exported = JSON.parse(lines) as FoundMemory & { session_id?: string; schema_version?: number };
    expect(exported.replaces).toEqual([old]);
    const { manager: other } = setUp();
    // The newer one first: what it replaces is yet to come.
    for (const session of [second!, first!]) {
      await other.createSession('ada', { session_id: session.id });
      const memories = (await manager.exportSession(session.id, 'jsonl')).trim().split('\n');
      for (const line of memories) {
        const { session_id: _, schema_version: __, ...memory } = JSON.parse(line);
        await other.addMemory(session.id, memory);
      }
    }
    expect((await other.recall('ada', QUESTION)).map(({ id }) => id)).toEqual([now]);
    await other.close();
    await manager.close();
  });
});

it('stand in the line of the newer one', async () => {
  const root = newRoot();
  const manager = new MemoryManager({ storageRoot: root, semantic: false });
  const { id: old, session_id } = await manager.remember('ada', OLD);
  await manager.remember('ada', NEW, { replaces: [old] });
  await manager.close();
  const log = readFileSync(join(root, 'sessions', session_id, 'memory.jsonl'), 'utf8');
  expect(log).toContain(`"references":[],"replaces":["${old}"],"provenance":`);
});
