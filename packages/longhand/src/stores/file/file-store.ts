import { join, relative, resolve } from 'node:path';
import { IOError, NotFoundError } from '../../core/errors.ts';
import { encodeLine, type LogLine } from '../../core/line.ts';
import {
  type Appended,
  type AppendOptions,
  type ByteChunks,
  type ChangeMark,
  type Decide,
  type DecideRewrite,
  type DocumentOptions,
  type IndexFiles,
  type LifeOptions,
  type LinePlace,
  type LogAddress,
  type LogPosition,
  type LogSize,
  type LogSlice,
  type LogStore,
  type LookOptions,
  type OpenBlob,
  type QuarantinedLine,
  type ReadOptions,
  type RemoveOptions,
  type Rewritten,
  type StoredBytes,
  sessionFull,
  type UserChanges,
  type VectorFiles,
} from '../../core/store.ts';
import { BesideLogs, sharesFolder } from './beside-logs.ts';
import { Blobs } from './blobs.ts';
import type { ChangeFile } from './change-file.ts';
import { ChangeFiles } from './change-files.ts';
import { isClosedLogCurrent, readClosedLine } from './closed-log.ts';
import { Documents } from './documents.ts';
import { guarded, guardedAsync, toLonghandError } from './failures.ts';
import { type FileStoreOptions, type LogSettings, settingsOf } from './file-store-options.ts';
import { createNodeFileSystem, type FileSystem } from './file-system.ts';
import { FileIndexFiles, FileVectorFiles } from './index-files.ts';
import { createLazyLocks, type KernelLocks, type LoadedLocks, loadKernelLocks } from './kernel-locks.ts';
import { FileLog } from './log.ts';
import { type FolderAddress, LogFolders } from './log-folders.ts';
import { LogPaths } from './log-paths.ts';
import { LogWriter } from './log-writer.ts';
import { type OpenLog, OpenLogs } from './open-logs.ts';
import { PARTS_OF_A_STORE } from './others-folder.ts';
import { CONFIG_FILE } from './root-config.ts';
import { RootDocuments } from './root-documents.ts';
import { claimForOneProcess } from './single-process.ts';
import { prepareRoot, ROOT, type StorageRoot } from './storage-root.ts';
import { tightenOne } from './tighten.ts';
import { measure, walk } from './walk.ts';
import { onPlatform } from './windows.ts';

/** To look at so many files takes some 10 ms of each scrape of the metrics. */
const MANY_FILES = 2_000;
const MEASURED_FOR_MS = 30_000;

/**
 * Logs as folders of plain files:
 *
 *     sessions/{session_id}/memory.jsonl     the log, and beside it what is made from it, transcript and details
 *     agents/{agent_id}/memory.jsonl
 *     users/{user_id}/notes/                 notes as Markdown, and their versions
 *     users/{user_id}/changes                which of the user's sessions have news
 *     indices/                               readable lists of all sessions, made from their logs
 *
 * The byte-level format is docs/file-format.md. What each part does: `log-folders.ts` makes and removes logs,
 * `log.ts` holds one, `log-writer.ts` appends to it, `rewrite.ts` and `rescue.ts` write it anew.
 */
export class FileStore implements LogStore {
  readonly name = 'file';
  readonly root: string;
  readonly #settings: LogSettings;
  readonly #fileSystem: FileSystem;
  readonly #storageRoot: StorageRoot;
  readonly #paths: LogPaths;
  readonly #folders: LogFolders;
  readonly #beside: BesideLogs;
  readonly #blobs: Blobs;
  readonly #documents: Documents;
  readonly #rootDocuments: RootDocuments;
  readonly #logs: OpenLogs;
  readonly #changes: ChangeFiles;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Counts all that may take something away: its beginnings and its ends. */
  #works = 0;
  #measured: { readonly bytes: number; readonly works: number; readonly untilMs: number } | undefined;
  #giveUpClaim: () => void = () => undefined;
  #isClosed = false;
  #closing: Promise<void> | undefined;

  /** @throws IOError STORAGE_ROOT_UNUSABLE */
  constructor(options: FileStoreOptions) {
    this.root = resolve(options.root);
    const loadLocks = options.loadLocks ?? (() => loadKernelLocks({ probeIn: this.root }));
    const fileSystem = options.fileSystem ?? openSystem(createLazyLocks(() => this.#claim(loadLocks())));
    this.#fileSystem = fileSystem;
    this.#settings = settingsOf(options);
    const { clock, emit } = this.#settings;
    this.#storageRoot = prepareRoot(fileSystem, this.root, {
      allowNetworkFileSystem: options.allowNetworkFileSystem ?? false,
    });
    for (const name of ['', 'sessions', 'agents', 'users', 'indices', 'privacy', CONFIG_FILE]) {
      guarded(ROOT, 'open', () => tightenOne(fileSystem, join(this.root, name), emit));
    }
    this.#paths = new LogPaths(this.root);
    this.#folders = new LogFolders({ fileSystem, paths: this.#paths, clock, emit });
    const listSessions = (): readonly string[] => this.#folders.list('session');
    const hasSession = (id: string): boolean => this.#folders.has({ kind: 'session', id });
    const paths = this.#paths;
    this.#changes = new ChangeFiles({ fileSystem, paths, clock, emit, listSessions, hasSession });
    this.#beside = new BesideLogs(fileSystem, this.#paths);
    this.#blobs = new Blobs(fileSystem, this.#paths);
    this.#documents = new Documents(fileSystem, this.#paths, (log) => this.#open(log).log);
    this.#rootDocuments = new RootDocuments(fileSystem, this.root);
    this.#logs = new OpenLogs((address) => this.#openLog(address));
    guarded(ROOT, 'sweep', () => this.#folders.sweep());
    guarded(ROOT, 'name the sessions in', () => this.#changes.makeAgainIfLost());
  }

  create(log: LogAddress, bodies: readonly string[], options: AppendOptions = {}): Promise<Appended> {
    return this.#whileOpen(async () => {
      const { maxBytes, userId, tombstones = [] } = options;
      const text = bodies.map((body, i) => encodeLine(body, i + 1, this.#settings.checksums)).join('');
      const bytes = Buffer.from(text);
      if (maxBytes !== undefined && bytes.length > maxBytes) {
        throw sessionFull(log, { log: 0, index: 0, tombstones: 0, total: 0 }, bytes.length, maxBytes);
      }
      await guardedAsync(ROOT, 'create', () => this.#storageRoot.bringToDisk());
      if (sharesFolder(log)) {
        await this.#beside.create(log, bytes, options.life);
        return { firstSeq: 1, lastSeq: bodies.length, sizeBytes: bytes.length };
      }
      await this.#folders.create(log as FolderAddress, bytes, tombstones, async () => {
        // Noted first: a session that is named but not there is nothing, one that is there must be named.
        if (userId !== undefined) await this.#changes.of(userId).noteOnDisk(log.id);
      });
      // And again: whoever took removed sessions out in between did not see this one yet.
      if (userId !== undefined) await this.#changes.noteQuietly(log, userId);
      const tombstoneBytes = tombstones.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      return { firstSeq: 1, lastSeq: bodies.length, sizeBytes: bytes.length + tombstoneBytes };
    });
  }

  /** The path of every write: no promise more than it needs. */
  append(log: LogAddress, bodies: readonly string[], options: AppendOptions = {}): Promise<Appended> {
    try {
      return this.#open(log).writer.append(bodies, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async transact(
    log: LogAddress,
    after: LogPosition | undefined,
    decide: Decide,
    options: AppendOptions = {},
  ): Promise<Appended> {
    return this.#open(log).writer.transact(after, decide, options);
  }

  async read(log: LogAddress, after?: LogPosition, options: ReadOptions = {}): Promise<LogSlice> {
    return this.#open(log).log.read(after, options);
  }

  isCurrent(log: LogAddress, position: LogPosition, { mayLag = false }: LookOptions = {}): boolean {
    this.#refuseWhenClosed();
    const open = this.#logs.peek(log);
    if (open !== undefined) return open.log.isCurrent(position, mayLag);
    const context = { fileSystem: this.#fileSystem, clock: this.#settings.clock };
    return guarded(log, 'look at', () => isClosedLogCurrent(context, this.#paths.fileOf(log), position));
  }

  async readLine(log: LogAddress, place: LinePlace, position: LogPosition): Promise<LogLine | undefined> {
    this.#refuseWhenClosed();
    const open = this.#logs.peek(log);
    if (open !== undefined) return open.log.readLine(place, position);
    return guarded(log, 'read', () =>
      readClosedLine(this.#fileSystem, this.#paths.fileOf(log), place, position),
    );
  }

  async linesWith(log: LogAddress, text: string): Promise<readonly LogLine[]> {
    return this.#open(log).log.linesWith(text);
  }

  rewrite(log: LogAddress, decide: DecideRewrite, { life }: LifeOptions = {}): Promise<Rewritten> {
    return this.#whileOpen(() => this.#open(log).log.rewrite(decide, life));
  }

  async quarantined(log: LogAddress): Promise<readonly QuarantinedLine[]> {
    return this.#open(log).log.quarantined();
  }

  remove(log: LogAddress, options: RemoveOptions = {}): Promise<boolean> {
    return this.#whileOpen(async () => {
      const dropName = async (): Promise<void> => {
        if (options.userId !== undefined) await this.#changes.drop(options.userId);
      };
      if (!guarded(log, 'remove', () => this.#folders.has(log))) {
        // Whoever removed it may have failed, or been killed, before its name was gone.
        await dropName();
        return false;
      }
      let hidden: string | undefined;
      try {
        const open = this.#open(log).log;
        hidden = await open.whileHolding('remove', () => this.#takeAway(log), options.life);
      } catch (error) {
        const failure = toLonghandError(error, log, 'remove');
        // Another process was faster.
        if (failure instanceof NotFoundError) return false;
        throw failure;
      }
      await this.#logs.close(log);
      if (log.kind === 'session') {
        for (const kind of ['transcript', 'details'] as const) await this.#logs.close({ kind, id: log.id });
      }
      if (hidden !== undefined) await this.#folders.discard(hidden);
      await dropName();
      return true;
    });
  }

  /** The folder that it is in until its files are gone, when the log is a folder. */
  async #takeAway(log: LogAddress): Promise<string | undefined> {
    if (!sharesFolder(log)) return this.#folders.hide(log as FolderAddress);
    await this.#beside.remove(log);
    return undefined;
  }

  async list(kind: 'session' | 'agent'): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'list', () => this.#folders.list(kind));
  }

  async listWithoutLog(kind: 'session' | 'agent'): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'list', () => this.#folders.listWithoutLog(kind));
  }

  async listUsers(): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'list', () => this.#beside.listUsers());
  }

  removeUser(userId: string): Promise<boolean> {
    return this.#doing(ROOT, 'remove a user from', async () => {
      this.#changes.close(userId);
      return this.#folders.removeUser(userId);
    });
  }

  async listNotes(userId: string): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'list', () => this.#beside.listNotes(userId));
  }

  async listOfUser(userId: string): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'read the change file at', () => {
      const ids = this.#changes.of(userId).sessionIds();
      return ids.filter((id) => this.#folders.has({ kind: 'session', id }));
    });
  }

  async adoptSessions(
    userId: string,
    onProgress?: (done: number, total: number) => void,
  ): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guardedAsync(ROOT, 'name the sessions in', () => this.#changes.takeIn(userId, onProgress));
  }

  changesOfUser(userId: string, since?: ChangeMark): UserChanges {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'read the change file at', () => this.#changes.of(userId).changesSince(since));
  }

  indexFiles(userId: string): IndexFiles {
    return new FileIndexFiles(this.#fileSystem, this.#paths.userOf(userId), userId);
  }

  vectorFiles(userId: string): VectorFiles {
    return new FileVectorFiles(this.#fileSystem, this.#paths.userOf(userId), userId);
  }

  async size(log?: LogAddress): Promise<LogSize> {
    if (log !== undefined) return guarded(log, 'measure', () => this.#open(log).log.size());
    const total = await guardedAsync(ROOT, 'measure', () => this.#storedBytes());
    return { log: total, index: 0, tombstones: 0, total };
  }

  /** Looks at every file, but in a large store no more than twice a minute, unless this process took something away. */
  async #storedBytes(): Promise<number> {
    this.#refuseWhenClosed();
    const nowMs = this.#settings.clock.monotonic();
    const known = this.#measured;
    if (known?.works === this.#works && nowMs < known.untilMs) return known.bytes;
    const works = this.#works;
    const sum = { files: 0, bytes: 0 };
    for (const name of PARTS_OF_A_STORE) await measure(this.#fileSystem, join(this.root, name), sum);
    const untilMs = sum.files > MANY_FILES ? nowMs + MEASURED_FOR_MS : nowMs;
    this.#measured = { bytes: sum.bytes, works, untilMs };
    return sum.bytes;
  }

  async readDocument(owner: LogAddress | undefined, name: string): Promise<string | undefined> {
    this.#refuseWhenClosed();
    return guarded(owner ?? ROOT, `read ${name} of`, () =>
      owner === undefined ? this.#rootDocuments.read(name) : this.#documents.read(owner, name),
    );
  }

  writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string,
    { life, generation }: DocumentOptions = {},
  ): Promise<boolean> {
    const isSynced = this.#settings.durability !== 'buffered';
    return this.#doing(owner ?? ROOT, `write ${name} of`, async () => {
      if (owner !== undefined)
        return this.#documents.write(owner, name, text, { isSynced, life, generation });
      await this.#rootDocuments.write(name, text);
      return true;
    });
  }

  exchangeDocument(
    owner: LogAddress | undefined,
    name: string,
    expected: string | undefined,
    text: string,
  ): Promise<boolean> {
    return this.#doing(owner ?? ROOT, `write ${name} of`, () =>
      owner === undefined
        ? this.#rootDocuments.exchange(name, expected, text)
        : this.#documents.exchange(owner, name, expected, text),
    );
  }

  removeDocument(owner: LogAddress, name: string): Promise<boolean> {
    return this.#doing(owner, `remove ${name} of`, () => this.#documents.remove(owner, name));
  }

  writeBlob(
    sessionId: string,
    name: string,
    chunks: ByteChunks,
    { life }: LifeOptions = {},
  ): Promise<number> {
    return this.#doing(detailsOf(sessionId), 'write to', () =>
      this.#blobs.write(sessionId, name, chunks, life),
    );
  }

  async openBlob(sessionId: string, name: string): Promise<OpenBlob | undefined> {
    this.#refuseWhenClosed();
    return guarded(detailsOf(sessionId), 'read', () => this.#blobs.open(sessionId, name));
  }

  removeBlob(sessionId: string, name: string): Promise<boolean> {
    return this.#doing(detailsOf(sessionId), 'remove from', () => this.#blobs.remove(sessionId, name));
  }

  async listBlobs(sessionId: string): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    return guarded(detailsOf(sessionId), 'list', () => this.#blobs.list(sessionId));
  }

  scan(): AsyncIterable<StoredBytes> {
    this.#refuseWhenClosed();
    return this.#scan();
  }

  async *#scan(): AsyncGenerator<StoredBytes> {
    try {
      yield* walk(this.#fileSystem, this.root);
    } catch (error) {
      throw toLonghandError(error, ROOT, 'read all of');
    }
  }

  claim(name: string): Promise<(() => void) | undefined> {
    return this.#doing(ROOT, `claim ${name} of`, async () => this.#rootDocuments.claim(name));
  }

  placeOf(log: LogAddress): string {
    return relative(this.root, this.#paths.fileOf(log));
  }

  pendingWrites(log: LogAddress): number {
    return this.#logs.peek(log)?.writer.pendingRecords ?? 0;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#isClosed = true;
    await Promise.allSettled(this.#underWay);
    await this.#logs.closeAll();
    this.#changes.closeAll();
    this.#giveUpClaim();
  }

  /** Locks that bind one process only: this one must be the only one. @throws ConcurrencyError SINGLE_PROCESS_STORE */
  #claim({ locks, singleProcess }: LoadedLocks): KernelLocks {
    if (singleProcess) this.#giveUpClaim = claimForOneProcess(this.#fileSystem, this.root);
    return locks;
  }

  #open(log: LogAddress): OpenLog {
    this.#refuseWhenClosed();
    return this.#logs.get(log);
  }

  #openLog(address: LogAddress): OpenLog {
    const { clock, emit, lockTimes: times, checksums, durability, syncIntervalMs } = this.#settings;
    const fileSystem = this.#fileSystem;
    const path = this.#paths.fileOf(address);
    const log = new FileLog({ fileSystem, clock, emit, times, checksums }, address, path);
    const changesOf = (userId: string): ChangeFile => this.#changes.of(userId);
    const writer = new LogWriter(
      { fileSystem, emit, times, checksums, durability, syncIntervalMs, changesOf },
      log,
    );
    return { log, writer };
  }

  /** `close` waits for what is under way. */
  async #whileOpen<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#refuseWhenClosed();
    this.#works++;
    const result = work();
    this.#underWay.add(result);
    try {
      return await result;
    } finally {
      this.#works++;
      this.#underWay.delete(result);
    }
  }

  #doing<Result>(log: LogAddress, operation: string, work: () => Promise<Result>): Promise<Result> {
    return this.#whileOpen(() => guardedAsync(log, operation, work));
  }

  #refuseWhenClosed(): void {
    if (this.#isClosed) throw new IOError('STORE_CLOSED', 'The store is closed.');
  }
}

function openSystem(locks: KernelLocks): FileSystem {
  return onPlatform(createNodeFileSystem(locks), process.platform);
}

function detailsOf(sessionId: string): LogAddress {
  return { kind: 'details', id: sessionId };
}
