import { expect, it } from 'vitest';
import { Syncer } from './syncer.ts';

const bytes = (length: number): Buffer => Buffer.alloc(length);
const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3));

/** A disk whose syncs end when a test says so. */
function makeSyncer(): {
  syncer: Syncer;
  ends: ((error?: Error) => void)[];
  rescues: unknown[];
  synced: Buffer[];
} {
  const ends: ((error?: Error) => void)[] = [];
  const rescues: unknown[] = [];
  const synced: Buffer[] = [];
  const syncer = new Syncer(
    () =>
      new Promise((resolve, reject) => {
        ends.push((error) => (error === undefined ? resolve() : reject(error)));
      }),
    async (cause) => {
      rescues.push(cause);
      if (rescues.length > 1) throw new Error('not rescued');
    },
    (bytes) => synced.push(bytes),
  );
  return { syncer, ends, rescues, synced };
}

it('covers with one sync all who asked while another was running', async () => {
  const { syncer, ends, synced } = makeSyncer();
  const [one, other] = [bytes(10), bytes(5)];
  syncer.wrote(one, 0);
  const first = syncer.whenSynced();
  syncer.wrote(other, 0);
  const second = syncer.whenSynced();
  expect(syncer.whenSynced()).toBe(second);
  ends[0]!();
  await first;
  expect([syncer.unsyncedBytes, syncer.unsynced.length, ends.length]).toEqual([5, 1, 2]);
  expect(synced).toEqual([one]);
  ends[1]!();
  await second;
  expect([syncer.unsyncedBytes, syncer.isIdle, ends.length]).toEqual([0, true, 2]);
  expect(synced).toEqual([one, other]);
});

it('counts what was written to a fresh file apart from what a sync of the old one covers', async () => {
  const { syncer, ends } = makeSyncer();
  syncer.wrote(bytes(10), 0);
  const first = syncer.whenSynced();
  expect(syncer.running).toBe(first);
  syncer.forget();
  syncer.wrote(bytes(7), 0);
  ends[0]!();
  await first;
  expect(syncer.unsyncedBytes).toBe(7);
});

it('syncs later, once, and only when there is something', async () => {
  const { syncer, ends } = makeSyncer();
  syncer.syncLater(1);
  await soon();
  expect(ends.length).toBe(0);
  syncer.wrote(bytes(1), 0);
  syncer.syncLater(1);
  syncer.syncLater(1);
  expect(syncer.isIdle).toBe(false);
  while (ends.length === 0) await soon();
  syncer.syncSoon();
  syncer.syncSoon();
  ends[0]!();
  while (ends.length === 1) await soon();
  ends[1]!();
  await syncer.settle();
  expect([ends.length, syncer.isIdle]).toEqual([2, true]);
});

it('never tries a failed sync again, but rescues; a failed rescue is told to who waits', async () => {
  const { syncer, ends, rescues } = makeSyncer();
  const failure = new Error('EIO');
  syncer.wrote(bytes(1), 0);
  const first = syncer.whenSynced();
  const second = syncer.whenSynced();
  ends[0]!(failure);
  await first;
  while (ends.length === 1) await soon();
  ends[1]!(failure);
  await expect(second).rejects.toThrow('not rescued');
  expect(rescues).toEqual([failure, failure]);
  syncer.syncSoon();
  const third = syncer.whenSynced();
  ends[2]!(failure);
  while (ends.length === 3) await soon();
  ends[3]!();
  await third;
});
