import assert from 'node:assert/strict';
import type { LogAddress, LogStore, RewritePlan } from '../core/store.ts';
import type { StoreCapabilities, WithStore } from './conformance.ts';
import { OPENING, readIds, record, rejectsWith, SESSION } from './conformance-records.ts';

const TRANSCRIPT: LogAddress = { kind: 'transcript', id: SESSION.id };

async function lifeOf(store: LogStore, log: LogAddress = SESSION): Promise<string> {
  return (await store.read(log)).life;
}

/** A log that was removed and made again is another one, whatever its name: nothing that was meant for the first lands in it. */
export function livesConformance(withStore: WithStore, supports: StoreCapabilities): void {
  withStore('stays in one life through writes and rewrites', async (store) => {
    await store.create(SESSION, [OPENING]);
    const life = await lifeOf(store);
    await store.append(SESSION, [record('mem_a')], { life });
    await store.rewrite(SESSION, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] }));
    assert.equal(await lifeOf(store), life);
    await store.append(SESSION, [record('mem_b')], { life });
    let seen: string | undefined;
    await store.transact(
      SESSION,
      undefined,
      (slice) => {
        seen = slice.life;
        return [record('mem_c')];
      },
      { life },
    );
    assert.equal(seen, life);
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_a', 'mem_b', 'mem_c']);
  });

  withStore('refuses what was meant for an earlier life, and decides nothing for it', async (store) => {
    await store.create(SESSION, [OPENING]);
    const life = await lifeOf(store);
    await store.remove(SESSION);
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(SESSION, [record('mem_a')], { life }));
    await store.create(SESSION, [record('mem_new')]);
    const next = await lifeOf(store);
    assert.notEqual(next, life);
    let isAsked = false;
    const decide = (): string[] => {
      isAsked = true;
      return [record('mem_b')];
    };
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(SESSION, [record('mem_a')], { life }));
    await rejectsWith('SESSION_NOT_FOUND', () => store.transact(SESSION, undefined, decide, { life }));
    assert.equal(isAsked, false);
    assert.equal(await store.remove(SESSION, { life }), false);
    await store.append(SESSION, [record('mem_next')], { life: next });
    assert.deepEqual(await readIds(store, SESSION), ['mem_new', 'mem_next']);
    assert.equal(await store.remove(SESSION, { life: next }), true);
  });

  withStore('writes nothing anew for an earlier life, and keeps nothing beside its log', async (store) => {
    await store.create(SESSION, [OPENING]);
    const life = await lifeOf(store);
    await store.create(TRANSCRIPT, [record('mem_said')]);
    await store.remove(SESSION);
    await store.create(SESSION, [record('mem_new')]);
    await store.create(TRANSCRIPT, [record('mem_said')]);
    let isAsked = false;
    const decide = (): RewritePlan => {
      isAsked = true;
      return { keep: [], append: [] };
    };
    async function* value(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
    }
    const refused = [
      () => store.rewrite(SESSION, decide, { life }),
      () => store.rewrite(TRANSCRIPT, decide, { life }),
      () => store.writeDocument(SESSION, 'index.json', '{"of":"another"}', { life }),
      () => store.writeBlob(SESSION.id, 'value', value(), { life }),
    ];
    for (const write of refused) await rejectsWith('SESSION_NOT_FOUND', write);
    assert.equal(isAsked, false);
    assert.deepEqual(await readIds(store, SESSION), ['mem_new']);
    assert.deepEqual(await readIds(store, TRANSCRIPT), ['mem_said']);
    assert.equal(await store.readDocument(SESSION, 'index.json'), undefined);
    assert.deepEqual(await store.listBlobs(SESSION.id), []);
    const next = { life: await lifeOf(store) };
    await store.rewrite(
      SESSION,
      ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] }),
      next,
    );
    await store.writeDocument(SESSION, 'index.json', '{}', next);
    assert.equal(await store.writeBlob(SESSION.id, 'value', value(), next), 1);
    assert.deepEqual(await readIds(store, SESSION), ['mem_new']);
    assert.equal(await store.readDocument(SESSION, 'index.json'), '{}');
  });

  withStore('writes no document that was made from a log before it was rewritten', async (store) => {
    await store.create(SESSION, [OPENING]);
    const { life, position } = await store.read(SESSION);
    const madeFrom = { life, generation: position.generation };
    await store.append(SESSION, [record('mem_a')]);
    assert.equal(await store.writeDocument(SESSION, 'index.json', '{"of":"one"}', madeFrom), true);
    await store.rewrite(SESSION, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] }));
    assert.equal(await store.writeDocument(SESSION, 'index.json', '{"of":"another"}', madeFrom), false);
    assert.equal(await store.readDocument(SESSION, 'index.json'), '{"of":"one"}');
    const { generation } = (await store.read(SESSION)).position;
    assert.equal(await store.writeDocument(SESSION, 'index.json', '{}', { life, generation }), true);
    assert.equal(await store.writeDocument(SESSION, 'metadata.json', '{}'), true);
    await store.remove(SESSION);
    await store.create(SESSION, [OPENING]);
    await rejectsWith('SESSION_NOT_FOUND', () => store.writeDocument(SESSION, 'index.json', '{}', madeFrom));
  });

  withStore('keeps no value whose session has gone to another life while it came in', async (store) => {
    await store.create(SESSION, [OPENING]);
    const life = await lifeOf(store);
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Uint8Array.of(1);
      await store.remove(SESSION);
      await store.create(SESSION, [record('mem_new')]);
      yield Uint8Array.of(2);
    }
    await rejectsWith('SESSION_NOT_FOUND', () => store.writeBlob(SESSION.id, 'value', slow(), { life }));
    assert.deepEqual(await store.listBlobs(SESSION.id), []);
  });

  withStore('refuses one of many that wait together, and takes the others', async (store) => {
    await store.create(SESSION, [OPENING]);
    const old = await lifeOf(store);
    await store.remove(SESSION);
    await store.create(SESSION, [OPENING]);
    const life = await lifeOf(store);
    const results = await Promise.allSettled([
      store.append(SESSION, [record('mem_a')], { life }),
      store.append(SESSION, [record('mem_b')], { life: old }),
      store.append(SESSION, [record('mem_c')]),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await readIds(store, SESSION), ['mem_opening', 'mem_a', 'mem_c']);
  });

  withStore('gives a transcript the life of its session', async (store) => {
    await store.create(SESSION, [OPENING]);
    const life = await lifeOf(store);
    await store.create(TRANSCRIPT, [], { life });
    assert.equal(await lifeOf(store, TRANSCRIPT), life);
    await store.append(TRANSCRIPT, [record('mem_a')], { life });
    await store.remove(SESSION);
    await store.create(SESSION, [OPENING]);
    await rejectsWith('SESSION_NOT_FOUND', () => store.create(TRANSCRIPT, [], { life }));
    await store.create(TRANSCRIPT, []);
    await rejectsWith('SESSION_NOT_FOUND', () => store.append(TRANSCRIPT, [record('mem_b')], { life }));
    assert.equal(await lifeOf(store, TRANSCRIPT), await lifeOf(store));
    assert.deepEqual(await readIds(store, TRANSCRIPT), []);
  });

  if (supports.reopening) {
    withStore('refuses it also when another opening has made the log again', async (store, fixture) => {
      await store.create(SESSION, [OPENING]);
      const life = await lifeOf(store);
      const another = fixture.reopen!();
      assert.equal(await lifeOf(another), life);
      await another.rewrite(SESSION, ({ lines }) => ({ keep: lines.map((line) => ({ line })), append: [] }));
      await store.append(SESSION, [record('mem_a')], { life });
      await another.remove(SESSION);
      await another.create(SESSION, [record('mem_new')]);
      await rejectsWith('SESSION_NOT_FOUND', () => store.append(SESSION, [record('mem_b')], { life }));
      const drop = (): RewritePlan => ({ keep: [], append: [] });
      await rejectsWith('SESSION_NOT_FOUND', () => store.rewrite(SESSION, drop, { life }));
      assert.equal(await store.remove(SESSION, { life }), false);
      assert.deepEqual(await readIds(store, SESSION), ['mem_new']);
      await another.close();
    });
  }
}
