import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { IOError } from '../../core/errors.ts';
import { CONFIG_FILE } from './root-config.ts';

/**
 * A folder that holds other files is no place for a store: opening one there would lock out the people who read those
 * files, and add folders that do not belong there. Most often the path was mistyped.
 */

/** What a store consists of. One of them shows that a folder is a store: a backup may have brought back no more. */
export const PARTS_OF_A_STORE: readonly string[] = [
  'sessions',
  'users',
  'agents',
  'privacy',
  'indices',
  CONFIG_FILE,
];
const OTHERS = 0o077;

export const OTHERS_FILES = 'there are other files in it, and no store. Name a new or an empty folder.';

/** The calls that it takes, of the store's port or of the system itself. */
interface FolderLook {
  list(path: string): readonly string[];
  stat(path: string): { readonly mode: number } | undefined;
}

/**
 * Whether a folder holds files that other users can read, and nothing of a store. Hidden files do not count: tools leave
 * them in empty folders too. Nor do files that are closed to other users: a server may keep its own here, and no reader
 * is locked out.
 */
export function isOthersFolder(look: FolderLook, root: string): boolean {
  const names = look.list(root).filter((name) => !name.startsWith('.'));
  if (names.some((name) => PARTS_OF_A_STORE.includes(name))) return false;
  return names.some((name) => ((look.stat(join(root, name))?.mode ?? 0) & OTHERS) !== 0);
}

/**
 * For a caller that puts files beside a store before it is opened.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export function refuseOthersFolder(root: string): void {
  const look: FolderLook = {
    list: (path) => readdirSync(path),
    stat: (path) => lstatSync(path, { throwIfNoEntry: false }),
  };
  if (!existsSync(root) || !isOthersFolder(look, root)) return;
  throw new IOError('STORAGE_ROOT_UNUSABLE', `${root} cannot be a storage root: ${OTHERS_FILES}`, {
    details: { root },
  });
}
