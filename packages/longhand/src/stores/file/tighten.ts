import { basename, join } from 'node:path';
import type { Emit } from '../../core/events.ts';
import { type FileStatus, type FileSystem, O_RDONLY } from './file-system.ts';
import { LOCK_VIEW } from './lock-view.ts';

/**
 * What Longhand makes, only its owner can read. What a copy, an unpacked archive or a person has made may be open
 * to others: it is closed to them when it is first used. Where that is not possible (it belongs to another user),
 * an event says so, and the work goes on.
 */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** Other users of the machine may see who holds a lock. */
const VIEW_MODE = 0o644;

/** A folder or file and, in a folder, everything below. What is not there, or a link, is left alone. */
export function tightenAll(fileSystem: FileSystem, path: string, emit: Emit): void {
  const status = fileSystem.stat(path);
  if (status === undefined) return;
  tighten(fileSystem, path, status, emit);
  if (status.kind !== 'directory') return;
  for (const name of fileSystem.list(path)) tightenAll(fileSystem, join(path, name), emit);
}

/** The folder or file itself. */
export function tightenOne(fileSystem: FileSystem, path: string, emit: Emit): void {
  const status = fileSystem.stat(path);
  if (status !== undefined) tighten(fileSystem, path, status, emit);
}

function tighten(fileSystem: FileSystem, path: string, status: FileStatus, emit: Emit): void {
  const wanted = wantedMode(path, status);
  // Windows has other means, and shows every file as open to all.
  if (process.platform === 'win32' || (status.mode & ~wanted) === 0) return;
  try {
    const fd = fileSystem.open(path, O_RDONLY);
    try {
      fileSystem.setMode(fd, status.mode & wanted);
    } finally {
      fileSystem.close(fd);
    }
  } catch {
    emit({ kind: 'permissions-too-wide', path, mode: status.mode.toString(8) });
  }
}

/** All bits for what is neither: nothing of it is taken away. */
function wantedMode(path: string, { kind }: FileStatus): number {
  if (kind === 'directory') return FOLDER_MODE;
  if (kind !== 'file') return 0o777;
  return basename(path) === LOCK_VIEW ? VIEW_MODE : FILE_MODE;
}
