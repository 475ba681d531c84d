import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Message } from '../../src/core/messages.ts';
import { Sessions } from '../../src/layers/memories/sessions.ts';
import {
  InProcessWindows,
  type StoredWindow,
  type WindowStore,
  Windows,
} from '../../src/layers/window/window.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import { Announcements, Redis, SharedRateLimits, SharedWindows } from '../../src/stores/redis/index.ts';
import { FakeClock } from '../../src/testing/index.ts';
import { openConversation, startConversation, talk } from '../conversation-fixture.ts';
import { TestRedis } from './redis-server.ts';

let server: TestRedis;

beforeAll(async () => {
  server = await TestRedis.start();
});
beforeEach(async () => {
  await server.ask('FLUSHALL');
});
afterAll(() => server.kill());

async function connect() {
  const client = createClient({
    url: server.url,
    disableOfflineQueue: true,
    socket: { reconnectStrategy: 50 },
  });
  client.on('error', () => undefined);
  await client.connect();
  onTestFinished(() => client.destroy());
  return client;
}

/** Waits longer than it would, where nothing is to be late. */
async function open(
  account = 'acme',
  options: ConstructorParameters<typeof Redis>[2] = { timeoutMs: 10_000 },
) {
  const redis = new Redis(await connect(), account, options);
  onTestFinished(() => redis.close());
  return redis;
}

describe('Redis that may be gone', () => {
  it('is waited for by one caller only, and asked again by none', async () => {
    const told: boolean[] = [];
    const onChange = (isThere: boolean): void => void told.push(isThere);
    const redis = await open('acme', { timeoutMs: 2_000, retryMs: 100, onChange });
    const ask = () => redis.call('GET', redis.key('a'));
    expect(await redis.call('SET', redis.key('a'), '1', 'PX', '60000')).toBe('OK');
    await server.stopped(async () => {
      const answers = await Promise.all([ask(), ask()]);
      expect(answers.map(String)).toEqual(Array(2).fill('Symbol(Redis is away)'));
      expect([redis.isThere, told]).toEqual([false, [false]]);
      // No command is sent: what is asked now is answered before a timer could fire.
      const next = await Promise.race([ask(), new Promise((go) => setTimeout(go))]);
      expect(String(next)).toBe('Symbol(Redis is away)');
    });
    await expect.poll(() => redis.isThere).toBe(true);
    expect(await ask()).toBe('1');
    expect(told).toEqual([false, true]);
  });

  it('is back after it was killed, and listens again', async () => {
    const redis = await open('acme', { retryMs: 50 });
    const here = new Announcements<string>(redis, await connect());
    const there = new Announcements<string>(await open('acme', { retryMs: 50 }), await connect());
    const other = new Announcements<string>(await open('other'), await connect());
    const heard: string[] = [];
    there.listen((news) => heard.push(news));
    other.listen((news) => heard.push(`other account: ${news}`));
    here.listen((news) => heard.push(`itself: ${news}`));
    await expect
      .poll(() => {
        here.announce('one');
        return heard.includes('one');
      })
      .toBe(true);
    await server.kill();
    expect(String(await redis.call('GET', 'x'))).toBe('Symbol(Redis is away)');
    expect(here.areHeard).toBe(false);
    await server.start();
    await expect
      .poll(() => {
        here.announce('two');
        return heard.includes('two');
      })
      .toBe(true);
    await expect.poll(() => here.areHeard).toBe(true);
    expect(new Set(heard)).toEqual(new Set(['one', 'two']));
  });

  it('keeps accounts apart by the beginning of each key, whatever they are called', async () => {
    const names = ['a', 'a:longhand', 'a:longhand:window', 'b/..', 'ü %3A'];
    const windows = [];
    for (const name of names)
      windows.push(new SharedWindows(await open(name), new InProcessWindows(new FakeClock())));
    for (const [i, each] of windows.entries())
      for (const id of ['s', 'window', 'longhand'])
        await each.set(id, windowWith([{ id, role: 'user', content: `secret of ${names[i]}` }]), 60_000);
    const keys = (await server.ask('KEYS', '*')) as string[];
    expect(keys).toHaveLength(names.length * 3);
    for (const key of keys) {
      const owner = names.find((name) => key.startsWith(`${encodeURIComponent(name)}:`))!;
      expect(await server.ask('GET', key)).toContain(`secret of ${owner}"`);
      expect(Number(await server.ask('PTTL', key))).toBeGreaterThan(0);
    }
  });
});

describe('rate limits', () => {
  it('hold for all servers together, and fill up again', async () => {
    const [one, two] = [await open(), await open()].map((redis) => new SharedRateLimits(redis));
    const waits: (number | undefined)[] = [];
    for (let i = 0; i < 12; i++) waits.push(await (i % 2 === 0 ? one! : two!).take('requests', 'ada', 10));
    expect(waits.slice(0, 10)).toEqual(Array(10).fill(0));
    expect(waits[11]).toBeGreaterThan(0);
    expect(await two!.take('requests', 'bob', 10)).toBe(0);
    expect(await two!.take('logins', 'ada', 10)).toBe(0);
    // At 60,000 a minute there is another one in a millisecond.
    for (let i = 0; i < 50; i++) await one!.take('many', 'ada', 60_000);
    await expect.poll(() => two!.take('many', 'ada', 60_000)).toBe(0);
    await server.kill();
    expect(await one!.take('requests', 'ada', 10)).toBeUndefined();
    await server.start();
  });
});

const idsOf = (messages: readonly Message[]) => messages.map(({ id }) => id);
const windowWith = (messages: readonly Message[], version = 1): StoredWindow => ({
  ...{ messages, version, erasure_id: null, archived: 0, waiting: [] },
});

/** Where two processes keep windows; what a test may do to the Redis in between. */
const PLACES: readonly [string, () => Promise<readonly [WindowStore, WindowStore]>, boolean][] = [
  [
    'in this process',
    async () => {
      const windows = new InProcessWindows(new FakeClock());
      return [windows, windows];
    },
    false,
  ],
  ['in Redis', () => bothInRedis(), true],
];

async function bothInRedis(): Promise<readonly [WindowStore, WindowStore]> {
  const clock = new FakeClock();
  const options = { timeoutMs: 2_000, retryMs: 50 };
  const make = async () => new SharedWindows(await open('acme', options), new InProcessWindows(clock));
  return [await make(), await make()];
}

describe.each(PLACES)('windows %s', (_name, makeStores, isShared) => {
  async function two() {
    const conversation = await startConversation(new MemoryStore());
    const spooled: Message[] = [];
    const windows = (await makeStores()).map((store) => {
      const { context, transcripts } = openConversation(conversation.context.store);
      const sessions = new Sessions(context);
      const sessionOf = (id: string) => sessions.current(id);
      return new Windows(context, transcripts, { store, sessionOf, spool: () => spooled });
    });
    return { conversation, spooled, one: windows[0]!, two: windows[1]! };
  }
  const call: Message = {
    ...{ id: 'c', role: 'assistant', content: '' },
    tool_calls: [{ id: 't', name: 'tool', arguments: {} }],
  };
  const result: Message = { id: 'r', role: 'tool', content: 'done', tool_call_id: 't' };

  it('are shown by another server as the first one left them, tools included', async () => {
    const { one, two: other, spooled } = await two();
    spooled.push(...talk(0, 2));
    const turn = [talk(0, 1)[0]!, call, result, talk(1, 2)[0]!];
    await one.append('one', turn);
    expect(await other.read('one')).toEqual(turn);
    await other.append('one', talk(2, 4));
    expect(idsOf(await one.read('one'))).toEqual(['m0', 'c', 'r', 'm1', 'm2', 'm3']);
  });

  it('are dropped for all, and void when something was forgotten or the session is another', async () => {
    const { one, two: other, conversation } = await two();
    await conversation.transcripts.archive('one', talk(0, 4));
    await one.append('one', [call, result]);
    await conversation.transcripts.forget('one', ['m2']);
    expect(idsOf(await other.read('one'))).toEqual(['m0', 'm1', 'm3']);
    await one.append('one', [call, result]);
    await other.drop('one');
    if (isShared) expect(await server.ask('KEYS', '*')).toEqual([]);
    const sessions = new Sessions(conversation.context);
    await one.append('one', [call, result]);
    await sessions.remove('one');
    await sessions.create('bob', { session_id: 'one' });
    expect(await other.read('one')).toEqual([]);
  });

  if (!isShared) return;

  it.each([
    ['was emptied', () => server.ask('FLUSHALL')],
    ['was killed', () => server.kill().then(() => server.start())],
    ['holds something else', () => server.ask('SET', 'acme:longhand:window:one', '{"version":99}')],
    ['holds what is no JSON', () => server.ask('SET', 'acme:longhand:window:one', 'x')],
  ])('are what they were when Redis %s', async (_trouble, cause) => {
    const { one, two: other, spooled, conversation } = await two();
    const turn = [talk(0, 1)[0]!, call, result, talk(1, 2)[0]!];
    spooled.push(...talk(0, 2));
    await one.append('one', turn);
    await cause();
    expect(idsOf(await one.read('one'))).toEqual(
      _trouble === 'holds something else' ? ['m0', 'm1'] : idsOf(turn),
    );
    await conversation.transcripts.archive('one', talk(0, 2));
    spooled.length = 0;
    expect(idsOf(await other.read('one'))).toEqual(expect.arrayContaining(['m0', 'm1']));
  });

  it('that were written while Redis was gone are newer than what it comes back with', async () => {
    const { one, two: other, spooled, conversation } = await two();
    spooled.push(...talk(0, 1));
    await one.append('one', talk(0, 1));
    await server.stopped(async () => {
      spooled.push(...talk(1, 2));
      await one.append('one', [talk(0, 1)[0]!, call, result, talk(1, 2)[0]!]);
      expect(idsOf(await one.read('one'))).toEqual(['m0', 'c', 'r', 'm1']);
    });
    await expect.poll(async () => String(await server.ask('PING'))).toBe('PONG');
    expect(idsOf(await one.read('one'))).toEqual(['m0', 'c', 'r', 'm1']);
    // Another server fills up from the transcript what it finds there.
    await conversation.transcripts.archive('one', talk(0, 3));
    expect(idsOf(await other.read('one')).filter((id) => id!.startsWith('m'))).toEqual(['m0', 'm1', 'm2']);
  });
});
