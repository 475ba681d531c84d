import { dirname, join } from 'node:path';
import { type Clock, systemClock } from '../../core/clock.ts';
import { systemErrorCode } from '../../core/errors.ts';
import { encodeFileName, isSessionId, randomName } from '../../core/ids.ts';
import type { ChangeMark, UserChanges } from '../../core/store.ts';
import { appendWhole, readFrom } from './append-whole.ts';
import { NeverInPlace, ShortWrite } from './failures.ts';
import type { FileStatus, FileSystem } from './file-system.ts';
import {
  O_APPEND,
  O_CREAT,
  O_DSYNC,
  O_EXCL,
  O_RDWR,
  O_WRONLY,
  OpenFileLook,
  openPrivate,
} from './file-system.ts';
import { generationOf } from './log-file.ts';
import { removeLeftovers } from './rewrite.ts';
import { removeQuietly, TEMPORARY_ENDING } from './sidecar-files.ts';
import { openInFolders, removeIfEmpty } from './user-folder.ts';

/**
 * Which of a user's sessions have news, one id a line, newest last.
 *
 * A reader that has followed the file up to its end knows of every write with one size check, whatever the
 * number of sessions: a session's log grows only while its id is the last line, or is noted after it grew.
 * So a reader re-reads the session that was last when it looked, and those named since.
 *
 * - A writer appends to its log first, then looks at the last line here, and notes its session when another
 *   one stands there. Whatever note comes after that look is behind the log's bytes, so nothing is missed.
 * - When the file has grown large for the names in it, it is replaced by one that names each session once; the
 *   kernel's lock on it keeps that to one process at a time. A note that came into the replaced file before its replacer's
 *   last look is carried over by the replacer; after it, the writer sees another inode and notes again. A
 *   reader that sees another inode looks at every session it names.
 * - When a session was removed, the file is replaced by one that does not name it: people choose names, and a name
 *   may be what was to be forgotten. A session that is made in the same moment is noted before it can be seen and
 *   again after; the replacer looks again, once its file is in place, whether what it left out is there by now. So one
 *   of the two notes it.
 * - A session is found by its name here alone, so a new one's name is on the disk before the session can be seen. Later
 *   notes are not waited for: a reader that has followed the file sees by its last line when a power cut has taken some.
 * - All of it is derived. When another program or a person has removed, emptied or changed the file, it is rebuilt from
 *   the logs, which name the owners of the sessions.
 */

const CHANGE_FILE = 'changes';
const LOCK_BYTE = 0;
const ID_BYTES_MAX = 64;
/** About 10,000 notes; reading it whole stays below a millisecond. The file of a user with more sessions grows further. */
const REPLACE_AT_BYTES = 256 * 1024;
/** A file is replaced when it would shrink by this factor: then a note costs the same, whatever the number of sessions. */
const REPLACE_AT_GROWTH = 2;
/** A file that is replaced within the microseconds of a note is met rarely, and never a dozen times in a row. */
const MAX_NOTE_TRIES = 12;
/** A sync takes long enough for another process to replace the file, as one that removes many sessions does often. */
const MAX_DISK_TRIES = 200;

/** The sessions that are there, whatever the file says. */
interface SessionsThere {
  /**
   * Of the user, as the logs tell: a look at all of them.
   * @param areSomeLost otherwise a look that was made a while ago will do
   */
  ofUser(areSomeLost: boolean): readonly string[];
  has(sessionId: string): boolean;
}

const NONE_LOST: SessionsThere = { ofUser: () => [], has: () => true };
const NOTHING_SEEN = { inode: 0, generation: '', size: -1, lastId: '' };

export class ChangeFile {
  readonly #fileSystem: FileSystem;
  readonly #folder: string;
  readonly #path: string;
  readonly #openFile: OpenFileLook;
  readonly #there: SessionsThere;
  #fd: number | undefined;
  /** The file as this process left it: when it still looks so, one look is all a note costs. */
  #seen = NOTHING_SEEN;
  #isSwept = false;
  #replaceAt = REPLACE_AT_BYTES;
  /** The names up to a mark, sorted. */
  #named: { readonly mark: ChangeMark; readonly ids: readonly string[] } | undefined;
  /** Names that were lost, and that the disk does not take: a reader needs them all the same. */
  #unwritten: readonly string[] = [];
  /** Of the file whose name is on the disk. */
  #safeInode = 0;

  /** @param there for when the file was lost */
  constructor(
    fileSystem: FileSystem,
    root: string,
    userId: string,
    clock: Clock = systemClock,
    there: SessionsThere = NONE_LOST,
  ) {
    this.#fileSystem = fileSystem;
    this.#folder = join(root, 'users', encodeFileName(userId));
    this.#path = join(this.#folder, CHANGE_FILE);
    this.#openFile = new OpenFileLook(fileSystem, this.#path, clock);
    this.#there = there;
  }

  /** After the session's log has grown. Whether there was anything to note. */
  note(sessionId: string): boolean {
    for (let tries = 1; ; tries++) {
      // A session that can be seen was named: where its user has no folder, the names of the others are lost too.
      if (!this.#isAsLeft()) this.#look(this.#status(() => this.#there.has(sessionId)));
      this.#sweep();
      // Replaced behind this look, the file makes its readers look at every session: that covers this one.
      if (this.#seen.lastId === sessionId) return false;
      this.#write([sessionId]);
      if (this.#isInPlace()) break;
      this.#giveUpAfter(tries, MAX_NOTE_TRIES);
    }
    if (this.#seen.size > this.#replaceAt) this.#replaceIfSmaller();
    return true;
  }

  #replaceIfSmaller(): void {
    const named = new Set(this.#idsAfter(0));
    let bytes = 0;
    for (const id of named) bytes += id.length + 1;
    this.#replaceAt = Math.max(REPLACE_AT_BYTES, REPLACE_AT_GROWTH * bytes);
    if (this.#seen.size > this.#replaceAt) this.#replace(() => true);
  }

  /**
   * Before a new session can be seen, and after: settles when a power cut can no longer take its name away.
   * @throws NeverInPlace
   */
  async noteOnDisk(sessionId: string): Promise<void> {
    for (let tries = 1; ; tries++) {
      this.note(sessionId);
      if (await this.bringToDisk()) return;
      this.#giveUpAfter(tries, MAX_DISK_TRIES);
    }
  }

  /** False when the file is gone, or another one, by now. */
  async bringToDisk(): Promise<boolean> {
    try {
      // With an opening of its own: the other one may be closed meanwhile.
      const { fd, status } = openPrivate(this.#fileSystem, this.#path, O_RDWR);
      try {
        await this.#fileSystem.sync(fd);
      } finally {
        this.#fileSystem.close(fd);
      }
      if (this.#safeInode !== status.inode) {
        const folders = [this.#folder, dirname(this.#folder)];
        await Promise.all(folders.map((folder) => this.#fileSystem.syncDirectory(folder)));
        this.#safeInode = status.inode;
      }
      return this.#fileSystem.stat(this.#path)?.inode === status.inode;
    } catch (error) {
      if (systemErrorCode(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /**
   * Adds sessions that the file does not name. Adding keeps what other processes note at the same moment. A session that was
   * removed since the look is taken out again, with the folder of a user who was forgotten.
   */
  nameAll(sessionIds: readonly string[]): void {
    if (sessionIds.length === 0) return;
    for (let tries = 1; ; tries++) {
      this.#look(this.#fileSystem.stat(this.#path));
      this.#write(sessionIds);
      if (this.#isInPlace()) break;
      this.#giveUpAfter(tries, MAX_NOTE_TRIES);
    }
    if (sessionIds.every((id) => this.#there.has(id))) return;
    this.tryDrop((id) => this.#there.has(id));
    this.#removeIfUnused();
  }

  /** Takes out the sessions that are not there any more. False while another process replaces the file. */
  tryDrop(isThere: (sessionId: string) => boolean): boolean {
    const status = this.#status();
    if (status === undefined) return true;
    this.#look(status);
    this.#sweep();
    const named = new Set(this.#idsAfter(0));
    return [...named].every(isThere) || this.#replace(isThere);
  }

  /** Every session that is named, sorted. Costs what is new, whatever the number of sessions. */
  sessionIds(): readonly string[] {
    const { isFollowing, sessionIds, mark } = this.#readSince(this.#named?.mark);
    if (this.#fd !== undefined) this.#sweep();
    const ids = isFollowing ? withNew(this.#named!.ids, sessionIds) : sessionIds;
    this.#named = this.#unwritten.length === 0 ? { mark, ids } : undefined;
    return ids;
  }

  /** The sessions named since a mark, and the one that was last then; all that are named without one. */
  changesSince(since: ChangeMark | undefined): UserChanges {
    const isAsSeen = since !== undefined && since.offset === this.#seen.size && this.#isAsLeft();
    if (isAsSeen && since.generation === this.#seen.generation) {
      return { sessionIds: [since.lastId], mark: since };
    }
    const { sessionIds, mark } = this.#readSince(since);
    return { sessionIds, mark };
  }

  #readSince(since: ChangeMark | undefined): UserChanges & { readonly isFollowing: boolean } {
    const status = this.#status();
    if (status === undefined) return this.#withoutFile();
    this.#look(status);
    const isFollowing = since?.generation === this.#seen.generation && this.#holds(since);
    const from = isFollowing ? since.offset : 0;
    if (!isFollowing && !this.#mend()) return this.#withoutFile();
    // Of the file that is open now: another process may have replaced the one that was looked at first. What
    // comes after this look is found by the next one: the mark is no further than what was read.
    const { size, generation } = this.#seen;
    const text = readFrom(this.#fileSystem, this.#fd!, from, size).toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    if (isFollowing && end === 0) return { isFollowing, sessionIds: [since.lastId], mark: since };
    const lines = text.slice(0, end).split('\n');
    const ids = new Set([...lines.filter(isSessionId), ...this.#unwritten]);
    if (isFollowing) ids.add(since.lastId);
    const lastLine = lines.at(-2) ?? '';
    const lastId = isSessionId(lastLine) ? lastLine : '';
    return { isFollowing, sessionIds: [...ids].sort(), mark: { generation, offset: from + end, lastId } };
  }

  close(): void {
    if (this.#fd !== undefined) this.#fileSystem.close(this.#fd);
    this.#fd = undefined;
    this.#seen = NOTHING_SEEN;
  }

  /** Whether the file was there up to a mark when the mark was made: a power cut may have taken its end since. */
  #holds({ offset, lastId }: ChangeMark): boolean {
    const line = Buffer.from(`${lastId}\n`, 'latin1');
    const from = offset - line.length;
    return lastId !== '' && from >= 0 && readFrom(this.#fileSystem, this.#fd!, from, offset).equals(line);
  }

  /** As it stands in its place: made again there, when something outside of Longhand has taken it away. */
  #status(hadOne = () => false): FileStatus | undefined {
    this.#unwritten = [];
    const status = this.#fileSystem.stat(this.#path);
    if (status !== undefined && status.size > 0) return status;
    const areSomeLost = status !== undefined || this.#namedSomeThatAreThere() || hadOne();
    // A folder without the file is of a user who has only notes, or whose file was lost; no folder means a new user.
    if (!areSomeLost && this.#fileSystem.stat(this.#folder) === undefined) return undefined;
    this.#nameLost(areSomeLost);
    return this.#fileSystem.stat(this.#path);
  }

  /** Whether the file that is open here, wherever it is by now, names sessions that were not removed. */
  #namedSomeThatAreThere(): boolean {
    return this.#fd !== undefined && this.#idsAfter(0).some((id) => this.#there.has(id));
  }

  /** Whatever was open is not what stands in its place: the next look follows the path. */
  #giveUpAfter(tries: number, most: number): void {
    if (tries === most) throw new NeverInPlace(CHANGE_FILE, tries);
    this.close();
  }

  #withoutFile() {
    const mark = { generation: '', offset: 0, lastId: '' };
    return { isFollowing: false, sessionIds: this.#unwritten, mark };
  }

  /**
   * Makes the file again when it holds what Longhand does not write, an empty file included. False when it was removed
   * meanwhile, with a user who was forgotten.
   */
  #mend(): boolean {
    const { size } = this.#seen;
    const text = readFrom(this.#fileSystem, this.#fd!, 0, size).toString('latin1');
    const lines = text.split('\n');
    if (size > 0 && lines.every((line) => line === '' || isSessionId(line))) return true;
    this.#nameLost(true);
    if (this.#fd === undefined) return false;
    if (this.#unwritten.length === 0) this.#replace(() => true);
    this.#look(this.#fileSystem.stat(this.#path));
    return true;
  }

  /** On a full disk the lost names are kept in memory, so that readers get them all the same. */
  #nameLost(areSomeLost: boolean): void {
    const lost = this.#there.ofUser(areSomeLost);
    try {
      this.nameAll(lost);
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error;
      this.#unwritten = lost;
    }
  }

  #removeIfUnused(): void {
    const isUnused = this.sessionIds().length === 0 && this.#fileSystem.list(this.#folder).length === 1;
    if (!isUnused) return;
    this.close();
    removeQuietly(this.#fileSystem, this.#path);
    removeIfEmpty(this.#fileSystem, this.#folder);
  }

  /** Whether no process has noted anything since this one did. */
  #isAsLeft(): boolean {
    const { inode, size } = this.#seen;
    return this.#fd !== undefined && this.#openFile.statusOf(this.#fd, inode)?.size === size;
  }

  #look(found: FileStatus | undefined): void {
    if (this.#fd === undefined || found?.inode !== this.#seen.inode) {
      this.close();
      this.#fd = this.#open();
      this.#isSwept = false;
    }
    const status = this.#fileSystem.fstat(this.#fd);
    const { inode, size } = status;
    const text = readFrom(this.#fileSystem, this.#fd, Math.max(0, size - ID_BYTES_MAX - 2), size).toString(
      'latin1',
    );
    const end = text.endsWith('\n') ? text.length - 1 : text.length;
    // A torn last line is not an id, and must be closed before the next one.
    const lastId = end === text.length ? '' : text.slice(text.lastIndexOf('\n', end - 1) + 1, end);
    this.#seen = { inode, generation: generationOf(status), size, lastId };
  }

  /**
   * Removes what a killed process left of its replacement: it names sessions that may be gone. Not done by a search: a
   * process that starts would load the kernel's locks for it, which takes longer than its answer.
   */
  #sweep(): void {
    if (this.#isSwept) return;
    this.#isSwept = true;
    const fd = this.#fd!;
    // A process that is replacing the file holds this, and its draft is not a leftover.
    if (!this.#fileSystem.tryLock(fd, LOCK_BYTE)) return;
    try {
      if (this.#fileSystem.stat(this.#path)?.inode === this.#fileSystem.fstat(fd).inode) {
        removeLeftovers(this.#fileSystem, this.#folder);
      }
    } finally {
      this.#fileSystem.unlock(fd, LOCK_BYTE);
    }
  }

  #open(): number {
    return openInFolders(this.#fileSystem, [this.#folder], CHANGE_FILE, O_RDWR | O_APPEND | O_CREAT).fd;
  }

  /** No lock is held here, so a failed write is not cut back: it could be another process's note by then. */
  #write(sessionIds: readonly string[]): void {
    const opening = this.#seen.lastId === '' && this.#seen.size > 0 ? '\n' : '';
    const bytes = Buffer.from(`${opening}${sessionIds.join('\n')}\n`);
    const { size } = this.#seen;
    this.#seen = { ...this.#seen, size: -1, lastId: '' };
    const written = this.#fileSystem.write(this.#fd!, bytes);
    if (written !== bytes.length) throw new ShortWrite(written, bytes.length);
    this.#seen = { ...this.#seen, size: size + written, lastId: sessionIds.at(-1)! };
  }

  #isInPlace(): boolean {
    return this.#fileSystem.stat(this.#path)?.inode === this.#seen.inode;
  }

  #idsAfter(offset: number): string[] {
    const { size } = this.#fileSystem.fstat(this.#fd!);
    const text = readFrom(this.#fileSystem, this.#fd!, offset, size).toString('latin1');
    return text.split('\n').filter(isSessionId);
  }

  /** Names each session once. False when another process is replacing the file, or has replaced it. */
  #replace(isKept: (sessionId: string) => boolean): boolean {
    const replaced = this.#fd!;
    if (!this.#fileSystem.tryLock(replaced, LOCK_BYTE)) return false;
    try {
      if (!this.#isInPlace()) return false;
      removeLeftovers(this.#fileSystem, this.#folder);
      const { size } = this.#fileSystem.fstat(replaced);
      const named = [...new Set(this.#idsAfter(0))];
      const kept = new Set(named.filter(isKept));
      this.#putInPlace([...kept]);
      const late = this.#idsAfter(size);
      this.#fd = undefined;
      for (const id of [...late, ...named.filter((each) => !kept.has(each))]) if (isKept(id)) this.note(id);
      return true;
    } finally {
      if (this.#fd === replaced) this.#fileSystem.unlock(replaced, LOCK_BYTE);
      else this.#fileSystem.close(replaced);
    }
  }

  #putInPlace(ids: readonly string[]): void {
    const name = `${CHANGE_FILE}.${process.pid}-${randomName().slice(0, 8)}${TEMPORARY_ENDING}`;
    const temporary = join(this.#folder, name);
    try {
      // On the disk before it is in place: it takes the place of names that are.
      const flags = O_WRONLY | O_CREAT | O_EXCL | O_DSYNC;
      const { fd } = openInFolders(this.#fileSystem, [this.#folder], name, flags);
      try {
        // A newline alone says that there is none; a file without a byte says nothing.
        appendWhole(this.#fileSystem, fd, 0, Buffer.from(`${ids.join('\n')}\n`));
      } finally {
        this.#fileSystem.close(fd);
      }
      this.#fileSystem.rename(temporary, this.#path);
    } catch (error) {
      removeQuietly(this.#fileSystem, temporary);
      throw error;
    }
  }
}

/** Names with some more, sorted. */
function withNew(ids: readonly string[], more: readonly string[]): readonly string[] {
  const last = ids.at(-1)!;
  // Ids that Longhand makes begin with their time: new ones come behind all others.
  const behind = more.filter((id) => id > last);
  const between = more.filter((id) => id < last && !ids.includes(id));
  return between.length === 0 ? [...ids, ...behind] : [...ids, ...behind, ...between].sort();
}
