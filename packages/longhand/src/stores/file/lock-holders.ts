import { type BigIntStats, type Dir, fstatSync, opendirSync, readFileSync, statSync } from 'node:fs';

/**
 * Who holds a lock, as the kernel tells it.
 *
 * A process that gives up waiting reports the holder. A holder that left its name somewhere would have to write at
 * every hold, while others wait, for the one hold in millions that lasts too long. Linux knows it anyway: for each
 * open file of a process, `/proc/PID/fdinfo/FD` lists the locks that are held through it, as in
 * `lock:	1: OFDLCK ADVISORY  WRITE -1 fe:00:2146718 0 0`, with the first and the last byte at the end. So no holder
 * leaves a name there, and a process that gives up looks through the processes.
 *
 * The line names the file too, but by numbers that are not those of `stat` on every file system (btrfs, overlays). So
 * the file behind a lock is compared as such, and only there: `fdinfo` asks no file system, and a `stat` may wait for
 * one that has stopped answering.
 *
 * One process may have tens of thousands of files open, and a look at each takes some 20 µs. So the table is walked
 * once for all that is asked, a few files at a time, and ends after a fixed number of looks, about a second's worth.
 *
 * What cannot be seen is skipped: processes that end meanwhile, those of other users, those of other containers.
 * Where there is no such table (macOS, Windows), or one that does not list locks, `showsHolder` says so, and holders
 * leave their names in the anchor (`lock-view.ts`).
 */
export interface LockHolders {
  /** Asked while holding byte 0 of the file: whether others can find out. Looks once, and remembers. */
  showsHolder(fd: number): boolean;
  /**
   * The processes that hold the places, this one included, in the order of the places. `undefined` where none can be
   * seen from here. When the first one's is found, the search ends.
   */
  holdersOf(places: readonly LockPlace[]): Promise<readonly (number | undefined)[]>;
}

/** What is locked: a byte of an open file. */
export interface LockPlace {
  readonly fd: number;
  readonly byte: number;
}

/** Where the system does not tell. */
export const UNKNOWN_HOLDERS: LockHolders = {
  showsHolder: () => false,
  holdersOf: async (places) => places.map(() => undefined),
};

const PROCESS_TABLE = '/proc';
const MOST_LOOKS = 50_000;
/** One to two milliseconds' worth. */
const LOOKS_AT_A_TIME = 64;
const HELD = /^lock:\s.*\sOFDLCK\s.*\sWRITE\s.*\s(\d+) (\d+|EOF)$/gm;

/** @param table the table of processes, where the system has one */
export function findHoldersIn(table: string = PROCESS_TABLE, mostLooks = MOST_LOOKS): LockHolders {
  let isShown: boolean | undefined;
  return {
    showsHolder: (fd) => {
      isShown ??= rangesHeldThrough(`${table}/self/fdinfo/${fd}`).some((range) => covers(range, 0));
      return isShown;
    },
    holdersOf: (places) => findHolders(table, places, mostLooks),
  };
}

async function findHolders(
  table: string,
  places: readonly LockPlace[],
  mostLooks: number,
): Promise<readonly (number | undefined)[]> {
  const wanted = places.map(({ fd, byte }) => ({ file: fstatSync(fd, { bigint: true }), byte }));
  const holders: (number | undefined)[] = places.map(() => undefined);
  let looks = 0;
  for (const { pid, opening } of stepsThrough(table)) {
    if (++looks > mostLooks) break;
    // Timers and sockets get their turn.
    if (looks % LOOKS_AT_A_TIME === 0) await new Promise((resolve) => setImmediate(resolve));
    if (opening === undefined) continue;
    const ranges = rangesHeldThrough(`${table}/${pid}/fdinfo/${opening}`);
    for (const [at, { file, byte }] of wanted.entries()) {
      if (!ranges.some((range) => covers(range, byte))) continue;
      if (isSameFile(`${table}/${pid}/fd/${opening}`, file)) holders[at] = pid;
    }
    if (holders[0] !== undefined) break;
  }
  return holders;
}

interface Step {
  readonly pid: number;
  /** None at the process itself: a look at one that shows nothing takes its time too. */
  readonly opening?: string;
}

function* stepsThrough(table: string): Generator<Step> {
  for (const name of namesIn(table)) {
    if (!/^\d+$/.test(name)) continue;
    const pid = Number(name);
    yield { pid };
    for (const opening of namesIn(`${table}/${name}/fdinfo`)) yield { pid, opening };
  }
}

interface ByteRange {
  readonly first: number;
  readonly last: number;
}

function rangesHeldThrough(path: string): ByteRange[] {
  const text = orNothing(() => readFileSync(path, 'latin1')) ?? '';
  return Array.from(text.matchAll(HELD), ([, first, last]) => ({
    first: Number(first),
    last: last === 'EOF' ? Number.POSITIVE_INFINITY : Number(last),
  }));
}

function covers({ first, last }: ByteRange, byte: number): boolean {
  return first <= byte && byte <= last;
}

function isSameFile(path: string, file: BigIntStats): boolean {
  const other = orNothing(() => statSync(path, { bigint: true }));
  return other?.dev === file.dev && other.ino === file.ino;
}

/** One after the other as they are asked for: a list of tens of thousands takes long to come. */
function* namesIn(path: string): Generator<string> {
  const folder = orNothing(() => opendirSync(path, { bufferSize: LOOKS_AT_A_TIME }));
  if (folder === undefined) return;
  try {
    for (let name = nextIn(folder); name !== undefined; name = nextIn(folder)) yield name;
  } finally {
    folder.closeSync();
  }
}

function nextIn(folder: Dir): string | undefined {
  return orNothing(() => folder.readSync())?.name;
}

/** Ended meanwhile, not ours to look at, or no such table: all of it means that nothing is to be seen there. */
function orNothing<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
