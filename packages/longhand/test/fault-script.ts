import type { Durability, LogStore, SessionAddress } from '../src/core/store.ts';
import { FileStore } from '../src/stores/file/file-store.ts';
import type { FileSystem } from '../src/stores/file/file-system.ts';
import { codeOf, PatientSteps } from './patient-steps.ts';
import type { StoreModel } from './store-model.ts';

/** A little of everything that a store does, told to a model, on a file system that may fail anywhere. */

export const ROOT = '/data/store';
export const ONE: SessionAddress = { kind: 'session', id: 'one' };
export const TWO: SessionAddress = { kind: 'session', id: 'two' };
/** Quick, so that a campaign can see what happens after the last try. */
export const LOCK_TIMES = { lockTimeoutMs: 1_000, maxRetries: 1, retryBackoffMs: 1 };

export class FaultScript extends PatientSteps {
  readonly #model: StoreModel;

  constructor(model: StoreModel, hasFaults: boolean) {
    super(hasFaults);
    this.#model = model;
  }

  /** Opens the store, again once when the fault strikes there. */
  open(fileSystem: FileSystem & { heal(): void }, durability: Durability): LogStore {
    const open = (): LogStore =>
      new FileStore({ root: ROOT, fileSystem, durability, lockTimes: LOCK_TIMES, syncIntervalMs: 2 });
    try {
      return open();
    } catch (error) {
      this.outcomes.push({ step: 'open', state: codeOf(error) });
      fileSystem.heal();
      return open();
    }
  }

  async run(store: LogStore): Promise<void> {
    await this.step('create one', () => this.#create(store, ONE));
    await this.step('append', () => this.#append(store, ONE, 1));
    await this.step('append many', () =>
      Promise.all([this.#append(store, ONE, 3), this.#append(store, ONE, 1), this.#append(store, ONE, 2)]),
    );
    await this.step('append one after the other, and none waits for the other', () => this.#overlap(store));
    await this.step('transact', () => this.#transact(store));
    await this.step('delete', () =>
      store.append({ ...ONE, userId: 'u' }, [], { tombstones: ['{"id":"x"}'] }),
    );
    await this.step('rewrite', () => this.#rewrite(store));
    await this.step('append after', () => this.#append(store, ONE, 1));
    await this.step('document', () => store.writeDocument(ONE, 'index.json', '{}'));
    await this.step('root document', () => store.writeDocument(undefined, 'config.json', '{}'));
    await this.step('create two', () => this.#create(store, TWO));
    await this.step('append two', () => this.#append(store, TWO, 2));
    await this.step('remove two', () => this.#remove(store));
    await this.step('append last', () => this.#append(store, ONE, 1));
  }

  async #create(store: LogStore, log: SessionAddress): Promise<void> {
    const { id, body } = this.#model.newBody();
    this.#model.ask(log.id, id, body);
    await store.append({ ...log, userId: 'u' }, [body], { create: 'new' });
    this.#model.promise(log.id, [id]);
  }

  async #append(store: LogStore, log: SessionAddress, count: number): Promise<void> {
    const made = Array.from({ length: count }, () => this.#model.newBody());
    for (const { id, body } of made) this.#model.ask(log.id, id, body);
    const bodies = made.map(({ body }) => body);
    await store.append({ ...log, userId: 'u' }, bodies, { maxBytes: 1_000_000 });
    this.#model.promise(
      log.id,
      made.map(({ id }) => id),
    );
  }

  /** Each begins while the sync of the one before is under way. */
  async #overlap(store: LogStore): Promise<void> {
    const appends: Promise<void>[] = [];
    for (let i = 0; i < 3; i++) {
      appends.push(this.#append(store, ONE, 1));
      await Promise.resolve();
      await Promise.resolve();
    }
    await Promise.all(appends);
  }

  async #transact(store: LogStore): Promise<void> {
    const { id, body } = this.#model.newBody();
    this.#model.ask(ONE.id, id, body);
    await store.append(ONE, () => [body]);
    this.#model.promise(ONE.id, [id]);
  }

  /** Drops the second entry. */
  async #rewrite(store: LogStore): Promise<void> {
    const tombstones = ['{"id":"x"}', '{"id":"y"}'];
    let dropped: string[] = [];
    await store.rewrite(ONE, ({ lines }) => {
      dropped = lines.slice(1, 2).map((line) => (JSON.parse(line.text) as { id: string }).id);
      this.#model.dropping(ONE.id, dropped);
      const keep = lines.filter((_, i) => i !== 1).map((line) => ({ line }));
      return { keep, append: [], tombstones, quarantine: lines.slice(1, 2) };
    });
    this.#model.gone(ONE.id, dropped, tombstones);
  }

  async #remove(store: LogStore): Promise<void> {
    const ids = this.#model.ids(TWO.id);
    this.#model.dropping(TWO.id, ids);
    if (await store.remove(TWO)) this.#model.gone(TWO.id, ids);
  }
}
