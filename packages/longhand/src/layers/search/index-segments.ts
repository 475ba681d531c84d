import { randomName } from '../../core/ids.ts';
import type { IndexFile, IndexWriter, LogStore, StoredIndex } from '../../core/store.ts';
import {
  encodeRows,
  type OpenSegment,
  RecallIndex,
  readRows,
  SegmentDamage,
  type SegmentReader,
  type VectorRows,
} from '../../recall/index/index.ts';
import type { WordVectors } from '../../recall/vectors/index.ts';
import type { IndexLimits } from '../layer-context.ts';
import {
  fileNames,
  type IndexedHistory,
  type IndexManifest,
  parseManifest,
  renderManifest,
  type StoredSegment,
  type StoredVectors,
} from './index-manifest.ts';

/**
 * The segments of one user's search index on the disk: opening those that the newest manifest names, sealing a
 * tail into another one, merging small ones, publishing a manifest.
 *
 * Any number of processes do this. One that publishes must have started from the newest manifest; one that has not
 * starts again from there. A manifest whose segments cannot be used is replaced by the first process that finds out.
 * Where the store has no place for files, the index is in memory alone.
 */

interface HeldSegment {
  readonly name: string;
  readonly segment: OpenSegment;
  vectors: StoredVectors | undefined;
  readonly close: () => void;
}

/** What the store holds of an index. */
interface FoundIndex {
  readonly stored: StoredIndex | undefined;
  /** `undefined` when there is none that this version can use. */
  readonly manifest: IndexManifest | undefined;
  /** Whether there is anything, also such that cannot be read. */
  readonly isThere: boolean;
}

/** `stale` when another process has published since this one last read, `busy` while one is publishing. */
export type PurgeOutcome = 'done' | 'stale' | 'busy';

/** An index as it was found on the disk. */
export interface LoadedIndex {
  readonly index: RecallIndex;
  /** `undefined` when everything has to be built from the logs. */
  readonly manifest: IndexManifest | undefined;
  /** What was found cannot be used, and should be replaced soon. */
  readonly isDamaged: boolean;
}

const NOTHING_INDEXED: IndexedHistory = { mark: undefined, sessions: {}, uses: {} };

export class IndexSegments {
  readonly #userId: string;
  readonly #store: LogStore;
  readonly #limits: IndexLimits;
  readonly #words: WordVectors | undefined;
  #held: HeldSegment[] = [];
  /** The manifest that this process started from, or published last. */
  #published: string | undefined;

  constructor(userId: string, store: LogStore, limits: IndexLimits, words?: WordVectors) {
    this.#userId = userId;
    this.#store = store;
    this.#limits = limits;
    this.#words = words;
  }

  get count(): number {
    return this.#held.length;
  }

  /** The index that the newest manifest describes. */
  async load(): Promise<LoadedIndex> {
    for (;;) {
      // Who publishes is told when another process has done so since.
      const found = await this.#find(true);
      const { manifest, stored, isThere } = found;
      const index = this.#startFrom(found);
      if (manifest === undefined) return { index, manifest, isDamaged: isThere };
      try {
        for (const segment of manifest.segments) this.#open(index, stored!, segment);
        return { index, manifest, isDamaged: false };
      } catch (error) {
        if (!(error instanceof SegmentDamage)) throw error;
      }
      // Another process may have published meanwhile, and removed what this manifest named.
      if ((await this.#find()).manifest?.id === manifest.id) return this.startOver();
    }
  }

  /** An empty index that will take the place of whatever is on the disk. */
  async startOver(): Promise<LoadedIndex> {
    return { index: this.#startFrom(await this.#find()), manifest: undefined, isDamaged: true };
  }

  /**
   * Puts the tail into a segment of its own, merges small ones, and publishes. Leaves all as it is when another
   * process is publishing. False when another one has published since this one last read.
   * @param describe what the segments cover
   */
  async seal(index: RecallIndex, describe: () => IndexedHistory): Promise<boolean> {
    const outcome = await this.#publish(false, describe, async (writer) => {
      await this.#sealTail(index, writer);
      await this.#mergeSmall(index, writer);
    });
    return outcome !== 'stale';
  }

  /** Whether there are segments on the disk, or held from there, or what cannot be read. */
  async isStored(): Promise<boolean> {
    return this.#held.length > 0 || isStored(await this.#find());
  }

  /** Whether the disk may still hold something of a session: it is covered, or a killed process left its segments. */
  async mayHold(sessionId: string): Promise<boolean> {
    const { manifest, stored, isThere } = await this.#find();
    if (manifest === undefined) return isThere;
    return manifest.sessions[sessionId] !== undefined || stored!.hasStrays;
  }

  /**
   * Publishes an index of nothing where there is none. It makes those start again from the logs who hold a tail
   * that they have not written down yet, and clears away what a killed process left.
   * @returns as `purge` does; `stale` when there is an index by now
   */
  async publishNothing(): Promise<PurgeOutcome> {
    const found = await this.#find();
    if (isStored(found)) return 'stale';
    this.#startFrom(found);
    return this.#publish(true, () => NOTHING_INDEXED);
  }

  /** Replaces segments that hold gone memories by such without them, so that no byte of those is left on the disk. */
  purge(index: RecallIndex, describe: () => IndexedHistory): Promise<PurgeOutcome> {
    // A tail alone is sealed when it is worth it; other processes must not write down theirs.
    if (this.#held.length === 0) return this.#publish(true, () => NOTHING_INDEXED);
    return this.#publish(true, describe, async (writer) => {
      // What is published covers the tail too.
      await this.#sealTail(index, writer);
      for (const held of this.#held.filter(({ segment }) => segment.deadDocuments.length > 0)) {
        await this.#replace(index, writer, [held]);
      }
    });
  }

  close(): void {
    for (const { close } of this.#held) close();
    this.#held = [];
  }

  #startFrom({ stored }: FoundIndex): RecallIndex {
    this.close();
    this.#published = stored?.manifest;
    return new RecallIndex(this.#words);
  }

  async #find(mayLag = false): Promise<FoundIndex> {
    const parse = (text?: string): IndexManifest | undefined => parseManifest(text, this.#userId);
    try {
      const namesIn = (text: string): readonly string[] => fileNames(parse(text)?.segments ?? []);
      const stored = await this.#store.loadIndex(this.#userId, 'index', namesIn, mayLag);
      return { stored, manifest: parse(stored?.manifest), isThere: stored !== undefined };
    } catch {
      // A folder that may not be read, or a folder in place of the file: what cannot be read is built again.
      return { stored: undefined, manifest: undefined, isThere: true };
    }
  }

  async #publish(
    isErasure: boolean,
    describe: () => IndexedHistory,
    change: (writer: IndexWriter) => Promise<void> = async () => undefined,
  ): Promise<PurgeOutcome> {
    let manifest = '';
    const outcome = await this.#store.publishIndex(this.#userId, 'index', this.#published, async (writer) => {
      await change(writer);
      for (const held of this.#held) await this.#writeVectors(writer, held);
      const segments = this.#held.map(({ name, segment, vectors }): StoredSegment => {
        return { name, digest: segment.segment.digest, dead: segment.deadDocuments, vectors };
      });
      manifest = renderManifest({ id: randomName(), user_id: this.#userId, segments, ...describe() });
      return { manifest, names: fileNames(segments), isErasure };
    });
    if (outcome === 'done') this.#published = manifest;
    return outcome === 'unsupported' ? 'done' : outcome;
  }

  /** Vectors that were made since the last manifest. */
  async #writeVectors(writer: IndexWriter, held: HeldSegment): Promise<void> {
    const { newVectors } = held.segment;
    if (newVectors === undefined) return;
    const { bytes, digest } = encodeRows(newVectors);
    const { name, file } = await this.#write(writer, bytes, 'rows');
    file.close();
    held.vectors = { name, digest };
    held.segment.newVectors = undefined;
  }

  #open(index: RecallIndex, stored: StoredIndex, { name, digest, dead, vectors }: StoredSegment): void {
    const open = (reader: SegmentReader): OpenSegment => {
      const read = vectors && (() => readVectors(stored, vectors, opened.segment.documentCount));
      const opened = index.openSegment(reader, dead, read);
      if (opened.segment.digest === digest) return opened;
      throw new SegmentDamage(`The segment ${name} is another one than its manifest names.`);
    };
    this.#hold(name, openFile(stored, name), open, vectors);
  }

  #hold(
    name: string,
    file: IndexFile,
    open: (reader: SegmentReader) => OpenSegment,
    vectors?: StoredVectors,
  ): void {
    try {
      const segment = open(readerOf(file, name));
      this.#held.push({ name, segment, vectors, close: () => file.close() });
    } catch (error) {
      file.close();
      throw error;
    }
  }

  async #write(writer: IndexWriter, bytes: Uint8Array, kind = 'segment') {
    const name = `${randomName()}.${kind}`;
    return { name, file: await writer.write(name, bytes) };
  }

  async #sealTail(index: RecallIndex, writer: IndexWriter): Promise<void> {
    if (index.tailCount === 0) return;
    const { name, file } = await this.#write(writer, index.sealTail());
    this.#hold(name, file, (reader) => index.replaceTail(reader));
  }

  async #mergeSmall(index: RecallIndex, writer: IndexWriter): Promise<void> {
    for (let group = this.#mergeable(); group.length > 0; group = this.#mergeable()) {
      await this.#replace(index, writer, group);
    }
  }

  /** Puts one segment with the live documents of some in their place. */
  async #replace(index: RecallIndex, writer: IndexWriter, group: readonly HeldSegment[]): Promise<void> {
    const segments = group.map(({ segment }) => segment);
    const { name, file } = await this.#write(writer, index.mergeSegments(segments));
    this.#hold(name, file, (reader) => index.replaceSegments(segments, reader));
    for (const { close } of group) close();
    this.#held = this.#held.filter((held) => !group.includes(held));
  }

  /** Segments of one size class, when there are enough of them. Classes grow by the factor they merge by. */
  #mergeable(): HeldSegment[] {
    const { mergeAtSegments, maxMergedDocuments } = this.#limits;
    const classes = new Map<number, HeldSegment[]>();
    for (const held of this.#held) {
      const count = held.segment.segment.documentCount;
      if (count * 2 > maxMergedDocuments) continue;
      const sizeClass = Math.floor(Math.log(Math.max(1, count)) / Math.log(mergeAtSegments));
      classes.set(sizeClass, [...(classes.get(sizeClass) ?? []), held]);
    }
    for (const group of classes.values()) if (group.length >= mergeAtSegments) return group;
    return [];
  }
}

function isStored({ manifest, isThere }: FoundIndex): boolean {
  return manifest === undefined ? isThere : manifest.segments.length > 0;
}

function readVectors(stored: StoredIndex, { name, digest }: StoredVectors, count: number): VectorRows {
  const file = openFile(stored, name);
  try {
    const rows = readRows(readerOf(file, name));
    if (rows.digest === digest && rows.values.length === count * rows.dimensions) return rows;
    throw new SegmentDamage(`The vectors ${name} are others than their manifest names.`);
  } finally {
    file.close();
  }
}

function openFile(stored: StoredIndex, name: string): IndexFile {
  let file: IndexFile | undefined;
  try {
    file = stored.open(name);
  } catch (cause) {
    throw new SegmentDamage(`The segment ${name} cannot be opened.`, { cause });
  }
  if (file === undefined) throw new SegmentDamage(`The segment ${name} is missing.`);
  return file;
}

/** A disk that fails to read a segment is as bad as one that has changed it. */
export function readerOf(file: IndexFile, name: string): SegmentReader {
  return {
    size: file.size,
    read: (offset, length, into) => {
      try {
        return file.read(offset, length, into);
      } catch (cause) {
        throw new SegmentDamage(`The segment ${name} cannot be read.`, { cause });
      }
    },
  };
}
