import { describe, expect, onTestFinished, test } from 'vitest';
import { STORES } from '../../../test/open-stores.ts';
import { MemoryManager } from '../../memory-manager.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { toolsNamed } from '../../tools/index.ts';

/** Of the text that is searched whole: the manager's option, so that a test need not write 64 MB. */
const BOUND = 100_000;
const filler = (bytes: number): string => 'plain words again\n'.repeat(Math.ceil(bytes / 18)).slice(0, bytes);

describe.each(STORES)('details with more text than is searched whole, on the %s store', (_, make) => {
  async function scene(maxDetailBytes = BOUND) {
    const openStore = make();
    const clock = new FakeClock();
    const open = (): MemoryManager => {
      const limits = { indexLimits: { maxDetailBytes } };
      const manager = new MemoryManager({ store: openStore(), clock, semantic: false, ...limits });
      onTestFinished(() => manager.close());
      return manager;
    };
    const manager = open();
    await manager.createSession('ada', { session_id: 'one' });
    await manager.createSession('ada', { session_id: 'two' });
    const store = async (session: string, key: string, content: string): Promise<void> => {
      clock.advance(1_000);
      await (await manager.layers()).details.store(session, { key, content, description: 'A log' });
    };
    return { manager, open, store };
  }

  const ask = async (manager: MemoryManager, text: string, sessionId?: string) => {
    const { details } = await manager.layers();
    const page = await details.page('ada', text, { sessionId });
    return [page.details.map(({ memory_key }) => memory_key), page.partlySearched ?? 0];
  };

  test('are searched to the last word while there is room', async () => {
    const { manager, store } = await scene();
    await store('one', 'first', `${filler(49_000)} walrus`);
    await store('two', 'second', `${filler(49_000)} walrus`);
    const [found, partly] = await ask(manager, 'walrus');
    expect([...(found as string[])].sort()).toEqual(['first', 'second']);
    expect(partly).toBe(0);
  });

  test('are searched by their beginning when newer ones need the room, the same in every process', async () => {
    const { manager, open, store } = await scene();
    await store('one', 'old', `a quokka ${filler(59_000)} walrus`);
    expect(await ask(manager, 'walrus')).toEqual([['old'], 0]);
    await store('two', 'new', `${filler(59_000)} otter`);
    await store('two', 'bytes', 'short');
    for (const each of [manager, open()]) {
      expect(await ask(each, 'walrus')).toEqual([[], 1]);
      expect(await ask(each, 'quokka')).toEqual([['old'], 1]);
      expect(await ask(each, 'otter')).toEqual([['new'], 1]);
      expect(await ask(each, 'otter', 'two')).toEqual([['new'], 0]);
    }
    // With the room that it leaves, the other is searched whole again.
    await (await manager.layers()).details.remove('ada', 'new');
    for (const each of [manager, open()]) expect(await ask(each, 'walrus')).toEqual([['old'], 0]);
  });

  test('are searched up to the bound when one alone is larger', async () => {
    const { manager, store } = await scene();
    await store('one', 'huge', `${filler(BOUND - 100)} walrus ${filler(200)} otter`);
    expect(await ask(manager, 'walrus')).toEqual([['huge'], 1]);
    expect(await ask(manager, 'otter')).toEqual([[], 1]);
  });

  test('are reported by the tool and by the search for both', async () => {
    const { manager, store } = await scene(1_000);
    await store('one', 'log', `${filler(9_000)} walrus`);
    const user = manager.as({ account_id: 'local', user_id: 'ada' });
    expect(await user.searchWithDetails({ text: 'walrus' })).toMatchObject({
      details: [],
      partlySearched: 1,
    });
    const answer = await toolsNamed(['search_memory'])[0]!.run({ query: 'walrus' }, await user.toolScope());
    expect(answer).toMatchObject({
      note: expect.stringContaining(
        'Of the text of 1 large detail only the beginning was searched',
      ) as string,
    });
    expect(await (await manager.layers()).details.retrieve('ada', 'log', { search: 'walrus' })).toMatchObject(
      {
        total_matches: 1,
      },
    );
  });
});
