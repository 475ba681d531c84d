import type {
  Appended,
  AppendOptions,
  ByteChunks,
  ChangeMark,
  Decide,
  DecideRewrite,
  DocumentOptions,
  IndexFamily,
  IndexWriter,
  ListedKind,
  LogAddress,
  LogSize,
  LogStore,
  NamePage,
  NextIndex,
  OpenBlob,
  ReadAnswer,
  Rewritten,
  SessionAddress,
  StoredBytes,
  StoredIndex,
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
  /**
   * Statements of the role that owns the tables, such as a pool of one connection with a `lock_timeout` of some seconds:
   * what is forgotten is then also taken out of the files of the database (VACUUM). Without it a receipt names the tables
   * that still hold deleted bytes.
   */
  readonly owner?: PostgresQueries;
}

const RECONNECT_MS = 10_000;
const CACHE_BYTES = 64 * 1024 * 1024;
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

  constructor({ pool, accountId, principal, reconnectMs, cacheBytes, owner }: PostgresStoreOptions) {
    this.remains = new Remains(owner);
    const claims = { role: 'service', ...principal, account_id: accountId } as const;
    this.#calls = new Calls(pool, claims, reconnectMs ?? RECONNECT_MS);
    this.#mirror = new Mirror(this.#calls);
    this.#logs = new Logs(this.#calls, this.#mirror);
    this.#values = new Values(this.#calls);
    this.#leases = new Leases(this.#calls);
    this.#derived = new DerivedFiles(this.#calls, this.#leases, cacheBytes ?? CACHE_BYTES);
  }

  async look<Result>(userIds: readonly string[], work: () => Promise<Result>): Promise<Result> {
    this.#calls.refuseWhenClosed();
    return this.#mirror.look(userIds, work);
  }

  async read(wanted: readonly WantedLog[]): Promise<readonly ReadAnswer[]> {
    this.#calls.refuseWhenClosed();
    return this.#logs.read(wanted);
  }

  async append(
    log: LogAddress,
    records: readonly string[] | Decide,
    options: AppendOptions = {},
  ): Promise<Appended> {
    this.#calls.refuseWhenClosed();
    return this.#logs.append(log, records, options);
  }

  async rewrite(log: LogAddress, decide: DecideRewrite): Promise<Rewritten> {
    this.#calls.refuseWhenClosed();
    this.remains.note([log.kind], userOf(log));
    return this.#logs.rewrite(log, decide);
  }

  async remove(what: LogAddress | UserAddress): Promise<boolean> {
    this.#calls.refuseWhenClosed();
    this.remains.note(
      what.kind === 'session' ? ['session', 'transcript', 'details'] : [what.kind],
      userOf(what),
    );
    if (what.kind !== 'user') return this.#logs.remove(what);
    const isGone = await this.#calls.value<boolean>('remove', ['user', what.id, null, null]);
    this.#mirror.forget();
    return isGone;
  }

  async list(kind: ListedKind, of?: string, page?: NamePage): Promise<readonly string[]> {
    this.#calls.refuseWhenClosed();
    const rows = await this.#calls.rows('list', [kind, of, page?.after, page?.limit]);
    return rows.map(({ list }) => list as string).sort();
  }

  async follow(userId: string, since?: ChangeMark): Promise<UserChanges> {
    this.#calls.refuseWhenClosed();
    const unchanged = this.#mirror.unchanged(userId, since);
    if (unchanged !== undefined) return unchanged;
    const [user, ...logs] = await this.#calls.rows('follow', [userId, since?.generation, since?.offset ?? 0]);
    const { generation = '', change = 0 } = user ?? {};
    const last = logs.at(-1);
    const before = since !== undefined && since.generation === generation ? since : NO_MARK;
    const mark: ChangeMark =
      last === undefined
        ? { ...before, generation }
        : { generation, offset: Number(last.change), lastId: last.session_id };
    this.#mirror.noteFollowed(userId, Number(change), mark);
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
    return (
      (await this.#calls.value<string | undefined>('read_document', [...placeOf(owner), name])) ?? undefined
    );
  }

  async writeDocument(
    owner: LogAddress | undefined,
    name: string,
    text: string | undefined,
    conditions: DocumentOptions = {},
  ): Promise<boolean> {
    this.#calls.refuseWhenClosed();
    this.remains.note(['document'], '');
    const status = await this.#calls.value<string>('write_document', (again) => [
      ...placeOf(owner),
      name,
      text,
      JSON.stringify({ ...conditions, again }),
    ]);
    if (status === 'missing') throw logNotFound(owner!);
    return status === 'done';
  }

  async writeBlob(session: SessionAddress, name: string, chunks: ByteChunks): Promise<number> {
    this.#calls.refuseWhenClosed();
    return this.#values.write(session, name, chunks);
  }

  async openBlob(session: SessionAddress, name: string): Promise<OpenBlob | undefined> {
    this.#calls.refuseWhenClosed();
    return this.#values.open(session, name);
  }

  async removeBlobs(session: SessionAddress, names: readonly string[]): Promise<number> {
    this.#calls.refuseWhenClosed();
    this.remains.note(['details'], session.userId);
    return this.#values.remove(session, names);
  }

  async loadIndex(
    userId: string,
    family: IndexFamily,
    namesIn: (manifest: string) => readonly string[],
  ): Promise<StoredIndex | undefined> {
    this.#calls.refuseWhenClosed();
    return this.#derived.load(userId, family, namesIn);
  }

  async publishIndex(
    userId: string,
    family: IndexFamily,
    expected: string | undefined,
    work: (writer: IndexWriter) => Promise<NextIndex>,
  ): Promise<'done' | 'stale' | 'busy'> {
    this.#calls.refuseWhenClosed();
    this.remains.note(['user'], userId);
    return this.#derived.publish(userId, family, expected, work);
  }

  async claim(name: string, userId?: string): Promise<(() => void) | undefined> {
    this.#calls.refuseWhenClosed();
    return this.#leases.claim(name, userId);
  }

  async *scan(): AsyncGenerator<StoredBytes> {
    this.#calls.refuseWhenClosed();
    const stored = this.#calls.streamed(
      'SELECT place, at, bytes FROM longhand.stored_bytes',
      SCANNED_AT_ONCE,
    );
    for await (const { place, at, bytes } of stored) yield { place, offset: Number(at), bytes };
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#calls.close();
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
