import { join } from 'node:path';
import type { StoredBytes } from '../../core/store.ts';
import { readFrom } from './append-whole.ts';
import { type FileSystem, listIfThere, O_RDONLY, systemErrorCode } from './file-system.ts';

const CHUNK_BYTES = 1_048_576;

/**
 * Every file below a folder, whatever it is called and whoever put it there. Links are named, not followed. What others
 * remove meanwhile is passed over.
 */
export async function* walk(fileSystem: FileSystem, root: string, inside = ''): AsyncGenerator<StoredBytes> {
  for (const name of [...listIfThere(fileSystem, join(root, inside))].sort()) {
    const place = join(inside, name);
    const kind = fileSystem.stat(join(root, place))?.kind;
    if (kind === 'directory') yield* walk(fileSystem, root, place);
    else if (kind === 'file') yield* readFile(fileSystem, root, place);
    else if (kind !== undefined) yield { place, offset: 0, bytes: new Uint8Array() };
  }
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
