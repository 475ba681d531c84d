import { IOError } from '../../../core/errors.ts';
import { randomName } from '../../../core/random-name.ts';
import type { IndexFile, IndexFiles, IndexWriter, VectorFiles } from '../../../core/store.ts';
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
import {
  parseVectorManifest,
  renderVectorManifest,
  type StoredBlock,
  type VectorManifest,
} from './vector-manifest.ts';

/**
 * The blocks of vectors of one user, on the disk and in this process's memory.
 *
 * Blocks are never changed: new vectors are a block of their own, small blocks are merged, and a manifest names those
 * that count. Whoever changes them holds the files' lock and starts from the newest manifest, so nothing that another
 * process has taken out comes back. A block that is missing or damaged is left out, and its vectors are made again.
 * Where the store has no place for files, the blocks live in memory alone.
 */

/** Blocks of about the same size before they are merged into one. */
const MERGE_AT_BLOCKS = 8;
/** Larger blocks stay as they are. */
const MAX_MERGED_ROWS = 262_144;
/**
 * Vectors of another embedder are kept for so long after they were last added to: two programs with different
 * embedders on one store must not make each other's vectors anew in turns.
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

/** All blocks there are, of every embedder, while nobody else can write. */
interface Shelved {
  readonly blocks: readonly HeldBlock[];
  readonly used: VectorManifest['used'];
  readonly write: Write;
}

export class VectorShelf {
  readonly #files: VectorFiles | undefined;
  readonly #identity: string | undefined;
  readonly #now: () => number;
  /** Of the manifest that the held blocks are of. */
  #manifestId = '';
  /** Those of the embedder in use. */
  #held: readonly HeldBlock[] = [];
  #table = new VectorTable([]);

  /** @param identity of the embedder in use; without one the blocks are only looked after */
  constructor(files: VectorFiles | undefined, identity: string | undefined, now: () => number) {
    this.#files = files;
    this.#identity = identity;
    this.#now = now;
  }

  /** The vectors of the embedder in use. */
  get table(): VectorTable {
    return this.#table;
  }

  /** Claims the making of vectors; `undefined` while another process has it. */
  claim(): (() => void) | undefined {
    return this.#files === undefined ? () => undefined : this.#files.claim();
  }

  /** False when there is nothing, and nobody is writing the first. Loads nothing. */
  get mayHoldAny(): boolean {
    return this.#files === undefined ? this.#held.length > 0 : this.#files.isThere();
  }

  /** Takes what other processes have published. Costs the reading of a small file when there is nothing new. */
  async refresh(): Promise<void> {
    const files = this.#files;
    if (files === undefined) return;
    const readManifest = async (): Promise<VectorManifest | undefined> =>
      parseVectorManifest(await files.readManifest());
    for (let manifest = await readManifest(); ; ) {
      if ((manifest?.id ?? '') === this.#manifestId) return;
      const { blocks, isWhole } = this.#read(manifest, ({ identity }) => identity === this.#identity);
      const newer = isWhole ? manifest : await readManifest();
      // A block that is gone was merged away: then there is a newer manifest. If not, what is there has to do.
      if (newer?.id === manifest?.id) return this.#hold(blocks, manifest?.id);
      manifest = newer;
    }
  }

  /** Which vector belongs to which memory is to be found out anew. */
  lookAgain(): void {
    this.#table = new VectorTable(this.#table.blocks);
  }

  /** All vectors that can be read, whichever embedder made them. */
  async blocks(): Promise<readonly VectorBlock[]> {
    if (this.#files === undefined) return this.#held.map(({ block }) => block);
    const manifest = parseVectorManifest(await this.#files.readManifest());
    return this.#read(manifest, () => true).blocks.map(({ block }) => block);
  }

  /** Of which logs there are vectors, whichever embedder made them. `undefined` when files cannot be read. */
  async sessions(): Promise<readonly BlockSession[] | undefined> {
    const files = this.#files;
    if (files === undefined) return this.#held.flatMap(({ block }) => block.sessions);
    const text = await files.readManifest();
    if (text === undefined) return [];
    const sessions = parseVectorManifest(text)?.blocks.map(({ name }) => sessionsIn(files, name));
    return sessions?.every((each) => each !== undefined) ? sessions.flat() : undefined;
  }

  /**
   * Adds rows that `choose` gives, while nobody else can write. Vectors of other embedders go when they have not been
   * added to for a day.
   * @returns how many were added
   */
  async add(choose: () => Promise<readonly NewRow[]>): Promise<number> {
    let count = 0;
    await this.#change(async ({ blocks, used, write }) => {
      const rows = await choose();
      count = rows.length;
      const nowMs = this.#now();
      const kept = blocks.filter(
        ({ identity }) => identity === this.#identity || nowMs - (used[identity] ?? 0) < OTHERS_KEPT_MS,
      );
      if (rows.length === 0 && kept.length === blocks.length) return undefined;
      const added = rows.length === 0 ? [] : [await write(this.#identity!, rows)];
      return mergeSmall([...kept, ...added], write);
    });
    return count;
  }

  /**
   * Writes blocks anew without what should not be in them, and removes every file that does not count: blocks that
   * cannot be read, and what a process that was killed has left. @param prepare called while nobody else can write
   */
  sift(prepare: (blocks: readonly VectorBlock[]) => Promise<Sift>): Promise<void> {
    return this.#change(async ({ blocks, write }) => {
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

  /** @param work gives the blocks as they should be; `undefined` when they stay */
  async #change(work: (shelved: Shelved) => Promise<readonly HeldBlock[] | undefined>): Promise<void> {
    const files = this.#files;
    if (files === undefined) {
      const write: Write = async (identity, rows) => encoded(identity, rows).held;
      const blocks = await work({ blocks: this.#held, used: {}, write });
      if (blocks !== undefined) this.#hold(blocks, undefined);
      return;
    }
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const isDone = await files.change(async (writer) => {
        const manifest = parseVectorManifest(await files.readManifest());
        const { blocks } = this.#read(manifest, () => true);
        const used = manifest?.used ?? {};
        const write: Write = async (identity, rows) => {
          const { held, bytes } = encoded(identity, rows);
          await writer.write(held.name, bytes);
          return held;
        };
        const changed = await work({ blocks, used, write });
        if (changed === undefined) this.#hold(blocks, manifest?.id);
        else await this.#publish(writer, changed, used);
        return true;
      });
      if (isDone === true) return;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    throw new IOError('IO_FAILED', 'Another process has been writing vectors for too long.');
  }

  async #publish(
    writer: IndexWriter,
    blocks: readonly HeldBlock[],
    usedBefore: VectorManifest['used'],
  ): Promise<void> {
    const id = randomName();
    const used: Record<string, number> = {};
    for (const { identity } of blocks) {
      const before = usedBefore[identity];
      used[identity] = identity === this.#identity || before === undefined ? this.#now() : before;
    }
    const stored = blocks.map(({ name, identity, rows, checksum }) => ({ name, identity, rows, checksum }));
    await writer.writeManifest(
      renderVectorManifest({ id, blocks: stored, used }),
      stored.map(({ name }) => name),
    );
    this.#hold(blocks, id);
  }

  #read(
    manifest: VectorManifest | undefined,
    isWanted: (stored: StoredBlock) => boolean,
  ): { readonly blocks: readonly HeldBlock[]; readonly isWhole: boolean } {
    const known = new Map(this.#held.map((held) => [held.name, held]));
    const wanted = manifest?.blocks.filter(isWanted) ?? [];
    const blocks = wanted.map((stored) => known.get(stored.name) ?? this.#readBlock(stored));
    const readable = blocks.filter((held) => held !== undefined);
    return { blocks: readable, isWhole: readable.length === wanted.length };
  }

  #readBlock(stored: StoredBlock): HeldBlock | undefined {
    const block = readStoredBlock(this.#files!, stored);
    return block && { ...stored, block };
  }

  /** Only the vectors in use stay in memory. */
  #hold(blocks: readonly HeldBlock[], manifestId = ''): void {
    this.#held = blocks.filter(({ identity }) => identity === this.#identity);
    this.#manifestId = manifestId;
    const { blocks: known } = this.#table;
    const isSame =
      this.#held.length === known.length && this.#held.every(({ block }, at) => block === known[at]);
    if (!isSame) this.#table = new VectorTable(this.#held.map(({ block }) => block));
  }
}

/** A block as a manifest names it, checked; `undefined` when it is missing or damaged. */
export function readStoredBlock(files: IndexFiles, { name, checksum }: StoredBlock): VectorBlock | undefined {
  return whileOpen(files, name, (file) => {
    const bytes = file.read(0, file.size);
    return checksumOfFile(bytes) === checksum ? new VectorBlock(bytes) : undefined;
  });
}

/** Read off the head of a block, unchecked; `undefined` when it is missing or damaged. */
function sessionsIn(files: IndexFiles, name: string): readonly BlockSession[] | undefined {
  return whileOpen(files, name, (file) => readBlockSessions((offset, length) => file.read(offset, length)));
}

function whileOpen<Result>(
  files: IndexFiles,
  name: string,
  work: (file: IndexFile) => Result,
): Result | undefined {
  try {
    const file = files.open(name);
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
