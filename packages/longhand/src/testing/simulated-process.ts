import { basename, dirname } from 'node:path';
import { systemErrorCode } from '../core/errors.ts';
import { type FileStatus, O_APPEND, O_CREAT, O_DSYNC, O_EXCL, O_TRUNC } from '../stores/file/file-system.ts';
import { systemError } from './fault-file-system.ts';
import type { SimulatedDisk, SimulatedNode, SimulatedProcess } from './simulated-disk.ts';
import type { SimulatedFile } from './simulated-file.ts';

/** One opening of a file. Locks belong to it. */
interface Opening {
  readonly file: SimulatedFile;
  readonly isAppending: boolean;
  /** Whether a write is on the disk when it comes back. */
  readonly isSynced: boolean;
  position: number;
}

/** ext4's number, so that nothing takes the disk for a network's. */
const VOLUME_TYPE = 0xef53;

export function createSimulatedProcess(disk: SimulatedDisk): SimulatedProcess {
  const openings = new Map<number, Opening>();
  let lastFd = 2;
  let isKilled = false;

  const live = (): void => {
    if (isKilled) throw new Error('This process was killed.');
  };
  const opening = (fd: number): Opening => {
    live();
    const found = openings.get(fd);
    if (found === undefined) throw systemError('EBADF', 'fd');
    return found;
  };
  const existing = (path: string): SimulatedNode => {
    live();
    const node = disk.find(path);
    if (node === undefined) throw systemError('ENOENT', path);
    return node;
  };
  const folder = (path: string): number => {
    const node = existing(path);
    if (node.kind !== 'directory') throw systemError('ENOTDIR', path);
    return node.inode;
  };
  /** A sync takes a while; a killed process never gets its result. */
  const afterAWhile = (end: () => void): Promise<void> =>
    new Promise((resolve) => {
      setImmediate(() => {
        if (isKilled) return;
        end();
        resolve();
      });
    });
  const openFile = (path: string, flags: number, mode: number): SimulatedFile => {
    const parent = folder(dirname(path));
    const node = disk.find(path);
    if (node?.kind === 'directory') throw systemError('EISDIR', path);
    if (node !== undefined && flags & O_EXCL) throw systemError('EEXIST', path);
    if (node === undefined) {
      if (!(flags & O_CREAT)) throw systemError('ENOENT', path);
      const made = disk.makeFile(mode);
      disk.tree.change([{ folder: parent, name: basename(path), inode: made.inode }]);
      return made;
    }
    if (flags & O_TRUNC) node.truncate(0);
    return node;
  };
  const removeEntry = (path: string): void =>
    disk.tree.change([{ folder: folder(dirname(path)), name: basename(path), inode: undefined }]);
  const refuseNonEmpty = (node: SimulatedNode | undefined, path: string): void => {
    if (node?.kind === 'directory' && disk.tree.namesIn(node.inode).length > 0)
      throw systemError('ENOTEMPTY', path);
  };

  return {
    open: (path, flags, mode = 0o600) => {
      const file = openFile(path, flags, mode);
      const [isAppending, isSynced] = [(flags & O_APPEND) !== 0, (flags & O_DSYNC) === O_DSYNC];
      openings.set(++lastFd, { file, isAppending, isSynced, position: 0 });
      return lastFd;
    },
    close: (fd) => {
      disk.locks.releaseAll(opening(fd));
      openings.delete(fd);
    },
    read: (fd, into, position) => {
      const { bytes } = opening(fd).file;
      // Behind the end there is nothing, and that is no error.
      return position < bytes.length ? bytes.copy(into, 0, position, position + into.length) : 0;
    },
    write: (fd, data, position) => {
      const target = opening(fd);
      const offset = position ?? (target.isAppending ? target.file.bytes.length : target.position);
      target.file.write(offset, data);
      if (target.isSynced) target.file.beginSync()();
      if (position === undefined) target.position = offset + data.length;
      return data.length;
    },
    truncate: (fd, size) => opening(fd).file.truncate(size),
    stat: (path) => {
      try {
        return statusOf(existing(path), disk);
      } catch (error) {
        if (systemErrorCode(error) === 'ENOENT') return undefined;
        throw error;
      }
    },
    fstat: (fd) => statusOf(opening(fd).file, disk),
    setMode: (fd, mode) => {
      opening(fd).file.mode = mode;
    },
    sync: async (fd) => afterAWhile(opening(fd).file.beginSync()),
    syncDirectory: async (path) => afterAWhile(disk.tree.beginSync(folder(path))),
    rename: (from, to) => {
      const node = existing(from);
      const target = disk.find(to);
      if (node.kind === 'directory' && target?.kind === 'file') throw systemError('ENOTDIR', to);
      refuseNonEmpty(target, to);
      disk.tree.change([
        { folder: folder(dirname(from)), name: basename(from), inode: undefined },
        { folder: folder(dirname(to)), name: basename(to), inode: node.inode },
      ]);
    },
    unlink: (path) => {
      if (existing(path).kind === 'directory') throw systemError('EISDIR', path);
      removeEntry(path);
    },
    makeDirectory: (path, mode) => {
      const parent = folder(dirname(path));
      if (disk.find(path) !== undefined) throw systemError('EEXIST', path);
      disk.tree.change([{ folder: parent, name: basename(path), inode: disk.makeFolder(mode).inode }]);
    },
    removeDirectory: (path) => {
      folder(path);
      refuseNonEmpty(existing(path), path);
      removeEntry(path);
    },
    list: (path) => disk.tree.namesIn(folder(path)),
    volumeType: () => VOLUME_TYPE,
    lockUnit: () => 'range',
    tryLock: (fd, byte, count = 1) => disk.locks.tryLock(opening(fd).file.inode, byte, count, opening(fd)),
    waitForLock: async (fd, byte) => disk.locks.waitForLock(opening(fd).file.inode, byte, opening(fd)),
    unlock: (fd, byte, count = 1) => disk.locks.unlock(opening(fd).file.inode, byte, count, opening(fd)),
    showsHolder: () => true,
    holdersOf: async (places) =>
      places.map(({ fd, byte }) =>
        disk.locks.isLocked(opening(fd).file.inode, byte) ? process.pid : undefined,
      ),
    dropUnsynced: (fd) => opening(fd).file.dropUnsynced(),
    kill: () => {
      isKilled = true;
      for (const open of openings.values()) disk.locks.releaseAll(open);
      openings.clear();
    },
  };
}

function statusOf(node: SimulatedNode, disk: SimulatedDisk): FileStatus {
  return {
    inode: node.inode,
    size: node.kind === 'file' ? node.bytes.length : 0,
    mode: node.mode,
    ownerId: process.getuid?.() ?? 0,
    birthtimeMs: node.birthtimeMs,
    // The store asks for it only of folders that nothing has happened to.
    changeTimeMs: node.birthtimeMs,
    modifyTimeMs: node.birthtimeMs + (node.kind === 'file' ? node.changes : 0),
    links: disk.tree.countLinks(node.inode),
    kind: node.kind,
  };
}
