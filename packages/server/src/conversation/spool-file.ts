import {
  closeSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { type ArchivedMessage, type KernelLocks, parseBatch } from 'longhand';
import type { SpooledSession } from './spooled-session.ts';

/**
 * One file of a spool: a line for each message, `crc32 {"session":{"id":…,"user_id":…,…},"message":{…}}`.
 *
 * The process that writes a file holds the kernel's lock on it for as long as it lives. A file whose lock is free is
 * an orphan, whatever became of its process and whichever process has that process id now.
 */

export interface SpooledMessage {
  readonly session: SpooledSession;
  readonly message: ArchivedMessage;
}

export const SPOOL_EXTENSION = '.jsonl';
/** Far behind the last byte, so that a lock that binds readers (Windows) binds none. */
const LOCK_BYTE = 2 ** 40;
const PRIVATE = 0o600;
const sync = promisify(fdatasync);

export function renderLine({ session, message }: SpooledMessage): string {
  const { id, account_id, user_id, created_at } = session;
  const json = JSON.stringify({ session: { id, account_id, user_id, created_at }, message });
  return `${checksum(json)} ${json}\n`;
}

function checksum(json: string): string {
  return crc32(json).toString(16).padStart(8, '0');
}

/** A name for a process that no other one has. */
export function newOwner(): string {
  // No secret, and `node:crypto` takes longer to load than all the rest of a command that looks something up.
  return `${Date.now().toString(36)}-${process.pid}-${Math.random().toString(36).slice(2)}`;
}

/** Who has written a file. */
export function ownerIn(path: string): string {
  return basename(path).replace(/\.\d+\.jsonl$/, '');
}

let files = 0;

/** A file that this process writes. */
export class SpoolFile {
  readonly path: string;
  readonly #fd: number;
  #bytes = 0;
  #isBroken = false;

  private constructor(path: string, fd: number) {
    this.path = path;
    this.#fd = fd;
  }

  static create(directory: string, locks: KernelLocks, owner: string): SpoolFile {
    const name = `${owner}.${++files}`;
    const draft = join(directory, `${name}.new`);
    const fd = openSync(draft, 'ax+', PRIVATE);
    locks.tryLock(fd, LOCK_BYTE);
    // It is locked before it gets its name, so no other process can take it for an orphan.
    const path = join(directory, `${name}${SPOOL_EXTENSION}`);
    renameSync(draft, path);
    return new SpoolFile(path, fd);
  }

  /** After a failure that left something behind, nothing more can be written to it. */
  get isBroken(): boolean {
    return this.#isBroken;
  }

  /** All of the text or nothing, and it survives the end of this process. @throws the error of the system */
  append(text: string): void {
    const bytes = Buffer.from(text);
    try {
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      this.#cutBack();
      throw error;
    }
    this.#bytes += bytes.length;
  }

  empty(): void {
    ftruncateSync(this.#fd, 0);
    this.#bytes = 0;
  }

  sync(): Promise<void> {
    return sync(this.#fd);
  }

  syncNow(): void {
    fdatasyncSync(this.#fd);
  }

  close(): void {
    closeSync(this.#fd);
  }

  remove(): void {
    rmSync(this.path, { force: true });
    this.close();
  }

  #cutBack(): void {
    try {
      ftruncateSync(this.#fd, this.#bytes);
    } catch {
      // The error that led here is the one that is reported; the file is left behind for a new one.
      this.#isBroken = true;
    }
  }
}

/** A file whose process is gone. */
export interface Orphan {
  readonly path: string;
  readonly messages: readonly SpooledMessage[];
  /** Whole lines that cannot be read. The rest of a line that was cut off was never acknowledged, and is no damage. */
  readonly damagedLines: readonly string[];
  close(): void;
}

/** `undefined` when its process lives, or another process has just taken it over. */
export function openOrphan(path: string, locks: KernelLocks): Orphan | undefined {
  let fd: number;
  try {
    fd = openSync(path, 'r+');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!locks.tryLock(fd, LOCK_BYTE)) {
    closeSync(fd);
    return undefined;
  }
  const { messages, damagedLines } = parseLines(readFileSync(fd, 'utf8'));
  return { path, messages, damagedLines, close: () => closeSync(fd) };
}

export function parseLines(text: string): Pick<Orphan, 'messages' | 'damagedLines'> {
  const messages: SpooledMessage[] = [];
  const damagedLines: string[] = [];
  for (const line of text.split('\n').slice(0, -1)) {
    const parsed = parseLine(line);
    if (parsed === undefined) damagedLines.push(line);
    else messages.push(parsed);
  }
  return { messages, damagedLines };
}

/** What is wrong with a whole line, for `longhand verify`; `undefined` when nothing is. */
export function problemOfSpoolLine(line: string): 'checksum' | 'schema' | undefined {
  if (!isAsWritten(line)) return 'checksum';
  return parseLine(line) === undefined ? 'schema' : undefined;
}

function isAsWritten(line: string): boolean {
  return line.slice(0, 8) === checksum(line.slice(9));
}

function parseLine(line: string): SpooledMessage | undefined {
  if (!isAsWritten(line)) return undefined;
  const json = line.slice(9);
  try {
    const { session, message } = JSON.parse(json) as Partial<SpooledMessage>;
    const { messages } = parseBatch([message], { nowMs: Date.now(), makeMessageId: () => '' });
    const [checked] = messages;
    return isSpooled(session) && checked !== undefined && checked.id !== ''
      ? { session, message: checked }
      : undefined;
  } catch {
    // Not JSON, or no message: counted as damage by the caller, which keeps the file.
    return undefined;
  }
}

function isSpooled(session: Partial<SpooledSession> | undefined): session is SpooledSession {
  const { id, account_id, user_id, created_at } = session ?? {};
  return [id, account_id, user_id, created_at].every((field) => typeof field === 'string');
}

/** A new name survives a power cut once its folder is synced. Windows cannot open folders, and needs no such thing. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const fd = openSync(directory, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
