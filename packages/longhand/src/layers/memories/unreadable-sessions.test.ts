import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MemoryManager, type ScopedMemory } from '../../index.ts';

let root: string;
let manager: MemoryManager;
let ada: ScopedMemory;
const told: string[] = [];
const open: MemoryManager[] = [];
beforeEach(() => {
  root = join(mkdtempSync(join(tmpdir(), 'longhand-unreadable-')), 'store');
  reopen();
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  rmSync(join(root, '..'), { recursive: true });
});

function reopen(): void {
  told.length = 0;
  manager = new MemoryManager({
    storageRoot: root,
    onEvent: (event) => {
      if (event.kind === 'session-unreadable') told.push(`${event.session_id} ${event.code}`);
    },
  });
  ada = manager.as({ account_id: 'local', user_id: 'ada' });
  open.push(manager);
}

const inSession = (id: string, name = 'memory.jsonl'): string => join(root, 'sessions', id, name);

/** `lost`, `ownerless` and `newer` are Ada's and cannot be read, `good` can; `bobs` is Bob's, and lost. */
async function spoil(): Promise<void> {
  for (const id of ['lost', 'ownerless', 'newer', 'good']) {
    await manager.createSession('ada', { session_id: id });
    await manager.addMemory(id, { type: 'finding', content: { text: `the harbour of ${id}` } });
  }
  await manager.createSession('bob', { session_id: 'bobs' });
  await manager.addMemory('bobs', { type: 'finding', content: { text: 'of another user' } });
  await manager.close();
  for (const id of ['lost', 'bobs']) rmSync(inSession(id));
  const text = readFileSync(inSession('ownerless'), 'utf8');
  writeFileSync(inSession('ownerless'), text.slice(text.indexOf('\n') + 1));
  appendFileSync(inSession('newer'), '{"schema_version":9}\n');
  reopen();
}

it('are named, each with what is wrong, and only to their user', async () => {
  await spoil();
  expect(await ada.unreadableSessions()).toEqual([
    {
      session_id: 'lost',
      code: 'SESSION_NOT_FOUND',
      reason: expect.stringContaining('log is lost') as string,
    },
    { session_id: 'newer', code: 'SCHEMA_TOO_NEW', reason: expect.stringContaining('version 9') as string },
    {
      session_id: 'ownerless',
      code: 'CORRUPT_SESSION',
      reason: expect.stringContaining('names its owner') as string,
    },
  ]);
  expect(await ada.unreadableSessions('newer')).toHaveLength(1);
  expect(await ada.unreadableSessions('good')).toEqual([]);
  expect(await ada.unreadableSessions('bobs')).toEqual([]);
  expect(await manager.as({ account_id: 'local', user_id: 'carla' }).unreadableSessions()).toEqual([]);
});

it('are reported when sessions are listed, of one user or of all', async () => {
  await spoil();
  expect((await manager.listSessions('ada')).map(({ id }) => id)).toEqual(['good']);
  const ofAda = ['lost SESSION_NOT_FOUND', 'newer SCHEMA_TOO_NEW', 'ownerless CORRUPT_SESSION'];
  expect([...told].sort()).toEqual(ofAda);
  await manager.listSessions();
  expect([...told].sort()).toEqual(['bobs SESSION_NOT_FOUND', ...ofAda]);
});

it('belong to whom metadata.json names, whatever else does', async () => {
  await spoil();
  const metadata = { session_id: 'lost', user_id: 'bob', account_id: 'local', created_at: '2026-01-01' };
  writeFileSync(inSession('lost', 'metadata.json'), JSON.stringify(metadata));
  expect(await ada.unreadableSessions('lost')).toEqual([]);
  expect(await manager.as({ account_id: 'local', user_id: 'bob' }).unreadableSessions('lost')).toHaveLength(
    1,
  );
  rmSync(inSession('lost', 'metadata.json'));
  mkdirSync(inSession('lost', 'metadata.json'));
  expect(await ada.unreadableSessions('lost')).toHaveLength(1);
});

it.each(['lost', 'ownerless', 'newer'])('go on in another session: %s', async (id) => {
  await spoil();
  const next = await ada.continueUnreadable(id, { agents: ['scout'] });
  expect(next).toMatchObject({ id: `${id}--2`, user_id: 'ada', agents: ['scout'] });
  expect(told.join()).toContain(id);
  expect((await ada.continueUnreadable(id)).id).toBe(`${id}--2`);
  await manager.close();
  rmSync(inSession(`${id}--2`));
  reopen();
  expect((await ada.continueUnreadable(id)).id).toBe(`${id}--3`);
});

it('go on for their user alone, and only when they cannot be read', async () => {
  await spoil();
  for (const id of ['good', 'bobs', 'none'])
    await expect(ada.continueUnreadable(id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

it('are reported at the end of an export', async () => {
  await spoil();
  const lines: { kind: string; session_id?: string }[] = [];
  for await (const line of ada.exportUser()) lines.push(JSON.parse(line));
  expect(lines.slice(-3).map(({ kind, session_id }) => [kind, session_id])).toEqual([
    ['damage', 'lost'],
    ['damage', 'newer'],
    ['damage', 'ownerless'],
  ]);
});
