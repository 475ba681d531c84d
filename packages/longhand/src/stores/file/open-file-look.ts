import type { Clock } from '../../core/clock.ts';
import type { FileStatus, FileSystem } from './file-system.ts';

/** A person who moves a file aside while it is open is noticed after this time at the latest. */
const FOLLOW_PATH_AFTER_MS = 100;

/**
 * Looks whether a path still leads to the file that is open here, how long that file is, and when it was written.
 *
 * The open file tells whether it was removed, or another one was put in its place, for less than half of what it costs
 * to follow the path: it then has a name less than before. (Backups that are made of hard links give files further
 * names.) Only a move with its name escapes it: a person's, or that of a folder whose session is being removed. The
 * path shows that, and is followed again after a while. So this look is for those who may lag a moment (the search
 * index, the change file); whoever writes a log, or must know whose it is, follows the path, every time.
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
