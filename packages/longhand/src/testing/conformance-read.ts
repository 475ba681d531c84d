import assert from 'node:assert/strict';
import { isCurrent, linesHolding, readAfter, readLine, readLog } from '../core/read-log.ts';
import { type LogPosition, UNCHANGED, type WantedLog } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import {
  AGENT,
  idsOf,
  keepAll,
  NEW,
  newsSince,
  OPENING,
  OTHER_SESSION,
  readIds,
  record,
  SESSION,
} from './conformance-records.ts';

export function readConformance({ withStore, withSession }: Suite): void {
  withSession('gives what came after a position, and nothing twice', async (store) => {
    const first = await readLog(store, SESSION);
    assert.equal(first.reset, true);
    await store.append(SESSION, [record('mem_a'), record('mem_b')]);
    const second = await newsSince(store, SESSION, first.position);
    assert.equal(second.reset, false);
    assert.deepEqual(idsOf(second), ['mem_a', 'mem_b']);
    assert.equal(second.position.lastSeq, 3);
    assert.ok(second.position.at > first.position.at);
    assert.equal(await readAfter(store, SESSION, second.position), UNCHANGED);
    await store.append(SESSION, [record('mem_c')]);
    // A position is plain JSON.
    const stored = JSON.parse(JSON.stringify(second.position)) as LogPosition;
    assert.deepEqual(idsOf(await newsSince(store, SESSION, stored)), ['mem_c']);
  });

  withSession('answers for each of many logs, in their order', async (store) => {
    await store.append(AGENT, [record('mem_a')], NEW);
    const { position, lines } = await readLog(store, SESSION);
    const wanted: readonly WantedLog[] = [
      { log: AGENT, aside: true },
      { log: OTHER_SESSION },
      { log: SESSION, after: position },
      { log: OTHER_SESSION, after: position, places: lines },
      { log: SESSION, after: position, places: lines },
      { log: OTHER_SESSION, holding: 'mem' },
    ];
    const [agent, missing, same, ...others] = await store.read(wanted);
    assert.deepEqual([missing, same, others[0], others[2]], [undefined, UNCHANGED, undefined, undefined]);
    assert.ok(typeof agent === 'object' && typeof others[1] === 'object');
    assert.deepEqual([idsOf(agent), agent.aside, idsOf(others[1])], [['mem_a'], [], ['mem_opening']]);
    assert.deepEqual(await store.read([]), []);
  });

  withSession('numbers lines from 1, also across readings', async (store) => {
    const { position, lines } = await readLog(store, SESSION);
    await store.append(SESSION, [record('mem_a')]);
    const later = (await newsSince(store, SESSION, position)).lines[0]!;
    assert.deepEqual([lines[0]!.lineNumber, later.lineNumber, lines[0]!.offset], [1, 2, 0]);
    assert.ok(later.offset > 0);
  });

  withStore('reads lightly what it reads fully', async (store) => {
    await store.append(SESSION, [OPENING, '{"schema_version":1,"kind":"other"}'], NEW);
    const light = await readLog(store, SESSION, { check: 'light' });
    const full = await readLog(store, SESSION, { check: 'full' });
    const [texts, others] = [light, full].map(({ lines }) => lines.map((line) => line.text));
    assert.deepEqual(texts, others);
    assert.deepEqual(light.position, full.position);
  });

  withSession('knows in a moment whether there is news', async (store) => {
    const { position } = await readLog(store, SESSION);
    assert.equal(await isCurrent(store, SESSION, position), true);
    await store.append(SESSION, [record('mem_a')]);
    assert.equal(await isCurrent(store, SESSION, position), false);
    const later = await newsSince(store, SESSION, position);
    assert.equal(await readAfter(store, SESSION, later.position, { mayLag: true }), UNCHANGED);
    await store.rewrite(SESSION, keepAll);
    assert.equal(await isCurrent(store, SESSION, later.position), false);
  });

  withStore('finds the lines that hold a text', async (store) => {
    const large = record('mem_large', { text: 'x'.repeat(1_500_000), last: 'wanted' });
    await store.append(SESSION, [OPENING, record('mem_a', 'wanted, and wanted again'), record('mem_b')], NEW);
    await store.append(SESSION, [large, record('mem_c'), record('mem_d', 'wanted')]);
    const { lines } = await readLog(store, SESSION);
    const found = await linesHolding(store, SESSION, 'wanted');
    assert.deepEqual(
      found.map((line) => [line.memoryId, line.offset, line.check()]),
      [lines[1]!, lines[3]!, lines[5]!].map((line) => [line.memoryId, line.offset, 'verified']),
    );
    assert.deepEqual(await linesHolding(store, SESSION, 'unheard of'), []);
  });

  withStore('finds lines again by their places, in the order that is asked', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_a', 'Ünï 🦆'), record('mem_b')], NEW);
    const { lines, position } = await readLog(store, SESSION);
    await store.append(SESSION, [record('mem_c')]);
    const again = await readLine(store, SESSION, lines[1]!, position);
    assert.equal(again?.text, lines[1]!.text);
    assert.equal(again?.check(), 'verified');
    assert.deepEqual([again?.lineNumber, again?.offset], [2, lines[1]!.offset]);
    const places = [lines[2]!, lines[0]!, lines[2]!];
    const some = await newsSince(store, SESSION, position, { places });
    assert.deepEqual([some.reset, idsOf(some)], [false, ['mem_b', 'mem_opening', 'mem_b']]);
    await store.rewrite(SESSION, keepAll);
    const none = await newsSince(store, SESSION, position, { places });
    assert.deepEqual([none.reset, none.lines], [true, []]);
    assert.equal(await readLine(store, SESSION, lines[1]!, position), undefined);
  });

  withStore('starts again after a rewrite', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_a'), record('mem_b')], NEW);
    const { position } = await readLog(store, SESSION);
    await store.rewrite(SESSION, ({ lines }) => ({ keep: [{ line: lines[2]! }], append: [] }));
    const slice = await newsSince(store, SESSION, position);
    assert.equal(slice.reset, true);
    assert.deepEqual(idsOf(slice), ['mem_b']);
  });

  withStore('contains every write that was acknowledged before it began', async (store) => {
    await store.append(SESSION, [], NEW);
    for (let i = 0; i < 30; i++) {
      const crowd = Array.from({ length: 5 }, (_, j) => store.append(SESSION, [record(`mem_${i}_${j}`)]));
      await crowd[0];
      assert.ok((await readIds(store, SESSION)).includes(`mem_${i}_0`));
      await Promise.all(crowd);
    }
    assert.equal((await readIds(store, SESSION)).length, 150);
  });
}
