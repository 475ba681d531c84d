import { describe, expect, test } from 'vitest';
import { MemoryManager, type MemoryQuery, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

async function open(): Promise<MemoryManager> {
  const manager = new MemoryManager({ store: new MemoryStore(), clock: new FakeClock() });
  await manager.createSession('ada', { session_id: 'one', agents: ['scout'] });
  await manager.addMemories('one', [
    { id: 'a', type: 'finding', content: { text: 'The harbour is full of boats.' }, tags: ['sea'] },
    { id: 'b', type: 'finding', content: { text: 'What is it that we have?' } },
  ]);
  return manager;
}

describe('a query that is odd, and has an answer', () => {
  const answers: Record<string, [MemoryQuery, readonly string[]]> = {
    'nothing at all': [{}, ['a', 'b']],
    'an empty text': [{ text: '' }, ['a', 'b']],
    'a blank text': [{ text: ' \n ' }, ['a', 'b']],
    'signs without a word': [{ text: '?!… — “” " ' }, []],
    'only stopwords': [{ text: 'what have we' }, ['b']],
    'ten thousand words': [{ text: `${'word '.repeat(9_999)} boats` }, ['a']],
    'ten thousand different words': [
      { text: `${Array.from({ length: 9_999 }, (_, i) => `w${i}x`).join(' ')} boats` },
      ['a'],
    ],
    'a word of a hundred thousand letters': [{ text: 'x'.repeat(100_000) }, []],
    'ten thousand times the same phrase': [{ text: '"of boats" '.repeat(10_000) }, ['a']],
    'a star that names nothing': [{ text: ' * ', types: ['finding'] }, ['a', 'b']],
    'a thousand times the same wildcard': [{ text: 'boat* '.repeat(1_000) }, ['a']],
    'a wildcard made to be slow': [{ text: `${'a*'.repeat(500)}b` }, []],
    'an open quotation': [{ text: '"full of boats' }, ['a']],
    'a tag that no memory has': [{ tags: { include: ['land'] } }, []],
    'a tag asked for and excluded': [{ tags: { include: ['sea'], exclude: ['sea'] } }, []],
    'an id that is not there': [{ references: ['mem_none'], maxDepth: 100 }, []],
    'a limit of nothing': [{ limit: 0 }, []],
    'a limit of a milliard': [{ limit: 1_000_000_000, text: 'boats' }, ['a']],
    'the largest limit': [{ limit: Number.MAX_SAFE_INTEGER }, ['a', 'b']],
    'a range of one day': [{ timeRange: { start: '2026-01-01', end: '2026-01-01' } }, ['a', 'b']],
    'a lone surrogate': [{ text: 'boats \ud800' }, ['a']],
  };
  test.each(Object.entries(answers))('%s', async (_, [query, expected]) => {
    const manager = await open();
    const found = await manager.queryMemories('one', query);
    expect(found.map(({ id }) => id).sort()).toEqual(expected);
    await manager.close();
  });
});

describe('a day without a time', () => {
  test('is whole, where it is asked', async () => {
    const manager = new MemoryManager({ store: new MemoryStore(), clock: new FakeClock() });
    await manager.createSession('ada', { session_id: 'one' });
    for (const [id, timestamp] of [
      ['before', '2026-05-13T22:30:00Z'],
      ['first', '2026-05-14T00:00:00Z'],
      ['noon', '2026-05-14T12:00:00Z'],
      ['last', '2026-05-14T23:59:59.999Z'],
      ['after', '2026-05-15T00:00:00Z'],
    ] as const)
      await manager.addMemory('one', { id, type: 'finding', content: { text: 'A boat' }, timestamp });
    const ask = async (start: string, end: string, timeZone = 'UTC'): Promise<string> => {
      const found = await manager.queryMemories('one', {
        timeRange: { start, end },
        sortBy: 'time',
        timeZone,
      });
      return found.map(({ id }) => id).join(' ');
    };
    const day = '2026-05-14';
    expect(await ask(day, day)).toBe('last noon first');
    expect(await ask(day, day, 'Europe/Berlin')).toBe('noon first before');
    expect(await ask(day, '2026-05-14T12:00:00Z')).toBe('noon first');
    expect(await ask(day, '2026-05-13T23:00:00Z', 'Europe/Berlin')).toBe('before');
    await expect(ask(day, '2026-05-13T23:00:00Z')).rejects.toThrow('starts after its end');
    await manager.close();
  });
});

describe('a query that is wrong', () => {
  const wrong: Record<string, unknown> = {
    'no object': 'boats',
    null: null,
    'a list': [],
    'a field that there is none of': { words: 'boats' },
    'a text that is none': { text: 7 },
    'a thousand wildcards': { text: Array.from({ length: 1_000 }, (_, i) => `w${i}*`).join(' ') },
    'a text of a megabyte': { text: 'x'.repeat(1_048_576) },
    'a thousand phrases': { text: Array.from({ length: 1_000 }, (_, i) => `"of ${i}"`).join(' ') },
    'types that are no list': { types: 'finding' },
    'a type that there is none of': { types: ['dream'] },
    'a type that is missing': { types: [undefined] },
    'tags that are no object': { tags: ['sea'] },
    'tags with another field': { tags: { includes: ['sea'] } },
    'tags that are no texts': { tags: { include: [1] } },
    'tags that are no list': { tags: { exclude: 'sea' } },
    'another mode': { tags: { include: ['sea'], mode: 'some' } },
    'exact that is neither true nor false': { tags: { exact: 1 } },
    'a range that ends before it starts': { timeRange: { start: '2026-02-01', end: '2026-01-01' } },
    'a range of no times': { timeRange: { start: 'yesterday' } },
    'a range that is no object': { timeRange: '2026' },
    'within that says nothing': { within: 'some day' },
    'within that is no text': { within: 7 },
    'too much importance': { minImportance: 1.1 },
    'importance that is no number': { minImportance: Number.NaN },
    'more than a whole match': { minMatch: 1.1 },
    'a match that is no number': { minMatch: '0.5' },
    'collapse that is neither true nor false': { collapse: 'yes' },
    'references that are no list': { references: 'a' },
    'a reference that is no id': { references: ['../a'] },
    'a depth below zero': { references: ['a'], maxDepth: -1 },
    'a depth without end': { references: ['a'], maxDepth: Number.POSITIVE_INFINITY },
    'another scope': { scope: 'everything' },
    'another order': { sortBy: 'colour' },
    'half a memory': { limit: 0.5 },
    'a limit below zero': { limit: -1 },
    'a limit that is a text': { limit: '5' },
    'a limit that is no number': { limit: Number.NaN },
    'a cursor that no search gave': { cursor: 'next' },
    'a cursor that is no text': { cursor: 7 },
    'explain that is neither true nor false': { explain: 'yes' },
    'asOf that is no time': { asOf: 'then' },
    'now that is no time': { now: new Date(Number.NaN) },
  };
  test.each(Object.entries(wrong))('%s is refused', async (_, query) => {
    const manager = await open();
    const asking = manager.queryMemories('one', query as MemoryQuery);
    await expect(asking).rejects.toMatchObject({ name: 'ValidationError', code: 'INVALID_QUERY' });
    await manager.close();
  });

  test('the cursor of a question about another moment is refused', async () => {
    const manager = await open();
    const now = new Date('2026-06-01');
    const [then, later] = [new Date(now.getTime() + 1_000), new Date(now.getTime() + 2_000)];
    for (const text of ['boats', undefined]) {
      const query = { limit: 1, now, ...(text === undefined ? {} : { text }) };
      const { nextCursor } = await manager.pageMemories('one', { ...query, asOf: then });
      const cursor = nextCursor!;
      await manager.queryMemories('one', { ...query, asOf: then, cursor });
      for (const other of [{}, { asOf: later }, { asOf: then, now: later }]) {
        const asking = manager.queryMemories('one', { ...query, ...other, cursor });
        await expect(asking).rejects.toMatchObject({ code: 'INVALID_QUERY' });
      }
    }
    await manager.close();
  });

  test('the cursor of another query is refused', async () => {
    const manager = await open();
    const { nextCursor } = await manager.pageMemories('one', { limit: 1 });
    const asking = manager.queryMemories('one', { limit: 1, text: 'boats', cursor: nextCursor! });
    await expect(asking).rejects.toMatchObject({ code: 'INVALID_QUERY' });
    expect((await manager.queryMemories('one', { limit: 5, cursor: nextCursor! })).length).toBe(1);
    await manager.close();
  });

  test('searching sessions with anything wrong is refused', async () => {
    const manager = await open();
    const calls: (() => Promise<unknown>)[] = [
      () => manager.searchSessions('ada', 7 as unknown as string),
      () => manager.searchSessions('ada', 'boats', { limit: -1 }),
      () => manager.searchSessions('ada', 'boats', { limit: 1.5 }),
      () => manager.searchSessions('ada', 'boats', { now: 'then' }),
      () => manager.searchByTopic('one', 7 as unknown as string),
      () => manager.searchByType('one', 'dream' as 'finding'),
      () => manager.searchByTimeRange('one', '2026-02-01', '2026-01-01'),
      () => manager.searchByTimeRange('one', 'then', '2026-01-01'),
      () => manager.searchSessions('ada', Array.from({ length: 1_000 }, (_, i) => `w${i}*`).join(' ')),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'INVALID_QUERY' });
    await expect(manager.searchSessions('', 'boats')).rejects.toMatchObject({ code: 'INVALID_NAME' });
    expect(await manager.searchSessions('ada', 'boats', { limit: 1_000_000_000 })).toHaveLength(1);
    await manager.close();
  });
});
