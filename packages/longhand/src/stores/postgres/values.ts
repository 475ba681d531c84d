import { randomUUID } from 'node:crypto';
import { NotFoundError } from '../../core/errors.ts';
import {
  type ByteChunks,
  blobExists,
  checkBlobName,
  logNotFound,
  type OpenBlob,
  type SessionAddress,
} from '../../core/store.ts';
import type { Calls } from './calls.ts';

const CHUNK_BYTES = 256 * 1024;
/** Values up to this many chunks come whole with their opening. */
const CHUNKS_AT_ONCE = 4;

/** Large values, in rows of one chunk each. */
export class Values {
  readonly #calls: Calls;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  async write({ id, incarnation }: SessionAddress, name: string, chunks: ByteChunks): Promise<number> {
    checkBlobName(name);
    const session = { kind: 'session', id, incarnation } as const;
    const valueId = randomUUID();
    let [number, size] = [0, 0];
    const put = async (bytes: Buffer, finalName: string | null): Promise<void> => {
      size += bytes.length;
      const args = [id, incarnation, valueId, number++, bytes, finalName, size];
      const status = await this.#calls.value<string>('write_value', args);
      if (status === 'missing') throw logNotFound(session);
      if (status === 'taken') throw blobExists(name);
    };
    try {
      let last: Buffer = Buffer.alloc(0);
      for await (const chunk of ofOneSize(chunks)) {
        // The last one closes the value: each waits until it is known whether there is another.
        if (last.length > 0) await put(last, null);
        last = chunk;
      }
      await put(last, name);
      return size;
    } catch (error) {
      // What is left of it when this fails too goes with the next listing.
      await this.remove({ kind: 'session', id }, [], valueId).catch(() => undefined);
      throw error;
    }
  }

  async open({ id, incarnation }: SessionAddress, name: string): Promise<OpenBlob | undefined> {
    const rows = await this.#calls.rows('open_value', [id, incarnation, name, CHUNKS_AT_ONCE]);
    const [first] = rows;
    if (first === undefined) return undefined;
    const size = Number(first.size);
    const start = Buffer.concat(rows.map(({ bytes }) => bytes as Buffer));
    return {
      size,
      read: async (offset, length, into) => {
        const end = Math.min(offset + length, size);
        if (offset >= end) return new Uint8Array(0);
        const bytes =
          end <= start.length
            ? start.subarray(offset, end)
            : await this.#stretch(first.user_id, first.value_id, name, offset, end);
        if (into === undefined || into.length < length) return Uint8Array.from(bytes);
        into.set(bytes);
        return into.subarray(0, bytes.length);
      },
      close: () => undefined,
    };
  }

  /** @throws NotFoundError DETAIL_NOT_FOUND when a value too large to be held was removed while it was open */
  async #stretch(
    userId: string,
    valueId: string,
    name: string,
    offset: number,
    end: number,
  ): Promise<Buffer> {
    const [first, last] = [Math.floor(offset / CHUNK_BYTES), Math.floor((end - 1) / CHUNK_BYTES)];
    const rows = await this.#calls.rows('read_value', [userId, valueId, first, last]);
    if (rows.length <= last - first)
      throw new NotFoundError('DETAIL_NOT_FOUND', `The value ${name} was removed while it was read.`);
    const bytes = Buffer.concat(rows.map(({ read_value }) => read_value as Buffer));
    return bytes.subarray(offset - first * CHUNK_BYTES, end - first * CHUNK_BYTES);
  }

  async remove(
    { id, incarnation }: SessionAddress,
    names: readonly string[],
    draft?: string,
  ): Promise<number> {
    return Number(await this.#calls.value('remove_values', [id, incarnation, names, draft]));
  }
}

async function* ofOneSize(chunks: ByteChunks): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(Buffer.from(chunk));
    length += chunk.length;
    if (length < CHUNK_BYTES) continue;
    const bytes = Buffer.concat(parts);
    let at = 0;
    for (; at + CHUNK_BYTES <= bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
    parts = [bytes.subarray(at)];
    length = bytes.length - at;
  }
  if (length > 0) yield Buffer.concat(parts);
}
