import { readdirSync, readFileSync } from 'node:fs';
import { ValidationError } from '../../core/errors.ts';
import type { PostgresQueries } from './client.ts';
import { translated } from './failures.ts';

/** Plain SQL files, applied in the order of their names; Supabase's CLI takes them as they are. */
const MIGRATIONS = new URL('./migrations/', import.meta.url);

/** Any number will do, if all starts of Longhand take the same. */
const LOCK = 7_105_110_103;

export interface AppliedSchema {
  /** Versions that were applied now; none when the schema was up to date. */
  readonly applied: readonly string[];
  readonly version: string;
}

/**
 * Makes the tables, or brings them up to date: all or nothing, and one at a time when many processes start together.
 * @param owner a connection (one, not a pool) of the role that is to own the tables; the store serves under `longhand_app`
 * @throws ValidationError SCHEMA_TOO_NEW, IOError
 */
export async function applySchema(owner: PostgresQueries): Promise<AppliedSchema> {
  const known = migrations();
  try {
    await owner.query('BEGIN');
    try {
      await owner.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
      await owner.query('CREATE SCHEMA IF NOT EXISTS longhand');
      await owner.query(
        'CREATE TABLE IF NOT EXISTS longhand.schema_versions (version text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
      );
      const { rows } = await owner.query('SELECT version FROM longhand.schema_versions ORDER BY version');
      const there = new Set(rows.map(({ version }) => String(version)));
      const last = known.at(-1)!.version;
      const newest = String(rows.at(-1)?.version ?? '');
      if (newest > last) throw schemaTooNew(newest, last);
      const missing = known.filter(({ version }) => !there.has(version));
      for (const { version, sql } of missing) {
        await owner.query(sql);
        await owner.query('INSERT INTO longhand.schema_versions (version) VALUES ($1)', [version]);
      }
      await owner.query('COMMIT');
      return { applied: missing.map(({ version }) => version), version: last };
    } catch (error) {
      await owner.query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  } catch (error) {
    throw translated(error);
  }
}

function migrations(): readonly { readonly version: string; readonly sql: string }[] {
  const names = readdirSync(MIGRATIONS)
    .filter((name) => name.endsWith('.sql'))
    .sort();
  return names.map((name) => ({
    version: name.slice(0, -'.sql'.length),
    sql: readFileSync(new URL(name, MIGRATIONS), 'utf8'),
  }));
}

function schemaTooNew(found: string, known: string): ValidationError {
  return new ValidationError(
    'SCHEMA_TOO_NEW',
    `The database has the schema ${found}, and this version of Longhand knows ${known}. Install a newer version.`,
    { details: { found, known } },
  );
}
