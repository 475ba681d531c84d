import { NotFoundError, SizeLimitError, ValidationError } from './errors.ts';
import type { LogLine } from './line.ts';
import type { Damage } from './log-decoder.ts';

/**
 * The store port: ordered logs of JSON records, and what lies beside them.
 *
 * A store moves bytes. It never ranks, never decays, never looks into a memory: what records mean is the business of
 * `layers/`, so every store gives the same answers. A new store proves itself with the suites in `longhand/testing`.
 *
 * The port is small on purpose (`test/store-port.test.ts` counts its methods). What only some stores can do is an optional
 * capability. Conveniences are functions over the port (`read-log.ts`), not methods.
 */
export interface LogStore {
  /** For messages and events: `file`, `memory`, `postgres`. */
  readonly name: string;
  /** What only a store of plain files can do; `undefined` for the others. */
  readonly folder?: FolderCapability | undefined;
  /** Of a store that keeps deleted bytes for a while: takes them away, and names the places where some are left. */
  readonly remains?: { remove(): Promise<readonly string[]> } | undefined;

  /**
   * Runs `work` as one look at the store: all that it reads of these users is at least as new as the beginning of the
   * call. A store far away asks once at the beginning; files are read as they are.
   */
  look<Result>(userIds: readonly string[], work: () => Promise<Result>): Promise<Result>;

  /**
   * Reads logs, one answer for each that is wanted, in the same order. Waits for no writer. `undefined` when there is no
   * such log; `UNCHANGED` when the store can tell, without reading, that nothing was added or changed since `after`.
   */
  read(wanted: readonly WantedLog[]): Promise<readonly ReadAnswer[]>;

  /**
   * Adds records to the end of a log. They are adjacent and acknowledged together; after a crash before that, a prefix of
   * them may be there. A function instead of records decides while no other writer can write: it gets every line after
   * `options.after` (the whole log without it) and gives the records, possibly none. It may be asked again when the
   * store could not write what it gave.
   * @throws NotFoundError SESSION_NOT_FOUND, ValidationError SESSION_EXISTS, SizeLimitError, ConcurrencyError, IOError
   */
  append(log: LogAddress, records: NewRecords, options?: AppendOptions): Promise<Appended>;

  /**
   * Rewrites a log while no other writer can write. `decide` sees all of it and gives the lines to keep, in their order,
   * each as it is or with another body. Readers see the old log or the new one, never a mix.
   */
  rewrite(log: LogAddress, decide: DecideRewrite): Promise<Rewritten>;

  /**
   * Removes a log and everything beside it; or, of a user, what is kept beside sessions and notes: which sessions had
   * news, and derived files. The user's sessions must be gone by then. False when there was nothing.
   */
  remove(what: LogAddress | UserAddress): Promise<boolean>;

  /**
   * Names, sorted: of all sessions, or of the sessions that a user's changes name; of agents; of users; of the agents that
   * keep notes on a user; of the values beside a session (which removes what killed writers left of values there).
   */
  list(kind: 'session', userId?: string, page?: NamePage): Promise<readonly string[]>;
  list(kind: 'session' | 'agent' | 'user'): Promise<readonly string[]>;
  list(kind: 'notes' | 'blob', of: string): Promise<readonly string[]>;

  /**
   * The sessions of a user that may have news since a mark; all of them without one. Costs O(1) when there are none,
   * whatever the number of sessions: then it names the one that was written to last, and the mark is the very one that
   * was given.
   */
  follow(userId: string, since?: ChangeMark): Promise<UserChanges>;

  /** Bytes that count against the limit: the log, its index and its list of deletions. Without a log: all that is stored. */
  size(log?: LogAddress): Promise<LogSize>;

  /**
   * A document beside a log, or, without a log, at the root; `undefined` when there is none. At the root a name may have
   * one folder in front (`indices/global_index.json`) when what it names is derived.
   */
  readDocument(owner: LogAddress | undefined, name: string): Promise<string | undefined>;
  /**
   * Replaces a document as a whole; removes it when the text is `undefined`. False, and nothing is changed, when a
   * condition of the options does not hold, or there was nothing to remove.
   */
  writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string | undefined,
    options?: DocumentOptions,
  ): Promise<boolean>;

  /**
   * Keeps a large value beside a session's log, under a name that is new there. It is there whole or not at all, and on
   * the disk when the call ends. Never held in memory whole.
   * @throws NotFoundError SESSION_NOT_FOUND, ValidationError ID_TAKEN
   */
  writeBlob(session: SessionAddress, name: string, chunks: ByteChunks): Promise<number>;
  /** `undefined` when there is none. */
  openBlob(session: SessionAddress, name: string): Promise<OpenBlob | undefined>;
  /** @returns how many of them were there */
  removeBlobs(session: SessionAddress, names: readonly string[]): Promise<number>;

  /**
   * The derived files of a user: the search index, or the vectors that an embedder made. `undefined` when the store has
   * none. @throws IOError when the manifest is there and cannot be read
   * @param mayLag `undefined` may also say that there were none when the look began, if the caller does not rely on that
   */
  loadIndex(userId: string, family: IndexFamily, namesIn: NamesIn, mayLag?: boolean): PromisedIndex;
  /**
   * Replaces the derived files, if their manifest is still the expected one (`undefined`: there is none). `work` writes
   * new files and gives the next manifest with the names that it counts on; all other files are removed afterwards.
   * @returns `stale` when the manifest is another one by now, `busy` while another process publishes, `unsupported` when
   *   the store has no place for such files
   */
  publishIndex(
    userId: string,
    family: IndexFamily,
    expected: string | undefined,
    work: (writer: IndexWriter) => Promise<NextIndex>,
  ): Promise<'done' | 'stale' | 'busy' | 'unsupported'>;

  /**
   * Claims work that one process does at a time, until the function it gives is called or the process ends; `undefined`
   * while another process has it. It keeps no process from anything else.
   * @param userId of the user that the work is about: the claim leaves nothing behind when the user is removed
   */
  claim(name: string, userId?: string): Promise<(() => void) | undefined>;

  /** Every byte that the store holds, in chunks: to check that something is gone without trusting what removed it. */
  scan(): AsyncIterable<StoredBytes>;

  /** Finishes what is under way, syncs and lets go. */
  close(): Promise<void>;
}

/** What a store can list the names of. */
export type ListedKind = 'session' | 'agent' | 'user' | 'notes' | 'blob';

/** Some of many names: the first so many that come after one. */
export interface NamePage {
  readonly after?: string | undefined;
  readonly limit: number;
}

/** The names of a page, of all in their order. @param isThere left out are those that are not */
export function pageOfNames(
  names: readonly string[],
  { after = '', limit }: NamePage = { limit: Number.POSITIVE_INFINITY },
  isThere: (name: string) => boolean = () => true,
): readonly string[] {
  const found: string[] = [];
  for (let at = indexAfter(names, after); at < names.length && found.length < limit; at++)
    if (isThere(names[at]!)) found.push(names[at]!);
  return found;
}

function indexAfter(names: readonly string[], after: string): number {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (names[middle]! <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** What only a folder can come to, and what only people who look into one ask for. */
export interface FolderCapability {
  /** For people: where a log lies, as a path within the store. */
  placeOf(log: LogAddress): string;
  /** Writes that were accepted but could not be stored yet, because the disk fails at the moment. */
  pendingWrites(log: LogAddress): number;
  /**
   * The ids of which something is there, but not the log, sorted: something outside of Longhand has taken it away. Nothing
   * that is being made or removed at this moment.
   */
  listWithoutLog(kind: 'session' | 'agent'): Promise<readonly string[]>;
  /**
   * Looks at every log for sessions of a user that `list('session', userId)` does not give, because a person has put them
   * there by hand, and adds them to it.
   * @param onProgress how many of the logs that may hold one were looked at
   * @returns the ids of those that were found, sorted
   */
  adoptSessions(
    userId: string,
    onProgress?: (done: number, total: number) => void,
  ): Promise<readonly string[]>;
}

/**
 * The log of a session, or one of the two that lie beside it: they are made when there is a session, and go with it.
 *
 * `userId` names the owner: the user whose readers hear that this log has news or is gone, and the partition that a
 * database looks in. `incarnation` names the very session that is meant: the same through every rewrite, another when it
 * was removed and made again under the same id. A store refuses an address whose incarnation is over as if there were no
 * such log, checked while no other writer can write. Any incarnation when left out.
 */
export interface SessionAddress {
  readonly kind: 'session' | 'transcript' | 'details';
  readonly id: string;
  readonly userId?: string | undefined;
  readonly incarnation?: string | undefined;
}

/** The log of an agent, or the ledger of what an account has forgotten. */
interface NamedAddress {
  readonly kind: 'agent' | 'ledger';
  readonly id: string;
}

/** The notes that an agent keeps on a user. */
export interface NotesAddress {
  readonly kind: 'notes';
  /** The name of the agent. */
  readonly id: string;
  readonly userId: string;
}

/** Which log. */
export type LogAddress = SessionAddress | NamedAddress | NotesAddress;

export function isOfSession(log: LogAddress): log is SessionAddress {
  return log.kind === 'session' || log.kind === 'transcript' || log.kind === 'details';
}

/** The incarnation that an address insists on. */
export function incarnationIn(log: LogAddress): string | undefined {
  return isOfSession(log) ? log.incarnation : undefined;
}

/** Whether a log in this incarnation is the one that an address means. */
export function isMeant(log: LogAddress, incarnation: string): boolean {
  return (incarnationIn(log) ?? incarnation) === incarnation;
}

/** A user, for `remove`. */
export interface UserAddress {
  readonly kind: 'user';
  readonly id: string;
}

/** A log to read, and what of it. */
export interface WantedLog extends ReadOptions {
  readonly log: LogAddress;
  /** Only what came after this position; the whole log without it. */
  readonly after?: LogPosition | undefined;
  /**
   * These lines alone, by the places that an earlier read gave, and no others; `after` says of which read. The answer has
   * `reset` and no lines when the log was rewritten since.
   */
  readonly places?: readonly LinePlace[];
  /**
   * Only the lines that hold this text, in the order of the log, unchecked and without their numbers, torn ones at the end
   * included: looks through the whole log, but makes nothing of the other lines.
   */
  readonly holding?: string;
  /** With the copies of damaged lines that rewrites have set aside (`LogSlice.aside`). */
  readonly aside?: boolean;
  /**
   * A log that is being removed, or that a person has moved, may be called `UNCHANGED` for a moment more, when that is
   * cheaper. What was appended to it is noticed in any case.
   */
  readonly mayLag?: boolean;
}

/** Nothing was added to a log, and nothing changed in it, since the position that was given. */
export const UNCHANGED = 'unchanged';
export type ReadAnswer = LogSlice | typeof UNCHANGED | undefined;

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

/** A place in a log's history. Opaque: only the store that made it can read its token. */
export interface LogPosition {
  /** Changes when the log is rewritten: positions from before are then void. */
  readonly generation: string;
  /** Rises with every record: bytes in files, sequence numbers in a database. */
  readonly at: number;
  readonly lastSeq: number;
  /** What else the store needs to tell whether the log has changed; plain JSON. */
  readonly token?: unknown;
}

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

/** Derived files of a user, private to Longhand: the search index, or vectors of an embedder. */
export type IndexFamily = 'index' | 'vectors';

/** The files that a manifest counts on. */
export type NamesIn = (manifest: string) => readonly string[];
export type PromisedIndex = Promise<StoredIndex | undefined>;

/** Immutable files, and a manifest that says which of them count. Derived from the logs, gone without harm. */
export interface StoredIndex {
  /** `undefined` when there are files, or a process is about to write some, and no manifest. */
  readonly manifest: string | undefined;
  /** Whether there are files that the manifest does not name: a process writes them, or was killed before it removed them. */
  readonly hasStrays: boolean;
  /** One of the files that the manifest names; `undefined` when it is missing. */
  open(name: string): IndexFile | undefined;
}

export interface IndexWriter {
  /** Writes a new file, and gives it opened. */
  write(name: string, bytes: Uint8Array): Promise<IndexFile>;
}

export interface NextIndex {
  readonly manifest: string;
  /** The files that it counts on. */
  readonly names: readonly string[];
  /** Whether what is removed must stay gone after a power cut: words of what was forgotten. */
  readonly isErasure?: boolean;
}

/** An open segment. Stays readable until it is closed, even when it has been removed since. */
export interface IndexFile {
  readonly size: number;
  /** Synchronous: a search reads what it needs without giving way. Fewer bytes than asked only at the end. @param into as in `OpenBlob` */
  read(offset: number, length: number, into?: Uint8Array): Uint8Array;
  close(): void;
}

export interface LinePlace {
  readonly offset: number;
  readonly length: number;
  readonly lineNumber: number;
}

export interface LogSlice {
  /** See `SessionAddress`: of a transcript and an archive of details, their session's. Of notes and ledgers it says nothing. */
  readonly incarnation: string;
  /** The position that was given was void: these are all lines of the log, from its start. */
  readonly reset: boolean;
  readonly lines: readonly LogLine[];
  readonly damage: readonly Damage[];
  readonly position: LogPosition;
  /** Bytes after the position that are no whole line: a write under way, or torn. */
  readonly unfinishedBytes: number;
  /** When they were wanted. */
  readonly aside?: readonly QuarantinedLine[];
}

/** What a decision sees of a log that is about to be made. @param incarnation of the session that it will lie beside */
export function sliceOfNoLog(incarnation = ''): LogSlice {
  const position = { generation: '', at: 0, lastSeq: 0 };
  return { incarnation, reset: true, lines: [], damage: [], position, unfinishedBytes: 0 };
}

/** Records to append, or what decides them. */
export type NewRecords = readonly string[] | Decide;

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

export interface ReadOptions {
  /** `light` leaves the lines of memories unchecked, for callers that check those they use. */
  readonly check?: 'full' | 'light';
  /** Read no further than about this many bytes: enough for the beginning of a log. */
  readonly maxBytes?: number;
}

/** Conditions under which a document is written, checked while no other writer can write. */
export interface DocumentOptions {
  /** The log is still of this generation (`LogPosition`): the text may hold what was taken out of the log since. */
  readonly generation?: string | undefined;
  /**
   * The document still holds this text; `null`: there is none yet. For documents that people edit by hand, or that several
   * processes keep together.
   */
  readonly expected?: string | null | undefined;
}

export interface AppendOptions {
  /**
   * `new`: make the log, which must not be there (SESSION_EXISTS); all or nothing. `missing`: make it when it is missing.
   * A log beside a session is made only while there is that session.
   */
  readonly create?: 'new' | 'missing' | undefined;
  /** From where on a decision sees the log. */
  readonly after?: LogPosition | undefined;
  /** Refuse with SizeLimitError what would take the log's size over this. */
  readonly maxBytes?: number | undefined;
  /** Lines for the readable list of deletions, added in the same hold. */
  readonly tombstones?: readonly string[] | undefined;
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
  readonly rehearsal?: Rehearsal;
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
  const message = `There is no ${describeLog(log)}. Check the id, or create it.`;
  return new NotFoundError('SESSION_NOT_FOUND', message, { details: { [log.kind]: log.id } });
}

export function blobExists(name: string): ValidationError {
  return new ValidationError('ID_TAKEN', `There is a value named ${name} already.`, { details: { name } });
}

/** With the statistics that tell the caller what takes the room. */
export function sessionFull(log: LogAddress, size: LogSize, wanted: number, limit: number): SizeLimitError {
  const parts = { log_bytes: size.log, index_bytes: size.index, tombstone_bytes: size.tombstones };
  return new SizeLimitError(
    'SESSION_FULL',
    `Session size limit exceeded: ${describeLog(log)} holds ${size.total} of ${limit} bytes and has no room for ${wanted} more. ` +
      'Compact it, delete memories, raise max_session_size_mb, or go on in a new session.',
    { details: { size_bytes: size.total, limit_bytes: limit, wanted_bytes: wanted, ...parts } },
  );
}
