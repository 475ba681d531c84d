import { chmodSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { IOError } from 'longhand';

/**
 * Makes a folder that only its owner can enter, with those above it that are missing. Folder by folder, and not by
 * Node's `recursive`: that never comes back where a file system says of a folder that is there that it is not, as
 * `/proc` does. One that is there already is treated as the store treats its root: closed to those who could read it, and
 * refused when others can write to it or own it.
 * @returns false when others can read it, and nothing could be done about that
 * @throws the system's error, ENOTDIR when there is something else at the path; IOError STORAGE_ROOT_UNUSABLE
 */
export function makePrivateFolder(path: string): boolean {
  const missing: string[] = [];
  let folder = resolve(path);
  for (let found = statusOf(folder); found === undefined; found = statusOf(folder)) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const each of missing) makeFolder(each);
  const status = statSync(path);
  if (!status.isDirectory()) {
    throw Object.assign(new Error(`${path} is not a folder.`), { code: 'ENOTDIR' });
  }
  // Windows has other means, and shows every folder as open to all.
  return process.platform === 'win32' || closeToOthers(path, status);
}

function closeToOthers(path: string, { mode, uid }: Stats): boolean {
  const ownId = process.getuid!();
  const refuse = (reason: string): never => {
    throw new IOError('STORAGE_ROOT_UNUSABLE', `${path} cannot hold what the server keeps: ${reason}`);
  };
  if (ownId !== 0 && uid !== ownId) refuse('it belongs to another user.');
  if ((mode & OTHERS_WRITE) !== 0) refuse('others can write to it. Take that away with chmod go-w.');
  if ((mode & OTHERS) === 0) return true;
  try {
    chmodSync(path, mode & OWNER);
    return true;
  } catch {
    // Some file systems have no modes. The caller reports it and goes on.
    return false;
  }
}

const OWNER = 0o700;
const OTHERS = 0o077;
const OTHERS_WRITE = 0o022;

function statusOf(path: string): unknown {
  return statSync(path, { throwIfNoEntry: false });
}

/** Another process may be as fast. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as { readonly code?: string }).code !== 'EEXIST') throw error;
  }
}
