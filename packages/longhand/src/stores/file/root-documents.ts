import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { type FileSystem, makeFolder } from './file-system.ts';
import { readText, removeIfThere, replaceFile, TEMPORARY_ENDING } from './side-files.ts';

/** Long after any writer has finished its file or died. */
const TEMPORARY_LIFE_MS = 3_600_000;

/**
 * Documents that belong to no log: at the root (`config.json`), or one folder below it
 * (`indices/global_index.json`). What lies in a folder is derived: it is not synced, since it can be made again.
 * Nobody holds a lock here. Two who write at once leave one of the two texts, whole.
 */
export class RootDocuments {
  readonly #fileSystem: FileSystem;
  readonly #root: string;
  readonly #clock: Clock;

  constructor(fileSystem: FileSystem, root: string, clock: Clock) {
    this.#fileSystem = fileSystem;
    this.#root = root;
    this.#clock = clock;
  }

  read(name: string): string | undefined {
    const folder = this.#folderOf(name);
    if (folder !== undefined) {
      if (this.#fileSystem.stat(folder) === undefined) return undefined;
      this.#refuseOtherThan('directory', folder);
    }
    return readText(this.#fileSystem, join(this.#root, name));
  }

  async write(name: string, text: string): Promise<void> {
    const fileSystem = this.#fileSystem;
    const path = join(this.#root, name);
    const folder = this.#folderOf(name);
    if (folder !== undefined) {
      makeFolder(fileSystem, folder);
      this.#refuseOtherThan('directory', folder);
      this.#removeLeftovers(folder);
    }
    if (fileSystem.stat(path) !== undefined) this.#refuseOtherThan('file', path);
    await replaceFile(fileSystem, path, [Buffer.from(text)], folder === undefined);
  }

  #folderOf(name: string): string | undefined {
    return name.includes('/') ? join(this.#root, dirname(name)) : undefined;
  }

  #refuseOtherThan(kind: 'file' | 'directory', path: string): void {
    if (this.#fileSystem.stat(path)?.kind === kind) return;
    throw Object.assign(new Error(`${path} is no ${kind}.`), { code: 'ELOOP' });
  }

  /** Temporary files of writers that were killed. */
  #removeLeftovers(folder: string): void {
    const fileSystem = this.#fileSystem;
    for (const name of fileSystem.list(folder)) {
      if (!name.endsWith(TEMPORARY_ENDING)) continue;
      const path = join(folder, name);
      const bornAtMs = fileSystem.stat(path)?.birthtimeMs ?? this.#clock.now();
      if (this.#clock.now() - bornAtMs > TEMPORARY_LIFE_MS) removeIfThere(fileSystem, path);
    }
  }
}
