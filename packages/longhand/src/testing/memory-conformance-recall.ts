import assert from 'node:assert/strict';
import type { FoundMemory, MemoryQuery } from '../core/query.ts';
import type { NewMemory } from '../core/records.ts';
import type { MemoryManager } from '../memory-manager.ts';
import { DAY_MS, START_MS, type WithMemory } from './memory-conformance.ts';

/** More than are compared in full, so that repetitions fill the first ranks. */
const MANY = 240;

/** What a found memory says of itself: how much of the question it holds, and how many others say the same. */
export function recallConformance(withMemory: WithMemory): void {
  const withSession = (title: string, work: (manager: MemoryManager) => Promise<void>): void =>
    withMemory(title, async ({ manager }) => {
      await manager.createSession('ada', { session_id: 'one' });
      await work(manager);
    });

  withSession(
    'a match is the share of the question that a memory holds, whatever else there is',
    async (manager) => {
      await manager.addMemories('one', [
        said('mem_port', 'The backup runs on port 5433'),
        said('mem_boat', 'The boat is painted green', { importance: 0.1, timestamp: ago(90) }),
      ]);
      const matchOf = async (text: string, id: string): Promise<number> =>
        (await ask(manager, { text, sortBy: 'match' })).find((found) => found.id === id)?.match ?? 0;
      assert.equal(await matchOf('backup port', 'mem_port'), 1);
      const half = await matchOf('backup port zeppelin walrus', 'mem_port');
      assert.ok(half > 0 && half < 0.6, `words that no memory holds count as asked for: ${half}`);
      // Neither age nor importance has a say.
      assert.equal(await matchOf('green boat', 'mem_boat'), 1);
      // A better memory takes nothing from another.
      await manager.addMemory('one', said('mem_both', 'backup port zeppelin walrus'));
      assert.equal(await matchOf('backup port zeppelin walrus', 'mem_both'), 1);
      assert.equal(await matchOf('backup port', 'mem_port'), 1);
      assert.equal((await ask(manager, {}))[0]?.match, undefined);
    },
  );

  withSession('a match takes nothing from neighbours, author or time', async (manager) => {
    await manager.addMemories('one', [
      turn('mem_asked', 'Marcus', 'Where did you leave the telescope?', ago(1)),
      turn('mem_answer', 'Ana', 'In the cellar, behind the shelf.', ago(1)),
      turn('mem_tea', 'Ana', 'I like tea.', ago(1)),
    ]);
    const byId = async (text: string): Promise<ReadonlyMap<string, FoundMemory>> =>
      new Map((await ask(manager, { text, explain: true })).map((found) => [found.id, found]));
    const telescope = await byId('telescope');
    assert.equal(telescope.get('mem_asked')?.match, 1);
    const answer = telescope.get('mem_answer');
    assert.ok(Number(answer?.explanation?.match_parts?.neighbours) > 0, 'a neighbour lends it words');
    assert.equal(answer?.match, 0);
    const ofAna = (await byId('What sport does Ana like?')).get('mem_tea');
    assert.ok(Number(ofAna?.explanation?.match_parts?.author) > 0);
    const ofNoName = (await byId('What sport do you like?')).get('mem_tea');
    assert.ok(Number(ofAna?.match) <= Number(ofNoName?.match));
    const yesterday = (await byId('tea and sport yesterday')).get('mem_tea');
    assert.ok(Number(yesterday?.explanation?.match_parts?.time) > 0);
    const noTime = (await byId('tea and sport')).get('mem_tea');
    assert.ok(Number(yesterday?.match) <= Number(noTime?.match));
  });

  withSession('minMatch leaves out what holds less, on every page', async (manager) => {
    await manager.addMemories(
      'one',
      Array.from({ length: 30 }, (_, i) =>
        said(`mem_${i}`, i % 3 === 0 ? `green tea number ${i}` : `tea number ${i}`, { timestamp: ago(i) }),
      ),
    );
    const text = 'green tea';
    const all = await ask(manager, { text, limit: 100 });
    assert.equal(all.length, 30);
    const strong = all.filter(({ match }) => Number(match) >= 0.9).map(({ id }) => id);
    assert.equal(strong.length, 10);
    for (const sortBy of ['relevance', 'match', 'time', 'importance'] as const) {
      for (const limit of [1, 3, 100]) {
        const found = await pages(manager, { text, sortBy, limit, minMatch: 0.9 });
        assert.deepEqual(found.map(({ id }) => id).sort(), strong.toSorted(), `${sortBy} by ${limit}`);
      }
    }
    assert.equal((await ask(manager, { text, minMatch: 0, limit: 100 })).length, 30);
    assert.deepEqual(await ask(manager, { text: 'green tea zeppelin', minMatch: 1 }), []);
  });

  withSession('one memory stands for those that say the same', async (manager) => {
    await manager.addMemories('one', [
      said('mem_1', 'The user likes green tea.', { timestamp: ago(3) }),
      said('mem_2', 'the user really likes GREEN tea', { timestamp: ago(2) }),
      said('mem_3', 'User likes a green tea very much!', { timestamp: ago(1) }),
      said('mem_not', 'The user does not like green tea.'),
      said('mem_then', 'The user liked green tea.'),
      turn('mem_ana', 'Ana', 'I like green tea.', ago(1)),
      turn('mem_bob', 'Bob', 'I like green tea.', ago(1)),
    ]);
    const found = await ask(manager, { text: 'green tea' });
    const counted = Object.fromEntries(found.map(({ id, duplicates = 0 }) => [id, duplicates]));
    assert.deepEqual(counted, { mem_3: 2, mem_not: 0, mem_then: 0, mem_ana: 0, mem_bob: 0 });
    const each = await ask(manager, { text: 'green tea', collapse: false });
    assert.equal(each.length, 7);
    assert.ok(each.every(({ duplicates }) => duplicates === undefined));
    // An order that is not by the match gives each separately, and so does a list.
    assert.equal((await ask(manager, { text: 'green tea', sortBy: 'time' })).length, 7);
    assert.equal((await ask(manager, {})).length, 7);
    // Those that a filter leaves out are not counted.
    const recent = await ask(manager, { text: 'green tea', timeRange: { start: ago(2.5) } });
    assert.equal(recent.find(({ id }) => id === 'mem_3')?.duplicates, 1);
  });

  withSession('pages give each distinct text once, however often it was stored', async (manager) => {
    const texts = Array.from({ length: 9 }, (_, i) => `green tea of harvest ${'abcdefghi'[i]}x`);
    const stored = Array.from({ length: 90 }, (_, i) =>
      said(`mem_${i}`, texts[i % 3 === 0 ? i % 9 : 0]!, { timestamp: ago(i % 7) }),
    );
    for (const [i, text] of texts.entries()) stored.push(said(`mem_last_${i}`, text, { timestamp: ago(30) }));
    await manager.addMemories('one', stored);
    for (const text of ['green tea', 'tea of harvest ax']) {
      for (const sortBy of ['relevance', 'match'] as const) {
        for (const limit of [1, 2, 3, 50]) {
          const found = await pages(manager, { text, sortBy, limit });
          assert.deepEqual(found.map(textOf).sort(), texts, `${text}, ${sortBy} by ${limit}`);
          assert.equal(found.length + duplicatesIn(found), stored.length);
        }
      }
    }
    const each = await pages(manager, { text: 'green tea', limit: 7, collapse: false });
    assert.deepEqual([each.length, new Set(each.map(({ id }) => id)).size], [stored.length, stored.length]);
  });

  withSession('what repetitions outrank is found behind them', async (manager) => {
    await manager.addMemories(
      'one',
      Array.from({ length: MANY }, (_, i) => said(`mem_${i}`, 'green tea', { importance: 1 })),
    );
    await manager.addMemories('one', [
      said('mem_old', 'green tea is sold at the market', { importance: 0.1, timestamp: ago(300) }),
      said('mem_tea', 'black tea', { importance: 0.1, timestamp: ago(300) }),
    ]);
    for (const limit of [1, 2, 3, 10]) {
      const found = await pages(manager, { text: 'green tea', limit });
      assert.deepEqual(found.map(textOf), ['green tea', 'green tea is sold at the market', 'black tea']);
      assert.equal(found[0]?.duplicates, MANY - 1);
    }
  });

  withSession('where a time is all that is asked for, pages give each text once too', async (manager) => {
    const texts = ['We painted the boat', 'Ana called', 'The harbour was closed'];
    await manager.addMemories(
      'one',
      Array.from({ length: 30 }, (_, i) =>
        said(`mem_${i}`, texts[i < 20 ? 0 : i % 3]!, { timestamp: ago(1 + i / 100) }),
      ),
    );
    for (const limit of [1, 2, 3, 10]) {
      const found = await pages(manager, { text: 'What happened yesterday?', limit });
      assert.deepEqual(found.map(textOf).sort(), texts.toSorted(), `by ${limit}`);
      assert.equal(duplicatesIn(found), 27);
    }
  });

  withSession('a blank text and a star list the newest first', async (manager) => {
    const ids = Array.from({ length: 25 }, (_, i) => `mem_${i}`);
    await manager.addMemories(
      'one',
      ids.map((id, i) => said(id, 'tea', { timestamp: ago(i), importance: i / 25 })),
    );
    for (const text of ['*', ' * ', '', ' \n']) {
      assert.deepEqual(await idsOf(pages(manager, { text, limit: 4 })), ids, JSON.stringify(text));
      assert.deepEqual(await idsOf(ask(manager, { text, limit: 3 })), ids.slice(0, 3));
    }
    const byImportance = await idsOf(ask(manager, { text: '*', sortBy: 'importance', limit: 2 }));
    assert.deepEqual(byImportance, ['mem_24', 'mem_23']);
  });
}

const ago = (days: number): Date => new Date(START_MS - days * DAY_MS);

function said(id: string, text: string, more: Partial<NewMemory> = {}): NewMemory {
  return { id, type: 'finding', content: { text }, ...more };
}

function turn(id: string, speaker: string, text: string, timestamp: Date): NewMemory {
  return { id, type: 'conversation', content: { speaker, text }, timestamp };
}

function ask(manager: MemoryManager, query: MemoryQuery): Promise<readonly FoundMemory[]> {
  return manager.queryMemories('one', query);
}

async function pages(manager: MemoryManager, query: MemoryQuery): Promise<FoundMemory[]> {
  const found: FoundMemory[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await manager.pageMemories('one', { ...query, ...(cursor === undefined ? {} : { cursor }) });
    found.push(...page.memories);
    cursor = page.nextCursor;
    if (cursor === undefined) return found;
  }
}

async function idsOf(found: Promise<readonly FoundMemory[]>): Promise<string[]> {
  return (await found).map(({ id }) => id);
}

function duplicatesIn(found: readonly FoundMemory[]): number {
  return found.reduce((sum, { duplicates = 0 }) => sum + duplicates, 0);
}

function textOf({ content }: FoundMemory): string {
  return String(content.text);
}
