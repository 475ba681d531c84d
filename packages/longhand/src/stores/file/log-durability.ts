import { dirname } from 'node:path';
import { IOError, NotFoundError, systemErrorCode } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { reasonOf } from './failures.ts';
import type { FileSystem } from './file-system.ts';
import { sharedLines } from './line-buffer.ts';
import type { LogFile } from './log-file.ts';
import { rescueLog } from './rescue.ts';
import { Syncer } from './syncer.ts';

/**
 * Brings what a log holds to the disk, and handles a disk that refuses.
 *
 * A failed sync is never retried on that file: the system might call the second one a success. The log is then
 * read-only, and rewritten under its lock, with what its writer had not synced and the old file has lost. When that
 * fails too, it stays read-only until the next write tries again.
 */
export interface DurableLog {
  readonly name: string;
  readonly folder: string;
  readonly path: string;
  /** The file that is open now. */
  readonly file: LogFile;
  whileHolding(operation: 'recover', work: () => Promise<void>): Promise<void>;
  /** Goes on with the file that was put in place. */
  adoptNewFile(isEntryOnDisk: boolean): void;
}

export class LogDurability {
  readonly #log: DurableLog;
  readonly #fileSystem: FileSystem;
  readonly #emit: Emit;
  readonly syncer: Syncer;
  /** The file that a sync has failed on, and why. */
  #failed: { readonly file: LogFile; readonly cause: unknown } | undefined;

  constructor(log: DurableLog, fileSystem: FileSystem, emit: Emit) {
    this.#log = log;
    this.#fileSystem = fileSystem;
    this.#emit = emit;
    this.syncer = new Syncer(
      () => this.#bringToDisk(),
      (cause) => this.#rescue(cause),
      (bytes) => sharedLines.giveBack(bytes),
    );
  }

  /** Why nothing can be written, when nothing can. With another file in place, it is no longer the matter. */
  get readOnlyCause(): unknown {
    return this.#failed?.file === this.#log.file ? this.#failed.cause : undefined;
  }

  /** After a failed sync, nothing is written to this file any more. Tries once to rewrite the log. */
  async leaveReadOnly(): Promise<void> {
    if (this.readOnlyCause !== undefined) await this.#rescue(this.readOnlyCause);
  }

  /** Of a log that replaced this file: the process that made the folder may have been killed before it did so. */
  async bringFolderToDisk(replaced: LogFile): Promise<void> {
    if (!replaced.isEntryOnDisk) await this.#fileSystem.syncDirectory(dirname(this.#log.folder));
  }

  /**
   * The file's bytes, and once for each file the folders on the way to it: the process that put it there
   * may have been killed before it could do so.
   */
  async #bringToDisk(): Promise<void> {
    // Never a second try on a file whose sync has failed: the system might call it a success.
    if (this.readOnlyCause !== undefined) throw this.readOnlyCause;
    // With the lock comes the putting back.
    if (this.syncer.lost.length > 0) await this.#log.whileHolding('recover', async () => undefined);
    const { file, folder } = this.#log;
    try {
      await this.#fileSystem.sync(file.fd);
      if (file.isEntryOnDisk) return;
      await this.#fileSystem.syncDirectory(folder);
      await this.#fileSystem.syncDirectory(dirname(folder));
      file.isEntryOnDisk = true;
    } catch (error) {
      // Removed by another process in the meantime: nothing is left that could be brought anywhere.
      if (systemErrorCode(error) === 'ENOENT') return;
      if (file === this.#log.file) throw error;
    }
    // Another file is in its place by now: that is the one to be sure of.
    if (file !== this.#log.file) await this.#bringToDisk();
  }

  /** @throws IOError READ_ONLY when the log cannot be rewritten either */
  async #rescue(cause: unknown): Promise<void> {
    const { name, path, file: failed } = this.#log;
    let isReplaced = false;
    this.#failed = { file: failed, cause };
    this.#emit({ kind: 'log-read-only', log: name, reason: reasonOf(cause) });
    try {
      await this.#log.whileHolding('recover', async () => {
        // Replaced since, and what it had lost was put back with the lock.
        isReplaced = this.#log.file !== failed;
        if (isReplaced) return;
        await rescueLog(this.#fileSystem, path, failed.fd, this.syncer.unsynced);
        await this.bringFolderToDisk(failed);
        this.syncer.forget();
        this.#log.adoptNewFile(true);
      });
    } catch (error) {
      // Another process has removed it: that is what callers must hear, not what was wrong before.
      if (error instanceof NotFoundError) throw error;
      throw new IOError(
        'READ_ONLY',
        `${name} is read-only: the disk did not confirm a write (${reasonOf(cause)}), and the log could not be ` +
          'rewritten. Check the disk; the next write tries again.',
        { cause: error, details: { log: name } },
      );
    }
    if (isReplaced) {
      try {
        await this.#bringToDisk();
      } catch (failedAgain) {
        return this.#rescue(failedAgain);
      }
    }
    this.#emit({ kind: 'log-rescued', log: name });
  }
}
