import { dirname, join } from 'node:path';
import { rewrittenLines } from '../../core/rewritten-lines.ts';
import type { RewritePlan } from '../../core/store.ts';
import type { FileSystem } from './file-system.ts';
import { quarantine } from './quarantine.ts';
import { mendTombstones, removeIfThere, replaceFile, TEMPORARY_ENDING } from './sidecar-files.ts';

/**
 * Puts a new log in the place of the old one: written beside it, brought to the disk, renamed over it, and
 * the folder brought to the disk. A crash at any point leaves the one or the other, whole. What the new log
 * no longer says (deletions, damaged lines) is on the disk elsewhere before. Only while holding the lock.
 */

const CHUNK_BYTES = 1_048_576;

export async function replaceLog(
  fileSystem: FileSystem,
  path: string,
  generation: string,
  plan: RewritePlan,
  lastSeq: number,
  checksums: boolean,
): Promise<void> {
  const folder = dirname(path);
  const { quarantine: damaged = [], forget = [], tombstones = [] } = plan;
  await quarantine(fileSystem, path, generation, damaged, forget);
  await mendTombstones(fileSystem, folder, tombstones);
  await fileSystem.syncDirectory(folder);
  await writeLog(fileSystem, path, rewrittenLines(plan, lastSeq, checksums));
}

export async function writeLog(fileSystem: FileSystem, path: string, lines: Iterable<Buffer>): Promise<void> {
  await replaceFile(fileSystem, path, inChunks(lines), true);
  await fileSystem.syncDirectory(dirname(path));
}

/** Temporary files of writers that died. Only the holder of the lock could be using them. */
export function removeLeftovers(fileSystem: FileSystem, folder: string): void {
  for (const name of fileSystem.list(folder)) {
    if (name.endsWith(TEMPORARY_ENDING)) removeIfThere(fileSystem, join(folder, name));
  }
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
