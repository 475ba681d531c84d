import { describe, expect, test } from 'vitest';
import {
  everythingIn,
  openConversation,
  startConversation,
  talk,
} from '../../../test/conversation-fixture.ts';
import { STORES } from '../../../test/open-stores.ts';
import { LIMITS } from '../../core/limits.ts';
import { readLog } from '../../core/read-log.ts';
import type { LogStore } from '../../core/store.ts';

const DAY_MS = 86_400_000;
const idsOf = (messages: readonly { readonly id: string }[]): string[] => messages.map(({ id }) => id);

describe.each(STORES)('a transcript on the %s store', (_name, makeStore) => {
  test('gives back what was archived, in its order', async () => {
    const { transcripts, events } = await startConversation(makeStore()());
    expect(await transcripts.archive('one', talk(0, 3), { batchId: 'b1' })).toEqual({
      batch_id: 'b1',
      archived: 3,
      duplicates: 0,
      left_out: 0,
      conflicts: [],
      start_timestamp: '2026-01-01T00:00:00.000Z',
      end_timestamp: '2026-01-01T00:00:02.000Z',
    });
    expect(await transcripts.messages('one')).toEqual(talk(0, 3));
    expect(await transcripts.count('one')).toBe(3);
    expect(events).toContainEqual({
      kind: 'transcript-archived',
      session_id: 'one',
      batch_id: 'b1',
      messages: 3,
    });
  });

  test('keeps a message once when the client sends its whole state again', async () => {
    const { transcripts } = await startConversation(makeStore()());
    await transcripts.archive('one', talk(0, 4));
    const again = await transcripts.archive('one', [...talk(0, 6), ...talk(4, 6)]);
    expect(again).toMatchObject({ archived: 2, duplicates: 6 });
    expect(await transcripts.messages('one')).toEqual(talk(0, 6));
    expect(await transcripts.archive('one', talk(0, 6))).toMatchObject({ archived: 0, duplicates: 6 });
    expect(await transcripts.batches('one')).toHaveLength(2);
  });

  test('takes a batch once, by its id, and answers the same', async () => {
    const open = makeStore();
    const { transcripts } = await startConversation(open());
    const batch = [...talk(0, 2), { role: 'user' as const, content: 'without an id' }];
    const first = await transcripts.archive('one', batch, { batchId: 'b' });
    expect(await transcripts.archive('one', batch, { batchId: 'b' })).toEqual(first);
    const other = openConversation(open()).transcripts;
    expect(await other.archive('one', batch, { batchId: 'b' })).toEqual(first);
    expect(await other.count('one')).toBe(3);
  });

  test('keeps other messages under a batch id that was used before', async () => {
    const { transcripts } = await startConversation(makeStore()());
    await transcripts.archive('one', talk(0, 2), { batchId: 'b' });
    const more = await transcripts.archive('one', talk(1, 4), { batchId: 'b' });
    expect(more).toMatchObject({ archived: 2, duplicates: 1 });
    const again = await transcripts.archive('one', talk(1, 4), { batchId: 'b' });
    expect(again).toMatchObject({ archived: 4, start_timestamp: talk(0, 1)[0]!.timestamp });
    expect(await transcripts.messages('one')).toEqual(talk(0, 4));
    const [batch] = await transcripts.batches('one');
    expect(batch).toMatchObject({ messages: 4, end_timestamp: talk(3, 4)[0]!.timestamp });
    const say = (content: string) =>
      transcripts.archive('one', [{ role: 'user', content }], { batchId: 'nameless' });
    for (const text of ['one', 'two', 'one', 'two', 'three']) await say(text);
    const said = (await transcripts.messages('one', { from: 4 })).map(({ content }) => content);
    expect(said).toEqual(['one', 'two', 'three']);
  });

  test('does not bring back what was redacted in a message without an id', async () => {
    const { transcripts } = await startConversation(makeStore()());
    const batch = [{ role: 'user' as const, content: 'My code is quokka.' }];
    await transcripts.archive('one', batch, { batchId: 'b' });
    const [kept] = await transcripts.messages('one');
    await transcripts.redactText('one', kept!.id, 'quokka');
    await transcripts.archive('one', batch, { batchId: 'b' });
    expect((await transcripts.messages('one')).map(({ content }) => content)).toEqual([
      'My code is [redacted].',
    ]);
  });

  test('keeps prompts and final answers, and says what it left out', async () => {
    const { transcripts } = await startConversation(makeStore()());
    const result = await transcripts.archive('one', [
      { id: 's', role: 'system', content: 'You are …' },
      { id: 'u', role: 'user', content: 'What is the time?' },
      { id: 'c', role: 'assistant', content: '', tool_calls: [{ id: 't1', name: 'clock', arguments: {} }] },
      {
        id: 'd',
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [{ id: 't2', name: 'clock', arguments: {} }],
      },
      { id: 't', role: 'tool', content: '12:00', tool_call_id: 't1' },
      { id: 'a', role: 'assistant', content: 'Noon.', provenance: { author: 'tool', trust: 'external' } },
      { id: 'x', sender: 'ai', text: 'Anything else?', timestamp: new Date(0), cut_off: 'length' },
      { id: 'y', sender: 'user', text: '  ' },
    ]);
    expect(result).toMatchObject({ archived: 3, left_out: 5 });
    const messages = await transcripts.messages('one');
    expect(messages.map(({ id, role, content }) => [id, role, content])).toEqual([
      ['u', 'user', 'What is the time?'],
      ['a', 'assistant', 'Noon.'],
      ['x', 'assistant', 'Anything else?'],
    ]);
    expect(messages[1]!.provenance).toEqual({ author: 'tool', trust: 'external' });
    expect(messages[2]).toMatchObject({ timestamp: '1970-01-01T00:00:00.000Z', cut_off: 'length' });
    expect(result.start_timestamp).toBe('1970-01-01T00:00:00.000Z');
  });

  test('refuses a batch as a whole', async () => {
    const { transcripts } = await startConversation(makeStore()());
    const bad: readonly (readonly [unknown, string])[] = [
      [{ role: 'user' }, 'INVALID_MESSAGE'],
      [{ role: 'robot', content: 'x' }, 'INVALID_MESSAGE'],
      [{ role: 'user', content: ['x'] }, 'INVALID_MESSAGE'],
      [{ role: 'user', content: 'x\0' }, 'INVALID_TEXT'],
      [{ role: 'user', content: 'x', timestamp: 'yesterday' }, 'INVALID_TIMESTAMP'],
      [{ role: 'user', content: 'x', id: '' }, 'INVALID_ID'],
      [{ role: 'user', content: 'x', name: 'a\nb' }, 'INVALID_MESSAGE'],
      [{ role: 'user', content: 'x'.repeat(LIMITS.messageBytes + 1) }, 'CONTENT_TOO_LARGE'],
      ['hello', 'INVALID_MESSAGE'],
    ];
    for (const [message, code] of bad) {
      const batch = [...talk(0, 2), message] as never;
      await expect(transcripts.archive('one', batch)).rejects.toMatchObject({ code });
    }
    await expect(transcripts.archive('one', 'hello' as never)).rejects.toMatchObject({
      code: 'INVALID_MESSAGE',
    });
    expect(await transcripts.count('one')).toBe(0);
  });

  test('belongs to a session that is there', async () => {
    const store = makeStore()();
    const { transcripts, context } = await startConversation(store);
    for (const call of [
      () => transcripts.archive('none', talk(0, 1)),
      () => transcripts.messages('none'),
      () => transcripts.forget('none', 'all'),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    expect(await transcripts.messages('one')).toEqual([]);
    await transcripts.archive('one', talk(0, 1));
    await context.store.remove({ kind: 'session', id: 'one' });
    await expect(transcripts.messages('one')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  });

  test('is read by pages, by index and after an id', async () => {
    const { transcripts } = await startConversation(makeStore()());
    for (let i = 0; i < 20; i += 5) await transcripts.archive('one', talk(i, i + 5));
    expect(idsOf(await transcripts.messages('one', { from: 3, limit: 4 }))).toEqual(['m3', 'm4', 'm5', 'm6']);
    expect(idsOf(await transcripts.messages('one', { after: 'm17' }))).toEqual(['m18', 'm19']);
    expect(idsOf(await transcripts.messages('one', { from: 4, to: 6 }))).toEqual(['m4', 'm5']);
    expect(await transcripts.messages('one', { from: 20 })).toEqual([]);
    expect(await transcripts.messages('one', { limit: 0 })).toEqual([]);
    expect(idsOf(await transcripts.latest('one', 3))).toEqual(['m17', 'm18', 'm19']);
    expect(idsOf(await transcripts.latest('one', 3, 7))).toEqual(['m4', 'm5', 'm6']);
    expect(await transcripts.latest('one', 0)).toEqual([]);
    expect(await transcripts.latest('one', 100)).toHaveLength(20);
    for (const options of [{ after: 'unknown' }, { from: -1 }, { limit: 0.5 }])
      await expect(transcripts.messages('one', options)).rejects.toMatchObject({ code: 'INVALID_OPTION' });
  });

  test('reads messages again that it does not hold in memory', async () => {
    const open = makeStore();
    const { transcripts } = await startConversation(open());
    const long = talk(0, 40).map((message) => ({
      ...message,
      content: `${message.id} ${'é'.repeat(90_000)}`,
    }));
    await transcripts.archive('one', long.slice(0, 30), { batchId: 'large' });
    await transcripts.archive('one', long.slice(30));
    expect((await transcripts.state('one')).parts.filter(({ entries }) => entries === undefined)).not.toEqual(
      [],
    );
    for (const reader of [transcripts, openConversation(open()).transcripts]) {
      expect(await reader.messages('one')).toEqual(long);
      for (let i = 0; i < 40; i++)
        expect(await reader.messages('one', { from: i, limit: 1 })).toEqual([long[i]]);
    }
    await transcripts.forget('one', ['m0', 'm12']);
    const left = long.filter(({ id }) => id !== 'm0' && id !== 'm12');
    expect(await transcripts.messages('one')).toEqual(left);
    expect(await transcripts.batches('one')).toMatchObject([
      { batch_id: 'large', messages: 28, removed: 2, first_index: 0 },
      { messages: 10, first_index: 30 },
    ]);
  });

  test('costs one write for a batch', async () => {
    const store = makeStore()();
    const { transcripts } = await startConversation(counted(store));
    await transcripts.archive('one', talk(0, 1));
    counts.clear();
    await transcripts.archive('one', talk(1, 101));
    expect(counts.get('append')).toBe(1);
    const { lines } = await readLog(store, { kind: 'transcript', id: 'one' });
    expect(lines).toHaveLength(2);
  });

  test('drops what is old by our clock, and keeps ids and indexes', async () => {
    const store = makeStore()();
    const { transcripts, clock, events } = await startConversation(store, {
      transcript: { retain_days: 30 },
    });
    await transcripts.archive('one', talk(0, 4), { batchId: 'old' });
    clock.advance(20 * DAY_MS);
    await transcripts.archive('one', talk(4, 8));
    expect(await transcripts.prune('one', transcripts.expiredBeforeMs)).toBe(0);
    clock.advance(11 * DAY_MS);
    const shown = async () => [
      ...idsOf(await transcripts.messages('one')),
      ...idsOf(await transcripts.latest('one', 9)),
      ...(await transcripts.batches('one')).map(({ messages, removed }) => `${messages} and ${removed}`),
    ];
    const before = await shown();
    expect(before).toEqual([...idsOf(talk(4, 8)), ...idsOf(talk(4, 8)), '0 and 4', '4 and 0']);
    expect(await transcripts.count('one')).toBe(4);
    expect(await transcripts.prune('one', transcripts.expiredBeforeMs)).toBe(4);
    expect(await shown()).toEqual(before);
    expect(await transcripts.prune('one', transcripts.expiredBeforeMs)).toBe(0);
    expect(events).toContainEqual({ kind: 'transcript-pruned', session_id: 'one', messages: 4 });
    expect(idsOf(await transcripts.messages('one', { from: 5 }))).toEqual(['m5', 'm6', 'm7']);
    expect(idsOf(await transcripts.messages('one', { after: 'm1', limit: 1 }))).toEqual(['m4']);
    expect(await everythingIn(store)).not.toContain('number 3.');
    expect(await transcripts.archive('one', talk(0, 9))).toMatchObject({ archived: 1, duplicates: 8 });
    expect(await transcripts.archive('one', talk(0, 4), { batchId: 'old' })).toMatchObject({ archived: 4 });
    expect(await transcripts.count('one')).toBe(5);
  });

  test('counts what can be read from any index on, whatever is gone', async () => {
    const { transcripts, clock } = await startConversation(makeStore()());
    for (let i = 0; i < 30; i += 3) {
      await transcripts.archive('one', talk(Math.max(0, i - 1), i + 3));
      if (i === 9) clock.advance(2 * DAY_MS);
    }
    await transcripts.prune('one', clock.now() - DAY_MS);
    await transcripts.forget('one', ['m14', 'm20', 'm21', 'm29']);
    const state = await transcripts.state('one');
    const indexes = (await transcripts.messages('one')).map(({ id }) => state.indexOf(id)!);
    expect(indexes.length).toBeLessThan(30);
    for (let from = 0; from <= state.nextIndex + 2; from++)
      expect(state.presentFrom(from)).toBe(indexes.filter((index) => index >= from).length);
    for (let before = 0; before <= state.nextIndex; before++) {
      const latest = await transcripts.latest('one', 4, before);
      expect(latest.map(({ id }) => state.indexOf(id))).toEqual(
        indexes.filter((index) => index < before).slice(-4),
      );
    }
  });

  test('forgets messages from every byte, and they do not come back', async () => {
    const open = makeStore();
    const store = open();
    const { transcripts } = await startConversation(store);
    const secret = { ...talk(3, 4)[0]!, content: 'The canaryword is here.', name: 'Canaryname' };
    const batch = [...talk(0, 3), secret, ...talk(4, 6)];
    await transcripts.archive('one', batch);
    const other = openConversation(open()).transcripts;
    expect(await other.count('one')).toBe(6);
    expect(await everythingIn(store)).toContain('canaryword');
    expect(await transcripts.forget('one', ['m3', 'unknown'])).toBe(1);
    expect(await transcripts.forget('one', ['m3'])).toBe(0);
    expect(await everythingIn(store)).not.toMatch(/canary/i);
    for (const reader of [transcripts, other]) {
      expect(idsOf(await reader.messages('one'))).toEqual(['m0', 'm1', 'm2', 'm4', 'm5']);
      expect(idsOf(await reader.messages('one', { from: 4 }))).toEqual(['m4', 'm5']);
    }
    expect(await other.archive('one', batch)).toMatchObject({ archived: 0, duplicates: 6 });
    expect(await transcripts.forget('one', 'all')).toBe(5);
    expect(await other.messages('one')).toEqual([]);
    expect(await everythingIn(store)).not.toContain('message number');
    expect(await other.archive('one', talk(6, 7))).toMatchObject({ archived: 1 });
    expect(idsOf(await transcripts.messages('one', { from: 6 }))).toEqual(['m6']);
  });

  test('redacts a span', async () => {
    const store = makeStore()();
    const { transcripts } = await startConversation(store);
    await transcripts.archive('one', [{ id: 'a', role: 'user', content: 'My word is canaryword 🐦, yes.' }]);
    expect(await transcripts.redactText('one', 'b', 'word')).toBe(0);
    expect(await transcripts.redactText('one', 'a', 'canaryword')).toBe(1);
    expect((await transcripts.messages('one'))[0]!.content).toBe('My word is [redacted] 🐦, yes.');
    expect(await everythingIn(store)).not.toContain('canary');
    expect(await transcripts.batches('one')).toMatchObject([{ messages: 1 }]);
  });
});

/** Calls of a store's methods, by name. */
const counts = new Map<string, number>();

function counted(store: LogStore): LogStore {
  return new Proxy(store, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      counts.set(String(name), (counts.get(String(name)) ?? 0) + 1);
      return member.bind(target);
    },
  });
}
