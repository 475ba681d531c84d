import type { DecayOverride } from '../../core/records.ts';
import type { ChangeMark, LogPosition } from '../../core/store.ts';
import { checksumOf } from '../../recall/index/index.ts';

/**
 * Which segments make up a user's search index, and how much of each log they cover. One line of JSON, and
 * behind it a line with its checksum. A manifest that cannot be read, was changed, is another user's, or is of
 * another version of the analysis counts as none: the index is then built again.
 */
export interface IndexManifest extends IndexedHistory {
  readonly id: string;
  /** Whose it is. Folders are copied and renamed by hand, and some file systems take `Ada` for `ada`. */
  readonly user_id: string;
  readonly segments: readonly StoredSegment[];
}

/** What the segments of an index cover. */
export interface IndexedHistory {
  readonly mark: ChangeMark | undefined;
  readonly sessions: Readonly<Record<string, CoveredSession>>;
  /** By session: how its memories were used, as `MemoryUses` writes it. */
  readonly uses: Readonly<Record<string, string>>;
}

export interface StoredSegment {
  readonly name: string;
  /** Of the segment's contents: another one under this name is not taken for it. */
  readonly digest: number;
  /** Documents of it that are gone. */
  readonly dead: readonly number[];
  /** The file with the vectors of its documents; none when left out. */
  readonly vectors?: StoredVectors | undefined;
}

export interface StoredVectors {
  readonly name: string;
  readonly digest: number;
}

/** The files of segments. */
export function fileNames(segments: readonly StoredSegment[]): string[] {
  return segments.flatMap(({ name, vectors }) => (vectors === undefined ? [name] : [name, vectors.name]));
}

export interface CoveredSession {
  readonly position: LogPosition;
  readonly rewrites: number;
  /** The place of the last line in the order of its log; the position's last number when left out. */
  readonly order?: number;
  readonly decay_config?: DecayOverride;
  /** Where lines begin that could not be read, so that every process reports them; none when left out. */
  readonly damaged_at?: readonly number[];
  /** What memories say that were corrected, as `TextsById` has it; none when left out. */
  readonly corrected?: readonly (readonly [number, string])[];
  /** What memories of it replace, as `Replacements` has it; none when left out. */
  readonly replaces?: readonly (readonly [string, readonly string[]])[];
}

/**
 * The number rises whenever the same text would be indexed in another way. Words of some scripts are cut by the
 * Unicode library of the runtime, so that its version is part of it.
 */
const MANIFEST_VERSION = `18 ${process.versions.icu}`;

export function renderManifest(manifest: IndexManifest): string {
  return withChecksum(JSON.stringify({ version: MANIFEST_VERSION, ...manifest }));
}

/** @param userId the user in whose folder it was found */
export function parseManifest(text: string | undefined, userId: string): IndexManifest | undefined {
  const sound = readSound<IndexManifest>(text);
  return sound?.version === MANIFEST_VERSION && sound.user_id === userId ? sound : undefined;
}

/** Whether it is as another version of the library wrote it: of no use here, and not damaged. */
export function isOutdated(text: string | undefined): boolean {
  const sound = readSound(text);
  return sound !== undefined && sound.version !== MANIFEST_VERSION;
}

/** A line of JSON, and behind it a line with its checksum. */
export function withChecksum(body: string): string {
  const bytes = new TextEncoder().encode(body);
  // Like that of a segment's frames: it guards against accidents, and a process that starts has it at hand.
  return `${body}\n${checksumOf(bytes, 0, bytes.length, 0).toString(16).padStart(8, '0')}\n`;
}

/** `undefined` for what `withChecksum` has not made, or what was changed since. */
export function readSound<Manifest>(
  text: string | undefined,
): (Manifest & { readonly version: unknown }) | undefined {
  const [body = ''] = (text ?? '').split('\n');
  return body !== '' && text === withChecksum(body) ? JSON.parse(body) : undefined;
}
