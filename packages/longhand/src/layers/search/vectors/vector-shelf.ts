import { IOError } from '../../../core/errors.ts';
import { randomName } from '../../../core/ids.ts';
import type { IndexFile, LogStore, StoredIndex } from '../../../core/store.ts';
import { checksumOf, SegmentDamage } from '../../../recall/index/index.ts';
import {
  BLOCK_HEADER_BYTES,
  type BlockSession,
  encodeBlock,
  type NewRow,
  readBlockSessions,
  VectorBlock,
  VectorTable,
} from '../../../recall/vectors/index.ts';
import type { LayerContext } from '../../layer-context.ts';
import { readSound, withChecksum } from '../index-manifest.ts';

/**
 * The blocks of vectors of one user, on the disk and in this process's memory.
 *
 * Blocks are never changed: new vectors are a block of their own, small blocks are merged, and a manifest names those
 * that count. One that publishes another manifest has started from the newest one, so nothing that another process has
 * taken out comes back. A block that is missing or damaged is left out, and its vectors are made again.
 * Where the store has no place for files, the blocks live in memory alone.
 */

/** Blocks of about the same size before they are merged into one. */
const MERGE_AT_BLOCKS = 8;
/** Larger blocks stay as they are. */
const MAX_MERGED_ROWS = 262_144;
/**
 * Vectors of another embedder are kept for so long after they were last added to: two programs with different
 * embedders on one store must not keep removing each other's vectors.
 */
const OTHERS_KEPT_MS = 86_400_000;
/** Another process that is writing takes tens of milliseconds. */
const PAUSE_MS = 20;
const MAX_TRIES = 500;

interface HeldBlock extends StoredBlock {
  readonly block: VectorBlock;
}

/** What becomes of a block: its rows as they should be, or `undefined` when it stays. */
export type Sift = (block: VectorBlock) => readonly NewRow[] | undefined;

type Write = (identity: string, rows: readonly NewRow[]) => Promise<HeldBlock>;

/** Says how all blocks there are, of every embedder, are changed; `undefined` when they stay. */
type Plan = (blocks: readonly HeldBlock[], used: VectorManifest['used']) => Change | undefined;

/** Gives the blocks as they should be, while no other process can write. */
type Change = (write: Write) => Promise<readonly HeldBlock[]>;

/** What the store holds of vectors. */
interface FoundVectors {
  readonly stored: StoredIndex | undefined;
  readonly manifest: VectorManifest | undefined;
}

export class VectorShelf {
  readonly #context: LayerContext;
  readonly #userId: string;
  readonly #identity: string | undefined;
  /** The manifest that the held blocks are of. */
  #published: string | undefined;
  /** Whether the store has no place for files. */
  #isInMemory = false;
  /** Those of the embedder in use. */
  #held: readonly HeldBlock[] = [];
  #table = new VectorTable([]);

  /** @param identity of the embedder in use; without one the blocks are only looked after */
  constructor(context: LayerContext, userId: string, identity: string | undefined) {
    this.#context = context;
    this.#userId = userId;
    this.#identity = identity;
  }

  /** The vectors of the embedder in use. */
  get table(): VectorTable {
    return this.#table;
  }

  /** False when there is nothing, and no process is writing the first. Loads nothing. */
  async mayHoldAny(): Promise<boolean> {
    if (this.#isInMemory) return this.#held.length > 0;
    return (await this.#context.store.loadIndex(this.#userId, 'vectors', () => [])) !== undefined;
  }

  /** Takes what other processes have published. Costs the reading of a small file when there is nothing new. */
  async refresh(): Promise<void> {
    if (this.#isInMemory) return;
    const isOwn = ({ identity }: StoredBlock): boolean => identity === this.#identity;
    for (let found = await this.#find(isOwn); found.stored?.manifest !== this.#published; ) {
      const { blocks, isWhole } = this.#read(found, isOwn);
      const newer = isWhole ? found : await this.#find(isOwn);
      // A block that is gone was merged away: then there is a newer manifest. If not, what is there has to do.
      if (newer.stored?.manifest === found.stored?.manifest)
        return this.#hold(blocks, found.stored?.manifest);
      found = newer;
    }
  }

  /** Which vector belongs to which memory is to be found out again. */
  lookAgain(): void {
    this.#table = new VectorTable(this.#table.blocks);
  }

  /** All vectors that can be read, whichever embedder made them. */
  async blocks(): Promise<readonly VectorBlock[]> {
    const { blocks } = this.#isInMemory ? { blocks: this.#held } : this.#read(await this.#find());
    return blocks.map(({ block }) => block);
  }

  /** Of which logs there are vectors, whichever embedder made them. `undefined` when files cannot be read. */
  async sessions(): Promise<readonly BlockSession[] | undefined> {
    if (this.#isInMemory) return this.#held.flatMap(({ block }) => block.sessions);
    const { stored, manifest } = await this.#find();
    if (stored?.manifest === undefined) return [];
    const sessions = manifest?.blocks.map(({ name }) => sessionsIn(stored, name));
    return sessions?.every((each) => each !== undefined) ? sessions.flat() : undefined;
  }

  /**
   * Adds rows that `choose` gives, while no other process can write. Vectors of other embedders go when they have not
   * been added to for a day.
   * @param mayAdd false when there is nothing to choose from
   * @returns how many were added
   */
  async add(mayAdd: boolean, choose: () => Promise<readonly NewRow[]>): Promise<number> {
    let count = 0;
    await this.#change(false, (blocks, used) => {
      const nowMs = this.#context.clock.now();
      const kept = blocks.filter(
        ({ identity }) => identity === this.#identity || nowMs - (used[identity] ?? 0) < OTHERS_KEPT_MS,
      );
      if (!mayAdd && kept.length === blocks.length) return undefined;
      return async (write) => {
        const rows = await choose();
        count = rows.length;
        const added = rows.length === 0 ? [] : [await write(this.#identity!, rows)];
        return mergeSmall([...kept, ...added], write);
      };
    });
    return count;
  }

  /**
   * Replaces blocks by such without what should not be in them, and removes every file that does not count: blocks that
   * cannot be read, and what a process that was killed has left. @param prepare called while no other process can write
   */
  sift(prepare: (blocks: readonly VectorBlock[]) => Promise<Sift>): Promise<void> {
    return this.#change(true, (blocks) => async (write) => {
      const sift = await prepare(blocks.map(({ block }) => block));
      const kept: HeldBlock[] = [];
      for (const held of blocks) {
        const rows = sift(held.block);
        if (rows === undefined) kept.push(held);
        else if (rows.length > 0) kept.push(await write(held.identity, rows));
      }
      return kept;
    });
  }

  async #change(isErasure: boolean, plan: Plan): Promise<void> {
    let found = await this.#find();
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const { blocks } = this.#isInMemory ? { blocks: this.#held } : this.#read(found);
      const used = found.manifest?.used ?? {};
      const expected = found.stored?.manifest;
      const change = plan(blocks, used);
      if (change === undefined) return this.#hold(blocks, expected);
      const outcome = await this.#publish(expected, used, change, isErasure);
      if (outcome === 'done') return;
      if (outcome === 'busy') await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      else if (outcome === 'stale') found = await this.#find();
      else {
        this.#isInMemory = true;
        return this.#hold(await change(async (identity, rows) => encoded(identity, rows).held), undefined);
      }
    }
    throw new IOError('IO_FAILED', 'Another process has been writing vectors for too long.');
  }

  async #publish(
    expected: string | undefined,
    usedBefore: VectorManifest['used'],
    change: Change,
    isErasure: boolean,
  ): ReturnType<LogStore['publishIndex']> {
    let published: { readonly blocks: readonly HeldBlock[]; readonly manifest: string } | undefined;
    const { store, clock } = this.#context;
    const outcome = await store.publishIndex(this.#userId, 'vectors', expected, async (writer) => {
      const blocks = await change(async (identity, rows) => {
        const { held, bytes } = encoded(identity, rows);
        (await writer.write(held.name, bytes)).close();
        return held;
      });
      const used: Record<string, number> = {};
      for (const { identity } of blocks) {
        const before = usedBefore[identity];
        used[identity] = identity === this.#identity || before === undefined ? clock.now() : before;
      }
      const stored = blocks.map(({ name, identity, rows, checksum }) => ({ name, identity, rows, checksum }));
      const manifest = renderVectorManifest({ id: randomName(), blocks: stored, used });
      published = { blocks, manifest };
      return { manifest, names: stored.map(({ name }) => name), isErasure };
    });
    if (outcome === 'done') this.#hold(published!.blocks, published!.manifest);
    return outcome;
  }

  async #find(isWanted: (block: StoredBlock) => boolean = () => true): Promise<FoundVectors> {
    const namesIn = (text: string): readonly string[] =>
      (parseVectorManifest(text)?.blocks ?? []).filter(isWanted).map(({ name }) => name);
    const stored = await this.#context.store.loadIndex(this.#userId, 'vectors', namesIn);
    return { stored, manifest: parseVectorManifest(stored?.manifest) };
  }

  #read(
    { stored, manifest }: FoundVectors,
    isWanted: (block: StoredBlock) => boolean = () => true,
  ): { readonly blocks: readonly HeldBlock[]; readonly isWhole: boolean } {
    const known = new Map(this.#held.map((held) => [held.name, held]));
    const wanted = manifest?.blocks.filter(isWanted) ?? [];
    const blocks = wanted.map((named) => {
      const block = known.get(named.name)?.block ?? readStoredBlock(stored!, named);
      return block && { ...named, block };
    });
    const readable = blocks.filter((held) => held !== undefined);
    return { blocks: readable, isWhole: readable.length === wanted.length };
  }

  /** Only the vectors in use stay in memory. */
  #hold(blocks: readonly HeldBlock[], published: string | undefined): void {
    this.#held = blocks.filter(({ identity }) => identity === this.#identity);
    this.#published = published;
    const { blocks: known } = this.#table;
    const isSame =
      this.#held.length === known.length && this.#held.every(({ block }, at) => block === known[at]);
    if (!isSame) this.#table = new VectorTable(this.#held.map(({ block }) => block));
  }
}

/** A block as a manifest names it, checked; `undefined` when it is missing or damaged. */
export function readStoredBlock(
  stored: StoredIndex,
  { name, checksum }: StoredBlock,
): VectorBlock | undefined {
  return whileOpen(stored, name, (file) => {
    const bytes = file.read(0, file.size);
    return checksumOfFile(bytes) === checksum ? new VectorBlock(bytes) : undefined;
  });
}

/** Read off the head of a block, unchecked; `undefined` when it is missing or damaged. */
function sessionsIn(stored: StoredIndex, name: string): readonly BlockSession[] | undefined {
  return whileOpen(stored, name, (file) => readBlockSessions((offset, length) => file.read(offset, length)));
}

function whileOpen<Result>(
  stored: StoredIndex,
  name: string,
  work: (file: IndexFile) => Result,
): Result | undefined {
  try {
    const file = stored.open(name);
    if (file === undefined) return undefined;
    try {
      return work(file);
    } finally {
      file.close();
    }
  } catch (error) {
    // A disk that fails to read is as bad as one that has changed what it holds.
    if (error instanceof SegmentDamage || 'code' in (error as object)) return undefined;
    throw error;
  }
}

function encoded(
  identity: string,
  rows: readonly NewRow[],
): { readonly held: HeldBlock; readonly bytes: Uint8Array } {
  const bytes = encodeBlock(identity, rows[0]!.values.length, rows);
  const name = `${randomName()}.vectors`;
  const held = { name, identity, rows: rows.length, checksum: checksumOfFile(bytes) };
  return { held: { ...held, block: new VectorBlock(bytes) }, bytes };
}

/** Tells blocks apart. The header holds the checksum of what is behind it. */
function checksumOfFile(bytes: Uint8Array): number {
  return checksumOf(bytes, 0, Math.min(bytes.length, BLOCK_HEADER_BYTES), bytes.length);
}

async function mergeSmall(blocks: readonly HeldBlock[], write: Write): Promise<readonly HeldBlock[]> {
  let merged = blocks;
  for (let group = mergeable(merged); group.length > 0; group = mergeable(merged)) {
    const rows = group.flatMap(({ block }) => block.rows());
    const one = await write(group[0]!.identity, rows);
    merged = [...merged.filter((held) => !group.includes(held)), one];
  }
  return merged;
}

/** Blocks of one embedder and size class, when there are enough of them. Classes grow by the factor they merge by. */
function mergeable(blocks: readonly HeldBlock[]): readonly HeldBlock[] {
  const classes = new Map<string, HeldBlock[]>();
  for (const held of blocks) {
    if (held.rows * 2 > MAX_MERGED_ROWS) continue;
    const sizeClass = Math.floor(Math.log(held.rows) / Math.log(MERGE_AT_BLOCKS));
    const key = `${sizeClass} ${held.identity}`;
    classes.set(key, [...(classes.get(key) ?? []), held]);
  }
  return [...classes.values()].find(({ length }) => length >= MERGE_AT_BLOCKS) ?? [];
}

/**
 * Which blocks of vectors count, and whose they are. One line of JSON, and behind it a line with its checksum. A
 * manifest that cannot be read, was changed, or is of another version counts as none: the vectors are then made again.
 */
interface VectorManifest {
  readonly id: string;
  /** In the order in which they were written. */
  readonly blocks: readonly StoredBlock[];
  /** Embedder → when its vectors were last added to, in milliseconds. */
  readonly used: Readonly<Record<string, number>>;
}

interface StoredBlock {
  readonly name: string;
  /** Of the embedder that made it. */
  readonly identity: string;
  readonly rows: number;
  /** Of the file: another one under this name is not taken for it. */
  readonly checksum: number;
}

/** Rises whenever the same memory would be given to an embedder as another text. */
const VERSION = 1;

function renderVectorManifest(manifest: VectorManifest): string {
  return withChecksum(JSON.stringify({ version: VERSION, ...manifest }));
}

export function parseVectorManifest(text: string | undefined): VectorManifest | undefined {
  const sound = readSound<VectorManifest>(text);
  return sound?.version === VERSION ? sound : undefined;
}
