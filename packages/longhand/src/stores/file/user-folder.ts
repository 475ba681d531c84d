import { dirname, join } from 'node:path';
import { systemErrorCode } from '../../core/errors.ts';
import type { IndexFamily } from '../../core/store.ts';
import { notOurs } from './failures.ts';
import { type FileSystem, makeFolder, type OpenedFile, openPrivate } from './file-system.ts';

/**
 * The folder of a user: `changes`, `notes/`, and what is made for searching, `index/` and `vectors/`.
 *
 * It exists as long as something of the user does. A process that opens a file in it makes the missing folders; the one that
 * removes the last file removes them. A lock is on a file, so one in `index/` or `vectors/` is removed only while it is held,
 * and a process that gets it checks that the file that it has locked still has its name.
 */
/** What is there for searching alone. Without anything beside it, it is of a user who was forgotten. */
export const SEARCH_FOLDERS: readonly string[] = ['index', 'vectors'] satisfies IndexFamily[];

/** Removing a folder takes microseconds; a dozen removals in a row of one that is being opened do not happen. */
const MAX_TRIES = 12;

/**
 * Opens a file, in folders that are made when they are missing.
 * @param folders each within the one before; all are looked at, because a link may stand for any of them
 * @throws ELOOP when something else stands for a folder
 */
export function openInFolders(
  fileSystem: FileSystem,
  folders: readonly string[],
  name: string,
  flags: number,
): OpenedFile {
  for (let tries = 1; ; tries++) {
    try {
      for (const folder of folders) {
        makeFolder(fileSystem, folder);
        // A link, wherever it leads, is there already.
        const kind = fileSystem.stat(folder)?.kind;
        if (kind !== undefined && kind !== 'directory') throw notOurs(folder);
      }
      return openPrivate(fileSystem, join(folders.at(-1)!, name), flags);
    } catch (error) {
      // Another process has removed one of the folders in the moment since, or a person the folder that all are in.
      if (systemErrorCode(error) !== 'ENOENT' || tries === MAX_TRIES) throw error;
      makeFolder(fileSystem, dirname(folders[0]!));
    }
  }
}

/** Leaves it when there is something in it, or by now again. */
export function removeIfEmpty(fileSystem: FileSystem, folder: string): void {
  try {
    fileSystem.removeDirectory(folder);
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}
