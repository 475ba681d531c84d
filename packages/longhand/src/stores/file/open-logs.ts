import { type LogAddress, logKey } from '../../core/store.ts';
import type { FileLog } from './log.ts';
import type { LogWriter } from './log-writer.ts';

export interface OpenLog {
  readonly log: FileLog;
  readonly writer: LogWriter;
}

/** Open logs cost two descriptors each; the ones used longest ago are closed beyond this. */
const MAX_OPEN_LOGS = 128;

/** The logs that this process has open, each once, the most recently used last. */
export class OpenLogs {
  readonly #logs = new Map<string, OpenLog>();
  readonly #open: (address: LogAddress) => OpenLog;
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
      this.#closeLongestUnused();
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

  #closeLongestUnused(): void {
    for (const [key, { log, writer }] of this.#logs) {
      if (this.#logs.size < MAX_OPEN_LOGS) return;
      // Its turn is never passed on: no caller can reach it any more.
      if (!writer.isIdle || !log.tryTurn()) continue;
      this.#logs.delete(key);
      log.close();
    }
  }
}

function isSame(one: LogAddress, other: LogAddress): boolean {
  if (one.id !== other.id || one.kind !== other.kind) return false;
  return one.kind !== 'notes' || other.kind !== 'notes' || one.userId === other.userId;
}

async function closeLog({ log, writer }: OpenLog): Promise<void> {
  await writer.close();
  // Whatever else holds the log (a rewrite, a document) comes to its end first.
  await log.takeTurn();
  log.close();
}
