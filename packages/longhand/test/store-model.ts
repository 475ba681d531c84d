import { expect } from 'vitest';
import { readLog } from '../src/core/read-log.ts';
import type { LogAddress, LogStore } from '../src/core/store.ts';

/** What a campaign has told a store and what the store has promised, entry by entry. */
interface Entry {
  readonly body: string;
  state: 'asked' | 'promised' | 'dropping' | 'gone';
}

/**
 * The promises of a store, as a model that knows nothing of files. Entries are named by their ids, which a
 * campaign never uses twice.
 */
export class StoreModel {
  readonly #logs = new Map<string, Map<string, Entry>>();
  readonly #tombstones = new Map<string, Set<string>>();
  #lastId = 0;

  newBody(): { readonly id: string; readonly body: string } {
    const id = `mem_${++this.#lastId}`;
    const content = { text: `${id} says 🦆 J*J ${'x'.repeat((this.#lastId * 37) % 400)}` };
    return { id, body: JSON.stringify({ schema_version: 1, id, content }) };
  }

  ids(log: string): readonly string[] {
    return [...(this.#logs.get(log)?.keys() ?? [])];
  }

  ask(log: string, id: string, body: string): void {
    const entries = this.#logs.get(log) ?? new Map<string, Entry>();
    this.#logs.set(log, entries.set(id, { body, state: 'asked' }));
  }

  /** The store has said that these are kept. */
  promise(log: string, ids: readonly string[]): void {
    for (const id of ids) this.#move(log, id, 'asked', 'promised');
  }

  /** From here on these may be missing; after `gone` they must be. */
  dropping(log: string, ids: readonly string[]): void {
    for (const id of ids) {
      this.#move(log, id, 'promised', 'dropping');
      this.#move(log, id, 'asked', 'dropping');
    }
  }

  gone(log: string, ids: readonly string[], tombstones: readonly string[] = []): void {
    for (const id of ids) this.#move(log, id, 'dropping', 'gone');
    const listed = this.#tombstones.get(log) ?? new Set<string>();
    this.#tombstones.set(log, listed);
    for (const line of tombstones) listed.add(line);
  }

  /** The log went with all of its entries, and with the list of what was deleted from it. */
  removed(log: string): void {
    this.#tombstones.delete(log);
  }

  /** Everything that was promised is there once and unaltered, in order; nothing else but what was asked for. */
  async check(store: LogStore): Promise<void> {
    for (const [id, entries] of this.#logs) await this.#checkLog(store, { kind: 'session', id }, entries);
  }

  async #checkLog(store: LogStore, log: LogAddress, entries: ReadonlyMap<string, Entry>): Promise<void> {
    const states = [...entries.values()].map(({ state }) => state);
    if (!(await store.list('session')).includes(log.id)) {
      expect(states, `${log.id} is missing`).not.toContain('promised');
      return;
    }
    const { lines } = await readLog(store, log);
    const found = new Map<string, string>();
    let lastSeq = 0;
    for (const line of lines) {
      const {
        seq,
        checksum: _checksum,
        ...record
      } = JSON.parse(line.text) as {
        id: string;
        seq: number;
        checksum: string;
      };
      expect(found.has(record.id), `${record.id} is doubled`).toBe(false);
      expect(seq, `${record.id} is out of order`).toBeGreaterThan(lastSeq);
      found.set(record.id, JSON.stringify(record));
      lastSeq = seq;
    }
    for (const [id, text] of found) expect(entries.get(id)?.body, `${id} is altered`).toBe(text);
    for (const [id, { state }] of entries) {
      if (state === 'promised') expect(found.has(id), `${id} is lost`).toBe(true);
      if (state === 'gone') expect(found.has(id), `${id} is back`).toBe(false);
    }
    const listed = (await store.readDocument(log, 'tombstones.jsonl'))?.split('\n') ?? [];
    for (const line of this.#tombstones.get(log.id) ?? []) expect(listed, 'a tombstone').toContain(line);
  }

  #move(log: string, id: string, from: Entry['state'], to: Entry['state']): void {
    const entry = this.#logs.get(log)?.get(id);
    if (entry?.state === from) entry.state = to;
  }
}
