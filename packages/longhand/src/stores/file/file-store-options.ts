import { type Clock, systemClock } from '../../core/clock.ts';
import type { Emit } from '../../core/events.ts';
import type { Durability } from '../../core/store.ts';
import type { FileSystem } from './file-system.ts';
import type { LoadedLocks } from './kernel-locks.ts';
import type { LockTimes } from './lock.ts';

export interface FileStoreOptions {
  readonly root: string;
  /** Hears the facts of each event; `MemoryManager` adds their time and level. */
  readonly emit?: Emit;
  readonly clock?: Clock;
  /** Default `buffered`. */
  readonly durability?: Durability;
  /** How long written bytes may wait for their sync in `buffered`. Default 1000. */
  readonly syncIntervalMs?: number;
  /** Default 5000, 3 and 100. */
  readonly lockTimes?: LockTimes;
  /** Default true. */
  readonly checksums?: boolean;
  /** Default false: locks and appends do not hold between machines. */
  readonly allowNetworkFileSystem?: boolean;
  /** For tests: the system's own by default. */
  readonly fileSystem?: FileSystem;
  /** The kernel's locks by default; unused when a file system is given, which brings its own. */
  readonly loadLocks?: () => LoadedLocks;
}

const DEFAULT_LOCK_TIMES: LockTimes = { lockTimeoutMs: 5_000, maxRetries: 3, retryBackoffMs: 100 };

/** What every log of a store is opened with. */
export type LogSettings = Required<
  Pick<FileStoreOptions, 'emit' | 'clock' | 'durability' | 'syncIntervalMs' | 'lockTimes' | 'checksums'>
>;

export function settingsOf(options: FileStoreOptions): LogSettings {
  return {
    emit: options.emit ?? (() => undefined),
    clock: options.clock ?? systemClock,
    durability: options.durability ?? 'buffered',
    syncIntervalMs: options.syncIntervalMs ?? 1_000,
    lockTimes: options.lockTimes ?? DEFAULT_LOCK_TIMES,
    checksums: options.checksums ?? true,
  };
}
