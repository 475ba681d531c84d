import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PruneReport } from 'longhand';
import { afterAll, expect, it } from 'vitest';
import { startTestServer } from './http-fixture.ts';
import { runCli, runJson } from './run-cli.ts';
import { managerOf, SUPPORTS, storeOf } from './store-place.ts';

const folder = mkdtempSync(join(tmpdir(), 'longhand-prune-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const root = join(folder, 'store');
const store = ['--storage-root', root];
const WEEK = ['--transcript-retain-days', '7'];
const DAY_MS = 86_400_000;

/** As it was a month ago. */
async function fill(): Promise<void> {
  const clock = { now: () => Date.now() - 30 * DAY_MS, monotonic: () => performance.now() };
  await using manager = await managerOf(root, { clock });
  const { transcripts } = await manager.layers();
  for (const id of ['one', 'two']) {
    await manager.createSession('me', { session_id: id });
    await transcripts.archive(id, [{ id: `m-${id}`, role: 'user', content: `the secret of ${id}` }]);
  }
}

it('shows with --dry-run what would go, and then removes it', async () => {
  await fill();
  const kept = await runJson<PruneReport>('prune', ...store);
  expect(kept).toMatchObject({ messages: 0, sessions: [] });
  const rehearsed = await runCli('prune', '--dry-run', ...WEEK, ...store);
  expect(rehearsed.exitCode).toBe(0);
  const day = new Date(Date.now() - 30 * DAY_MS).toISOString().slice(0, 10);
  expect(rehearsed.stdout).toBe(
    ['one', 'two'].map((id) => `${id}  1 message and 0 details  the oldest of ${day}\n`).join(''),
  );
  expect(rehearsed.stderr).toContain('Would remove 2 messages and 0 details from 2 sessions.');
  const report = await runJson<PruneReport>('prune', '--dry-run', ...WEEK, ...store);
  expect(await runJson<PruneReport>('prune', ...WEEK, ...store)).toEqual({ ...report, dry_run: false });
  const again = await runCli('prune', ...WEEK, ...store);
  expect([again.exitCode, again.stdout]).toEqual([0, '']);
  expect(again.stderr).toContain('Nothing has been kept for longer');
});

it('ends with 4 while another process is at it, and with 5 where there is no store', async () => {
  const other = await storeOf(root);
  const release = await other.claim('retention');
  const busy = await runCli('prune', ...WEEK, ...store);
  expect([busy.exitCode, busy.stderr]).toEqual([4, expect.stringContaining('Another process is pruning')]);
  release!();
  await other.close();
  expect((await runCli('prune', ...WEEK, ...store)).exitCode).toBe(0);
  if (SUPPORTS.folder)
    expect((await runCli('prune', '--storage-root', join(folder, 'none'))).exitCode).toBe(5);
});

it('answers 410 to messages of what was forgotten, over HTTP, and 404 to those of another user', async () => {
  const server = await startTestServer();
  const archive = (session_id: string, user: string) =>
    server.call(
      'POST',
      '/api/chat/session/archive_messages',
      { session_id, messages_batch: [{ id: 'm1', role: 'user', content: 'Hello' }] },
      { 'longhand-user': user },
    );
  expect((await archive('late', 'ada')).status).toBe(200);
  expect((await archive('late', 'bob')).body).toMatchObject({ status: 404, code: 'SESSION_NOT_FOUND' });
  const forgotten = await server.call(
    'POST',
    '/api/privacy/forget',
    { everything: true },
    { 'longhand-user': 'ada' },
  );
  expect(forgotten.status).toBe(200);
  const refused = await archive('late', 'ada');
  expect(refused.body).toMatchObject({ status: 410, code: 'SESSION_DELETED' });
  expect(
    (await server.call('GET', '/api/sessions', undefined, { 'longhand-user': 'ada' })).body.sessions,
  ).toEqual([]);
});
