import { describe, expect, it } from 'vitest';
import { STORES } from '../test/open-stores.ts';
import { MemoryManager } from './memory-manager.ts';
import type { ScopedMemory } from './scoped-memory.ts';
import { FakeClock } from './testing/fake-clock.ts';
import { TOOLS } from './tools/index.ts';

const ADA = { account_id: 'local', user_id: 'ada' } as const;
/** Four in the morning of the next day in UTC is one in the afternoon in Tokyo. */
const NOW_MS = Date.parse('2026-05-15T04:00:00Z');
/** What is of yesterday in one of the two, and of another day in the other. */
const YESTERDAY_IN_UTC = '2026-05-14T22:00:00Z';
const YESTERDAY_IN_TOKYO = '2026-05-13T16:00:00Z';
const TOKYO = { timeZone: 'Asia/Tokyo' } as const;
const QUESTION = 'What happened yesterday?';

describe.each(STORES)('the time zone of a scope, on the %s store', (_name, open) => {
  async function setUp(): Promise<MemoryManager> {
    const manager = new MemoryManager({ store: open()(), clock: new FakeClock(NOW_MS) });
    for (const [session, timestamp] of [
      ['utc', YESTERDAY_IN_UTC],
      ['tokyo', YESTERDAY_IN_TOKYO],
    ] as const) {
      await manager.createSession('ada', { session_id: session });
      const content = { text: `The boiler was serviced, says ${session}` };
      await manager.addMemory(session, { id: `mem_${session}`, type: 'conversation', content, timestamp });
    }
    return manager;
  }

  async function byTool(memory: ScopedMemory, input: object): Promise<string | undefined> {
    const tool = TOOLS.find(({ name }) => name === 'search_memory')!;
    const { results } = await tool.run(input, await memory.toolScope());
    return (results as readonly { readonly session_id: string }[])[0]?.session_id;
  }

  const within = 'yesterday';
  const scope = 'user';
  /** The session in which each way finds something first. */
  const WAYS: Readonly<Record<string, (memory: ScopedMemory) => Promise<string | undefined>>> = {
    queryMemories: async (memory) => (await memory.queryMemories('utc', { within, scope }))[0]?.session_id,
    pageMemories: async (memory) =>
      (await memory.pageMemories('utc', { within, scope })).memories[0]?.session_id,
    similarMemories: async (memory) =>
      (await memory.similarMemories('utc', 'mem_utc', { within, scope }))[0]?.session_id ?? 'utc',
    search: async (memory) => (await memory.search({ within })).memories[0]?.session_id,
    'search in a session': async (memory) =>
      (await memory.search({ within }, 'utc')).memories[0]?.session_id ?? 'tokyo',
    searchSessions: async (memory) => (await memory.searchSessions(QUESTION))[0]?.session_id,
    'search_memory within': (memory) => byTool(memory, { query: 'boiler', within }),
    'search_memory with a question': (memory) => byTool(memory, { query: QUESTION }),
    assembleContext: async (memory) => {
      const messages = [{ role: 'user' as const, content: QUESTION }];
      const { manifest } = await memory.assembleContext({ session: 'utc', messages });
      const best = manifest.pieces.find(({ reason }) =>
        reason.startsWith('recalled for the new message, 1 of'),
      );
      return best?.source.id.replace('mem_', '');
    },
  };

  it.each(Object.entries(WAYS))('decides what yesterday is for %s', async (_way, foundBy) => {
    const manager = await setUp();
    expect(await foundBy(manager.as(ADA))).toBe('utc');
    expect(await foundBy(manager.as(ADA, TOKYO))).toBe('tokyo');
    expect(await foundBy(manager.as(ADA).inTimeZone('Asia/Tokyo'))).toBe('tokyo');
    expect(await foundBy(manager.as(ADA, TOKYO).inTimeZone('UTC'))).toBe('utc');
    expect(await foundBy(manager.as(ADA, TOKYO).inTimeZone(undefined))).toBe('tokyo');
    await manager.close();
  });

  it('dates what a context shows, and says which day it is', async () => {
    const manager = await setUp();
    const messages = [{ role: 'user' as const, content: 'When was the boiler serviced?' }];
    const shownTo = async (memory: ScopedMemory): Promise<string> => {
      const context = await memory.assembleContext({ session: 'utc', messages });
      return context.messages.find(({ content }) => content.startsWith('Recalled'))!.content;
    };
    const inUtc = await shownTo(manager.as(ADA));
    expect(inUtc).toContain('Today is Friday, 2026-05-15.');
    expect(inUtc).toContain('- [2026-05-13, mem_tokyo] ');
    const inHonolulu = await shownTo(manager.as(ADA, { timeZone: 'Pacific/Honolulu' }));
    expect(inHonolulu).toContain('Today is Thursday, 2026-05-14.');
    const inTokyo = await shownTo(manager.as(ADA, TOKYO));
    expect(inTokyo).toContain('- [2026-05-14, mem_tokyo] ');
    await manager.close();
  });

  it('is below the one that a query names', async () => {
    const manager = await setUp();
    const memory = manager.as(ADA, TOKYO);
    expect(await memory.queryMemories('utc', { within, timeZone: 'UTC' })).toHaveLength(1);
    expect((await memory.search({ within, timeZone: 'UTC' })).memories[0]?.session_id).toBe('utc');
    const [best] = await memory.searchSessions(QUESTION, { timeZone: 'UTC' });
    expect(best?.session_id).toBe('utc');
    await manager.close();
  });

  it('holds for details too', async () => {
    const manager = await setUp();
    const memory = manager.as(ADA, TOKYO);
    await memory.storeDetail('utc', { content: 'boiler log' });
    const details = await memory.details();
    expect(await details.search('boiler log')).toHaveLength(1);
    await expect(details.search('boiler', { timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
      code: 'INVALID_QUERY',
    });
    await manager.close();
  });

  it('must be one', async () => {
    const manager = await setUp();
    const refused = { code: 'INVALID_OPTION', details: { field: 'timeZone' } };
    const message = /^timeZone must be the IANA name of a time zone such as "Europe\/Berlin"/;
    for (const timeZone of ['Mars/Olympus', '', null, 3] as string[]) {
      for (const make of [() => manager.as(ADA, { timeZone }), () => manager.as(ADA).inTimeZone(timeZone)]) {
        expect(make).toThrow(message);
        expect(make).toThrow(expect.objectContaining(refused));
      }
    }
    expect(() => manager.as(ADA, { zone: 'UTC' } as object)).toThrow(/zone/);
    await manager.close();
  });
});
