import { type LogAddress, logKey } from '../../core/store.ts';
import type { FileLog } from './log.ts';
import type { LogWriter } from './log-writer.ts';
import { descriptorLimit } from './spare-descriptors.ts';

export interface OpenLog {
  readonly log: FileLog;
  readonly writer: LogWriter;
}

/** Open logs cost two descriptors each; the ones used longest ago are closed beyond this. */
const MAX_OPEN_LOGS = 128;
/** As many are kept open even where descriptors are short: who works with a few sessions shall not open them each time. */
const MIN_OPEN_LOGS = 8;
/** Of the descriptors that the process may have, logs take a quarter at most. */
const DESCRIPTORS_FOR_EACH = 8;

/** The logs that this process has open, each once, the most recently used last. */
export class OpenLogs {
  readonly #logs = new Map<string, OpenLog>();
  readonly #open: (address: LogAddress) => OpenLog;
  /** Known when there are more than a few. */
  #most: number | undefined;
  #last: { readonly address: LogAddress; readonly open: OpenLog } | undefined;

  constructor(open: (address: LogAddress) => OpenLog) {
    this.#open = open;
  }

  get(address: LogAddress): OpenLog {
    // One log after the other is asked for many times in a row.
    const last = this.#last;
    if (last !== undefined && isSame(last.address, address)) return last.open;
    const open = this.#find(address);
    this.#last = { address, open };
    return open;
  }

  #find(address: LogAddress): OpenLog {
    const key = logKey(address);
    const present = this.#logs.get(key);
    if (present === undefined) {
      const opened = this.#open(address);
      // Before it is in: the caller is about to use it.
      if (this.#logs.size >= MIN_OPEN_LOGS) this.#closeLongestUnused(this.#limit() - 1);
      this.#logs.set(key, opened);
      return opened;
    }
    this.#logs.delete(key);
    this.#logs.set(key, present);
    return present;
  }

  peek(address: LogAddress): OpenLog | undefined {
    return this.#logs.get(logKey(address));
  }

  async close(address: LogAddress): Promise<void> {
    const open = this.peek(address);
    this.#last = undefined;
    this.#logs.delete(logKey(address));
    if (open !== undefined) await closeLog(open);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#logs.values()].map(closeLog));
    this.#last = undefined;
    this.#logs.clear();
  }

  /**
   * When the process has no descriptor left: closes half of the logs, and keeps fewer open from now on. Whether one
   * could be closed.
   */
  makeRoom(): boolean {
    const before = this.#logs.size;
    const half = Math.floor(before / 2);
    this.#most = Math.max(MIN_OPEN_LOGS, Math.min(this.#limit(), half));
    this.#closeLongestUnused(half);
    return this.#logs.size < before;
  }

  #limit(): number {
    if (this.#most === undefined) {
      const most = Math.floor(descriptorLimit() / DESCRIPTORS_FOR_EACH);
      this.#most = Math.min(MAX_OPEN_LOGS, Math.max(MIN_OPEN_LOGS, most));
    }
    return this.#most;
  }

  #closeLongestUnused(kept: number): void {
    let toSync = this.#logs.size - kept;
    for (const [key, open] of this.#logs) {
      if (this.#logs.size <= kept) return;
      const { log, writer } = open;
      // Once that is on the disk, it can be closed the next time.
      if (log.syncer.isUnsynced && toSync-- > 0) log.syncer.syncSoon();
      // The one that was asked for last may be at work, which is what needs room. And a turn that is taken here is
      // never passed on: nobody can reach the log any more.
      if (open === this.#last?.open || log.isOpening || !writer.isIdle || !log.tryTurn()) continue;
      this.#logs.delete(key);
      log.close();
    }
  }
}

function isSame(one: LogAddress, other: LogAddress): boolean {
  return one.id === other.id && one.kind === other.kind && one.userId === other.userId;
}

async function closeLog({ log, writer }: OpenLog): Promise<void> {
  await writer.close();
  // Whatever else holds the log (a rewrite, a document) comes to its end first.
  await log.takeTurn();
  log.close();
}
