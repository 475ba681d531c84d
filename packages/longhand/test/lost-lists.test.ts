import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { temporaryFolder } from './campaign.ts';

/**
 * The folders of users hold what is made from the logs, beside notes. A person who removes them, or restores only the
 * sessions, loses no session: each is listed, found, exported and forgotten as before.
 */
let root: string;

beforeEach(async () => {
  root = join(temporaryFolder(false), 'store');
  await using manager = new MemoryManager({ storageRoot: root });
  for (const [userId, ids] of [
    ['ada', ['one', 'two', 'three']],
    ['bob', ['other']],
  ] as const) {
    for (const session_id of ids) {
      await manager.createSession(userId, { session_id });
      await manager.addMemory(session_id, { type: 'finding', content: { text: `A boat of ${session_id}` } });
    }
    await manager.queryMemories(ids[0], { text: 'boat', scope: 'user' });
  }
});

const LOSSES: Readonly<Record<string, () => void>> = {
  'the folder of all users': () => rmSync(join(root, 'users'), { recursive: true }),
  'all that is in it': () => {
    for (const name of readdirSync(join(root, 'users')))
      rmSync(join(root, 'users', name), { recursive: true });
  },
  "a user's list of sessions": () => rmSync(join(root, 'users/ada/changes')),
  'what stood in it': () => writeFileSync(join(root, 'users/ada/changes'), ''),
  'most of what stood in it': () =>
    writeFileSync(join(root, 'users/ada/changes'), '\0\x01\xff\ntwo\n', 'latin1'),
};

test.each(Object.entries(LOSSES))('nothing is missing without %s', async (_, lose) => {
  lose();
  await using manager = new MemoryManager({ storageRoot: root });
  expect((await manager.listSessions('ada')).map(({ id }) => id)).toEqual(['one', 'three', 'two']);
  expect((await manager.listSessions('bob')).map(({ id }) => id)).toEqual(['other']);
  expect(await manager.queryMemories('one', { text: 'boat', scope: 'user' })).toHaveLength(3);
  expect(await manager.searchSessions('ada', 'boat')).toHaveLength(3);
  expect((await manager.verify()).damage).toEqual([]);
});

test.each(Object.entries(LOSSES))('a write does not hide the others without %s', async (_, lose) => {
  lose();
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.addMemory('two', { type: 'finding', content: { text: 'One more boat' } });
  expect(await manager.queryMemories('one', { text: 'boat', scope: 'user' })).toHaveLength(4);
  expect(await manager.listSessions('ada')).toHaveLength(3);
});

test.each(Object.entries(LOSSES))('a user is forgotten whole without %s', async (_, lose) => {
  lose();
  await using manager = new MemoryManager({ storageRoot: root });
  await (await manager.layers()).privacy.forget({ user: 'ada' });
  expect(readdirSync(join(root, 'sessions')).filter((name) => !name.startsWith('.'))).toEqual(['other']);
  expect(existsSync(join(root, 'users/ada'))).toBe(false);
});

test.each(Object.entries(LOSSES))('a process that runs goes on without %s', async (_, lose) => {
  await using manager = new MemoryManager({ storageRoot: root });
  const boats = async (from: string) =>
    (await manager.queryMemories(from, { text: 'boat', scope: 'user' })).length;
  expect(await boats('one')).toBe(3);
  lose();
  expect(await manager.listSessions('ada')).toHaveLength(3);
  lose();
  await manager.addMemory('two', { type: 'finding', content: { text: 'One more boat' } });
  expect(await boats('one')).toBe(4);
  await manager.addMemory('one', { type: 'finding', content: { text: 'Another boat' } });
  expect([await boats('one'), await boats('three')]).toEqual([5, 5]);
  lose();
  await manager.createSession('ada', { session_id: 'four' });
  expect(await manager.listSessions('ada')).toHaveLength(4);
  await using other = new MemoryManager({ storageRoot: root });
  expect(await other.listSessions('ada')).toHaveLength(4);
  expect(await other.queryMemories('one', { text: 'boat', scope: 'user' })).toHaveLength(5);
});

test('sessions that were made after the last look at all logs are found too', async () => {
  const young = join(temporaryFolder(false), 'young');
  await using manager = new MemoryManager({ storageRoot: young });
  for (const session_id of ['one', 'two']) await manager.createSession('ada', { session_id });
  rmSync(join(young, 'users/ada/changes'));
  expect(await manager.listSessions('ada')).toHaveLength(2);
});

test('a session whose first record is damaged is listed by its metadata, and by none without', async () => {
  {
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.rebuildIndex('two');
  }
  for (const id of ['two', 'three']) {
    const path = join(root, 'sessions', id, 'memory.jsonl');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"record":"session"', '"record":"sessi0n"'));
    if (id === 'three') rmSync(join(root, 'sessions', id, 'metadata.json'), { force: true });
  }
  rmSync(join(root, 'users'), { recursive: true });
  await using manager = new MemoryManager({ storageRoot: root });
  expect((await manager.listSessions('ada')).map(({ id }) => id)).toEqual(['one', 'two']);
  expect((await manager.verify()).damage.map(({ kind }) => kind)).toContain('owner');
});

test('a session that was put there by hand is reported, and taken in by rebuildIndex', async () => {
  const elsewhere = join(temporaryFolder(false), 'elsewhere');
  {
    await using manager = new MemoryManager({ storageRoot: elsewhere });
    await manager.createSession('ada', { session_id: 'brought' });
    await manager.addMemory('brought', { type: 'finding', content: { text: 'A boat from elsewhere' } });
  }
  cpSync(join(elsewhere, 'sessions/brought'), join(root, 'sessions/brought'), { recursive: true });
  await using manager = new MemoryManager({ storageRoot: root });
  expect(await manager.listSessions('ada')).toHaveLength(3);
  expect((await manager.verify()).damage).toMatchObject([
    {
      kind: 'unnamed',
      reason: expect.stringContaining('`longhand reindex --user ada` takes it in') as string,
    },
  ]);
  await manager.rebuildIndex('brought');
  expect((await manager.verify()).damage).toEqual([]);
  expect(await manager.listSessions('ada')).toHaveLength(4);
  expect(await manager.queryMemories('one', { text: 'boat', scope: 'user' })).toHaveLength(4);
});

test('sessions that were put there by hand are taken in, those of their user and no others', async () => {
  const elsewhere = join(temporaryFolder(false), 'elsewhere');
  const brought = Array.from({ length: 70 }, (_, i) => `brought-${String(i).padStart(2, '0')}`);
  {
    await using manager = new MemoryManager({ storageRoot: elsewhere });
    for (const session_id of [...brought, 'of-bob']) {
      await manager.createSession(session_id === 'of-bob' ? 'bob' : 'ada', { session_id });
      await manager.addMemory(session_id, { type: 'finding', content: { text: 'A boat from elsewhere' } });
    }
  }
  for (const id of [...brought, 'of-bob'])
    cpSync(join(elsewhere, 'sessions', id), join(root, 'sessions', id), { recursive: true });
  await using manager = new MemoryManager({ storageRoot: root });
  const ada = manager.as({ account_id: 'local', user_id: 'ada' });
  expect(await ada.listSessions()).toHaveLength(3);
  const progress: (readonly [number, number])[] = [];
  expect(await ada.adoptSessions((...step) => progress.push(step))).toEqual(brought);
  // With those of Bob, one of which is not listed either.
  expect(progress).toEqual([
    [64, 72],
    [72, 72],
  ]);
  expect(await ada.listSessions()).toHaveLength(73);
  expect(
    await manager.queryMemories('one', { text: 'boat', scope: 'user', limit: 100, collapse: false }),
  ).toHaveLength(73);
  expect(await ada.adoptSessions()).toEqual([]);
  expect(await manager.listSessions('bob')).toHaveLength(1);
  expect(await manager.as({ account_id: 'local', user_id: 'unknown' }).adoptSessions()).toEqual([]);
});

test('a user whose folder is gone is exported and forgotten whole', async () => {
  rmSync(join(root, 'users/ada'), { recursive: true });
  await using manager = new MemoryManager({ storageRoot: root });
  const { privacy } = await manager.layers();
  const lines: string[] = [];
  for await (const line of privacy.exportUser('ada')) lines.push(line);
  expect(lines.filter((line) => line.includes('A boat of'))).toHaveLength(3);
  expect(await manager.listSessions('ada')).toHaveLength(3);
  expect(await privacy.forget({ user: 'ada' })).toMatchObject({ pieces: { sessions: 3 } });
  expect(readdirSync(join(root, 'users'))).toEqual(['bob']);
});

test('a log with an invalid user id keeps no store from opening', async () => {
  mkdirSync(join(root, 'sessions/strange'));
  const record = { schema_version: 1, record: 'session', session_id: 'strange', user_id: 'x'.repeat(300) };
  writeFileSync(join(root, 'sessions/strange/memory.jsonl'), `${JSON.stringify(record)}\n`);
  rmSync(join(root, 'users'), { recursive: true });
  await using manager = new MemoryManager({ storageRoot: root });
  expect(await manager.listSessions('ada')).toHaveLength(3);
});

test('a copy of a session that a person made by hand is exported and forgotten with its user', async () => {
  cpSync(join(root, 'sessions/two'), join(root, 'sessions/two-backup'), { recursive: true });
  await using manager = new MemoryManager({ storageRoot: root });
  const { privacy } = await manager.layers();
  const lines: string[] = [];
  for await (const line of privacy.exportUser('ada')) lines.push(line);
  expect(lines.filter((line) => line.includes('A boat of two'))).toHaveLength(2);
  await privacy.forget({ user: 'ada' });
  expect(readdirSync(join(root, 'sessions')).filter((name) => !name.startsWith('.'))).toEqual(['other']);
});
