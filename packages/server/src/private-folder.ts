import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder that only its owner can enter, with those above it that are missing. Folder by folder, and not by
 * Node's `recursive`: that never comes back where a file system says of a folder that is there that it is not, as
 * `/proc` does.
 * @throws the system's error, ENOTDIR when there is something else at the path
 */
export function makePrivateFolder(path: string): void {
  const missing: string[] = [];
  let folder = resolve(path);
  for (let found = statusOf(folder); found === undefined; found = statusOf(folder)) {
    missing.unshift(folder);
    folder = dirname(folder);
  }
  for (const each of missing) makeFolder(each);
  if (!statSync(path).isDirectory()) {
    throw Object.assign(new Error(`${path} is not a folder.`), { code: 'ENOTDIR' });
  }
}

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
