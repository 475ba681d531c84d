import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { PostgresStore } from 'longhand/postgres';
import { FakeClock } from 'longhand/testing';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer, type TestServer } from '../../longhand/test/postgres/server.ts';
import { AccountFiles } from '../src/access/account-files.ts';
import { ApiKeys } from '../src/access/api-keys.ts';
import { runCli, runJson } from './run-cli.ts';

/** Copying between folders and databases, both ways. */
const NOW = Date.parse('2026-03-01T12:00:00.000Z');
let postgres: TestServer;
let databases = 0;
let folder: string;
let closing: (() => Promise<unknown>)[];

beforeAll(async () => {
  postgres = await startServer();
  await inDatabase('postgres', 'CREATE ROLE keeper LOGIN CREATEROLE', 'CREATE ROLE guest LOGIN');
});
afterAll(() => postgres.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-migrate-'));
  closing = [];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  rmSync(folder, { recursive: true, force: true });
});

async function inDatabase(name: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(postgres.connection(name));
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function emptyDatabase(): Promise<string> {
  const name = `m${++databases}`;
  await inDatabase('postgres', `CREATE DATABASE ${name} OWNER keeper`);
  return name;
}

function address(name: string, user = 'keeper'): string {
  const { host, port } = postgres.connection();
  return `postgres:///${name}?host=${encodeURIComponent(host)}&port=${port}&user=${user}`;
}

function inFolder(root: string, account = 'local'): MemoryManager {
  return kept(new MemoryManager({ storageRoot: root, account, clock: new FakeClock(NOW) }));
}

function onDatabase(name: string, account = 'local'): MemoryManager {
  const pool = new pg.Pool({ ...postgres.connection(name), user: 'keeper' });
  closing.push(() => pool.end());
  const store = new PostgresStore({ pool, accountId: account });
  return kept(new MemoryManager({ store, account, clock: new FakeClock(NOW) }));
}

function kept(manager: MemoryManager): MemoryManager {
  closing.push(() => manager.close());
  return manager;
}

/** Something of everything that a store can hold, with what was changed, deleted and forgotten. */
async function fill(manager: MemoryManager, users: readonly string[]): Promise<void> {
  const { agents, journal, notes, details, transcripts, summaries, privacy } = await manager.layers();
  await agents.ensure('scout');
  for (const user of users) {
    for (const session_id of [`${user}-one`, `${user}-two`]) {
      await manager.createSession(user, {
        session_id,
        agents: ['scout'],
        preferences: { language: 'de' },
      });
      const id = await manager.addMemory(session_id, {
        type: 'finding',
        content: { text: `${user} has a dog 🐕` },
      });
      await manager.addMemories(session_id, [
        { type: 'decision', content: { text: 'A cat instead.' }, tags: ['pets.cats'], replaces: [id] },
        { type: 'preference', content: { text: 'Short\nanswers.' }, importance: 0.9 },
        { type: 'finding', content: { text: 'A mistake.' } },
      ]);
      const memories = await manager.queryMemories(session_id, { limit: 10 });
      await manager.updateMemory(session_id, memories[0]!.id, { tags: ['seen'] });
      await manager.deleteMemory(session_id, memories.at(-1)!.id);
      const provenance = { author: 'assistant', trust: 'agent', session_id, user_id: user } as const;
      await journal.save('scout', 'journal', `${user} said hello in ${session_id}.`, { provenance });
      const turn = Array.from({ length: 8 }, (_, i) => ({
        ...{ id: `${session_id}-${i}`, role: i % 2 === 0 ? ('user' as const) : ('assistant' as const) },
        ...{ content: `Message ${i}`, timestamp: '2026-02-01T10:00:00.000Z' },
      }));
      await transcripts.archive(session_id, turn);
      await summaries.recompute(session_id);
      await details.store(session_id, { key: `${session_id}_log`, content: `${user} `.repeat(200_000) });
      await details.store(session_id, { content: 'short' });
    }
    await notes.apply(user, 'scout', { operation: 'append', content: '# Facts\nLikes tea.\n' });
    await notes.apply(user, 'scout', { operation: 'append', content: 'And coffee.\n' });
    await privacy.forget({ session: `${user}-two`, ids: [`${user}-two-3`] });
  }
  await journal.save('scout', 'core', 'Be kind.');
}

/** What the users and sessions of a store look like from outside, to the byte. */
async function exportsOf(manager: MemoryManager, users: readonly string[]): Promise<string> {
  const { privacy } = await manager.layers();
  const lines: string[] = [];
  for (const user of users) for await (const line of privacy.exportUser(user)) lines.push(line);
  for (const { id } of await manager.listSessions()) {
    for (const format of ['json', 'jsonl'] as const) lines.push(await manager.exportSession(id, format));
  }
  lines.push(JSON.stringify(await privacy.receipts()));
  return lines.join('\n');
}

function migrate(from: string, to: string, ...more: readonly string[]) {
  return runCli(...commandLine(from, to), ...more);
}

function commandLine(from: string, to: string): readonly string[] {
  return ['migrate', '--from', from, '--to', to, '--state-folder', join(folder, 'state')];
}

interface Report {
  readonly is_whole: boolean;
  readonly records: number;
  readonly already_there: number;
  readonly details: number;
}

function migrated(from: string, to: string): Promise<Report> {
  return runJson<Report>(...commandLine(from, to));
}

describe('longhand migrate', () => {
  it('takes a folder to a database and back, and every export is the same to the byte', async () => {
    const [first, last, name] = [join(folder, 'first'), join(folder, 'last'), await emptyDatabase()];
    const before = inFolder(first);
    await fill(before, ['ada', 'ben']);
    const expected = await exportsOf(before, ['ada', 'ben']);
    expect(expected.length).toBeGreaterThan(1_000_000);
    await before.close();
    const keys = new ApiKeys(new AccountFiles(join(first, 'server')));
    const { token } = await keys.create({ label: 'kept', access: 'read' });

    expect(await migrated(first, address(name))).toMatchObject({
      is_whole: true,
      accounts: ['local'],
      api_keys: 1,
    });
    const between = onDatabase(name);
    expect(await exportsOf(between, ['ada', 'ben'])).toBe(expected);

    expect(await migrated(address(name), last)).toMatchObject({
      is_whole: true,
      sessions: 4,
      details: 8,
      api_keys: 1,
    });
    expect(await exportsOf(inFolder(last), ['ada', 'ben'])).toBe(expected);
    expect(await new ApiKeys(new AccountFiles(join(last, 'server'))).verify(token)).toBeDefined();
    expect((await onDatabase(name).recall('ada', 'answers')).map(({ type }) => type)).toContain('preference');
  });

  it('finishes what a killed process began, both ways, and doubles nothing', async () => {
    const [first, name] = [join(folder, 'first'), await emptyDatabase()];
    const before = inFolder(first);
    await fill(before, ['ada']);
    const expected = await exportsOf(before, ['ada']);
    await before.close();
    const toDatabase = await interrupted(first, address(name), 'database');
    expect(toDatabase).toMatchObject({ is_whole: true, details: 4 });
    expect(toDatabase.already_there).toBeGreaterThan(0);
    expect(await exportsOf(onDatabase(name), ['ada'])).toBe(expected);

    const last = join(folder, 'last');
    const toFolder = await interrupted(address(name), last, 'folder');
    expect(toFolder).toMatchObject({ is_whole: true, records: toDatabase.records, details: 4 });
    expect(await exportsOf(inFolder(last), ['ada'])).toBe(expected);
    // Once more, when all is done: everything is there.
    const again = await migrated(address(name), last);
    expect(again).toMatchObject({ is_whole: true, already_there: again.records });
  });

  /** Begins the same copy again and again, each time with a process that dies a little later. */
  async function interrupted(from: string, to: string, kind: 'folder' | 'database'): Promise<Report> {
    for (const nth of [1, 4, 3, 2]) {
      const script = join(import.meta.dirname, 'processes/dying-migration.ts');
      const args = [
        '--conditions=longhand-source',
        '--disable-warning=ExperimentalWarning',
        script,
        kind,
        String(nth),
      ];
      const child = spawn(process.execPath, [...args, ...commandLine(from, to)], { stdio: 'ignore' });
      const [code, signal] = await once(child, 'exit');
      expect({ code, signal }).toEqual({ code: null, signal: 'SIGKILL' });
    }
    return migrated(from, to);
  }

  it('goes on when the old store has grown since, and refuses one that says something else', async () => {
    const [first, name] = [join(folder, 'first'), await emptyDatabase()];
    const manager = inFolder(first);
    await manager.createSession('ada', { session_id: 'one' });
    expect((await migrate(first, address(name))).exitCode).toBe(0);
    await manager.addMemory('one', { type: 'finding', content: { text: 'Later.' } });
    expect(await migrated(first, address(name))).toMatchObject({
      is_whole: true,
      records: 2,
      already_there: 1,
    });
    const there = onDatabase(name);
    await there.addMemory('one', { type: 'finding', content: { text: 'Said there.' } });
    await manager.createSession('ada', { session_id: 'two' });
    const refused = await migrate(first, address(name));
    expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
    expect(refused.stderr).toContain(
      'The new store holds session one already, and it is not what the old store',
    );
    expect((await there.listSessions()).map(({ id }) => id)).toEqual(['one']);
  });

  it('takes every account of a folder to its own, with what is its own of the agents and notes that all share', async () => {
    const [first, name] = [join(folder, 'first'), await emptyDatabase()];
    await fill(inFolder(first, 'acme'), ['ada']);
    const local = inFolder(first);
    await fill(local, ['ben']);
    const { stdout, exitCode } = await migrate(first, address(name));
    expect(exitCode).toBe(0);
    expect(stdout).toContain('They belong to the accounts acme, local.\n');
    for (const [account, user, other] of [
      ['acme', 'ada', 'ben'],
      ['local', 'ben', 'ada'],
    ] as const) {
      const manager = onDatabase(name, account);
      expect((await manager.listSessions()).map(({ user_id }) => user_id)).toEqual([user, user]);
      const { journal, notes, privacy } = await manager.layers();
      const texts = (await journal.list('scout')).map(({ content }) => content).sort();
      expect(texts).toEqual([
        'Be kind.',
        'Be kind.',
        `${user} said hello in ${user}-one.`,
        `${user} said hello in ${user}-two.`,
      ]);
      expect((await notes.read(user, 'scout')).text).toContain('Likes tea.');
      expect((await notes.read(other, 'scout')).text).toBe('');
      expect(await privacy.receipts()).toHaveLength(1);
    }
    const back = join(folder, 'acme');
    expect((await migrate(address(name), back, '--account', 'acme')).exitCode).toBe(0);
    expect((await inFolder(back, 'acme').listSessions()).map(({ id }) => id)).toEqual(['ada-one', 'ada-two']);
    // What agents are called, a folder has once.
    const mixed = await migrate(address(name), back, '--account', 'local');
    expect(mixed).toMatchObject({ exitCode: 2, stdout: '' });
    expect(mixed.stderr).toContain('The new store holds agent scout already');
  });

  it('says what is wrong with a store that it cannot copy from or to', async () => {
    const [first, name] = [join(folder, 'first'), await emptyDatabase()];
    await inFolder(first).createSession('ada', { session_id: 'one' });
    for (const [from, to, exitCode, words] of [
      [first, 'mysql://host/db', 2, '--to must be a folder, or an address like postgres://'],
      [join(folder, 'none'), address(name), 2, 'There is no folder'],
      [first, first, 2, '--from and --to name the same store.'],
      [first, address('no_such_database'), 5, 'Postgres refused the connection (3D000)'],
      [first, 'postgres://127.0.0.1:1/none', 5, 'Postgres cannot be reached (ECONNREFUSED)'],
      [first, address(name, 'guest'), 5, 'This login may not make or upgrade Longhand’s tables'],
      [address(name), join(folder, 'last'), 5, 'There is no store in postgres://'],
    ] as const) {
      const run = await migrate(from, to);
      expect(run, to).toMatchObject({ exitCode, stdout: '' });
      expect(run.stderr).toContain(words);
    }
    expect((await migrate(first, address(name))).exitCode).toBe(0);
    const other = await migrate(address(name), join(folder, 'last'), '--account', 'acme');
    expect(other.exitCode).toBe(2);
    expect(other.stderr).toContain('holds nothing of the account acme. Name another with --account.');
    mkdirSync(join(folder, 'last'), { recursive: true });
    expect((await migrate(address(name), join(folder, 'last'))).stdout).toMatch(
      /^Copied 1 session, 0 agents/,
    );
    expect(readFileSync(join(folder, 'last/sessions/one/memory.jsonl'), 'utf8')).toContain('"user_id":"ada"');
  });
});
