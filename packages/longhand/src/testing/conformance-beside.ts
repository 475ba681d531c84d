import assert from 'node:assert/strict';
import { isCurrent, readLog } from '../core/read-log.ts';
import type { LogAddress, LogStore, StoredBytes } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import { NEW, OPENING, OTHER_SESSION, readIds, record, rejectsWith, SESSION } from './conformance-records.ts';

const TRANSCRIPT: LogAddress = { kind: 'transcript', id: SESSION.id };
const DETAILS: LogAddress = { kind: 'details', id: SESSION.id };
const USER = 'Ünal / 1';
const NOTES = { kind: 'notes', userId: USER, id: 'Ada / “the one” 🦆' } as const;
const OTHER_NOTES = { kind: 'notes', userId: USER, id: 'b' } as const;
const DOCUMENT = 'notes.md';
const NO_SESSION = { kind: 'session', id: 'sess_none' } as const;

/** What lies beside a log: transcript and details of a session, notes, documents that people edit, large values. */
export function besideConformance({ withStore, withSession, supports }: Suite): void {
  withStore('keeps a transcript and details beside their session', async (store) => {
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(TRANSCRIPT, [OPENING], NEW));
    await store.append(SESSION, [OPENING], NEW);
    await rejectsWith('SESSION_NOT_FOUND', () => readLog(store, TRANSCRIPT));
    await store.append(TRANSCRIPT, [], NEW);
    await store.append(DETAILS, [record('mem_d')], NEW);
    await rejectsWith('SESSION_EXISTS', () => store.append(TRANSCRIPT, [OPENING], NEW));
    await store.append(TRANSCRIPT, [record('mem_a'), record('mem_b')]);
    await store.append(SESSION, [record('mem_c')]);
    assert.deepEqual(await readIds(store, TRANSCRIPT), ['mem_a', 'mem_b']);
    assert.deepEqual(await readIds(store, DETAILS), ['mem_d']);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_c']);
    assert.deepEqual(await store.list('session'), [SESSION.id]);
    const { log, total, index, tombstones } = await store.size(TRANSCRIPT);
    assert.deepEqual([index, tombstones, total], [0, 0, log]);
  });

  withSession('rewrites them without touching what lies beside', async (store) => {
    await store.append(TRANSCRIPT, [record('mem_a'), record('mem_b')], NEW);
    const { position } = await readLog(store, TRANSCRIPT);
    await store.rewrite(TRANSCRIPT, ({ lines }) => ({
      keep: [{ line: lines[1]! }],
      append: [record('mem_end')],
    }));
    assert.equal(await isCurrent(store, TRANSCRIPT, position), false);
    assert.deepEqual(await readIds(store, TRANSCRIPT), ['mem_b', 'mem_end']);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening']);
  });

  withSession('removes them alone, or with their session', async (store) => {
    await store.append(TRANSCRIPT, [OPENING], NEW);
    await store.append(DETAILS, [OPENING], NEW);
    await store.writeBlob(SESSION, 'value_1', [Uint8Array.of(1)]);
    assert.equal(await store.remove(TRANSCRIPT), true);
    assert.equal(await store.remove(TRANSCRIPT), false);
    await rejectsWith('SESSION_NOT_FOUND', () => readLog(store, TRANSCRIPT));
    assert.deepEqual(await readIds(store, DETAILS), ['mem_opening']);
    assert.equal(await store.remove(SESSION), true);
    await rejectsWith('SESSION_NOT_FOUND', () => readLog(store, DETAILS));
    assert.deepEqual(await store.list('blob', SESSION.id), []);
    await store.append(SESSION, [OPENING], NEW);
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(DETAILS, [OPENING]));
    assert.equal(await store.openBlob(SESSION, 'value_1'), undefined);
  });

  withStore('keeps notes by user and agent', async (store) => {
    assert.deepEqual(await store.list('notes', USER), []);
    await store.append(NOTES, [record('mem_1')], NEW);
    await store.append(OTHER_NOTES, [], NEW);
    await store.append({ ...NOTES, userId: 'another' }, [record('mem_2')], NEW);
    assert.deepEqual(await readIds(store, NOTES), ['mem_1']);
    assert.deepEqual(await store.list('notes', USER), [NOTES.id, OTHER_NOTES.id].sort());
    assert.deepEqual(await store.list('user'), ['another', USER].sort());
    assert.equal(await store.remove(NOTES), true);
    assert.deepEqual(await store.list('notes', USER), [OTHER_NOTES.id]);
    assert.deepEqual(await readIds(store, { ...NOTES, userId: 'another' }), ['mem_2']);
  });

  withStore('exchanges a document only for what it is said to hold', async (store) => {
    await store.append(NOTES, [], NEW);
    await store.append(OTHER_NOTES, [], NEW);
    assert.equal(await store.writeDocument(NOTES, DOCUMENT, 'lost', { expected: 'something' }), false);
    assert.equal(await store.readDocument(NOTES, DOCUMENT), undefined);
    assert.equal(await store.writeDocument(NOTES, DOCUMENT, 'first ☕', { expected: null }), true);
    assert.equal(await store.writeDocument(NOTES, DOCUMENT, 'lost', { expected: null }), false);
    assert.equal(await store.writeDocument(NOTES, DOCUMENT, 'second', { expected: 'first ☕' }), true);
    assert.equal(await store.readDocument(NOTES, DOCUMENT), 'second');
    assert.equal(await store.readDocument(OTHER_NOTES, DOCUMENT), undefined);
    const exchanges = ['a', 'b', 'c'].map((text) =>
      store.writeDocument(NOTES, DOCUMENT, text, { expected: 'second' }),
    );
    assert.equal((await Promise.all(exchanges)).filter(Boolean).length, 1);
    assert.equal(await store.writeDocument(NOTES, DOCUMENT, undefined), true);
    assert.equal(await store.writeDocument(NOTES, DOCUMENT, undefined), false);
    await rejectsWith('SESSION_NOT_FOUND', () =>
      store.writeDocument({ ...NOTES, userId: 'x' }, DOCUMENT, '', { expected: null }),
    );
  });

  withStore('exchanges documents that belong to no log in the same way', async (store) => {
    for (const name of ['indices/list.json', 'list.json']) {
      assert.equal(await store.writeDocument(undefined, name, 'lost', { expected: 'something' }), false);
      assert.equal(await store.readDocument(undefined, name), undefined);
      assert.equal(await store.writeDocument(undefined, name, 'first ☕', { expected: null }), true);
      assert.equal(await store.writeDocument(undefined, name, 'lost', { expected: null }), false);
      const exchanges = ['a', 'b', 'c'].map((text) =>
        store.writeDocument(undefined, name, text, { expected: 'first ☕' }),
      );
      assert.equal((await Promise.all(exchanges)).filter(Boolean).length, 1);
      assert.equal(await store.writeDocument(undefined, name, undefined, { expected: 'first ☕' }), false);
      assert.equal(await store.writeDocument(undefined, name, undefined), true);
      assert.equal(await store.writeDocument(undefined, name, undefined), false);
      assert.equal(await store.readDocument(undefined, name), undefined);
    }
  });

  withStore('forgets the document with its notes', async (store) => {
    await store.append(NOTES, [], NEW);
    await store.writeDocument(NOTES, DOCUMENT, 'text', { expected: null });
    await store.remove(NOTES);
    await store.append(NOTES, [], NEW);
    assert.equal(await store.readDocument(NOTES, DOCUMENT), undefined);
  });

  withSession('keeps large values whole, each under a name of its own', async (store, fixture) => {
    await store.append(OTHER_SESSION, [OPENING], NEW);
    assert.equal(await store.writeBlob(SESSION, 'big.txt', inChunks(300, 1_000)), 300_000);
    await rejectsWith('ID_TAKEN', () => store.writeBlob(SESSION, 'big.txt', []));
    await rejectsWith('INVALID_ID', () => store.writeBlob(SESSION, '../big', []));
    await rejectsWith('SESSION_NOT_FOUND', () => store.writeBlob(NO_SESSION, 'a', []));
    await store.writeBlob(SESSION, 'none', []);
    assert.deepEqual(await store.list('blob', SESSION.id), ['big.txt', 'none']);
    assert.deepEqual(await store.list('blob', OTHER_SESSION.id), []);
    const other = supports.reopening ? fixture.reopen!() : store;
    const blob = (await other.openBlob(SESSION, 'big.txt'))!;
    assert.equal(blob.size, 300_000);
    assert.deepEqual([...(await blob.read(1_999, 3))], [2, 3, 3]);
    assert.equal((await blob.read(299_999, 10)).length, 1);
    assert.equal((await blob.read(400_000, 10)).length, 0);
    // Into memory of the caller's, when it is large enough; what comes without it stays as it is.
    const [own, room] = [await blob.read(0, 2), new Uint8Array(8)];
    assert.deepEqual([...(await blob.read(1_999, 3, room))], [2, 3, 3]);
    assert.deepEqual([...(await blob.read(299_999, 8, room))], [50]);
    assert.deepEqual([...(await blob.read(995, 9, room))], [1, 1, 1, 1, 1, 2, 2, 2, 2]);
    assert.deepEqual([...own], [1, 1]);
    assert.equal(await store.removeBlobs(SESSION, ['big.txt', 'none', 'never']), 2);
    assert.equal(await store.removeBlobs(SESSION, ['big.txt']), 0);
    assert.equal(await store.removeBlobs(NO_SESSION, ['big.txt']), 0);
    // Opened before it went: still readable.
    assert.equal((await blob.read(0, 5)).length, 5);
    blob.close();
    assert.equal(await store.openBlob(SESSION, 'big.txt'), undefined);
    if (other !== store) await other.close();
  });

  withSession('leaves nothing of a value whose source fails', async (store) => {
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1, 2, 3);
      throw new Error('the source broke off');
    };
    await assert.rejects(store.writeBlob(SESSION, 'value', failing()));
    assert.deepEqual(await store.list('blob', SESSION.id), []);
    assert.equal(await store.writeBlob(SESSION, 'value', [Uint8Array.of(9)]), 1);
  });

  withSession('gives a name to one of several values that are written at once', async (store) => {
    const values = [1, 2, 3].map((n) => store.writeBlob(SESSION, 'value', inChunks(n, 10)));
    const settled = await Promise.allSettled(values);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.deepEqual(await store.list('blob', SESSION.id), ['value']);
  });

  withStore('keeps the ledger of an account', async (store) => {
    const ledger: LogAddress = { kind: 'ledger', id: 'Ünal & Co.' };
    await store.append(ledger, [record('mem_1')], NEW);
    await store.append(ledger, [record('mem_2')]);
    assert.deepEqual(await readIds(store, ledger), ['mem_1', 'mem_2']);
    await rejectsWith('SESSION_EXISTS', () => store.append(ledger, [], NEW));
  });

  withStore('removes a user of whom nothing is left', async (store) => {
    await store.append({ ...SESSION, userId: USER }, [OPENING], NEW);
    await store.append(NOTES, [OPENING], NEW);
    await store.remove({ ...SESSION, userId: USER });
    await store.remove(NOTES);
    assert.equal(await store.remove({ kind: 'user', id: USER }), true);
    assert.equal(await store.remove({ kind: 'user', id: USER }), false);
    assert.deepEqual(await store.list('user'), []);
    assert.deepEqual(await store.list('session', USER), []);
    await store.append({ ...OTHER_SESSION, userId: USER }, [OPENING], NEW);
    assert.deepEqual(await store.list('session', USER), [OTHER_SESSION.id]);
  });

  withStore('shows every byte that it holds', async (store) => {
    await store.append({ ...SESSION, userId: USER }, [record('mem_1', 'in the log')], NEW);
    await store.append(TRANSCRIPT, [record('mem_2', 'in the transcript')], NEW);
    await store.append(NOTES, [record('mem_3', 'in the versions')], NEW);
    await store.writeDocument(NOTES, DOCUMENT, 'in the notes', { expected: null });
    await store.writeDocument(SESSION, 'metadata.json', 'in the metadata');
    await store.writeDocument(undefined, 'config.json', 'in the configuration');
    await store.writeBlob(SESSION, 'value', [Buffer.from('in the value')]);
    const chunks: StoredBytes[] = [];
    for await (const chunk of store.scan()) chunks.push({ ...chunk, bytes: Uint8Array.from(chunk.bytes) });
    for (const room of ['log', 'transcript', 'versions', 'notes', 'metadata', 'configuration', 'value']) {
      assert.ok(includesText(chunks, `in the ${room}`), room);
    }
    assert.ok(!includesText(chunks, 'in the cellar'));
  });

  withStore(
    supports.reopening ? 'lets two openings write to all of them at once' : 'writes to all of them at once',
    async (store, fixture) => {
      await store.append(SESSION, [OPENING], NEW);
      await store.append(TRANSCRIPT, [], NEW);
      const stores = supports.reopening ? [store, fixture.reopen!()] : [store];
      const write = async (target: LogStore, log: LogAddress, i: number): Promise<void> => {
        await target.append(log, [record(`mem_${i}`)]);
      };
      await Promise.all(
        stores.flatMap((target) =>
          Array.from({ length: 50 }, (_, i) => write(target, i % 2 === 0 ? SESSION : TRANSCRIPT, i)),
        ),
      );
      assert.equal((await readIds(store, TRANSCRIPT)).length, 25 * stores.length);
      assert.equal((await readIds(store, SESSION)).length, 1 + 25 * stores.length);
      for (const other of stores.slice(1)) await other.close();
    },
  );
}

function includesText(chunks: readonly StoredBytes[], text: string): boolean {
  return chunks.some(({ bytes }) => Buffer.from(bytes).includes(text));
}

async function* inChunks(count: number, size: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i++) yield new Uint8Array(size).fill((i % 250) + 1);
}
