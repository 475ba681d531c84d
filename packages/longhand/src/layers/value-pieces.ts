import type { OpenBlob } from '../core/store.ts';

/** So much of a value is held in memory at a time. */
export const STRETCH_BYTES = 65_536;

/** The bytes of a value, a stretch at a time, for the caller to keep unless `into` holds them. */
export async function* piecesOf(blob: OpenBlob, into?: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let offset = 0; offset < blob.size; offset += STRETCH_BYTES)
    yield await blob.read(offset, STRETCH_BYTES, into);
}
