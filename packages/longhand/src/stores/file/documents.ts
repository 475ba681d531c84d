import type { DocumentOptions, LogAddress } from '../../core/store.ts';
import type { FileSystem } from './file-system.ts';
import type { FileLog } from './log.ts';
import { isOver } from './log-file.ts';
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
