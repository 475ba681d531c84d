import type { LogAddress } from '../../core/store.ts';
import type { PostgresQueries, Row } from './client.ts';
import { isTimeout } from './failures.ts';

/** Where the lines of a log lie, and what is made of them. */
const TABLES = {
  session: ['memory_entries', 'documents', 'quarantined_lines', 'log_heads', 'session_directory'],
  transcript: ['recent_conversation_history', 'transcript_log', 'agent_sessions', 'quarantined_lines'],
  details: ['detail_log', 'detail_values', 'quarantined_lines'],
  notes: ['note_versions', 'agent_long_term_memory', 'quarantined_lines', 'log_heads'],
  agent: ['agent_log', 'agents', 'documents', 'quarantined_lines'],
  ledger: ['erasure_ledger'],
  user: ['users', 'recall_segments', 'recall_manifests', 'leases'],
  document: ['documents', 'agent_long_term_memory'],
} as const satisfies Record<LogAddress['kind'] | 'user' | 'document', readonly string[]>;

/** A larger table would be locked for too long: its free space keeps the bytes until it is used again. */
const MOST_BYTES_TO_REWRITE = 64 * 1024 * 1024;
const MIB = 1024 * 1024;
/**
 * A rewrite locks its table for some 10 ms a MiB. Between two of them the table rests for 20 times as long, so that
 * callers who forget again and again take at most a twentieth of the others' time.
 */
const REST_MS_PER_MIB = 200;
/** So long a caller waits for a table that rests. */
const LONGEST_WAIT_MS = 2_000;
/** After tries that did not help: an older transaction may still read the rows, or the lock was taken. */
const PAUSES_MS = [500, 10_000, 60_000, 600_000];

const PARTS = `SELECT c.oid, c.oid::regclass::text AS name
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND coalesce(i.inhparent::regclass::name, c.relname) = ANY ($1)
    AND (i.inhparent IS NULL OR $2::text[] IS NULL OR EXISTS (
      SELECT FROM unnest($2::text[]) AS u WHERE satisfies_hash_partition(i.inhparent, 16, substring(c.relname FROM '\\d+$')::integer, u)))`;
/** Every rewrite analyzes its table, so that all servers know when the last one was. */
const STATE = `SELECT pg_total_relation_size($1) AS bytes, (SELECT i.indexrelid::regclass FROM pg_index i WHERE i.indrelid = $1 AND i.indisprimary) AS key,
  1000 * extract(epoch FROM clock_timestamp() - pg_stat_get_last_analyze_time($1)) AS rested_ms`;

/**
 * Deleted rows keep their bytes in the files of the database, and so does the free space that a plain VACUUM makes: only
 * a rewrite of the table is without them. It takes the role that owns the tables.
 */
export class Remains {
  readonly #rewrites: Rewrites | undefined;
  readonly #tables = new Set<string>();
  /** Their partitions; `undefined` stands for all. */
  readonly #users = new Set<string | undefined>();
  /** What this store has deleted from, and how often others and it had by then, until it is clean. */
  readonly #wishes = new Map<Part, number>();

  constructor(owner: PostgresQueries | undefined, mostBytes?: number) {
    this.#rewrites = owner && Rewrites.of(owner, mostBytes);
  }

  /** Something was deleted there. */
  note(userId: string | undefined, ...kinds: (keyof typeof TABLES)[]): void {
    for (const table of kinds.flatMap((kind) => TABLES[kind])) this.#tables.add(table);
    this.#users.add(userId);
  }

  /**
   * @returns the tables that still hold bytes of what was deleted: those that must rest for longer than a caller waits are
   * rewritten later
   */
  async remove(): Promise<readonly string[]> {
    const [tables, users] = [[...this.#tables].sort(), [...this.#users]];
    this.#tables.clear();
    this.#users.clear();
    if (this.#rewrites === undefined) return tables;
    try {
      for (const part of await this.#rewrites.want(tables, users.includes(undefined) ? null : users))
        this.#wishes.set(part, part.wanted);
    } catch {
      return tables;
    }
    const wishes = [...this.#wishes];
    await this.#rewrites.try(wishes);
    const held = wishes.filter(([part, number]) => part.clean < number);
    for (const [part, number] of wishes)
      if ((part.clean >= number || part.isLost) && this.#wishes.get(part) === number)
        this.#wishes.delete(part);
    return held.map(([{ name }]) => name).sort();
  }

  /** What rests is rewritten now: later there may be no process that would. */
  async close(): Promise<void> {
    const wishes = [...this.#wishes].filter(([{ tries }]) => tries === 0);
    for (const [part] of wishes) Object.assign(part, { dueMs: 0, mayRest: false });
    await this.#rewrites?.try(wishes);
  }
}

interface Part {
  readonly oid: number;
  readonly name: string;
  /** How often something was deleted there, */
  wanted: number;
  /** and how much of that is gone. */
  clean: number;
  /** It cannot be rewritten. */
  isLost: boolean;
  dueMs: number;
  mayRest: boolean;
  /** That did not help. */
  tries: number;
}

type Wish = readonly [part: Part, number: number];

/** Rewrites of tables, one at a time, for all stores of a process: callers that ask meanwhile share the next one. */
class Rewrites {
  static readonly #ofOwners = new WeakMap<PostgresQueries, Rewrites>();
  readonly #owner: PostgresQueries;
  readonly #mostBytes: number;
  readonly #parts = new Map<number, Part>();
  readonly #waiting = new Set<() => void>();
  #isWorking = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(owner: PostgresQueries, mostBytes: number) {
    this.#owner = owner;
    this.#mostBytes = mostBytes;
  }

  static of(owner: PostgresQueries, mostBytes = MOST_BYTES_TO_REWRITE): Rewrites {
    const known = Rewrites.#ofOwners.get(owner);
    if (known !== undefined && known.#mostBytes === mostBytes) return known;
    const made = new Rewrites(owner, mostBytes);
    Rewrites.#ofOwners.set(owner, made);
    return made;
  }

  /** @throws what the driver throws */
  async want(tables: readonly string[], users: readonly unknown[] | null): Promise<readonly Part[]> {
    if (tables.length === 0) return [];
    const { rows } = await this.#owner.query(PARTS, [tables, users]);
    return rows.map(({ oid, name }) => {
      const made = { oid, name, wanted: 0, clean: 0, isLost: false, dueMs: 0, mayRest: true, tries: 0 };
      const part = this.#parts.get(oid) ?? made;
      this.#parts.set(oid, part);
      part.wanted++;
      part.isLost = false;
      return part;
    });
  }

  /** Until they are fulfilled, or must wait for longer than a caller does. */
  async try(wishes: readonly Wish[]): Promise<void> {
    const isOpen = ([part, number]: Wish): boolean =>
      part.clean < number && !part.isLost && part.dueMs <= Date.now() + LONGEST_WAIT_MS;
    void this.#work();
    while (wishes.some(isOpen)) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  async #work(): Promise<void> {
    if (this.#isWorking) return;
    this.#isWorking = true;
    clearTimeout(this.#timer);
    for (;;) {
      const open = [...this.#parts.values()].filter((part) => part.clean < part.wanted && !part.isLost);
      const next = open.sort((a, b) => a.dueMs - b.dueMs)[0];
      const pauseMs = (next?.dueMs ?? Number.POSITIVE_INFINITY) - Date.now();
      if (next === undefined || pauseMs > 0) {
        this.#isWorking = false;
        if (next !== undefined) this.#timer = setTimeout(() => void this.#work(), pauseMs);
        // What no caller waits for keeps no process alive.
        if (pauseMs > LONGEST_WAIT_MS) this.#timer?.unref();
        return;
      }
      await this.#rewrite(next);
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
  }

  async #rewrite(part: Part): Promise<void> {
    const { oid, name, mayRest } = part;
    try {
      const { bytes, key, rested_ms } = (await this.#owner.query(STATE, [oid])).rows[0]!;
      if (Number(bytes) > this.#mostBytes) {
        part.isLost = true;
        await this.#owner.query(`VACUUM (SKIP_LOCKED, ANALYZE) ${name}`);
        return;
      }
      const restMs = REST_MS_PER_MIB * (1 + Number(bytes) / MIB);
      part.dueMs = Date.now() + restMs - Number(rested_ms ?? restMs);
      if (mayRest && part.dueMs > Date.now()) return;
      const { wanted } = part;
      // One query of several statements: what is set ends with it, through a pooler too, and VACUUM FULL takes no others beside it.
      // While it waits for the lock, others wait behind it. Samples of the planner may hold names: ANALYZE takes new ones.
      const answers = await this.#owner.query(
        `SET LOCAL lock_timeout = '2s'; LOCK TABLE ${name}; CLUSTER ${name} USING ${key}; ANALYZE ${name}; SELECT pg_stat_get_dead_tuples(${oid}) AS dead`,
      );
      const { dead } = (answers as unknown as readonly { readonly rows: Row[] }[]).at(-1)!.rows[0]!;
      part.dueMs = Date.now() + restMs;
      part.mayRest = true;
      // Rows that a transaction older than their end may still read survive.
      if (Number(dead) > 0) return this.#putOff(part);
      part.clean = wanted;
      part.tries = 0;
    } catch (error) {
      part.isLost = !isTimeout(error);
      this.#putOff(part);
    }
  }

  #putOff(part: Part): void {
    part.dueMs = Date.now() + PAUSES_MS[Math.min(part.tries++, PAUSES_MS.length - 1)]!;
    part.mayRest = false;
  }
}
