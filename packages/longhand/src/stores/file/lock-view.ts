import { join } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { systemErrorCode } from '../../core/errors.ts';
import type { FileSystem } from './file-system.ts';
import { O_CREAT, O_RDONLY, O_TRUNC, O_WRONLY, openPrivate } from './file-system.ts';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.ts';
import { removeIfThere, removeQuietly, TEMPORARY_ENDING } from './sidecar-files.ts';

/**
 * What people see of a lock. `lock` is a JSON file that stands there during long holds. Where the kernel does not tell
 * who holds a lock (`lock-holders.ts`), the anchor itself names the last holder, overwritten in place, which costs one
 * small write and covers short holds. Neither decides anything. Changed only while holding the kernel's lock.
 *
 * A name in the anchor may be stale: where the kernel tells, no process overwrites what an earlier version or another
 * system left there. So it counts only while that very process lives, and tells who held the lock last, not who holds it.
 */

export const LOCK_VIEW = 'lock';
/** The holder's line starts behind the two bytes that are locked. */
const HOLDER_OFFSET = 2;
const HOLDER_BYTES = 256;
const VIEW_BYTES_MAX = 4096;

export type Operation = 'append' | 'rewrite' | 'remove' | 'recover';

/** The fields that the requirement names, and three that survive pid reuse. */
interface Holder {
  readonly pid: number;
  readonly timestamp: string;
  readonly operation: Operation;
  readonly expires_at: string;
  readonly host: string;
  readonly boot_id: string;
  readonly start_ticks: number;
}

/** Who is in the way, as far as it can be known. */
export interface HolderDescription {
  /** In words, for a message. */
  readonly words: string;
  /** Whether they name the process that has the lock: the message asks to stop no other process. */
  readonly isHolder: boolean;
}

export class LockView {
  readonly #fileSystem: FileSystem;
  readonly #path: string;
  readonly #identity: ProcessIdentity = ownIdentity();
  readonly #holderLines = new Map<Operation, Buffer>();

  constructor(fileSystem: FileSystem, folder: string) {
    this.#fileSystem = fileSystem;
    this.#path = join(folder, LOCK_VIEW);
  }

  show(operation: Operation, clock: Clock, expectedMs: number): void {
    const now = clock.now();
    const holder: Holder = {
      pid: this.#identity.pid,
      timestamp: new Date(now).toISOString(),
      operation,
      expires_at: new Date(now + expectedMs).toISOString(),
      host: this.#identity.host,
      boot_id: this.#identity.bootId,
      start_ticks: this.#identity.startTicks,
    };
    const temporary = `${this.#path}${TEMPORARY_ENDING}`;
    const { fd } = openPrivate(this.#fileSystem, temporary, O_WRONLY | O_CREAT | O_TRUNC);
    try {
      // Whatever the umask: other users of the machine may see who holds the lock.
      this.#fileSystem.setMode(fd, 0o644);
      this.#fileSystem.write(fd, Buffer.from(`${JSON.stringify(holder)}\n`));
      this.#fileSystem.rename(temporary, this.#path);
    } catch (error) {
      removeQuietly(this.#fileSystem, temporary);
      throw error;
    } finally {
      this.#fileSystem.close(fd);
    }
  }

  hide(): void {
    removeIfThere(this.#fileSystem, this.#path);
  }

  /** Who left a `lock` behind. The kernel's lock, which the caller holds, proves that it holds no more. */
  findAbandoned(): { readonly pid: number | undefined } | undefined {
    if (this.#fileSystem.stat(this.#path) === undefined) return undefined;
    return { pid: this.#read()?.pid };
  }

  /** Names this process in the anchor; the next holder overwrites it. */
  noteHolder(anchor: number, operation: Operation): void {
    let line = this.#holderLines.get(operation);
    if (line === undefined) {
      const { pid, startTicks, bootId, host } = this.#identity;
      const text = JSON.stringify({ pid, start_ticks: startTicks, boot_id: bootId, host, operation });
      line = Buffer.from(text.padEnd(HOLDER_BYTES - 1).concat('\n'));
      this.#holderLines.set(operation, line);
    }
    this.#fileSystem.write(anchor, line, HOLDER_OFFSET);
  }

  /**
   * @param pid the holder, as the kernel tells it
   * @param firstInLine who stands in the turnstile, when no holder is to be seen
   */
  describeHolder(
    anchor: number,
    pid: number | undefined,
    firstInLine: number | undefined,
  ): HolderDescription {
    const { host } = this.#identity;
    const view = this.#read();
    const isHolders = pid === undefined || (view?.pid === pid && view.host === host);
    if (isHolders && isLiving(view)) {
      const words = `process ${view.pid} on ${view.host} holds it for ${view.operation} since ${view.timestamp}`;
      return { words, isHolder: true };
    }
    if (pid !== undefined) return { words: `process ${pid} on ${host} holds it`, isHolder: true };
    return { words: this.#describeOthers(anchor, firstInLine), isHolder: false };
  }

  /** The holder is not to be seen: who else may have to do with it. */
  #describeOthers(anchor: number, firstInLine: number | undefined): string {
    if (firstInLine !== undefined) {
      const { host } = this.#identity;
      return `process ${firstInLine} on ${host} is first in line, and no holder can be seen from here`;
    }
    const bytes = Buffer.alloc(HOLDER_BYTES);
    const length = this.#fileSystem.read(anchor, bytes, HOLDER_OFFSET);
    const last = parseHolder(bytes.toString('utf8', 0, length));
    return isLiving(last)
      ? `process ${last.pid} on ${last.host} held it last, for ${last.operation}`
      : 'its holder cannot be seen from here (it is another user’s, in another container, or just gone)';
  }

  #read(): Holder | undefined {
    try {
      const fd = this.#fileSystem.open(this.#path, O_RDONLY);
      try {
        const bytes = Buffer.alloc(VIEW_BYTES_MAX);
        return parseHolder(bytes.toString('utf8', 0, this.#fileSystem.read(fd, bytes, 0)));
      } finally {
        this.#fileSystem.close(fd);
      }
    } catch (error) {
      // Gone in the meantime, or not ours to read: there is nothing to show.
      if (systemErrorCode(error) !== undefined) return undefined;
      throw error;
    }
  }
}

/** A name that is not whole counts as none. */
function isLiving(holder: Holder | undefined): holder is Holder {
  if (typeof holder?.pid !== 'number' || typeof holder.host !== 'string') return false;
  return isAlive(identityOf(holder));
}

function identityOf(view: Holder): ProcessIdentity {
  return { pid: view.pid, host: view.host, bootId: view.boot_id, startTicks: view.start_ticks };
}

function parseHolder(text: string): Holder | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Holder) : undefined;
  } catch {
    // Half written or damaged: as good as not there.
    return undefined;
  }
}
