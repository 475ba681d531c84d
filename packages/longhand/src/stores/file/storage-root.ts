import { dirname, join } from 'node:path';
import { newStoreConfig } from '../../core/config.ts';
import { IOError, systemErrorCode } from '../../core/errors.ts';
import type { LogAddress } from '../../core/store.ts';
import { reasonOf } from './failures.ts';
import type { FileSystem } from './file-system.ts';
import { makeFolder, O_CREAT, O_DSYNC, O_EXCL, O_WRONLY } from './file-system.ts';
import { isOthersFolder, OTHERS_FILES, PARTS_OF_A_STORE } from './others-folder.ts';
import { CONFIG_FILE } from './root-config.ts';
import { removeIfThere, TEMPORARY_ENDING } from './sidecar-files.ts';

/** File systems whose appends and locks do not reach across machines, by the kernel's magic numbers. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB 2'],
  [0x01021997, '9P'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
]);

/** Stands for the store as a whole where a message names a log. */
export const ROOT: LogAddress = { kind: 'session', id: '(root)' };

const NOT_OURS = new Set(['EACCES', 'EPERM', 'EROFS']);

interface RootOptions {
  readonly allowNetworkFileSystem: boolean;
}

/** A root that was found fit, and whose folders may not be on the disk yet. */
export interface StorageRoot {
  /** Settles when a power cut can no longer take the folders away. Costs something the first time only. */
  bringToDisk(): Promise<void>;
}

/**
 * Makes the folders of a store where there are none, and refuses a root that cannot keep its promises.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export function prepareRoot(fileSystem: FileSystem, root: string, options: RootOptions): StorageRoot {
  const refuse = (reason: string, cause?: unknown): never => {
    throw new IOError('STORAGE_ROOT_UNUSABLE', `${root} cannot be a storage root: ${reason}`, {
      cause,
      details: { root },
    });
  };
  try {
    makeRoot(fileSystem, root);
    const status = fileSystem.stat(root);
    if (status?.kind === 'link') refuse('it is a symbolic link. Name the folder itself.');
    if (status?.kind !== 'directory') refuse('it is not a folder.');
    refuseForeign(status!, refuse);
    if (isOthersFolder(fileSystem, root)) refuse(OTHERS_FILES);
    const network = options.allowNetworkFileSystem ? undefined : networkName(fileSystem, root);
    if (network !== undefined) {
      refuse(
        `it is on ${network}, where locks do not hold. Set allowNetworkFileSystem if only one machine uses it.`,
      );
    }
    const isNew = !fileSystem.list(root).some((name) => PARTS_OF_A_STORE.includes(name));
    for (const name of ['sessions', 'users', 'agents']) {
      makeFolder(fileSystem, join(root, name));
      if (fileSystem.stat(join(root, name))?.kind !== 'directory') refuse(`${name} in it is not a folder.`);
    }
    probeWriting(fileSystem, root, isNew ? newStoreConfig() : '');
    return { bringToDisk: once(() => syncWayTo(fileSystem, root)) };
  } catch (error) {
    if (systemErrorCode(error) === 'STORAGE_ROOT_UNUSABLE') throw error;
    return refuse(`the system answered ${reasonOf(error)}.`, error);
  }
}

function makeRoot(fileSystem: FileSystem, path: string): void {
  if (fileSystem.stat(path) !== undefined) return;
  makeRoot(fileSystem, dirname(path));
  makeFolder(fileSystem, path);
}

/** All the way up: the process that made a folder on it may have been killed before it could do so. */
async function syncWayTo(fileSystem: FileSystem, folder: string): Promise<void> {
  await fileSystem.syncDirectory(folder);
  for (let parent = dirname(folder); ; parent = dirname(parent)) {
    try {
      await fileSystem.syncDirectory(parent);
    } catch (error) {
      // A folder that this user may not open is not one that this user has made.
      if (!NOT_OURS.has(reasonOf(error))) throw error;
    }
    if (parent === dirname(parent)) return;
  }
}

/** Until it has succeeded. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return async () => {
    done ??= work();
    try {
      await done;
    } catch (error) {
      done = undefined;
      throw error;
    }
  };
}

function refuseForeign(status: { ownerId: number; mode: number }, refuse: (reason: string) => never): void {
  const ownId = process.getuid?.();
  if (ownId !== undefined && ownId !== 0 && status.ownerId !== ownId) refuse('it belongs to another user.');
  if (process.platform !== 'win32' && (status.mode & 0o022) !== 0) {
    refuse('others can write to it. Take that away with chmod go-w.');
  }
}

function networkName(fileSystem: FileSystem, root: string): string | undefined {
  return NETWORK_FILE_SYSTEMS.get(fileSystem.volumeType(root));
}

/**
 * Permission bits do not tell everything (access lists): trying does. A store on a read-only mount, such as a backup, can
 * be read; writing to it fails call by call.
 * @param config of a new store: what is written on trial becomes its `config.json`, whole or not at all
 */
function probeWriting(fileSystem: FileSystem, root: string, config: string): void {
  const path = join(root, `.probe-${process.pid}${TEMPORARY_ENDING}`);
  try {
    removeIfThere(fileSystem, path);
    // On the disk before it has its name: a power cut must not leave half of it.
    const fd = fileSystem.open(path, O_WRONLY | O_CREAT | O_EXCL | O_DSYNC, 0o600);
    const isWritten = config !== '' && writesWhole(fileSystem, fd, Buffer.from(config));
    fileSystem.close(fd);
    const target = join(root, CONFIG_FILE);
    if (isWritten && fileSystem.stat(target) === undefined) fileSystem.rename(path, target);
    else fileSystem.unlink(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'EROFS') throw error;
  }
}

/** A store can do without its `config.json`: that the disk is full, the first write tells. */
function writesWhole(fileSystem: FileSystem, fd: number, bytes: Buffer): boolean {
  try {
    return fileSystem.write(fd, bytes) === bytes.length;
  } catch {
    return false;
  }
}
