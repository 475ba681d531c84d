import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ArchivedMessage, IOError, type KernelLocks, loadKernelLocks } from 'longhand';
import { makePrivateFolder } from '../private-folder.ts';
import { type ConversationListener, codeOf } from './conversation-event.ts';
import { clearDamaged, type LineOwner, readOtherSpools, setAside } from './other-spools.ts';
import {
  newOwner,
  type Orphan,
  openOrphan,
  ownerIn,
  renderLine,
  SPOOL_EXTENSION,
  type SpooledMessage,
  SpoolFile,
  syncDirectory,
} from './spool-file.ts';
import { isSameSession, type SpooledSession } from './spooled-session.ts';

/**
 * The messages that are not in the transcript yet.
 *
 * A turn must not cost a write to the store, and an acknowledged message must not be lost. So each message is appended
 * to a local file before it is acknowledged, and leaves it when the store has it. Every process has a file of its own.
 * Opening a spool takes over the files of processes that are gone: their messages are written to the new file first,
 * and then the old one is removed, so a crash in between leaves a message twice, never not at all. Twice does no harm:
 * the id of a message is what the transcript knows it by, and it keeps each once. A message is kept with the identity
 * of its session, and is never given out for another session of the same id.
 *
 * What is archived is dead weight in the file. When all of it is, the file is emptied; when most of it is, what is left
 * is written to a new file.
 */
interface SpoolOptions {
  /** Made when it is not there. On this machine: not on a network. */
  readonly directory: string;
  /** `buffered` (default) survives every crash of the process; the others a power cut too, at the price of a sync. */
  readonly durability?: 'buffered' | 'group' | 'strict';
  readonly onEvent?: ConversationListener;
}

interface Entry {
  readonly message: ArchivedMessage;
  readonly line: string;
}

interface Group {
  readonly session: SpooledSession;
  readonly entries: Map<string, Entry>;
}

/** Messages of one session, oldest first. */
export interface Waiting {
  readonly session: SpooledSession;
  readonly messages: readonly ArchivedMessage[];
}

/** How long a message may wait for its sync when the durability is `buffered`. */
const SYNC_INTERVAL_MS = 1_000;
/** Below this a new file is not worth the trouble. In characters. */
const SMALLEST_COMPACTION = 65_536;

export class Spool {
  readonly #options: SpoolOptions;
  readonly #locks: KernelLocks;
  /** By the id; there is more than one group while an earlier session of the id has not been seen to be gone. */
  readonly #sessions = new Map<string, Group[]>();
  /** Names this process in its files, and no process after it. */
  readonly owner = newOwner();
  readonly #goneOwners = new Set<string>();
  #file: SpoolFile;
  #live = 0;
  #dead = 0;
  #syncing: Promise<void> | undefined;
  #syncTimer: NodeJS.Timeout | undefined;
  #isClosed = false;

  private constructor(options: SpoolOptions, locks: KernelLocks) {
    this.#options = options;
    this.#locks = locks;
    this.#file = SpoolFile.create(options.directory, locks, this.owner);
  }

  /** Takes over what other processes have left behind. */
  static open(options: SpoolOptions): Spool {
    makePrivateFolder(options.directory);
    const { locks } = loadKernelLocks();
    const spool = new Spool(options, locks);
    spool.takeOver();
    return spool;
  }

  /**
   * Keeps messages until they are archived; one that is kept already is not kept twice. When it is done they survive
   * the end of this process. @throws IOError STORAGE_FULL, IO_FAILED, STORE_CLOSED: then nothing is acknowledged
   */
  async append(session: SpooledSession, messages: readonly ArchivedMessage[]): Promise<void> {
    if (this.#isClosed) throw new IOError('STORE_CLOSED', 'The spool is closed.');
    const known = this.#groupOf(session)?.entries;
    const fresh = new Map<string, Entry>();
    for (const message of messages) {
      if (known?.has(message.id) || fresh.has(message.id)) continue;
      fresh.set(message.id, { message, line: renderLine({ session, message }) });
    }
    if (fresh.size === 0) return;
    try {
      if (this.#file.isBroken) this.#rotate();
      this.#file.append([...fresh.values()].map(({ line }) => line).join(''));
    } catch (cause) {
      throw refused(cause, this.#options.directory);
    }
    this.#remember(session, fresh);
    if ((this.#options.durability ?? 'buffered') === 'buffered') this.#syncLater();
    else await this.#syncTogether();
  }

  /** Oldest first. */
  unarchived(session: SpooledSession): readonly ArchivedMessage[] {
    return [...(this.#groupOf(session)?.entries.values() ?? [])].map(({ message }) => message);
  }

  /** All that waits, or what waits under the id of a session, for each session that has or had the id. */
  waiting(sessionId?: string): readonly Waiting[] {
    const groups = sessionId === undefined ? this.#groups() : (this.#sessions.get(sessionId) ?? []);
    return groups.map(({ session }) => ({ session, messages: this.unarchived(session) }));
  }

  /** What other processes hold that live. @throws IOError IO_FAILED */
  others(): readonly SpooledMessage[] {
    return readOtherSpools(this.#options.directory, this.#file.path);
  }

  count(sessionId: string): number {
    return (this.#sessions.get(sessionId) ?? []).reduce((sum, { entries }) => sum + entries.size, 0);
  }

  /** The processes that have ended and whose files were taken over. */
  get goneOwners(): readonly string[] {
    return [...this.#goneOwners];
  }

  get directory(): string {
    return this.#options.directory;
  }

  /** Those with messages that are not archived. */
  get sessionIds(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  /** Drops messages that the transcript has. */
  settle(session: SpooledSession, ids: Iterable<string>): void {
    const group = this.#groupOf(session);
    if (group === undefined) return;
    const { entries } = group;
    for (const id of ids) {
      const entry = entries.get(id);
      if (entry === undefined) continue;
      entries.delete(id);
      this.#live -= entry.line.length;
      this.#dead += entry.line.length;
    }
    if (entries.size === 0) {
      const others = this.#sessions.get(session.id)!.filter((other) => other !== group);
      if (others.length === 0) this.#sessions.delete(session.id);
      else this.#sessions.set(session.id, others);
    }
    if (this.#sessions.size === 0 || (this.#dead > SMALLEST_COMPACTION && this.#dead > this.#live)) {
      this.compact();
    }
  }

  /** Drops all messages of a session that is deleted, in the file too. */
  drop(sessionId: string): void {
    for (const { session, entries } of [...(this.#sessions.get(sessionId) ?? [])]) {
      this.settle(session, [...entries.keys()]);
    }
    this.compact();
  }

  /** Takes lines out of the files of damaged lines that were set aside. */
  clearDamaged(isMeant: (owner: LineOwner) => boolean): void {
    clearDamaged(this.#options.directory, isMeant);
  }

  /** Leaves nothing in the file that is not waiting to be archived. */
  compact(): void {
    if (this.#dead === 0 || this.#isClosed) return;
    try {
      if (this.#sessions.size === 0 && !this.#file.isBroken) {
        this.#file.empty();
        this.#dead = 0;
      } else {
        this.#rotate();
      }
    } catch (error) {
      // The file is larger than it need be, and nothing is lost: the next time will do.
      this.#options.onEvent?.({ kind: 'spool-compaction-failed', code: codeOf(error) });
    }
  }

  /** What is not archived stays in the file, for the next start. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.compact();
    this.#isClosed = true;
    clearTimeout(this.#syncTimer);
    await this.#syncing;
    if (this.#sessions.size === 0) {
      this.#file.remove();
      return;
    }
    this.#file.syncNow();
    this.#file.close();
  }

  #groups(): readonly Group[] {
    return [...this.#sessions.values()].flat();
  }

  #groupOf(session: SpooledSession): Group | undefined {
    return this.#sessions.get(session.id)?.find((group) => isSameSession(group.session, session));
  }

  #remember(session: SpooledSession, fresh: ReadonlyMap<string, Entry>): void {
    const known = this.#groupOf(session);
    const { entries } = known ?? { entries: new Map<string, Entry>() };
    if (known === undefined) {
      this.#sessions.set(session.id, [...(this.#sessions.get(session.id) ?? []), { session, entries }]);
    }
    for (const [id, entry] of fresh) {
      const before = entries.get(id);
      if (before !== undefined) this.#dead += before.line.length;
      else this.#live += entry.line.length;
      entries.set(id, entry);
    }
  }

  #rotate(): void {
    const { directory } = this.#options;
    const next = SpoolFile.create(directory, this.#locks, this.owner);
    try {
      for (const { entries } of this.#groups()) {
        next.append([...entries.values()].map(({ line }) => line).join(''));
      }
      next.syncNow();
      syncDirectory(directory);
    } catch (error) {
      next.remove();
      throw error;
    }
    const old = this.#file;
    this.#file = next;
    this.#dead = 0;
    // A sync of the old one may be under way, and its descriptor must outlive it.
    if (this.#syncing === undefined) old.remove();
    else void this.#syncing.catch(() => undefined).then(() => old.remove());
  }

  #syncLater(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      if (this.#isClosed) return;
      this.#syncTogether().catch((error: unknown) => {
        this.#options.onEvent?.({ kind: 'spool-sync-failed', code: codeOf(error) });
      });
    }, SYNC_INTERVAL_MS).unref();
  }

  /** Callers that come while a sync is under way all wait for the same next one. */
  async #syncTogether(): Promise<void> {
    await this.#syncing;
    this.#syncing ??= this.#file
      .sync()
      .catch((cause: unknown) => {
        throw refused(cause, this.#options.directory);
      })
      .finally(() => {
        this.#syncing = undefined;
      });
    await this.#syncing;
  }

  /** Takes over the files of processes that have ended. @throws the error of the system */
  takeOver(): void {
    const { directory, onEvent } = this.#options;
    const orphans: Orphan[] = [];
    for (const name of readdirSync(directory).sort()) {
      const path = join(directory, name);
      if (!name.endsWith(SPOOL_EXTENSION) || path === this.#file.path) continue;
      const orphan = openOrphan(path, this.#locks);
      if (orphan !== undefined) orphans.push(orphan);
    }
    const found = orphans.flatMap(({ messages }) => messages);
    const fresh = found.filter(({ session, message }) => !this.#groupOf(session)?.entries.has(message.id));
    try {
      if (fresh.length > 0) {
        if (this.#file.isBroken) this.#rotate();
        this.#file.append(fresh.map(renderLine).join(''));
        this.#file.syncNow();
        syncDirectory(directory);
      }
    } catch (error) {
      // They stay where they are, for the next process that takes over.
      for (const { close } of orphans) close();
      throw error;
    }
    for (const { session, message } of fresh) {
      this.#remember(session, new Map([[message.id, { message, line: renderLine({ session, message }) }]]));
    }
    if (fresh.length > 0) onEvent?.({ kind: 'spool-recovered', messages: fresh.length });
    for (const orphan of orphans) this.#lay(orphan);
  }

  /** Its messages are safe: it can go. What cannot be read is kept for a person to look at. */
  #lay({ path, damagedLines, close }: Orphan): void {
    if (damagedLines.length > 0) {
      const file = setAside(path, damagedLines);
      this.#options.onEvent?.({ kind: 'spool-damaged', file, lines: damagedLines.length });
    }
    rmSync(path, { force: true });
    this.#goneOwners.add(ownerIn(path));
    close();
  }
}

function refused(cause: unknown, directory: string): IOError {
  const code = codeOf(cause);
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? new IOError('STORAGE_FULL', `There is no room left for messages in ${directory}. Free some.`, { cause })
    : new IOError('IO_FAILED', `Messages cannot be written to ${directory} (${code}).`, { cause });
}
