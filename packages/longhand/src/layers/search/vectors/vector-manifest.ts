import { checksumOf } from '../../../recall/index/index.ts';

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
  const body = JSON.stringify({ version: VERSION, ...manifest });
  return `${body}\n${checksumOfText(body)}\n`;
}

export function parseVectorManifest(text: string | undefined): VectorManifest | undefined {
  const [body = '', checksum] = (text ?? '').split('\n');
  if (body === '' || checksum !== checksumOfText(body)) return undefined;
  const { version, ...manifest } = JSON.parse(body) as VectorManifest & { readonly version: number };
  return version === VERSION ? manifest : undefined;
}

function checksumOfText(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return checksumOf(bytes, 0, bytes.length, 0).toString(16).padStart(8, '0');
}
