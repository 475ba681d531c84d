import type { LogAddress } from '../../core/store.ts';
import type { PostgresQueries } from './client.ts';

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
/** Autovacuum and other short work may be in the way of the first try. */
const PAUSES_MS = [0, 500];
const PARTS = `SELECT c.oid, c.oid::regclass::text AS name, pg_total_relation_size(c.oid) AS bytes, pg_relation_filenode(c.oid) AS file
  FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
  WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND coalesce(i.inhparent::regclass::name, c.relname) = ANY ($1)
    AND (i.inhparent IS NULL OR $2::text[] IS NULL OR EXISTS (
      SELECT FROM unnest($2::text[]) AS u WHERE satisfies_hash_partition(i.inhparent, 16, substring(c.relname FROM '\\d+$')::integer, u)))`;
const LEFT = 'SELECT pg_stat_get_dead_tuples($1) AS dead, pg_relation_filenode($1) AS file';

/**
 * Deleted rows keep their bytes in the files of the database, and so does the free space that a plain VACUUM makes: only
 * a rewrite of the table is without them. It takes the role that owns the tables.
 */
export class Remains {
  readonly #owner: PostgresQueries | undefined;
  readonly #mostBytes: number;
  readonly #tables = new Set<string>();
  /** Their partitions; `undefined` stands for all. */
  readonly #users = new Set<string | undefined>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(owner: PostgresQueries | undefined, mostBytes = MOST_BYTES_TO_REWRITE) {
    this.#owner = owner;
    this.#mostBytes = mostBytes;
  }

  /** Something was deleted there. */
  note(userId: string | undefined, ...kinds: (keyof typeof TABLES)[]): void {
    for (const table of kinds.flatMap((kind) => TABLES[kind])) this.#tables.add(table);
    this.#users.add(userId);
  }

  /** One after the other. @returns the tables that still hold bytes of what was deleted */
  remove(): Promise<readonly string[]> {
    const next = this.#last.then(() => this.#remove());
    this.#last = next;
    return next;
  }

  async #remove(): Promise<readonly string[]> {
    const [tables, users] = [[...this.#tables].sort(), [...this.#users]];
    this.#tables.clear();
    this.#users.clear();
    if (this.#owner === undefined) return tables;
    try {
      const { rows } = await this.#owner.query(PARTS, [tables, users.includes(undefined) ? null : users]);
      let parts = rows as Part[];
      for (const pauseMs of PAUSES_MS) {
        if (parts.length > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        const left: Part[] = [];
        for (const part of parts) if (!(await this.#isClean(part))) left.push(part);
        parts = left;
      }
      return parts.map(({ name }) => name).sort();
    } catch {
      return tables;
    }
  }

  /** Rows that a transaction older than their end may still read survive the rewrite: then it is not clean. */
  async #isClean({ oid, name, bytes, file }: Part): Promise<boolean> {
    const isLarge = Number(bytes) > this.#mostBytes;
    try {
      // Samples of the planner may hold names of users: ANALYZE takes new ones.
      await this.#owner!.query(`VACUUM (${isLarge ? '' : 'FULL, '}ANALYZE) ${name}`);
      const { rows } = await this.#owner!.query(LEFT, [oid]);
      // Postgres only warns a role that may not rewrite the table, and counts dead rows late: the table has its old file.
      return !isLarge && rows[0]?.file !== file && Number(rows[0]?.dead) === 0;
    } catch {
      // Such as a lock that was not to be had in time.
      return false;
    }
  }
}

type Part = { readonly oid: number; readonly name: string; readonly bytes: string; readonly file: number };
