import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { loadConfig } from '../src/config/load-config.ts';
import type { AppOptions } from '../src/http/app.ts';
import { type RunningServer, serve } from '../src/http/serve.ts';
import { Logger } from '../src/log/logger.ts';
import type { McpFetchHandler } from '../src/mcp/fetch-handler.ts';
import { openServices, type Services } from '../src/services.ts';
import { storeFlags } from './store-place.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The JSON of the answer; its text when it is none. */
  readonly body: Body;
  readonly text: string;
}

/** The fields of answers that tests look into: what one of them looks for is there, or the test fails. */
export interface Body {
  readonly [field: string]: unknown;
  readonly answer: string;
  readonly answers: readonly Body[];
  readonly code: string;
  readonly content: string & Body;
  readonly detail: string;
  readonly details: readonly Body[];
  readonly errors: readonly { readonly field: string; readonly message: string }[];
  readonly explanation: Body;
  readonly id: string;
  readonly ids: readonly string[];
  readonly keys: readonly Body[];
  readonly lines: readonly Body[];
  readonly manifest: Body;
  readonly match_parts: Readonly<Record<string, number>>;
  readonly memories: readonly Body[];
  readonly message_id: string;
  readonly messages: readonly Body[];
  readonly new_message_ids: readonly string[];
  readonly next_cursor: string | undefined;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly pieces: readonly Body[] & Readonly<Record<string, number>>;
  readonly receipts: readonly Body[];
  readonly role: string;
  readonly session_id: string;
  readonly sessions: readonly Body[];
  readonly text: string;
  readonly token: string;
  readonly tools: readonly Body[];
  readonly user_id: string;
  readonly versions: readonly Body[];
}

export interface TestServer {
  readonly server: RunningServer;
  readonly services: Services;
  readonly storageRoot: string;
  /** Lines of the log. */
  readonly log: string[];
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The same for what must succeed. @throws Error with what the server said */
  done(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Body>;
  /** A real MCP client over HTTP, as long as the work takes. Needs `speaksMcp`. */
  connected<Result>(
    headers: Record<string, string>,
    work: (client: Client) => Promise<Result>,
  ): Promise<Result>;
  stop(): Promise<void>;
}

export interface TestServerOptions {
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly app?: AppOptions;
  /** Whether there is an `/mcp`. */
  readonly speaksMcp?: boolean;
  /** Keeps what another server has left there. */
  readonly storageRoot?: string;
}

/** A real server on a free port, over a folder of its own. */
export async function startTestServer({
  flags = {},
  app,
  speaksMcp = false,
  storageRoot,
}: TestServerOptions = {}): Promise<TestServer> {
  const root = storageRoot ?? mkdtempSync(join(tmpdir(), 'longhand-server-'));
  const config = loadConfig({
    env: {},
    cwd: root,
    home: root,
    flags: { port: 0, ...(await storeFlags(root)), 'log-level': 'debug', ...flags },
  });
  const log: string[] = [];
  const services = await openServices(
    config,
    new Logger(config.log.level, { write: (line) => log.push(line) }),
  );
  let handler: Promise<McpFetchHandler> | undefined;
  const mcp: NonNullable<AppOptions['mcp']> = async (...asked) => {
    handler ??= import('../src/mcp/fetch-handler.ts').then(({ createMcpFetchHandler }) =>
      createMcpFetchHandler(services),
    );
    return (await handler).fetch(...asked);
  };
  const server = await serve(services, { ...(speaksMcp ? { mcp } : {}), ...app });
  return {
    server,
    services,
    storageRoot: root,
    log,
    call: (method, path, body, headers) => call(server.url, method, path, body, headers),
    done: async (method, path, body, headers) => {
      const answer = await call(server.url, method, path, body, headers);
      if (answer.status < 300) return answer.body;
      throw new Error(`${method} ${path} answered ${answer.status}: ${answer.text}`);
    },
    connected: async (headers, work) => {
      const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
      const client = new Client({ name: 'pad', version: '1' });
      const url = new URL('/mcp', server.url);
      await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
      try {
        return await work(client);
      } finally {
        await client.close();
      }
    },
    stop: async () => {
      await (await handler)?.close();
      await server.close();
      if (storageRoot === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /^application\/(problem\+)?json$/.test(
    response.headers.get('content-type')?.split(';')[0] ?? '',
  );
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : text) as Body,
    text,
  };
}
