import { IOError } from '../../core/errors.ts';
import { isCurrent } from '../../core/read-log.ts';
import type { IndexFile, LogStore, StoredIndex } from '../../core/store.ts';
import { RecallIndex, readRows, SegmentDamage } from '../../recall/index/index.ts';
import { addressOf } from '../memories/sessions.ts';
import type { Verification } from '../verification.ts';
import { isOutdated, parseManifest, type StoredSegment, type StoredVectors } from './index-manifest.ts';
import { readerOf } from './index-segments.ts';
import { parseVectorManifest, readStoredBlock } from './vectors/vector-shelf.ts';

/** What was looked at in a user's search index or vectors: how many files, and which of them cannot be used. */
interface CheckedFiles {
  readonly checked: number;
  readonly broken: readonly string[];
}

const MANIFEST = 'manifest';
const NOTHING: CheckedFiles = { checked: 0, broken: [] };

/** The search index and the vectors of a user, which are made from the logs of sessions. */
export async function verifyIndexes(
  store: LogStore,
  userId: string,
  { counts, damage }: Verification,
): Promise<void> {
  const index = await checkIndex(store, userId);
  counts.index_segments += index.checked;
  for (const what of index.broken)
    damage.push({ place: `search index of ${userId}: ${what}`, offset: 0, kind: 'index' });
  const vectors = await checkVectors(store, userId);
  counts.vector_blocks += vectors.checked;
  for (const what of vectors.broken)
    damage.push({ place: `vectors of ${userId}: ${what}`, offset: 0, kind: 'vectors' });
}

/** How far the stored search index of a user has come. Searches take in the rest themselves, and give the same answers. */
export interface IndexState {
  /**
   * `none`: too little to be stored, or never searched. `sealed`: all that is written is in it. `behind`: it lacks
   * something. `outdated`: of another version. `damaged`: cannot be read. The next search mends the last two.
   */
  readonly state: 'none' | 'sealed' | 'behind' | 'outdated' | 'damaged';
  /** Sessions of which it lacks something. */
  readonly sessions_behind: number;
}

export async function indexState(store: LogStore, userId: string): Promise<IndexState> {
  const is = (state: IndexState['state'], sessions_behind = 0): IndexState => ({ state, sessions_behind });
  const stored = await store.loadIndex(userId, 'index', () => []).catch(ifOfSystem);
  if (stored === UNREADABLE) return is('damaged');
  if (stored?.manifest === undefined) return is('none');
  const manifest = parseManifest(stored.manifest, userId);
  if (manifest === undefined) return is(isOutdated(stored.manifest) ? 'outdated' : 'damaged');
  const { sessionIds, mark } = await store.follow(userId, manifest.mark);
  let behind = 0;
  // The one that was written to last may be named without news.
  for (const id of new Set([...sessionIds, mark.lastId].filter((id) => id !== ''))) {
    const covered = manifest.sessions[id];
    const isKnown = covered !== undefined && (await isCurrent(store, addressOf(id), covered.position));
    if (!isKnown) behind++;
  }
  return is(behind === 0 ? 'sealed' : 'behind', behind);
}

/** Merging a segment reads and checks every byte of it. What comes out is thrown away. */
function checkIndex(store: LogStore, userId: string): Promise<CheckedFiles> {
  return checkFiles(
    (namesIn) => store.loadIndex(userId, 'index', namesIn),
    (text) => parseManifest(text, userId)?.segments,
    ({ name, vectors }) => (vectors === undefined ? [name] : [name, vectors.name]),
    (stored, segment) => isSound(stored, segment) && (!segment.vectors || isSound(stored, segment.vectors)),
  );
}

function checkVectors(store: LogStore, userId: string): Promise<CheckedFiles> {
  return checkFiles(
    (namesIn) => store.loadIndex(userId, 'vectors', namesIn),
    (text) => parseVectorManifest(text)?.blocks,
    ({ name }) => [name],
    (stored, block) => readStoredBlock(stored, block) !== undefined,
  );
}

async function checkFiles<Part extends { readonly name: string }>(
  load: (namesIn: (text: string) => readonly string[]) => Promise<StoredIndex | undefined>,
  partsOf: (text: string | undefined) => readonly Part[] | undefined,
  namesOf: (part: Part) => readonly string[],
  isSound: (stored: StoredIndex, part: Part) => boolean,
): Promise<CheckedFiles> {
  const find = (): Promise<StoredIndex | undefined> =>
    load((text) => partsOf(text)?.flatMap(namesOf) ?? []).catch(ifOfSystem);
  const stored = await find();
  if (stored !== UNREADABLE && stored?.manifest === undefined) return NOTHING;
  const parts = partsOf(stored.manifest);
  // After an upgrade, the next search builds it again: nothing is broken.
  if (parts === undefined) return { checked: 0, broken: isOutdated(stored.manifest) ? [] : [MANIFEST] };
  const broken: string[] = [];
  for (const part of parts) {
    // Another process may have merged it away since.
    if (!isSound(stored, part) && (await find())?.manifest === stored.manifest) broken.push(part.name);
  }
  return { checked: parts.length, broken };
}

/** A manifest that is there and cannot be read: a folder in its place, say. */
const UNREADABLE: StoredIndex = { manifest: undefined, hasStrays: false, open: () => undefined };

function ifOfSystem(error: unknown): StoredIndex {
  if (!isOfSystem(error)) throw error;
  return UNREADABLE;
}

function isSound(index: StoredIndex, stored: StoredSegment | StoredVectors): boolean {
  const { name, digest } = stored;
  let file: IndexFile | undefined;
  try {
    file = index.open(name);
    if (file === undefined) return false;
    if (!('dead' in stored)) return readRows(readerOf(file, name)).digest === digest;
    const recall = new RecallIndex();
    recall.mergeSegments([recall.openSegment(readerOf(file, name), stored.dead)]);
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
