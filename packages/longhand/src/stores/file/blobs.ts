import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../core/errors.ts';
import { randomName } from '../../core/ids.ts';
import type { ByteChunks, OpenBlob, SessionAddress } from '../../core/store.ts';
import { blobExists, checkBlobName } from '../../core/store.ts';
import { appendWhole, readFrom } from './append-whole.ts';
import type { FileSystem, OpenedFile } from './file-system.ts';
import { makeFolder, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, openPrivate } from './file-system.ts';
import { whileFolderIsLocked } from './folder-lock.ts';
import { LOCK_BYTE } from './lock.ts';
import { isOver, requireSession } from './log-file.ts';
import type { LogPaths } from './log-paths.ts';
import { removeIfThere, removeQuietly, TEMPORARY_ENDING } from './sidecar-files.ts';

/** As in `log-folders.ts`. */
const MAX_DRAFTS = 12;

/**
 * Large values as files of their own, in the folder `details` of their session.
 *
 * A value is written to a draft, chunk by chunk as it comes, brought to the disk and renamed. That may take
 * minutes, so it happens outside of the session's lock: the draft itself is locked, and one whose lock is free
 * was left by a process that died. Only the renaming, which must not replace another value, is done under the
 * session's lock.
 */
export class Blobs {
  readonly #fileSystem: FileSystem;
  readonly #paths: LogPaths;

  constructor(fileSystem: FileSystem, paths: LogPaths) {
    this.#fileSystem = fileSystem;
    this.#paths = paths;
  }

  async write(session: SessionAddress, name: string, chunks: ByteChunks): Promise<number> {
    checkBlobName(name);
    requireSession(this.#fileSystem, this.#paths, session);
    const folder = this.#paths.blobsOf(session.id);
    makeFolder(this.#fileSystem, folder);
    this.#sweep(folder);
    const target = join(folder, name);
    if (this.#fileSystem.stat(target) !== undefined) throw blobExists(name);
    const { path, fd } = this.#makeDraft(folder, name);
    try {
      let size = 0;
      for await (const chunk of chunks) {
        appendWhole(
          this.#fileSystem,
          fd,
          size,
          Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength),
        );
        size += chunk.byteLength;
      }
      await this.#fileSystem.sync(fd);
      await whileFolderIsLocked(this.#fileSystem, dirname(folder), async () => {
        requireSession(this.#fileSystem, this.#paths, session);
        if (this.#fileSystem.stat(target) !== undefined) throw blobExists(name);
        this.#fileSystem.rename(path, target);
        await this.#fileSystem.syncDirectory(folder);
        // The process that made the folder may have been killed before it could do so.
        await this.#fileSystem.syncDirectory(dirname(folder));
      });
      return size;
    } catch (error) {
      removeQuietly(this.#fileSystem, path);
      requireSession(this.#fileSystem, this.#paths, { kind: 'session', id: session.id });
      throw error;
    } finally {
      this.#fileSystem.close(fd);
    }
  }

  open(session: SessionAddress, name: string): OpenBlob | undefined {
    checkBlobName(name);
    const fileSystem = this.#fileSystem;
    if (isOver(fileSystem, this.#paths, session)) return undefined;
    const opened = this.#openIfThere(join(this.#paths.blobsOf(session.id), name), O_RDONLY);
    if (opened === undefined) return undefined;
    const { fd, status } = opened;
    let isOpen = true;
    return {
      size: status.size,
      read: async (offset, length, into) =>
        readFrom(fileSystem, fd, offset, Math.min(offset + length, status.size), into),
      close: () => {
        if (isOpen) fileSystem.close(fd);
        isOpen = false;
      },
    };
  }

  async remove(session: SessionAddress, names: readonly string[]): Promise<number> {
    for (const name of names) checkBlobName(name);
    const folder = this.#paths.blobsOf(session.id);
    if (isOver(this.#fileSystem, this.#paths, session)) return 0;
    const paths = names.map((name) => join(folder, name));
    const there = paths.filter((path) => this.#fileSystem.stat(path) !== undefined);
    for (const path of there) removeIfThere(this.#fileSystem, path);
    if (there.length > 0) await this.#fileSystem.syncDirectory(folder);
    return there.length;
  }

  list(sessionId: string): string[] {
    const folder = this.#paths.blobsOf(sessionId);
    if (this.#fileSystem.stat(folder) === undefined) return [];
    return this.#sweep(folder).sort();
  }

  /** Locked before another process can take it for a leftover. */
  #makeDraft(folder: string, name: string): { readonly path: string; readonly fd: number } {
    for (let tries = 1; tries <= MAX_DRAFTS; tries++) {
      const path = join(folder, `.${name}.${randomName()}${TEMPORARY_ENDING}`);
      const { fd, status } = openPrivate(this.#fileSystem, path, O_RDWR | O_CREAT | O_EXCL);
      if (this.#fileSystem.tryLock(fd, LOCK_BYTE) && this.#fileSystem.stat(path)?.inode === status.inode) {
        return { path, fd };
      }
      this.#fileSystem.close(fd);
      removeIfThere(this.#fileSystem, path);
    }
    throw new Error('Every draft was locked by another.');
  }

  /** Removes the drafts of processes that died, which may hold what is to be forgotten. The names of the others. */
  #sweep(folder: string): string[] {
    return this.#fileSystem.list(folder).filter((name) => {
      if (!name.endsWith(TEMPORARY_ENDING)) return true;
      const path = join(folder, name);
      const fd = this.#openIfThere(path, O_RDWR)?.fd;
      if (fd === undefined) return false;
      if (this.#fileSystem.tryLock(fd, LOCK_BYTE)) removeIfThere(this.#fileSystem, path);
      this.#fileSystem.close(fd);
      return false;
    });
  }

  #openIfThere(path: string, flags: number): OpenedFile | undefined {
    try {
      return openPrivate(this.#fileSystem, path, flags);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}
