import { encodeLine } from '../../core/line.ts';
import { type Appended, type LogAddress, type LogSize, sessionFull, toDecided } from '../../core/store.ts';
import type { LogFile, Tail } from './log-file.ts';
import type { WriteRequest } from './write-queue.ts';

export interface Written {
  readonly request: WriteRequest;
  readonly appended: Appended;
}

export interface BatchTarget {
  readonly file: LogFile;
  /** The log's size on disk when the batch begins. */
  readonly size: LogSize;
  readonly checksums: boolean;
  readonly address: LogAddress;
  /** Adds to the list of deletions. Never throws: the list is mended from the log. */
  readonly appendTombstones: (lines: readonly string[]) => void;
  readonly onHealed: (tornBytes: number) => void;
  readonly onWrote: (bytes: Buffer) => void;
}

/**
 * Turns requests into lines and lines into as few writes as can be: one, unless a request has to see what
 * the ones before it wrote. Runs under the lock, from start to end without a pause.
 *
 * A request that is refused by its own decision or by the size limit is rejected here and leaves no trace.
 * A failing write throws; the requests that it covered are then neither `written` nor refused.
 */
export class Batch {
  readonly #target: BatchTarget;
  readonly #written: Written[] = [];
  readonly #refused: WriteRequest[] = [];
  #tail: Tail;
  #total: number;
  #seq: number;
  #parts: Buffer[] = [];
  #joined: Written[] = [];
  #tombstones: string[] = [];

  constructor(target: BatchTarget) {
    this.#target = target;
    this.#tail = target.file.tail(target.size.log);
    this.#total = target.size.total;
    this.#seq = this.#tail.lastSeq;
  }

  get written(): readonly Written[] {
    return this.#written;
  }

  /** Those of the requests whose callers have no answer coming. */
  unsettled(requests: readonly WriteRequest[]): WriteRequest[] {
    const settled = new Set([...this.#written.map(({ request }) => request), ...this.#refused]);
    return requests.filter((request) => !settled.has(request));
  }

  add(request: WriteRequest): void {
    let { bodies } = request;
    let { tombstones = [] } = request.options;
    if (request.decide !== undefined) {
      this.flush();
      const slice = this.#target.file.read(request.after, { check: 'light' });
      try {
        ({ bodies, tombstones } = toDecided(request.decide(slice), tombstones));
      } catch (error) {
        this.#refuse(request, error);
        return;
      }
    }
    const bytes = this.#encode(bodies);
    const { maxBytes } = request.options;
    const healing = this.#tail.tornBytes > 0 && this.#parts.length === 0 ? 1 : 0;
    if (maxBytes !== undefined && bytes.length > 0 && this.#total + bytes.length + healing > maxBytes) {
      const size = { ...this.#target.size, total: this.#total };
      this.#refuse(request, sessionFull(this.#target.address, size, bytes.length, maxBytes));
      return;
    }
    if (bytes.length > 0) {
      // A line that a killed writer left unfinished is closed, so that it spoils nobody else's.
      if (healing > 0) this.#parts.push(Buffer.from('\n'));
      this.#parts.push(bytes);
      this.#total += bytes.length + healing;
    }
    for (const line of tombstones) this.#total += Buffer.byteLength(line) + 1;
    const firstSeq = this.#seq + 1;
    this.#seq += bodies.length;
    for (const line of tombstones) this.#tombstones.push(line);
    this.#joined.push({ request, appended: { firstSeq, lastSeq: this.#seq, sizeBytes: this.#total } });
  }

  flush(): void {
    if (this.#parts.length > 0) this.#writeParts();
    const tombstones = this.#tombstones;
    this.#written.push(...this.#joined);
    this.#joined = [];
    this.#tombstones = [];
    if (tombstones.length > 0) this.#target.appendTombstones(tombstones);
  }

  #refuse(request: WriteRequest, error: unknown): void {
    this.#refused.push(request);
    request.reject(error);
  }

  #writeParts(): void {
    const { file, onHealed, onWrote } = this.#target;
    const bytes = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts);
    const { size, tornBytes } = this.#tail;
    file.append(bytes, this.#tail, this.#seq);
    this.#tail = file.tail(size + bytes.length);
    this.#parts = [];
    if (tornBytes > 0) onHealed(tornBytes);
    onWrote(bytes);
  }

  #encode(bodies: readonly string[]): Buffer {
    let text = '';
    let seq = this.#seq;
    for (const body of bodies) text += encodeLine(body, ++seq, this.#target.checksums);
    return Buffer.from(text);
  }
}
