import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { IOError, ValidationError } from '../../core/errors.ts';
import type { PostgresQueries } from './client.ts';
import { HOW_TO_APPLY, isDenied, translated } from './failures.ts';

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
  for (let tries = 1; ; tries++) {
    try {
      return await applyOnce(owner);
    } catch (error) {
      if (tries === MOST_TRIES || !isRoleInUse(error))
        throw isDenied(error) ? mayNotApply(error) : translated(error);
      await setTimeout(100 * Math.random());
    }
  }
}

const MOST_TRIES = 50;

/** Another database of the same server is changing the role `longhand_app`, which they share; the lock is of one database. */
function isRoleInUse(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'XX000' && String(message).includes('tuple concurrently');
}

async function applyOnce(owner: PostgresQueries): Promise<AppliedSchema> {
  const known = migrations();
  await owner.query('BEGIN');
  try {
    await owner.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    const there = new Set(await appliedVersions(owner));
    const last = known.at(-1)!.version;
    for (const version of there) if (version > last) throw schemaTooNew(version, last);
    const missing = known.filter(({ version }) => !there.has(version));
    for (const { sql } of missing) await owner.query(sql);
    await owner.query('COMMIT');
    return { applied: missing.map(({ version }) => version), version: last };
  } catch (error) {
    await owner.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** How the schema of a database stands to the one that this version knows. @throws IOError */
export async function schemaState(
  connection: PostgresQueries,
): Promise<'missing' | 'older' | 'current' | 'newer'> {
  try {
    const found = (await appliedVersions(connection)).sort().at(-1);
    const known = migrationNames().at(-1)!;
    if (found === undefined) return 'missing';
    return found === known ? 'current' : found < known ? 'older' : 'newer';
  } catch (error) {
    throw translated(error);
  }
}

/** Each file notes by itself that it was applied. */
async function appliedVersions(owner: PostgresQueries): Promise<string[]> {
  const { rows: tables } = await owner.query(
    "SELECT to_regclass('longhand.schema_versions') IS NOT NULL AS is_there",
  );
  if (tables[0]?.is_there !== true) return [];
  const { rows } = await owner.query('SELECT version FROM longhand.schema_versions');
  return rows.map(({ version }) => version as string);
}

/** The store knows one version of the schema. @throws ValidationError SCHEMA_TOO_NEW, IOError STORAGE_ROOT_UNUSABLE */
export function checkVersion(found: string): void {
  const known = migrationNames().at(-1)!;
  if (found > known) throw schemaTooNew(found, known);
  if (found < known)
    throw new IOError(
      'STORAGE_ROOT_UNUSABLE',
      `The database has the schema ${found}, and this version of Longhand needs ${known}. ${HOW_TO_APPLY}`,
      { details: { found, known } },
    );
}

function migrationNames(): readonly string[] {
  const names = readdirSync(MIGRATIONS).filter((name) => name.endsWith('.sql'));
  return names.map((name) => name.slice(0, -'.sql'.length)).sort();
}

function migrations(): readonly { readonly version: string; readonly sql: string }[] {
  return migrationNames().map((version) => ({
    version,
    sql: readFileSync(new URL(`${version}.sql`, MIGRATIONS), 'utf8'),
  }));
}

function mayNotApply(cause: unknown): IOError {
  return new IOError(
    'ACCESS_DENIED',
    'This login may not make or upgrade Longhand’s tables (42501). Use the role that owns the database (--database-owner-url). ' +
      'It needs CREATEROLE once, or an administrator runs: CREATE ROLE longhand_app NOLOGIN; GRANT longhand_app TO that role.',
    { cause, details: { code: '42501' } },
  );
}

function schemaTooNew(found: string, known: string): ValidationError {
  return new ValidationError(
    'SCHEMA_TOO_NEW',
    `The database has the schema ${found}, and this version of Longhand knows ${known}. Install a newer version.`,
    { details: { found, known } },
  );
}
