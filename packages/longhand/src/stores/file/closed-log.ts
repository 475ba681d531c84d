import { dirname } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { incarnationIn, isMeant, type LogPosition, type LogSlice, type WantedLog } from '../../core/store.ts';
import { type FileSystem, O_RDONLY } from './file-system.ts';
import { generationOf, incarnationOf, isAsRead, readPlace, sliceOfLines } from './log-file.ts';

/**
 * Looks at logs that this process does not have open. A search meets lines from many sessions: opening each log
 * for reading and writing would cost several times as much, and would close logs that are in use.
 */

/** Whether there is a log, and whether nothing was written behind a position in it. */
export function lookAtClosedLog(
  fileSystem: FileSystem,
  clock: Clock,
  path: string,
  position: LogPosition | undefined,
): 'missing' | 'current' | 'other' {
  const status = fileSystem.stat(path);
  if (status === undefined) return 'missing';
  if (position === undefined || status.kind !== 'file' || !isAsRead(status, position, clock)) return 'other';
  return generationOf(status) === position.generation ? 'current' : 'other';
}

/**
 * Lines by their places; none when the log is another than the position's. `undefined` when it is in another incarnation
 * than the wanted one; a system error when it is gone.
 */
export function readClosedLog(
  fileSystem: FileSystem,
  path: string,
  { log, after, places = [] }: WantedLog,
): LogSlice | undefined {
  const fd = fileSystem.open(path, O_RDONLY);
  try {
    const status = fileSystem.fstat(fd);
    const generation = generationOf(status);
    const isSame = status.kind === 'file' && after?.generation === generation;
    const wanted = incarnationIn(log);
    // The file of a position has no other incarnation than the one that it was read in.
    const incarnation = (isSame ? wanted : undefined) ?? incarnationOf(fileSystem, dirname(path));
    if (!isMeant(log, incarnation)) return undefined;
    const lines = isSame ? places.map((place) => readPlace(fileSystem, fd, place)) : [];
    return sliceOfLines({ incarnation, generation }, lines, isSame ? after : undefined);
  } finally {
    fileSystem.close(fd);
  }
}
