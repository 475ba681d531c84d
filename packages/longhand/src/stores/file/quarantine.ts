import { basename, dirname, extname, join } from 'node:path';
import { LogLine } from '../../core/line.ts';
import type { QuarantinedLine } from '../../core/store.ts';
import { appendWhole } from './append-whole.ts';
import { type FileSystem, makeFolder, O_CREAT, O_TRUNC, O_WRONLY, openPrivate } from './file-system.ts';
import { readBytes, removeIfThere } from './sidecar-files.ts';

/** Where copies of damaged lines are kept, one file each, before a rewrite takes them out of the log. */
const QUARANTINE_FOLDER = 'corrupt';
const COPY_ENDING = '.line';
/** What follows the name of the log. */
const OWN_PART = /^[^.]+\.line$/;

/** The copies of a log's lines that are there, by name. */
export function readQuarantine(fileSystem: FileSystem, logPath: string): QuarantinedLine[] {
  const path = join(dirname(logPath), QUARANTINE_FOLDER);
  if (!isThere(fileSystem, path)) return [];
  const prefix = prefixOf(logPath);
  const isOwn = (name: string): boolean =>
    name.startsWith(prefix) && OWN_PART.test(name.slice(prefix.length));
  const names = fileSystem.list(path).filter(isOwn);
  return names.sort().flatMap((name) => {
    const bytes = readBytes(fileSystem, join(path, name));
    return bytes === undefined ? [] : { name, line: new LogLine(bytes, 0, bytes.length, 0, 0) };
  });
}

/** Copies damaged lines aside and drops copies; both are on the disk before the log loses the originals. */
export async function quarantine(
  fileSystem: FileSystem,
  logPath: string,
  generation: string,
  lines: readonly LogLine[],
  forget: readonly string[],
): Promise<void> {
  if (lines.length === 0 && forget.length === 0) return;
  const path = join(dirname(logPath), QUARANTINE_FOLDER);
  makeFolder(fileSystem, path);
  isThere(fileSystem, path);
  for (const name of forget) removeIfThere(fileSystem, join(path, name));
  for (const line of lines) {
    const name = `${prefixOf(logPath)}${generation}-${line.offset}${COPY_ENDING}`;
    await keep(fileSystem, join(path, name), line.bytes);
  }
  await fileSystem.syncDirectory(path);
}

/** Several logs may share a folder: a copy has the name of its log in front. */
function prefixOf(logPath: string): string {
  return `${basename(logPath, extname(logPath))}.`;
}

/** Whether there is such a folder. Follows no link. */
function isThere(fileSystem: FileSystem, path: string): boolean {
  const kind = fileSystem.stat(path)?.kind;
  if (kind === undefined || kind === 'directory') return kind !== undefined;
  throw Object.assign(new Error(`${path} is not a folder.`), { code: 'ELOOP' });
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
