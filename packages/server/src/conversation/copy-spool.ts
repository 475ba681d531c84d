import { chmodSync, constants, copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';
import { spoolFolder } from './open-conversations.ts';
import { DAMAGED_EXTENSION } from './other-spools.ts';
import { parseLines, SPOOL_EXTENSION } from './spool-file.ts';

/** In it is a folder for each account beside the server's own, with a spool. */
export const ACCOUNTS_FOLDER = 'accounts';

/** The accounts beside the server's own of which messages wait that a process has left behind. */
export function accountsWithSpool(stateFolder: string): readonly string[] {
  const all = join(stateFolder, ACCOUNTS_FOLDER);
  if (!existsSync(all)) return [];
  const found = readdirSync(all).flatMap((name) => {
    const spool = spoolFolder({ stateFolder: join(all, name) });
    const files = existsSync(spool)
      ? readdirSync(spool).filter((file) => file.endsWith(SPOOL_EXTENSION))
      : [];
    return files.flatMap((file) => parseLines(readFileSync(join(spool, file), 'utf8')).messages.slice(0, 1));
  });
  return [...new Set(found.map(({ session }) => session.account_id))];
}

/**
 * Takes the messages along that wait to be archived when a store moves: the next server on the new one does it. Lines
 * that were set aside because they could not be read go too.
 * @param from the folder that the server has in the old store
 * @returns how many messages that are
 * @throws the system's error, EEXIST when both hold a spool of one name; IOError STORAGE_ROOT_UNUSABLE
 */
export function copySpool(from: string, to: string): number {
  const [source, target] = [spoolFolder({ stateFolder: from }), spoolFolder({ stateFolder: to })];
  if (!existsSync(source)) return 0;
  let messages = 0;
  for (const name of readdirSync(source)) {
    const isSpool = name.endsWith(SPOOL_EXTENSION);
    if (!isSpool && !name.endsWith(DAMAGED_EXTENSION)) continue;
    const text = readFileSync(join(source, name), 'utf8');
    if (text === '') continue;
    // The folder of the server first: each is the owner's alone.
    makePrivateFolder(to);
    makePrivateFolder(target);
    const copy = join(target, name);
    if (existsSync(copy) && readFileSync(copy, 'utf8') === text) continue;
    copyFileSync(join(source, name), copy, constants.COPYFILE_EXCL);
    chmodSync(copy, 0o600);
    if (isSpool) messages += parseLines(text).messages.length;
  }
  return messages;
}
