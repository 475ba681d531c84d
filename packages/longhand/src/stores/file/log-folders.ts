import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { IOError, LonghandError, systemErrorCode, ValidationError } from '../../core/errors.ts';
import type { Emit } from '../../core/events.ts';
import { randomName } from '../../core/ids.ts';
import { describeLog, type LogAddress } from '../../core/store.ts';
import { appendWhole } from './append-whole.ts';
import { reasonOf, toIOError } from './failures.ts';
import {
  type FileSystem,
  listIfThere,
  makeFolder,
  O_APPEND,
  O_CREAT,
  O_EXCL,
  O_RDWR,
  O_WRONLY,
  openPrivate,
} from './file-system.ts';
import { whileFolderIsLocked } from './folder-lock.ts';
import { LOCK_ANCHOR, LOCK_BYTE } from './lock.ts';
import { decodeNames, type LogPaths, MEMORY_FILE } from './log-paths.ts';
import { appendTombstones, removeIfThere } from './sidecar-files.ts';
import { SEARCH_FOLDERS } from './user-folder.ts';

/**
 * Folders of logs appear and disappear whole, by renaming: a log is never seen without its first records,
 * nor half removed. A draft is `.new-…` until then, a removed folder `.removed-…` until its files are gone.
 *
 * The process that makes or removes a folder holds its lock, so no other writes to a log that may yet be taken back,
 * and a hidden folder whose lock is free was left by a process that died.
 */

const HIDDEN = /^\./;
const DRAFT = '.new-';
const REMOVED = '.removed-';
/** For drafts that were left before they had a lock; a draft gets one within microseconds. */
const DRAFT_LIFE_MS = 3_600_000;

/** A draft is lost to a process that starts in the same microseconds; a dozen in a row are not. */
const MAX_DRAFTS = 12;

/** A folder in the way may be gone when it is looked at, and another of its name be there at the next try. */
const MAX_RENAMES = 12;
const IN_THE_WAY = new Set<string | undefined>(['ENOTEMPTY', 'EEXIST']);

type FolderKind = 'session' | 'agent';
export type FolderAddress = LogAddress & { readonly kind: FolderKind };

interface LogFoldersContext {
  readonly fileSystem: FileSystem;
  readonly paths: LogPaths;
  readonly clock: Clock;
  readonly emit: Emit;
}

export class LogFolders {
  readonly #context: LogFoldersContext;

  constructor(context: LogFoldersContext) {
    this.#context = context;
  }

  has(log: LogAddress): boolean {
    return this.#context.fileSystem.stat(this.#context.paths.fileOf(log)) !== undefined;
  }

  /** @param besides those that are known to be there, and left out */
  list(kind: FolderKind, besides: ReadonlySet<string> = new Set()): string[] {
    return this.#idsOf(kind)
      .filter((id) => !besides.has(id) && this.#holdsLog({ kind, id }))
      .sort();
  }

  /** Folders that hold something, but no log. Folders of ours never do: they come and go whole. */
  listWithoutLog(kind: FolderKind): string[] {
    return this.#idsOf(kind)
      .filter((id) => this.#isWithoutLog({ kind, id }))
      .sort();
  }

  /**
   * @param beforeVisible runs when the log is written but not visible yet
   * @throws ValidationError SESSION_EXISTS, IOError
   */
  async create(
    log: FolderAddress,
    bytes: Buffer,
    tombstones: readonly string[],
    beforeVisible: () => Promise<void>,
  ): Promise<void> {
    const { fileSystem } = this.#context;
    const target = this.#context.paths.folderOf(log);
    let draft: string | undefined;
    let anchor: number | undefined;
    try {
      if (this.has(log)) throw alreadyThere(log);
      for (let tries = 1; ; tries++) {
        draft = join(this.#parentOf(log.kind), `${DRAFT}${randomName()}`);
        anchor = this.#claimDraft(draft);
        if (anchor !== undefined) break;
        this.#removeFolder(draft);
        if (tries === MAX_DRAFTS) throw draftsTaken(log);
      }
      if (tombstones.length > 0) appendTombstones(fileSystem, draft, tombstones);
      await this.#writeLog(draft, bytes);
      await beforeVisible();
      this.#makeVisible(log, draft, target);
      const hidden = draft;
      await this.#confirm(log.kind, () => fileSystem.rename(target, hidden));
    } catch (error) {
      if (draft !== undefined) this.#removeFolder(draft);
      // What is missing is not the log that was to be made.
      throw LonghandError.isInstance(error) ? error : toIOError(error, describeLog(log), 'create');
    } finally {
      if (anchor !== undefined) fileSystem.close(anchor);
    }
  }

  /** While holding the log's lock. The folder is out of sight then; `discard` frees its room. */
  async hide(log: FolderAddress): Promise<string> {
    const { fileSystem, paths } = this.#context;
    const hidden = join(this.#parentOf(log.kind), `${REMOVED}${randomName()}`);
    fileSystem.rename(paths.folderOf(log), hidden);
    await this.#confirm(log.kind, () => fileSystem.rename(hidden, paths.folderOf(log)));
    return hidden;
  }

  /** What is derived and what is named after the user goes with the folder. */
  async removeUser(userId: string): Promise<boolean> {
    const { fileSystem, paths } = this.#context;
    const folder = paths.userOf(userId);
    if (fileSystem.stat(folder) === undefined) return false;
    for (const name of SEARCH_FOLDERS) await this.#removeLocked(join(folder, name));
    this.#removeFolder(folder);
    await fileSystem.syncDirectory(dirname(folder));
    return true;
  }

  /** A power cut does not bring back what was in it. */
  async discard(hidden: string): Promise<void> {
    const { fileSystem, emit } = this.#context;
    this.#removeFolder(hidden);
    try {
      await fileSystem.syncDirectory(dirname(hidden));
    } catch (error) {
      // It is removed all the same, and what comes back is out of sight until the next opening removes it again.
      emit({ kind: 'io-failed', log: hidden, operation: 'remove', reason: reasonOf(error) });
    }
  }

  /** Finishes what killed processes began. */
  sweep(): void {
    for (const kind of ['session', 'agent'] as const) {
      const parent = this.#parentOf(kind);
      for (const name of this.#context.fileSystem.list(parent)) {
        if (name.startsWith(DRAFT) || name.startsWith(REMOVED)) this.#sweepFolder(parent, name);
      }
    }
  }

  /**
   * Makes a draft that no process takes for one that was left behind. `undefined` when one did, in the moment
   * before it could be locked.
   */
  #claimDraft(draft: string): number | undefined {
    const { fileSystem } = this.#context;
    const path = join(draft, LOCK_ANCHOR);
    makeFolder(fileSystem, draft);
    const { fd, status } = openPrivate(fileSystem, path, O_RDWR | O_CREAT | O_EXCL);
    let isOurs = false;
    try {
      isOurs = fileSystem.tryLock(fd, LOCK_BYTE) && fileSystem.stat(path)?.inode === status.inode;
    } finally {
      if (!isOurs) fileSystem.close(fd);
    }
    return isOurs ? fd : undefined;
  }

  #idsOf(kind: FolderKind): string[] {
    const names = this.#context.fileSystem.list(this.#parentOf(kind)).filter((name) => !HIDDEN.test(name));
    return kind === 'agent' ? decodeNames(names) : names;
  }

  /** As `has`, for what a list names: a file that a person put among the folders is not a log. */
  #holdsLog(log: FolderAddress): boolean {
    try {
      return this.has(log);
    } catch (error) {
      if (systemErrorCode(error) === 'ENOTDIR') return false;
      throw error;
    }
  }

  /** The log is looked for again at the end: one of this name may have gone and come back meanwhile. */
  #isWithoutLog(log: FolderAddress): boolean {
    const { fileSystem, paths } = this.#context;
    const folder = paths.folderOf(log);
    if (this.#holdsLog(log) || fileSystem.stat(folder)?.kind !== 'directory') return false;
    return listIfThere(fileSystem, folder).length > 0 && !this.has(log);
  }

  #parentOf(kind: FolderKind): string {
    return this.#context.paths.parentOf(kind);
  }

  async #writeLog(folder: string, bytes: Buffer): Promise<void> {
    const { fileSystem } = this.#context;
    const { fd } = openPrivate(fileSystem, join(folder, MEMORY_FILE), O_WRONLY | O_APPEND | O_CREAT | O_EXCL);
    try {
      appendWhole(fileSystem, fd, 0, bytes);
      await fileSystem.sync(fd);
    } finally {
      fileSystem.close(fd);
    }
    await fileSystem.syncDirectory(folder);
  }

  /** A folder that is gone as soon as it was in the way is being removed by another process: the name is free. */
  #makeVisible(log: LogAddress, draft: string, target: string): void {
    const { fileSystem } = this.#context;
    for (let tries = 1; ; tries++) {
      try {
        fileSystem.rename(draft, target);
        return;
      } catch (error) {
        const kind = fileSystem.stat(target)?.kind;
        const isGoneAgain = kind === undefined && IN_THE_WAY.has(systemErrorCode(error));
        if (isGoneAgain && tries < MAX_RENAMES) continue;
        throw isGoneAgain || kind === 'directory' ? alreadyThere(log, error) : error;
      }
    }
  }

  /** A change that the disk does not confirm is taken back before another process can build on it. */
  async #confirm(kind: FolderKind, takeBack: () => void): Promise<void> {
    try {
      await this.#context.fileSystem.syncDirectory(this.#parentOf(kind));
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  #sweepFolder(parent: string, name: string): void {
    const { fileSystem, clock } = this.#context;
    const path = join(parent, name);
    let anchor: number | undefined;
    try {
      anchor = fileSystem.open(join(path, LOCK_ANCHOR), O_RDWR);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') return;
    }
    if (anchor === undefined) {
      // Nothing has happened to it since it was made, and not every file system keeps that time itself.
      const ageMs = clock.now() - (fileSystem.stat(path)?.changeTimeMs ?? clock.now());
      if (name.startsWith(REMOVED) || ageMs > DRAFT_LIFE_MS) this.#removeFolder(path);
      return;
    }
    if (fileSystem.tryLock(anchor, LOCK_BYTE)) this.#removeFolder(path);
    fileSystem.close(anchor);
  }

  /** While no process writes in it: what is written to a folder during its removal would stay behind. */
  async #removeLocked(folder: string): Promise<void> {
    const { fileSystem } = this.#context;
    if (fileSystem.stat(folder)?.kind !== 'directory') return;
    try {
      await whileFolderIsLocked(fileSystem, folder, async () => this.#removeFolder(folder));
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') throw error;
    }
  }

  /** Leaves what it cannot remove: such folders are hidden, and only cost their room. */
  #removeFolder(path: string): void {
    const { fileSystem, emit } = this.#context;
    try {
      // The lock goes last, so that its holder keeps others out of what is being removed.
      const names = fileSystem
        .list(path)
        .toSorted((a, b) => Number(a === LOCK_ANCHOR) - Number(b === LOCK_ANCHOR));
      for (const name of names) {
        const inside = join(path, name);
        if (fileSystem.stat(inside)?.kind === 'directory') this.#removeFolder(inside);
        else removeIfThere(fileSystem, inside);
      }
      fileSystem.removeDirectory(path);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason !== 'ENOENT') emit({ kind: 'io-failed', log: path, operation: 'remove', reason });
    }
  }
}

export function alreadyThere(log: LogAddress, cause?: unknown): ValidationError {
  return new ValidationError('SESSION_EXISTS', `There is a ${describeLog(log)} already.`, { cause });
}

function draftsTaken(log: LogAddress): IOError {
  return new IOError(
    'IO_FAILED',
    `Could not create ${describeLog(log)}: other processes took every draft of it for one that was left behind. Try again.`,
  );
}
