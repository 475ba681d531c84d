import { dirname, join } from 'node:path';
import type { DocumentOptions, LogAddress } from '../../core/store.ts';
import { type FileSystem, makeFolder, O_CREAT, O_RDWR, openPrivate } from './file-system.ts';
import { holdIfFree, whileFolderIsLocked } from './folder-lock.ts';
import type { FileLog } from './log.ts';
import { isOver } from './log-file.ts';
import type { LogPaths } from './log-paths.ts';
import { removeLeftovers } from './rewrite.ts';
import { readText, removeIfThere, replaceFile } from './sidecar-files.ts';

const CLAIMS_FOLDER = 'indices';

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

  /**
   * Removes it when the text is `undefined`. False when it does not hold what is expected, or was not there to remove.
   * @throws ConcurrencyError LOCK_TIMEOUT
   */
  write(name: string, text: string | undefined, { expected }: DocumentOptions): Promise<boolean> {
    const folder = this.#folderOf(name);
    const write = async (): Promise<boolean> => {
      if (expected !== undefined && expected !== (this.read(name) ?? null)) return false;
      const path = join(this.#root, name);
      if (text !== undefined) await this.#replace(path, text, folder === undefined);
      else if (this.#fileSystem.stat(path) === undefined) return false;
      else {
        removeIfThere(this.#fileSystem, path);
        await this.#fileSystem.syncDirectory(dirname(path));
      }
      return true;
    };
    const isLocked = folder !== undefined || expected !== undefined;
    return isLocked ? this.#whileLocked(folder ?? this.#root, write) : write();
  }

  /** By the lock of a file of its own. */
  claim(name: string): (() => void) | undefined {
    const folder = join(this.#root, CLAIMS_FOLDER);
    makeFolder(this.#fileSystem, folder);
    this.#refuseOtherThan('directory', folder);
    const { fd } = openPrivate(this.#fileSystem, join(folder, `.${name}.k`), O_RDWR | O_CREAT);
    return holdIfFree(this.#fileSystem, fd);
  }

  async #whileLocked<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
    const fileSystem = this.#fileSystem;
    makeFolder(fileSystem, folder);
    this.#refuseOtherThan('directory', folder);
    return whileFolderIsLocked(fileSystem, folder, () => {
      // At the root, others write without its lock.
      if (folder !== this.#root) removeLeftovers(fileSystem, folder);
      return work();
    });
  }

  async #replace(path: string, text: string, isSynced: boolean): Promise<void> {
    if (this.#fileSystem.stat(path) !== undefined) this.#refuseOtherThan('file', path);
    await replaceFile(this.#fileSystem, path, [Buffer.from(text)], isSynced);
  }

  #folderOf(name: string): string | undefined {
    return name.includes('/') ? join(this.#root, dirname(name)) : undefined;
  }

  #refuseOtherThan(kind: 'file' | 'directory', path: string): void {
    if (this.#fileSystem.stat(path)?.kind === kind) return;
    throw Object.assign(new Error(`${path} is no ${kind}.`), { code: 'ELOOP' });
  }
}

/**
 * Readable texts beside a log. They are written under the log's lock, where a temporary file cannot be taken for
 * one that a dead process left; readers take no lock, and see the old text or the new one.
 */
export class Documents {
  readonly #fileSystem: FileSystem;
  readonly #paths: LogPaths;
  readonly #openLog: (log: LogAddress) => FileLog;

  constructor(fileSystem: FileSystem, paths: LogPaths, openLog: (log: LogAddress) => FileLog) {
    this.#fileSystem = fileSystem;
    this.#paths = paths;
    this.#openLog = openLog;
  }

  read(owner: LogAddress, name: string): string | undefined {
    if (isOver(this.#fileSystem, this.#paths, owner)) return undefined;
    return readText(this.#fileSystem, this.#paths.documentOf(owner, name));
  }

  /** @param isSynced a projection can be made again, and need not be; one that several processes keep must */
  write(
    owner: LogAddress,
    name: string,
    text: string | undefined,
    { generation, expected }: DocumentOptions,
    isSynced: boolean,
  ): Promise<boolean> {
    const log = this.#openLog(owner);
    const path = this.#paths.documentOf(owner, name);
    const write = async (): Promise<boolean> => {
      if ((generation ?? log.file.generation) !== log.file.generation) return false;
      if (expected !== undefined && expected !== (this.read(owner, name) ?? null)) return false;
      if (text !== undefined) await this.#replace(path, name, text, isSynced || expected !== undefined);
      else if (this.#fileSystem.stat(path) === undefined) return false;
      else removeIfThere(this.#fileSystem, path);
      if (text === undefined || expected !== undefined) {
        await this.#fileSystem.syncDirectory(this.#paths.folderOf(owner));
      }
      return true;
    };
    return log.whileHolding('rewrite', write, owner);
  }

  async #replace(path: string, name: string, text: string, isSynced: boolean): Promise<void> {
    if (this.#fileSystem.stat(path)?.kind === 'link') {
      throw Object.assign(new Error(`${name} is a symbolic link.`), { code: 'ELOOP' });
    }
    await replaceFile(this.#fileSystem, path, [Buffer.from(text)], isSynced);
  }
}
