import { dirname, join } from 'node:path';
import { ConcurrencyError } from '../../core/errors.ts';
import { type FileSystem, makeFolder, O_CREAT, O_RDWR, openPrivate } from './file-system.ts';
import { LOCK_ANCHOR, LOCK_BYTE } from './lock.ts';
import { readText, removeIfThere, replaceFile, TEMPORARY_ENDING } from './side-files.ts';

/** A document is written within a millisecond; whoever holds the lock for two seconds has been stopped. */
const LOCK_TRIES = 200;
const PAUSE_MS = 10;

/**
 * Documents that belong to no log: at the root (`config.json`), or one folder below it
 * (`indices/global_index.json`). What lies in a folder is derived: it is not synced, since it can be made again.
 *
 * Who writes in a folder holds its lock, so that a temporary file which is found there was left by a process
 * that died. Readers take none: they see the old text or the new one.
 */
export class RootDocuments {
  readonly #fileSystem: FileSystem;
  readonly #root: string;

  constructor(fileSystem: FileSystem, root: string) {
    this.#fileSystem = fileSystem;
    this.#root = root;
  }

  read(name: string): string | undefined {
    const folder = this.#folderOf(name);
    if (folder !== undefined) {
      if (this.#fileSystem.stat(folder) === undefined) return undefined;
      this.#refuseOtherThan('directory', folder);
    }
    return readText(this.#fileSystem, join(this.#root, name));
  }

  /** @throws ConcurrencyError LOCK_TIMEOUT */
  async write(name: string, text: string): Promise<void> {
    const folder = this.#folderOf(name);
    if (folder === undefined) return this.#replace(name, text, true);
    const fileSystem = this.#fileSystem;
    makeFolder(fileSystem, folder);
    this.#refuseOtherThan('directory', folder);
    const { fd } = openPrivate(fileSystem, join(folder, LOCK_ANCHOR), O_RDWR | O_CREAT);
    try {
      await this.#waitForLock(fd, folder);
      for (const other of fileSystem.list(folder)) {
        if (other.endsWith(TEMPORARY_ENDING)) removeIfThere(fileSystem, join(folder, other));
      }
      await this.#replace(name, text, false);
    } finally {
      // Closing lets go of the lock.
      fileSystem.close(fd);
    }
  }

  async #replace(name: string, text: string, isSynced: boolean): Promise<void> {
    const path = join(this.#root, name);
    if (this.#fileSystem.stat(path) !== undefined) this.#refuseOtherThan('file', path);
    await replaceFile(this.#fileSystem, path, [Buffer.from(text)], isSynced);
  }

  async #waitForLock(fd: number, folder: string): Promise<void> {
    for (let tries = 1; !this.#fileSystem.tryLock(fd, LOCK_BYTE); tries++) {
      if (tries === LOCK_TRIES) {
        throw new ConcurrencyError(
          'LOCK_TIMEOUT',
          `Another process has been writing in ${folder} for too long.`,
        );
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  #folderOf(name: string): string | undefined {
    return name.includes('/') ? join(this.#root, dirname(name)) : undefined;
  }

  #refuseOtherThan(kind: 'file' | 'directory', path: string): void {
    if (this.#fileSystem.stat(path)?.kind === kind) return;
    throw Object.assign(new Error(`${path} is no ${kind}.`), { code: 'ELOOP' });
  }
}
