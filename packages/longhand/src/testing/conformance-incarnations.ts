import assert from 'node:assert/strict';
import { readLog } from '../core/read-log.ts';
import type { LogAddress, LogStore, RewritePlan, SessionAddress } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import { keepAll, NEW, OPENING, readIds, record, rejectsWith, SESSION } from './conformance-records.ts';

const TRANSCRIPT: SessionAddress = { kind: 'transcript', id: SESSION.id };

/** The address of the log as it is now. */
async function pinned(store: LogStore, log: SessionAddress = SESSION): Promise<SessionAddress> {
  return { ...log, incarnation: (await readLog(store, log)).incarnation };
}

async function makeAgain(store: LogStore, opening = OPENING): Promise<void> {
  await store.remove(SESSION);
  await store.append(SESSION, [opening], NEW);
}

/** A session that was removed and made again is another one, whatever its name: nothing that was meant for the first lands in it. */
export function incarnationConformance({ withSession, supports }: Suite): void {
  withSession('stays in one incarnation through writes and rewrites', async (store) => {
    const log = await pinned(store);
    await store.append(log, [record('mem_a')]);
    await store.rewrite(log, keepAll);
    assert.deepEqual(await pinned(store), log);
    await store.append(log, [record('mem_b')]);
    let seen: string | undefined;
    await store.append(log, (slice) => {
      seen = slice.incarnation;
      return [record('mem_c')];
    });
    assert.equal(seen, log.incarnation);
    assert.deepEqual(await readIds(store, log), ['mem_opening', 'mem_a', 'mem_b', 'mem_c']);
  });

  withSession('refuses what was meant for an earlier one, and decides nothing for it', async (store) => {
    const old = await pinned(store);
    const { position, lines: places } = await readLog(store, old);
    await store.remove(SESSION);
    for (const create of [undefined, 'missing', 'new'] as const)
      await rejectsWith('SESSION_NOT_FOUND', () => store.append(old, [OPENING], { create }));
    await store.append(SESSION, [record('mem_new')], NEW);
    const next = await pinned(store);
    assert.notEqual(next.incarnation, old.incarnation);
    const decide = (): string[] => assert.fail('asked');
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(old, [record('mem_a')]));
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(old, decide));
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(old, [OPENING], { create: 'missing' }));
    await rejectsWith('SESSION_NOT_FOUND', () => store.size(old));
    const after = { after: position };
    const wanted = [{}, after, { ...after, places }, { holding: 'mem' }, { aside: true }];
    for (const answer of await store.read(wanted.map((each) => ({ log: old, ...each }))))
      assert.equal(answer, undefined);
    assert.equal(await store.remove(old), false);
    await store.append(next, [record('mem_next')]);
    assert.deepEqual(await readIds(store, SESSION), ['mem_new', 'mem_next']);
    assert.equal(await store.remove(next), true);
  });

  withSession(
    'rewrites nothing for an earlier incarnation, and keeps nothing beside its log',
    async (store) => {
      const old = await pinned(store);
      await store.append(TRANSCRIPT, [record('mem_said')], NEW);
      await makeAgain(store, record('mem_new'));
      await store.append(TRANSCRIPT, [record('mem_said')], NEW);
      const decide = (): RewritePlan => assert.fail('asked');
      const value = [Uint8Array.of(1)];
      const next = await pinned(store);
      await store.writeDocument(next, 'metadata.json', '{}');
      await store.writeBlob(next, 'theirs', value);
      const refused = [
        () => store.rewrite(old, decide),
        () => store.rewrite({ ...old, kind: 'transcript' }, decide),
        () => store.writeDocument(old, 'index.json', '{"of":"another"}'),
        () => store.writeDocument(old, 'metadata.json', undefined),
        () => store.writeBlob(old, 'value', value),
      ];
      for (const write of refused) await rejectsWith('SESSION_NOT_FOUND', write);
      assert.equal(await store.readDocument(old, 'metadata.json'), undefined);
      assert.equal(await store.openBlob(old, 'theirs'), undefined);
      assert.equal(await store.removeBlobs(old, ['theirs']), 0);
      assert.deepEqual(await readIds(store, SESSION), ['mem_new']);
      assert.deepEqual(await readIds(store, TRANSCRIPT), ['mem_said']);
      assert.equal(await store.readDocument(SESSION, 'index.json'), undefined);
      assert.deepEqual(await store.list('blob', SESSION.id), ['theirs']);
      await store.rewrite(next, keepAll);
      await store.writeDocument(next, 'index.json', '{}');
      assert.equal(await store.writeBlob(next, 'value', value), 1);
      assert.deepEqual(await readIds(store, SESSION), ['mem_new']);
      assert.equal(await store.readDocument(next, 'index.json'), '{}');
      assert.equal(await store.removeBlobs(next, ['value', 'theirs']), 2);
    },
  );

  withSession('writes no document that was made from a log before it was rewritten', async (store) => {
    const log = await pinned(store);
    const madeFrom = { generation: (await readLog(store, log)).position.generation };
    await store.append(SESSION, [record('mem_a')]);
    assert.equal(await store.writeDocument(log, 'index.json', '{"of":"one"}', madeFrom), true);
    await store.rewrite(SESSION, keepAll);
    assert.equal(await store.writeDocument(log, 'index.json', '{"of":"another"}', madeFrom), false);
    assert.equal(await store.readDocument(SESSION, 'index.json'), '{"of":"one"}');
    const { generation } = (await readLog(store, SESSION)).position;
    assert.equal(await store.writeDocument(log, 'index.json', '{}', { generation }), true);
    assert.equal(await store.writeDocument(SESSION, 'metadata.json', '{}'), true);
    await makeAgain(store);
    await rejectsWith('SESSION_NOT_FOUND', () => store.writeDocument(log, 'index.json', '{}', madeFrom));
  });

  withSession('keeps no value whose session was made again while it came in', async (store) => {
    const log = await pinned(store);
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      await makeAgain(store);
      yield Uint8Array.of(2);
    }
    await rejectsWith('SESSION_NOT_FOUND', () => store.writeBlob(log, 'value', slow()));
    assert.deepEqual(await store.list('blob', SESSION.id), []);
  });

  withSession('refuses one of many that wait together, and takes the others', async (store) => {
    const old = await pinned(store);
    await makeAgain(store);
    const log = await pinned(store);
    const results = await Promise.allSettled([
      store.append(log, [record('mem_a')]),
      store.append(old, [record('mem_b')]),
      store.append(SESSION, [record('mem_c')]),
    ]);
    const states = results.map(({ status }) => status);
    assert.deepEqual(states, ['fulfilled', 'rejected', 'fulfilled']);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_a', 'mem_c']);
  });

  withSession('gives a transcript the incarnation of its session', async (store) => {
    const { incarnation } = await pinned(store);
    const old: LogAddress = { ...TRANSCRIPT, incarnation };
    let seen: string | undefined;
    const decide = (slice: { readonly incarnation: string }): string[] => {
      seen = slice.incarnation;
      return [record('mem_a')];
    };
    await store.append(old, decide, { create: 'missing' });
    assert.equal(seen, incarnation);
    assert.deepEqual(await pinned(store, TRANSCRIPT), old);
    await makeAgain(store);
    for (const create of ['new', 'missing'] as const)
      await rejectsWith('SESSION_NOT_FOUND', () => store.append(old, [], { create }));
    await store.append(TRANSCRIPT, [], NEW);
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(old, [record('mem_b')]));
    assert.equal((await pinned(store, TRANSCRIPT)).incarnation, (await pinned(store)).incarnation);
    assert.deepEqual(await readIds(store, TRANSCRIPT), []);
  });

  if (supports.reopening) {
    withSession('refuses it also when another opening has made the log again', async (store, fixture) => {
      const log = await pinned(store);
      const another = fixture.reopen!();
      assert.deepEqual(await pinned(another), log);
      await another.rewrite(SESSION, keepAll);
      await store.append(log, [record('mem_a')]);
      await makeAgain(another, record('mem_new'));
      await rejectsWith('SESSION_NOT_FOUND', () => store.append(log, [record('mem_b')]));
      await rejectsWith('SESSION_NOT_FOUND', () => store.rewrite(log, () => ({ keep: [], append: [] })));
      assert.equal(await store.remove(log), false);
      assert.deepEqual(await readIds(store, SESSION), ['mem_new']);
      await another.close();
    });
  }
}
