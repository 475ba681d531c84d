import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ArchivedMessage } from '../src/core/messages.ts';
import type { ArchiveResult } from '../src/layers/transcript/transcript-input.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { sized, startProcess, temporaryFolder, withSeed } from './campaign.ts';
import { everythingIn, openConversation, startConversation, talk } from './conversation-fixture.ts';
import { STORES } from './open-stores.ts';
import type { ArchiverTask } from './processes/archiver.ts';
import { createChance } from './processes/chance.ts';

/** Random lives of a transcript, with two processes on it, beside a plain list. */
const RUNS = sized(60, 5_000);
const idsOf = (messages: readonly ArchivedMessage[]): string[] => messages.map(({ id }) => id);

type Step =
  | { readonly kind: 'archive'; readonly ids: readonly number[]; readonly batchId: string | undefined }
  | { readonly kind: 'forget'; readonly ids: readonly number[] }
  | { readonly kind: 'redact'; readonly id: number }
  | { readonly kind: 'prune' | 'reopen' | 'wait' };

const ids = fc.array(fc.nat(30), { maxLength: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('archive' as const),
      ids,
      batchId: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget' as const), ids }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('redact' as const), id: fc.nat(30) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('prune' as const, 'reopen' as const, 'wait' as const) }),
  },
);
const life = fc.array(fc.tuple(fc.constantFrom<0 | 1>(0, 1), step), { maxLength: 25, size: 'max' });

interface Kept {
  readonly id: string;
  content: string | undefined;
  readonly archivedAtMs: number;
}

describe.each(STORES)('a transcript on the %s store', (_name, makeStore) => {
  test(`is a plain list, in ${RUNS} random lives`, async () => {
    const property = fc.asyncProperty(life, async (steps) => {
      const open = makeStore();
      const first = await startConversation(open());
      const both = [first, openConversation(open(), {}, first.clock)];
      const list: Kept[] = [];
      const results = new Map<string, Pick<ArchiveResult, 'archived' | 'duplicates' | 'left_out'>>();
      const { clock } = first;
      for (const [who, command] of steps) {
        const { transcripts } = both[who]!;
        const find = (number: number): Kept | undefined => list.find(({ id }) => id === `m${number}`);
        switch (command.kind) {
          case 'archive': {
            const batch = command.ids.map((number) => talk(number, number + 1)[0]!);
            const { batchId } = command;
            const result = await transcripts.archive('one', batch, batchId === undefined ? {} : { batchId });
            const fresh = [...new Set(command.ids)].filter((number) => find(number) === undefined);
            const before = batchId === undefined ? undefined : results.get(batchId);
            if (before !== undefined && fresh.length === 0) {
              expect(result).toMatchObject(before);
              break;
            }
            expect(result).toMatchObject({
              archived: fresh.length,
              duplicates: batch.length - fresh.length,
              left_out: 0,
            });
            if (batchId !== undefined && fresh.length > 0) {
              const { duplicates, left_out } = before ?? result;
              const archived = (before?.archived ?? 0) + result.archived;
              results.set(batchId, { archived, duplicates, left_out });
            }
            for (const number of fresh) {
              const { id, content } = talk(number, number + 1)[0]!;
              list.push({ id, content, archivedAtMs: clock.now() });
            }
            break;
          }
          case 'forget': {
            const chosen = [...new Set(command.ids)].map(find).filter((kept) => kept?.content !== undefined);
            const given = command.ids.map((number) => `m${number}`);
            expect(await transcripts.forget('one', given)).toBe(chosen.length);
            for (const kept of chosen) kept!.content = undefined;
            break;
          }
          case 'redact': {
            const kept = find(command.id);
            const parts = kept?.content?.split('number') ?? [''];
            expect(await transcripts.redactText('one', `m${command.id}`, 'number')).toBe(parts.length - 1);
            if (kept?.content !== undefined) kept.content = parts.join('[redacted]');
            break;
          }
          case 'prune': {
            const old = list.filter((kept) => kept.content !== undefined && kept.archivedAtMs < clock.now());
            expect(await transcripts.prune('one', clock.now())).toBe(old.length);
            for (const kept of old) kept.content = undefined;
            break;
          }
          case 'reopen':
            both[who] = openConversation(open(), {}, clock);
            break;
          case 'wait':
            clock.advance(1_000);
        }
        const present = list.filter(({ content }) => content !== undefined);
        for (const { transcripts: reader } of both) {
          const messages = await reader.messages('one');
          expect(messages.map(({ id, content }) => [id, content])).toEqual(
            present.map(({ id, content }) => [id, content]),
          );
          expect(await reader.count('one')).toBe(present.length);
          const middle = list.length >>> 1;
          const after = list.slice(middle).filter(({ content }) => content !== undefined);
          expect(idsOf(await reader.messages('one', { from: middle }))).toEqual(after.map(({ id }) => id));
          expect(idsOf(await reader.latest('one', 3))).toEqual(present.slice(-3).map(({ id }) => id));
        }
      }
      const text = await everythingIn(first.context.store);
      for (const { id, content } of list)
        if (content === undefined) expect(text).not.toContain(` number ${id.slice(1)}.`);
    });
    await fc.assert(property, { numRuns: RUNS });
  });

  test('keeps each message once when two processes archive at the same time', async () => {
    const open = makeStore();
    const first = await startConversation(open());
    const both = [first, openConversation(open(), {}, first.clock)];
    const writers = both.map(async ({ transcripts }, who) => {
      for (let end = 5; end <= 100; end += 5)
        await transcripts.archive('one', talk(0, end), { batchId: `${who}-${end}` });
    });
    await Promise.all(writers);
    for (const { transcripts } of both) expect(await transcripts.messages('one')).toEqual(talk(0, 100));
  });
});

test('a batch that is cut short at any byte is whole or absent, and a retry completes it', async () => {
  const root = temporaryFolder(false);
  const path = join(root, 'sessions/one/transcript.jsonl');
  const large = talk(2, 26).map((message) => ({ ...message, content: message.content + 'é'.repeat(60_000) }));
  const written = new FileStore({ root });
  const { transcripts } = await startConversation(written);
  await transcripts.archive('one', talk(0, 2), { batchId: 'small' });
  const startOfBatch = readFileSync(path).length;
  const result = await transcripts.archive('one', large, { batchId: 'large' });
  await written.close();
  const whole = readFileSync(path);
  const lineEnds = [...whole.keys()]
    .map((at) => at + 1)
    .filter((at) => at > startOfBatch && whole[at - 1] === 0x0a);
  expect(lineEnds).toHaveLength(3);
  await withSeed(async (seed) => {
    const chance = createChance(seed);
    const anywhere = Array.from(
      { length: sized(12, 500) },
      () => startOfBatch + Math.floor(chance.next() * (whole.length - startOfBatch)),
    );
    const cuts = [startOfBatch, ...lineEnds.flatMap((end) => [end - 1, end]), ...anywhere];
    for (const size of cuts) {
      writeFileSync(path, whole);
      truncateSync(path, size);
      const store = new FileStore({ root });
      const reader = openConversation(store).transcripts;
      // A line that lost nothing but its newline is whole.
      const isWhole = size >= whole.length - 1;
      const before = isWhole ? [...talk(0, 2), ...large] : talk(0, 2);
      expect(await reader.messages('one'), `${size} bytes`).toEqual(before);
      expect(await reader.archive('one', large, { batchId: 'large' })).toEqual(result);
      expect(await reader.messages('one')).toEqual([...talk(0, 2), ...large]);
      // What was cut short goes as well when it is to be forgotten.
      await reader.forget('one', ['m2']);
      expect(await everythingIn(store)).not.toContain('number 2.é');
      await store.close();
    }
  });
});

test('messages that were acknowledged survive the death of their process, each once', async () => {
  await withSeed(async (seed) => {
    const chance = createChance(seed);
    const root = temporaryFolder(false);
    const made = new FileStore({ root });
    await startConversation(made);
    await made.close();
    for (let round = 0; round < sized(4, 200); round++) {
      const acknowledged = [0, 0, 0];
      const doomed = chance.below(60);
      const workers = acknowledged.map((_, who) => {
        const task: ArchiverTask = {
          root,
          sessionId: 'one',
          name: `${round}-${who}`,
          messages: 99 * (round + 1),
          step: 3,
        };
        const running = startProcess('archiver.ts', task, (line) => {
          acknowledged[who] = Number(line.split(' ')[1]);
          if (who === 0 && acknowledged[who] >= doomed) running.child.kill('SIGKILL');
        });
        return running;
      });
      const ends = await Promise.all(workers.map(({ ended }) => ended));
      // The first may be done before it dies.
      expect(ends.slice(1).map(({ code }) => code)).toEqual([0, 0]);
      const store = new FileStore({ root });
      const messages = await openConversation(store).transcripts.messages('one');
      expect(messages).toEqual(talk(0, 99 * (round + 1)));
      await store.close();
    }
  });
});

describe('a damaged transcript', () => {
  async function filled(): Promise<{ root: string; path: string }> {
    const root = temporaryFolder(false);
    const store = new FileStore({ root });
    const { transcripts } = await startConversation(store);
    for (let i = 0; i < 30; i += 10) await transcripts.archive('one', talk(i, i + 10));
    await store.close();
    return { root, path: join(root, 'sessions/one/transcript.jsonl') };
  }

  const flip = (path: string, text: string): void => {
    const bytes = readFileSync(path);
    const at = bytes.indexOf(text);
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(path, bytes);
  };

  test('keeps the indexes of what can be read, says so, and takes what was lost again', async () => {
    const { root, path } = await filled();
    flip(path, 'number 15.');
    const store = new FileStore({ root });
    const { transcripts, events } = openConversation(store);
    expect(await transcripts.messages('one')).toEqual([...talk(0, 10), ...talk(20, 30)]);
    expect(await transcripts.messages('one', { from: 20, limit: 1 })).toEqual(talk(20, 21));
    expect(events.filter(({ kind }) => kind === 'corruption-found')).toMatchObject([
      { log: 'transcript one', lines: 1 },
    ]);
    expect(await transcripts.archive('one', talk(0, 30))).toMatchObject({ archived: 10 });
    expect(idsOf(await transcripts.messages('one', { from: 30 }))).toEqual(idsOf(talk(10, 20)));
    // What the damaged line said may be what is to be forgotten.
    await transcripts.forget('one', ['m12']);
    expect(await everythingIn(store)).not.toContain('number 12.');
    await store.close();
  });

  test('gives what is left when a line that was whole is so no longer', async () => {
    const { root, path } = await filled();
    const store = new FileStore({ root });
    const { transcripts, events } = openConversation(store);
    const long = talk(30, 60).map((message) => ({ ...message, content: 'x'.repeat(80_000) }));
    await transcripts.archive('one', long);
    flip(path, 'number 15.');
    expect(await transcripts.messages('one', { to: 30 })).toEqual([...talk(0, 10), ...talk(20, 30)]);
    expect(events).toContainEqual(expect.objectContaining({ kind: 'corruption-found', lines: 1 }));
    await store.close();
  });

  test('counts a message once that a person copied, and forgets all copies', async () => {
    const { root, path } = await filled();
    const [first = ''] = readFileSync(path, 'utf8').split('\n');
    const { seq: _seq, checksum: _checksum, first_index: _index, ...record } = JSON.parse(first);
    const own = {
      ...record,
      batch_id: 'own',
      messages: [...record.messages, ...talk(40, 41), 7, { id: 'x' }],
    };
    writeFileSync(path, `${readFileSync(path, 'utf8')}${JSON.stringify(own)}\n`);
    const store = new FileStore({ root });
    const { transcripts } = openConversation(store);
    expect(await transcripts.messages('one')).toEqual([...talk(0, 30), ...talk(40, 41)]);
    expect(await transcripts.count('one')).toBe(31);
    expect(await transcripts.forget('one', ['m3'])).toBe(1);
    expect(await everythingIn(store)).not.toContain('number 3.');
    expect(await transcripts.forget('one', 'all')).toBe(30);
    expect(await everythingIn(store)).not.toContain('message number');
    await store.close();
  });
});

test('two redactions of one message at the same time do both', async () => {
  const open = STORES[1]![1]();
  const first = await startConversation(open());
  const second = openConversation(open());
  await first.transcripts.archive('one', talk(0, 1));
  await Promise.all([
    first.transcripts.redactText('one', 'm0', 'This'),
    second.transcripts.redactText('one', 'm0', 'number'),
  ]);
  const [message] = await first.transcripts.messages('one');
  expect(message?.content).toBe('[redacted] is message [redacted] 0.');
});
