import type { Clock } from '../../core/clock.ts';
import { LogLine } from '../../core/line.ts';
import { type LinePlace, type LogPosition, NO_LOG } from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import { type FileSystem, O_RDONLY } from './file-system.ts';
import { generationOf, isAsRead } from './log-file.ts';

/**
 * Looks at logs that this process does not have open. A search meets lines from many sessions: opening each log
 * for reading and writing would cost several times as much, and would close logs that are in use.
 */

/** Whether nothing was written behind a position. False when the log is gone; `NO_LOG` is behind nothing. */
export function isClosedLogCurrent(
  { fileSystem, clock }: { readonly fileSystem: FileSystem; readonly clock: Clock },
  path: string,
  position: LogPosition,
): boolean {
  const status = fileSystem.stat(path);
  if (status === undefined) return position === NO_LOG;
  const { generation } = position;
  return status.kind === 'file' && isAsRead(status, position, clock) && generationOf(status) === generation;
}

/** One line by its place. `undefined` when the log is another than the position's; a system error when it is gone. */
export function readClosedLine(
  fileSystem: FileSystem,
  path: string,
  { offset, length, lineNumber }: LinePlace,
  position: LogPosition,
): LogLine | undefined {
  const fd = fileSystem.open(path, O_RDONLY);
  try {
    const status = fileSystem.fstat(fd);
    if (status.kind !== 'file' || generationOf(status) !== position.generation) return undefined;
    const bytes = readFrom(fileSystem, fd, offset, offset + length);
    return new LogLine(bytes, 0, bytes.length, offset, lineNumber);
  } finally {
    fileSystem.close(fd);
  }
}
