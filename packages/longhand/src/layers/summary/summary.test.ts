import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Conversation,
  everythingIn,
  openConversation,
  startConversation,
  talk,
} from '../../../test/conversation-fixture.ts';
import { STORES } from '../../../test/open-stores.ts';
import { extractiveSummariser } from '../../adapters/summarisers/extractive-summariser.ts';
import type { PartialConfig } from '../../core/config.ts';
import { readLog } from '../../core/read-log.ts';
import type { LogStore } from '../../core/store.ts';
import type { Summariser, SummaryRequest } from '../../core/summariser.ts';
import { Summaries } from './summary.ts';

const MINUTE_MS = 60_000;
const ON: PartialConfig = { summary: { enabled: true } };
const SMALL: PartialConfig = { summary: { enabled: true, threshold: 6, keep_last: 2 } };

/** Says which messages it was given, so that a test can see what a summary knows of. */
function listing(): Summariser & { readonly calls: SummaryRequest[] } {
  const calls: SummaryRequest[] = [];
  return {
    name: 'listing',
    calls,
    summarise: async (request) => {
      calls.push(request);
      return [request.previous, ...request.messages.map(({ id }) => id)].filter(Boolean).join(' ');
    },
  };
}

/** Fails as it is told, and counts how often it was asked. */
function failing(how: () => Promise<string> = () => Promise.reject(new Error('secret text'))) {
  const summariser = {
    name: 'failing',
    calls: 0,
    summarise: (): Promise<string> => {
      summariser.calls++;
      return how();
    },
  };
  return summariser;
}

const over = (
  { context, transcripts }: Conversation,
  summariser: Summariser = extractiveSummariser,
  timeoutMs = 60_000,
): Summaries => new Summaries(context, transcripts, summariser, timeoutMs);

describe.each(STORES)('a summary on the %s store', (_name, makeStore) => {
  test('folds all but the last in, once there are more messages than the threshold', async () => {
    const conversation = await startConversation(makeStore()(), ON);
    const { transcripts, events } = conversation;
    const summariser = listing();
    const summaries = over(conversation, summariser);
    await transcripts.archive('one', talk(0, 40));
    expect(await summaries.update('one')).toBeUndefined();
    expect(await summaries.workingContext('one')).toEqual({ messages: talk(0, 40), omitted: 0 });
    await transcripts.archive('one', talk(40, 41));
    expect(await summaries.update('one')).toEqual({
      text: talk(0, 29)
        .map(({ id }) => id)
        .join(' '),
      summarized_count: 29,
      covers: { first_id: 'm0', last_id: 'm28' },
      method: 'listing',
      trust: 'agent',
      updated_at: '2026-01-01T00:00:00.000Z',
    });
    expect(events).toContainEqual({ kind: 'summary-updated', session_id: 'one', summarized_count: 29 });
    const { summary, messages } = await summaries.workingContext('one');
    expect(summary?.summarized_count).toBe(29);
    expect(messages).toEqual(talk(29, 41));
    expect(await summaries.summaryFields('one')).toEqual({
      summary: summary!.text,
      summarized_count: 29,
    });
    // A model is called once in 29 messages, not on each turn.
    for (let i = 41; i < 69; i++) {
      await transcripts.archive('one', talk(i, i + 1));
      await summaries.update('one');
    }
    expect(summariser.calls).toHaveLength(1);
    await transcripts.archive('one', talk(69, 70));
    expect(await summaries.update('one')).toMatchObject({
      summarized_count: 58,
      covers: { first_id: 'm0', last_id: 'm57' },
    });
    expect(summariser.calls).toHaveLength(2);
  });

  test('is not used and not made when summaries are off', async () => {
    const open = makeStore();
    const on = await startConversation(open(), SMALL);
    await on.transcripts.archive('one', talk(0, 10));
    await over(on).update('one');
    const off = openConversation(open());
    const summariser = listing();
    const summaries = over(off, summariser);
    expect(await summaries.workingContext('one')).toEqual({ messages: talk(0, 10), omitted: 0 });
    await summaries.update('one');
    expect(summariser.calls).toEqual([]);
    expect(await summaries.workingContext('one', { newest: 3 })).toEqual({
      messages: talk(7, 10),
      omitted: 7,
    });
  });

  test('is extractive without a model, and says so', async () => {
    const conversation = await startConversation(makeStore()(), SMALL);
    await conversation.transcripts.archive('one', talk(0, 10));
    const summary = await over(conversation).update('one');
    expect(summary?.method).toBe('extractive');
    expect(summary?.text).toContain('not written by a model');
    expect(summary?.text).toContain('This is message number 0.');
  });

  test('takes the lowest trust of what it covers', async () => {
    const conversation = await startConversation(makeStore()(), SMALL);
    const { transcripts } = conversation;
    const summaries = over(conversation);
    const foreign = { author: 'tool', trust: 'untrusted' } as const;
    await transcripts.archive('one', [{ ...talk(0, 1)[0]!, provenance: foreign }, ...talk(1, 10)]);
    expect((await summaries.update('one'))?.trust).toBe('untrusted');
    await transcripts.archive('one', talk(10, 20));
    expect((await summaries.update('one'))?.trust).toBe('untrusted');
  });

  test.each<readonly [string, () => Promise<string>]>([
    ['rejects', () => Promise.reject(new Error('secret text'))],
    [
      'throws',
      () => {
        throw new TypeError('secret text');
      },
    ],
    ['is blank', async () => ' \n'],
    ['is no text', async () => 7 as unknown as string],
    ['is half a character', async () => '\ud800'],
    ['is too long', async () => 'x'.repeat(100_000)],
    ['never ends', () => new Promise(() => undefined)],
  ])('that %s leaves the old one, and all messages after it', async (_how, how) => {
    const conversation = await startConversation(makeStore()(), SMALL);
    const { transcripts, events } = conversation;
    await transcripts.archive('one', talk(0, 10));
    const old = await over(conversation, listing()).update('one');
    await transcripts.archive('one', talk(10, 20));
    const summariser = failing(how);
    const summaries = over(conversation, summariser, 20);
    expect(await summaries.update('one')).toEqual(old);
    expect(await summaries.workingContext('one')).toEqual({
      summary: old,
      messages: talk(8, 20),
      omitted: 0,
    });
    const failures = events.filter(({ kind }) => kind === 'summary-failed');
    expect(failures).toHaveLength(1);
    expect(JSON.stringify(failures)).not.toContain('secret');
    expect(summariser.calls).toBe(1);
  });

  test('that fails is not tried again before something has changed, by any process', async () => {
    const open = makeStore();
    const one = await startConversation(open(), SMALL);
    await one.transcripts.archive('one', talk(0, 10));
    const summariser = failing();
    for (let i = 0; i < 5; i++) await over(one, summariser).update('one');
    const two = openConversation(open(), SMALL, one.clock);
    for (let i = 0; i < 5; i++) await over(two, summariser).update('one');
    expect(summariser.calls).toBe(1);
    one.clock.advance(600 * MINUTE_MS);
    await over(two, summariser).update('one');
    expect(summariser.calls).toBe(1);
    await one.transcripts.archive('one', talk(10, 11));
    await over(two, summariser).update('one');
    expect(summariser.calls).toBe(2);
    // The second failure in a row counts for longer than the first.
    await one.transcripts.archive('one', talk(11, 12));
    one.clock.advance(6 * MINUTE_MS);
    await over(one, summariser).update('one');
    expect(summariser.calls).toBe(2);
    await one.transcripts.archive('one', talk(12, 19));
    await over(one, summariser).update('one');
    expect(summariser.calls).toBe(3);
    one.clock.advance(61 * MINUTE_MS);
    await one.transcripts.archive('one', talk(19, 20));
    expect(await over(one, listing()).update('one')).toMatchObject({ summarized_count: 18 });
  });

  test('is made once by two processes at the same time', async () => {
    const open = makeStore();
    const one = await startConversation(open(), SMALL);
    const two = openConversation(open(), SMALL, one.clock);
    await one.transcripts.archive('one', talk(0, 10));
    const [first, second] = await Promise.all([
      over(one, listing()).update('one'),
      over(two, { ...listing(), name: 'other' }).update('one'),
    ]);
    expect(first?.summarized_count).toBe(8);
    expect(second).toEqual(first);
    const { lines } = await readLog(one.context.store, { kind: 'transcript', id: 'one' });
    expect(lines.filter(({ text }) => text.includes('"record":"summary"'))).toHaveLength(1);
  });

  test('asks once for several calls at the same time', async () => {
    const conversation = await startConversation(makeStore()(), SMALL);
    await conversation.transcripts.archive('one', talk(0, 10));
    const summariser = listing();
    const summaries = over(conversation, summariser);
    await Promise.all([1, 2, 3].map(() => summaries.update('one')));
    expect(summariser.calls).toHaveLength(1);
  });

  test('gives a long past to the summariser in portions', async () => {
    const conversation = await startConversation(makeStore()(), SMALL);
    const long = talk(0, 10).map((message) => ({ ...message, content: 'word '.repeat(14_000) }));
    await conversation.transcripts.archive('one', long);
    const summariser = listing();
    const summaries = over(conversation, summariser);
    const counts: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) counts.push((await summaries.update('one'))?.summarized_count);
    expect(summariser.calls.map(({ messages }) => messages.length)).toEqual([2, 2]);
    expect(counts).toEqual([2, 4, 4, 4]);
  });
});

describe.each(STORES)('forgetting, and the summary, on the %s store', (_name, makeStore) => {
  async function summarised() {
    const store = makeStore()();
    const conversation = await startConversation(store, SMALL);
    const { transcripts } = conversation;
    const summaries = over(conversation, listing());
    for (let i = 0; i < 30; i += 10) {
      await transcripts.archive('one', talk(i, i + 10));
      await summaries.update('one');
    }
    return { ...conversation, summaries, store };
  }

  test('drops it with what it knew, and makes it again from what is left', async () => {
    const { transcripts, summaries, store } = await summarised();
    expect(await summaries.current('one')).toMatchObject({ summarized_count: 28 });
    await transcripts.forget('one', ['m12']);
    // What the first summary says is still true: it knew nothing of what came later.
    expect(await summaries.current('one')).toMatchObject({
      summarized_count: 8,
      text: expect.not.stringContaining('m8'),
    });
    expect((await summaries.workingContext('one')).messages).toHaveLength(21);
    const again = await summaries.recompute('one');
    expect(again?.summarized_count).toBe(28);
    expect(again?.text.split(' ')).toEqual(
      talk(0, 28)
        .map(({ id }) => id)
        .filter((id) => id !== 'm12'),
    );
    expect(await summaries.recompute('one')).toEqual(again);
    expect((await summaries.workingContext('one')).messages).toEqual(talk(28, 30));
    const text = await everythingIn(store);
    expect(text.match(/m11 m12/g)).toBeNull();
  });

  test('leaves it alone when it did not cover what is forgotten', async () => {
    const { transcripts, summaries } = await summarised();
    const before = await summaries.current('one');
    await transcripts.forget('one', ['m29']);
    expect(await summaries.recompute('one')).toEqual(before);
    expect((await summaries.workingContext('one')).messages).toEqual(talk(28, 29));
  });

  test('drops it for good when nothing is left to make it from', async () => {
    const { transcripts, summaries, store } = await summarised();
    await transcripts.forget('one', 'all');
    expect(await summaries.recompute('one')).toBeUndefined();
    expect(await summaries.workingContext('one')).toEqual({ messages: [], omitted: 0 });
    expect(await everythingIn(store)).not.toContain('m11 m12');
    const { lines } = await readLog(store, { kind: 'transcript', id: 'one' });
    expect(lines.at(-1)!.text).toContain('"summary-dropped"');
  });

  test('reaches a summary of messages that have passed their retention, and records what is missing', async () => {
    const { transcripts, summaries, clock, store } = await summarised();
    clock.advance(MINUTE_MS);
    await transcripts.archive('one', talk(30, 40));
    await summaries.update('one');
    expect(await transcripts.prune('one', clock.now())).toBe(30);
    expect(await summaries.current('one')).toMatchObject({ summarized_count: 38 });
    await transcripts.forget('one', ['m5']);
    expect(await summaries.current('one')).toBeUndefined();
    expect(await everythingIn(store)).not.toContain('m4 m5');
    expect(await summaries.recompute('one')).toMatchObject({
      summarized_count: 38,
      covers: { first_id: 'm30', last_id: 'm37' },
    });
    const { lines } = await readLog(store, { kind: 'transcript', id: 'one' });
    expect(JSON.parse(lines.at(-1)!.text)).toMatchObject({ record: 'summary', missing: 30 });
  });

  /** The record of a batch is no record any more, and still holds what it held. */
  async function spoilBatchOf(store: LogStore, id: string): Promise<void> {
    await store.rewrite({ kind: 'transcript', id: 'one' }, ({ lines }) => ({
      keep: lines.map((line) => {
        const isMeant = line.text.includes('"record":"batch"') && line.text.includes(`"id":"${id}"`);
        return isMeant ? { line, body: line.text.replace('"record"', '"rec0rd"') } : { line };
      }),
      append: [],
    }));
  }

  test('drops what may repeat a line that cannot be read, when that goes along', async () => {
    const { transcripts, summaries, store } = await summarised();
    await spoilBatchOf(store, 'm12');
    await transcripts.forget('one', ['m29']);
    expect(await everythingIn(store)).not.toContain('m11 m12');
    // What was said before the line was written knows nothing of it.
    expect(await summaries.current('one')).toMatchObject({ summarized_count: 8 });
    const again = await summaries.recompute('one');
    expect(again?.text.split(' ')).toEqual([...talk(0, 10), ...talk(20, 28)].map(({ id }) => id));
    // There is no such line any more: another forgetting leaves the summary alone.
    await transcripts.forget('one', ['m28']);
    expect(await summaries.recompute('one')).toEqual(again);
  });

  test('drops it too when retention takes the line', async () => {
    const { transcripts, summaries, clock, store } = await summarised();
    await spoilBatchOf(store, 'm12');
    clock.advance(MINUTE_MS);
    await transcripts.archive('one', talk(30, 40));
    await transcripts.prune('one', clock.now());
    expect(await everythingIn(store)).not.toContain('m11 m12');
    expect((await summaries.workingContext('one')).messages).toEqual(talk(30, 40));
  });

  test('says why there is no summary any more when all of it has passed its retention', async () => {
    const { transcripts, summaries, clock, store } = await summarised();
    clock.advance(MINUTE_MS);
    await transcripts.prune('one', clock.now());
    await transcripts.forget('one', ['m5']);
    expect(await summaries.recompute('one')).toBeUndefined();
    const { lines } = await readLog(store, { kind: 'transcript', id: 'one' });
    expect(JSON.parse(lines.at(-1)!.text)).toMatchObject({
      record: 'summary-dropped',
      reason: 'retention',
      missing: 28,
    });
  });

  test('throws away what a summariser says about messages that were forgotten while it thought', async () => {
    const store = makeStore()();
    const conversation = await startConversation(store, SMALL);
    const { transcripts } = conversation;
    await transcripts.archive('one', talk(0, 10));
    const summaries = over(conversation, {
      name: 'slow',
      summarise: async ({ messages }) => {
        await transcripts.forget('one', ['m3']);
        return messages.map(({ content }) => content).join(' ');
      },
    });
    expect(await summaries.update('one')).toBeUndefined();
    expect(await everythingIn(store)).not.toContain('number 3.');
    expect(await over(conversation, listing()).update('one')).toMatchObject({ summarized_count: 8 });
  });
});

test('no life of a conversation makes a summary count too much, or asks too often', async () => {
  type Step = 'archive' | 'update' | 'fail' | 'forget' | 'prune' | 'recompute' | 'wait';
  const step = fc.constantFrom<Step>(
    'archive',
    'archive',
    'update',
    'fail',
    'forget',
    'prune',
    'recompute',
    'wait',
  );
  const life = fc.array(fc.tuple(step, fc.nat(12)), { maxLength: 40 });
  const settings = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.nat(8))
    .map(([threshold, keep]) => ({ threshold, keep_last: keep % threshold }));
  await fc.assert(
    fc.asyncProperty(life, settings, async (steps, summary) => {
      const [, makeStore] = STORES[0]!;
      const config = { summary: { enabled: true, ...summary } };
      const conversation = await startConversation(makeStore()(), config);
      const { transcripts, clock } = conversation;
      const good = listing();
      const bad = failing();
      const gone = new Set<string>();
      let said = 0;
      for (const [what, number] of steps) {
        const calls = good.calls.length + bad.calls;
        if (what === 'archive') {
          await transcripts.archive('one', talk(said, said + number));
          said += number;
        } else if (what === 'update') await over(conversation, good).update('one');
        else if (what === 'fail') {
          await over(conversation, bad).update('one');
          const after = bad.calls;
          await over(conversation, bad).update('one');
          expect(bad.calls).toBe(after);
        } else if (what === 'forget') {
          await transcripts.forget('one', [`m${number}`]);
          if (number < said) gone.add(`m${number}`);
        } else if (what === 'prune') await transcripts.prune('one', clock.now());
        else if (what === 'recompute') await over(conversation, good).recompute('one');
        else clock.advance(number * MINUTE_MS);
        if (what !== 'recompute') expect(good.calls.length + bad.calls - calls).toBeLessThanOrEqual(1);

        const current = await over(conversation).current('one');
        expect(current?.summarized_count ?? 0).toBeLessThanOrEqual(said);
        const { messages } = await over(conversation).workingContext('one');
        const present = new Set((await transcripts.messages('one')).map(({ id }) => id));
        // Together, summary and messages cover every message that is there, each once, and none forgotten.
        const known = [...(current?.text.split(' ') ?? []), ...messages.map(({ id }) => id)];
        expect(new Set(known).size).toBe(known.length);
        for (const id of present) expect(known).toContain(id);
        for (const id of gone) expect(known).not.toContain(id);
      }
    }),
    { numRuns: 150 },
  );
});
