import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Conversation,
  openConversation,
  startConversation,
  talk,
} from '../../../test/conversation-fixture.ts';
import { STORES } from '../../../test/open-stores.ts';
import { extractiveSummariser } from '../../adapters/summarisers/extractive-summariser.ts';
import type { Message } from '../../core/messages.ts';
import { FakeClock } from '../../testing/index.ts';
import { Sessions } from '../memories/sessions.ts';
import { Summaries } from '../summary/summary.ts';
import {
  InProcessWindows,
  type StoredWindow,
  type WindowStore,
  Windows,
  type WindowsOptions,
} from './window.ts';

const MINUTE_MS = 60_000;
const over = ({ context, transcripts }: Conversation, options: Partial<WindowsOptions> = {}): Windows => {
  const sessions = new Sessions(context);
  return new Windows(context, transcripts, { sessionOf: (id) => sessions.current(id), ...options });
};
const idsOf = (messages: readonly Message[]): (string | undefined)[] => messages.map(({ id }) => id);

const call = (id: string, ...calls: string[]): Message => ({
  id,
  role: 'assistant',
  content: '',
  tool_calls: calls.map((callId) => ({ id: callId, name: 'tool', arguments: {} })),
});
const result = (id: string, callId: string): Message => ({
  id,
  role: 'tool',
  content: 'result',
  tool_call_id: callId,
});

describe.each(STORES)('a window over the %s store', (_name, makeStore) => {
  test('shows nothing of an earlier session of its id, which another process has deleted', async () => {
    const store = makeStore()();
    const { clock, ...conversation } = await startConversation(store);
    const asked: string[] = [];
    const windows = over(conversation, {
      spool: (_id, { user_id }) => {
        asked.push(user_id);
        return [];
      },
    });
    await windows.append('one', talk(0, 3));
    const elsewhere = new Sessions(openConversation(store, {}, clock).context);
    await elsewhere.remove('one');
    clock.advance(1);
    await elsewhere.create('ada', { session_id: 'one' });
    expect(await windows.read('one')).toEqual([]);
    const { created_at } = await elsewhere.load('one');
    await windows.append('one', talk(0, 3));
    await elsewhere.remove('one');
    // Brought back from an export: it began when the one before did.
    await elsewhere.create('ada', { session_id: 'one', created_at });
    expect(await windows.read('one')).toEqual([]);
    await windows.append('one', talk(0, 3));
    await elsewhere.remove('one');
    await elsewhere.create('bob', { session_id: 'one' });
    expect(await windows.read('one')).toEqual([]);
    expect(asked.at(-1)).toBe('bob');
  });

  test('holds the last messages, tools included, each once', async () => {
    const windows = over(await startConversation(makeStore()()));
    await windows.append('one', talk(0, 9));
    await windows.append('one', [...talk(7, 9), call('c', 't1'), result('r', 't1')]);
    expect(idsOf(await windows.read('one'))).toEqual([...idsOf(talk(1, 9)), 'c', 'r']);
  });

  test('keeps the order that it is given, also when the spool has the answer before its tool calls come', async () => {
    const conversation = await startConversation(makeStore()());
    const spooled: Message[] = talk(0, 2);
    const windows = over(conversation, { spool: () => spooled });
    await windows.append('one', talk(0, 2));
    spooled.push(...talk(2, 4));
    const [asked, answered] = talk(2, 4);
    const turn = [asked!, call('c', 't1'), result('r', 't1'), answered!];
    expect(idsOf(await windows.append('one', turn))).toEqual(['m0', 'm1', 'm2', 'c', 'r', 'm3']);
    expect(idsOf(await windows.append('one', [...turn, ...talk(4, 5)]))).toEqual([
      ...['m0', 'm1', 'm2', 'c', 'r', 'm3', 'm4'],
    ]);
    // A window that was lost is made again from the spool, or from the transcript.
    for (const archive of [false, true]) {
      await windows.drop('one');
      if (archive) await conversation.transcripts.archive('one', spooled.splice(0));
      expect(idsOf(await windows.append('one', turn))).toEqual(['m0', 'm1', 'm2', 'c', 'r', 'm3']);
    }
  });

  test('takes no message twice, in whatever order they are given', async () => {
    const windows = over(await startConversation(makeStore()()));
    const [m0, m1, m2, m3, m4] = talk(0, 5);
    await windows.append('one', [m1!, m3!]);
    const given = [m3!, m0!, m1!, m2!, m3!, m2!, m4!, m4!];
    expect(idsOf(await windows.append('one', given))).toEqual(['m1', 'm3', 'm0', 'm2', 'm4']);
  });

  test('counts turns in place of messages when it is told to', async () => {
    const windows = over(await startConversation(makeStore()(), { window: { max_turns: 2 } }));
    await windows.append('one', [...talk(0, 5), call('c', 't1'), result('r', 't1'), ...talk(5, 7)]);
    expect(idsOf(await windows.read('one'))).toEqual(['m4', 'c', 'r', 'm5', 'm6']);
    const conversation = await startConversation(makeStore()(), { window: { max_turns: 3 } });
    const answers = talk(0, 20).map(
      (message, i): Message => ({ ...message, role: i % 4 === 0 ? 'user' : 'assistant' }),
    );
    await conversation.transcripts.archive('one', answers);
    expect(idsOf(await over(conversation).read('one'))).toEqual(idsOf(talk(8, 20)));
  });

  test('is made again from transcript and spool when it was idle for too long', async () => {
    const conversation = await startConversation(makeStore()(), { window: { idle_minutes: 30 } });
    const { transcripts, clock } = conversation;
    await transcripts.archive('one', talk(0, 20));
    const spooled = [...talk(18, 22), call('c', 't1'), result('r', 't1')];
    const windows = over(conversation, { spool: () => spooled });
    await windows.append('one', [{ id: 'only-here', role: 'user', content: 'x' }]);
    clock.advance(29 * MINUTE_MS);
    expect(idsOf(await windows.read('one'))).toContain('only-here');
    clock.advance(29 * MINUTE_MS);
    expect(idsOf(await windows.read('one'))).toContain('only-here');
    clock.advance(31 * MINUTE_MS);
    expect(idsOf(await windows.read('one'))).toEqual([...idsOf(talk(14, 22)), 'c', 'r']);
    await windows.append('one', [{ id: 'only-here', role: 'user', content: 'x' }]);
    await windows.drop('one');
    expect(idsOf(await windows.read('one'))).not.toContain('only-here');
  });

  test('never drops what is not archived yet', async () => {
    const conversation = await startConversation(makeStore()());
    let spooled: readonly Message[] = talk(0, 15);
    const windows = over(conversation, { spool: () => spooled });
    await windows.append('one', talk(0, 30));
    expect(await windows.read('one')).toHaveLength(30);
    await conversation.transcripts.archive('one', talk(0, 15));
    spooled = [];
    expect(idsOf(await windows.read('one'))).toEqual(idsOf(talk(20, 30)));
  });

  test('holds at least what no summary covers, while summaries are on', async () => {
    const config = { summary: { enabled: true, threshold: 20, keep_last: 4 } };
    const conversation = await startConversation(makeStore()(), config);
    const { context, transcripts } = conversation;
    const windows = over(conversation);
    for (let i = 0; i < 20; i++) {
      await windows.append('one', talk(i, i + 1));
      await transcripts.archive('one', talk(i, i + 1));
    }
    expect(await windows.read('one')).toHaveLength(20);
    await windows.drop('one');
    expect(await windows.read('one')).toHaveLength(20);
    await transcripts.archive('one', talk(20, 21));
    await windows.append('one', talk(20, 21));
    await new Summaries(context, transcripts, extractiveSummariser).update('one');
    expect(idsOf(await windows.read('one'))).toEqual(idsOf(talk(11, 21)));
  });

  test('from before something was forgotten is void, in every process', async () => {
    const open = makeStore();
    const one = await startConversation(open());
    const two = openConversation(open());
    await one.transcripts.archive('one', talk(0, 4));
    const windows = over(two);
    await windows.append('one', [...talk(0, 4), call('c', 't1'), result('r', 't1')]);
    await one.transcripts.forget('one', ['m2']);
    expect(idsOf(await windows.read('one'))).toEqual(['m0', 'm1', 'm3']);
  });

  test('that is older than the transcript is filled up from it, tools in their places', async () => {
    const conversation = await startConversation(makeStore()());
    const { transcripts, clock } = conversation;
    // Kept for several processes, one of which did not hear of the last turns.
    const kept = new Map<string, StoredWindow>();
    const store: WindowStore = {
      get: async (id) => kept.get(id),
      set: async (id, window) => void kept.set(id, window),
      delete: async (id) => void kept.delete(id),
    };
    const windows = over(conversation, { store });
    await transcripts.archive('one', talk(0, 2));
    await windows.append('one', [...talk(0, 2), call('c', 't1'), result('r', 't1')]);
    const old = kept.get('one')!;
    await transcripts.archive('one', talk(2, 4));
    await windows.append('one', talk(2, 5));
    const expected = ['m0', 'm1', 'c', 'r', 'm2', 'm3'];
    expect(idsOf(await windows.read('one'))).toEqual([...expected, 'm4']);
    kept.set('one', old);
    expect(idsOf(await windows.read('one'))).toEqual(expected);
    // So is that of a process that keeps its own, when another one has archived.
    const elsewhere = over(openConversation(conversation.context.store, {}, clock));
    expect(idsOf(await elsewhere.read('one'))).toEqual(idsOf(talk(0, 4)));
    await transcripts.archive('one', talk(4, 6));
    expect(idsOf(await elsewhere.read('one'))).toEqual(idsOf(talk(0, 6)));
  });

  test('holds what waits in the spool of another process', async () => {
    const conversation = await startConversation(makeStore()());
    const store = new InProcessWindows(conversation.clock);
    const spooled: Message[] = [];
    const [here, there] = [() => spooled, () => []].map((spool) => over(conversation, { store, spool }));
    spooled.push(...talk(0, 4));
    await here!.append('one', talk(0, 4));
    expect(await there!.append('one', talk(4, 20))).toHaveLength(20);
    await conversation.transcripts.archive('one', talk(0, 20));
    expect(idsOf(await there!.read('one'))).toEqual(idsOf(talk(10, 20)));
  });

  test('shows a group nothing of what its first agent did alone', async () => {
    const conversation = await startConversation(makeStore()());
    const windows = over(conversation);
    await windows.append('one', [...talk(0, 1), call('c', 't1'), result('r', 't1'), ...talk(1, 2)]);
    const sessions = new Sessions(conversation.context);
    await sessions.update(await sessions.open('one'), { agents: ['first', 'second'] }, 1_000_000);
    expect(await windows.read('one')).toEqual([]);
  });

  test('loses no message of appends at the same time', async () => {
    const windows = over(await startConversation(makeStore()()));
    await Promise.all(talk(0, 8).map((message) => windows.append('one', [message])));
    expect(idsOf(await windows.read('one'))).toEqual(idsOf(talk(0, 8)));
    await expect(windows.read('none')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });
});

describe('a tool call and its results', () => {
  test('leave together, or stay together when they are all there is', async () => {
    const windows = over(await startConversation(STORES[0]![1]()(), { window: { max_messages: 3 } }));
    await windows.append('one', [
      ...talk(0, 1),
      call('c', 't1', 't2'),
      result('r1', 't1'),
      result('r2', 't2'),
    ]);
    expect(idsOf(await windows.read('one'))).toEqual(['c', 'r1', 'r2']);
    expect(idsOf(await windows.append('one', talk(1, 2)))).toEqual(['m1']);
    // Too many for the window, and one still to come.
    const many = ['a', 'b', 'c', 'd', 'e'];
    await windows.append('one', [call('big', ...many), ...many.slice(1).map((id) => result(`r-${id}`, id))]);
    expect(await windows.read('one')).toHaveLength(5);
    expect(await windows.append('one', [result('r-a', 'a')])).toHaveLength(6);
    expect(idsOf(await windows.append('one', talk(2, 4)))).toEqual(['m2', 'm3']);
    // What answers a call that has left is of no use to a model.
    expect(idsOf(await windows.append('one', [result('late', 'a')]))).toEqual(['m2', 'm3']);
  });

  test('are never parted, whatever comes', async () => {
    const piece = fc.oneof(
      fc.constant({ kind: 'user' as const }),
      fc.constant({ kind: 'answer' as const }),
      fc.record({
        kind: fc.constant('call' as const),
        tools: fc.uniqueArray(fc.nat(6), { minLength: 1, maxLength: 4 }),
      }),
      fc.record({ kind: fc.constant('result' as const), tool: fc.nat(6) }),
    );
    const life = fc.array(fc.array(piece, { maxLength: 8 }), { maxLength: 12 });
    const window = fc.record({ max_messages: fc.integer({ min: 1, max: 8 }), max_turns: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(life, window, async (batches, settings) => {
        const windows = over(await startConversation(STORES[0]![1]()(), { window: settings }));
        let number = 0;
        const given: Message[] = [];
        for (const batch of batches) {
          const messages = batch.map((item): Message => {
            const id = `x${number++}`;
            if (item.kind === 'call') return call(id, ...item.tools.map((tool) => `t${tool}`));
            if (item.kind === 'result') return result(id, `t${item.tool}`);
            return { id, role: item.kind === 'user' ? 'user' : 'assistant', content: 'x' };
          });
          given.push(...messages);
          const kept = await windows.append('one', messages);
          expect(await windows.read('one')).toEqual(kept);
          checkPairs(given, kept);
          if (settings.max_turns === 0 && !kept.some(({ role }) => role === 'tool' || role === 'assistant'))
            expect(kept.length).toBeLessThanOrEqual(settings.max_messages);
          // The newest message is there, unless it answers nothing.
          const newest = messages.at(-1);
          if (newest !== undefined && newest.role !== 'tool') expect(kept.at(-1)).toEqual(newest);
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** Every result follows its call, and every call that is kept has all results that were given since. */
function checkPairs(given: readonly Message[], kept: readonly Message[]): void {
  const keptIds = new Set(idsOf(kept));
  const asked = new Map<string, Message>();
  for (const message of given) {
    for (const { id } of message.tool_calls ?? []) asked.set(id, message);
    if (message.role !== 'tool') continue;
    const asking = asked.get(message.tool_call_id!);
    const isTogether = keptIds.has(message.id) === (asking !== undefined && keptIds.has(asking.id));
    expect(isTogether, `${message.id} and ${asking?.id}`).toBe(true);
  }
}

test('windows in this process are as many as they may be, and expire by the clock that only goes forward', async () => {
  const clock = new FakeClock();
  const windows = new InProcessWindows(clock, 2);
  const window = { messages: talk(0, 1), erasure_id: null, archived: 0, waiting: [], version: 1 };
  for (const id of ['a', 'b', 'c']) await windows.set(id, window, MINUTE_MS);
  expect(await windows.get('a')).toBeUndefined();
  clock.jumpTo(Date.UTC(2030, 0, 1));
  expect(await windows.get('b')).toEqual(window);
  clock.advance(MINUTE_MS);
  expect(await windows.get('b')).toBeUndefined();
  await windows.delete('c');
  expect(await windows.get('c')).toBeUndefined();
});
