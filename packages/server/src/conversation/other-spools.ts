import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IOError } from 'longhand';
import { readIfThere } from './notices.ts';
import { parseLines, SPOOL_EXTENSION, type SpooledMessage } from './spool-file.ts';

/**
 * What lies in the folder of a spool beside the own file: the files of other processes that live, and what could not
 * be read of those that are gone. Reading needs no lock: a line is whole when it ends with a newline.
 */

export const DAMAGED_EXTENSION = '.damaged';
/** Other processes put new files in the place of old ones, but not without end. */
const MAX_LOOKS = 50;

/**
 * What other processes hold for the transcripts, each message once. A message that goes from one file to another
 * meanwhile is not overlooked. @throws IOError IO_FAILED
 */
export function readOtherSpools(directory: string, ownPath: string): readonly SpooledMessage[] {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const names = spoolFiles(directory, ownPath);
    const texts = names.map((name) => readIfThere(join(directory, name)));
    const isSteady = !texts.includes(undefined) && names.join() === spoolFiles(directory, ownPath).join();
    if (!isSteady) continue;
    const found = new Map<string, SpooledMessage>();
    for (const text of texts)
      for (const spooled of parseLines(text!).messages)
        found.set(JSON.stringify([Object.values(spooled.session), spooled.message.id]), spooled);
    return [...found.values()];
  }
  throw new IOError('IO_FAILED', 'The spools of other processes change too quickly to be read. Try again.');
}

function spoolFiles(directory: string, ownPath: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(SPOOL_EXTENSION) && join(directory, name) !== ownPath)
    .sort();
}

/** Keeps lines that cannot be read for a person to look at. Gives the file's name. */
export function setAside(path: string, lines: readonly string[]): string {
  const file = `${path}${DAMAGED_EXTENSION}`;
  replaceFile(file, lines);
  return file;
}

/** What a damaged line still says of whose it is. */
export interface LineOwner {
  readonly session_id: string | undefined;
  readonly user_id: string | undefined;
}

/** Takes lines out of the files that were set aside. `isMeant` gets as much of the owner as could still be read. */
export function clearDamaged(directory: string, isMeant: (owner: LineOwner) => boolean): void {
  for (const name of readdirSync(directory).filter((each) => each.endsWith(DAMAGED_EXTENSION))) {
    const path = join(directory, name);
    const lines = (readIfThere(path) ?? '').split('\n').filter((line) => line !== '');
    const kept = lines.filter((line) => !isMeant(ownerIn(line)));
    if (kept.length === lines.length) continue;
    if (kept.length === 0) rmSync(path, { force: true });
    else replaceFile(path, kept);
  }
}

function ownerIn(line: string): LineOwner {
  // The session comes before the message, in which anything may stand.
  const [head = ''] = line.split('"message":');
  return {
    session_id: /"session":\{"id":"([\w-]+)"/.exec(head)?.[1],
    user_id: unquoted(/"user_id":("(?:[^"\\]|\\.)*")/.exec(head)?.[1]),
  };
}

function unquoted(json: string | undefined): string | undefined {
  try {
    return json === undefined ? undefined : String(JSON.parse(json));
  } catch {
    // Damaged there: then it says nothing.
    return undefined;
  }
}

function replaceFile(path: string, lines: readonly string[]): void {
  const draft = `${path}.new`;
  writeFileSync(draft, lines.map((line) => `${line}\n`).join(''), { mode: 0o600 });
  renameSync(draft, path);
}
