import { basename, dirname, extname, join } from 'node:path';
import type { LogLine } from '../../core/line.ts';
import { appendWhole } from './append-whole.ts';
import { type FileSystem, makeFolder, O_CREAT, O_TRUNC, O_WRONLY, openPrivate } from './file-system.ts';
import { readText, removeIfThere } from './side-files.ts';

/** Where copies of damaged lines are kept, one file each, before a rewrite takes them out of the log. */
export const QUARANTINE_FOLDER = 'corrupt';

/**
 * Copies damaged lines aside, and drops the copies of memories that are to be forgotten; both are on the
 * disk before the log loses the originals. A copy has the name of its log in front, because several logs may
 * share a folder: one that forgets all its copies leaves those of the others.
 * @param log the path of the log
 */
export async function quarantine(
  fileSystem: FileSystem,
  log: string,
  generation: string,
  lines: readonly LogLine[],
  forget: ReadonlySet<string> | 'all',
): Promise<void> {
  const path = join(dirname(log), QUARANTINE_FOLDER);
  const logName = basename(log, extname(log));
  if (lines.length > 0) makeFolder(fileSystem, path);
  if (fileSystem.stat(path) === undefined) return;
  for (const line of lines)
    await keep(fileSystem, join(path, `${logName}.${generation}-${line.offset}.line`), line.bytes);
  for (const name of fileSystem.list(path)) {
    const copy = join(path, name);
    const isForgotten =
      forget === 'all' ? isCopyOf(name, logName) : namesAny(readText(fileSystem, copy) ?? '', forget);
    if (isForgotten) removeIfThere(fileSystem, copy);
  }
  await fileSystem.syncDirectory(path);
}

async function keep(fileSystem: FileSystem, path: string, bytes: Buffer): Promise<void> {
  const { fd } = openPrivate(fileSystem, path, O_WRONLY | O_CREAT | O_TRUNC);
  try {
    appendWhole(fileSystem, fd, 0, bytes);
    await fileSystem.sync(fd);
  } finally {
    fileSystem.close(fd);
  }
}

/** What comes after the name of the log has no dot but that of the ending. */
function isCopyOf(name: string, logName: string): boolean {
  return (
    name.startsWith(`${logName}.`) && name.indexOf('.', logName.length + 1) === name.lastIndexOf('.line')
  );
}

function namesAny(text: string, ids: ReadonlySet<string>): boolean {
  for (const [, id] of text.matchAll(/"id":"([A-Za-z0-9_]{1,32})"/g)) if (ids.has(id!)) return true;
  return false;
}
