import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sized } from '../../longhand/test/campaign.ts';
import { call } from './http-fixture.ts';
import { endProcess as end, startServerProcess as start } from './server-process.ts';

it('loses nothing that it has acknowledged when it is killed, and doubles nothing that is sent again', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-killed-'));
  const acknowledged = new Map<string, string>();
  const rounds = sized(4, 200);
  for (let round = 0; round < rounds; round++) {
    const { child, url } = await start(root);
    if (round === 0) await call(url, 'POST', '/api/sessions', { session_id: 's' });
    let killing: Promise<unknown> | undefined;
    let next = 0;
    const client = async (): Promise<void> => {
      while (killing === undefined) {
        const key = `${round}-${next++}`;
        const body = { type: 'finding', content: { text: `memory ${key}` } };
        const headers = { 'idempotency-key': key };
        try {
          const answer = await call(url, 'POST', '/api/sessions/s/memories', body, headers);
          if (answer.status === 201) acknowledged.set(key, answer.body.id);
        } catch {
          // The server is gone: nothing was acknowledged.
        }
        if (next > 40 + round * 13) killing ??= end(child, 'SIGKILL');
      }
    };
    await Promise.all(Array.from({ length: 8 }, client));
    await killing;
  }
  const { child, url } = await start(root);
  expect(acknowledged.size).toBeGreaterThan(rounds * 20);
  for (const [key, id] of acknowledged) {
    const answer = await call(url, 'GET', `/api/sessions/s/memories/${id}`);
    expect(answer.body.content, key).toEqual({ text: `memory ${key}` });
  }
  const before = (await call(url, 'GET', '/api/sessions/s/stats')).body.total_entries;
  for (const [key, id] of [...acknowledged].slice(0, 50)) {
    const body = { type: 'finding', content: { text: `memory ${key}` } };
    const headers = { 'idempotency-key': key };
    const again = await call(url, 'POST', '/api/sessions/s/memories', body, headers);
    expect(again.body.id).toBe(id);
  }
  expect((await call(url, 'GET', '/api/sessions/s/stats')).body.total_entries).toBe(before);
  expect(await end(child, 'SIGTERM')).toBe(0);
  rmSync(root, { recursive: true });
});
