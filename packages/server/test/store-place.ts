import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, inject } from 'vitest';

/**
 * Which store the tests of the server run on: folders, or, in the project `postgres`, databases. A test names a folder, as
 * a person would; here it becomes the database that stands for it.
 */
const IS_DATABASE = process.env.TEST_STORE === 'postgres';

/** What tests may expect of the store. Tests of what only one of them has are made for that one. */
export const SUPPORTS = {
  /** Files that people read, edit, damage or move. */
  folder: !IS_DATABASE,
};

/** The database that all others are copies of. */
export const TEMPLATE = 'longhand_template';

const made = new Map<string, Promise<string>>();

/** The settings that name the store of a folder. */
export async function storeFlags(root: string): Promise<Readonly<Record<string, string>>> {
  if (!IS_DATABASE) return { 'storage-root': root };
  return { 'database-url': await databaseFor(root), 'state-folder': join(root, 'server') };
}

/** A command line with the store that it names. */
export async function withStore(args: readonly string[]): Promise<readonly string[]> {
  const behind = args.indexOf('--');
  const own = behind < 0 ? args : args.slice(0, behind);
  const at = own.findLastIndex((word) => word === '--storage-root' || word === '--root');
  const root = own[at + 1];
  if (!IS_DATABASE || at < 0 || root === undefined) return args;
  const flags = Object.entries(await storeFlags(root)).flatMap(([name, value]) => [`--${name}`, value]);
  return args.toSpliced(at, 2, ...flags);
}

/** The address of the database that stands for a folder, made when it is first asked for. */
export function databaseFor(root: string): Promise<string> {
  const known = made.get(root) ?? makeDatabase(nameFor(root));
  made.set(root, known);
  return known;
}

async function makeDatabase(name: string): Promise<string> {
  await asKeeper(`CREATE DATABASE ${name} TEMPLATE ${TEMPLATE}`);
  const { host, port, user } = inject('postgres');
  return `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`;
}

function nameFor(root: string): string {
  return `t_${createHash('sha256').update(root).digest('hex').slice(0, 24)}`;
}

async function asKeeper(statement: string): Promise<void> {
  const client = new pg.Client({ ...inject('postgres'), database: 'postgres' });
  await client.connect();
  await client.query(statement);
  await client.end();
}

if (IS_DATABASE) {
  afterAll(async () => {
    for (const root of made.keys()) await asKeeper(`DROP DATABASE ${nameFor(root)} WITH (FORCE)`);
    made.clear();
  });
}
