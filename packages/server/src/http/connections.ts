import type { RequestListener, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerConfig } from '../config/server-config.ts';
import { clientAddress, countedAs, trustedProxies } from './client-address.ts';

const NO_HEADERS = new Headers();
/** Requests that a connection may send ahead of their answers. */
const MAX_AHEAD = 64;

/**
 * Connections are few, and a client that wants no answer must not keep them from the others. One address may hold so many
 * at a time; a proxy that the operator has named speaks for many. A client that does not take its answer off the
 * connection is cut off. One that waits for its answer is not, however long a model takes: then nothing is unsent.
 */
export function limitConnections(server: Server, { limits, trustedProxies: proxies }: ServerConfig): void {
  server.maxConnections = limits.connections;
  const isTrusted = trustedProxies(proxies);
  const open = new Map<string, number>();
  server.on('connection', (socket: Socket) => {
    const address = clientAddress(NO_HEADERS, socket.remoteAddress ?? '', () => false);
    const counted = countedAs(address);
    const held = open.get(counted) ?? 0;
    if (held >= limits.connectionsPerAddress && !isTrusted(address)) {
      socket.destroy();
      return;
    }
    open.set(counted, held + 1);
    socket.once('close', () => {
      const left = open.get(counted)! - 1;
      if (left === 0) open.delete(counted);
      else open.set(counted, left);
    });
  });
  server.setTimeout(limits.unreadSeconds * 1_000, (socket) => {
    if (socket.writableLength > 0) socket.destroy();
  });
}

/**
 * Answers the requests of a connection one after the other, each when the client has taken the answer before. So a client that sends
 * many requests and reads nothing costs one answer.
 */
export function inTurn(listener: RequestListener): RequestListener {
  const queues = new WeakMap<Socket, (() => void)[]>();
  return (request, response) => {
    const { socket } = request;
    const queue = queues.get(socket) ?? [];
    queues.set(socket, queue);
    queue.push(() => void listener(request, response));
    response.once('close', () => {
      queue.shift();
      // Others come in between: answers that fit into the kernel's buffers would follow one another in one turn of the event loop.
      if (!socket.destroyed && queue[0] !== undefined) setImmediate(queue[0]);
    });
    if (queue.length === 1) queue[0]!();
    else if (queue.length > MAX_AHEAD) socket.destroy();
  };
}
