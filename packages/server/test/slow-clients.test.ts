import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { startTestServer } from './http-fixture.ts';

it('is not held up by clients that never finish their requests', async () => {
  // Long enough that the server is never slower itself, on a busy machine.
  const flags = {
    'limits-headers-seconds': 4,
    'limits-request-seconds': 5,
    'limits-connections-per-address': 1_000,
  };
  const server = await startTestServer({ flags });
  const count = 500;
  const answers: string[] = [];
  const sockets = new Set<Socket>();
  let opened = 0;
  let isEnough = false;
  const { promise: allGone, resolve: allAreGone } = Promise.withResolvers<void>();
  const beginning = 'POST /api/search HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
  const open = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const text = opened++ % 2 === 0 ? beginning : `${beginning}content-length: 100\r\n\r\n{`;
      const socket = connect(server.server.port, '127.0.0.1', () => {
        socket.write(text);
        resolve();
      });
      sockets.add(socket);
      socket.once('data', (data) => answers.push(String(data).slice(0, 12)));
      socket.on('error', reject);
      socket.once('close', () => {
        sockets.delete(socket);
        // Another one comes in its place for as long as the others are at work.
        if (!isEnough) void open().catch(() => undefined);
        else if (sockets.size === 0) allAreGone();
      });
    });
  for (let i = 0; i < count; i++) await open();
  // They trickle on, as slow as they can.
  const trickle = setInterval(() => {
    // What is written before a socket is connected would come before the request, which would then be none.
    for (const socket of sockets) if (socket.writable && !socket.connecting) socket.write('x');
  }, 300);
  // Others get what they ask for, all of it.
  await server.call('POST', '/api/sessions', { session_id: 's' });
  const client = async (name: number): Promise<void> => {
    for (let i = 0; i < 10; i++) {
      const memory = { type: 'finding', content: { text: `otter ${name} ${i}` } };
      expect((await server.call('POST', '/api/sessions/s/memories', memory)).status).toBe(201);
      const found = await server.call('POST', '/api/search', { text: `otter ${name} ${i}` });
      expect([found.status, found.body.memories.length > 0]).toEqual([200, true]);
      expect((await server.call('GET', '/healthz')).status).toBe(200);
    }
  };
  await Promise.all([1, 2, 3, 4].map(client));
  isEnough = true;
  await allGone;
  clearInterval(trickle);
  expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 408']));
  expect(answers).toHaveLength(opened);
  await server.stop();
});

it.each([
  ['than it was told', { 'limits-connections': 3 }, 3],
  ['from one address than it was told', { 'limits-connections-per-address': 3 }, 3],
  [
    'from a proxy than from all',
    { 'limits-connections-per-address': 3, 'trusted-proxies': ['127.0.0.1'] },
    8,
  ],
])('takes no more connections %s', async (_name, flags, taken) => {
  const server = await startTestServer({ flags });
  const sockets = Array.from({ length: 8 }, () => connect(server.server.port, '127.0.0.1'));
  const answered = await Promise.all(sockets.map(isAnswered));
  expect(answered.filter((isTaken) => isTaken)).toHaveLength(taken);
  // Those that leave make room.
  for (const socket of sockets) socket.destroy();
  await expect.poll(() => isOpen(server.server.port)).toBe(true);
  await server.stop();
});

function isAnswered(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    socket.on('error', () => resolve(false));
    socket.once('close', () => resolve(false));
    socket.once('connect', () => socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'));
    socket.once('data', () => resolve(true));
  });
}

/** Asks, and leaves. */
async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const isTaken = await isAnswered(socket);
  socket.destroy();
  return isTaken;
}
