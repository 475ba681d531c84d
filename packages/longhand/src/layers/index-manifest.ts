import type { DecayOverride } from '../core/records.ts';
import type { ChangeMark, LogPosition } from '../core/store.ts';

/**
 * Which segments make up a user's search index, and how much of each log they cover. A manifest that cannot
 * be read, or is of another version of the analysis, counts as none: the index is then built again.
 */
export interface IndexManifest {
  readonly id: string;
  readonly mark: ChangeMark | undefined;
  readonly segments: readonly StoredSegment[];
  readonly sessions: Readonly<Record<string, CoveredSession>>;
  /** By session and memory: when it was last used, and how often. */
  readonly uses: Readonly<Record<string, Readonly<Record<string, readonly [number, number]>>>>;
}

export interface StoredSegment {
  readonly name: string;
  /** Documents of it that are gone. */
  readonly dead: readonly number[];
}

export interface CoveredSession {
  readonly position: LogPosition;
  readonly rewrites: number;
  readonly decay_config?: DecayOverride;
}

/** Rises whenever the same text would be indexed in another way. */
const MANIFEST_VERSION = 1;

export function renderManifest(manifest: IndexManifest): string {
  return JSON.stringify({ version: MANIFEST_VERSION, ...manifest });
}

export function parseManifest(text: string | undefined): IndexManifest | undefined {
  if (text === undefined) return undefined;
  try {
    const manifest = JSON.parse(text) as IndexManifest & { version: number };
    const isUsable =
      manifest.version === MANIFEST_VERSION &&
      typeof manifest.id === 'string' &&
      Array.isArray(manifest.segments) &&
      typeof manifest.sessions === 'object' &&
      typeof manifest.uses === 'object';
    return isUsable ? manifest : undefined;
  } catch {
    // Cut short by a crash: as good as none.
    return undefined;
  }
}
