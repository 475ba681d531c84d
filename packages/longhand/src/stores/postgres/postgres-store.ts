import type {
  Appended,
  ByteChunks,
  ChangeMark,
  DecideRewrite,
  DocumentOptions,
  ListedKind,
  LogAddress,
  LogSize,
  LogStore,
  NamePage,
  OpenBlob,
  PromisedIndex,
  ReadAnswer,
  Rewritten,
  SessionAddress,
  StoredBytes,
  UserAddress,
  UserChanges,
  WantedLog,
} from '../../core/store.ts';
import { logNotFound } from '../../core/store.ts';
import { Calls, type PostgresClaims } from './calls.ts';
import type { PostgresPool, PostgresQueries } from './client.ts';
import { DerivedFiles } from './derived-files.ts';
import { Leases } from './leases.ts';
import { namedIn } from './log-lines.ts';
import { Logs } from './logs.ts';
import { Mirror } from './look.ts';
import { Remains } from './remains.ts';
import { SegmentFolder } from './segment-folder.ts';
import { Values } from './values.ts';

export interface PostgresStoreOptions {
  /** A pool of connections as `pg` makes it. The caller ends it, after the store is closed. */
  readonly pool: PostgresPool;
  /** Row-level security lets the store reach this account and no other. */
  readonly accountId: string;
  /** As whom; a trusted server, which reaches all users of the account, when left out. */
  readonly principal?: Omit<PostgresClaims, 'account_id'>;
  /** How long calls wait for a server that restarts; 10 seconds when left out. */
  readonly reconnectMs?: number;
  /** How many bytes of search indexes and vectors are kept in memory; 64 MiB when left out. */
  readonly cacheBytes?: number;
  /** Called with each user of whom this store has written or removed something. */
  readonly onWrite?: ((userId: string) => void) | undefined;
  /** A folder on this machine for copies of them; it may be lost or damaged at any time. None when left out. */
  readonly cacheFolder?: string;
  /**
   * Statements of the role that owns the tables, such as a pool of one connection: what is forgotten is then also taken out
   * of the files of the database, whose tables are rewritten. Stores with the same owner share rewrites. Without it a receipt
   * names the tables that still hold deleted bytes.
   */
  readonly owner?: PostgresQueries;
}

const RECONNECT_MS = 10_000;
const CACHE_BYTES = 64 * 1024 * 1024;
/** The document that holds an agent's notes on a user. */
const NOTES = 'notes.md';
const SCANNED_AT_ONCE = 50;
const NO_MARK: ChangeMark = { generation: '', offset: 0, lastId: '' };

/**
 * The logs of one account in Postgres. Each call is one statement and one trip (`migrations/` has the functions that it
 * calls), under row-level security and without anything at the level of the session. The schema must be there:
 * `applySchema`.
 */
export class PostgresStore implements LogStore {
  readonly name = 'postgres';
  readonly remains: Remains;
  readonly #calls: Calls;
  readonly #mirror: Mirror;
  readonly #logs: Logs;
  readonly #values: Values;
  readonly #leases: Leases;
  readonly #derived: DerivedFiles;
  #closing: Promise<void> | undefined;

  constructor(options: PostgresStoreOptions) {
    const { pool, accountId, principal, reconnectMs, cacheBytes = CACHE_BYTES, cacheFolder, owner } = options;
    this.remains = new Remains(owner);
    const claims = { role: 'service', ...principal, account_id: accountId } as const;
    this.#calls = new Calls(pool, claims, reconnectMs ?? RECONNECT_MS);
    this.#mirror = new Mirror(this.#calls, options.onWrite);
    this.#logs = new Logs(this.#calls, this.#mirror);
    this.#values = new Values(this.#calls);
    this.#leases = new Leases(this.#calls);
    const folder = cacheFolder === undefined ? undefined : new SegmentFolder(cacheFolder);
    this.#derived = new DerivedFiles(this.#calls, this.#leases, accountId, cacheBytes, folder);
  }

  async look<Result>(userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.#open(this.#mirror).look(userIds, work);
  }

  async read(wanted: readonly WantedLog[]): Promise<readonly ReadAnswer[]> {
    return this.#open(this.#logs).read(wanted);
  }

  async append(...args: Parameters<LogStore['append']>): Promise<Appended> {
    const [log, records, options = {}] = args;
    return this.#open(this.#logs).append(log, records, options);
  }

  async rewrite(log: LogAddress, decide: DecideRewrite): Promise<Rewritten> {
    this.#open(this.remains).note(userOf(log), log.kind);
    return this.#logs.rewrite(log, decide);
  }

  async remove(what: LogAddress | UserAddress): Promise<boolean> {
    this.#calls.refuseWhenClosed();
    const beside = what.kind === 'session' ? (['transcript', 'details'] as const) : [];
    this.remains.note(userOf(what), what.kind, ...beside);
    if (what.kind !== 'user') return this.#logs.remove(what);
    const isGone = await this.#calls.value<boolean>('remove', ['user', what.id, null, null]);
    this.#mirror.forget(what.id);
    for (const family of ['index', 'vectors'] as const) await this.#derived.forget(what.id, family);
    return isGone;
  }

  async list(kind: ListedKind, of?: string, page?: NamePage): Promise<readonly string[]> {
    this.#calls.refuseWhenClosed();
    const rows = await this.#calls.rows('list', [kind, of, page?.after, page?.limit]);
    return rows.map(({ list }) => list as string).sort();
  }

  async follow(userId: string, since?: ChangeMark): Promise<UserChanges> {
    this.#calls.refuseWhenClosed();
    const asked = [userId, since?.generation, since?.offset ?? 0];
    const known = this.#mirror.changes(userId, since);
    const [user, ...logs] = known ?? (await this.#calls.rows('follow', asked));
    const { generation = '', change = 0 } = user ?? {};
    const last = logs.at(-1);
    const before = since !== undefined && since.generation === generation ? since : NO_MARK;
    const mark: ChangeMark =
      last === undefined
        ? { ...before, generation }
        : { generation, offset: Number(last.change), lastId: last.session_id };
    this.#mirror.noteFollowed(userId, Number(change), mark, last);
    return { sessionIds: [...new Set(logs.map(({ session_id }) => session_id as string))].sort(), mark };
  }

  async size(log?: LogAddress): Promise<LogSize> {
    this.#calls.refuseWhenClosed();
    if (log !== undefined) return (await this.#logs.head(log)).size;
    const total = Number(await this.#calls.value('stored_size', []));
    return { log: total, index: 0, tombstones: 0, total };
  }

  async readDocument(owner: LogAddress | undefined, name: string): Promise<string | undefined> {
    this.#calls.refuseWhenClosed();
    const known = owner?.kind === 'notes' && name === NOTES ? this.#mirror.notes(owner) : undefined;
    if (known !== undefined) return known.text;
    const text = await this.#calls.value<string | undefined>('read_document', [...placeOf(owner), name]);
    return text ?? undefined;
  }

  async writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string | undefined,
    conditions: DocumentOptions = {},
  ): Promise<boolean> {
    this.#open(this.remains).note('', 'document');
    const status = await this.#calls.value<string>('write_document', (again) => [
      ...placeOf(owner),
      name,
      text,
      JSON.stringify({ ...conditions, again }),
    ]);
    if (owner?.kind === 'notes') this.#mirror.noteNotes(owner);
    if (status === 'missing') throw logNotFound(owner!);
    return status === 'done';
  }

  async writeBlob(session: SessionAddress, name: string, chunks: ByteChunks): Promise<number> {
    return this.#open(this.#values).write(session, name, chunks);
  }

  async openBlob(session: SessionAddress, name: string): Promise<OpenBlob | undefined> {
    const value = await this.#open(this.#values).open(session, name);
    if (value === undefined) this.#mirror.endLook();
    return value;
  }

  async removeBlobs(session: SessionAddress, names: readonly string[]): Promise<number> {
    this.#open(this.remains).note('', 'details');
    return this.#values.remove(session, names);
  }

  async loadIndex(...args: Parameters<LogStore['loadIndex']>): PromisedIndex {
    const [userId, family, namesIn, mayLag] = args;
    const hasNone = mayLag && family === 'index' && this.#mirror.hadNoIndex(userId);
    return this.#open(this.#derived).load(userId, family, namesIn, hasNone);
  }

  async publishIndex(...args: Parameters<LogStore['publishIndex']>): Promise<'done' | 'stale' | 'busy'> {
    this.#open(this.remains).note('', 'user');
    return this.#derived.publish(...args);
  }

  async claim(name: string, userId?: string): Promise<(() => void) | undefined> {
    return this.#open(this.#leases).claim(name, userId);
  }

  async *scan(): AsyncGenerator<StoredBytes> {
    this.#calls.refuseWhenClosed();
    const query = 'SELECT place, at, bytes FROM longhand.stored_bytes';
    for await (const { place, at, bytes } of this.#calls.streamed(query, SCANNED_AT_ONCE))
      yield { place, offset: Number(at), bytes };
  }

  /** A part of the store, while it takes calls. */
  #open<Part>(part: Part): Part {
    this.#calls.refuseWhenClosed();
    return part;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#calls.close();
    await this.remains.close();
    await this.#logs.settle();
    await this.#leases.releaseAll();
    await this.#calls.whenIdle();
  }
}

function userOf(what: LogAddress | UserAddress): string | undefined {
  return 'userId' in what ? what.userId : undefined;
}

/** A log, or the root, as the functions about documents take it. */
function placeOf(owner: LogAddress | undefined): unknown[] {
  if (owner === undefined) return ['', '', null, null];
  const { kind, id, user, incarnation } = namedIn(owner);
  return [kind, id, user, incarnation];
}
