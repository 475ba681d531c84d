import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/campaign.ts';
import {
  FileStore,
  type FoundMemory,
  type LogStore,
  MemoryManager,
  type MemoryManagerOptions,
  type MemoryQuery,
  MemoryStore,
  type NewMemory,
} from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START_MS = Date.UTC(2026, 5, 1);

const leftOpen: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of leftOpen.splice(0).reverse()) await close();
});

/** What both stores are tested with: several openings of the same data. */
const STORES: Record<string, () => () => LogStore> = {
  files: () => {
    const root = mkdtempSync(join(tmpdir(), 'longhand-'));
    leftOpen.push(() => rmSync(root, { recursive: true }));
    return () => new FileStore({ root });
  },
  memory: () => {
    const store = new MemoryStore();
    return () => new Proxy(store, { get: passOn });
  },
};

/** Closing a store in memory would lose what another manager is to find. */
function passOn(store: MemoryStore, name: string | symbol): unknown {
  if (name === 'close') return async () => undefined;
  const member: unknown = Reflect.get(store, name, store);
  return typeof member === 'function' ? member.bind(store) : member;
}

const idsOf = (found: readonly FoundMemory[]): string[] => found.map(({ id }) => id);
const say = (id: string, text: string, more: Partial<NewMemory> = {}): NewMemory => ({
  id,
  type: 'conversation',
  content: { text },
  ...more,
});
const daysAgo = (days: number): Date => new Date(START_MS - days * DAY_MS);

describe.each(Object.keys(STORES))('searching, on %s', (name) => {
  async function open(options: MemoryManagerOptions = {}) {
    const openStore = STORES[name]!();
    const clock = new FakeClock(START_MS);
    const openManager = (): MemoryManager => {
      const manager = new MemoryManager({ store: openStore(), clock, semantic: false, ...options });
      leftOpen.push(() => manager.close());
      return manager;
    };
    const manager = openManager();
    await manager.createSession('ada', { session_id: 'one', agents: ['scout'] });
    await manager.createSession('ada', { session_id: 'two', agents: ['clerk'] });
    await manager.createSession('bob', { session_id: 'other' });
    const ask = async (query: MemoryQuery): Promise<string[]> =>
      idsOf(await manager.queryMemories('one', query));
    return { manager, clock, openManager, ask };
  }

  test('a text finds the best match first, by words, phrases, wildcards and who spoke', async () => {
    const { manager, ask } = await open();
    await manager.addMemories('one', [
      say('boat', 'We painted the boat green in the harbour.'),
      say('bus', 'The green bus leaves the old harbour at noon.'),
      say('token', 'The authentication token expires daily.', { type: 'finding' }),
      say('ana', 'I like tea.', { content: { speaker: 'Ana', text: 'I like tea.' } }),
    ]);
    expect(await ask({ text: 'When was the boat painted?' })).toEqual(['boat', 'bus']);
    expect(await ask({ text: '"old harbour"' })).toEqual(['bus']);
    expect(await ask({ text: 'auth*' })).toEqual(['token']);
    expect(await ask({ text: '*bour boat' })).toEqual(['boat', 'bus']);
    expect((await ask({ text: 'What does Ana like?' }))[0]).toBe('ana');
    expect(await ask({ text: 'zebra' })).toEqual([]);
    expect((await ask({ text: 'TEA' }))[0]).toBe('ana');
  });

  test('types, importance and times narrow', async () => {
    const { manager, ask } = await open();
    await manager.addMemories('one', [
      say('a', 'tea', { timestamp: daysAgo(10), importance: 0.9 }),
      say('b', 'tea', { timestamp: daysAgo(5), type: 'decision' }),
      say('c', 'tea', { timestamp: daysAgo(1), type: 'finding', importance: 0.1 }),
    ]);
    expect(await ask({ types: ['decision', 'finding'], sortBy: 'time' })).toEqual(['c', 'b']);
    expect(await ask({ types: [] })).toEqual([]);
    expect(await ask({ minImportance: 0.5, sortBy: 'time' })).toEqual(['b', 'a']);
    expect(await ask({ timeRange: { start: daysAgo(10), end: daysAgo(5) }, sortBy: 'time' })).toEqual([
      'b',
      'a',
    ]);
    expect(await ask({ timeRange: { start: daysAgo(4).toISOString() } })).toEqual(['c']);
    expect(await ask({ timeRange: { end: daysAgo(6) } })).toEqual(['a']);
    expect(await ask({ within: 'P7D', sortBy: 'time' })).toEqual(['c', 'b']);
    expect(await ask({ within: '48h' })).toEqual(['c']);
    expect(await ask({ within: 'P7D', timeRange: { end: daysAgo(2) } })).toEqual(['b']);
    expect(await ask({ within: 'P7D', timeRange: { start: daysAgo(2) } })).toEqual(['c']);
    expect(await ask({ within: '48h', now: daysAgo(9) })).toEqual(['a']);
  });

  test('tags narrow: all, any, excluded, exact, whatever the case, levels under them included', async () => {
    const { manager, ask } = await open();
    await manager.addMemories('one', [
      say('a', 'x', { tags: ['Security'] }),
      say('b', 'x', { tags: ['security.auth', 'urgent'] }),
      say('c', 'x', { tags: ['securityx'] }),
      say('d', 'x', { tags: ['urgent'] }),
    ]);
    const byTags = async (tags: MemoryQuery['tags']): Promise<string[]> =>
      (await ask(tags === undefined ? {} : { tags })).sort();
    expect(await byTags({ include: ['SECURITY'] })).toEqual(['a', 'b']);
    expect(await byTags({ include: ['security', 'urgent'] })).toEqual(['b']);
    expect(await byTags({ include: ['security', 'urgent'], mode: 'any' })).toEqual(['a', 'b', 'd']);
    expect(await byTags({ include: ['security'], exact: true })).toEqual(['a']);
    expect(await byTags({ exclude: ['security'] })).toEqual(['c', 'd']);
    expect(await byTags({ exclude: ['security', 'urgent'] })).toEqual(['c']);
    expect(await byTags({ include: ['urgent'], exclude: ['security'], exact: true })).toEqual(['b', 'd']);
    expect(await byTags({ include: ['unknown'] })).toEqual([]);
    expect(await byTags({ include: ['no tag at all!'] })).toEqual([]);
    expect(await byTags({ include: [] })).toEqual(['a', 'b', 'c', 'd']);
    expect(idsOf(await manager.searchByTopic('one', 'security')).sort()).toEqual(['a', 'b']);
    expect(idsOf(await manager.searchByType('one', 'decision'))).toEqual([]);
    expect(idsOf(await manager.searchByTimeRange('one', daysAgo(1), daysAgo(0))).length).toBe(4);
  });

  test('references are followed in both directions as far as asked, through circles', async () => {
    const { manager, ask } = await open();
    await manager.addMemories('one', [
      say('a', 'x', { references: ['b'] }),
      say('b', 'x', { references: ['c'] }),
      say('c', 'x', { references: ['a', 'gone'] }),
      say('d', 'x', { references: ['c'] }),
      say('e', 'x'),
    ]);
    const reached = async (maxDepth?: number): Promise<string[]> =>
      (await ask({ references: ['a'], ...(maxDepth === undefined ? {} : { maxDepth }) })).sort();
    expect(await reached()).toEqual(['b', 'c']);
    expect(await reached(0)).toEqual([]);
    expect(await reached(2)).toEqual(['b', 'c', 'd']);
    expect(await reached(100)).toEqual(['b', 'c', 'd']);
    expect((await ask({ references: ['gone'] })).sort()).toEqual(['c']);
    // Another session has an `a` too: it is not the one that is meant here.
    await manager.addMemories('two', [say('a', 'x', { references: ['f'] }), say('f', 'x')]);
    expect((await ask({ references: ['a'], scope: 'user' })).sort()).toEqual(['b', 'c']);
    const fromTwo = await manager.queryMemories('two', { references: ['a'], scope: 'user' });
    expect(idsOf(fromTwo)).toEqual(['f']);
  });

  test('a scope is a session, a user or an agent, and never another user', async () => {
    const { manager, ask } = await open();
    const byScout = { provenance: { agent_id: 'scout' } };
    await manager.addMemories('one', [say('a', 'black tea'), say('b', 'green tea', byScout)]);
    await manager.addMemories('two', [say('c', 'white tea'), say('d', 'red tea', byScout)]);
    await manager.addMemories('other', [say('e', 'tea', byScout)]);
    expect((await ask({ text: 'tea' })).sort()).toEqual(['a', 'b']);
    expect((await ask({ text: 'tea', scope: 'session' })).sort()).toEqual(['a', 'b']);
    expect((await ask({ text: 'tea', scope: 'user' })).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect((await ask({ text: 'tea', scope: 'agent' })).sort()).toEqual(['b', 'd']);
    expect((await ask({ text: 'tea', scope: 'agent', asOf: daysAgo(0) })).sort()).toEqual(['b', 'd']);
    expect(idsOf(await manager.queryMemories('other', { scope: 'user' }))).toEqual(['e']);
    await expect(manager.queryMemories('other', { scope: 'agent' })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
    await expect(manager.queryMemories('nowhere')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    await manager.updateSession('one', { agents: ['clerk'] });
    expect(await ask({ text: 'tea', scope: 'agent' })).toEqual([]);
  });

  test('the order is by relevance, match, time or importance', async () => {
    const { manager, ask } = await open();
    await manager.addMemories('one', [
      say('old', 'green tea', { timestamp: daysAgo(30), importance: 0.6 }),
      say('new', 'green tea', { timestamp: daysAgo(1) }),
      say('weighty', 'the tea', { timestamp: daysAgo(2), importance: 1 }),
    ]);
    expect((await ask({ text: 'green tea', sortBy: 'match' })).at(-1)).toBe('weighty');
    expect((await ask({ text: 'green tea' }))[0]).toBe('new');
    expect(await ask({ text: 'green tea', sortBy: 'time' })).toEqual(['new', 'weighty', 'old']);
    expect(await ask({ sortBy: 'importance' })).toEqual(['weighty', 'old', 'new']);
  });

  test('a relevance is the product of the parts that explain it', async () => {
    const { manager } = await open();
    await manager.addMemories('one', [
      say('a', 'tea', { timestamp: daysAgo(7) }),
      say('b', 'tea and more tea'),
    ]);
    const plain = await manager.queryMemories('one', { text: 'tea' });
    expect(plain[0]).not.toHaveProperty('explanation');
    for (const { relevance, explanation } of await manager.queryMemories('one', {
      text: 'tea',
      explain: true,
    })) {
      const { importance, decay, recency, match_quality, match_parts } = explanation!;
      expect(relevance).toBeCloseTo(importance * decay * recency * match_quality, 12);
      expect(Object.keys(match_parts!).sort()).toEqual([
        'author',
        'neighbours',
        'question',
        'session',
        'time',
        'words',
      ]);
    }
    const [listed] = await manager.queryMemories('one', { explain: true, limit: 1 });
    expect(listed!.explanation).toEqual({ importance: 0.5, decay: 1, recency: 1.5, match_quality: 1 });
  });

  test('a session may let its memories fade in its own time, from the next query on', async () => {
    const { manager, openManager } = await open();
    for (const session of ['one', 'two'])
      await manager.addMemory(session, say('a', 'tea', { timestamp: daysAgo(7) }));
    const decays = async (asking: MemoryManager): Promise<unknown[]> => {
      const found = await asking.queryMemories('one', { scope: 'user', explain: true });
      return ['one', 'two'].map((id) => found.find((each) => each.session_id === id)?.explanation?.decay);
    };
    expect(await decays(manager)).toEqual([0.5, 0.5]);
    await manager.updateSession('two', { decay_config: { half_life_hours: 84 } });
    expect(await decays(manager)).toEqual([0.5, 0.25]);
    expect(await decays(openManager())).toEqual([0.5, 0.25]);
    await manager.updateSession('two', { decay_config: { enabled: false } });
    expect(await decays(manager)).toEqual([0.5, 1]);
  });

  test('what is corrected or weighed again keeps its place among those of the same moment', async () => {
    const { manager, ask, openManager } = await open();
    const timestamp = daysAgo(1);
    await manager.addMemories('one', [say('a', 'tea', { timestamp }), say('b', 'tea', { timestamp })]);
    await manager.addMemory('one', say('c', 'tea', { timestamp }));
    expect(await ask({ sortBy: 'time' })).toEqual(['c', 'b', 'a']);
    await manager.updateMemory('one', 'a', { content: { text: 'green tea' } });
    await manager.setImportance('one', 'b', 0.9);
    for (const asking of [manager, openManager()])
      expect(idsOf(await asking.queryMemories('one', { sortBy: 'time' }))).toEqual(['c', 'b', 'a']);
  });

  test('limits: 10 with a text, all without one, none for 0, all for a milliard', async () => {
    const { manager, ask } = await open();
    await manager.addMemories(
      'one',
      Array.from({ length: 25 }, (_, i) => say(`m${i}`, `tea ${i}`)),
    );
    expect((await ask({ text: 'tea' })).length).toBe(10);
    expect((await ask({})).length).toBe(25);
    expect((await ask({ text: '  ' })).length).toBe(25);
    expect(await ask({ text: 'tea', limit: 0 })).toEqual([]);
    const all = await manager.pageMemories('one', { text: 'tea', limit: 1_000_000_000 });
    expect(all.memories.length).toBe(25);
    expect(all.nextCursor).toBeUndefined();
  });

  test('a blank text is no use of all there is, as no text is none', async () => {
    const root = temporaryFolder();
    for (const text of ['', '  \n', 'tea']) {
      await using manager = new MemoryManager({ storageRoot: root });
      if (text === '') {
        await manager.createSession('ada', { session_id: 'one' });
        await manager.addMemory('one', say('a', 'tea'));
      }
      expect((await manager.queryMemories('one', { text })).length).toBe(1);
      await manager.close();
      const log = readFileSync(join(root, 'sessions/one/memory.jsonl'), 'utf8');
      expect(log.includes('"record":"access"'), text).toBe(text === 'tea');
    }
  });

  test('pages hold each memory once, also when others are added and time passes in between', async () => {
    const { manager, clock } = await open();
    await manager.addMemories(
      'one',
      Array.from({ length: 20 }, (_, i) => say(`m${i}`, `tea ${i}`, { timestamp: daysAgo(i / 8) })),
    );
    for (const query of [{ text: 'tea' }, { within: 'P3D' }, { sortBy: 'time' }] satisfies MemoryQuery[]) {
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await manager.pageMemories('one', { ...query, limit: 7, ...(cursor && { cursor }) });
        seen.push(...idsOf(page.memories));
        cursor = page.nextCursor;
        clock.advance(HOUR_MS);
        await manager.addMemory('one', { type: 'finding', content: { text: 'tea in between' } });
      } while (cursor !== undefined);
      const own = seen.filter((id) => /^m\d+$/.test(id));
      expect(new Set(own).size).toBe(20);
      expect(own.length).toBe(20);
    }
  });

  test('asOf leaves out what came later, and what was deleted stays deleted', async () => {
    const { manager, clock, ask } = await open();
    await manager.updateSession('one', { decay_config: { half_life_hours: 24 } });
    await manager.addMemories('one', [say('a', 'black tea'), say('b', 'green tea')]);
    await manager.addMemory('two', say('c', 'white tea'));
    clock.advance(DAY_MS);
    const then = new Date(clock.now());
    clock.advance(DAY_MS);
    await manager.addMemory('one', say('d', 'tea'));
    await manager.deleteMemory('one', 'b');
    expect(await ask({ text: 'tea', asOf: then })).toEqual(['a']);
    expect((await ask({ text: 'tea', asOf: then, scope: 'user' })).sort()).toEqual(['a', 'c']);
    expect(await ask({ asOf: daysAgo(1) })).toEqual([]);
    const [found] = await manager.queryMemories('one', { text: 'tea', asOf: then, explain: true });
    expect(found!.explanation!.decay).toBeCloseTo(0.5, 12);
    const before = await manager.queryMemories('one', { text: 'tea', asOf: then });
    await manager.compactSession('one');
    expect(await manager.queryMemories('one', { text: 'tea', asOf: then })).toEqual(before);
  });

  test('now is the moment that ages and words of time count from', async () => {
    const { manager } = await open();
    await manager.addMemories('one', [
      say('a', 'we met Ada', { timestamp: daysAgo(10) }),
      say('b', 'we met Bob', { timestamp: daysAgo(3) }),
    ]);
    const ask = async (now: Date): Promise<FoundMemory[]> => [
      ...(await manager.queryMemories('one', {
        text: 'Who met ten days ago?',
        now,
        explain: true,
        sortBy: 'match',
      })),
    ];
    expect((await ask(daysAgo(0)))[0]!.id).toBe('a');
    expect((await ask(daysAgo(-7)))[0]!.id).toBe('b');
    expect((await ask(daysAgo(10))).find(({ id }) => id === 'a')!.explanation!.decay).toBe(1);
  });

  test('sessions are found by what was said in them', async () => {
    const { manager } = await open();
    await manager.addMemory('one', say('a', 'The harbour is full of boats'));
    await manager.addMemory('two', say('b', 'My garden is full of roses'));
    await manager.addMemory('other', say('c', 'roses and boats'));
    expect(
      (await manager.searchSessions('ada', 'Where did we talk about roses?')).map((hit) => hit.session_id),
    ).toEqual(['two']);
    expect((await manager.searchSessions('ada', 'full', { limit: 1 })).length).toBe(1);
    expect(await manager.searchSessions('ada', 'full', { limit: 0 })).toEqual([]);
    expect(await manager.searchSessions('unknown', 'roses')).toEqual([]);
    expect(await manager.searchSessions('ada', '')).toEqual([]);
    await manager.deleteSession('two');
    expect(await manager.searchSessions('ada', 'roses')).toEqual([]);
  });

  test('every caller gets memories of its own, down to the last list', async () => {
    const { openManager } = await open();
    const manager = openManager();
    const { id } = await manager.createSession('ada');
    await manager.addMemory(id, {
      ...say('a', 'tea'),
      content: { text: 'tea', parts: [{ kind: 'leaf' }] },
      tags: ['drinks'],
      provenance: { source: 'a book' },
    });
    const ask = async (): Promise<FoundMemory> =>
      (await manager.queryMemories(id, { tags: { include: ['drinks'] } }))[0]!;
    const untouched = structuredClone(await ask());
    for (let i = 0; i < 3; i++) {
      const found = (await ask()) as unknown as Record<string, Record<string, unknown>>;
      (found.content!.parts as { kind: string }[])[0]!.kind = 'stone';
      found.content!.text = 'coffee';
      (found.tags as unknown as string[]).push('other');
      (found.references as unknown as string[]).push('mem_other');
      found.provenance!.source = 'changed';
      expect(await ask()).toEqual(untouched);
    }
  });

  test('importance can be changed afterwards, and stays changed', async () => {
    const { manager, openManager, ask } = await open();
    await manager.addMemories('one', [
      say('a', 'black tea', { importance: 0.9 }),
      say('b', 'green tea', { importance: 0.2 }),
    ]);
    expect(await ask({ text: 'tea' })).toEqual(['a', 'b']);
    await manager.setImportance('one', 'b', 1);
    const expectChanged = async (asked: MemoryManager): Promise<void> => {
      const found = await asked.queryMemories('one', { text: 'tea', explain: true });
      expect(idsOf(found)).toEqual(['b', 'a']);
      expect([found[0]!.importance, found[0]!.explanation!.importance]).toEqual([1, 1]);
      expect((await asked.getMemory('one', 'b'))!.importance).toBe(1);
    };
    await expectChanged(manager);
    await expectChanged(openManager());
    await manager.compactSession('one');
    await expectChanged(manager);
    await expectChanged(openManager());
    await expect(manager.setImportance('one', 'none', 1)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    await expect(manager.setImportance('one', 'a', 2)).rejects.toMatchObject({ code: 'INVALID_ENTRY' });
    await manager.deleteMemory('one', 'b');
    await expect(manager.setImportance('one', 'b', 1)).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
  });

  test('what another manager wrote, deleted, compacted and removed is found by the next query', async () => {
    const { manager, openManager, clock } = await open();
    const second = openManager();
    const found = async (query: MemoryQuery): Promise<string[]> =>
      idsOf(await second.queryMemories('one', { text: 'tea', ...query })).sort();
    await manager.addMemory('one', say('a', 'black tea', { importance: 0.1 }));
    expect(await found({})).toEqual(['a']);
    await manager.addMemory('two', say('b', 'green tea'));
    await manager.addMemory('one', say('c', 'white tea'));
    expect(await found({ scope: 'user' })).toEqual(['a', 'b', 'c']);
    await manager.deleteMemory('one', 'c');
    expect(await found({ scope: 'user' })).toEqual(['a', 'b']);
    clock.advance(365 * DAY_MS);
    await manager.addMemory('two', say('d', 'tea'));
    const report = await manager.compactSession('one', { dropFaded: true });
    expect(report.dropped.map(({ id }) => id)).toContain('a');
    // Not only left out of the results: its words do not count any more either.
    const [first] = await second.queryMemories('one', { text: 'tea', scope: 'user', limit: 1 });
    const [expected] = await openManager().queryMemories('one', { text: 'tea', scope: 'user', limit: 1 });
    expect(first).toEqual(expected);
    await manager.deleteSession('two');
    expect(await found({ scope: 'user' })).toEqual([]);
    await manager.deleteSession('one');
    await expect(second.queryMemories('one')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('a session that was removed and created again for another user shows nothing of the first', async () => {
    const { manager, openManager } = await open();
    const second = openManager();
    await manager.addMemories('one', [say('a', 'tea')]);
    await manager.addMemories('two', [say('b', 'tea')]);
    expect((await second.queryMemories('one', { scope: 'user' })).length).toBe(2);
    const ofAda = openManager().as({ account_id: 'local', user_id: 'ada' });
    const asOf = daysAgo(0);
    expect(idsOf(await ofAda.queryMemories('one', { asOf }))).toEqual(['a']);
    await manager.deleteSession('one');
    await manager.createSession('bob', { session_id: 'one' });
    await manager.addMemories('one', [say('c', 'tea')]);
    await manager.addMemories('other', [say('d', 'tea')]);
    expect(idsOf(await second.queryMemories('one', { scope: 'user' })).sort()).toEqual(['c', 'd']);
    expect(idsOf(await second.queryMemories('two', { scope: 'user' }))).toEqual(['b']);
    expect(idsOf(await second.queryMemories('two', { scope: 'user', asOf }))).toEqual(['b']);
    await expect(ofAda.queryMemories('one', { asOf })).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('ten managers on one store all find what each of them wrote', async () => {
    const { manager, openManager } = await open({ indexLimits: { sealAtDocuments: 4, mergeAtSegments: 2 } });
    const managers = [manager, ...Array.from({ length: 9 }, openManager)];
    for (let round = 0; round < 3; round++) {
      await Promise.all(
        managers.map((each, i) =>
          each.addMemories(i % 2 ? 'one' : 'two', [say(`m${round}_${i}`, `tea ${round} ${i}`)]),
        ),
      );
      const answers = await Promise.all(
        managers.map((each) => each.queryMemories('one', { text: 'tea', scope: 'user', limit: 100 })),
      );
      for (const answer of answers) {
        expect(answer.length).toBe(10 * (round + 1));
        expect(answer).toEqual(answers[0]);
      }
    }
  });

  test('more users than indexes are held for', async () => {
    const { manager } = await open({ indexLimits: { sealAtDocuments: 1 } });
    const users = Array.from({ length: 40 }, (_, i) => `user_${i}`);
    for (const user of users) {
      await manager.createSession(user, { session_id: user });
      await manager.addMemory(user, say('a', `tea of ${user}`));
    }
    for (let round = 0; round < 2; round++) {
      const found = await Promise.all(users.map((user) => manager.queryMemories(user, { text: 'tea' })));
      expect(found.map(([first]) => first!.session_id)).toEqual(users);
    }
  });
});
