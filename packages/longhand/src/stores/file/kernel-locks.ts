import { createRequire } from 'node:module';
import { IOError } from '../../core/errors.ts';

/**
 * Locks that the kernel holds for an open file ("open file description" locks): two openings exclude each
 * other even within one process, a killed process lets go at once, and no clock is asked. Nothing weaker
 * keeps a log whole when a process stalls; see docs/decisions/0002-kernel-locks.md.
 */
export interface KernelLocks {
  /** Takes the exclusive lock on `count` bytes (1 when left out), or says that somebody has one of them. */
  tryLock(fd: number, byte: number, count?: number): boolean;
  /** Waits for it in a thread. Cannot be called off. */
  waitForLock(fd: number, byte: number): Promise<void>;
  unlock(fd: number, byte: number, count?: number): void;
}

const load = createRequire(import.meta.url);

interface FsNativeExtensions {
  tryLock(fd: number, offset: number, length: number): boolean;
  waitForLock(fd: number, offset: number, length: number): Promise<void>;
  unlock(fd: number, offset: number, length: number): void;
}

/** Prebuilt for Linux with glibc, macOS and Windows. */
export function loadNativeLocks(): KernelLocks {
  const native = load('fs-native-extensions') as FsNativeExtensions;
  return {
    tryLock: (fd, byte, count = 1) => native.tryLock(fd, byte, count),
    waitForLock: (fd, byte) => native.waitForLock(fd, byte, 1),
    unlock: (fd, byte, count = 1) => native.unlock(fd, byte, count),
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
 * every other process (`singleProcess`), because between processes they exclude nobody.
 */
export function createProcessLocks(): KernelLocks {
  const held = new Map<string, (() => void)[]>();
  const key = (fd: number, byte: number): string => `${fd}:${byte}`;
  const keys = (fd: number, byte: number, count: number): string[] =>
    Array.from({ length: count }, (_, i) => key(fd, byte + i));
  return {
    tryLock: (fd, byte, count = 1) => {
      const wanted = keys(fd, byte, count);
      if (wanted.some((name) => held.has(name))) return false;
      for (const name of wanted) held.set(name, []);
      return true;
    },
    waitForLock: (fd, byte) => {
      const waiting = held.get(key(fd, byte));
      if (waiting === undefined) {
        held.set(key(fd, byte), []);
        return Promise.resolve();
      }
      return new Promise((resolve) => waiting.push(resolve));
    },
    unlock: (fd, byte, count = 1) => {
      for (const name of keys(fd, byte, count)) {
        const next = held.get(name)?.shift();
        if (next === undefined) held.delete(name);
        else next();
      }
    },
  };
}

/** Locks that are loaded when the first one is taken: whoever only reads takes none. */
export function createLazyLocks(load: () => KernelLocks): KernelLocks {
  let loaded: KernelLocks | undefined;
  const locks = (): KernelLocks => {
    loaded ??= load();
    return loaded;
  };
  return {
    tryLock: (fd, byte, count) => locks().tryLock(fd, byte, count),
    waitForLock: (fd, byte) => locks().waitForLock(fd, byte),
    unlock: (fd, byte, count) => locks().unlock(fd, byte, count),
  };
}

export interface LoadedLocks {
  readonly locks: KernelLocks;
  /** Whether the locks bind this process alone, so that a second process must be kept out. */
  readonly singleProcess: boolean;
}

export type LockLoader = () => KernelLocks;

/**
 * The first of the bindings that loads.
 * @throws IOError LOCKS_UNAVAILABLE when none does and `allowSingleProcess` is false
 */
export function loadKernelLocks(
  loaders: readonly LockLoader[] = [loadNativeLocks, loadForeignFunctionLocks],
  allowSingleProcess = true,
): LoadedLocks {
  const causes: unknown[] = [];
  for (const loader of loaders) {
    try {
      return { locks: loader(), singleProcess: false };
    } catch (cause) {
      causes.push(cause);
    }
  }
  if (allowSingleProcess) return { locks: createProcessLocks(), singleProcess: true };
  throw new IOError(
    'LOCKS_UNAVAILABLE',
    'No binding to the kernel’s file locks loads on this system. Install koffi, or allow a single process.',
    { cause: new AggregateError(causes) },
  );
}
