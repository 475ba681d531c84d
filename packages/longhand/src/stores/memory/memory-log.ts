import type { LogLine } from '../../core/line.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import type { LogPosition, LogSize, LogSlice, QuarantinedLine, ReadOptions } from '../../core/store.ts';

const INDEX_DOCUMENT = 'index.json';
/** Made from the tombstones of a log whenever somebody reads it. */
export const TOMBSTONE_DOCUMENT = 'tombstones.jsonl';

/** One log with what belongs to it, in the bytes that a file would have. */
export class MemoryLog {
  generation: string;
  readonly life: string;
  /** What is written so far, at the front of a buffer that doubles when it is full. */
  bytes: Buffer = Buffer.alloc(0);
  #room: Buffer = Buffer.alloc(0);
  lastSeq = 0;
  readonly tombstones: string[] = [];
  readonly documents = new Map<string, string>();
  readonly blobs = new Map<string, Uint8Array>();
  aside: readonly QuarantinedLine[] = [];

  constructor(generation: string, life: string) {
    this.generation = generation;
    this.life = life;
  }

  grow(more: Buffer): void {
    const length = this.bytes.length + more.length;
    if (length > this.#room.length) {
      this.#room = Buffer.alloc(Math.max(4096, length * 2));
      this.bytes.copy(this.#room);
    }
    more.copy(this.#room, this.bytes.length);
    this.bytes = this.#room.subarray(0, length);
  }

  replace(bytes: Buffer, generation: string): void {
    this.bytes = bytes;
    this.#room = bytes;
    this.generation = generation;
  }

  setAside(lines: readonly LogLine[], forgotten: ReadonlySet<string>): void {
    const copies = lines.map((line) => ({ name: `${this.generation}-${line.offset}`, line }));
    this.aside = [...this.aside.filter(({ name }) => !forgotten.has(name)), ...copies];
  }

  read(after: LogPosition | undefined, options: ReadOptions): LogSlice {
    const isVoid = after === undefined || after.generation !== this.generation;
    const from = isVoid ? START : after;
    const end = from.offset + (options.maxBytes ?? Number.POSITIVE_INFINITY);
    const decoded = decodeLog(this.bytes.subarray(from.offset, Math.min(end, this.bytes.length)), from, {
      check: options.check ?? 'full',
    });
    return {
      life: this.life,
      reset: isVoid,
      lines: decoded.lines,
      damage: decoded.damage,
      position: { generation: this.generation, ...decoded.position },
      unfinishedBytes: decoded.unfinishedBytes,
    };
  }

  tombstoneText(): string | undefined {
    return this.tombstones.length === 0 ? undefined : `${this.tombstones.join('\n')}\n`;
  }

  size(): LogSize {
    const log = this.bytes.length;
    const index = Buffer.byteLength(this.documents.get(INDEX_DOCUMENT) ?? '');
    const tombstones = Buffer.byteLength(this.tombstoneText() ?? '');
    return { log, index, tombstones, total: log + index + tombstones };
  }
}
