import assert from 'node:assert/strict';
import type { WithStore } from './conformance.ts';
import { idsOf, OPENING, readIds, record, SESSION } from './conformance-records.ts';

export function readConformance(withStore: WithStore): void {
  withStore('gives what came after a position, and nothing twice', async (store) => {
    await store.create(SESSION, [OPENING]);
    const first = await store.read(SESSION);
    assert.equal(first.reset, true);
    await store.append(SESSION, [record('mem_a'), record('mem_b')]);
    const second = await store.read(SESSION, first.position);
    assert.equal(second.reset, false);
    assert.deepEqual(idsOf(second), ['mem_a', 'mem_b']);
    assert.equal(second.position.lastSeq, 3);
    const third = await store.read(SESSION, second.position);
    assert.deepEqual([third.reset, third.lines.length, third.unfinishedBytes], [false, 0, 0]);
    assert.deepEqual(third.position, second.position);
    await store.append(SESSION, [record('mem_c')]);
    assert.deepEqual(idsOf(await store.read(SESSION, third.position)), ['mem_c']);
  });

  withStore('numbers lines from 1, also across readings', async (store) => {
    await store.create(SESSION, [OPENING]);
    const { position, lines } = await store.read(SESSION);
    await store.append(SESSION, [record('mem_a')]);
    const later = await store.read(SESSION, position);
    assert.deepEqual([lines[0]!.lineNumber, later.lines[0]!.lineNumber], [1, 2]);
    assert.deepEqual([lines[0]!.offset, later.lines[0]!.offset], [0, position.offset]);
  });

  withStore('reads lightly what it reads fully', async (store) => {
    await store.create(SESSION, [OPENING, '{"schema_version":1,"kind":"other"}']);
    const light = await store.read(SESSION, undefined, { check: 'light' });
    const full = await store.read(SESSION, undefined, { check: 'full' });
    assert.deepEqual(
      light.lines.map((line) => line.text),
      full.lines.map((line) => line.text),
    );
    assert.deepEqual(light.position, full.position);
  });

  withStore('knows in a moment whether there is news', async (store) => {
    await store.create(SESSION, [OPENING]);
    const { position } = await store.read(SESSION);
    assert.equal(await store.isCurrent(SESSION, position), true);
    await store.append(SESSION, [record('mem_a')]);
    assert.equal(await store.isCurrent(SESSION, position), false);
    const later = await store.read(SESSION, position);
    assert.equal(await store.isCurrent(SESSION, later.position), true);
    await store.rewrite(SESSION, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] }));
    assert.equal(await store.isCurrent(SESSION, later.position), false);
  });

  withStore('finds the lines that hold a text', async (store) => {
    const large = record('mem_large', { text: 'x'.repeat(1_500_000), last: 'wanted' });
    await store.create(SESSION, [OPENING, record('mem_a', 'wanted, and wanted again'), record('mem_b')]);
    await store.append(SESSION, [large, record('mem_c'), record('mem_d', 'wanted')]);
    const { lines } = await store.read(SESSION);
    const found = await store.linesWith(SESSION, 'wanted');
    assert.deepEqual(
      found.map((line) => [line.memoryId, line.offset, line.check()]),
      [lines[1]!, lines[3]!, lines[5]!].map((line) => [line.memoryId, line.offset, 'verified']),
    );
    assert.deepEqual(await store.linesWith(SESSION, 'unheard of'), []);
  });

  withStore('finds one line again by its place', async (store) => {
    await store.create(SESSION, [OPENING, record('mem_a', 'Ünï 🦆'), record('mem_b')]);
    const { lines, position } = await store.read(SESSION);
    await store.append(SESSION, [record('mem_c')]);
    const again = await store.readLine(SESSION, lines[1]!, position);
    assert.equal(again?.text, lines[1]!.text);
    assert.equal(again?.check(), 'verified');
    assert.deepEqual([again?.lineNumber, again?.offset], [2, lines[1]!.offset]);
  });

  withStore('finds no line by a place in a log that was rewritten since', async (store) => {
    await store.create(SESSION, [OPENING, record('mem_a')]);
    const { lines, position } = await store.read(SESSION);
    await store.rewrite(SESSION, (slice) => ({ keep: slice.lines.map((line) => ({ line })), append: [] }));
    assert.equal(await store.readLine(SESSION, lines[1]!, position), undefined);
  });

  withStore('starts again after a rewrite', async (store) => {
    await store.create(SESSION, [OPENING, record('mem_a'), record('mem_b')]);
    const { position } = await store.read(SESSION);
    await store.rewrite(SESSION, ({ lines }) => ({ keep: [{ line: lines[2]! }], append: [] }));
    const slice = await store.read(SESSION, position);
    assert.equal(slice.reset, true);
    assert.deepEqual(idsOf(slice), ['mem_b']);
  });

  withStore('contains every write that was acknowledged before it began', async (store) => {
    await store.create(SESSION, []);
    for (let i = 0; i < 30; i++) {
      const crowd = Array.from({ length: 5 }, (_, j) => store.append(SESSION, [record(`mem_${i}_${j}`)]));
      await crowd[0];
      assert.ok((await readIds(store, SESSION)).includes(`mem_${i}_0`));
      await Promise.all(crowd);
    }
    assert.equal((await readIds(store, SESSION)).length, 150);
  });
}
