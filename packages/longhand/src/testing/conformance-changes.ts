import assert from 'node:assert/strict';
import type { ChangeMark, LogAddress, LogPosition, LogStore } from '../core/store.ts';
import type { StoreCapabilities, WithStore } from './conformance.ts';
import { OPENING, OTHER_SESSION, record, SESSION } from './conformance-records.ts';

const USER = { userId: 'Ünal / 1' };
/** More notes of long names than a change file holds before it is written anew. */
const MANY_NOTES = 5_000;
const LONG_NAMES = ['a', 'b'].map((letter): LogAddress => ({ kind: 'session', id: letter.repeat(64) }));

/** A reader that looks at nothing but what `changesOfUser` names, as a search index does. */
class Follower {
  readonly #store: LogStore;
  readonly #positions = new Map<string, LogPosition>();
  readonly records = new Map<string, number>();
  mark: ChangeMark | undefined;

  constructor(store: LogStore) {
    this.#store = store;
  }

  async follow(): Promise<void> {
    const { sessionIds, mark } = await this.#store.changesOfUser(USER.userId, this.mark);
    for (const id of sessionIds.filter((each) => each !== '')) {
      const slice = await this.#store.read({ kind: 'session', id }, this.#positions.get(id));
      this.#positions.set(id, slice.position);
      const before = slice.reset ? 0 : (this.records.get(id) ?? 0);
      this.records.set(id, before + slice.lines.length);
    }
    this.mark = mark;
  }
}

export function changesConformance(withStore: WithStore, supports: StoreCapabilities): void {
  withStore('names nothing for a user without sessions', async (store) => {
    const { sessionIds, mark } = await store.changesOfUser('nobody');
    assert.deepEqual(sessionIds, []);
    const again = await store.changesOfUser('nobody', mark);
    assert.deepEqual(
      again.sessionIds.filter((id) => id !== ''),
      [],
    );
  });

  withStore('names what was written since a mark, and the session that was last then', async (store) => {
    await store.create(SESSION, [OPENING], USER);
    await store.create(OTHER_SESSION, [OPENING], USER);
    const first = await store.changesOfUser(USER.userId);
    assert.deepEqual(first.sessionIds, [SESSION.id, OTHER_SESSION.id]);
    const none = await store.changesOfUser(USER.userId, first.mark);
    assert.deepEqual(none.sessionIds, [OTHER_SESSION.id]);
    assert.deepEqual(none.mark, first.mark);
    await store.append(SESSION, [record('mem_a')], USER);
    const second = await store.changesOfUser(USER.userId, first.mark);
    assert.deepEqual(second.sessionIds, [SESSION.id, OTHER_SESSION.id]);
    assert.deepEqual((await store.changesOfUser(USER.userId, second.mark)).sessionIds, [SESSION.id]);
    assert.deepEqual((await store.changesOfUser('another')).sessionIds, []);
  });

  withStore('tells nothing to a user whose log it was not that is removed', async (store) => {
    await store.create(SESSION, [OPENING], USER);
    await store.create(OTHER_SESSION, [OPENING]);
    const { mark } = await store.changesOfUser(USER.userId);
    assert.equal(await store.remove(OTHER_SESSION, USER), true);
    assert.deepEqual(await store.listOfUser(USER.userId), [SESSION.id]);
    const { sessionIds } = await store.changesOfUser(USER.userId, mark);
    assert.deepEqual(sessionIds, [SESSION.id]);
  });

  withStore('starts again for a user who was removed', async (store) => {
    await store.create(SESSION, [OPENING, record('mem_a')], USER);
    await store.append(SESSION, [record('mem_b')], USER);
    const { mark } = await store.changesOfUser(USER.userId);
    await store.remove(SESSION);
    await store.removeUser(USER.userId);
    const gone = await store.changesOfUser(USER.userId, mark);
    assert.notEqual(gone.mark.generation, mark.generation);
    await store.create(OTHER_SESSION, [OPENING], USER);
    for (const since of [mark, gone.mark]) {
      assert.deepEqual((await store.changesOfUser(USER.userId, since)).sessionIds, [OTHER_SESSION.id]);
    }
  });

  withStore('names one session when there is no news, whatever their number', async (store) => {
    const logs = Array.from({ length: 200 }, (_, i) => ({ kind: 'session', id: `sess_${i}` }) as const);
    for (const log of logs) await store.create(log, [OPENING], USER);
    const { sessionIds, mark } = await store.changesOfUser(USER.userId);
    assert.equal(sessionIds.length, 200);
    assert.ok((await store.changesOfUser(USER.userId, mark)).sessionIds.length <= 1);
  });

  withStore('notes a session without records, for whoever rewrote it', async (store) => {
    await store.create(SESSION, [OPENING], USER);
    await store.create(OTHER_SESSION, [OPENING], USER);
    const { mark } = await store.changesOfUser(USER.userId);
    await store.append(SESSION, [], USER);
    assert.ok((await store.changesOfUser(USER.userId, mark)).sessionIds.includes(SESSION.id));
  });

  withStore('tells of a removal by another generation, and names what was removed no more', async (store) => {
    await store.create(SESSION, [OPENING], USER);
    await store.create(OTHER_SESSION, [OPENING], USER);
    const { mark } = await store.changesOfUser(USER.userId);
    assert.equal(await store.remove(SESSION, USER), true);
    const after = await store.changesOfUser(USER.userId, mark);
    assert.notEqual(after.mark.generation, mark.generation);
    assert.deepEqual(after.sessionIds, [OTHER_SESSION.id]);
    assert.equal(after.mark.lastId, OTHER_SESSION.id);
    assert.deepEqual(await store.listOfUser(USER.userId), [OTHER_SESSION.id]);
    assert.equal(await store.remove(SESSION, USER), false);
    for await (const { place, bytes } of store.scan())
      assert.ok(!`${place} ${Buffer.from(bytes).toString()}`.includes(SESSION.id), place);
    await store.create(SESSION, [OPENING], USER);
    assert.deepEqual(await store.listOfUser(USER.userId), [SESSION.id, OTHER_SESSION.id]);
  });

  withStore('lets a follower miss nothing while many write', async (store, fixture) => {
    const logs = Array.from({ length: 6 }, (_, i) => ({ kind: 'session', id: `sess_${i}` }) as const);
    for (const log of logs) await store.create(log, [OPENING], USER);
    const writers = supports.reopening ? [store, fixture.reopen!()] : [store];
    const follower = new Follower(store);
    for (let round = 0; round < 30; round++) {
      const log = logs[(round * 5) % logs.length]!;
      const other = logs[(round * round) % logs.length]!;
      await Promise.all([
        writers[round % writers.length]!.append(log, [record(`mem_${round}_a`)], USER),
        writers.at(-1)!.append(other, [record(`mem_${round}_b`)], USER),
        follower.follow(),
      ]);
      await follower.follow();
      await expectAll(store, logs, follower);
    }
    for (const writer of writers.slice(1)) await writer.close();
  });

  withStore('lets a follower miss nothing when there are more notes than are kept', async (store) => {
    for (const log of LONG_NAMES) await store.create(log, [OPENING], USER);
    const follower = new Follower(store);
    await follower.follow();
    for (let i = 0; i < MANY_NOTES; i++) await store.append(LONG_NAMES[i % 2]!, [], USER);
    for (const log of LONG_NAMES) await store.append(log, [record('mem_a')], USER);
    await follower.follow();
    await expectAll(store, LONG_NAMES, follower);
    await store.append(LONG_NAMES[0]!, [record('mem_b')], USER);
    await follower.follow();
    await expectAll(store, LONG_NAMES, follower);
  });

  withStore(
    supports.indexFiles ? 'keeps the files of a search index' : 'has no place for a search index',
    async (store, fixture) => {
      const files = store.indexFiles(USER.userId);
      if (!supports.indexFiles || files === undefined) {
        assert.equal(files, undefined);
        assert.equal(supports.indexFiles, false);
        return;
      }
      assert.equal(await files.readManifest(), undefined);
      assert.equal(files.open('a.segment'), undefined);
      assert.equal(files.hasOthers([]), false);
      await files.change(async (writer) => {
        await writer.write('a.segment', Uint8Array.of(1, 2, 3));
        await writer.write('b.segment', Uint8Array.of(4));
        assert.equal(files.hasOthers(['a.segment']), true);
        assert.equal(files.hasOthers(['a.segment', 'b.segment']), false);
        assert.equal(await files.change(async () => true), undefined);
        await writer.writeManifest('first', ['a.segment', 'b.segment']);
      });
      const held = files.open('a.segment')!;
      const other = supports.reopening ? fixture.reopen!() : store;
      const done = await other.indexFiles(USER.userId)!.change(async (writer) => {
        await writer.writeManifest('second', ['b.segment']);
        return 'done';
      });
      assert.equal(done, 'done');
      assert.equal(await files.readManifest(), 'second');
      assert.equal(files.open('a.segment'), undefined);
      assert.equal(held.size, 3);
      assert.deepEqual([...held.read(1, 10)], [2, 3]);
      held.close();
      assert.equal(await store.indexFiles('another')!.readManifest(), undefined);
      if (other !== store) await other.close();
    },
  );

  withStore(
    supports.indexFiles ? 'keeps vectors apart from the search index' : 'has no place for vectors',
    async (store, fixture) => {
      const files = store.vectorFiles(USER.userId);
      if (!supports.indexFiles || files === undefined) {
        assert.equal(files, undefined);
        assert.equal(supports.indexFiles, false);
        return;
      }
      assert.equal(files.isThere(), false);
      assert.equal(await files.readManifest(), undefined);
      const release = files.claim();
      assert.ok(release);
      assert.equal(files.isThere(), true);
      const other = supports.reopening ? fixture.reopen!() : store;
      assert.equal(other.vectorFiles(USER.userId)!.claim(), undefined);
      // Who makes vectors keeps nobody from taking some out.
      await other.vectorFiles(USER.userId)!.change(async (writer) => {
        await writer.write('a.vectors', Uint8Array.of(1));
        await writer.writeManifest('vectors', ['a.vectors']);
      });
      assert.equal(await store.indexFiles(USER.userId)!.readManifest(), undefined);
      assert.equal(await files.readManifest(), 'vectors');
      assert.equal(files.claim(), undefined);
      release();
      const again = other.vectorFiles(USER.userId)!.claim();
      assert.ok(again);
      again();
      if (other !== store) await other.close();
    },
  );
}

async function expectAll(store: LogStore, logs: readonly LogAddress[], follower: Follower): Promise<void> {
  for (const log of logs) {
    assert.equal(follower.records.get(log.id), (await store.read(log)).lines.length);
  }
}
