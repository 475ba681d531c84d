import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { inTurn, limitConnections } from './connections.ts';

const LETTERS = 'abcdefghijk';
const REQUEST = 'GET / HTTP/1.1\r\nhost: localhost\r\n\r\n';

async function listen(unreadSeconds: number, answer: RequestListener): Promise<Server> {
  const server = createServer(answer);
  const flags = { 'limits-unread-seconds': unreadSeconds };
  limitConnections(server, loadConfig({ env: {}, cwd: '/', home: '/', flags }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return server;
}

function ask(server: Server, times = 1, headers = ''): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(REQUEST.replace(/\r\n$/, `${headers}\r\n`).repeat(times));
  return socket;
}

it('cuts off a client that asks and never reads', async () => {
  // More than two kernels hold.
  const server = await listen(0.2, (_request, response) => response.end(Buffer.alloc(64 * 1_024 * 1_024)));
  const cut = new Promise<void>((resolve) => {
    server.on('connection', (socket: Socket) => socket.once('close', () => resolve()));
  });
  const client = ask(server).pause();
  await cut;
  client.destroy();
});

it('makes one answer at a time for a connection, in order, and none that the client does not read', async () => {
  let made = 0;
  const answer = inTurn((_request, response) => {
    // More than two kernels hold.
    const body = made === 0 ? 64 * 1_024 * 1_024 : 1;
    response.end(Buffer.alloc(body, LETTERS[made++]));
  });
  const server = await listen(60, answer);
  const client = ask(server, 10).pause();
  const other = await text(ask(server, 1, 'connection: close\r\n'));
  expect([other.at(-1), made]).toEqual(['b', 2]);
  const chunks: Buffer[] = [];
  client.on('data', (chunk: Buffer) => chunks.push(chunk)).resume();
  await expect.poll(() => chunks.at(-1)?.toString().at(-1)).toBe('k');
  const bodies = Buffer.concat(chunks)
    .toString('latin1')
    .match(/(?<=\r\n\r\n)[a-k]/g);
  expect(bodies?.join('')).toBe('acdefghijk');
});

it('cuts off a client that asks again and again without an answer', async () => {
  let made = 0;
  const server = await listen(
    60,
    inTurn(() => {
      made++;
    }),
  );
  const client = ask(server, 65);
  await new Promise<void>((resolve) => client.once('close', () => resolve()));
  expect(made).toBe(1);
});

it('lets a client wait for its answer', async () => {
  let answer = (): void => undefined;
  const asked = Promise.withResolvers<void>();
  const server = await listen(0.1, (_request, response) => {
    answer = () => response.end('done');
    asked.resolve();
  });
  const timedOut = new Promise<void>((resolve) => server.once('timeout', () => resolve()));
  const client = ask(server);
  await asked.promise;
  // The time of a client that does not read has passed; this one reads, and there is nothing yet.
  await timedOut;
  answer();
  const text = await new Promise<string>((resolve) => client.once('data', (data) => resolve(String(data))));
  expect(text).toMatch(/done$/);
  client.destroy();
});
