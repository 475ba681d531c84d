import { fstatSync, readdirSync, readFileSync, statSync } from 'node:fs';

/**
 * Who holds a lock, as the kernel tells it.
 *
 * Whoever has waited in vain wants to hear for whom. A holder that leaves its name somewhere has to write while
 * others wait, at every hold, for the one hold in millions that lasts too long. Linux knows it anyway: for each open
 * file of a process, `/proc/PID/fdinfo/FD` lists the locks that are held through it, as in
 * `lock:	1: OFDLCK ADVISORY  WRITE -1 fe:00:2146718 0 0`, with the first and the last byte at the end. So nobody
 * leaves a name there, and whoever gives up looks through the processes.
 *
 * The line names the file too, but by numbers that are not those of `stat` on every file system (btrfs, overlays). So
 * the file behind a lock is compared as such, and only there: `fdinfo` asks no file system, and a `stat` may wait for
 * one that has stopped answering.
 *
 * What cannot be seen is passed over: processes that end meanwhile, those of other users, those of other containers.
 * Where there is no such table (macOS, Windows), or one that does not list locks, `showsHolder` says so, and holders
 * leave their names in the anchor (`lock-view.ts`).
 */
export interface LockHolders {
  /** Asked while holding byte 0 of the file: whether others can find out. Looks once, and remembers. */
  showsHolder(fd: number): boolean;
  /** The process that holds the byte of the file, this one included. `undefined` when none can be seen from here. */
  holderOf(fd: number, byte: number): Promise<number | undefined>;
}

/** Where nobody tells. */
export const UNKNOWN_HOLDERS: LockHolders = {
  showsHolder: () => false,
  holderOf: () => Promise.resolve(undefined),
};

const PROCESS_TABLE = '/proc';
const HELD = /^lock:\s.*\sOFDLCK\s.*\sWRITE\s.*\s(\d+) (\d+|EOF)$/gm;

/** @param table the table of processes, where the system has one */
export function findHoldersIn(table: string = PROCESS_TABLE): LockHolders {
  let isShown: boolean | undefined;
  return {
    showsHolder: (fd) => {
      isShown ??= isHeldThrough(`${table}/self/fdinfo/${fd}`, 0);
      return isShown;
    },
    holderOf: (fd, byte) => findHolder(table, fd, byte),
  };
}

async function findHolder(table: string, fd: number, byte: number): Promise<number | undefined> {
  const file = fstatSync(fd, { bigint: true });
  for (const process of namesIn(table)) {
    if (!/^\d+$/.test(process)) continue;
    for (const opening of namesIn(`${table}/${process}/fdinfo`)) {
      if (!isHeldThrough(`${table}/${process}/fdinfo/${opening}`, byte)) continue;
      if (isSameFile(`${table}/${process}/fd/${opening}`, file)) return Number(process);
    }
    // There may be thousands of processes: timers and sockets get their turn.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return undefined;
}

function isHeldThrough(path: string, byte: number): boolean {
  const text = orNothing(() => readFileSync(path, 'latin1')) ?? '';
  for (const [, first, last] of text.matchAll(HELD)) {
    if (Number(first) <= byte && (last === 'EOF' || byte <= Number(last))) return true;
  }
  return false;
}

function isSameFile(path: string, file: { readonly dev: bigint; readonly ino: bigint }): boolean {
  const other = orNothing(() => statSync(path, { bigint: true }));
  return other?.dev === file.dev && other.ino === file.ino;
}

function namesIn(folder: string): readonly string[] {
  return orNothing(() => readdirSync(folder)) ?? [];
}

/** Ended meanwhile, not ours to look at, or no such table: all of it means that nothing is to be seen there. */
function orNothing<Result>(look: () => Result): Result | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
