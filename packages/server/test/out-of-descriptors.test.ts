import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it } from 'vitest';
import { endWithTests } from '../../longhand/test/campaign.ts';
import { call } from './http-fixture.ts';

/** Few, so that they are soon used up; the server itself has some thirty files open. */
const DESCRIPTORS = 80;

it.skipIf(process.platform === 'win32')('answers again after it was out of file descriptors', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-descriptors-'));
  const script = join(import.meta.dirname, 'processes/serve.ts');
  const command = `ulimit -n ${DESCRIPTORS} && exec "$0" --conditions=longhand-source "$@"`;
  const child = endWithTests(
    spawn('sh', ['-c', command, process.execPath, script, root, JSON.stringify({ 'storage-root': root })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let url = '';
  for await (url of createInterface({ input: child.stdout! })) break;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (path: string, body: unknown): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const asked = request(`${url}${path}`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode!));
      });
      asked.once('error', reject).end(JSON.stringify(body));
    });
  const search = { text: 'How do we deploy?' };
  // On a connection that is there already.
  expect(await ask('/api/sessions', { session_id: 's' })).toBe(201);
  const { port } = new URL(url);
  const others: Socket[] = [];
  for (let i = 0; i < 2 * DESCRIPTORS; i++) {
    const socket = connect(Number(port), '127.0.0.1').on('error', () => undefined);
    others.push(socket);
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve));
  }
  await ask('/api/search', search);
  await ask('/api/context', { session_id: 's', messages: [{ role: 'user', content: 'Hello' }] });
  await ask('/api/chat', { new_messages: [{ role: 'user', content: 'Hello' }] });
  for (const socket of others) socket.destroy();
  agent.destroy();
  const answers = async (path: string, body: unknown): Promise<number> =>
    (await call(url, 'POST', path, body).catch(() => ({ status: 0 }))).status;
  await expect.poll(() => answers('/api/search', search)).toBe(200);
  const messages = [{ role: 'user', content: 'Hello' }];
  await expect.poll(() => answers('/api/context', { session_id: 's', messages })).toBe(200);
  await expect.poll(() => answers('/api/chat', { new_messages: messages })).toBe(200);
  child.kill('SIGKILL');
  rmSync(root, { recursive: true, force: true });
});
