import { IOError } from '../core/errors.ts';
import type { IndexFile, IndexFiles, LogStore } from '../core/store.ts';
import { RecallIndex, readRows, SegmentDamage } from '../recall/index/index.ts';
import {
  isOutdated,
  parseManifest,
  type StoredSegment,
  type StoredVectors,
} from './search/index-manifest.ts';
import { readerOf } from './search/index-segments.ts';
import { parseVectorManifest } from './search/vectors/vector-manifest.ts';
import { readStoredBlock } from './search/vectors/vector-shelf.ts';

/** What was looked at in a user's search index or vectors: how many files, and which of them cannot be used. */
export interface CheckedFiles {
  readonly checked: number;
  readonly broken: readonly string[];
}

const MANIFEST = 'manifest';
const NOTHING: CheckedFiles = { checked: 0, broken: [] };

/** Merging a segment reads and checks every byte of it. What comes out is thrown away. */
export function checkIndex(store: LogStore, userId: string): Promise<CheckedFiles> {
  return checkFiles(
    store.indexFiles(userId),
    (text) => parseManifest(text, userId),
    ({ segments }) => segments,
    (files, stored) => isSound(files, stored) && (!stored.vectors || isSound(files, stored.vectors)),
  );
}

export function checkVectors(store: LogStore, userId: string): Promise<CheckedFiles> {
  return checkFiles(
    store.vectorFiles(userId),
    parseVectorManifest,
    ({ blocks }) => blocks,
    (files, stored) => readStoredBlock(files, stored) !== undefined,
  );
}

async function checkFiles<
  Manifest extends { readonly id: string },
  Part extends { readonly name: string },
  Files extends IndexFiles,
>(
  files: Files | undefined,
  parse: (text: string | undefined) => Manifest | undefined,
  partsOf: (manifest: Manifest) => readonly Part[],
  isSound: (files: Files, part: Part) => boolean,
): Promise<CheckedFiles> {
  if (files === undefined) return NOTHING;
  const read = await readManifest(files);
  if (read === undefined) return NOTHING;
  const manifest = parse(read.text);
  // After an upgrade, the next search builds it again: nothing is broken.
  if (manifest === undefined) return { checked: 0, broken: isOutdated(read.text) ? [] : [MANIFEST] };
  const broken: string[] = [];
  const parts = partsOf(manifest);
  for (const part of parts) {
    if (isSound(files, part)) continue;
    // Another process may have merged it away since.
    if (parse((await readManifest(files))?.text)?.id === manifest.id) broken.push(part.name);
  }
  return { checked: parts.length, broken };
}

/** `undefined` when there is none. One that is there and cannot be read, a folder say, has no text. */
async function readManifest(files: IndexFiles): Promise<{ readonly text?: string } | undefined> {
  try {
    const text = await files.readManifest();
    return text === undefined ? undefined : { text };
  } catch (error) {
    if (!isOfSystem(error)) throw error;
    return {};
  }
}

function isSound(files: IndexFiles, stored: StoredSegment | StoredVectors): boolean {
  const { name, digest } = stored;
  let file: IndexFile | undefined;
  try {
    file = files.open(name);
    if (file === undefined) return false;
    if (!('dead' in stored)) return readRows(readerOf(file, name)).digest === digest;
    const index = new RecallIndex();
    index.mergeSegments([index.openSegment(readerOf(file, name), stored.dead)]);
    return true;
  } catch (error) {
    if (error instanceof SegmentDamage || isOfSystem(error)) return false;
    throw error;
  } finally {
    file?.close();
  }
}

/** The system's answer, in its words or the store's: a folder in the place of a file, one that this user may not read. */
function isOfSystem(error: unknown): boolean {
  return (
    error instanceof IOError ||
    (error instanceof Error && typeof (error as NodeJS.ErrnoException).syscall === 'string')
  );
}
