import { readSound, withChecksum } from '../index-manifest.ts';

/**
 * Which blocks of vectors count, and whose they are. One line of JSON, and behind it a line with its checksum. A
 * manifest that cannot be read, was changed, or is of another version counts as none: the vectors are then made again.
 */
export interface VectorManifest {
  readonly id: string;
  /** In the order in which they were written. */
  readonly blocks: readonly StoredBlock[];
  /** Embedder → when its vectors were last added to, in milliseconds. */
  readonly used: Readonly<Record<string, number>>;
}

export interface StoredBlock {
  readonly name: string;
  /** Of the embedder that made it. */
  readonly identity: string;
  readonly rows: number;
  /** Of the file: another one under this name is not taken for it. */
  readonly checksum: number;
}

/** Rises whenever the same memory would be given to an embedder as another text. */
const VERSION = 1;

export function renderVectorManifest(manifest: VectorManifest): string {
  return withChecksum(JSON.stringify({ version: VERSION, ...manifest }));
}

export function parseVectorManifest(text: string | undefined): VectorManifest | undefined {
  const sound = readSound<VectorManifest>(text);
  return sound?.version === VERSION ? sound : undefined;
}
