import { dirname, join } from 'node:path';
import type { IndexFile, IndexFiles, IndexWriter, VectorFiles } from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import { toIOError } from './failures.ts';
import {
  type FileSystem,
  O_CREAT,
  O_RDONLY,
  O_RDWR,
  type OpenedFile,
  systemErrorCode,
} from './file-system.ts';
import { holdIfFree } from './folder-lock.ts';
import { LOCK_ANCHOR, LOCK_BYTE } from './lock.ts';
import { readText, removeQuietly, replaceFile } from './sidecar-files.ts';
import { INDEX_FOLDER, openInFolders, removeIfEmpty, SEARCH_FOLDERS, VECTOR_FOLDER } from './user-folder.ts';

/**
 * The search index of a user, in `users/{user_id}/index/`: `manifest.json`, and the segments that it names.
 *
 * Segments are never changed, and a manifest replaces the one before as a whole, so readers take no lock: a
 * segment that is removed while somebody reads it stays readable to them. Processes that want to change the
 * files agree by the kernel's lock on `.lock.k`. Nothing here is synced, because it can all be made again, but what is
 * removed for good: words of what was forgotten.
 *
 * An index of nothing, of a user of whom there is nothing else, is removed with its lock: a process that still had an
 * index of somebody who was forgotten has just found out, and may not leave their name behind.
 *
 * Vectors lie in `users/{user_id}/vectors/` in the same way. Who makes them holds the lock on `.claim.k`: a file of its
 * own, because some systems lock files as a whole.
 */
const MANIFEST = 'manifest.json';
const CLAIM_ANCHOR = '.claim.k';

export class FileIndexFiles implements IndexFiles {
  readonly #fileSystem: FileSystem;
  readonly #userFolder: string;
  readonly #name: string;
  protected readonly folder: string;

  constructor(fileSystem: FileSystem, userFolder: string, userId: string, folder = INDEX_FOLDER) {
    this.#fileSystem = fileSystem;
    this.#userFolder = userFolder;
    this.#name = `${folder} of ${userId}`;
    this.folder = join(userFolder, folder);
  }

  async readManifest(): Promise<string | undefined> {
    return this.told('read', () => readText(this.#fileSystem, join(this.folder, MANIFEST)));
  }

  open(name: string): IndexFile | undefined {
    const fileSystem = this.#fileSystem;
    let fd: number;
    try {
      fd = fileSystem.open(join(this.folder, name), O_RDONLY);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
    const { size } = fileSystem.fstat(fd);
    return {
      size,
      // A plain array: the methods of a Buffer differ.
      read: (offset, length, into) =>
        plain(readFrom(fileSystem, fd, offset, Math.min(size, offset + length), into)),
      close: () => fileSystem.close(fd),
    };
  }

  hasOthers(names: readonly string[]): boolean {
    try {
      return this.#others(names).length > 0;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return false;
      throw toIOError(error, this.#name, 'list');
    }
  }

  async change<Result>(work: (writer: IndexWriter) => Promise<Result>): Promise<Result | undefined> {
    const fileSystem = this.#fileSystem;
    const anchor = this.openAnchor(LOCK_ANCHOR);
    try {
      if (!this.told('lock', () => this.#tryLock(anchor))) return undefined;
      try {
        return await work({
          write: (name, bytes) =>
            this.#replace(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)),
          writeManifest: async (text, names) => {
            await this.#replace(MANIFEST, Buffer.from(text));
            this.#removeOthers(names);
          },
        });
      } finally {
        this.#removeIfOfNobody();
      }
    } finally {
      // Closing lets go of the lock.
      fileSystem.close(anchor.fd);
    }
  }

  async whenRemoved(): Promise<void> {
    const folders = [this.folder, this.#userFolder, dirname(this.#userFolder)];
    await Promise.all(folders.map((folder) => this.#sync(folder)));
  }

  /** One that is gone itself is gone for good with the folder that it was in. */
  async #sync(folder: string): Promise<void> {
    try {
      await this.#fileSystem.syncDirectory(folder);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw toIOError(error, this.#name, 'remove');
    }
  }

  #tryLock({ fd, status }: OpenedFile): boolean {
    if (!this.#fileSystem.tryLock(fd, LOCK_BYTE)) return false;
    // Removed, and perhaps made again, before it could be locked: then another process may hold the lock.
    return this.#fileSystem.stat(join(this.folder, LOCK_ANCHOR))?.inode === status.inode;
  }

  protected openAnchor(name: string): OpenedFile {
    const folders = [this.#userFolder, this.folder];
    return this.told('write', () => openInFolders(this.#fileSystem, folders, name, O_RDWR | O_CREAT));
  }

  /** What the system refuses comes out in the family's terms. */
  protected told<Result>(operation: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toIOError(error, this.#name, operation);
    }
  }

  /** While holding the lock, which goes last: until then nobody else begins a new index. */
  #removeIfOfNobody(): void {
    const fileSystem = this.#fileSystem;
    try {
      const isOfNobody = fileSystem.list(this.#userFolder).every((name) => SEARCH_FOLDERS.includes(name));
      if (!isOfNobody || this.#others([]).length > 0) return;
    } catch (error) {
      // The work is done. What cannot be looked at is looked at again after the next change.
      if (systemErrorCode(error) === undefined) throw error;
      return;
    }
    for (const name of [MANIFEST, CLAIM_ANCHOR, LOCK_ANCHOR])
      removeQuietly(fileSystem, join(this.folder, name));
    for (const folder of [this.folder, this.#userFolder]) removeIfEmpty(fileSystem, folder);
  }

  /** Whoever forgets waits for it, and must be told in the family's terms that the disk is full. */
  async #replace(name: string, bytes: Buffer): Promise<void> {
    try {
      await replaceFile(this.#fileSystem, join(this.folder, name), [bytes], false);
    } catch (error) {
      throw toIOError(error, this.#name, 'write');
    }
  }

  #removeOthers(names: readonly string[]): void {
    const others = this.told('list', () => this.#others(names));
    // The new manifest stands: what cannot be removed is only in the way, and is tried again the next time.
    for (const name of others) removeQuietly(this.#fileSystem, join(this.folder, name));
  }

  #others(names: readonly string[]): readonly string[] {
    const kept = new Set([...names, MANIFEST, LOCK_ANCHOR, CLAIM_ANCHOR]);
    return this.#fileSystem.list(this.folder).filter((name) => !kept.has(name));
  }
}

export class FileVectorFiles extends FileIndexFiles implements VectorFiles {
  readonly #fileSystem: FileSystem;

  constructor(fileSystem: FileSystem, userFolder: string, userId: string) {
    super(fileSystem, userFolder, userId, VECTOR_FOLDER);
    this.#fileSystem = fileSystem;
  }

  isThere(): boolean {
    return this.told('look at', () => this.#fileSystem.stat(this.folder)) !== undefined;
  }

  claim(): (() => void) | undefined {
    const { fd } = this.openAnchor(CLAIM_ANCHOR);
    return this.told('lock', () => holdIfFree(this.#fileSystem, fd));
  }
}

function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
