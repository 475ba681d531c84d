import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';
import { Answer, JSON_HEADERS, json } from './answer.ts';
import type { Reply } from './asked.ts';

/** Answers what no route does: the files of the console. */
export type Fallback = (request: Request) => Response | undefined | Promise<Response | undefined>;

/** A page without any user's data, which needs no key. */
export interface OpenPage {
  readonly path: string;
  /** In the counts of requests. */
  readonly name: string;
  /** Whether requests count towards the limit of the client's address. */
  readonly isCounted: boolean;
  readonly show: (request: Request) => Promise<Reply>;
}

const ABOUT = {
  name: 'longhand',
  version: VERSION,
  description: 'A memory for AI agents that outlives the conversation.',
  docs: '/docs',
  openapi: '/openapi.json',
  mcp: '/mcp',
};

export function openPages({ manager, redis }: Services, fallback: Fallback | undefined): readonly OpenPage[] {
  // The description and the documentation are made only once, but they are long: requests for them are counted.
  let description: string | undefined;
  let docs = { host: '', html: '' };
  return [
    {
      path: '/healthz',
      name: 'checkHealth',
      // A refused probe restarts a healthy server, and behind a proxy or an orchestrator the probes share one address
      // with other clients. A probe costs one look at a file's size.
      isCounted: false,
      show: async () => {
        // A server whose store cannot be read answers, and is of no use.
        await manager.changedSessions(LOCAL_DEFAULTS.user_id);
        const isGone = redis !== undefined && !redis.isThere;
        return json({ status: 'ok', version: VERSION, ...(isGone ? { redis: 'gone' } : {}) });
      },
    },
    {
      path: '/openapi.json',
      name: 'describeApi',
      isCounted: true,
      show: async () => {
        const { describeApi } = await import('./openapi.ts');
        description ??= JSON.stringify(describeApi());
        return new Answer(description, JSON_HEADERS);
      },
    },
    {
      path: '/',
      name: 'showStart',
      isCounted: false,
      show: async (request) => {
        // The console, when there is one, is what a person with a browser came for.
        const console = await fallback?.(request);
        if (console !== undefined) return console;
        const isBrowser = request.headers.get('accept')?.includes('text/html') === true;
        return isBrowser ? new Answer(null, { location: '/docs' }, 302) : json(ABOUT);
      },
    },
    {
      path: '/docs',
      name: 'showDocs',
      isCounted: true,
      show: async (request) => {
        const { renderDocs, DOCS_POLICY } = await import('./docs-page.ts');
        const headers = {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': DOCS_POLICY,
        };
        const { host } = new URL(request.url);
        if (docs.host !== host) docs = { host, html: renderDocs(host) };
        return new Answer(docs.html, headers);
      },
    },
  ];
}
