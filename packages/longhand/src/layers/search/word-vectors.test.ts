import { describe, expect, onTestFinished, test } from 'vitest';
import { STORES } from '../../../test/open-stores.ts';
import { synonymTable } from '../../../test/synonym-table.ts';
import type { MemoryManagerOptions } from '../../manager-options.ts';
import { MemoryManager } from '../../memory-manager.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { SynonymEmbedder } from '../../testing/synonym-embedder.ts';

const GROUPS = [
  ['car', 'automobile', 'vehicle'],
  ['cat', 'feline', 'pet'],
  ['dog', 'hound'],
  ['invoice', 'bill'],
  ['database', 'postgres'],
  ['sister', 'sibling'],
];
const TEXTS: Readonly<Record<string, string>> = {
  mem_car: 'bought a red car in spring',
  mem_cat: 'the cat sleeps on the sofa',
  mem_billing: 'we keep every invoice',
  mem_sister: 'my sister lives in lisbon',
};
/** What is indexed is published with the next question. */
const AT_ONCE = { sealAtDocuments: 1, sealWhenBuilding: 8, mergeAtSegments: 3, maxMergedDocuments: 1_000 };
const WITH: MemoryManagerOptions = {
  semantic: true,
  readTable: async () => synonymTable(GROUPS),
  indexLimits: AT_ONCE,
};
const OTHER_ID = '1111111111111111';
const WITH_ANOTHER: MemoryManagerOptions = {
  ...WITH,
  readTable: async () => synonymTable(GROUPS.toReversed(), OTHER_ID),
};
const WITHOUT: MemoryManagerOptions = { semantic: false, indexLimits: AT_ONCE };

/** Finding by meaning with a table of word vectors: no model, the same answers for all who have the table. */
describe.each(STORES)('word vectors on the %s store', (_, make) => {
  async function scene(): Promise<Scene> {
    const openStore = make();
    const clock = new FakeClock();
    const open = (options: MemoryManagerOptions): MemoryManager => {
      const manager = new MemoryManager({ store: openStore(), clock, ...options });
      onTestFinished(() => manager.close());
      return manager;
    };
    const manager = open(WITH);
    await manager.createSession('ada', { session_id: 'one' });
    for (const [id, text] of Object.entries(TEXTS)) await add(manager, id, text);
    return { manager, clock, open };
  }

  test('find what is said in other words, and say how near it is', async () => {
    const { manager } = await scene();
    const [found] = await manager.queryMemories('one', { text: 'automobile', explain: true });
    expect(found?.id).toBe('mem_car');
    expect(found?.explanation?.match_parts).toMatchObject({ words: 0 });
    expect(found?.explanation?.match_parts?.similarity).toBeGreaterThan(0);
    for (const text of ['"automobile"', 'auto*bile', 'автомобиль'])
      expect(await ids(manager, text)).toEqual([]);
    expect(await manager.searchSessions('ada', 'feline')).toMatchObject([{ session_id: 'one' }]);
    await add(manager, 'mem_van', 'sold the old vehicle');
    expect((await manager.similarMemories('one', 'mem_car'))[0]?.id).toBe('mem_van');
  });

  test('find it as of a moment, and as it was corrected', async () => {
    const { manager, clock } = await scene();
    const asOf = new Date(clock.now());
    clock.advance(60_000);
    await add(manager, 'mem_later', 'another automobile');
    const then = await manager.queryMemories('one', { text: 'vehicle', asOf });
    expect(then.map(({ id }) => id)).toEqual(['mem_car']);
    await manager.updateMemory('one', 'mem_cat', { content: { text: 'the dog sleeps on the sofa' } });
    expect(await ids(manager, 'hound')).toEqual(['mem_cat']);
    expect(await ids(manager, 'feline')).toEqual([]);
  });

  test('find details in other words', async () => {
    const { manager } = await scene();
    const description = 'What the postgres server said';
    await (await manager.layers()).details.store('one', { content: 'a long log', description });
    const user = manager.as({ account_id: 'local', user_id: 'ada' });
    expect((await user.searchWithDetails({ text: 'database' })).details?.[0]?.summary).toBe(description);
  });

  test('find entries of journal and core, and sections of notes, in other words', async () => {
    const { manager } = await scene();
    const { agents, journal, notes } = await manager.layers();
    const many = Array.from({ length: 200 }, (_each, number) => `word${number}*`).join(' ');
    await agents.ensure('scout');
    await journal.save('scout', 'core', 'The invoice comes on Mondays.');
    await journal.save('scout', 'journal', 'The cat was here.');
    const found = await journal.search('scout', 'when do I get the bill?');
    expect(found.map(({ content }) => content)).toEqual(['The invoice comes on Mondays.']);
    expect(await journal.search('scout', 'feline', { type: 'core' })).toEqual([]);
    expect(await notes.search('ada', 'scout', 'hound')).toEqual([]);
    const change = {
      operation: 'overwrite',
      content: '# Home\nA dog.\n## Money\nEvery invoice is kept.\n',
    } as const;
    await notes.apply('ada', 'scout', change);
    expect((await notes.search('ada', 'scout', 'hound')).map(({ title }) => title)).toEqual(['Home']);
    expect((await notes.search('ada', 'scout', 'bill')).map(({ title }) => title)).toEqual(['Money']);
    await expect(journal.search('scout', many)).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
  });

  test('give the same answers to all who have the table, also when a process without it indexed', async () => {
    const { manager, open } = await scene();
    const without = open(WITHOUT);
    expect(await ids(without, 'automobile')).toEqual([]);
    // Sealed and merged without the table, which leaves the vectors alone that are there.
    for (let number = 0; number < 4; number++) {
      await add(without, `mem_more_${number}`, `a pet number ${number}`);
      await ids(without, 'number');
    }
    const next = open(WITH);
    expect(await ids(next, 'feline')).toHaveLength(5);
    // Another table has other vectors of the same words.
    const another = open(WITH_ANOTHER);
    for (const other of [another, manager, next, another])
      expect(await answers(other)).toEqual(await answers(next));
  });

  test.each<[string, MemoryManagerOptions]>([
    ['an option', { semantic: false }],
    ['the configuration', { semantic: undefined!, config: { semantic: false } }],
  ])('are switched off by %s, and so is an embedder', async (_what, off) => {
    const { open } = await scene();
    const embedder = new SynonymEmbedder({ synonyms: GROUPS });
    const manager = open({ ...WITH, embedder, ...off });
    const { agents, journal } = await manager.layers();
    await agents.ensure('scout');
    await journal.save('scout', 'core', 'The invoice comes on Mondays.');
    expect(await journal.search('scout', 'bill')).toEqual([]);
    expect(await manager.pageMemories('one', { text: 'automobile' })).toEqual({ memories: [] });
    await manager.updateMemory('one', 'mem_cat', { content: { text: 'the dog sleeps' } });
    await expect(manager.embedMemories('ada')).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    expect(embedder.counts).toEqual({ query: 0, document: 0 });
  });

  test('leave with the text that they are of', async () => {
    const { manager, open } = await scene();
    await ids(manager, 'automobile');
    await manager.close();
    const without = open(WITHOUT);
    await (await without.layers()).privacy.forget({ session: 'one', ids: ['mem_car'] });
    await without.close();
    const next = open(WITH);
    expect(await ids(next, 'automobile')).toEqual([]);
    expect((await (await next.layers()).privacy.verifyErased(['bought a red'])).found).toEqual([]);
  });

  const whole = synonymTable(GROUPS);
  test.each<[string, Uint8Array]>([
    ['without a header', whole.subarray(0, 20)],
    ['cut short', whole.subarray(0, whole.length - 1)],
    ['of another format', whole.map((byte, at) => (at === 4 ? 9 : byte))],
    ['damaged', whole.map((byte, at) => (at === whole.length - 1 ? byte ^ 1 : byte))],
  ])('of a table that is %s are reported, and words alone answer', async (_what, table) => {
    const { open } = await scene();
    const told: string[] = [];
    const onEvent = ({ kind }: { readonly kind: string }): unknown => told.push(kind);
    const manager = open({ ...WITH, readTable: async () => table, onEvent });
    expect(await ids(manager, 'car')).toEqual(['mem_car']);
    expect(await ids(manager, 'automobile')).toEqual([]);
    expect(told.filter((kind) => kind === 'vectors-unusable')).toHaveLength(1);
  });
});

interface Scene {
  readonly manager: MemoryManager;
  readonly clock: FakeClock;
  /** Another one on the same store. */
  readonly open: (options: MemoryManagerOptions) => MemoryManager;
}

async function add(manager: MemoryManager, id: string, text: string): Promise<void> {
  await manager.addMemory('one', { id, type: 'finding', content: { text } });
}

async function ids(manager: MemoryManager, text: string): Promise<readonly string[]> {
  return (await manager.queryMemories('one', { text })).map(({ id }) => id);
}

/** All that is said of what is found. */
async function answers(manager: MemoryManager): Promise<readonly unknown[]> {
  const pages = [];
  for (const text of ['automobile', 'feline', 'a bill of my sibling'])
    pages.push(await manager.queryMemories('one', { text, explain: true }));
  return pages.map((page) => page.map(({ id, relevance, match }) => [id, relevance, match]));
}
