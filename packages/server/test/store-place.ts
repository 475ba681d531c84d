import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogStore, MemoryManager, MemoryManagerOptions } from 'longhand';
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

/** The store that stands for a folder, in the process of the test. */
export async function storeOf(root: string): Promise<LogStore> {
  // The set-up of the project loads this file without the sources of the library.
  if (!IS_DATABASE) return new (await import('longhand')).FileStore({ root });
  const { PostgresStore } = await import('longhand/postgres');
  const pool = new pg.Pool({ connectionString: await databaseFor(root), max: 2 });
  pool.on('error', () => undefined);
  const store = new PostgresStore({ pool, accountId: 'local' });
  const close = store.close.bind(store);
  let ended: Promise<void> | undefined;
  store.close = () => {
    ended ??= close().then(() => pool.end());
    return ended;
  };
  return store;
}

/** A manager of it. */
export async function managerOf(
  root: string,
  options: Pick<MemoryManagerOptions, 'clock'> = {},
): Promise<MemoryManager> {
  const { MemoryManager } = await import('longhand');
  const place = IS_DATABASE ? { store: await storeOf(root) } : { storageRoot: root };
  return new MemoryManager({ ...place, ...options });
}

/** Gives the store that stands for a folder settings of its own. */
export async function putConfig(root: string, settings: object): Promise<void> {
  const text = JSON.stringify(settings);
  if (!IS_DATABASE) return writeFileSync(join(root, 'config.json'), text);
  const client = new pg.Client({ connectionString: await databaseFor(root) });
  await client.connect();
  const claims = '{"account_id":"local","role":"service"}';
  const write = "SELECT longhand.write_document($1, '', '', NULL, NULL, 'config.json', $2, '{}')";
  await client.query(write, [claims, text]);
  await client.end();
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
