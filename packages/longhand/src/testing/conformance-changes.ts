import assert from 'node:assert/strict';
import { readAfter, readLog } from '../core/read-log.ts';
import type { ChangeMark, IndexFamily, LogAddress, LogPosition, LogStore } from '../core/store.ts';
import type { Suite } from './conformance.ts';
import { NEW, OPENING, OTHER_SESSION, record, SESSION } from './conformance-records.ts';

const USER = { userId: 'Ünal / 1' };
/** More notes of long names than a change file holds before it is rewritten. */
const MANY_NOTES = 5_000;
const LONG_NAMES = ['a', 'b'].map((letter) => ({ kind: 'session', id: letter.repeat(64) }) as const);

/** A reader that looks at nothing but what `follow` names, as a search index does. */
class Follower {
  readonly #store: LogStore;
  readonly #positions = new Map<string, LogPosition>();
  readonly records = new Map<string, number>();
  mark: ChangeMark | undefined;

  constructor(store: LogStore) {
    this.#store = store;
  }

  async follow(): Promise<void> {
    const { sessionIds, mark } = await this.#store.follow(USER.userId, this.mark);
    for (const id of sessionIds.filter((each) => each !== '')) {
      const slice = await readAfter(this.#store, { kind: 'session', id }, this.#positions.get(id));
      if (typeof slice === 'string') continue;
      this.#positions.set(id, slice.position);
      const before = slice.reset ? 0 : (this.records.get(id) ?? 0);
      this.records.set(id, before + slice.lines.length);
    }
    this.mark = mark;
  }
}

export function changesConformance({ withStore, supports }: Suite): void {
  withStore('names nothing for a user without sessions', async (store) => {
    const { sessionIds, mark } = await store.follow('unknown');
    assert.deepEqual(sessionIds, []);
    const again = await store.follow('unknown', mark);
    assert.ok(again.sessionIds.every((id) => id === ''));
  });

  withStore('names what was written since a mark, and the session that was last then', async (store) => {
    await store.append({ ...SESSION, ...USER }, [OPENING], NEW);
    await store.append({ ...OTHER_SESSION, ...USER }, [OPENING], NEW);
    const first = await store.follow(USER.userId);
    assert.deepEqual(first.sessionIds, [SESSION.id, OTHER_SESSION.id]);
    const none = await store.follow(USER.userId, first.mark);
    assert.deepEqual(none.sessionIds, [OTHER_SESSION.id]);
    assert.deepEqual(none.mark, first.mark);
    await store.append({ ...SESSION, ...USER }, [record('mem_a')]);
    const second = await store.follow(USER.userId, first.mark);
    assert.deepEqual(second.sessionIds, [SESSION.id, OTHER_SESSION.id]);
    assert.deepEqual((await store.follow(USER.userId, second.mark)).sessionIds, [SESSION.id]);
    assert.deepEqual((await store.follow('another')).sessionIds, []);
  });

  withStore('tells nothing to a user whose log it was not that is removed', async (store) => {
    await store.append({ ...SESSION, ...USER }, [OPENING], NEW);
    await store.append(OTHER_SESSION, [OPENING], NEW);
    const { mark } = await store.follow(USER.userId);
    assert.equal(await store.remove({ ...OTHER_SESSION, ...USER }), true);
    assert.deepEqual(await store.list('session', USER.userId), [SESSION.id]);
    const { sessionIds } = await store.follow(USER.userId, mark);
    assert.deepEqual(sessionIds, [SESSION.id]);
  });

  withStore('starts again for a user who was removed', async (store) => {
    await store.append({ ...SESSION, ...USER }, [OPENING, record('mem_a')], NEW);
    await store.append({ ...SESSION, ...USER }, [record('mem_b')]);
    const { mark } = await store.follow(USER.userId);
    await store.remove(SESSION);
    await store.remove({ kind: 'user', id: USER.userId });
    const gone = await store.follow(USER.userId, mark);
    assert.notEqual(gone.mark.generation, mark.generation);
    await store.append({ ...OTHER_SESSION, ...USER }, [OPENING], NEW);
    for (const since of [mark, gone.mark]) {
      assert.deepEqual((await store.follow(USER.userId, since)).sessionIds, [OTHER_SESSION.id]);
    }
  });

  withStore('names one session when there is no news, whatever their number', async (store) => {
    const logs = Array.from({ length: 200 }, (_, i) => ({ kind: 'session', id: `sess_${i}` }) as const);
    for (const log of logs) await store.append({ ...log, ...USER }, [OPENING], NEW);
    const { sessionIds, mark } = await store.follow(USER.userId);
    assert.equal(sessionIds.length, 200);
    assert.ok((await store.follow(USER.userId, mark)).sessionIds.length <= 1);
  });

  withStore('notes a session without records, as after a rewrite that dropped them all', async (store) => {
    await store.append({ ...SESSION, ...USER }, [OPENING], NEW);
    await store.append({ ...OTHER_SESSION, ...USER }, [OPENING], NEW);
    const { mark } = await store.follow(USER.userId);
    await store.append({ ...SESSION, ...USER }, []);
    assert.ok((await store.follow(USER.userId, mark)).sessionIds.includes(SESSION.id));
  });

  withStore('reports a removal by another generation, and stops naming what was removed', async (store) => {
    await store.append({ ...SESSION, ...USER }, [OPENING], NEW);
    await store.append({ ...OTHER_SESSION, ...USER }, [OPENING], NEW);
    const { mark } = await store.follow(USER.userId);
    assert.equal(await store.remove({ ...SESSION, ...USER }), true);
    const after = await store.follow(USER.userId, mark);
    assert.notEqual(after.mark.generation, mark.generation);
    assert.deepEqual(after.sessionIds, [OTHER_SESSION.id]);
    assert.equal(after.mark.lastId, OTHER_SESSION.id);
    assert.deepEqual(await store.list('session', USER.userId), [OTHER_SESSION.id]);
    assert.equal(await store.remove({ ...SESSION, ...USER }), false);
    for await (const { place, bytes } of store.scan())
      assert.ok(!`${place} ${Buffer.from(bytes).toString()}`.includes(SESSION.id), place);
    await store.append({ ...SESSION, ...USER }, [OPENING], NEW);
    assert.deepEqual(await store.list('session', USER.userId), [SESSION.id, OTHER_SESSION.id]);
  });

  withStore('lets a follower miss nothing while many write', async (store, fixture) => {
    const logs = Array.from({ length: 6 }, (_, i) => ({ kind: 'session', id: `sess_${i}` }) as const);
    for (const log of logs) await store.append({ ...log, ...USER }, [OPENING], NEW);
    const writers = supports.reopening ? [store, fixture.reopen!()] : [store];
    const follower = new Follower(store);
    for (let round = 0; round < 30; round++) {
      const log = logs[(round * 5) % logs.length]!;
      const other = logs[(round * round) % logs.length]!;
      await Promise.all([
        writers[round % writers.length]!.append({ ...log, ...USER }, [record(`mem_${round}_a`)]),
        writers.at(-1)!.append({ ...other, ...USER }, [record(`mem_${round}_b`)]),
        follower.follow(),
      ]);
      await follower.follow();
      await expectAll(store, logs, follower);
    }
    for (const writer of writers.slice(1)) await writer.close();
  });

  withStore('lets a follower miss nothing when there are more notes than are kept', async (store) => {
    for (const log of LONG_NAMES) await store.append({ ...log, ...USER }, [OPENING], NEW);
    const follower = new Follower(store);
    await follower.follow();
    for (let i = 0; i < MANY_NOTES; i++) await store.append({ ...LONG_NAMES[i % 2]!, ...USER }, []);
    for (const log of LONG_NAMES) await store.append({ ...log, ...USER }, [record('mem_a')]);
    await follower.follow();
    await expectAll(store, LONG_NAMES, follower);
    await store.append({ ...LONG_NAMES[0]!, ...USER }, [record('mem_b')]);
    await follower.follow();
    await expectAll(store, LONG_NAMES, follower);
  });

  if (!supports.indexFiles) {
    withStore('has no place for derived files', async (store) => {
      for (const family of ['index', 'vectors'] as const) {
        const work = () => assert.fail('not asked');
        assert.equal(await store.publishIndex(USER.userId, family, undefined, work), 'unsupported');
        assert.equal(await store.loadIndex(USER.userId, family, () => []), undefined);
      }
    });
    return;
  }

  withStore('keeps the files of a search index', async (store, fixture) => {
    const other = supports.reopening ? fixture.reopen!() : store;
    const stored = (names: readonly string[] = []) => store.loadIndex(USER.userId, 'index', () => names);
    const publish = (expected: string | undefined, manifest: string, names: readonly string[], by = other) =>
      by.publishIndex(USER.userId, 'index', expected, async () => ({ manifest, names, isErasure: true }));
    assert.equal(await stored(), undefined);
    const done = await store.publishIndex(USER.userId, 'index', undefined, async (writer) => {
      const written = await writer.write('a.segment', Uint8Array.of(1, 2, 3));
      assert.deepEqual([written.size, ...written.read(0, 9)], [3, 1, 2, 3]);
      written.close();
      (await writer.write('b.segment', Uint8Array.of(4))).close();
      assert.deepEqual([(await stored())?.manifest, (await stored())?.hasStrays], [undefined, true]);
      assert.equal(await publish(undefined, 'in between', []), 'busy');
      return { manifest: 'first', names: ['a.segment', 'b.segment'] };
    });
    assert.equal(done, 'done');
    const first = (await stored(['a.segment', 'b.segment']))!;
    assert.deepEqual([first.manifest, first.hasStrays, first.open('c.segment')], ['first', false, undefined]);
    assert.equal((await stored(['b.segment']))!.hasStrays, true);
    const held = first.open('a.segment')!;
    // What was decided from another manifest is not written.
    for (const expected of [undefined, 'zeroth']) assert.equal(await publish(expected, 'lost', []), 'stale');
    assert.equal((await stored())!.manifest, 'first');
    assert.equal(await publish('first', 'second', ['b.segment']), 'done');
    const second = (await stored(['b.segment']))!;
    assert.deepEqual([second.manifest, second.hasStrays], ['second', false]);
    assert.equal(second.open('a.segment'), undefined);
    assert.deepEqual([held.size, ...held.read(1, 10)], [3, 2, 3]);
    held.close();
    const failing = store.publishIndex(USER.userId, 'index', 'second', async (writer) => {
      (await writer.write('c.segment', Uint8Array.of(5))).close();
      throw new RangeError('mine');
    });
    await assert.rejects(failing, RangeError);
    assert.deepEqual(
      [(await stored())!.manifest, (await stored(['b.segment']))!.hasStrays],
      ['second', true],
    );
    assert.equal(await publish('second', 'third', ['b.segment'], store), 'done');
    assert.equal((await stored(['b.segment']))!.hasStrays, false);
    assert.equal(await store.loadIndex('another', 'index', () => []), undefined);
    if (other !== store) await other.close();
  });

  withStore('keeps vectors apart from the search index', async (store, fixture) => {
    const other = supports.reopening ? fixture.reopen!() : store;
    const stored = (family: IndexFamily) => store.loadIndex(USER.userId, family, () => ['a.vectors']);
    assert.equal(await stored('vectors'), undefined);
    const release = await store.claim('vectors', USER.userId);
    assert.ok(release);
    // There may be some soon.
    assert.deepEqual(
      [(await stored('vectors'))?.manifest, (await stored('vectors'))?.hasStrays],
      [undefined, false],
    );
    assert.equal(await other.claim('vectors', USER.userId), undefined);
    // The process that makes vectors keeps no other from taking some out.
    await other.publishIndex(USER.userId, 'vectors', undefined, async (writer) => {
      (await writer.write('a.vectors', Uint8Array.of(1))).close();
      return { manifest: 'vectors', names: ['a.vectors'] };
    });
    assert.equal(await stored('index'), undefined);
    assert.equal((await stored('vectors'))!.manifest, 'vectors');
    assert.equal(await store.claim('vectors', USER.userId), undefined);
    release();
    // A store may notice the release a moment later.
    let again: (() => void) | undefined;
    while (again === undefined) again = await other.claim('vectors', USER.userId);
    again();
    if (other !== store) await other.close();
  });
}

async function expectAll(store: LogStore, logs: readonly LogAddress[], follower: Follower): Promise<void> {
  for (const log of logs) {
    assert.equal(follower.records.get(log.id), (await readLog(store, log)).lines.length);
  }
}
