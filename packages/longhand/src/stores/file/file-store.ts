import { dirname, join, relative, resolve } from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { IOError, NotFoundError } from '../../core/errors.ts';
import { encodeLine } from '../../core/line.ts';
import {
  type Appended,
  type AppendOptions,
  type ByteChunks,
  type ChangeMark,
  type DecideRewrite,
  type DocumentOptions,
  type FolderCapability,
  type IndexFamily,
  type IndexWriter,
  incarnationIn,
  isMeant,
  isOfSession,
  type ListedKind,
  type LogAddress,
  type LogPosition,
  type LogSize,
  type LogSlice,
  type LogStore,
  logNotFound,
  type NamePage,
  type NamesIn,
  type NewRecords,
  type NextIndex,
  type OpenBlob,
  pageOfNames,
  type ReadAnswer,
  type Rewritten,
  type SessionAddress,
  type StoredBytes,
  type StoredIndex,
  sessionFull,
  sliceOfNoLog,
  toDecided,
  UNCHANGED,
  type UserAddress,
  type UserChanges,
  type WantedLog,
} from '../../core/store.ts';
import { BesideLogs, sharesFolder } from './beside-logs.ts';
import { Blobs } from './blobs.ts';
import type { ChangeFile } from './change-file.ts';
import { ChangeFiles } from './change-files.ts';
import { guarded, guardedAsync, toLonghandError } from './failures.ts';
import { type FileStoreOptions, type LogSettings, settingsOf } from './file-store-options.ts';
import { createNodeFileSystem, type FileSystem, O_RDONLY } from './file-system.ts';
import { IndexFiles } from './index-files.ts';
import { createLazyLocks, type KernelLocks, type LoadedLocks, loadKernelLocks } from './kernel-locks.ts';
import { FileLog } from './log.ts';
import {
  generationOf,
  incarnationOf,
  isAsRead,
  isOver,
  LogFile,
  readPlace,
  sliceOfLines,
} from './log-file.ts';
import { type FolderAddress, LogFolders } from './log-folders.ts';
import { LogPaths } from './log-paths.ts';
import { LogWriter } from './log-writer.ts';
import { type OpenLog, OpenLogs } from './open-logs.ts';
import { PARTS_OF_A_STORE } from './others-folder.ts';
import { CONFIG_FILE } from './root-config.ts';
import { Documents, RootDocuments } from './root-documents.ts';
import { claimForOneProcess } from './single-process.ts';
import { prepareRoot, ROOT, type StorageRoot } from './storage-root.ts';
import { tightenOne } from './tighten.ts';
import { measure, walk } from './walk.ts';
import { onPlatform } from './windows.ts';

/** Looking at so many files takes some 10 ms of each scrape of the metrics. */
const MANY_FILES = 2_000;
const MEASURED_FOR_MS = 30_000;
/** Making and removing a log takes a millisecond: that does not happen many times during one write. */
const MAX_TRIES = 4;

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
 * `log.ts` holds one, `log-writer.ts` appends to it, `rewrite.ts` and `rescue.ts` rewrite it.
 */
export class FileStore implements LogStore {
  readonly name = 'file';
  readonly root: string;
  readonly folder: FolderCapability = {
    placeOf: (log) => relative(this.root, this.#paths.fileOf(log)),
    pendingWrites: (log) => this.#logs.peek(log)?.writer.pendingRecords ?? 0,
    listWithoutLog: async (kind) => {
      this.#refuseWhenClosed();
      return guarded(ROOT, 'list', () => this.#folders.listWithoutLog(kind));
    },
    adoptSessions: async (userId, onProgress) => {
      this.#refuseWhenClosed();
      return guardedAsync(ROOT, 'name the sessions in', () =>
        this.#changes.adoptSessions(userId, onProgress),
      );
    },
  };
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
    const listSessions = (besides?: ReadonlySet<string>) => this.#folders.list('session', besides);
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

  look<Result>(_userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return work();
  }

  async read(wanted: readonly WantedLog[]): Promise<readonly ReadAnswer[]> {
    this.#refuseWhenClosed();
    return wanted.map((each) => this.#read(each));
  }

  #read(wanted: WantedLog): ReadAnswer {
    const { log, places, holding, aside = false, mayLag = false } = wanted;
    const isPlain = places === undefined && holding === undefined && !aside;
    const after = isPlain ? wanted.after : undefined;
    const open = this.#logs.peek(log)?.log;
    try {
      if (open !== undefined) {
        if (after !== undefined && open.isCurrent(log, after, mayLag)) return UNCHANGED;
      } else if (places !== undefined && !aside) {
        return guarded(log, 'read', () => readClosedLog(this.#fileSystem, this.#paths.fileOf(log), wanted));
      } else {
        const { clock } = this.#settings;
        const path = this.#paths.fileOf(log);
        const found = guarded(log, 'look at', () => lookAtClosedLog(this.#fileSystem, clock, path, after));
        if (found !== 'other') return found === 'current' ? UNCHANGED : undefined;
        const slice =
          isPlain && after === undefined && guarded(log, 'read', () => this.#readOnce(path, wanted));
        if (slice) return slice;
      }
      return this.#open(log).log.read(wanted);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  /**
   * All of a log that is not open: a reader of many logs needs no locks, and would close logs that are in use.
   * `undefined` when it is in another incarnation than the wanted one, or was exchanged while it was opened.
   */
  #readOnce(path: string, wanted: WantedLog): LogSlice | undefined {
    const { clock, checksums } = this.#settings;
    const fileSystem = this.#fileSystem;
    const file = new LogFile({ fileSystem, clock, checksums }, path, false);
    try {
      const isInPlace = fileSystem.stat(path)?.inode === file.inode;
      return isInPlace && isMeant(wanted.log, file.incarnation) ? file.answer(wanted) : undefined;
    } finally {
      file.close();
    }
  }

  /** The path of every write: no promise more than it needs. */
  append(log: LogAddress, records: NewRecords, options: AppendOptions = {}): Promise<Appended> {
    try {
      if (options.create === undefined) return this.#open(log).writer.append(log, records, options);
      return options.create === 'new'
        ? this.#create(log, records, options)
        : this.#appendOrCreate(log, records, options);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Tries again only when the log has come or gone meanwhile: whatever else fails is final. */
  async #appendOrCreate(log: LogAddress, records: NewRecords, options: AppendOptions): Promise<Appended> {
    const has = (): boolean => guarded(log, 'look at', () => this.#folders.has(log));
    for (let tries = 1; ; tries++) {
      this.#refuseWhenClosed();
      const isThere = has();
      try {
        if (isThere) return await this.#open(log).writer.append(log, records, options);
        return await this.#create(log, records, options);
      } catch (error) {
        if (tries === MAX_TRIES || has() === isThere) throw error;
      }
    }
  }

  #create(log: LogAddress, records: NewRecords, { maxBytes, ...given }: AppendOptions): Promise<Appended> {
    return this.#whileOpen(async () => {
      const beside = sharesFolder(log) ? guarded(log, 'create', () => this.#beside.sessionOf(log)) : '';
      const decided = typeof records === 'function' ? records(sliceOfNoLog(beside)) : records;
      const { bodies, tombstones } = toDecided(decided, given.tombstones);
      const text = bodies.map((body, i) => encodeLine(body, i + 1, this.#settings.checksums)).join('');
      const bytes = Buffer.from(text);
      if (maxBytes !== undefined && bytes.length > maxBytes) {
        throw sessionFull(log, { log: 0, index: 0, tombstones: 0, total: 0 }, bytes.length, maxBytes);
      }
      await guardedAsync(ROOT, 'create', () => this.#storageRoot.bringToDisk());
      const userId = isOfSession(log) ? log.userId : undefined;
      if (sharesFolder(log)) await this.#beside.create(log, bytes);
      // A session that is new is of no incarnation that a caller could know.
      else if (incarnationIn(log) !== undefined) throw logNotFound(log);
      else {
        await this.#folders.create(log as FolderAddress, bytes, tombstones, async () => {
          // Noted first: a session that is named but not there is nothing, one that is there must be named.
          if (userId !== undefined) await this.#changes.of(userId).noteOnDisk(log.id);
        });
      }
      // And again: a process that took removed sessions out in between did not see this one yet.
      if (userId !== undefined) await this.#changes.noteQuietly(log, userId);
      const tombstoneBytes = tombstones.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
      return { firstSeq: 1, lastSeq: bodies.length, sizeBytes: bytes.length + tombstoneBytes };
    });
  }

  rewrite(log: LogAddress, decide: DecideRewrite): Promise<Rewritten> {
    return this.#whileOpen(() => this.#open(log).log.rewrite(log, decide));
  }

  remove(what: LogAddress | UserAddress): Promise<boolean> {
    if (what.kind === 'user') {
      return this.#doing(ROOT, 'remove a user from', async () => {
        this.#changes.close(what.id);
        return this.#folders.removeUser(what.id);
      });
    }
    return this.#whileOpen(() => this.#removeLog(what));
  }

  async #removeLog(log: LogAddress): Promise<boolean> {
    const userId = log.kind === 'session' ? log.userId : undefined;
    const dropName = async () => userId !== undefined && (await this.#changes.drop(userId));
    if (!guarded(log, 'remove', () => this.#folders.has(log))) {
      // The process that removed it may have failed, or been killed, before its name was gone.
      await dropName();
      return false;
    }
    /** The folder that it is in until its files are gone, when the log is a folder. */
    let hidden: string | undefined;
    const takeAway = (): Promise<string | undefined> =>
      sharesFolder(log) ? this.#beside.remove(log) : this.#folders.hide(log as FolderAddress);
    try {
      hidden = await this.#open(log).log.whileHolding('remove', takeAway, log);
    } catch (error) {
      const failure = toLonghandError(error, log, 'remove');
      // Another process was faster.
      if (failure instanceof NotFoundError) return false;
      throw failure;
    }
    await this.#logs.close(log);
    if (log.kind === 'session')
      for (const kind of ['transcript', 'details'] as const) await this.#logs.close({ kind, id: log.id });
    if (hidden !== undefined) await this.#folders.discard(hidden);
    await dropName();
    return true;
  }

  async list(kind: ListedKind, of = '', page?: NamePage): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    if (kind === 'blob') return guarded({ kind: 'details', id: of }, 'list', () => this.#blobs.list(of));
    if (kind === 'session' && of !== '') {
      const has = (id: string): boolean => this.#folders.has({ kind, id });
      return guarded(ROOT, 'read the change file at', () =>
        pageOfNames(this.#changes.of(of).sessionIds(), page, has),
      );
    }
    return guarded(ROOT, 'list', () => {
      if (kind === 'user') return this.#beside.listUsers();
      return kind === 'notes' ? this.#beside.listNotes(of) : pageOfNames(this.#folders.list(kind), page);
    });
  }

  async follow(userId: string, since?: ChangeMark): Promise<UserChanges> {
    this.#refuseWhenClosed();
    return guarded(ROOT, 'read the change file at', () => this.#changes.of(userId).changesSince(since));
  }

  async size(log?: LogAddress): Promise<LogSize> {
    if (log !== undefined) {
      return guarded(log, 'measure', () => {
        if (isOver(this.#fileSystem, this.#paths, log)) throw logNotFound(log);
        return this.#open(log).log.size();
      });
    }
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
    text: string | undefined,
    options: DocumentOptions = {},
  ): Promise<boolean> {
    const isSynced = this.#settings.durability !== 'buffered';
    return this.#doing(owner ?? ROOT, `${text === undefined ? 'remove' : 'write'} ${name} of`, () =>
      owner === undefined
        ? this.#rootDocuments.write(name, text, options)
        : this.#documents.write(owner, name, text, options, isSynced),
    );
  }

  writeBlob(session: SessionAddress, name: string, chunks: ByteChunks): Promise<number> {
    return this.#doing(detailsOf(session), 'write to', () => this.#blobs.write(session, name, chunks));
  }

  async openBlob(session: SessionAddress, name: string): Promise<OpenBlob | undefined> {
    this.#refuseWhenClosed();
    return guarded(detailsOf(session), 'read', () => this.#blobs.open(session, name));
  }

  removeBlobs(session: SessionAddress, names: readonly string[]): Promise<number> {
    return this.#doing(detailsOf(session), 'remove from', () => this.#blobs.remove(session, names));
  }

  async loadIndex(userId: string, family: IndexFamily, namesIn: NamesIn): Promise<StoredIndex | undefined> {
    return this.#indexOf(userId, family).load(namesIn);
  }

  async publishIndex(
    userId: string,
    family: IndexFamily,
    expected: string | undefined,
    work: (writer: IndexWriter) => Promise<NextIndex>,
  ): Promise<'done' | 'stale' | 'busy'> {
    return this.#indexOf(userId, family).publish(expected, work);
  }

  #indexOf(userId: string, family: IndexFamily): IndexFiles {
    return new IndexFiles(this.#fileSystem, this.#paths.userOf(userId), userId, family);
  }

  /** @param name with a user, that of a family of derived files */
  claim(name: string, userId?: string): Promise<(() => void) | undefined> {
    return this.#doing(ROOT, `claim ${name} of`, async () =>
      userId === undefined
        ? this.#rootDocuments.claim(name)
        : this.#indexOf(userId, name as IndexFamily).claim(),
    );
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

function detailsOf({ id }: SessionAddress): LogAddress {
  return { kind: 'details', id };
}

/**
 * Whether there is a log, which this process does not have open, and whether nothing was written behind a position in it.
 * A search meets lines from many sessions: opening each log for writing would cost several times as much, and would close
 * logs that are in use.
 */
function lookAtClosedLog(
  fileSystem: FileSystem,
  clock: Clock,
  path: string,
  position: LogPosition | undefined,
): 'missing' | 'current' | 'other' {
  const status = fileSystem.stat(path);
  if (status === undefined) return 'missing';
  if (position === undefined || status.kind !== 'file' || !isAsRead(status, position, clock)) return 'other';
  return generationOf(status) === position.generation ? 'current' : 'other';
}

/**
 * Lines by their places; none when the log is another than the position's. `undefined` when it is in another incarnation
 * than the wanted one; a system error when it is gone.
 */
function readClosedLog(
  fileSystem: FileSystem,
  path: string,
  { log, after, places = [] }: WantedLog,
): LogSlice | undefined {
  const fd = fileSystem.open(path, O_RDONLY);
  try {
    const status = fileSystem.fstat(fd);
    const generation = generationOf(status);
    const isSame = status.kind === 'file' && after?.generation === generation;
    const wanted = incarnationIn(log);
    // The file of a position has no other incarnation than the one that it was read in.
    const incarnation = (isSame ? wanted : undefined) ?? incarnationOf(fileSystem, dirname(path));
    if (!isMeant(log, incarnation)) return undefined;
    const lines = isSame ? places.map((place) => readPlace(fileSystem, fd, place)) : [];
    return sliceOfLines({ incarnation, generation }, lines, isSame ? after : undefined);
  } finally {
    fileSystem.close(fd);
  }
}
