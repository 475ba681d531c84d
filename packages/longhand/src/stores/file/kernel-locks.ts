import { closeSync, constants, fchmodSync, fstatSync, openSync, unlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { IOError, systemErrorCode } from '../../core/errors.ts';
import { randomName } from '../../core/ids.ts';
import { findHoldersIn, type LockHolders, UNKNOWN_HOLDERS } from './lock-holders.ts';
import { LockTable } from './lock-table.ts';

/**
 * Locks that the kernel holds for an open file ("open file description" locks): two openings exclude each
 * other even within one process, a killed process lets go at once, and no clock is asked. Nothing weaker
 * keeps a log whole when a process stalls; see docs/decisions/0002-kernel-locks.md.
 */
export interface KernelLocks extends LockHolders {
  lockUnit(): LockUnit;
  /** Takes the exclusive lock on `count` bytes (1 when left out). False when another opening has one of them. */
  tryLock(fd: number, byte: number, count?: number): boolean;
  /** Waits for it in a thread. Cannot be called off. */
  waitForLock(fd: number, byte: number): Promise<void>;
  unlock(fd: number, byte: number, count?: number): void;
  /** Called before a file is closed, where the kernel does not release its locks automatically. */
  closing?(fd: number): void;
}

/**
 * What one lock covers. `range`: bytes that are locked in one call may be released one by one. `byte`: only what
 * was locked in one call is released in one, so bytes are locked one by one. `file`: all of it, and no byte but 0.
 */
type LockUnit = 'range' | 'byte' | 'file';

const load = createRequire(import.meta.url);

export interface NativeLocks {
  tryLock(fd: number, offset: number, length: number): boolean;
  waitForLock(fd: number, offset: number, length: number): Promise<void>;
  unlock(fd: number, offset: number, length: number): void;
}

/**
 * Windows keeps others from reading and writing the bytes that are locked, and the files that Longhand locks are
 * read meanwhile: so the bytes that stand for them there lie where no file has any.
 */
const WINDOWS_OFFSET = 2 ** 40;

/** The package's calls as each system takes them; prebuilt for Linux with glibc, macOS and Windows. */
export function adaptNativeLocks(native: NativeLocks, platform: string): KernelLocks {
  switch (platform) {
    case 'darwin':
      // `flock`: a length of 0 is the whole file, and anything else is refused.
      return {
        ...UNKNOWN_HOLDERS,
        lockUnit: () => 'file',
        tryLock: (fd) => native.tryLock(fd, 0, 0),
        waitForLock: (fd) => native.waitForLock(fd, 0, 0),
        unlock: (fd) => native.unlock(fd, 0, 0),
      };
    case 'win32':
      return {
        ...UNKNOWN_HOLDERS,
        lockUnit: () => 'byte',
        tryLock: (fd, byte) => tryWindowsLock(native, fd, WINDOWS_OFFSET + byte),
        waitForLock: (fd, byte) => native.waitForLock(fd, WINDOWS_OFFSET + byte, 1),
        unlock: (fd, byte) => native.unlock(fd, WINDOWS_OFFSET + byte, 1),
      };
    default:
      return {
        ...findHoldersIn(),
        lockUnit: () => 'range',
        tryLock: (fd, byte, count = 1) => native.tryLock(fd, byte, count),
        waitForLock: (fd, byte) => native.waitForLock(fd, byte, 1),
        unlock: (fd, byte, count = 1) => native.unlock(fd, byte, count),
      };
  }
}

/** `LockFileEx` calls a byte that is taken busy, which the package does not translate. */
function tryWindowsLock(native: NativeLocks, fd: number, offset: number): boolean {
  try {
    return native.tryLock(fd, offset, 1);
  } catch (error) {
    if (systemErrorCode(error) === 'EBUSY') return false;
    throw error;
  }
}

/** @param host as the package names the folder of the binary for a system */
export function loadNativeLocks(host = `${process.platform}-${process.arch}`): KernelLocks {
  return adaptNativeLocks(loadBinary(host) ?? loadPackage(), process.platform);
}

function loadPackage(): NativeLocks {
  return load('fs-native-extensions') as NativeLocks;
}

/** What the package's binary offers; the package adds defaults, and promises for the calls that wait. */
interface NativeBinary {
  tryLock(fd: number, offset: number, length: number, isExclusive: boolean): void;
  unlock(fd: number, offset: number, length: number): void;
}

/**
 * The package's binary without the dozen files that look for it: 2 ms in place of 15, of every process that writes.
 * `undefined` when it is not where the package keeps it; then the package looks by itself. Like every binding, it has
 * to show that it locks before it is believed (`findFault`).
 */
function loadBinary(host: string): NativeLocks | undefined {
  const name = 'fs-native-extensions';
  let binary: NativeBinary;
  try {
    binary = load(join(dirname(load.resolve(name)), 'prebuilds', host, `${name}.node`)) as NativeBinary;
  } catch {
    return undefined;
  }
  return {
    tryLock: (fd, offset, length) => {
      try {
        binary.tryLock(fd, offset, length, true);
        return true;
      } catch (error) {
        if (systemErrorCode(error) === 'EAGAIN') return false;
        throw error;
      }
    },
    waitForLock: (fd, offset, length) => loadPackage().waitForLock(fd, offset, length),
    unlock: (fd, offset, length) => binary.unlock(fd, offset, length),
  };
}

interface Koffi {
  load(library: string | null): { func(name: string, result: string, parameters: unknown[]): KoffiFunction };
  struct(fields: Record<string, string>): unknown;
  pointer(type: unknown): unknown;
  errno(): number;
  os: { errno: Record<string, number> };
}
interface KoffiFunction {
  (...values: unknown[]): number;
  async(...values: unknown[]): void;
}

const F_OFD_SETLK = 37;
const F_OFD_SETLKW = 38;
const F_WRLCK = 1;
const F_UNLCK = 2;

/**
 * The same locks called through `koffi`, for Linux without glibc (Alpine), where the other package has no
 * binary. They exclude the locks of `loadNativeLocks`, so both kinds of process can share a store.
 */
export function loadForeignFunctionLocks(): KernelLocks {
  if (process.platform !== 'linux') throw new Error('koffi locks are for Linux');
  const koffi = load('koffi') as Koffi;
  // Without a name: koffi refuses the same name twice, and a process may open several stores.
  const lock = koffi.struct({
    l_type: 'int16_t',
    l_whence: 'int16_t',
    l_start: 'int64_t',
    l_len: 'int64_t',
    l_pid: 'int32_t',
  });
  const fcntl = koffi.load(null).func('fcntl', 'int', ['int', 'int', koffi.pointer(lock)]);
  const range = (type: number, byte: number, count: number) => ({
    l_type: type,
    l_whence: 0,
    l_start: byte,
    l_len: count,
    l_pid: 0,
  });
  const failed = (operation: string): Error =>
    Object.assign(new Error(`fcntl ${operation} failed with errno ${koffi.errno()}`), { code: 'EIO' });

  return {
    ...findHoldersIn(),
    lockUnit: () => 'range',
    tryLock: (fd, byte, count = 1) => {
      if (fcntl(fd, F_OFD_SETLK, range(F_WRLCK, byte, count)) === 0) return true;
      const { EAGAIN, EACCES } = koffi.os.errno;
      if (koffi.errno() === EAGAIN || koffi.errno() === EACCES) return false;
      throw failed('lock');
    },
    waitForLock: (fd, byte) =>
      new Promise((resolve, reject) => {
        fcntl.async(fd, F_OFD_SETLKW, range(F_WRLCK, byte, 1), (error: unknown, result: number) =>
          error || result !== 0 ? reject(error ?? failed('wait')) : resolve(),
        );
      }),
    unlock: (fd, byte, count = 1) => {
      if (fcntl(fd, F_OFD_SETLK, range(F_UNLCK, byte, count)) !== 0) throw failed('unlock');
    },
  };
}

/**
 * Locks inside one process only, for systems where neither binding loads. A store opened with them refuses
 * every other process (`singleProcess`), because between processes they exclude nothing.
 */
export function createProcessLocks(): KernelLocks {
  const table = new LockTable<number>();
  const fileOf = (fd: number): string => {
    const { dev, ino } = fstatSync(fd, { bigint: true });
    return `${dev}-${ino}`;
  };
  return {
    lockUnit: () => 'range',
    tryLock: (fd, byte, count = 1) => table.tryLock(fileOf(fd), byte, count, fd),
    waitForLock: async (fd, byte) => table.waitForLock(fileOf(fd), byte, fd),
    unlock: (fd, byte, count = 1) => table.unlock(fileOf(fd), byte, count, fd),
    showsHolder: () => true,
    holdersOf: async (places) =>
      places.map(({ fd, byte }) => (table.isLocked(fileOf(fd), byte) ? process.pid : undefined)),
    closing: (fd) => table.releaseAll(fd),
  };
}

/** Locks that are loaded when the first one is taken: a process that only reads takes none. */
export function createLazyLocks(load: () => KernelLocks): KernelLocks {
  let loaded: KernelLocks | undefined;
  const locks = (): KernelLocks => {
    loaded ??= load();
    return loaded;
  };
  return {
    lockUnit: () => locks().lockUnit(),
    tryLock: (fd, byte, count) => locks().tryLock(fd, byte, count),
    waitForLock: (fd, byte) => locks().waitForLock(fd, byte),
    unlock: (fd, byte, count) => locks().unlock(fd, byte, count),
    showsHolder: (fd) => locks().showsHolder(fd),
    holdersOf: (places) => locks().holdersOf(places),
    closing: (fd) => loaded?.closing?.(fd),
  };
}

export interface LoadedLocks {
  readonly locks: KernelLocks;
  /** Whether the locks bind this process alone, so that a second process must be kept out. */
  readonly singleProcess: boolean;
}

type LockLoader = () => KernelLocks;

interface LoadLocksOptions {
  readonly loaders?: readonly LockLoader[];
  /** Default true. */
  readonly allowSingleProcess?: boolean;
  /** A folder in which a binding has to show that it locks; it is believed when there is none. */
  readonly probeIn?: string;
}

/**
 * The first of the bindings that loads and locks.
 * @throws IOError LOCKS_UNAVAILABLE when none does and `allowSingleProcess` is false
 */
export function loadKernelLocks({
  loaders = [loadNativeLocks, loadForeignFunctionLocks],
  allowSingleProcess = true,
  probeIn,
}: LoadLocksOptions = {}): LoadedLocks {
  const causes: unknown[] = [];
  for (const loader of loaders) {
    let locks: KernelLocks;
    try {
      locks = loader();
    } catch (cause) {
      causes.push(cause);
      continue;
    }
    const fault = probeIn === undefined ? undefined : findFault(locks, probeIn);
    if (fault === undefined) return { locks, singleProcess: false };
    causes.push(fault);
  }
  if (allowSingleProcess) return { locks: createProcessLocks(), singleProcess: true };
  throw new IOError(
    'LOCKS_UNAVAILABLE',
    'No binding to the kernel’s file locks loads on this system. Install koffi, or allow a single process.',
    { cause: new AggregateError(causes) },
  );
}

/**
 * A binding may load on a system, or for a file system, that does not know its locks. A folder that takes no file is
 * no fault of the locks: one process must never believe that it is alone because a disk is full.
 * @throws what the system refuses the file with
 */
function findFault(locks: KernelLocks, folder: string): unknown {
  const { O_RDWR, O_CREAT, O_EXCL } = constants;
  const path = join(folder, `.probe-locks-${randomName()}.tmp`);
  const one = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600);
  const openings = [one];
  try {
    // Whatever the umask.
    fchmodSync(one, 0o600);
    const two = openSync(path, O_RDWR);
    openings.push(two);
    return faultOf(locks, one, two);
  } finally {
    for (const fd of openings) closeSync(fd);
    unlinkSync(path);
  }
}

function faultOf(locks: KernelLocks, one: number, two: number): unknown {
  try {
    const isExclusive = locks.tryLock(one, 0) && !locks.tryLock(two, 0);
    locks.unlock(one, 0);
    if (!isExclusive || !locks.tryLock(two, 0)) return new Error('These locks do not exclude each other.');
    locks.unlock(two, 0);
    return undefined;
  } catch (cause) {
    return cause;
  }
}
