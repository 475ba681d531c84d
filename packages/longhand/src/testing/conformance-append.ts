import assert from 'node:assert/strict';
import { readLog } from '../core/read-log.ts';
import type { LogSlice } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import {
  AGENT,
  bytesOf,
  idsOf,
  NEW,
  OPENING,
  readIds,
  record,
  rejectsWith,
  SESSION,
} from './conformance-records.ts';

/** Texts that have broken other stores. */
const ODD_TEXTS = [
  'a line\u2028break and a para\u2029graph',
  '🦆 and 👩‍👩‍👧, Ünï, 漢字, ﷽, \u202eright to left',
  'quotes " and \\ and \\" and \u0001 and \t and \r\n',
  '"seq":7,"checksum":"sha256:0000"}',
  '{"schema_version":1,"id":"mem_fake"}\n{"schema_version":1}',
  '\ufeffbyte order mark, e\u0301 and \u00e9',
];

export function appendConformance({ withStore, withSession, supports }: Suite): void {
  withSession('adds records in order and counts them', async (store) => {
    const first = await store.append(SESSION, [record('mem_a'), record('mem_b')]);
    const second = await store.append(SESSION, [record('mem_c')]);
    const { total } = await store.size(SESSION);
    assert.deepEqual([first.firstSeq, first.lastSeq], [2, 3]);
    assert.deepEqual(second, { firstSeq: 4, lastSeq: 4, sizeBytes: total });
    const slice = await readLog(store, SESSION);
    assert.deepEqual(idsOf(slice), ['mem_opening', 'mem_a', 'mem_b', 'mem_c']);
    assert.deepEqual(
      slice.lines.map(({ seq }) => seq),
      [1, 2, 3, 4],
    );
    assert.ok(slice.lines.every((line) => line.check() === 'verified'));
  });

  withSession('adds nothing when there is nothing to add', async (store) => {
    const { firstSeq, lastSeq } = await store.append(SESSION, []);
    assert.deepEqual([firstSeq, lastSeq], [2, 1]);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening']);
  });

  withStore('keeps the records of one call together when many write', async (store) => {
    await store.append(SESSION, [], NEW);
    const calls = Array.from({ length: 40 }, (_, i) =>
      store.append(SESSION, [record(`mem_${i}_1`), record(`mem_${i}_2`), record(`mem_${i}_3`)]),
    );
    const appended = await Promise.all(calls);
    const slice = await readLog(store, SESSION);
    const ids = idsOf(slice);
    appended.forEach(({ firstSeq, lastSeq }, i) => {
      assert.equal(lastSeq - firstSeq, 2);
      assert.deepEqual(ids.slice(firstSeq - 1, lastSeq), [`mem_${i}_1`, `mem_${i}_2`, `mem_${i}_3`]);
    });
    assert.deepEqual(slice.damage, []);
  });

  withStore('writes to many logs at once', async (store) => {
    const logs = Array.from({ length: 150 }, (_, i) => ({ kind: 'session', id: `sess_${i}` }) as const);
    await Promise.all(logs.map((log) => store.append(log, [OPENING], NEW)));
    await Promise.all(logs.map((log, i) => store.append(log, [record(`mem_${i}`)])));
    for (const [i, log] of logs.entries()) {
      assert.deepEqual(await readIds(store, log), ['mem_opening', `mem_${i}`]);
    }
    assert.equal((await store.list('session')).length, logs.length);
  });

  withStore('gives back odd texts and large ones as they were', async (store) => {
    const contents = [...ODD_TEXTS, 'x'.repeat(1_048_576), '🦆'.repeat(200_000)];
    const bodies = contents.map((content, i) => record(`mem_${i}`, { content }));
    bodies.push('{"schema_version":1,"id":"mem_p","content":{"__proto__":{"a":1},"constructor":2}}');
    await store.append(AGENT, [OPENING], NEW);
    for (const body of bodies) await store.append(AGENT, [body]);
    const { lines } = await readLog(store, AGENT);
    assert.deepEqual(
      lines.slice(1).map((line) => `${line.text.slice(0, line.text.lastIndexOf(',"seq":'))}}`),
      bodies,
    );
  });

  withSession('refuses what goes over the limit, and keeps no trace of it', async (store) => {
    const size = await store.size(SESSION);
    const body = record('mem_a');
    const room = size.total + bytesOf([body], 2);
    await rejectsWith('SESSION_FULL', () => store.append(SESSION, [body], { maxBytes: room - 1 }));
    assert.deepEqual(await store.size(SESSION), size);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening']);
    assert.equal((await store.append(SESSION, [body], { maxBytes: room })).firstSeq, 2);
    await store.append(SESSION, [], { maxBytes: 0 });
  });

  withSession('decides the limit for each call of a crowd', async (store) => {
    const { total } = await store.size(SESSION);
    const maxBytes = total + bytesOf([record('mem_0')], 2) * 3;
    const calls = Array.from({ length: 9 }, (_, i) =>
      store.append(SESSION, [record(`mem_${i}`)], { maxBytes }),
    );
    const results = await Promise.allSettled(calls);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 3);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_0', 'mem_1', 'mem_2']);
    assert.ok((await store.size(SESSION)).total <= maxBytes);
  });

  withSession('lists deletions beside the log, and counts them', async (store) => {
    const appended = await store.append(SESSION, [record('mem_a')], {
      tombstones: ['{"id":"a"}', '{"id":"Ü"}'],
    });
    await store.append(SESSION, [], { tombstones: ['{"id":"c"}'] });
    assert.equal(
      await store.readDocument(SESSION, 'tombstones.jsonl'),
      '{"id":"a"}\n{"id":"Ü"}\n{"id":"c"}\n',
    );
    const size = await store.size(SESSION);
    assert.equal(size.tombstones, Buffer.byteLength('{"id":"a"}\n{"id":"Ü"}\n{"id":"c"}\n'));
    assert.equal(appended.sizeBytes, size.total - Buffer.byteLength('{"id":"c"}\n'));
  });

  withStore('measures the log, its index and its deletions, and nothing else', async (store) => {
    const bodies = [OPENING, record('mem_a')];
    await store.append(SESSION, bodies, NEW);
    await store.writeDocument(SESSION, 'index.json', '{"Ü":1}');
    await store.writeDocument(SESSION, 'metadata.json', '{"much":"more"}');
    await store.append(SESSION, [], { tombstones: ['{"id":"a"}'] });
    const log = bytesOf(bodies);
    assert.deepEqual(await store.size(SESSION), { log, index: 8, tombstones: 11, total: log + 19 });
  });

  withSession('lets a transaction see everything before it, also what waits beside it', async (store) => {
    const { position } = await readLog(store, SESSION);
    const seen: string[][] = [];
    const add = (id: string) => (slice: LogSlice) => {
      seen.push(idsOf(slice));
      return idsOf(slice).includes(id) ? [] : [record(id)];
    };
    const results = await Promise.all([
      store.append(SESSION, [record('mem_a')]),
      store.append(SESSION, add('mem_b')),
      store.append(SESSION, [record('mem_c')]),
      store.append(SESSION, add('mem_b'), { after: position }),
      store.append(SESSION, add('mem_d'), { after: position }),
    ]);
    assert.deepEqual(seen, [
      ['mem_opening', 'mem_a'],
      ['mem_a', 'mem_b', 'mem_c'],
      ['mem_a', 'mem_b', 'mem_c'],
    ]);
    const numbers = results.map(({ firstSeq, lastSeq }) => `${firstSeq}-${lastSeq}`);
    assert.deepEqual(numbers, ['2-2', '3-3', '4-4', '5-4', '5-5']);
  });

  withSession('gives a transaction’s own error back, and adds nothing', async (store) => {
    const own = new RangeError('mine');
    const failing = store.append(SESSION, () => {
      throw own;
    });
    const beside = store.append(SESSION, [record('mem_a')]);
    await assert.rejects(failing, (error) => error === own);
    assert.equal((await beside).firstSeq, 2);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_a']);
  });

  withSession('applies the limit to transactions', async (store) => {
    const options = { maxBytes: (await store.size(SESSION)).total };
    await rejectsWith('SESSION_FULL', () => store.append(SESSION, () => [OPENING], options));
    await store.append(SESSION, () => [], options);
    assert.equal((await readIds(store, SESSION)).length, 1);
  });

  if (supports.reopening) {
    withStore('counts on without a gap or a repeat when two openings write', async (store, fixture) => {
      await store.append(SESSION, [], NEW);
      const another = fixture.reopen!();
      const calls = Array.from({ length: 60 }, (_, i) =>
        (i % 2 === 0 ? store : another).append(SESSION, [record(`mem_${i}`)]),
      );
      const seqs = (await Promise.all(calls)).map(({ firstSeq }) => firstSeq);
      assert.deepEqual(
        seqs.sort((a, b) => a - b),
        Array.from({ length: 60 }, (_, i) => i + 1),
      );
      const slice = await readLog(store, SESSION);
      assert.equal(new Set(idsOf(slice)).size, 60);
      assert.deepEqual(slice.damage, []);
      await another.close();
    });
  }
}
