import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { DamagedPlace } from 'longhand';
import { KEYS_FILE, problemOfKeyLine } from '../access/api-keys.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { spoolFolder } from '../conversation/open-conversations.ts';
import { DAMAGED_EXTENSION } from '../conversation/other-spools.ts';
import { problemOfSpoolLine, SPOOL_EXTENSION } from '../conversation/spool-file.ts';

/** What a server keeps beside the store: checked line by line, like the store's own files. Reads only, takes no lock. */
export interface StateReport {
  /** Messages that wait to be archived, of all processes. */
  readonly spooled_messages: number;
  /** Lines about keys that were made or revoked. */
  readonly key_lines: number;
  /** Lines of spools that could not be read when their process had gone, and were kept. */
  readonly set_aside_lines: number;
  readonly unfinished_bytes: number;
  readonly damage: readonly DamagedPlace[];
}

const NEWLINE = 0x0a;

export function verifyState(config: Pick<ServerConfig, 'storageRoot' | 'stateFolder'>): StateReport {
  const check = new StateCheck(config.storageRoot);
  const folder = spoolFolder(config);
  const names = check.namesIn(folder);
  const filesOf = (extension: string): string[] =>
    names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name));
  const spooled = filesOf(SPOOL_EXTENSION).map((path) => check.lines(path, problemOfSpoolLine));
  const setAside = filesOf(DAMAGED_EXTENSION).map((path) => check.lines(path, () => undefined));
  return {
    spooled_messages: sum(spooled),
    key_lines: check.lines(join(config.stateFolder, KEYS_FILE), problemOfKeyLine),
    set_aside_lines: sum(setAside),
    unfinished_bytes: check.unfinishedBytes,
    damage: check.damage,
  };
}

class StateCheck {
  readonly damage: DamagedPlace[] = [];
  unfinishedBytes = 0;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  namesIn(folder: string): readonly string[] {
    return this.#read(folder, () => readdirSync(folder)) ?? [];
  }

  /** How many whole lines there are that say something. */
  lines(path: string, problemOf: (line: string) => DamagedPlace['kind'] | undefined): number {
    const bytes = this.#read(path, () => readFileSync(path));
    let count = 0;
    let number = 0;
    let offset = 0;
    for (let end = bytes?.indexOf(NEWLINE) ?? -1; end >= 0; end = bytes!.indexOf(NEWLINE, offset)) {
      const line = bytes!.toString('utf8', offset, end);
      const kind = line === '' ? undefined : problemOf(line);
      number++;
      if (kind !== undefined) this.damage.push({ place: this.#placeOf(path), offset, line: number, kind });
      else if (line !== '') count++;
      offset = end + 1;
    }
    this.unfinishedBytes += (bytes?.length ?? 0) - offset;
    return count;
  }

  /** `undefined` when it is not there: a spool goes when it is empty, and not every server has keys. */
  #read<Content>(path: string, read: () => Content): Content | undefined {
    try {
      return read();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.damage.push({ place: this.#placeOf(path), offset: 0, kind: 'unreadable' });
      return undefined;
    }
  }

  /** Within the store, as the library tells its own, or where it is when it lies elsewhere. */
  #placeOf(path: string): string {
    const place = relative(this.#root, path);
    return place.startsWith('..') ? path : place;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
