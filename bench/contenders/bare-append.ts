import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { NewMemory } from 'longhand';
import type { Contender } from './contender.ts';

export const BARE = 'bare append';

/** The limit of what a file can do: the text of the entry, and one write. No id, no checksum, no lock. */
export function openBareAppend(folder: string): Contender {
  const fd = openSync(
    join(folder, 'bare.jsonl'),
    constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND,
    0o600,
  );
  const lineOf = (entry: NewMemory): string => `${JSON.stringify(entry)}\n`;
  return {
    name: BARE,
    add: (entry) => {
      writeSync(fd, lineOf(entry));
    },
    addMany: (entries) => {
      writeSync(fd, entries.map(lineOf).join(''));
    },
    close: () => closeSync(fd),
  };
}
