import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../config/load-config.ts';
import { limitConnections } from './connections.ts';

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

function ask(server: Server): Socket {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(REQUEST);
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
