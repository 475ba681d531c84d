import assert from 'node:assert/strict';
import { LogLine } from '../core/line.ts';
import { isCurrent, linesSetAside, readLog } from '../core/read-log.ts';
import type { LogAddress, QuarantinedLine, RewritePlan } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import {
  idsOf,
  keepAll,
  NEW,
  OPENING,
  readIds,
  record,
  rejectsWith,
  SESSION,
  seqsOf,
} from './conformance-records.ts';

export function rewriteConformance({ withStore, withSession }: Suite): void {
  withStore('keeps, replaces, drops and adds', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_a'), record('mem_b'), record('mem_c')], NEW);
    const before = await store.size(SESSION);
    const kept = (await readLog(store, SESSION)).lines[0]!.text;
    const { sizeBefore, sizeAfter } = await store.rewrite(SESSION, ({ reset, lines }) => {
      assert.equal(reset, true);
      return {
        keep: [{ line: lines[0]! }, { line: lines[2]!, body: record('mem_b', 'other') }],
        append: [record('mem_d'), record('mem_e')],
      };
    });
    const slice = await readLog(store, SESSION);
    assert.deepEqual(idsOf(slice), ['mem_opening', 'mem_b', 'mem_d', 'mem_e']);
    assert.deepEqual(seqsOf(slice), [1, 3, 5, 6]);
    assert.equal(slice.lines[0]!.text, kept);
    assert.match(slice.lines[1]!.text, /"content":"other"/);
    assert.ok(slice.lines.every((line) => line.check() === 'verified'));
    assert.deepEqual(sizeBefore, before);
    assert.deepEqual(sizeAfter, await store.size(SESSION));
    assert.deepEqual(slice.damage, []);
  });

  withStore('counts on behind what it kept', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_a'), record('mem_b')], NEW);
    await store.rewrite(SESSION, ({ lines }) => ({
      keep: lines.slice(0, 2).map((line) => ({ line })),
      append: [],
    }));
    assert.equal((await store.append(SESSION, [record('mem_c')])).firstSeq, 3);
    await store.rewrite(SESSION, () => ({ keep: [], append: [] }));
    assert.deepEqual(await readIds(store, SESSION), []);
    assert.equal((await store.append(SESSION, [record('mem_d')])).firstSeq, 1);
  });

  withStore('gives a rewritten line the number that the caller names', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_a'), record('mem_b'), record('mem_c')], NEW);
    await store.rewrite(SESSION, ({ lines: [opening, a, b, c] }) => ({
      keep: [
        { line: opening! },
        { line: a!, body: record('mem_a') },
        { line: b!, body: record('mem_b'), seq: 7 },
        { line: c!, body: record('mem_c'), seq: 9 },
      ],
      append: [record('mem_d')],
    }));
    await store.append(SESSION, [record('mem_e')]);
    const { lines, damage } = await readLog(store, SESSION);
    assert.deepEqual(damage, []);
    const numbers = lines.map(({ memoryId, seq }) => `${memoryId?.slice(4)} ${seq}`);
    assert.deepEqual(numbers, ['opening 1', 'a 2', 'b 7', 'c 9', 'd 10', 'e 11']);
  });

  withStore('rehearses without touching anything', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_a')], NEW);
    const { position } = await readLog(store, SESSION);
    const size = await store.size(SESSION);
    const plan = { keep: [], append: [], dryRun: true, tombstones: ['{"id":"a"}'] };
    const { rehearsal, ...sizes } = await store.rewrite(SESSION, () => plan);
    assert.deepEqual(sizes, { sizeBefore: size, sizeAfter: size });
    assert.deepEqual([rehearsal!.slice.lines, rehearsal!.size.log], [[], 0]);
    assert.equal(await isCurrent(store, SESSION, position), true);
    assert.equal(await store.readDocument(SESSION, 'tombstones.jsonl'), undefined);
  });

  withSession('gives the decision’s own error back, and changes nothing', async (store) => {
    const own = new RangeError('mine');
    const failing = store.rewrite(SESSION, () => {
      throw own;
    });
    await assert.rejects(failing, (error) => error === own);
    assert.equal((await store.append(SESSION, [record('mem_a')])).firstSeq, 2);
  });

  withSession('mends the list of deletions, and takes nothing from it', async (store) => {
    await store.append(SESSION, [], { tombstones: ['{"id":"a"}', '{"id":"b"}'] });
    for (const tombstones of [['{"id":"b"}', '{"id":"c"}'], ['{"id":"c"}'], []])
      await store.rewrite(SESSION, (slice) => ({ ...keepAll(slice), tombstones }));
    assert.equal(
      await store.readDocument(SESSION, 'tombstones.jsonl'),
      '{"id":"a"}\n{"id":"b"}\n{"id":"c"}\n',
    );
  });

  withSession('loses no write that comes in while it runs', async (store) => {
    const work: Promise<unknown>[] = [];
    for (let i = 0; i < 40; i++) {
      work.push(store.append(SESSION, [record(`mem_${i}`)]));
      if (i % 10 === 5) work.push(store.rewrite(SESSION, keepAll));
      if (i % 7 === 0) await work.at(-1);
    }
    await Promise.all(work);
    const expected = ['mem_opening', ...Array.from({ length: 40 }, (_, i) => `mem_${i}`)];
    assert.deepEqual(await readIds(store, SESSION), expected);
  });

  withSession('keeps documents through a rewrite', async (store) => {
    await store.writeDocument(SESSION, 'index.json', '{"a":1}');
    await store.rewrite(SESSION, keepAll);
    assert.equal(await store.readDocument(SESSION, 'index.json'), '{"a":1}');
  });

  withStore('does not rewrite what is not there', async (store) => {
    await rejectsWith('SESSION_NOT_FOUND', () => store.rewrite(SESSION, () => ({ keep: [], append: [] })));
    assert.deepEqual(await store.list('session'), []);
  });

  withSession('keeps damaged lines aside until they are forgotten', async (store) => {
    const bytes = Buffer.from('{"schema_version":1,"id":"mem_gone","content":');
    const damaged = new LogLine(bytes, 0, bytes.length, 99, 2);
    const rewrite = async (more: Partial<RewritePlan>): Promise<readonly QuarantinedLine[]> => {
      let aside: readonly QuarantinedLine[] = [];
      await store.rewrite(SESSION, (slice, earlier) => {
        aside = earlier;
        return { ...keepAll(slice), ...more };
      });
      return aside;
    };
    const texts = (lines: readonly QuarantinedLine[]): string[] => lines.map(({ line }) => line.text);
    assert.deepEqual(await linesSetAside(store, SESSION), []);
    assert.deepEqual(await rewrite({ quarantine: [damaged], dryRun: true }), []);
    assert.deepEqual(await linesSetAside(store, SESSION), []);
    assert.deepEqual(await rewrite({ quarantine: [damaged] }), []);
    assert.deepEqual(texts(await linesSetAside(store, SESSION)), [bytes.toString()]);
    const [copy, ...others] = await rewrite({});
    assert.deepEqual(others, []);

    // Those of another log beside it are its own.
    const transcript: LogAddress = { kind: 'transcript', id: SESSION.id };
    await store.append(transcript, [], NEW);
    await store.rewrite(transcript, (_, beside) => {
      assert.deepEqual(beside, []);
      return { keep: [], append: [], quarantine: [damaged] };
    });
    assert.equal((await linesSetAside(store, transcript)).length, 1);
    assert.equal((await linesSetAside(store, SESSION)).length, 1);
    await rewrite({ forget: [copy!.name] });
    assert.deepEqual(await linesSetAside(store, SESSION), []);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening']);
  });
}
