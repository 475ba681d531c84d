import { NotFoundError, SizeLimitError, ValidationError } from './errors.ts';
import type { LogLine } from './line.ts';
import type { Damage } from './log-decoder.ts';

/**
 * The store port: ordered logs of JSON records, and named documents beside them.
 *
 * A store moves bytes. It never ranks, never decays, never looks into a memory. What the records mean is
 * the business of `layers/`; that is why every store gives the same answers. A new store implements this
 * interface in a room of its own and proves itself with the suite in `longhand/testing`.
 */
export interface LogStore {
  /** For messages and events: `file`, `memory`, `postgres`. */
  readonly name: string;

  /** Makes a log that opens with these records, all or nothing. @throws ValidationError SESSION_EXISTS */
  create(log: LogAddress, bodies: readonly string[], options?: AppendOptions): Promise<Appended>;

  /**
   * Adds records to the end of a log. They are adjacent, and are acknowledged together. After a crash
   * before that, a prefix of them may be there.
   * @throws NotFoundError SESSION_NOT_FOUND, SizeLimitError, ConcurrencyError, IOError
   */
  append(log: LogAddress, bodies: readonly string[], options?: AppendOptions): Promise<Appended>;

  /**
   * Adds records that depend on what the log holds: while nobody else can write, `decide` gets every line
   * after the position (whole log when `undefined`) and gives the records to append, possibly none. It may be
   * asked again when the store could not write what it gave.
   */
  transact(
    log: LogAddress,
    after: LogPosition | undefined,
    decide: Decide,
    options?: AppendOptions,
  ): Promise<Appended>;

  /** The lines after a position. Waits for nobody. @throws NotFoundError SESSION_NOT_FOUND */
  read(log: LogAddress, after?: LogPosition, options?: ReadOptions): Promise<LogSlice>;

  /**
   * Whether `read` after this position would give nothing new, in O(1): nothing was added, and nothing changed before
   * it, as far as the store can tell without reading. False when the log is gone. `NO_LOG` is
   * current as long as there is no log; a store that does not know answers false, and is asked to read.
   */
  isCurrent(log: LogAddress, position: LogPosition, look?: LookOptions): boolean | Promise<boolean>;

  /** One line again, by the place that `read` gave. `undefined` when the log was rewritten since. */
  readLine(log: LogAddress, place: LinePlace, position: LogPosition): Promise<LogLine | undefined>;

  /**
   * Every line that holds a text, in the order of the log, without checking any and without their numbers. Looks
   * through the whole log, but makes nothing of the other lines: for whoever needs one line of a log that nobody
   * has read yet. @throws NotFoundError SESSION_NOT_FOUND
   */
  linesWith(log: LogAddress, text: string): Promise<readonly LogLine[]>;

  /**
   * Rewrites a log while nobody else can write. `decide` sees all of it and gives the lines to keep, in
   * their order, each as it is or with another body. Readers see the old log or the new one, never a mix.
   */
  rewrite(log: LogAddress, decide: DecideRewrite, options?: LifeOptions): Promise<Rewritten>;

  /** The copies of damaged lines that rewrites have set aside and not forgotten since. */
  quarantined(log: LogAddress): Promise<readonly QuarantinedLine[]>;

  /** Removes a log and everything beside it. False when it was not there. */
  remove(log: LogAddress, options?: RemoveOptions): Promise<boolean>;

  /** The ids of all logs of a kind, sorted. */
  list(kind: 'session' | 'agent'): Promise<readonly string[]>;

  /**
   * The ids of which something is there, but not the log, sorted: something outside of Longhand has taken it away.
   * Nothing that is being made or removed at this moment. Empty for stores that cannot come to that.
   */
  listWithoutLog(kind: 'session' | 'agent'): Promise<readonly string[]>;

  /** The users that the store knows of, sorted. */
  listUsers(): Promise<readonly string[]>;

  /**
   * Removes what is kept for a user beside sessions and notes: which sessions had news, and the search index. The
   * sessions themselves must be gone. False when there was nothing.
   */
  removeUser(userId: string): Promise<boolean>;

  /** The agents that keep notes on a user, sorted. */
  listNotes(userId: string): Promise<readonly string[]>;

  /** The ids of the sessions that a user's change file names, sorted. */
  listOfUser(userId: string): Promise<readonly string[]>;

  /**
   * Looks at every log for sessions of a user that `listOfUser` does not give, because somebody has put them there by
   * hand, and sees to it that it does from now on. For whoever must not miss one.
   * @param onProgress how many of the logs that may hold one were looked at
   * @returns the ids of those that were found, sorted
   */
  adoptSessions(
    userId: string,
    onProgress?: (done: number, total: number) => void,
  ): Promise<readonly string[]>;

  /**
   * The sessions of a user that may have news since a mark; all of them without one. Costs O(1) when there
   * are none, whatever the number of sessions: then it names the one that was written to last, and the mark is the
   * very one that was given.
   */
  changesOfUser(userId: string, since?: ChangeMark): UserChanges | Promise<UserChanges>;

  /** Where the user's search index may be kept; `undefined` when the store has no place for one. */
  indexFiles(userId: string): IndexFiles | undefined;

  /** Where the vectors of a user's memories may be kept, apart from the search index; `undefined` as there. */
  vectorFiles(userId: string): VectorFiles | undefined;

  /** Bytes that count against the limit: the log, its index and its list of deletions. Without a log: all that is stored. */
  size(log?: LogAddress): Promise<LogSize>;

  /**
   * A readable projection beside a log, or, without a log, at the root; `undefined` when there is none. At the
   * root a name may have one folder in front (`indices/global_index.json`) when what it names is derived.
   */
  readDocument(owner: LogAddress | undefined, name: string): Promise<string | undefined>;
  /** Replaces the projection as a whole. False, and nothing is changed, when the log has been rewritten since. */
  writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string,
    options?: DocumentOptions,
  ): Promise<boolean>;
  /**
   * Replaces a document if it still holds `expected` (`undefined`: if there is none yet), for documents that people
   * edit by hand, or that several processes keep together. False, and nothing is changed, when it holds something else.
   */
  exchangeDocument(
    owner: LogAddress | undefined,
    name: string,
    expected: string | undefined,
    text: string,
  ): Promise<boolean>;
  /** False when it was not there. */
  removeDocument(owner: LogAddress, name: string): Promise<boolean>;

  /**
   * Keeps a large value beside a session's log, under a name that is new there. It is there whole or not at
   * all, and on the disk when the call ends. Never held in memory whole.
   * @throws NotFoundError SESSION_NOT_FOUND, ValidationError ID_TAKEN
   */
  writeBlob(sessionId: string, name: string, chunks: ByteChunks, options?: LifeOptions): Promise<number>;
  /** `undefined` when there is none. */
  openBlob(sessionId: string, name: string): Promise<OpenBlob | undefined>;
  /** False when it was not there. */
  removeBlob(sessionId: string, name: string): Promise<boolean>;
  /**
   * The names of all blobs of a session, sorted. Empty when there is no such session. What writers that died before
   * the end have left behind is removed: it may hold what is to be forgotten.
   */
  listBlobs(sessionId: string): Promise<readonly string[]>;

  /**
   * Every byte that the store holds, in whatever form, file by file and chunk by chunk: for whoever checks that
   * something is gone, without trusting the code that removed it.
   */
  scan(): AsyncIterable<StoredBytes>;

  /**
   * Claims work that one process does at a time, until the function it gives is called or the process ends; `undefined`
   * while another has it. It keeps nobody from anything else.
   */
  claim(name: string): Promise<(() => void) | undefined>;

  /** For people: where a log lies, as a path within the store. */
  placeOf(log: LogAddress): string;

  /** Writes that were accepted but could not be stored yet, because the store fails at the moment. */
  pendingWrites(log: LogAddress): number;

  /** Finishes what is under way, syncs and lets go. */
  close(): Promise<void>;
}

/**
 * Which log. A transcript and an archive of details lie beside the log of their session: they are made when there is a
 * session, and go with it. Notes belong to a user and an agent, the ledger of what was forgotten to an account.
 */
export type LogAddress =
  | {
      readonly kind: 'session' | 'transcript' | 'details' | 'agent' | 'ledger';
      /** The id of the session, or the name of the agent or account. */
      readonly id: string;
      readonly userId?: never;
    }
  | {
      readonly kind: 'notes';
      /** The name of the agent that keeps them. */
      readonly id: string;
      readonly userId: string;
    };

export function describeLog(log: LogAddress): string {
  return log.kind === 'notes' ? `notes of ${log.id} on ${log.userId}` : `${log.kind} ${log.id}`;
}

/** Tells logs apart in a map. */
export function logKey(log: LogAddress): string {
  return log.kind === 'notes' ? `notes/${JSON.stringify([log.userId, log.id])}` : `${log.kind}/${log.id}`;
}

export type ByteChunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A large value, opened for reading. Stays readable until it is closed, even when it has been removed since. */
export interface OpenBlob {
  readonly size: number;
  /**
   * Fewer bytes than asked only at the end.
   * @param into where the store may put them, if there is room for all that is asked: they are then valid until it is
   *   used again. Without it they are the caller's.
   */
  read(offset: number, length: number, into?: Uint8Array): Promise<Uint8Array>;
  close(): void;
}

export interface StoredBytes {
  /** For people: a path within the store. Its characters count as stored too. */
  readonly place: string;
  /** Where in it the chunk starts; 0 begins the next place. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** What a blob may be called: a file name on every system. */
const BLOB_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,127}$/;

/** @throws ValidationError INVALID_ID */
export function checkBlobName(name: string): void {
  if (BLOB_NAME.test(name)) return;
  throw new ValidationError('INVALID_ID', 'A blob’s name has 1 to 128 letters, digits, “_”, “-” and “.”.');
}

/** A place in a log's history. Only the store that made it can read it. */
export interface LogPosition {
  /** Changes when the log is rewritten: positions from before are then void. */
  readonly generation: string;
  readonly offset: number;
  readonly lineNumber: number;
  readonly lastSeq: number;
  /** What stood right before the offset, for stores whose log can be cut back after a failed write. */
  readonly mark?: string;
  /** When the log's bytes last changed, for stores whose log people can edit in place. */
  readonly modifiedMs?: number | undefined;
}

/** Where a reader is that has found no log. */
export const NO_LOG: LogPosition = { generation: '', offset: 0, lineNumber: 0, lastSeq: 0 };

/** A place in a user's history of changes. Only the store that made it can read it. */
export interface ChangeMark {
  readonly generation: string;
  readonly offset: number;
  readonly lastId: string;
}

export interface UserChanges {
  readonly sessionIds: readonly string[];
  readonly mark: ChangeMark;
}

/**
 * The files of a search index: immutable segments, and a manifest that says which of them count. Private to
 * Longhand, derived from the logs, gone without harm.
 */
export interface IndexFiles {
  readManifest(): Promise<string | undefined>;
  /** `undefined` when there is no such file. */
  open(name: string): IndexFile | undefined;
  /** Whether there are segments beside these: somebody is writing them, or was killed before it could remove them. */
  hasOthers(names: readonly string[]): boolean;
  /**
   * Runs `work` unless another process is changing the files at this moment; then it gives `undefined`. What
   * the new manifest does not name is removed afterwards.
   */
  change<Result>(work: (writer: IndexWriter) => Promise<Result>): Promise<Result | undefined>;
  /** Settles when a power cut can no longer bring back files that were removed. What was written may still be lost. */
  whenRemoved(): Promise<void>;
}

/** The files of a user's vectors. */
export interface VectorFiles extends IndexFiles {
  /** False when nobody has ever claimed or changed them. */
  isThere(): boolean;
  /**
   * Claims the making of vectors, which takes long and may cost money, until the function it gives is called or the
   * process ends; `undefined` while another process has it. It keeps nobody from `change`.
   */
  claim(): (() => void) | undefined;
}

export interface IndexWriter {
  write(name: string, bytes: Uint8Array): Promise<void>;
  /** @param names the files that it counts on */
  writeManifest(text: string, names: readonly string[]): Promise<void>;
}

/** An open segment. Stays readable until it is closed, even when it has been removed since. */
export interface IndexFile {
  readonly size: number;
  /** Fewer bytes than asked only at the end. @param into as in `OpenBlob` */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
  close(): void;
}

export interface LinePlace {
  readonly offset: number;
  readonly length: number;
  readonly lineNumber: number;
}

export interface LogSlice {
  /**
   * Names one life of the log: the same through every rewrite, another when it was removed and made again. A transcript
   * and an archive of details live with their session. Of notes and ledgers it says nothing.
   */
  readonly life: string;
  /** The position that was given was void: these are all lines of the log, from its start. */
  readonly reset: boolean;
  readonly lines: readonly LogLine[];
  readonly damage: readonly Damage[];
  readonly position: LogPosition;
  /** Bytes after the position that are no whole line: a write under way, or torn. */
  readonly unfinishedBytes: number;
}

export type Decide = (slice: LogSlice) => readonly string[] | Decided;

export interface Decided {
  /** The records to append. */
  readonly bodies: readonly string[];
  /** Lines for the readable list of deletions, as in `AppendOptions`. */
  readonly tombstones: readonly string[];
}

/** @param tombstones those of the call, when the decision names none */
export function toDecided(given: readonly string[] | Decided, tombstones: readonly string[] = []): Decided {
  return 'bodies' in given ? given : { bodies: given, tombstones };
}

/** The list of deletions, with the lines that are expected and without others of the same memories. */
export function mendedTombstones(present: readonly string[], expected: readonly string[] = []): string[] {
  const idOf = (line: string): string => /^\{"id":"[^"]*"/.exec(line)?.[0] ?? '';
  const [wanted, ids, there] = [new Set(expected), new Set(expected.map(idOf)), new Set(present)];
  const kept = present.filter((line) => wanted.has(line) || !ids.has(idOf(line)));
  return [...kept, ...expected.filter((line) => !there.has(line))];
}

export interface LookOptions {
  /**
   * A log that is being removed, or that a person has moved, may be called current for a moment more, when that is
   * cheaper. What was appended to it is noticed in any case. Default false.
   */
  readonly mayLag?: boolean;
}

export interface ReadOptions {
  /** `light` leaves the lines of memories unchecked, for callers that check those they use. */
  readonly check?: 'full' | 'light';
  /** Read no further than about this many bytes: enough for the beginning of a log. */
  readonly maxBytes?: number;
}

/** Which life of a log is meant, by whoever has looked at it before. */
export interface LifeOptions {
  /**
   * Refuse with SESSION_NOT_FOUND, while nobody else can write, when the log is in another life by now: what the
   * caller knows of it, as whose it is, was true of one that is gone. To make a log or a value beside that of a
   * session, the session must be in this life. Any life when left out.
   */
  readonly life?: string | undefined;
}

/** Which state of a log a document was made from. */
export interface DocumentOptions extends LifeOptions {
  /**
   * Write nothing, decided while nobody else can write, when the log is of another generation by now (`LogPosition`):
   * the text may hold what was taken out of the log. Any generation when left out.
   */
  readonly generation?: string | undefined;
}

export interface AppendOptions extends LifeOptions {
  /** Refuse with SizeLimitError what would take the log's size over this. */
  readonly maxBytes?: number;
  /** The user whose change file notes that this log has news. */
  readonly userId?: string;
  /** Lines for the readable list of deletions, added in the same hold. */
  readonly tombstones?: readonly string[];
}

export interface RemoveOptions {
  /** The user whose readers are told that this log is gone: `changesOfUser` has another generation, without its id. */
  readonly userId?: string;
  /** Leave alone a log that is in another life by now: there is nothing to remove then. */
  readonly life?: string | undefined;
}

export interface Appended {
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** As `size().total`, after the append. */
  readonly sizeBytes: number;
}

/** @param aside the copies of damaged lines that earlier rewrites set aside */
export type DecideRewrite = (slice: LogSlice, aside: readonly QuarantinedLine[]) => RewritePlan;

/** A copy of a damaged line, set aside before a rewrite dropped the original. */
export interface QuarantinedLine {
  /** Tells the copies of a log apart. */
  readonly name: string;
  /** The bytes; its place means nothing. */
  readonly line: LogLine;
}

export interface RewritePlan {
  /** Records to put at the front. */
  readonly prepend?: readonly string[];
  /** In the order of the log. */
  readonly keep: readonly KeptLine[];
  /** Records to add at the end. */
  readonly append: readonly string[];
  /** Nothing is written when true: a rehearsal. */
  readonly dryRun?: boolean;
  /** The list of deletions as it should be: missing lines are added, others of the same memories are taken away. */
  readonly tombstones?: readonly string[];
  /** Damaged lines to copy aside, before the rewrite drops them. */
  readonly quarantine?: readonly LogLine[];
  /** Names of copies set aside earlier that are removed. */
  readonly forget?: readonly string[];
}

export interface KeptLine {
  readonly line: LogLine;
  /** Replaces the line's; without one the line stays byte for byte. */
  readonly body?: string;
  /** With a body: the number that the line gets, when it is above that of the line before. Its own when left out. */
  readonly seq?: number;
}

export interface Rewritten {
  readonly sizeBefore: LogSize;
  readonly sizeAfter: LogSize;
  /** After a rehearsal, what the rewrite would have left. */
  readonly rehearse?: () => Rehearsal;
}

export interface Rehearsal {
  /** As `read` would give the whole log. */
  readonly slice: LogSlice;
  /** With the index as it is: it is not the store's to make. */
  readonly size: LogSize;
}

export interface LogSize {
  readonly log: number;
  readonly index: number;
  readonly tombstones: number;
  readonly total: number;
}

export type Durability = 'buffered' | 'group' | 'strict';

export function logNotFound(log: LogAddress): NotFoundError {
  return new NotFoundError(
    'SESSION_NOT_FOUND',
    `There is no ${describeLog(log)}. Check the id, or create it.`,
    {
      details: { [log.kind]: log.id },
    },
  );
}

export function blobExists(name: string): ValidationError {
  return new ValidationError('ID_TAKEN', `There is a value named ${name} already.`, { details: { name } });
}

/** With the statistics that tell the caller what takes the room. */
export function sessionFull(
  log: LogAddress,
  size: LogSize,
  wantedBytes: number,
  limitBytes: number,
): SizeLimitError {
  return new SizeLimitError(
    'SESSION_FULL',
    `Session size limit exceeded: ${describeLog(log)} holds ${size.total} of ${limitBytes} bytes and has no room for ${wantedBytes} more. ` +
      'Compact it, delete memories, raise max_session_size_mb, or go on in a new session.',
    {
      details: {
        size_bytes: size.total,
        limit_bytes: limitBytes,
        wanted_bytes: wantedBytes,
        log_bytes: size.log,
        index_bytes: size.index,
        tombstone_bytes: size.tombstones,
      },
    },
  );
}
