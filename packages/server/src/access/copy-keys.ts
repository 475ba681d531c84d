import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';
import { KEYS_FILE, problemOfKeyLine } from './account-files.ts';

/**
 * Takes the API keys along when a store moves: whoever has a key still gets in, and one that was revoked stays so. Lines
 * that are there already are not written again; those that a crash has cut short never counted, and stay behind.
 * @param from the folder that the server has in the old store
 * @returns how many keys were not there
 * @throws the system's error, IOError STORAGE_ROOT_UNUSABLE
 */
export function copyKeys(from: string, to: string): number {
  const there = new Set(linesOf(join(to, KEYS_FILE)));
  const lines = linesOf(join(from, KEYS_FILE)).filter((line) => problemOfKeyLine(line) === undefined);
  const missing = lines.filter((line) => !there.has(line));
  if (missing.length > 0) {
    makePrivateFolder(to);
    // A line that is cut short in the new file is closed off.
    const text = `${there.size === 0 ? '' : '\n'}${missing.join('\n')}\n`;
    appendFileSync(join(to, KEYS_FILE), text, { mode: 0o600, flush: true });
  }
  return missing.filter((line) => JSON.parse(line).record === 'key').length;
}

function linesOf(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
