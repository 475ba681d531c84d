import { dirname, join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { LogLine, TAIL_BYTES } from '../../core/line.ts';
import { decodeLog, findLines, START } from '../../core/log-decoder.ts';
import { parseJson } from '../../core/parse-json.ts';
import type {
  LinePlace,
  LogAddress,
  LogPosition,
  LogSlice,
  ReadOptions,
  SessionAddress,
  WantedLog,
} from '../../core/store.ts';
import { isOfSession, logNotFound } from '../../core/store.ts';
import { appendWhole, readFrom } from './append-whole.ts';
import { notOurs } from './failures.ts';
import { type FileStatus, type FileSystem, O_APPEND, O_RDWR, openPrivate } from './file-system.ts';
import { type LogPaths, MEMORY_FILE } from './log-paths.ts';
import { readText, TOMBSTONE_FILE } from './sidecar-files.ts';

const NEWLINE = 0x0a;
/** Stays in the processor's cache: a search through 10 MB takes 3 ms, and 4 or 5 with pieces of a megabyte. */
const PIECE_BYTES = 262_144;
/** A line ends with 64 digits of its checksum, so these bytes hardly ever repeat. */
const MARK_BYTES = 16;
/** Longer than a write takes, unless its process was stopped during it. */
const WRITE_MS = 100;

/** What a position in a file has beside its generation and its bytes. */
interface PositionToken {
  readonly lineNumber: number;
  /** What stood right before the position: a log can be cut back after a failed write. */
  readonly mark: string;
  /** When the bytes last changed: people can edit a log in place. */
  readonly modifiedMs: number | undefined;
}

/** What a writer must know about the end of a log, all of it from its last bytes. */
export interface Tail {
  readonly size: number;
  readonly lastSeq: number;
  /** Bytes behind the last newline. */
  readonly tornBytes: number;
}

interface LogFileContext {
  readonly fileSystem: FileSystem;
  readonly clock: Clock;
  /** Whether this store's own lines carry one. */
  readonly checksums: boolean;
}

/** One opening of a log's file. A rewrite puts another file in its place; then this one is a snapshot. */
export class LogFile {
  readonly #fileSystem: FileSystem;
  readonly #clock: Clock;
  readonly #hasChecksums: boolean;
  readonly #folder: string;
  readonly fd: number;
  readonly inode: number;
  readonly generation: string;
  /** That of its folder. A rewrite puts another file into the same one, and a removed log's folder goes with it. */
  readonly incarnation: string;
  /** Whether the folders are known to lead to this file after a power cut. */
  isEntryOnDisk: boolean;
  #tail: Tail | undefined;

  constructor({ fileSystem, clock, checksums }: LogFileContext, path: string, isEntryOnDisk: boolean) {
    this.#fileSystem = fileSystem;
    this.#clock = clock;
    this.#hasChecksums = checksums;
    this.isEntryOnDisk = isEntryOnDisk;
    const folder = dirname(path);
    this.#folder = folder;
    // Before anything in it is opened: a link in its place leads to other files. Only the refusal counts.
    incarnationOf(fileSystem, folder);
    const { fd, status } = openPrivate(fileSystem, path, O_RDWR | O_APPEND);
    this.fd = fd;
    this.inode = status.inode;
    this.generation = generationOf(status);
    try {
      // Looked at again when the file is open: the folder may have been exchanged in between. Now it is the one that
      // holds the file, as long as the path leads to the file, and every use of the file checks that first.
      this.incarnation = incarnationOf(fileSystem, folder);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  /** Whether this process was the last to write, as far as the size tells. */
  isAsLeft(size: number): boolean {
    return this.#tail?.size === size;
  }

  /** Reads the tail only when another process wrote since. Only while holding the lock. */
  tail(size: number): Tail {
    if (this.#tail?.size === size) return this.#tail;
    this.#tail = this.#readTail(size) ?? this.#searchTail(size);
    return this.#tail;
  }

  /**
   * The number that the next line is likely to get, as the file looks without the lock. `undefined` when its last
   * bytes do not tell. Nothing is kept of it: a writer may be at work.
   */
  guessNextSeq(size: number): number | undefined {
    const tail = this.isAsLeft(size) ? this.#tail : this.#readTail(size);
    return tail === undefined ? undefined : tail.lastSeq + 1;
  }

  #readTail(size: number): Tail | undefined {
    const last = readFrom(this.#fileSystem, this.fd, Math.max(0, size - TAIL_BYTES), size);
    const lastNewline = last.lastIndexOf(NEWLINE);
    const previousNewline = lastNewline > 0 ? last.lastIndexOf(NEWLINE, lastNewline - 1) : -1;
    const line = new LogLine(last, previousNewline + 1, Math.max(lastNewline, 0), 0, 0);
    const isClosed = lastNewline === last.length - 1;
    const seq = isClosed && (line.hasChecksumField || !this.#hasChecksums) ? line.seq : undefined;
    return seq === undefined ? undefined : { size, lastSeq: seq, tornBytes: 0 };
  }

  /** The last line is torn, a person's, or has no checksum: only the whole log tells the highest number. */
  #searchTail(size: number): Tail {
    const bytes = readFrom(this.#fileSystem, this.fd, 0, size);
    const { position } = decodeLog(bytes, START, { check: 'full' });
    return { size, lastSeq: position.lastSeq, tornBytes: bytes.length - (bytes.lastIndexOf(NEWLINE) + 1) };
  }

  append(bytes: Buffer, tail: Tail, lastSeq: number): void {
    this.#tail = undefined;
    appendWhole(this.#fileSystem, this.fd, tail.size, bytes);
    this.#tail = { size: tail.size + bytes.length, lastSeq, tornBytes: 0 };
  }

  /**
   * Every line after the position, or all of them when it is void: of another generation, behind bytes that were
   * read while a failing write was under way, and cut off again since, or in a file that was edited in place.
   */
  read(after: LogPosition | undefined, options: ReadOptions): LogSlice {
    const status = this.#fileSystem.fstat(this.fd);
    const size = Math.min(status.size, (after?.at ?? 0) + (options.maxBytes ?? Number.POSITIVE_INFINITY));
    const isFollowed = after?.generation === this.generation && !isEdited(status, after, this.#clock);
    const rest = isFollowed ? this.#readAfter(after, size) : undefined;
    const before = rest === undefined ? undefined : tokenOf(after!);
    const from =
      before === undefined
        ? START
        : { offset: after!.at, lineNumber: before.lineNumber ?? 0, lastSeq: after!.lastSeq };
    const bytes = rest ?? readFrom(this.#fileSystem, this.fd, 0, size);
    const decoded = decodeLog(bytes, from, { check: options.check ?? 'full' });
    const { offset: at, lineNumber, lastSeq } = decoded.position;
    const token: PositionToken = {
      lineNumber,
      mark: markBehind(before?.mark ?? '', bytes.subarray(0, at - from.offset)),
      // A write that has added nothing yet may be an edit in place: the next look must still see it.
      modifiedMs: before !== undefined && status.size === after!.at ? before.modifiedMs : status.modifyTimeMs,
    };
    return {
      incarnation: this.incarnation,
      reset: rest === undefined,
      lines: from === START ? this.#withoutDeleted(decoded.lines) : decoded.lines,
      damage: decoded.damage,
      position: { generation: this.generation, at, lastSeq, token },
      unfinishedBytes: decoded.unfinishedBytes,
    };
  }

  /** In a log that another program began, what was deleted stands in the list of deletions alone. */
  #withoutDeleted(lines: readonly LogLine[]): readonly LogLine[] {
    if (lines.length === 0 || lines[0]!.seq !== undefined) return lines;
    const list = readText(this.#fileSystem, join(this.#folder, TOMBSTONE_FILE)) ?? '';
    const deleted = new Set(list.split('\n').map(idIn));
    return lines.filter((line) => line.seq !== undefined || !deleted.has(idIn(line.text) ?? line));
  }

  /** The bytes behind a position, when what stands before it is still what stood there. */
  #readAfter(after: LogPosition, size: number): Buffer | undefined {
    const { mark = '' } = tokenOf(after);
    const bytes = readFrom(this.#fileSystem, this.fd, after.at - mark.length, size);
    return bytes.toString('latin1', 0, mark.length) === mark ? bytes.subarray(mark.length) : undefined;
  }

  /** What is wanted of it. Of lines by their places none, when the position is of another file. */
  answer(wanted: WantedLog): LogSlice {
    const { after, places, holding } = wanted;
    if (holding !== undefined) return sliceOfLines(this, this.#linesWith(holding), undefined);
    if (places === undefined) return this.read(after, wanted);
    const isSame = after?.generation === this.generation;
    const lines = isSame ? places.map((place) => readPlace(this.#fileSystem, this.fd, place)) : [];
    return sliceOfLines(this, lines, isSame ? after : undefined);
  }

  /** What follows the last whole line. */
  tornLine({ position, unfinishedBytes: length }: LogSlice): LogLine {
    const lineNumber = (tokenOf(position).lineNumber ?? 0) + 1;
    return readPlace(this.#fileSystem, this.fd, { offset: position.at, length, lineNumber });
  }

  /** Piece by piece, in one buffer: a fresh one for all of the log costs more than the search. */
  #linesWith(text: string): LogLine[] {
    const { size } = this.#fileSystem.fstat(this.fd);
    const found: LogLine[] = [];
    let piece = Buffer.allocUnsafe(Math.min(size, PIECE_BYTES));
    for (let offset = 0; offset < size; ) {
      const room = piece.subarray(0, Math.min(piece.length, size - offset));
      const bytes = piece.subarray(0, this.#fileSystem.read(this.fd, room, offset));
      if (bytes.length === 0) break;
      // A line that goes on behind this piece is read again with the next one, or with a larger one.
      const isLast = offset + bytes.length >= size;
      const end = isLast ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1;
      for (const line of findLines(bytes.subarray(0, end), text, offset)) found.push(line);
      if (end === 0) piece = Buffer.allocUnsafe(piece.length * 2);
      offset += end;
    }
    return found;
  }

  close(): void {
    this.#fileSystem.close(this.fd);
  }
}

export function readPlace(
  fileSystem: FileSystem,
  fd: number,
  { offset, length, lineNumber }: LinePlace,
): LogLine {
  const bytes = readFrom(fileSystem, fd, offset, offset + length);
  return new LogLine(bytes, 0, bytes.length, offset, lineNumber);
}

/** Some lines of a log, which tell no new position. @param position that the lines are of; `undefined` when it is void */
export function sliceOfLines(
  { incarnation, generation }: Pick<LogFile, 'incarnation' | 'generation'>,
  lines: readonly LogLine[],
  position: LogPosition | undefined,
): LogSlice {
  const reset = position === undefined;
  const start = { generation, at: 0, lastSeq: 0 };
  return { incarnation, reset, lines, damage: [], position: position ?? start, unfinishedBytes: 0 };
}

function tokenOf({ token }: LogPosition): Partial<PositionToken> {
  return (token ?? {}) as Partial<PositionToken>;
}

function markBehind(before: string, bytes: Buffer): string {
  return (before + bytes.subarray(-MARK_BYTES).toString('latin1')).slice(-MARK_BYTES);
}

/** Whether a file looks as it did when it was read up to a position. */
export function isAsRead(status: FileStatus, position: LogPosition, clock: Clock): boolean {
  return status.size === position.at && !isEdited(status, position, clock);
}

/**
 * Whether bytes were changed in place: nothing was added, and there was a write. When something was added, that was the
 * write. The time of a write shows before its bytes do, so that one which is under way looks the same for a moment: to
 * read the whole log for it would make every reader beside a busy writer slow.
 */
function isEdited({ size, modifyTimeMs }: FileStatus, position: LogPosition, clock: Clock): boolean {
  const { modifiedMs = modifyTimeMs } = tokenOf(position);
  if (size !== position.at || modifyTimeMs === undefined || modifyTimeMs === modifiedMs) return false;
  return Math.abs(clock.now() - modifyTimeMs) > WRITE_MS;
}

/**
 * Which incarnation of a log a folder stands for. Where its creation time is unknown, its inode alone: its last change
 * moves with every file that is made in it, and an incarnation that changed without a removal would refuse valid
 * writes.
 * @throws a system error when it is gone, or no folder: nothing is opened through a link
 */
export function incarnationOf(fileSystem: FileSystem, folder: string): string {
  const status = fileSystem.stat(folder);
  if (status === undefined) throw Object.assign(new Error(`${folder} is gone.`), { code: 'ENOENT' });
  if (status.kind !== 'directory') throw notOurs(folder);
  return inodeAt(status, status.birthtimeMs ?? 0);
}

/** Whether an address insists on an incarnation that is over. */
export function isOver(fileSystem: FileSystem, paths: LogPaths, log: LogAddress): boolean {
  return isOfSession(log) && log.incarnation !== undefined && !isSessionThere(fileSystem, paths, log);
}

/** @throws NotFoundError SESSION_NOT_FOUND unless there is the session, in the incarnation that the address insists on */
export function requireSession(fileSystem: FileSystem, paths: LogPaths, log: SessionAddress): void {
  if (!isSessionThere(fileSystem, paths, log)) throw logNotFound({ kind: 'session', id: log.id });
}

function isSessionThere(fileSystem: FileSystem, paths: LogPaths, log: SessionAddress): boolean {
  const folder = paths.folderOf(log);
  if (fileSystem.stat(join(folder, MEMORY_FILE)) === undefined) return false;
  return log.incarnation === undefined || log.incarnation === incarnationOf(fileSystem, folder);
}

/**
 * Inodes are reused; an inode together with the time the file was made is not. Where the file system does not keep that
 * time, the last change stands for it: a position in a file that has changed is then void, which costs a full read and
 * never misses anything. A reused inode alone would.
 */
export function generationOf(status: FileStatus): string {
  return inodeAt(status, status.birthtimeMs ?? status.changeTimeMs);
}

function inodeAt({ inode }: FileStatus, timeMs: number): string {
  return `${inode.toString(36)}-${Math.round(timeMs * 1000).toString(36)}`;
}

function idIn(line: string): unknown {
  try {
    return (parseJson(line) as { readonly id?: unknown }).id;
  } catch {
    return undefined;
  }
}
