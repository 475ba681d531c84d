import { randomName } from '../../core/ids.ts';
import type { IndexFamily, IndexFile, LogStore, NamesIn, PromisedIndex } from '../../core/store.ts';
import type { Calls } from './calls.ts';
import { LEASE_MS, type Leases } from './leases.ts';
import type { SegmentFolder } from './segment-folder.ts';

/** Search indexes and vectors: immutable files in rows, with a cache in memory so that a search reads without waiting, and one on the disk behind it. */
export class DerivedFiles {
  readonly #calls: Calls;
  readonly #leases: Leases;
  readonly #cache: SegmentCache;
  readonly #folder: SegmentFolder | undefined;
  readonly #accountId: string;

  constructor(calls: Calls, leases: Leases, accountId: string, cacheBytes: number, folder?: SegmentFolder) {
    this.#calls = calls;
    this.#leases = leases;
    this.#accountId = accountId;
    this.#cache = new SegmentCache(cacheBytes);
    this.#folder = folder;
  }

  /** @param hasNone known already; what the caches hold of them goes */
  async load(userId: string, family: IndexFamily, namesIn: NamesIn, hasNone = false): PromisedIndex {
    const owner = this.#ownerOf(userId, family);
    const cached = this.#cache.of(owner);
    const known = cached.size > 0 || !this.#folder ? cached : await this.#folder.read(owner);
    const rows = hasNone ? [] : await this.#calls.rows('load_index', [userId, family, [...known.keys()]]);
    if (rows.length === 0) {
      await this.#keep(owner, new Set());
      return undefined;
    }
    const manifest = (rows.find(({ name }) => name === null)?.manifest ?? undefined) as string | undefined;
    const named = new Set(manifest === undefined ? [] : namesIn(manifest));
    const files = rows.filter(({ name }) => name !== null);
    const contents = new Map<string, Buffer>();
    for (const { name, segment_id, bytes } of files) {
      if (!named.has(name)) continue;
      const content: Buffer = bytes ?? known.get(segment_id)!;
      this.#cache.put(owner, segment_id, content);
      contents.set(name, content);
      if (bytes !== null) await this.#folder?.write(owner, segment_id, content);
    }
    const ids = new Set(files.map(({ segment_id }) => segment_id as string));
    if ([...known.keys()].some((id) => !ids.has(id))) await this.#keep(owner, ids);
    return {
      manifest,
      hasStrays: files.some(({ name }) => !named.has(name)),
      open: (name) => {
        const bytes = contents.get(name);
        return bytes && opened(bytes);
      },
    };
  }

  /** What a removed user leaves in the caches of this process. */
  async forget(userId: string, family: IndexFamily): Promise<void> {
    await this.#keep(this.#ownerOf(userId, family), new Set());
  }

  async #keep(owner: string, ids: ReadonlySet<string>): Promise<void> {
    this.#cache.keep(owner, ids);
    await this.#folder?.keep(owner, ids);
  }

  #ownerOf(userId: string, family: IndexFamily): string {
    return JSON.stringify([this.#accountId, userId, family]);
  }

  async publish(...args: Parameters<LogStore['publishIndex']>): Promise<'done' | 'stale' | 'busy'> {
    const [userId, family, expected, work] = args;
    const holder = randomName();
    const begun = await this.#calls.value<'done' | 'stale' | 'busy'>('begin_publishing', [
      userId,
      family,
      expected,
      holder,
      LEASE_MS,
    ]);
    if (begun !== 'done') return begun;
    const release = this.#leases.hold(`publish ${family}`, userId, holder);
    try {
      const { manifest, names, isErasure } = await work({
        write: async (name, bytes) => {
          const [id, content] = [randomName(), Buffer.from(bytes)];
          await this.#calls.rows('write_segment', [userId, family, name, id, content]);
          this.#cache.put(this.#ownerOf(userId, family), id, content);
          await this.#folder?.write(this.#ownerOf(userId, family), id, content);
          return opened(content);
        },
      });
      // With what the names stand for: bytes are fetched again.
      if (isErasure) await this.forget(userId, family);
      const kept = [...new Set(names)];
      return await this.#calls.value<'done' | 'stale'>('publish', (isAgain) => [
        userId,
        family,
        expected,
        manifest,
        kept,
        holder,
        isAgain,
      ]);
    } finally {
      await release();
    }
  }
}

/** Holds its own bytes: what leaves the cache or the database stays readable. */
function opened(bytes: Buffer): IndexFile {
  return {
    size: bytes.length,
    read: (offset, length, into) => {
      const found = bytes.subarray(offset, offset + length);
      if (into === undefined || into.length < length) return Uint8Array.from(found);
      into.set(found);
      return into.subarray(0, found.length);
    },
    close: () => undefined,
  };
}

/** Files by their ids, grouped by the user they are of; the groups used least leave when there are too many bytes. */
class SegmentCache {
  readonly #groups = new Map<string, Map<string, Buffer>>();
  readonly #mostBytes: number;
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  of(owner: string): ReadonlyMap<string, Buffer> {
    return this.#groups.get(owner) ?? new Map();
  }

  put(owner: string, id: string, bytes: Buffer): void {
    const group = this.#groups.get(owner) ?? new Map<string, Buffer>();
    this.#groups.delete(owner);
    this.#groups.set(owner, group);
    if (!group.has(id)) this.#bytes += bytes.length;
    group.set(id, bytes);
    for (const key of this.#groups.keys()) {
      if (this.#bytes <= this.#mostBytes) break;
      this.keep(key, new Set());
    }
  }

  /** Those of the owner that have no such id leave. */
  keep(owner: string, ids: ReadonlySet<string>): void {
    const group = this.#groups.get(owner);
    for (const [id, { length }] of group ?? []) {
      if (ids.has(id)) continue;
      group!.delete(id);
      this.#bytes -= length;
    }
    if (ids.size === 0) this.#groups.delete(owner);
  }
}
