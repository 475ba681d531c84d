import { createServer, type RequestListener, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Services } from '../services.ts';
import { type App, type AppOptions, createApp } from './app.ts';
import { inTurn, limitConnections } from './connections.ts';

export interface RunningServer {
  /** Where to look: `http://127.0.0.1:4750`. */
  readonly url: string;
  readonly port: number;
  /**
   * An API key that may do everything, made because the server asks for keys and there was none. It is shown only this
   * once.
   */
  readonly firstKey?: string;
  /** Takes no new requests, finishes those under way, writes what waits, and closes the store. */
  close(): Promise<void>;
}

/** A client may keep a connection open between requests for so long. */
const KEEP_ALIVE_MS = 5_000;
/** A cursor stands in the address of a GET: room for the 8 characters of each of some 8,000 memories that were given. */
const MAX_HEADER_BYTES = 65_536;
const CHECK_INTERVAL_MS = 1_000;

/** Listens until it is closed. @throws Error when the address cannot be had */
export async function serve(services: Services, options: AppOptions = {}): Promise<RunningServer> {
  const { host, port, limits } = services.config;
  const app = createApp(services, options);
  const server = createAdaptorServer({
    fetch: app.fetch as (request: Request) => Response | Promise<Response>,
    createServer: ((options: ServerOptions, listener: RequestListener) =>
      createServer(options, inTurn(listener))) as typeof createServer,
    serverOptions: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: limits.headersSeconds * 1_000,
      requestTimeout: limits.requestSeconds * 1_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
    },
  }) as Server;
  limitConnections(server, services.config);
  server.on('clientError', answerBrokenRequest);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      const text = `Port ${port} of ${host} is taken. Is Longhand running already? --port 0 takes a free one.`;
      reject(new Error(text, { cause: error }));
    });
    server.listen(port, host.replaceAll(/^\[|\]$/g, ''), resolve);
  });
  const address = server.address() as AddressInfo;
  const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  const url = `http://${name}:${address.port}`;
  services.logger.log('info', 'Listening', { component: 'HttpServer', metadata: { url } });
  const { keys } = services.gate;
  const needsKey = services.config.auth.enabled && (await keys.list()).length === 0;
  const first = needsKey ? await keys.create({ label: 'first', access: 'admin' }) : undefined;
  let closing: Promise<void> | undefined;
  return {
    url,
    ...(first === undefined ? {} : { firstKey: first.token }),
    port: address.port,
    close: () => {
      closing ??= closeAll(server, app, services);
      return closing;
    },
  };
}

/** Requests, archiving and turns share one grace period: shutdown does not wait for a model whose client is gone. */
async function closeAll(server: Server, app: App, services: Services): Promise<void> {
  const endMs = performance.now() + services.config.limits.shutdownSeconds * 1_000;
  const leftMs = (): number => Math.max(0, endMs - performance.now());
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  app.endStreams();
  server.closeIdleConnections();
  // What waits is written first: a server that is killed for being slow has then lost no time.
  await services.conversations.archiveAll(leftMs());
  const timer = setTimeout(() => server.closeAllConnections(), leftMs());
  await closed;
  clearTimeout(timer);
  await services.close({ graceMs: leftMs() });
}

const DETAILS = {
  400: 'This is not a valid HTTP request.',
  408: 'The request came too slowly.',
  431: 'The address or the headers of the request are too long. Long texts and cursors go into the body of a POST.',
};

/** What is not HTTP, or comes too slowly, never becomes a request. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : error.code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  const title = STATUS_CODES[status];
  const code = status === 408 ? 'REQUEST_TIMEOUT' : 'INVALID_REQUEST';
  const detail = DETAILS[status];
  const body = JSON.stringify({ type: `urn:longhand:problem:${code}`, title, status, detail, code });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
