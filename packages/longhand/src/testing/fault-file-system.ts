import type { FileSystem } from '../stores/file/file-system.ts';

/**
 * A file system in which things go wrong where a test says so.
 *
 * Calls that change something or could fail for want of room are counted, by kind and all together. A fault
 * names one of them by its number and what happens there: an error once or from then on, a write that takes
 * only half, or a callback (which may kill the process) before, after, or half way through. Calls that only look
 * at something, and those for locks, are counted by kind alone.
 */

export const FAULTY_CALLS = [
  'open',
  'write',
  'truncate',
  'setMode',
  'sync',
  'syncDirectory',
  'rename',
  'unlink',
  'makeDirectory',
  'removeDirectory',
] as const;
/** Calls that change nothing on the disk, and can fail all the same. */
export const LOOKING_CALLS = ['read', 'stat', 'fstat', 'list', 'tryLock', 'unlock'] as const;
export type LookingCall = (typeof LOOKING_CALLS)[number];
type Call = FaultyCall | LookingCall;
export type FaultyCall = (typeof FAULTY_CALLS)[number];

export type Fault = {
  /** Counts from 1, over the calls of `kind`, or over all that change something when no kind is given. */
  readonly at: number;
  readonly kind?: Call;
} & (
  | { readonly fail: string; readonly isPersistent?: boolean }
  | { readonly shorten: true; readonly isPersistent?: boolean }
  | {
      /** Gets the call's first argument: a path or a descriptor. */
      readonly run: (target: string | number) => void;
      readonly when: 'before' | 'after' | 'half-way';
    }
);

export interface FaultFileSystem extends FileSystem {
  readonly counts: Readonly<Record<Call, number>>;
  /** All calls that change something. */
  readonly total: number;
  /** Their kinds, in order. */
  readonly trace: readonly FaultyCall[];
  /** Whether a fault has struck yet. */
  readonly hasStruck: boolean;
  /** From now on these are the faults, and calls are counted from here. */
  strike(faults: readonly Fault[]): void;
  /** From now on everything works again. */
  heal(): void;
}

/** An error as the system gives it. */
export function systemError(code: string, call: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: injected, ${call}`), { code, syscall: call });
}

export function createFaultFileSystem(real: FileSystem, faults: readonly Fault[] = []): FaultFileSystem {
  const counts = {} as Record<Call, number>;
  const resetCounts = (): void => {
    for (const kind of [...FAULTY_CALLS, ...LOOKING_CALLS]) counts[kind] = 0;
  };
  resetCounts();
  const trace: FaultyCall[] = [];
  let active = faults;
  let hasStruck = false;

  const strikes = (fault: Fault, kind: Call): boolean => {
    if (fault.kind === undefined ? isLooking(kind) : fault.kind !== kind) return false;
    const count = fault.kind === undefined ? trace.length : counts[kind];
    return 'isPersistent' in fault && fault.isPersistent ? count >= fault.at : count === fault.at;
  };

  /** Counts the call and gives the faults that strike it. */
  const enter = (kind: Call, target: string | number): readonly Fault[] => {
    counts[kind]++;
    if (!isLooking(kind)) trace.push(kind);
    const struck = active.filter((fault) => strikes(fault, kind));
    if (struck.length > 0) hasStruck = true;
    for (const fault of struck) {
      if ('fail' in fault) throw systemError(fault.fail, kind);
      if ('run' in fault && fault.when === 'before') fault.run(target);
    }
    return struck;
  };
  const leave = (struck: readonly Fault[], target: string | number): void => {
    for (const fault of struck) if ('run' in fault && fault.when === 'after') fault.run(target);
  };
  const around = <Result>(kind: Call, target: string | number, call: () => Result): Result => {
    const struck = enter(kind, target);
    const result = call();
    leave(struck, target);
    return result;
  };
  const aroundPromise = async (kind: Call, target: string | number, call: () => Promise<void>) => {
    const struck = enter(kind, target);
    await call();
    leave(struck, target);
  };

  const write: FileSystem['write'] = (fd, data, position) => {
    const struck = enter('write', fd);
    const half = Math.floor(data.length / 2);
    for (const fault of struck) {
      if ('shorten' in fault) return real.write(fd, data.subarray(0, half), position);
      if ('run' in fault && fault.when === 'half-way') {
        real.write(fd, data.subarray(0, half), position);
        fault.run(fd);
        return half;
      }
    }
    const written = real.write(fd, data, position);
    leave(struck, fd);
    return written;
  };

  return {
    ...real,
    open: (path, flags, mode) => around('open', path, () => real.open(path, flags, mode)),
    write,
    truncate: (fd, size) => around('truncate', fd, () => real.truncate(fd, size)),
    setMode: (fd, mode) => around('setMode', fd, () => real.setMode(fd, mode)),
    sync: (fd) => aroundPromise('sync', fd, () => real.sync(fd)),
    syncDirectory: (path) => aroundPromise('syncDirectory', path, () => real.syncDirectory(path)),
    rename: (from, to) => around('rename', from, () => real.rename(from, to)),
    unlink: (path) => around('unlink', path, () => real.unlink(path)),
    makeDirectory: (path, mode) => around('makeDirectory', path, () => real.makeDirectory(path, mode)),
    removeDirectory: (path) => around('removeDirectory', path, () => real.removeDirectory(path)),
    read: (fd, into, position) => around('read', fd, () => real.read(fd, into, position)),
    stat: (path) => around('stat', path, () => real.stat(path)),
    fstat: (fd) => around('fstat', fd, () => real.fstat(fd)),
    list: (path) => around('list', path, () => real.list(path)),
    tryLock: (fd, byte, count) => around('tryLock', fd, () => real.tryLock(fd, byte, count)),
    unlock: (fd, byte, count) => around('unlock', fd, () => real.unlock(fd, byte, count)),
    counts,
    trace,
    get total() {
      return trace.length;
    },
    get hasStruck() {
      return hasStruck;
    },
    strike: (next) => {
      active = next;
      trace.length = 0;
      resetCounts();
    },
    heal: () => {
      active = [];
    },
  };
}

function isLooking(kind: Call): kind is LookingCall {
  return (LOOKING_CALLS as readonly string[]).includes(kind);
}
