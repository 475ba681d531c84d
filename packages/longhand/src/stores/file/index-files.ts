import { join } from 'node:path';
import type { IndexFile, IndexFiles, IndexWriter } from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import {
  type FileSystem,
  makeFolder,
  O_CREAT,
  O_RDONLY,
  O_RDWR,
  openPrivate,
  systemErrorCode,
} from './file-system.ts';
import { readText, removeQuietly, replaceFile } from './side-files.ts';

/**
 * The search index of a user, in `users/{user_id}/index/`: `manifest.json`, and the segments that it names.
 *
 * Segments are never changed, and a manifest replaces the one before as a whole, so readers take no lock: a
 * segment that is removed while somebody reads it stays readable to them. Processes that want to change the
 * files agree by the kernel's lock on `.lock.k`. Nothing here is synced: it can all be made again.
 */
const INDEX_FOLDER = 'index';
const MANIFEST = 'manifest.json';
const ANCHOR = '.lock.k';
const LOCK_BYTE = 0;

export class FileIndexFiles implements IndexFiles {
  readonly #fileSystem: FileSystem;
  readonly #userFolder: string;
  readonly #folder: string;

  constructor(fileSystem: FileSystem, userFolder: string) {
    this.#fileSystem = fileSystem;
    this.#userFolder = userFolder;
    this.#folder = join(userFolder, INDEX_FOLDER);
  }

  async readManifest(): Promise<string | undefined> {
    return readText(this.#fileSystem, join(this.#folder, MANIFEST));
  }

  open(name: string): IndexFile | undefined {
    const fileSystem = this.#fileSystem;
    let fd: number;
    try {
      fd = fileSystem.open(join(this.#folder, name), O_RDONLY);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    const { size } = fileSystem.fstat(fd);
    return {
      size,
      // A plain array: the methods of a Buffer differ.
      read: (offset, length) => plain(readFrom(fileSystem, fd, offset, Math.min(size, offset + length))),
      close: () => fileSystem.close(fd),
    };
  }

  async change<Result>(work: (writer: IndexWriter) => Promise<Result>): Promise<Result | undefined> {
    const fileSystem = this.#fileSystem;
    makeFolder(fileSystem, this.#userFolder);
    makeFolder(fileSystem, this.#folder);
    const { fd } = openPrivate(fileSystem, join(this.#folder, ANCHOR), O_RDWR | O_CREAT);
    try {
      if (!fileSystem.tryLock(fd, LOCK_BYTE)) return undefined;
      return await work({
        write: (name, bytes) =>
          replaceFile(
            fileSystem,
            join(this.#folder, name),
            [Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
            false,
          ),
        writeManifest: async (text, names) => {
          await replaceFile(fileSystem, join(this.#folder, MANIFEST), [Buffer.from(text)], false);
          this.#removeOthers(names);
        },
      });
    } finally {
      // Closing lets go of the lock.
      fileSystem.close(fd);
    }
  }

  #removeOthers(names: readonly string[]): void {
    const kept = new Set([...names, MANIFEST, ANCHOR]);
    for (const name of this.#fileSystem.list(this.#folder)) {
      // The new manifest stands: what cannot be removed is only in the way, and is tried again the next time.
      if (!kept.has(name)) removeQuietly(this.#fileSystem, join(this.#folder, name));
    }
  }
}

function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
