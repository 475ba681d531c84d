import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ServerConfig } from '../config/server-config.ts';
import { clientAddress, countedAs, trustedProxies } from './client-address.ts';

const NO_HEADERS = new Headers();

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
