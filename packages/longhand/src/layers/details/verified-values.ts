import { RunningDigest } from '../../core/sha256.ts';
import type { OpenBlob } from '../../core/store.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import { damaged } from './detail-reader.ts';
import type { KeptDetail } from './detail-records.ts';
import { STRETCH_BYTES, withReadingBuffer } from './detail-scan.ts';

/**
 * Values whose bytes were compared with their checksum. A page says nothing of the rest of a value, so whoever reads a
 * part has the whole compared first: once in each process, because a value never changes under its name, and reading
 * all of it for every page would make paging through it a matter of its size squared.
 */
const VALUES_REMEMBERED = 4_096;

export class VerifiedValues {
  readonly #known = new LeastRecentlyUsed<true>(VALUES_REMEMBERED);

  /** @throws CorruptionError CORRUPT_ENTRY */
  async check(blob: OpenBlob, detail: KeptDetail): Promise<void> {
    if (this.#known.get(nameOf(detail)) !== undefined) return;
    await withReadingBuffer(async (buffer) => {
      for await (const _piece of this.#compared(blob, detail, buffer));
    });
  }

  /**
   * The bytes, in pieces that the caller may keep. What is wrong with them shows at the end.
   * @throws CorruptionError CORRUPT_ENTRY
   */
  stream(blob: OpenBlob, detail: KeptDetail): AsyncGenerator<Uint8Array, void> {
    return this.#compared(blob, detail);
  }

  async *#compared(blob: OpenBlob, detail: KeptDetail, into?: Uint8Array): AsyncGenerator<Uint8Array, void> {
    const digest = new RunningDigest();
    for (let offset = 0; offset < blob.size; offset += STRETCH_BYTES) {
      const bytes = await blob.read(offset, STRETCH_BYTES, into);
      digest.add(bytes);
      yield bytes;
    }
    if (blob.size !== detail.size_bytes || digest.hex() !== detail.digest) throw damaged(detail);
    this.#known.set(nameOf(detail), true);
  }
}

function nameOf({ session_id, blob }: KeptDetail): string {
  return `${session_id}/${blob}`;
}
