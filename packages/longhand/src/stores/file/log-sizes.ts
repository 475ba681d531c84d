import { basename, dirname, join } from 'node:path';
import type { LogSize } from '../../core/store.ts';
import { notOurs } from './failures.ts';
import type { FileSystem } from './file-system.ts';
import { MEMORY_FILE } from './log-paths.ts';
import { INDEX_FILE, TOMBSTONE_FILE } from './sidecar-files.ts';

/** Looking at two files costs as much as writing a line. */
const MAX_USES_OF_KNOWN_SIZE = 32;
/** From here on the limit is kept to the byte. */
const NEAR_THE_LIMIT = 0.8;

/** How much a log takes on the disk with what lies beside it. */
export class LogSizes {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  #known: LogSize | undefined;
  #usesOfKnown = 0;

  /** @param path of the log's file */
  constructor(fileSystem: FileSystem, path: string) {
    this.#fileSystem = fileSystem;
    this.#path = path;
  }

  measure(): LogSize {
    return this.#measureAround(this.#sizeOf(basename(this.#path)));
  }

  /**
   * With a log whose size is known. The files beside it are looked at again when the limit is near, and now and
   * then: what another process wrote beside the log may go unnoticed for a few writes.
   */
  around(log: number, limitBytes: number | undefined): LogSize {
    const known = this.#known;
    if (known !== undefined && this.#usesOfKnown++ < MAX_USES_OF_KNOWN_SIZE) {
      const total = log + known.index + known.tombstones;
      if (limitBytes === undefined || total < limitBytes * NEAR_THE_LIMIT) {
        return { log, index: known.index, tombstones: known.tombstones, total };
      }
    }
    this.#usesOfKnown = 0;
    this.#known = this.#measureAround(log);
    return this.#known;
  }

  /** Something beside the log has changed, or another log is in its place. */
  forget(): void {
    this.#known = undefined;
  }

  #measureAround(log: number): LogSize {
    // What lies beside it belongs to the log that gave the folder its name.
    const isMain = basename(this.#path) === MEMORY_FILE;
    const index = isMain ? this.#sizeOf(INDEX_FILE) : 0;
    const tombstones = isMain ? this.#sizeOf(TOMBSTONE_FILE) : 0;
    return { log, index, tombstones, total: log + index + tombstones };
  }

  #sizeOf(name: string): number {
    const status = this.#fileSystem.stat(join(dirname(this.#path), name));
    if (status !== undefined && status.kind !== 'file') throw notOurs(name);
    return status?.size ?? 0;
  }
}
