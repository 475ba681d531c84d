import { join } from 'node:path';
import { encodeLine, type LogLine } from '../../core/line.ts';
import { decodeLog, START } from '../../core/log-decoder.ts';
import type { RewritePlan } from '../../core/store.ts';
import { appendWhole, readFrom } from './append-whole.ts';
import { makeFolder } from './change-file.ts';
import { type FileSystem, O_CREAT, O_TRUNC, O_WRONLY } from './file-system.ts';
import { LOG_FILE, type LogFile } from './log-file.ts';
import {
  mendTombstones,
  QUARANTINE_FOLDER,
  readText,
  removeIfThere,
  replaceFile,
  TEMPORARY_ENDING,
} from './side-files.ts';

/**
 * Puts a new log in the place of the old one: written beside it, brought to the disk, renamed over it, and
 * the folder brought to the disk. A crash at any point leaves the one or the other, whole. Only while
 * holding the lock.
 */

const CHUNK_BYTES = 1_048_576;

export async function replaceLog(
  fileSystem: FileSystem,
  folder: string,
  file: LogFile,
  plan: RewritePlan,
  lastSeq: number,
  checksums: boolean,
): Promise<void> {
  quarantine(fileSystem, folder, file, plan);
  await writeLog(fileSystem, folder, planLines(plan, lastSeq, checksums));
  if (plan.tombstones !== undefined) mendTombstones(fileSystem, folder, plan.tombstones);
}

/**
 * Writes the log anew after a failed sync: what the old file still gives, and what this process wrote since
 * its last good sync, whichever of it the old file has lost.
 */
export async function rescueLog(
  fileSystem: FileSystem,
  folder: string,
  file: LogFile,
  unsynced: readonly Buffer[],
): Promise<void> {
  const { size } = fileSystem.fstat(file.fd);
  const stored = decodeLog(readFrom(fileSystem, file.fd, 0, size), START, { check: 'full' });
  const seqs = new Set(stored.lines.map((line) => line.seq));
  const kept = decodeLog(Buffer.concat(unsynced), START, { check: 'full' });
  const lost = kept.lines.filter((line) => !seqs.has(line.seq));
  const damaged = stored.damage.filter(({ kind }) => kind !== 'sequence').map(({ line }) => line.bytes);
  const lines = [...stored.lines, ...lost].sort((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
  // Damage is not for a rescue to judge: it stays, at the front where it disturbs no sequence.
  await writeLog(fileSystem, folder, [...damaged, ...lines.map((line) => line.bytes)].map(withNewline));
}

/** Temporary files of writers that died. Whoever holds the lock is the only one who could be using them. */
export function removeLeftovers(fileSystem: FileSystem, folder: string): void {
  for (const name of fileSystem.list(folder)) {
    if (name.endsWith(TEMPORARY_ENDING)) removeIfThere(fileSystem, join(folder, name));
  }
}

async function writeLog(fileSystem: FileSystem, folder: string, lines: Iterable<Buffer>): Promise<void> {
  await replaceFile(fileSystem, join(folder, LOG_FILE), inChunks(lines), true);
  await fileSystem.syncDirectory(folder);
}

/**
 * The lines of the new log. A line that has no number yet, because a person wrote it, or whose number would
 * not rise, gets the next one; the appended records end above every number that the old log ever gave out.
 */
function* planLines(plan: RewritePlan, lastSeq: number, checksums: boolean): Generator<Buffer> {
  let seq = 0;
  for (const { line, body } of plan.keep) {
    const ownSeq = line.seq;
    const keepsSeq = ownSeq !== undefined && ownSeq > seq;
    seq = keepsSeq ? ownSeq : seq + 1;
    const staysAsIs = body === undefined && keepsSeq && (line.hasChecksumField || !checksums);
    yield staysAsIs
      ? withNewline(line.bytes)
      : Buffer.from(encodeLine(body ?? withoutClosingFields(line), seq, checksums));
  }
  seq = Math.max(seq, lastSeq);
  for (const body of plan.append) yield Buffer.from(encodeLine(body, ++seq, checksums));
}

function withoutClosingFields(line: LogLine): string {
  const { seq: _seq, checksum: _checksum, ...record } = JSON.parse(line.text) as Record<string, unknown>;
  return JSON.stringify(record);
}

function withNewline(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.from('\n')]);
}

function* inChunks(lines: Iterable<Buffer>): Generator<Buffer> {
  let chunk: Buffer[] = [];
  let size = 0;
  for (const line of lines) {
    chunk.push(line);
    size += line.length;
    if (size < CHUNK_BYTES) continue;
    yield Buffer.concat(chunk);
    chunk = [];
    size = 0;
  }
  if (chunk.length > 0) yield Buffer.concat(chunk);
}

/** Copies damaged lines aside, and drops earlier copies of memories that are to be forgotten. */
function quarantine(fileSystem: FileSystem, folder: string, file: LogFile, plan: RewritePlan): void {
  const path = join(folder, QUARANTINE_FOLDER);
  for (const line of plan.quarantine ?? []) {
    makeFolder(fileSystem, path);
    const fd = fileSystem.open(
      join(path, `${file.generation}-${line.offset}.line`),
      O_WRONLY | O_CREAT | O_TRUNC,
      0o600,
    );
    try {
      appendWhole(fileSystem, fd, 0, line.bytes);
    } finally {
      fileSystem.close(fd);
    }
  }
  if (plan.forget === undefined || fileSystem.stat(path) === undefined) return;
  for (const name of fileSystem.list(path)) {
    if (namesAny(readText(fileSystem, join(path, name)) ?? '', plan.forget))
      removeIfThere(fileSystem, join(path, name));
  }
}

function namesAny(text: string, ids: ReadonlySet<string>): boolean {
  for (const [, id] of text.matchAll(/"id":"([A-Za-z0-9_]{1,32})"/g)) if (ids.has(id!)) return true;
  return false;
}
