import { statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IOError } from '../../core/errors.ts';
import { makeFolder } from './change-file.ts';
import { type FileSystem, O_CREAT, O_EXCL, O_WRONLY, systemErrorCode } from './file-system.ts';
import { removeIfThere, TEMPORARY_ENDING } from './side-files.ts';

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

export interface RootOptions {
  readonly allowNetworkFileSystem: boolean;
}

/**
 * Makes the folders of a store where there are none, and refuses a root that cannot keep its promises.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export function prepareRoot(fileSystem: FileSystem, root: string, options: RootOptions): void {
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
    const network = options.allowNetworkFileSystem ? undefined : networkName(root);
    if (network !== undefined) {
      refuse(
        `it is on ${network}, where locks do not hold. Set allowNetworkFileSystem if only one machine uses it.`,
      );
    }
    for (const name of ['sessions', 'users', 'agents']) {
      makeFolder(fileSystem, join(root, name));
      if (fileSystem.stat(join(root, name))?.kind !== 'directory') refuse(`${name} in it is not a folder.`);
    }
    probeWriting(fileSystem, root);
  } catch (error) {
    if (systemErrorCode(error) === 'STORAGE_ROOT_UNUSABLE') throw error;
    refuse(`the system answered ${systemErrorCode(error) ?? String(error)}.`, error);
  }
}

function makeRoot(fileSystem: FileSystem, path: string): void {
  if (fileSystem.stat(path) !== undefined) return;
  if (dirname(path) !== path) makeRoot(fileSystem, dirname(path));
  makeFolder(fileSystem, path);
}

function refuseForeign(status: { ownerId: number; mode: number }, refuse: (reason: string) => never): void {
  const ownId = process.getuid?.();
  if (ownId !== undefined && ownId !== 0 && status.ownerId !== ownId) refuse('it belongs to another user.');
  if (process.platform !== 'win32' && (status.mode & 0o022) !== 0) {
    refuse('others can write to it. Take that away with chmod go-w.');
  }
}

function networkName(root: string): string | undefined {
  return NETWORK_FILE_SYSTEMS.get(statfsSync(root).type);
}

/** Permission bits do not tell everything (read-only mounts, access lists): trying does. */
function probeWriting(fileSystem: FileSystem, root: string): void {
  const path = join(root, `.probe-${process.pid}${TEMPORARY_ENDING}`);
  removeIfThere(fileSystem, path);
  fileSystem.close(fileSystem.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600));
  fileSystem.unlink(path);
}
