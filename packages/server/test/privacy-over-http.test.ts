import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { renderLine } from '../src/conversation/spool-file.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { SUPPORTS } from './store-place.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(() => server.stop());

const as = (user: string, method: string, path: string, body?: unknown, headers = {}) =>
  server.call(method, path, body, { 'longhand-user': user, ...headers });

async function say(user: string, text: string, session: string, id = 'm1'): Promise<void> {
  const new_messages = [{ id, role: 'user', content: text }];
  const answer = await as(user, 'POST', '/api/chat', { new_messages, session_id: session });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

/** A transcript that can be neither read nor written: a folder stands in its place. */
function breakTranscript(session: string): void {
  const path = join(server.storageRoot, 'sessions', session, 'transcript.jsonl');
  rmSync(path, { force: true });
  mkdirSync(path);
}

describe('another user’s broken session', () => {
  it.runIf(SUPPORTS.folder)('does not prevent forgetting, counting, redacting and exporting', async () => {
    await say('eve', 'Hello', 'eves');
    await say('ann', 'Tell me about BASSOON99', 'anns');
    breakTranscript('eves');
    const preview = await as('ann', 'POST', '/api/privacy/preview', { ids: ['m1'] });
    // What was said, and the answer to it.
    expect(preview.body).toMatchObject({ messages: 2 });
    const redact = { session_id: 'anns', message_id: 'm1', text: 'BASSOON99' };
    expect((await as('ann', 'POST', '/api/privacy/redact', redact)).body).toEqual({ redacted: 1 });
    const exported = await as('ann', 'GET', '/api/privacy/export');
    expect(exported.status).toBe(200);
    expect(exported.body).toContain('[redacted]');
    expect((await as('ann', 'POST', '/api/privacy/forget', { ids: ['m1'] })).status).toBe(200);
    const all = await as('ann', 'POST', '/api/privacy/forget', { everything: true });
    expect(all.body.pieces).toMatchObject({ sessions: 1, messages: 0 });
  });
});

describe('an own broken session', () => {
  it.runIf(SUPPORTS.folder)(
    'is a problem with a status before the first line, in the log and nowhere else',
    async () => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      await say('eve', 'Hello', 'eves');
      breakTranscript('eves');
      const refused = await as('eve', 'GET', '/api/privacy/export');
      expect([refused.status, refused.body.code]).toEqual([503, 'IO_FAILED']);
      expect(server.log.join('')).toContain('"operation":"exportUser"');
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    },
  );

  it.runIf(SUPPORTS.folder)(
    'that breaks off an export ends the connection, with a line in the log',
    async () => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      await say('eve', 'Hello', 'aaa');
      await as('eve', 'POST', '/api/sessions/aaa/close');
      await say('eve', 'Hello', 'zzz');
      await as('eve', 'POST', '/api/sessions/zzz/close');
      // Nothing waits: the failure comes when the first session has been sent.
      breakTranscript('zzz');
      await expect(as('eve', 'GET', '/api/privacy/export')).rejects.toThrow();
      await expect.poll(() => server.log.join('')).toContain('"operation":"exportUser"');
      expect(printed).not.toHaveBeenCalled();
      printed.mockRestore();
    },
  );
});

describe('what is forgotten', () => {
  it('is in no unreadable line that was set aside', async () => {
    await say('ann', 'Hello', 'anns');
    const folder = join(server.services.config.stateFolder, 'spool');
    const line = (user_id: string) =>
      renderLine({
        session: { id: `${user_id}s`, account_id: 'local', user_id, created_at: '2026-01-01T00:00:00.000Z' },
        message: { id: 'x', role: 'user', content: `BASSOON99 of ${user_id}`, timestamp: 'damaged' },
      });
    writeFileSync(join(folder, 'old.jsonl'), line('ann'));
    writeFileSync(join(folder, 'older.jsonl'), line('bob'));
    expect((await as('ann', 'POST', '/api/privacy/preview', { ids: ['m1'] })).body.messages).toBe(2);
    expect(readdirSync(folder).filter((name) => name.endsWith('.damaged'))).toHaveLength(2);
    expect((await as('ann', 'POST', '/api/privacy/forget', { everything: true })).status).toBe(200);
    expect(existsSync(join(folder, 'old.jsonl.damaged'))).toBe(false);
    expect(existsSync(join(folder, 'older.jsonl.damaged'))).toBe(true);
    const check = await as('ann', 'POST', '/api/privacy/verify', { words: ['of ann'] });
    expect(check.body).toMatchObject({ is_erased: true, found: 0, places: [] });
  });

  it.each([
    ['forget', () => as('ann', 'POST', '/api/privacy/forget', { session_id: 'anns' })],
    ['delete', () => as('ann', 'DELETE', '/api/sessions/anns')],
    [
      'redact',
      () =>
        as('ann', 'POST', '/api/privacy/redact', { session_id: 'anns', message_id: 'm1', text: 'BASSOON99' }),
    ],
  ])('is in no answer to a repeated request (%s)', async (_name, forget) => {
    await say('ann', 'Tell me about BASSOON99', 'anns');
    const notes = { operation: 'append', content: 'likes BASSOON99' };
    const send = (user: string) =>
      as(user, 'PATCH', '/api/agents/default/notes', notes, { 'idempotency-key': 'k1' });
    expect((await send('ann')).status).toBe(200);
    expect((await send('bob')).status).toBe(200);
    expect((await send('ann')).headers.get('idempotency-replayed')).toBe('true');
    expect((await forget()).status).toBe(200);
    expect([(await send('ann')).status, (await send('bob')).status]).toEqual([410, 200]);
  });

  it('may wait to be archived when an agent is asked to forget it', async () => {
    await say('ann', 'Tell me about BASSOON99', 'anns');
    const memory = server.services.manager.as({ account_id: 'local', user_id: 'ann', agent_id: 'default' });
    const { layers } = await memory.toolScope();
    const { pieces } = await layers.forget(
      { userId: 'ann', agentId: 'default' },
      { keys: ['m1'] },
      { dryRun: false },
    );
    expect(pieces).toBe(2);
    const { body } = await as('ann', 'GET', '/api/chat/sessions/anns/messages');
    expect(body.messages).toHaveLength(0);
  });
});
