import type { Appended, LogAddress, LogSize } from '../../core/store.ts';
import { isMeant, logNotFound, sessionFull, toDecided } from '../../core/store.ts';
import { sharedLines as lines } from './line-buffer.ts';
import type { LogFile, Tail } from './log-file.ts';
import type { WriteRequest } from './write-queue.ts';

export interface Written {
  readonly request: WriteRequest;
  readonly appended: Appended;
}

/** What is the same for every batch of a log. */
export interface BatchTarget {
  readonly checksums: boolean;
  readonly address: LogAddress;
  /** Adds to the list of deletions. Never throws: the list is mended from the log. */
  readonly appendTombstones: (lines: readonly string[]) => void;
  readonly onHealed: (tornBytes: number) => void;
  readonly onWrote: (bytes: Buffer, offset: number) => void;
}

const NONE: readonly string[] = [];

/**
 * Turns requests into lines and lines into as few writes as possible: one, unless a request has to see what
 * the ones before it wrote. Runs under the lock, from start to end without a pause.
 *
 * A request that is refused by its own decision, by the size limit, or because it means a log that is gone, is
 * rejected here and leaves no trace.
 * A failing write throws; the requests that it covered are then neither `written` nor refused.
 */
export class Batch {
  readonly #target: BatchTarget;
  readonly #file: LogFile;
  readonly #size: LogSize;
  /** What has been encoded, in order; the first `#writtenCount` of it are in the file. */
  readonly #joined: Written[] = [];
  #writtenCount = 0;
  #refused: Set<WriteRequest> | undefined;
  #tail: Tail;
  #total: number;
  #seq: number;
  #tombstones: string[] = [];

  /** @param size the log's size on disk when the batch begins */
  constructor(target: BatchTarget, file: LogFile, size: LogSize) {
    this.#target = target;
    this.#file = file;
    this.#size = size;
    this.#tail = file.tail(size.log);
    this.#total = size.total;
    this.#seq = this.#tail.lastSeq;
    // Of a batch that failed.
    lines.clear();
  }

  get written(): readonly Written[] {
    const isAll = this.#writtenCount === this.#joined.length;
    return isAll ? this.#joined : this.#joined.slice(0, this.#writtenCount);
  }

  /** Those of the requests whose callers have no answer coming. */
  unsettled(requests: readonly WriteRequest[]): WriteRequest[] {
    const written = new Set(this.written.map(({ request }) => request));
    return requests.filter((request) => !written.has(request) && !this.#refused?.has(request));
  }

  add(request: WriteRequest): void {
    if (!isMeant(request.log, this.#file.incarnation)) {
      this.#refuse(request, logNotFound(this.#target.address));
      return;
    }
    let { bodies } = request;
    let tombstones = request.options.tombstones ?? NONE;
    if (request.decide !== undefined) {
      this.flush();
      const slice = this.#file.read(request.options.after, { check: 'light' });
      try {
        ({ bodies, tombstones } = toDecided(request.decide(slice), tombstones));
      } catch (error) {
        this.#refuse(request, error);
        return;
      }
    }
    const { maxBytes } = request.options;
    const lengthBefore = lines.length;
    // A line that a killed writer left unfinished is closed, so that it does not spoil the next one.
    if (this.#tail.tornBytes > 0 && lengthBefore === 0 && bodies.length > 0) lines.addNewline();
    const recordsAt = lines.length;
    this.#addLines(request, bodies);
    const total = this.#total + lines.length - lengthBefore;
    if (maxBytes !== undefined && bodies.length > 0 && total > maxBytes) {
      const size = { ...this.#size, total: this.#total };
      this.#refuse(request, sessionFull(this.#target.address, size, lines.length - recordsAt, maxBytes));
      lines.cutTo(lengthBefore);
      return;
    }
    this.#total = total;
    for (const line of tombstones) this.#total += Buffer.byteLength(line) + 1;
    const firstSeq = this.#seq + 1;
    this.#seq += bodies.length;
    for (const line of tombstones) this.#tombstones.push(line);
    this.#joined.push({ request, appended: { firstSeq, lastSeq: this.#seq, sizeBytes: this.#total } });
  }

  flush(): void {
    if (lines.length > 0) this.#writeLines();
    this.#writtenCount = this.#joined.length;
    if (this.#tombstones.length === 0) return;
    const tombstones = this.#tombstones;
    this.#tombstones = [];
    this.#target.appendTombstones(tombstones);
  }

  #addLines({ prepared }: WriteRequest, bodies: readonly string[]): void {
    if (prepared?.firstSeq === this.#seq + 1) lines.addLines(prepared.bytes);
    else lines.addRecords(bodies, this.#seq + 1, this.#target.checksums);
  }

  #refuse(request: WriteRequest, error: unknown): void {
    this.#refused ??= new Set();
    this.#refused.add(request);
    request.reject(error);
  }

  #writeLines(): void {
    const bytes = lines.take();
    const { size, tornBytes } = this.#tail;
    this.#file.append(bytes, this.#tail, this.#seq);
    this.#tail = this.#file.tail(size + bytes.length);
    if (tornBytes > 0) this.#target.onHealed(tornBytes);
    this.#target.onWrote(bytes, size);
  }
}
