import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { DamagedPlace, UnfinishedLine } from 'longhand';
import { DIGESTS_FILE, KEYS_FILE, problemOfKeyLine } from '../access/account-files.ts';
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
  readonly unfinished: readonly UnfinishedLine[];
  readonly damage: readonly DamagedPlace[];
}

const NEWLINE = 0x0a;

/** A server that is writing at this moment has finished by then. */
const SECOND_LOOK_MS = 250;

/** Looks a second time, a moment later, when a line has no end: most often it has one then. */
export async function verifyState(
  config: Pick<ServerConfig, 'storageRoot' | 'stateFolder'>,
): Promise<StateReport> {
  const first = lookAtState(config);
  if (first.unfinished.length === 0) return first;
  await setTimeout(SECOND_LOOK_MS);
  const second = lookAtState(config);
  const before = new Set(first.unfinished.map((line) => JSON.stringify(line)));
  const unfinished = second.unfinished.filter((line) => before.has(JSON.stringify(line)));
  return { ...second, unfinished, unfinished_bytes: sum(unfinished.map(({ bytes }) => bytes)) };
}

function lookAtState(config: Pick<ServerConfig, 'storageRoot' | 'stateFolder'>): StateReport {
  const check = new StateCheck(config.storageRoot);
  const folder = spoolFolder(config);
  const names = check.namesIn(folder);
  const filesOf = (extension: string): string[] =>
    names.filter((name) => name.endsWith(extension)).map((name) => join(folder, name));
  const spooled = filesOf(SPOOL_EXTENSION).map((path) => check.lines(path, problemOfSpoolLine));
  const setAside = filesOf(DAMAGED_EXTENSION).map((path) => check.lines(path, () => undefined));
  check.lines(join(config.stateFolder, DIGESTS_FILE), problemOfKeyLine);
  return {
    spooled_messages: sum(spooled),
    key_lines: check.lines(join(config.stateFolder, KEYS_FILE), problemOfKeyLine),
    set_aside_lines: sum(setAside),
    unfinished_bytes: sum(check.unfinished.map(({ bytes }) => bytes)),
    unfinished: check.unfinished,
    damage: check.damage,
  };
}

class StateCheck {
  readonly damage: DamagedPlace[] = [];
  readonly unfinished: UnfinishedLine[] = [];
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
    const left = (bytes?.length ?? 0) - offset;
    if (left > 0) this.unfinished.push({ place: this.#placeOf(path), offset, bytes: left });
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
