import { join } from 'node:path';
import { systemErrorCode } from '../../core/errors.ts';
import type { StoredBytes } from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import { type FileSystem, listIfThere, O_RDONLY } from './file-system.ts';

const CHUNK_BYTES = 1_048_576;

/** Of files that hold no memory but what a server signs and checks keys with: none may find out by searching what it is. */
const SECRET_ENDING = '.secret';

/**
 * Every file below a folder, whatever its name or origin, except secrets. Links are named, not followed. What others
 * remove meanwhile is skipped.
 */
export async function* walk(fileSystem: FileSystem, root: string, inside = ''): AsyncGenerator<StoredBytes> {
  for (const name of [...listIfThere(fileSystem, join(root, inside))].sort()) {
    const place = join(inside, name);
    const kind = fileSystem.stat(join(root, place))?.kind;
    if (kind === 'directory') yield* walk(fileSystem, root, place);
    else if (kind === 'file' && name.endsWith(SECRET_ENDING)) continue;
    else if (kind === 'file') yield* readFile(fileSystem, root, place);
    else if (kind !== undefined) yield { place, offset: 0, bytes: new Uint8Array() };
  }
}

/** Files that are looked at before others get their turn. */
const FILES_AT_ONCE = 512;

/** How many files lie at or below a path, and their bytes together. None is opened. */
export async function measure(
  fileSystem: FileSystem,
  path: string,
  sum = { files: 0, bytes: 0 },
): Promise<typeof sum> {
  const status = fileSystem.stat(path);
  if (status?.kind === 'file') {
    sum.bytes += status.size;
    if (++sum.files % FILES_AT_ONCE === 0) await new Promise(setImmediate);
  } else if (status?.kind === 'directory') {
    for (const name of listIfThere(fileSystem, path)) await measure(fileSystem, join(path, name), sum);
  }
  return sum;
}

async function* readFile(fileSystem: FileSystem, root: string, place: string): AsyncGenerator<StoredBytes> {
  let fd: number;
  try {
    fd = fileSystem.open(join(root, place), O_RDONLY);
  } catch (error) {
    // Gone since it was listed.
    if (systemErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  try {
    let offset = 0;
    for (;;) {
      const bytes = readFrom(
        fileSystem,
        fd,
        offset,
        Math.min(offset + CHUNK_BYTES, fileSystem.fstat(fd).size),
      );
      // A file without bytes still has a name.
      if (bytes.length > 0 || offset === 0) yield { place, offset, bytes };
      if (bytes.length === 0) return;
      offset += bytes.length;
    }
  } finally {
    fileSystem.close(fd);
  }
}
