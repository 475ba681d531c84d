import { LogLine } from '../../core/line.ts';
import { decodeLog, findLines, START } from '../../core/log-decoder.ts';
import {
  type LogPosition,
  type LogSize,
  type LogSlice,
  type QuarantinedLine,
  UNCHANGED,
  type WantedLog,
} from '../../core/store.ts';

const INDEX_DOCUMENT = 'index.json';
/** Made from the tombstones of a log whenever it is read. */
export const TOMBSTONE_DOCUMENT = 'tombstones.jsonl';

/** One log with what belongs to it, in the bytes that a file would have. The token of a position is its line number. */
export class MemoryLog {
  generation: string;
  readonly incarnation: string;
  /** What is written so far, at the front of a buffer that doubles when it is full. */
  bytes: Buffer = Buffer.alloc(0);
  #room: Buffer = Buffer.alloc(0);
  lastSeq = 0;
  readonly tombstones: string[] = [];
  readonly documents = new Map<string, string>();
  readonly blobs = new Map<string, Uint8Array>();
  aside: readonly QuarantinedLine[] = [];

  constructor(generation: string, incarnation: string) {
    this.generation = generation;
    this.incarnation = incarnation;
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

  read(wanted: Omit<WantedLog, 'log'>): LogSlice | typeof UNCHANGED {
    const slice = this.#read(wanted);
    return wanted.aside && slice !== UNCHANGED ? { ...slice, aside: this.aside } : slice;
  }

  #read({ after, places, holding, check = 'full', maxBytes, aside }: Omit<WantedLog, 'log'>) {
    const reset = after?.generation !== this.generation;
    if (places !== undefined) {
      const lines = places.map(
        ({ offset, length, lineNumber }) =>
          new LogLine(this.bytes, offset, offset + length, offset, lineNumber),
      );
      return this.#slice(reset, reset ? [] : lines, reset ? undefined : after);
    }
    if (holding !== undefined) return this.#slice(reset, findLines(this.bytes, holding, 0));
    if (!reset && !aside && after.at === this.bytes.length) return UNCHANGED;
    return this.decode(after, check, maxBytes);
  }

  /** Every line after a position, or all of them when it is void. */
  decode(
    after: LogPosition | undefined,
    check: 'full' | 'light',
    maxBytes = Number.POSITIVE_INFINITY,
  ): LogSlice {
    const reset = after?.generation !== this.generation;
    const from = reset
      ? START
      : { offset: after.at, lineNumber: after.token as number, lastSeq: after.lastSeq };
    const end = Math.min(from.offset + maxBytes, this.bytes.length);
    const decoded = decodeLog(this.bytes.subarray(from.offset, end), from, { check });
    const { offset, lineNumber, lastSeq } = decoded.position;
    const position = { generation: this.generation, at: offset, lastSeq, token: lineNumber };
    return { ...decoded, incarnation: this.incarnation, reset, position };
  }

  #slice(reset: boolean, lines: readonly LogLine[], position?: LogPosition): LogSlice {
    const start = { generation: this.generation, at: 0, lastSeq: 0, token: 0 };
    const { incarnation } = this;
    return { incarnation, reset, lines, damage: [], position: position ?? start, unfinishedBytes: 0 };
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
