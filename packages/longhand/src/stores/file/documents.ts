import type { DocumentOptions, LogAddress } from '../../core/store.ts';
import type { FileSystem } from './file-system.ts';
import type { FileLog } from './log.ts';
import type { LogPaths } from './log-paths.ts';
import { readText, removeIfThere, replaceFile } from './sidecar-files.ts';

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
    return readText(this.#fileSystem, this.#paths.documentOf(owner, name));
  }

  /**
   * @param how.isSynced a projection can be made again, and need not be
   * @param how.life that the log must be in, when one is named
   * @param how.generation of the log that the text was made from, when one is named
   * @returns false when the log is of another generation, and nothing was written
   */
  write(
    owner: LogAddress,
    name: string,
    text: string,
    { isSynced, life, generation }: DocumentOptions & { readonly isSynced: boolean },
  ): Promise<boolean> {
    const log = this.#openLog(owner);
    const replace = async (): Promise<boolean> => {
      if ((generation ?? log.file.generation) !== log.file.generation) return false;
      await this.#replace(owner, name, text, isSynced);
      return true;
    };
    return log.whileHolding('rewrite', replace, life);
  }

  exchange(owner: LogAddress, name: string, expected: string | undefined, text: string): Promise<boolean> {
    return this.#openLog(owner).whileHolding('rewrite', async () => {
      if (this.read(owner, name) !== expected) return false;
      await this.#replace(owner, name, text, true);
      await this.#fileSystem.syncDirectory(this.#paths.folderOf(owner));
      return true;
    });
  }

  remove(owner: LogAddress, name: string): Promise<boolean> {
    return this.#openLog(owner).whileHolding('rewrite', async () => {
      const path = this.#paths.documentOf(owner, name);
      if (this.#fileSystem.stat(path) === undefined) return false;
      removeIfThere(this.#fileSystem, path);
      await this.#fileSystem.syncDirectory(this.#paths.folderOf(owner));
      return true;
    });
  }

  async #replace(owner: LogAddress, name: string, text: string, isSynced: boolean): Promise<void> {
    const path = this.#paths.documentOf(owner, name);
    if (this.#fileSystem.stat(path)?.kind === 'link') {
      throw Object.assign(new Error(`${name} is a symbolic link.`), { code: 'ELOOP' });
    }
    await replaceFile(this.#fileSystem, path, [Buffer.from(text)], isSynced);
  }
}
