import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Body, startTestServer, type TestServer } from './http-fixture.ts';
import { runCli } from './run-cli.ts';

/** What is reported to an operator about a folder in which things have gone wrong, and what to a user of it. */
const root = mkdtempSync(join(tmpdir(), 'longhand-health-'));
let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ flags: { 'auth-enabled': true }, storageRoot: root });
});
afterAll(async () => {
  // What could not be archived can be by now: the server need not leave it behind.
  rmSync(inSession('talk'), { recursive: true, force: true });
  await server.stop();
  rmSync(root, { recursive: true });
});

const inSession = (id: string, name = 'transcript.jsonl'): string => join(root, 'sessions', id, name);

async function keyOf(
  access: 'read' | 'write' | 'admin',
  user_id: string | null,
): Promise<Record<string, string>> {
  const binding = { user_id, agent_id: null };
  const { token } = await server.services.gate.keys.create({ label: access, access, ...binding });
  return { authorization: `Bearer ${token}`, ...(user_id === null ? { 'longhand-user': 'ada' } : {}) };
}

it('is of the whole store for an admin of all, and of the own user for all others', async () => {
  const [asAdmin, asAda, asBob] = await Promise.all([
    keyOf('admin', null),
    keyOf('write', 'ada'),
    keyOf('admin', 'bob'),
  ]);
  const health = (headers: Record<string, string>) => server.done('GET', '/api/health', undefined, headers);
  for (const headers of [asAda, asBob])
    await server.done('POST', '/api/memories', { content: 'The tide turns at six' }, headers);
  expect(await health(asAdmin)).toMatchObject({
    ...{ scope: 'store', is_well: true, users_checked: 2, is_complete: true, verification: null },
    store: { kind: 'folder', redis: 'none', memories: 2, damaged_lines: 0 },
    search_index: { state: 'none', sessions_behind: 0 },
  });
  const ofAda = await health(asAda);
  expect(ofAda).toMatchObject({ scope: 'user', is_well: true, users_checked: 1, verification: null });
  expect(ofAda.store).toEqual({ kind: 'folder', redis: 'none' });

  // A session of Bob's cannot be read, and a conversation of Ada's cannot be archived.
  const { session_id } = await server.done(
    'POST',
    '/api/memories',
    { content: 'The tide turns at seven' },
    asBob,
  );
  appendFileSync(inSession(session_id, 'memory.jsonl'), '{"schema_version":9}\n');
  const said = { session_id: 'talk', new_messages: [{ role: 'user', content: 'Good morning' }] };
  await server.done('POST', '/api/chat', said, asAda);
  expect((await health(asAda)).spool).toMatchObject({ messages: 2, oldest: expect.any(String), failed: [] });
  mkdirSync(inSession('talk'));
  expect((await server.call('POST', '/api/sessions/talk/close', {}, asAda)).status).toBe(503);
  const failed = [{ session_id: 'talk', code: 'IO_FAILED', failed_at: expect.any(String) }];
  expect(await health(asAda)).toMatchObject({ is_well: false, spool: { messages: 2, failed } });
  const unreadable = { user_id: 'bob', session_id, code: 'SCHEMA_TOO_NEW' };
  expect(await health(asBob)).toMatchObject({
    ...{ scope: 'user', is_well: false, unreadable_sessions: [unreadable] },
    spool: { messages: 0, oldest: null, failed: [] },
  });
  expect((await health(asAda)).unreadable_sessions).toEqual([]);
  expect(await health(asAdmin)).toMatchObject({
    ...{ scope: 'store', is_well: false, unreadable_sessions: [unreadable] },
    spool: { messages: 2, failed },
  });

  // The last look at every byte is noted, for those who look after the store.
  expect((await runCli('verify', '--storage-root', root)).exitCode).toBe(1);
  const { verification } = (await health(asAdmin)) as unknown as { verification: Body };
  expect(verification).toEqual({
    verified_at: expect.any(String),
    is_sound: false,
    damage: expect.any(Number),
  });
  expect((await health(asAda)).verification).toBe(null);

  // Once it is archived, nothing waits.
  rmSync(inSession('talk'), { recursive: true });
  await server.done('POST', '/api/sessions/talk/close', {}, asAda);
  expect(await health(asAda)).toMatchObject({
    is_well: true,
    spool: { messages: 0, oldest: null, failed: [] },
  });
});
