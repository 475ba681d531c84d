import { expect, test } from 'vitest';
import type { Durability, SessionAddress } from '../src/core/store.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import { SimulatedDisk } from '../src/testing/index.ts';
import { sized, withSeed } from './campaign.ts';
import { type Chance, createChance } from './processes/chance.ts';
import { StoreModel } from './store-model.ts';

/**
 * Power cuts on a disk that drops, tears and reorders whatever was not synced, after random work of several
 * processes, some of which were killed before. `group` and `strict` keep everything that they acknowledged;
 * `buffered` keeps what was synced, which is everything from before the last close. Rewrites and removals
 * are on the disk when they are acknowledged, at every level.
 */

const ROOT = '/data/store';
const LOCK_TIMES = { lockTimeoutMs: 60_000, maxRetries: 0, retryBackoffMs: 1 };
const NAMES = ['one', 'two', 'three'];
const addressOf = (id: string): SessionAddress => ({ kind: 'session', id });

/** One machine with its processes, until its power is cut. */
class Machine {
  readonly disk: SimulatedDisk;
  readonly #durability: Durability;
  readonly #chance: Chance;
  readonly #model: StoreModel;
  readonly #running = new Set<Promise<unknown>>();
  #process: ReturnType<SimulatedDisk['startProcess']>;
  #store: FileStore;
  /** What is acknowledged but, with `buffered`, promised to survive a cut only when its store was closed. */
  readonly #acknowledged: { readonly store: FileStore; readonly log: string; readonly ids: string[] }[] = [];

  constructor(disk: SimulatedDisk, durability: Durability, chance: Chance, model: StoreModel) {
    this.disk = disk;
    this.#durability = durability;
    this.#chance = chance;
    this.#model = model;
    this.#process = disk.startProcess();
    this.#store = this.#open();
  }

  #open(): FileStore {
    const { disk, ...options } = { disk: this.disk, root: ROOT, lockTimes: LOCK_TIMES, syncIntervalMs: 1 };
    this.#process = disk.startProcess();
    return new FileStore({ ...options, fileSystem: this.#process, durability: this.#durability });
  }

  /** One random piece of work; settles when the store has answered, whatever it was. */
  async step(): Promise<void> {
    // A log that is not there (or there already), a lock that a rewrite holds, a killed process: no matter.
    const step = this.#work().catch(() => undefined);
    this.#running.add(step);
    await step;
    this.#running.delete(step);
  }

  /** Whether all others wait until it is over: the model cannot tell what a removal takes with it. */
  isRemoving = false;

  async #work(): Promise<void> {
    const log = this.#chance.pick(NAMES);
    const kind = this.#chance.below(20);
    if (kind < 11) await this.#append(log);
    else if (kind < 14) await this.#compact(log);
    else if (kind < 15) await this.#removeQuietly(log);
    else if (kind < 16) await this.#store.writeDocument(addressOf(log), 'metadata.json', '{}');
    else if (kind < 18) await this.#close();
    else if (kind < 19) this.#kill();
    else await this.#create(log);
  }

  async createSome(): Promise<void> {
    for (const log of NAMES) if (this.#chance.below(3) > 0) await this.#create(log);
  }

  async #create(log: string): Promise<void> {
    const { id, body } = this.#model.newBody();
    this.#model.ask(log, id, body);
    await this.#store.append({ ...addressOf(log), userId: 'u' }, [body], { create: 'new' });
    this.#model.promise(log, [id]);
  }

  async #append(log: string): Promise<void> {
    const made = Array.from({ length: 1 + this.#chance.below(3) }, () => this.#model.newBody());
    for (const { id, body } of made) this.#model.ask(log, id, body);
    const bodies = made.map(({ body }) => body);
    const ids = made.map(({ id }) => id);
    const isTransaction = this.#chance.below(3) === 0;
    const store = this.#store;
    await (isTransaction
      ? store.append(addressOf(log), () => bodies)
      : store.append({ ...addressOf(log), userId: 'u' }, bodies));
    if (this.#durability === 'buffered') this.#acknowledged.push({ store, log, ids });
    else this.#model.promise(log, ids);
  }

  /** Drops about a third of the entries, with their tombstones. */
  async #compact(log: string): Promise<void> {
    let dropped: string[] = [];
    let kept: string[] = [];
    await this.#store.rewrite(addressOf(log), ({ lines }) => {
      const idOf = (text: string): string => (JSON.parse(text) as { id: string }).id;
      const keep = lines.filter(() => this.#chance.below(3) > 0);
      kept = keep.map((line) => idOf(line.text));
      dropped = lines.map((line) => idOf(line.text)).filter((id) => !kept.includes(id));
      this.#model.dropping(log, dropped);
      const tombstones = dropped.map((id) => JSON.stringify({ id }));
      return { keep: keep.map((line) => ({ line })), append: [], tombstones };
    });
    this.#model.promise(log, kept);
    this.#model.gone(
      log,
      dropped,
      dropped.map((id) => JSON.stringify({ id })),
    );
  }

  async #removeQuietly(log: string): Promise<void> {
    this.isRemoving = true;
    await Promise.race([Promise.all(this.#running), ticks(200)]);
    await this.#remove(log);
    this.isRemoving = false;
  }

  async #remove(log: string): Promise<void> {
    const ids = this.#model.ids(log);
    this.#model.dropping(log, ids);
    if (await this.#store.remove(addressOf(log))) {
      this.#model.gone(log, ids);
      this.#model.removed(log);
    }
  }

  async #close(): Promise<void> {
    const store = this.#store;
    this.#store = this.#open();
    await store.close();
    for (const entry of this.#acknowledged) {
      if (entry.store === store) this.#model.promise(entry.log, entry.ids);
    }
  }

  #kill(): void {
    this.#process.kill();
    this.#store = this.#open();
  }
}

async function workUntilCut(
  durability: Durability,
  chance: Chance,
  model: StoreModel,
): Promise<SimulatedDisk> {
  const machine = new Machine(new SimulatedDisk(), durability, chance, model);
  if (chance.below(4) > 0) await machine.createSome();
  for (let steps = 1 + chance.below(30); steps > 0; steps--) {
    const step = machine.step();
    if (machine.isRemoving && steps > 1) await step;
    else if (chance.below(3) > 0) await Promise.race([step, ticks(20)]);
  }
  await ticks(chance.below(12));
  return machine.disk.powerCut(() => chance.next());
}

async function ticks(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** The store opens, holds what it promised, heals, and goes on. */
async function checkAndGoOn(disk: SimulatedDisk, durability: Durability, model: StoreModel): Promise<void> {
  const fileSystem = disk.startProcess();
  const store = new FileStore({ root: ROOT, fileSystem, durability, lockTimes: LOCK_TIMES });
  await model.check(store);
  // A session that its user's change file does not name is not found.
  expect(await store.list('session', 'u')).toEqual(await store.list('session'));
  for (const id of await store.list('session')) {
    const { id: entry, body } = model.newBody();
    model.ask(id, entry, body);
    await store.append(addressOf(id), [body]);
    model.promise(id, [entry]);
  }
  await store.close();
  expect(disk.paths().filter((path) => path.endsWith('.tmp'))).toEqual([]);
}

for (const durability of ['buffered', 'group', 'strict'] as const) {
  test(`power cuts take nothing that was promised: ${durability}`, () =>
    withSeed(async (seed) => {
      const cuts = sized(167, 3_334);
      for (let cut = 0; cut < cuts; cut++) {
        const chance = createChance(seed + cut);
        const model = new StoreModel();
        try {
          let disk = await workUntilCut(durability, chance, model);
          await checkAndGoOn(disk, durability, model);
          // What the healed store has taken survives the next cut too.
          disk = disk.powerCut(() => chance.next());
          await checkAndGoOn(disk, durability, model);
        } catch (error) {
          throw new Error(`after cut ${cut}`, { cause: error });
        }
      }
    }));
}
