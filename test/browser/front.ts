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
  fate: (seen: SeenRequest) => Fate;
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
    void textOf(asked).then(
      (body) => {
        const { method = 'GET', headers } = asked;
        const one: SeenRequest = { method, path, headers, body: body.toString('utf8') };
        seen.push(one);
        const fate = front.fate(one);
        if (fate === 'lose-request') return asked.socket.destroy();
        if (typeof fate === 'object') {
          const { status, code, retryAfter } = fate;
          const more: OutgoingHttpHeaders =
            retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
          answer.writeHead(status, { 'content-type': 'application/problem+json', ...more });
          return answer.end(JSON.stringify({ status, code, detail: `The test answers ${status}.` }));
        }
        const passed = request(new URL(path, front.upstream), { method, headers }, (got) => {
          if (fate === 'lose-answer') {
            got.resume();
            got.once('end', () => asked.socket.destroy());
            return;
          }
          answer.writeHead(got.statusCode!, got.headers);
          got.pipe(answer);
          got.once('error', () => answer.destroy());
        });
        passed.once('error', () => asked.socket.destroy());
        answer.once('close', () => passed.destroy());
        return passed.end(body);
      },
      () => undefined,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const front: Front = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    upstream,
    fate: () => 'pass',
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

async function textOf(asked: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of asked) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
