import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../core/errors.ts';
import type {
  IndexFamily,
  IndexFile,
  IndexWriter,
  NamesIn,
  NextIndex,
  StoredIndex,
} from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import { toIOError } from './failures.ts';
import type { FileSystem, OpenedFile } from './file-system.ts';
import { O_CREAT, O_RDONLY, O_RDWR } from './file-system.ts';
import { holdIfFree } from './folder-lock.ts';
import { LOCK_ANCHOR, LOCK_BYTE } from './lock.ts';
import { readText, removeQuietly, replaceFile } from './sidecar-files.ts';
import { openInFolders, removeIfEmpty, SEARCH_FOLDERS } from './user-folder.ts';

/**
 * The derived files of a user. The search index is in `users/{user_id}/index/`: `manifest.json`, and the segments that
 * it names.
 *
 * Segments are never changed, and a manifest replaces the one before as a whole, so readers take no lock: a
 * segment that is removed during a read stays readable to that reader. Processes that want to change the files
 * agree by the kernel's lock on `.lock.k`. Nothing here is synced, because it can all be rebuilt, except a removal of
 * forgotten words, which must last.
 *
 * An empty index of a user who has nothing else is removed with its lock: a process that still had the index of a
 * forgotten user has just noticed it, and must not leave the user's name behind.
 *
 * Vectors lie in `users/{user_id}/vectors/` in the same way. The process that makes them holds the lock on `.claim.k`: a
 * separate file, because some systems lock files as a whole.
 */
const MANIFEST = 'manifest.json';
const CLAIM_ANCHOR = '.claim.k';

export class IndexFiles {
  readonly #fileSystem: FileSystem;
  readonly #userFolder: string;
  readonly #name: string;
  readonly #folder: string;

  constructor(fileSystem: FileSystem, userFolder: string, userId: string, family: IndexFamily) {
    this.#fileSystem = fileSystem;
    this.#userFolder = userFolder;
    this.#name = `${family} of ${userId}`;
    this.#folder = join(userFolder, family);
  }

  /** Costs the reading of the manifest; the folder is listed when strays are asked for. */
  load(namesIn: NamesIn): StoredIndex | undefined {
    const manifest = this.#told('read', () => readText(this.#fileSystem, join(this.#folder, MANIFEST)));
    const isThere = (): boolean => this.#fileSystem.stat(this.#folder) !== undefined;
    if (manifest === undefined && !this.#told('look at', isThere)) return undefined;
    const hasStrays = (): boolean => this.#hasOthers(manifest === undefined ? [] : namesIn(manifest));
    return {
      manifest,
      get hasStrays() {
        return hasStrays();
      },
      open: (name) => this.#open(name),
    };
  }

  async publish(
    expected: string | undefined,
    work: (writer: IndexWriter) => Promise<NextIndex>,
  ): Promise<'done' | 'stale' | 'busy'> {
    const anchor = this.#openAnchor(LOCK_ANCHOR);
    let isErasure = false;
    try {
      if (!this.#told('lock', () => this.#tryLock(anchor))) return 'busy';
      try {
        if (this.#manifestToReplace() !== expected) return 'stale';
        const next = await work({ write: (name, bytes) => this.#write(name, bytes) });
        await this.#replace(MANIFEST, Buffer.from(next.manifest));
        this.#removeOthers(next.names);
        isErasure = next.isErasure ?? false;
      } finally {
        this.#removeIfUnused();
      }
    } finally {
      // Closing releases the lock.
      this.#fileSystem.close(anchor.fd);
    }
    if (isErasure) await this.#syncRemovals();
    return 'done';
  }

  /** By the lock of a file of its own. */
  claim(): (() => void) | undefined {
    const { fd } = this.#openAnchor(CLAIM_ANCHOR);
    return this.#told('lock', () => holdIfFree(this.#fileSystem, fd));
  }

  /** One that cannot be read counts as none: the files are made again. */
  #manifestToReplace(): string | undefined {
    try {
      return readText(this.#fileSystem, join(this.#folder, MANIFEST));
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  #open(name: string): IndexFile | undefined {
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
      read: (offset, length, into) =>
        plain(readFrom(fileSystem, fd, offset, Math.min(size, offset + length), into)),
      close: () => fileSystem.close(fd),
    };
  }

  #hasOthers(names: readonly string[]): boolean {
    try {
      return this.#others(names).length > 0;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return false;
      throw toIOError(error, this.#name, 'list');
    }
  }

  /** So that a power cut cannot bring back files that were removed. What was written may still be lost. */
  async #syncRemovals(): Promise<void> {
    const folders = [this.#folder, this.#userFolder, dirname(this.#userFolder)];
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
    return this.#fileSystem.stat(join(this.#folder, LOCK_ANCHOR))?.inode === status.inode;
  }

  #openAnchor(name: string): OpenedFile {
    const folders = [this.#userFolder, this.#folder];
    return this.#told('write', () => openInFolders(this.#fileSystem, folders, name, O_RDWR | O_CREAT));
  }

  /** What the system refuses comes out in the family's terms. */
  #told<Result>(operation: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      throw toIOError(error, this.#name, operation);
    }
  }

  /** While holding the lock, which goes last: until then no other process begins a new index. */
  #removeIfUnused(): void {
    const fileSystem = this.#fileSystem;
    try {
      const isUnused = fileSystem.list(this.#userFolder).every((name) => SEARCH_FOLDERS.includes(name));
      if (!isUnused || this.#others([]).length > 0) return;
    } catch (error) {
      // The work is done. A folder that cannot be read is looked at again after the next change.
      if (systemErrorCode(error) === undefined) throw error;
      return;
    }
    for (const name of [MANIFEST, CLAIM_ANCHOR, LOCK_ANCHOR])
      removeQuietly(fileSystem, join(this.#folder, name));
    for (const folder of [this.#folder, this.#userFolder]) removeIfEmpty(fileSystem, folder);
  }

  async #write(name: string, bytes: Uint8Array): Promise<IndexFile> {
    await this.#replace(name, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    return this.#told('read', () => this.#open(name)!);
  }

  /** The caller may be forgetting, and must learn in the family's terms that the disk is full. */
  async #replace(name: string, bytes: Buffer): Promise<void> {
    try {
      await replaceFile(this.#fileSystem, join(this.#folder, name), [bytes], false);
    } catch (error) {
      throw toIOError(error, this.#name, 'write');
    }
  }

  #removeOthers(names: readonly string[]): void {
    const others = this.#told('list', () => this.#others(names));
    // The new manifest stands: what cannot be removed is only in the way, and is tried again the next time.
    for (const name of others) removeQuietly(this.#fileSystem, join(this.#folder, name));
  }

  #others(names: readonly string[]): readonly string[] {
    const kept = new Set([...names, MANIFEST, LOCK_ANCHOR, CLAIM_ANCHOR]);
    return this.#fileSystem.list(this.#folder).filter((name) => !kept.has(name));
  }
}

function plain(bytes: Buffer): Uint8Array {
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
