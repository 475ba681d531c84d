import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, call } from './http-fixture.ts';
import { runCli, runJson } from './run-cli.ts';
import { endProcess, type ServerProcess, startServerProcess } from './server-process.ts';

/**
 * A server that holds messages which are not archived yet, and another process beside it that forgets, counts, exports
 * or deletes. The server is given no reason to archive: everything waits in its spool.
 */
const SECRET = 'BASSOON99';

let root: string;
let server: ServerProcess;
let store: readonly string[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'longhand-two-'));
  store = ['--storage-root', root, '--user', 'ann'];
  server = await startServerProcess(root, { 'log-level': 'silent' });
});
afterEach(async () => {
  await endProcess(server.child, 'SIGTERM');
  rmSync(root, { recursive: true, force: true });
});

function as(user: string, method: string, path: string, body?: unknown): Promise<Answer> {
  return call(server.url, method, path, body, { 'longhand-user': user });
}

async function say(user: string, text: string, id: string, session = 'chat-1'): Promise<Answer> {
  const new_messages = [{ id, role: 'user', content: text }];
  const answer = await as(user, 'POST', '/api/chat', { new_messages, session_id: session });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer;
}

async function textsOf(user: string, session = 'chat-1'): Promise<string[]> {
  const { body } = await as(user, 'GET', `/api/chat/sessions/${session}/messages`);
  return body.messages.map(({ content }: { content: string }) => content);
}

/** Names of the files that hold a word. */
function filesWith(word: string): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(root, name), { throwIfNoEntry: false })?.isFile())
    .filter((name) => readFileSync(join(root, name), 'latin1').includes(word));
}

/** A server that runs is waited for, but not for ever: a machine may be too busy for it to clear its spool in that time. */
async function expectForgotten(): Promise<void> {
  await expect.poll(() => filesWith(SECRET)).toEqual([]);
}

describe('a process beside a server with a spool', () => {
  it('forgets a user for good, and no other user inherits what was said', async () => {
    await say('ann', `Tell me about ${SECRET}`, 'm1');
    expect(filesWith(SECRET)).toEqual([expect.stringContaining('spool')]);
    const { exitCode, stdout } = await runCli('forget', '--everything', '--yes', ...store);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('2 messages');
    await expectForgotten();
    expect((await as('bob', 'POST', '/api/sessions', { session_id: 'chat-1' })).status).toBe(201);
    expect(await textsOf('bob')).toEqual([]);
    const { body } = await say('bob', 'What did I ask you about?', 'm2');
    expect(JSON.stringify(body)).not.toContain(SECRET);
    expect((await as('bob', 'POST', '/api/sessions/chat-1/close')).status).toBe(200);
    expect(JSON.stringify(await textsOf('bob'))).not.toContain(SECRET);
    expect((await as('bob', 'DELETE', '/api/sessions/chat-1')).status).toBe(200);
    // The same for the same user.
    await as('ann', 'POST', '/api/sessions', { session_id: 'chat-1' });
    expect(await textsOf('ann')).toEqual([]);
  });

  it('forgets one message that waits, and leaves the others', async () => {
    await say('ann', `Tell me about ${SECRET}`, 'm1');
    await say('ann', 'Tell me about cats', 'm2');
    const { body } = await as('ann', 'GET', '/api/chat/sessions/chat-1/messages');
    const answer = body.messages[1]!.id;
    const { exitCode } = await runCli('forget', 'm1', answer, '--yes', ...store);
    expect(exitCode).toBe(0);
    await expectForgotten();
    const left = await textsOf('ann');
    expect(left[0]).toBe('Tell me about cats');
    expect(left).toHaveLength(2);
    await as('ann', 'POST', '/api/sessions/chat-1/close');
    expect(await textsOf('ann')).toEqual(left);
  });

  it('forgets what was said in a time, and counts it first', async () => {
    const start = new Date(Date.now() - 1_000).toISOString();
    await say('ann', `Tell me about ${SECRET}`, 'm1');
    await say('bob', 'I am another user', 'm1', 'chat-2');
    const time = ['--from', start, '--to', new Date(Date.now() + 1_000).toISOString()];
    const counts = await runJson<{ messages: number }>('forget', ...time, '--dry-run', ...store);
    expect(counts.messages).toBe(2);
    expect(await textsOf('ann')).toHaveLength(2);
    const receipt = await runJson<{ pieces: { messages: number } }>('forget', ...time, '--yes', ...store);
    expect(receipt.pieces.messages).toBe(2);
    await expectForgotten();
    expect(await textsOf('ann')).toEqual([]);
    expect(await textsOf('bob', 'chat-2')).toHaveLength(2);
  });

  it('exports what waits, of its user only', async () => {
    await say('ann', `Tell me about ${SECRET}`, 'm1');
    await say('bob', 'I am another user', 'm1', 'chat-2');
    const { stdout } = await runCli('export', ...store);
    const messages = stdout.split('\n').filter((line) => line.includes('"kind":"message"'));
    expect(messages).toHaveLength(2);
    expect(messages[0]).toContain(SECRET);
    expect(stdout).not.toContain('another user');
    // The server archives the same messages later: nothing is there twice.
    await as('ann', 'POST', '/api/sessions/chat-1/close');
    expect(await textsOf('ann')).toHaveLength(2);
  });

  it('deletes a session, and the server drops what waits for it', async () => {
    await say('ann', `Tell me about ${SECRET}`, 'm1');
    const other = await startServerProcess(root, { 'log-level': 'silent' });
    try {
      const headers = { 'longhand-user': 'ann' };
      expect((await call(other.url, 'DELETE', '/api/sessions/chat-1', undefined, headers)).status).toBe(200);
      await expectForgotten();
      expect((await as('ann', 'GET', '/api/chat/sessions/chat-1/messages')).status).toBe(404);
    } finally {
      await endProcess(other.child, 'SIGTERM');
    }
  });

  it('takes care of a server that was killed', async () => {
    await say('ann', `Tell me about ${SECRET}`, 'm1');
    await endProcess(server.child, 'SIGKILL');
    expect((await runCli('forget', 'm1', '--yes', ...store)).exitCode).toBe(0);
    expect(filesWith(SECRET)).toEqual([]);
    server = await startServerProcess(root, { 'log-level': 'silent' });
    expect(await textsOf('ann')).toHaveLength(0);
  });

  it('gives no forgotten answer to a request that is repeated', async () => {
    const key = { 'idempotency-key': 'k1', 'longhand-user': 'ann' };
    const chat = { prompt: `Tell me about ${SECRET}`, session_id: 'chat-1' };
    expect((await call(server.url, 'POST', '/agent/run', chat, key)).status).toBe(200);
    const notes = { content: `likes ${SECRET}`, operation: 'append' };
    const noted = await call(server.url, 'PATCH', '/api/agents/default/notes', notes, key);
    expect(noted.status, JSON.stringify(noted.body)).toBe(200);
    const again = await call(server.url, 'POST', '/agent/run', chat, key);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await runCli('forget', '--everything', '--yes', ...store)).exitCode).toBe(0);
    const repeated = await call(server.url, 'PATCH', '/api/agents/default/notes', notes, key);
    expect([repeated.status, repeated.body.code]).toEqual([410, 'ANSWER_FORGOTTEN']);
    await expectForgotten();
  });
});
