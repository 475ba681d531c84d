import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { IOError, ValidationError } from '../../core/errors.ts';
import { reasonOf } from './failures.ts';

export const CONFIG_FILE = 'config.json';

/**
 * The `config.json` that lies in a store, before the store is opened: it says how.
 * @throws ValidationError INVALID_CONFIG when it is no JSON, or names another root; IOError STORAGE_ROOT_UNUSABLE
 */
export function readRootConfig(root: string): unknown {
  const path = join(root, CONFIG_FILE);
  let text: string;
  try {
    text = readRegularFile(path);
  } catch (error) {
    const code = reasonOf(error);
    if (['ENOENT', 'ENOTDIR'].includes(code)) return undefined;
    throw new IOError('STORAGE_ROOT_UNUSABLE', `${path} cannot be read: the system answered ${code}.`, {
      cause: error,
      details: { root },
    });
  }
  const config = parseConfigText(text, path);
  refuseOtherRoot(config, resolve(root), path);
  return config;
}

/** @throws ValidationError INVALID_CONFIG that says where it is no JSON */
export function parseConfigText(text: string, name: string): unknown {
  // A file that was made and never filled says nothing.
  if (/^[\s\0]*$/.test(text)) return undefined;
  try {
    // Editors of Windows begin a file with a mark of its encoding.
    return JSON.parse(text.replace(/^\uFEFF/, '')) as unknown;
  } catch (cause) {
    throw new ValidationError('INVALID_CONFIG', `${name} is not valid JSON: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** Follows no link, and does not wait for the other end of a pipe. */
function readRegularFile(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!fstatSync(fd).isFile()) throw Object.assign(new Error(`${path} is not a file.`), { code: 'EISDIR' });
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

/** A relative folder is relative to a working folder that is not known here; the file lies in the folder that it means. */
function refuseOtherRoot(config: unknown, root: string, path: string): void {
  const named = (config as { storage?: { root_directory?: unknown } } | null)?.storage?.root_directory;
  if (typeof named !== 'string' || !isAbsolute(named) || resolve(named) === root) return;
  throw new ValidationError(
    'INVALID_CONFIG',
    `In ${path}: storage.root_directory names ${named}, but this store lies at ${root}. ` +
      'Move the file there, or take the setting out.',
    { details: { key: 'storage.root_directory' } },
  );
}
