import * as fs from 'node:fs';
import { promisify } from 'node:util';
import type { Clock } from '../../core/clock.ts';
import { systemErrorCode } from '../../core/errors.ts';
import type { KernelLocks } from './kernel-locks.ts';

/**
 * The few calls that the file store makes, as a port: each is one system call (two where noted), so that a
 * fault layer can kill, fail, shorten or forget every single one of them. Calls are synchronous where they
 * only touch the page cache (a thread hop costs more than the call), and promises where they wait for the
 * disk or for another process.
 */
export interface FileSystem extends KernelLocks {
  /** Never follows a symbolic link in the last component. Flags as in `fs.constants`. */
  open(path: string, flags: number, mode?: number): number;
  close(fd: number): void;
  /** Bytes read; fewer than asked only at the end of the file. */
  read(fd: number, into: Uint8Array, position: number): number;
  /** Bytes written, possibly fewer than given. At the end of the file when it was opened for appending. */
  write(fd: number, data: Uint8Array, position?: number): number;
  truncate(fd: number, size: number): void;
  /** Of the path itself, never of what a link points to. `undefined` when there is nothing. */
  stat(path: string): FileStatus | undefined;
  fstat(fd: number): FileStatus;
  setMode(fd: number, mode: number): void;
  /** Waits until the file's bytes are on the disk. */
  sync(fd: number): Promise<void>;
  /** Waits until a folder's entries are on the disk. Opens and closes the folder. */
  syncDirectory(path: string): Promise<void>;
  rename(from: string, to: string): void;
  unlink(path: string): void;
  makeDirectory(path: string, mode: number): void;
  removeDirectory(path: string): void;
  list(path: string): string[];
  /** The number by which the kernel knows the kind of file system that the path is on. */
  volumeType(path: string): number;
}

export interface FileStatus {
  readonly inode: number;
  readonly size: number;
  /** Permission bits only. */
  readonly mode: number;
  readonly ownerId: number;
  /** `undefined` where the runtime does not know. */
  readonly birthtimeMs: number | undefined;
  /** When anything last happened to it: to its bytes, its name, or a folder's entries. */
  readonly changeTimeMs: number;
  /**
   * When its bytes were last written, in ticks of the system's clock, some milliseconds long: two writes within one are
   * not told apart. `undefined` where the system may tell of a write later than of the bytes.
   */
  readonly modifyTimeMs: number | undefined;
  /** Names that lead to it. An open file that has none was removed, or another one was put in its place. */
  readonly links: number;
  readonly kind: 'file' | 'directory' | 'link' | 'other';
}

export const { O_RDONLY, O_RDWR, O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_TRUNC } = fs.constants;
const { O_NOFOLLOW, O_NONBLOCK } = fs.constants;
/** A write that comes back is on the disk. Windows knows no such opening: `undefined` is no flag then. */
export const O_DSYNC: number = fs.constants.O_DSYNC | 0;

/** Made long ago, and changed since. */
const BIRTH_WITNESSES = ['/proc/self', process.execPath];

/**
 * Whether the runtime knows when files were made. Without `statx` (old kernels, some sandboxes) it gives the time of
 * the last change in its place, of everything. One file alone does not tell: when it was made in this instant, both
 * times are the same, and a folder may be made, filled and renamed within one tick of the system's clock.
 */
export function tellsBirthTimes(witnesses: readonly string[] = BIRTH_WITNESSES): boolean {
  return witnesses.some((path) => {
    const stats = fs.lstatSync(path, { throwIfNoEntry: false });
    return stats !== undefined && stats.birthtimeMs !== stats.ctimeMs;
  });
}

function toStatus(stats: fs.Stats, hasBirthTime: boolean): FileStatus {
  return {
    inode: stats.ino,
    size: stats.size,
    mode: stats.mode & 0o777,
    ownerId: stats.uid,
    birthtimeMs: hasBirthTime ? stats.birthtimeMs : undefined,
    changeTimeMs: stats.ctimeMs,
    modifyTimeMs: stats.mtimeMs,
    links: stats.nlink,
    kind: stats.isFile()
      ? 'file'
      : stats.isDirectory()
        ? 'directory'
        : stats.isSymbolicLink()
          ? 'link'
          : 'other',
  };
}

/** With both of its fields, as Node's own default has them: objects of several shapes make every look a slow one. */
const QUIETLY = { bigint: false, throwIfNoEntry: false } as const;

const syncData = promisify(fs.fdatasync);
const syncAll = promisify(fs.fsync);

/**
 * The real thing.
 * @param hasBirthTimes whether the runtime is to be believed about them; looked up when left out
 */
export function createNodeFileSystem(
  locks: KernelLocks,
  hasBirthTimes: boolean = tellsBirthTimes(),
): FileSystem {
  return {
    lockUnit: locks.lockUnit,
    tryLock: locks.tryLock,
    waitForLock: locks.waitForLock,
    unlock: locks.unlock,
    showsHolder: locks.showsHolder,
    holdersOf: locks.holdersOf,
    // Not blocking: a pipe that an attacker planted must not make a reader wait for its other end.
    open: (path, flags, mode) => {
      const always = O_NOFOLLOW | O_NONBLOCK;
      try {
        return fs.openSync(path, flags | always, mode);
      } catch (error) {
        // On a read-only mount what is there can be read; a write is refused.
        if (systemErrorCode(error) !== 'EROFS' || (flags & (O_EXCL | O_TRUNC)) !== 0) throw error;
        return fs.openSync(path, O_RDONLY | always);
      }
    },
    close: (fd) => {
      locks.closing?.(fd);
      fs.closeSync(fd);
    },
    read: (fd, into, position) => fs.readSync(fd, into, 0, into.length, position),
    write: (fd, data, position) => fs.writeSync(fd, data, 0, data.length, position ?? null),
    truncate: (fd, size) => fs.ftruncateSync(fd, size),
    stat: (path) => {
      const stats = fs.lstatSync(path, QUIETLY);
      return stats === undefined ? undefined : toStatus(stats, hasBirthTimes);
    },
    fstat: (fd) => toStatus(fs.fstatSync(fd), hasBirthTimes),
    setMode: (fd, mode) => fs.fchmodSync(fd, mode),
    sync: syncData,
    syncDirectory: async (path) => {
      const fd = fs.openSync(path, O_RDONLY);
      try {
        await syncAll(fd);
      } finally {
        fs.closeSync(fd);
      }
    },
    rename: (from, to) => fs.renameSync(from, to),
    unlink: (path) => fs.unlinkSync(path),
    makeDirectory: (path, mode) => {
      fs.mkdirSync(path, { mode });
      fs.chmodSync(path, mode);
    },
    removeDirectory: (path) => fs.rmdirSync(path),
    list: (path) => fs.readdirSync(path),
    volumeType: (path) => fs.statfsSync(path).type,
  };
}

export interface OpenedFile {
  readonly fd: number;
  readonly status: FileStatus;
}

/**
 * Opens a regular file that its owner can read and write, also when it was made under a umask that takes
 * those bits away.
 */
export function openPrivate(fileSystem: FileSystem, path: string, flags: number): OpenedFile {
  const fd = fileSystem.open(path, flags, 0o600);
  try {
    const status = fileSystem.fstat(fd);
    if (status.kind !== 'file') throw Object.assign(new Error(`${path} is not a file.`), { code: 'ELOOP' });
    if ((status.mode & 0o600) !== 0o600) fileSystem.setMode(fd, 0o600);
    return { fd, status };
  } catch (error) {
    fileSystem.close(fd);
    throw error;
  }
}

/** A folder that only its owner can enter, whatever the umask. Whether it was not there before. */
export function makeFolder(fileSystem: FileSystem, path: string): boolean {
  try {
    fileSystem.makeDirectory(path, 0o700);
    return true;
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error;
    return false;
  }
}

/** What is in a folder; nothing when it is not there, or no longer. */
export function listIfThere(fileSystem: FileSystem, path: string): readonly string[] {
  try {
    return fileSystem.list(path);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** A person who moves a file aside while it is open is noticed after this time at the latest. */
const FOLLOW_PATH_AFTER_MS = 100;

/**
 * Looks whether a path still leads to the file that is open here, how long that file is, and when it was written.
 *
 * The open file tells whether it was removed, or another one was put in its place, for less than half of what it costs
 * to follow the path: it then has a name less than before. (Backups that are made of hard links give files further
 * names.) Only a move with its name escapes it: a person's, or that of a folder whose session is being removed. The
 * path shows that, and is followed again after a while. So this look is for readers that may lag a moment (the search
 * index, the change file); a writer, and a reader that must know the owner, follow the path every time.
 */
export class OpenFileLook {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  readonly #clock: Clock;
  /** When the path was last seen to lead to the open file. */
  #followedAt = Number.NEGATIVE_INFINITY;
  /** How many names the file had then. */
  #links = 0;

  constructor(fileSystem: FileSystem, path: string, clock: Clock) {
    this.#fileSystem = fileSystem;
    this.#path = path;
    this.#clock = clock;
  }

  /** How the open file is; `undefined` when the path does not lead to it. */
  statusOf(fd: number, inode: number): FileStatus | undefined {
    const now = this.#clock.monotonic();
    if (now - this.#followedAt < FOLLOW_PATH_AFTER_MS) {
      const status = this.#fileSystem.fstat(fd);
      if (status.links === this.#links) return status;
    }
    const status = this.#fileSystem.stat(this.#path);
    if (status?.inode !== inode) return undefined;
    this.#followedAt = now;
    this.#links = status.links;
    return status;
  }
}
