import assert from 'node:assert/strict';
import { isCurrent, linesHolding, readLog } from '../core/read-log.ts';
import type { LogSlice } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import {
  AGENT,
  bytesOf,
  keepAll,
  NEW,
  newsSince,
  OPENING,
  OTHER_SESSION,
  readIds,
  record,
  rejectsWith,
  SESSION,
} from './conformance-records.ts';

export function lifecycleConformance({ withStore, withSession, supports }: Suite): void {
  withStore('makes a log with its first records', async (store) => {
    const bodies = [OPENING, record('mem_a')];
    const appended = await store.append(SESSION, bodies, NEW);
    assert.deepEqual(appended, { firstSeq: 1, lastSeq: 2, sizeBytes: bytesOf(bodies) });
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_a']);
  });

  withStore('makes a log without records', async (store) => {
    assert.deepEqual(await store.append(SESSION, [], NEW), { firstSeq: 1, lastSeq: 0, sizeBytes: 0 });
    assert.deepEqual(await readIds(store, SESSION), []);
    assert.equal((await store.append(SESSION, [OPENING])).firstSeq, 1);
  });

  withSession('refuses to make a log that is there, and leaves it alone', async (store) => {
    await rejectsWith('SESSION_EXISTS', () => store.append(SESSION, [record('mem_b')], NEW));
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening']);
  });

  withStore('makes one log when many ask for the same', async (store) => {
    const tries = Array.from({ length: 8 }, (_, i) => store.append(SESSION, [record(`mem_${i}`)], NEW));
    const results = await Promise.allSettled(tries);
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
    assert.equal((await readIds(store, SESSION)).length, 1);
  });

  withStore('makes a log that is missing, and adds to one that is there', async (store) => {
    const add = (id: string) => (slice: LogSlice) => [record(`${id}_after_${slice.lines.length}`)];
    const missing = { create: 'missing' } as const;
    await store.append(SESSION, [record('mem_a')], missing);
    assert.equal((await store.append(SESSION, add('mem_b'), missing)).firstSeq, 2);
    assert.deepEqual(await readIds(store, SESSION), ['mem_a', 'mem_b_after_1']);
    const { position } = await readLog(store, SESSION);
    const tries = [1, 2, 3].map((i) => store.append(AGENT, add(`mem_${i}`), { ...missing, after: position }));
    await Promise.all(tries);
    assert.deepEqual((await readIds(store, AGENT)).map((id) => id.slice(-1)).sort(), ['0', '1', '2']);
    const fail = (): string[] => assert.fail('mine');
    await assert.rejects(store.append(OTHER_SESSION, fail, missing), { message: 'mine' });
    assert.deepEqual(await store.list('session'), [SESSION.id]);
  });

  withStore('makes nothing when the first records have no room', async (store) => {
    await rejectsWith('SESSION_FULL', () => store.append(SESSION, [OPENING], { ...NEW, maxBytes: 10 }));
    assert.deepEqual(await store.list('session'), []);
    await store.append(SESSION, [OPENING], NEW);
  });

  withStore('takes tombstones with the first records', async (store) => {
    const { sizeBytes } = await store.append(SESSION, [OPENING], { ...NEW, tombstones: ['{"id":"x"}'] });
    assert.equal(await store.readDocument(SESSION, 'tombstones.jsonl'), '{"id":"x"}\n');
    assert.equal(sizeBytes, (await store.size(SESSION)).total);
  });

  withStore('keeps sessions and agents apart', async (store) => {
    await store.append({ kind: 'session', id: 'same' }, [record('mem_s')], NEW);
    await store.append({ kind: 'agent', id: 'same' }, [record('mem_a')], NEW);
    assert.deepEqual(await readIds(store, { kind: 'session', id: 'same' }), ['mem_s']);
    assert.deepEqual(await readIds(store, { kind: 'agent', id: 'same' }), ['mem_a']);
  });

  withStore('lists logs by kind, sorted, under the names they were given', async (store) => {
    for (const id of ['sess_b', 'sess_c', 'sess_a'])
      await store.append({ kind: 'session', id }, [OPENING], NEW);
    await store.append(AGENT, [OPENING], NEW);
    assert.deepEqual(await store.list('session'), ['sess_a', 'sess_b', 'sess_c']);
    assert.deepEqual(await store.list('session', undefined, { after: 'sess_a', limit: 1 }), ['sess_b']);
    assert.deepEqual(await store.list('agent'), [AGENT.id]);
    await store.remove({ kind: 'session', id: 'sess_b' });
    for (const kind of ['session', 'agent'] as const)
      assert.deepEqual((await store.folder?.listWithoutLog(kind)) ?? [], []);
  });

  withStore('names the sessions of a user, also before their second write', async (store) => {
    assert.deepEqual(await store.list('session', 'unknown'), []);
    await store.append({ ...OTHER_SESSION, userId: 'Ünal / 1' }, [OPENING], NEW);
    await store.append(SESSION, [OPENING], NEW);
    assert.deepEqual(await store.list('session', 'Ünal / 1'), [OTHER_SESSION.id]);
    await store.append({ ...SESSION, userId: 'Ünal / 1' }, [record('mem_a')]);
    await store.append({ ...OTHER_SESSION, userId: 'Ünal / 1' }, [record('mem_b')]);
    assert.deepEqual(await store.list('session', 'Ünal / 1'), [SESSION.id, OTHER_SESSION.id]);
    assert.deepEqual(await store.list('session', 'Ünal / 1', { limit: 1 }), [SESSION.id]);
    assert.deepEqual(await store.list('session', 'Ünal / 1', { after: SESSION.id, limit: 9 }), [
      OTHER_SESSION.id,
    ]);
    await store.remove(SESSION);
    assert.deepEqual(await store.list('session', 'Ünal / 1'), [OTHER_SESSION.id]);
  });

  withSession('removes a log and everything beside it', async (store) => {
    const { position } = await readLog(store, SESSION);
    await store.writeDocument(SESSION, 'index.json', '{}');
    assert.equal(await store.remove(SESSION), true);
    assert.equal(await store.remove(SESSION), false);
    assert.deepEqual(await store.list('session'), []);
    assert.equal(await store.readDocument(SESSION, 'index.json'), undefined);
    assert.equal(await isCurrent(store, SESSION, position), false);
  });

  withStore('creates a removed log again, with nothing of the old one', async (store) => {
    await store.append(SESSION, [OPENING, record('mem_old')], NEW);
    const { position } = await readLog(store, SESSION);
    await store.append(SESSION, [record('mem_older')], { tombstones: ['{"id":"t"}'] });
    await store.remove(SESSION);
    await store.append(SESSION, [record('mem_new')], NEW);
    assert.equal((await store.append(SESSION, [record('mem_next')])).firstSeq, 2);
    const slice = await newsSince(store, SESSION, position);
    assert.equal(slice.reset, true);
    assert.deepEqual(await readIds(store, SESSION), ['mem_new', 'mem_next']);
    assert.equal(await store.readDocument(SESSION, 'tombstones.jsonl'), undefined);
  });

  withSession('says so when a log is not there', async (store) => {
    const { position } = await readLog(store, SESSION);
    const calls = [
      () => store.append(OTHER_SESSION, [OPENING]),
      () => store.append(OTHER_SESSION, () => []),
      () => readLog(store, OTHER_SESSION),
      () => linesHolding(store, OTHER_SESSION, 'text'),
      () => store.rewrite(OTHER_SESSION, keepAll),
      () => store.size(OTHER_SESSION),
      () => store.writeDocument(OTHER_SESSION, 'index.json', '{}'),
    ];
    for (const call of calls) await rejectsWith('SESSION_NOT_FOUND', call);
    assert.equal(await isCurrent(store, OTHER_SESSION, position), false);
    assert.equal(await store.readDocument(OTHER_SESSION, 'index.json'), undefined);
    assert.equal(await store.remove(OTHER_SESSION), false);
    assert.equal(store.folder?.pendingWrites(OTHER_SESSION) ?? 0, 0);
  });

  withSession('keeps documents beside a log and at the root', async (store) => {
    for (const owner of [SESSION, undefined]) {
      assert.equal(await store.readDocument(owner, 'metadata.json'), undefined);
      await store.writeDocument(owner, 'metadata.json', '{"text":"ein Ü, ein 🦆"}');
      await store.writeDocument(owner, 'metadata.json', '{"text":"zwei"}');
      assert.equal(await store.readDocument(owner, 'metadata.json'), '{"text":"zwei"}');
    }
    await store.writeDocument(SESSION, 'metadata.json', '');
    assert.equal(await store.readDocument(SESSION, 'metadata.json'), '');
    assert.equal(await store.readDocument(undefined, 'metadata.json'), '{"text":"zwei"}');
    const inFolder = 'indices/metadata.json';
    assert.equal(await store.readDocument(undefined, inFolder), undefined);
    await store.writeDocument(undefined, inFolder, '{}');
    await store.writeDocument(undefined, inFolder, '{"text":"drei"}');
    assert.equal(await store.readDocument(undefined, inFolder), '{"text":"drei"}');
  });

  withSession('refuses everything once it is closed, and closes twice', async (store) => {
    await store.close();
    await store.close();
    const calls = [
      () => store.append(OTHER_SESSION, [OPENING], NEW),
      () => store.append(SESSION, [OPENING]),
      () => store.append(SESSION, () => []),
      () => readLog(store, SESSION),
      () => store.read([{ log: SESSION, places: [] }]),
      () => store.rewrite(SESSION, keepAll),
      () => store.remove(SESSION),
      () => store.list('session'),
      () => store.list('session', 'u'),
      () => store.size(SESSION),
      () => store.readDocument(SESSION, 'index.json'),
      () => store.writeDocument(SESSION, 'index.json', '{}'),
    ];
    for (const call of calls) await rejectsWith('STORE_CLOSED', call);
  });

  withSession('finishes what is under way before it is closed', async (store) => {
    const appends = Array.from({ length: 20 }, (_, i) => store.append(SESSION, [record(`mem_${i}`)]));
    const rewritten = store.rewrite(SESSION, keepAll);
    const created = store.append(OTHER_SESSION, [OPENING], NEW);
    await store.close();
    await Promise.all([...appends, rewritten, created]);
  });

  withStore(
    supports.reopening ? 'is found as it was left by another opening' : 'keeps nothing when it is closed',
    async (store, fixture) => {
      if (!supports.reopening) {
        assert.equal(fixture.reopen, undefined);
        return;
      }
      await store.append({ ...SESSION, userId: 'u' }, [OPENING], NEW);
      const { position } = await readLog(store, SESSION);
      const another = fixture.reopen!();
      await store.append({ ...SESSION, userId: 'u' }, [record('mem_a')]);
      assert.deepEqual(await readIds(another, SESSION), ['mem_opening', 'mem_a']);
      assert.equal((await another.append(SESSION, [record('mem_b')])).firstSeq, 3);
      assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_a', 'mem_b']);
      assert.equal(await isCurrent(store, SESSION, position), false);
      assert.deepEqual(await another.list('session', 'u'), [SESSION.id]);
      await another.close();
    },
  );
}
