import { dirname, join } from 'node:path';
import { isOfSession, type LogAddress } from '../../core/store.ts';
import { toLonghandError } from './failures.ts';
import { type FileSystem, listIfThere, makeFolder } from './file-system.ts';
import { whileFolderIsLocked } from './folder-lock.ts';
import { incarnationOf, requireSession } from './log-file.ts';
import { alreadyThere } from './log-folders.ts';
import { decodeNames, LOG_ENDING, type LogPaths } from './log-paths.ts';
import { removeLeftovers } from './rewrite.ts';
import { removeIfThere, replaceFile } from './sidecar-files.ts';

/**
 * Logs that share a folder: transcript and details, beside the log of their session, the notes on a user, and the
 * ledgers of what was forgotten.
 * Each appears whole, by renaming, under the folder's lock. Readable documents go with their log.
 */
type BesideAddress = LogAddress & { readonly kind: 'transcript' | 'details' | 'notes' | 'ledger' };

export function sharesFolder(log: LogAddress): log is BesideAddress {
  return log.kind !== 'session' && log.kind !== 'agent';
}

const NOTES_DOCUMENT = 'notes.md';

export class BesideLogs {
  readonly #fileSystem: FileSystem;
  readonly #paths: LogPaths;

  constructor(fileSystem: FileSystem, paths: LogPaths) {
    this.#fileSystem = fileSystem;
    this.#paths = paths;
  }

  /** @throws NotFoundError SESSION_NOT_FOUND, ValidationError SESSION_EXISTS, IOError */
  async create(log: BesideAddress, bytes: Buffer): Promise<void> {
    const path = this.#paths.fileOf(log);
    try {
      if (isOfSession(log)) requireSession(this.#fileSystem, this.#paths, log);
      else await this.#makeFolders(dirname(path));
      await whileFolderIsLocked(this.#fileSystem, dirname(path), async () => {
        if (isOfSession(log)) requireSession(this.#fileSystem, this.#paths, log);
        if (this.#fileSystem.stat(path) !== undefined) throw alreadyThere(log);
        removeLeftovers(this.#fileSystem, dirname(path));
        await replaceFile(this.#fileSystem, path, [bytes], true);
        await this.#fileSystem.syncDirectory(dirname(path));
      });
    } catch (error) {
      throw toLonghandError(error, log, 'create');
    }
  }

  /** While holding the log's lock. */
  async remove(log: BesideAddress): Promise<undefined> {
    const path = this.#paths.fileOf(log);
    // The document first: without its log it would pass for a file that a person made.
    if (log.kind === 'notes') removeIfThere(this.#fileSystem, this.#paths.documentOf(log, NOTES_DOCUMENT));
    removeIfThere(this.#fileSystem, path);
    await this.#fileSystem.syncDirectory(dirname(path));
  }

  /** The agents that keep notes on a user: a document without a log was made by a person, and counts. */
  listNotes(userId: string): string[] {
    const names = listIfThere(this.#fileSystem, this.#paths.notesOf(userId));
    const agents = [...decodeNames(names, LOG_ENDING), ...decodeNames(names, '.md')];
    return [...new Set(agents)].sort();
  }

  listUsers(): string[] {
    return decodeNames(listIfThere(this.#fileSystem, join(this.#paths.root, 'users'))).sort();
  }

  /** The incarnation of the session that a log lies beside. @throws NotFoundError SESSION_NOT_FOUND */
  sessionOf(log: BesideAddress): string | undefined {
    if (!isOfSession(log)) return undefined;
    requireSession(this.#fileSystem, this.#paths, log);
    return incarnationOf(this.#fileSystem, this.#paths.folderOf(log));
  }

  /** From the root down, each brought to the disk. */
  async #makeFolders(folder: string): Promise<void> {
    const parent = dirname(folder);
    if (parent !== this.#paths.root) await this.#makeFolders(parent);
    makeFolder(this.#fileSystem, folder);
    if (this.#fileSystem.stat(folder)?.kind !== 'directory') {
      throw Object.assign(new Error(`${folder} is not a folder.`), { code: 'ELOOP' });
    }
    await this.#fileSystem.syncDirectory(parent);
  }
}
