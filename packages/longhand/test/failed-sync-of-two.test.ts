import { expect, test } from 'vitest';
import { readLog } from '../src/core/read-log.ts';
import type { Durability, LogStore } from '../src/core/store.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import type { FileSystem } from '../src/stores/file/file-system.ts';
import { SimulatedDisk, systemError } from '../src/testing/index.ts';
import { sized, withSeed } from './campaign.ts';
import { LOCK_TIMES, ONE, ROOT } from './fault-script.ts';
import { type Chance, createChance } from './processes/chance.ts';
import { StoreModel } from './store-model.ts';

/**
 * Processes write to one log, and one of its syncs fails as Linux lets it fail: what no process has synced is lost, and
 * every process that has the file open gets the error once, at its next sync. Nothing that any of them has acknowledged
 * is lost, doubled or out of order.
 */

const PROCESSES = 3;

/** The failure that all of them share. */
class FailingSync {
  readonly #at: number;
  readonly #openings: { readonly inode: number; hasToHear: boolean }[] = [];
  syncs = 0;

  constructor(at: number) {
    this.#at = at;
  }

  startProcess(disk: SimulatedDisk): FileSystem {
    const running = disk.startProcess();
    const byFd = new Map<number, { readonly inode: number; hasToHear: boolean }>();
    return {
      ...running,
      open: (path, flags, mode) => {
        const fd = running.open(path, flags, mode);
        const opening = { inode: running.fstat(fd).inode, hasToHear: false };
        byFd.set(fd, opening);
        this.#openings.push(opening);
        return fd;
      },
      close: (fd) => {
        this.#openings.splice(this.#openings.indexOf(byFd.get(fd)!), 1);
        byFd.delete(fd);
        running.close(fd);
      },
      sync: async (fd) => {
        const opening = byFd.get(fd)!;
        // A sync takes a while, in which others write.
        await new Promise((resolve) => setImmediate(resolve));
        if (++this.syncs === this.#at) {
          running.dropUnsynced(fd);
          for (const each of this.#openings) if (each.inode === opening.inode) each.hasToHear = true;
        }
        // Also of a failure that comes while this one is under way.
        if (!opening.hasToHear) await running.sync(fd);
        if (!opening.hasToHear) return;
        opening.hasToHear = false;
        throw systemError('EIO', 'fdatasync');
      },
    };
  }
}

async function run(durability: Durability, failAt: number, chance: Chance): Promise<number> {
  const disk = new SimulatedDisk();
  const model = new StoreModel();
  const failing = new FailingSync(failAt);
  const options = { root: ROOT, durability, lockTimes: LOCK_TIMES, syncIntervalMs: 1 };
  const open = (): LogStore => new FileStore({ ...options, fileSystem: failing.startProcess(disk) });
  const maker = new FileStore({ ...options, fileSystem: disk.startProcess() });
  const { id, body } = model.newBody();
  model.ask(ONE.id, id, body);
  await maker.append(ONE, [body], { create: 'new' });
  model.promise(ONE.id, [id]);
  await maker.close();
  const stores = Array.from({ length: PROCESSES }, open);
  const append = async (store: LogStore): Promise<void> => {
    const made = Array.from({ length: 1 + chance.below(3) }, () => model.newBody());
    for (const { id, body } of made) model.ask(ONE.id, id, body);
    const appending = store.append(
      ONE,
      made.map(({ body }) => body),
    );
    const ids = made.map(({ id }) => id);
    await appending.then(
      () => model.promise(ONE.id, ids),
      () => undefined,
    );
  };
  const work = async (store: LogStore): Promise<void> => {
    const appends: Promise<void>[] = [];
    for (let i = 0; i < 6; i++) {
      appends.push(append(store));
      if (chance.below(8) === 0) {
        const keepAll = store.rewrite(ONE, ({ lines }) => ({
          keep: lines.map((line) => ({ line })),
          append: [],
        }));
        appends.push(
          keepAll.then(
            () => undefined,
            () => undefined,
          ),
        );
      }
      for (let ticks = chance.below(6); ticks > 0; ticks--)
        await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all(appends);
  };
  await Promise.all(stores.map(work));
  for (const store of stores) await store.close();
  const store = new FileStore({ ...options, fileSystem: disk.startProcess() });
  await model.check(store);
  expect((await readLog(store, ONE)).damage).toEqual([]);
  await store.close();
  return failing.syncs;
}

for (const durability of ['buffered', 'group', 'strict'] as const) {
  test(`a failed sync takes nothing that any of ${PROCESSES} processes was promised: ${durability}`, () =>
    withSeed(async (seed) => {
      for (let round = 0; round < sized(20, 1_000); round++) {
        const syncs = await run(durability, 0, createChance(seed + round));
        for (let at = 1; at <= syncs; at += 1 + (round % 3)) {
          try {
            await run(durability, at, createChance(seed + round));
          } catch (error) {
            throw new Error(`round ${round}, sync ${at}`, { cause: error });
          }
        }
      }
    }));
}
