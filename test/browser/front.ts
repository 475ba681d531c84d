import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What stands between a browser and a server: serves the pages of a test, passes the rest on, and loses what it is told to. */
export interface Front {
  readonly url: string;
  /** Where requests go on to; may change while the browser is there. */
  upstream: string;
  /** What happens to a request for the server: decided for each, in the order of arrival. */
  fate: (seen: SeenRequest) => Fate | Promise<Fate>;
  /** What the server is asked in place of what the page asked: as a page of another version would ask. */
  alter: (seen: SeenRequest) => Partial<Pick<SeenRequest, 'path' | 'method' | 'body'>>;
  /** The version that the server seems to have; its own when `undefined`. */
  version: string | undefined;
  /** Of each path: the most requests that were under way at the same time. */
  readonly most: Map<string, number>;
  /** Requests that came for the server, in the order of arrival. */
  readonly seen: SeenRequest[];
  close(): Promise<void>;
}

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * `lose-request`: the server never sees it. `lose-answer`: the server does it, and the browser never hears so. A status:
 * answered here with a problem of that status.
 */
export type Fate =
  | 'pass'
  | 'lose-request'
  | 'lose-answer'
  | { readonly status: number; readonly code: string; readonly retryAfter?: number };

export interface Page {
  readonly type: string;
  readonly body: string;
}

/** The policy of the console (no inline script, no style element, no HTML from text), with which all pages here are served. */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

export async function startFront(upstream: string, pages: Readonly<Record<string, Page>>): Promise<Front> {
  const seen: SeenRequest[] = [];
  const underWay = new Map<string, number>();
  const server: Server = createServer((asked, answer) => {
    const path = asked.url ?? '/';
    const page = pages[path.split('?')[0]!];
    if (page !== undefined) {
      answer.writeHead(200, {
        'content-type': `${page.type}; charset=utf-8`,
        'content-security-policy': PAGE_POLICY,
      });
      answer.end(page.body);
      return;
    }
    const { method = 'GET', headers } = asked;
    const pass = async (): Promise<void> => {
      const body = (await textOf(asked)).toString('utf8');
      const one: SeenRequest = { method, path, headers, body };
      seen.push(one);
      underWay.set(path, (underWay.get(path) ?? 0) + 1);
      front.most.set(path, Math.max(front.most.get(path) ?? 0, underWay.get(path)!));
      // Before the page can know of its end, and begin another.
      const end = once(() => underWay.set(path, underWay.get(path)! - 1));
      const drop = (): void => {
        end();
        asked.socket.destroy();
      };
      const fate = await front.fate(one);
      // The page has called it off while it was held up.
      if (fate === 'lose-request' || asked.socket.destroyed) return drop();
      if (typeof fate === 'object') {
        const { status, code, retryAfter } = fate;
        const more: OutgoingHttpHeaders =
          retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
        end();
        answer.writeHead(status, { 'content-type': 'application/problem+json', ...more });
        answer.end(JSON.stringify({ status, code, detail: `The test answers ${status}.` }));
        return;
      }
      const sent = { ...one, ...front.alter(one) };
      const { 'content-length': _, ...others } = headers;
      const length = sent.body === '' ? {} : { 'content-length': Buffer.byteLength(sent.body) };
      const options = { method: sent.method, headers: { ...others, ...length } };
      const passed = request(new URL(sent.path, front.upstream), options, (got) => {
        got.once('end', end);
        if (fate === 'lose-answer') {
          got.resume();
          got.once('end', drop);
          return;
        }
        const version = front.version === undefined ? {} : { 'longhand-version': front.version };
        answer.writeHead(got.statusCode!, { ...got.headers, ...version });
        got.pipe(answer);
        got.once('error', () => answer.destroy());
      });
      passed.once('error', drop);
      answer.once('close', () => {
        end();
        passed.destroy();
      });
      passed.end(sent.body);
    };
    pass().catch(() => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream,
    fate: () => 'pass',
    alter: () => ({}),
    version: undefined,
    most: new Map(),
    seen,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(() => front.close());
  return front;
}

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

async function textOf(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
