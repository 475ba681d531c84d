import { type FileSystem, O_CREAT } from '../../src/stores/file/file-system.ts';

/** When the process dies, seen from one call: before it, after it, or with half of a write done. */
export const MOMENTS = ['before', 'half', 'after'] as const;
export type Moment = (typeof MOMENTS)[number];

export interface KillSwitch {
  readonly fileSystem: FileSystem;
  /** The calls that changed something, so far, by name. */
  readonly calls: readonly string[];
}

/**
 * Counts the calls that change something on the disk, and kills this very process at one of them.
 * @param killAt counts from 1; 0 never kills
 */
export function createKillSwitch(inner: FileSystem, killAt: number, moment: Moment): KillSwitch {
  const calls: string[] = [];
  const die = (): never => {
    process.kill(process.pid, 'SIGKILL');
    for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
  const around = <Result>(name: string, call: () => Result, half?: () => void): Result => {
    if (calls.push(name) !== killAt) return call();
    if (moment === 'half') half?.();
    try {
      return moment === 'after' ? call() : die();
    } finally {
      // Also after a call that fails, because the folder is there already.
      die();
    }
  };
  const aroundAsync = async (name: string, call: () => Promise<void>): Promise<void> => {
    if (calls.push(name) !== killAt) return call();
    try {
      if (moment === 'after') await call();
    } finally {
      die();
    }
  };
  const fileSystem: FileSystem = {
    ...inner,
    open: (path, flags, mode) =>
      (flags & O_CREAT) === 0
        ? inner.open(path, flags, mode)
        : around('open', () => inner.open(path, flags, mode)),
    write: (fd, data, position) =>
      around(
        'write',
        () => inner.write(fd, data, position),
        () => inner.write(fd, data.subarray(0, data.length >> 1), position),
      ),
    truncate: (fd, size) => around('truncate', () => inner.truncate(fd, size)),
    setMode: (fd, mode) => around('setMode', () => inner.setMode(fd, mode)),
    sync: (fd) => aroundAsync('sync', () => inner.sync(fd)),
    syncDirectory: (path) => aroundAsync('syncDirectory', () => inner.syncDirectory(path)),
    rename: (from, to) => around('rename', () => inner.rename(from, to)),
    unlink: (path) => around('unlink', () => inner.unlink(path)),
    makeDirectory: (path, mode) => around('makeDirectory', () => inner.makeDirectory(path, mode)),
    removeDirectory: (path) => around('removeDirectory', () => inner.removeDirectory(path)),
  };
  return { fileSystem, calls };
}
