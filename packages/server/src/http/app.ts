import { Hono } from 'hono';
import type { ScopedMemory } from 'longhand';
import { type Access, includesAccess } from '../access/api-keys.ts';
import { OPERATIONS } from '../operations/index.ts';
import type { Operation, OperationContext } from '../operations/operation.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';
import { Answer, JSON_HEADERS, json, toResponse } from './answer.ts';
import { type Caller, Callers, LOCAL_USER } from './caller.ts';
import { ChangeFeed } from './change-events.ts';
import { FairTurns } from './fair-turns.ts';
import { Idempotency, idempotencyToken, type KeptAnswer } from './idempotency.ts';
import { OperationInput } from './operation-input.ts';
import { OriginGuard, PREFLIGHT_HEADERS } from './origin-guard.ts';
import { headersOf, RequestError, toProblem } from './problem.ts';
import { RequestCounts, renderMetrics } from './prometheus.ts';
import { readBody, readJson } from './request-body.ts';
import { STREAM_HEADERS, streamEvents, streamFromFirst, streamLines, untilEnd } from './sse.ts';

/**
 * The server as a function from request to response. Every request goes the same way: request id → Host and Origin
 * → who asks and how often → what they may do → input → the operation → answer. Whatever goes wrong on the way
 * becomes a problem, in one place.
 */
export interface AppOptions {
  /** Answers `/mcp`, for the caller that was found. */
  readonly mcp?: (
    request: Request,
    memory: ScopedMemory,
    access: { readonly mayWrite: boolean },
  ) => Promise<Response>;
  /** Answers what no route does: the files of the console. */
  readonly fallback?: (request: Request) => Response | undefined | Promise<Response | undefined>;
}

export interface App {
  readonly fetch: (request: Request, env?: ConnectionInfo) => Response | Promise<Response>;
  /** Ends the streams that would never end by themselves. */
  endStreams(): void;
}

/** What the web server knows of the connection. */
export interface ConnectionInfo {
  readonly incoming?: {
    readonly socket: { readonly remoteAddress?: string | undefined; destroy?(): unknown };
  };
}

interface Asked {
  readonly request: Request;
  readonly caller: Caller;
  readonly requestId: string;
  readonly names: Readonly<Record<string, string>>;
  /** Ends the connection in the middle of an answer. Whether there is one. */
  readonly cut: () => boolean;
}

const REQUEST_ID = /^[\w.-]{1,128}$/;

/** What such a message names; in a body that only speaks of it, it counts as well, and does no harm. */
const LISTEN = '"subscriptions/listen"';
const MCP_METHODS = ['GET', 'POST', 'DELETE'] as const;

const ABOUT = {
  name: 'longhand',
  version: VERSION,
  description: 'A memory for AI agents that outlives the conversation.',
  docs: '/docs',
  openapi: '/openapi.json',
  mcp: '/mcp',
};

type Reply = Answer | Response;

export function createApp(services: Services, options: AppOptions = {}): App {
  return new HttpApp(services, options);
}

class HttpApp implements App {
  readonly #services: Services;
  readonly #guard: OriginGuard;
  readonly #callers: Callers;
  readonly #idempotency: Idempotency;
  readonly #counts = new RequestCounts();
  readonly #turns = new FairTurns();
  /** Streams that stay open, with the keys they were opened with. */
  readonly #streams = new Map<object, string>();
  readonly #hono = new Hono();
  readonly #maxBodyBytes: number;
  readonly fetch: App['fetch'];

  constructor(services: Services, { mcp, fallback }: AppOptions) {
    const { config } = services;
    this.#services = services;
    this.#guard = new OriginGuard(config);
    this.#callers = new Callers(services);
    this.#idempotency = new Idempotency(config.limits.idempotencyKeys);
    this.#maxBodyBytes = config.limits.bodyKb * 1_024;

    const methods = new Map<string, string[]>();
    for (const operation of OPERATIONS) {
      const { method, path } = operation.http;
      const input = new OperationInput(operation);
      methods.set(path, [...(methods.get(path) ?? []), method]);
      this.#route(method, path, operation.name, operation.access, (asked) =>
        this.#operate(operation, input, asked),
      );
    }
    this.#route('GET', '/api/events', 'watchChanges', 'read', (asked) => this.#watch(asked));
    this.#route('GET', '/metrics', 'readMetrics', 'admin', () => this.#metrics());
    if (mcp !== undefined)
      for (const method of MCP_METHODS)
        this.#route(method, '/mcp', 'mcp', 'read', (asked) => this.#speakMcp(asked, mcp));
    // Without a limit: a probe that is refused has a server restarted that is well, and behind a proxy or an orchestrator
    // all probes come from one address, with whoever else does. It costs one look at a file's size.
    this.#openRoute('/healthz', 'checkHealth', async () => {
      // A server whose store cannot be read answers, and is of no use.
      await services.manager.changedSessions(LOCAL_USER);
      return json({ status: 'ok', version: VERSION });
    });
    // Nobody needs a key for these two. They are made once, and yet they are long: whoever asks is counted by address.
    let description: object | undefined;
    this.#openRoute('/openapi.json', 'describeApi', async ({ headers }, address) => {
      this.#callers.countStranger(headers, address);
      const { describeApi } = await import('./openapi.ts');
      description ??= describeApi();
      return json(description);
    });
    let page = { host: '', html: '' };
    this.#hono.get('/', (c) =>
      this.#answer(c.req.raw, 'showStart', async () => {
        const isBrowser = c.req.raw.headers.get('accept')?.includes('text/html') === true;
        // The console, when there is one, is what a person came for.
        const console = isBrowser ? await fallback?.(c.req.raw) : undefined;
        if (console !== undefined) return console;
        return isBrowser ? new Answer(null, { location: '/docs' }, 302) : json(ABOUT);
      }),
    );
    this.#openRoute('/docs', 'showDocs', async ({ headers, url }, address) => {
      this.#callers.countStranger(headers, address);
      const { renderDocs, DOCS_POLICY } = await import('./docs-page.ts');
      const { host } = new URL(url);
      if (page.host !== host) page = { host, html: renderDocs(host) };
      return new Answer(page.html, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': DOCS_POLICY,
      });
    });
    for (const path of ['/api/events', '/metrics', '/healthz', '/openapi.json', '/docs', '/'])
      methods.set(path, ['GET']);
    if (mcp !== undefined) methods.set('/mcp', [...MCP_METHODS]);
    for (const [path, allowed] of methods)
      this.#hono.all(toPattern(path), (c) =>
        this.#answer(c.req.raw, 'none', () => {
          throw new RequestError('METHOD_NOT_ALLOWED', `Only ${allowed.join(', ')} there.`, {
            headers: { allow: allowed.join(', ') },
          });
        }),
      );
    this.#hono.notFound((c) =>
      this.#answer(c.req.raw, 'none', async () => {
        const answer = await fallback?.(c.req.raw);
        if (answer !== undefined) return answer;
        throw new RequestError('ROUTE_NOT_FOUND', 'There is nothing here. See /docs.');
      }),
    );
    this.fetch = (request, env = {}) =>
      request.method === 'OPTIONS'
        ? this.#answer(request, 'preflight', () => new Answer(null, PREFLIGHT_HEADERS, 204))
        : this.#hono.fetch(request, env);
  }

  endStreams(): void {
    for (const stream of this.#streams.keys()) if (stream instanceof ChangeFeed) stream.end();
  }

  /** A route for callers who may do what it needs. */
  #route(
    method: string,
    path: string,
    name: string,
    access: Access,
    handle: (asked: Asked) => Reply | Promise<Reply>,
  ): void {
    this.#hono.on(method, toPattern(path), (c) =>
      this.#answer(c.req.raw, name, (requestId) => {
        const request = c.req.raw;
        const { incoming } = c.env as ConnectionInfo;
        const caller = this.#callers.identify(request.headers, connectedFrom(c.env as ConnectionInfo));
        if (!includesAccess(caller.access, access))
          throw new RequestError('FORBIDDEN', `This key may not do that: it needs the access ${access}.`);
        const cut = (): boolean => incoming?.socket.destroy?.() !== undefined;
        return handle({ request, caller, requestId, names: c.req.param(), cut });
      }),
    );
  }

  async #speakMcp({ request, caller }: Asked, mcp: NonNullable<AppOptions['mcp']>): Promise<Response> {
    const { url, method, headers, signal } = request;
    const body = method === 'POST' ? await readBody(request, this.#maxBodyBytes) : undefined;
    const whole = body === undefined ? request : new Request(url, { method, headers, signal, body });
    const access = { mayWrite: includesAccess(caller.access, 'write') };
    if (method !== 'GET' && !isListening(body)) return mcp(whole, caller.memory, access);
    const stream = {};
    this.#open(stream, caller);
    const close = (): void => void this.#streams.delete(stream);
    try {
      const { body: events, ...answer } = withBodyApart(await mcp(whole, caller.memory, access));
      if (events === null) close();
      return new Response(events === null ? null : untilEnd(events, close), answer);
    } catch (error) {
      close();
      throw error;
    }
  }

  /** Counts a stream that stays open. @throws RequestError RATE_LIMITED */
  #open(stream: object, { keyId }: Caller): void {
    const most = this.#services.config.limits.streamsPerKey;
    const open = [...this.#streams.values()].filter((other) => other === keyId).length;
    if (open >= most)
      throw new RequestError('RATE_LIMITED', `No more than ${most} feeds at one time. Close one first.`);
    this.#streams.set(stream, keyId);
  }

  /** A route that tells nothing about anybody. */
  #openRoute(
    path: string,
    name: string,
    handle: (request: Request, connectedFrom: string) => Reply | Promise<Reply>,
  ): void {
    this.#hono.get(path, (c) =>
      this.#answer(c.req.raw, name, () => handle(c.req.raw, connectedFrom(c.env as ConnectionInfo))),
    );
  }

  async #answer(
    request: Request,
    name: string,
    handle: (requestId: string) => Reply | Promise<Reply>,
  ): Promise<Response> {
    const given = request.headers.get('x-request-id');
    const requestId = given !== null && REQUEST_ID.test(given) ? given : crypto.randomUUID();
    let cors: Readonly<Record<string, string>> = {};
    let reply: Reply;
    try {
      cors = this.#guard.check(request.headers);
      reply = await handle(requestId);
    } catch (error) {
      reply = this.#refuse(error, requestId, name);
    }
    this.#counts.count(name, reply.status);
    return toResponse(reply, { 'x-request-id': requestId, ...cors });
  }

  #refuse(error: unknown, requestId: string, name: string): Answer {
    const problem = toProblem(error, requestId);
    this.#logProblem(error, problem.status, problem.code, requestId, name);
    const headers = headersOf(error, problem);
    return new Answer(
      JSON.stringify(problem),
      { ...JSON_HEADERS, 'content-type': 'application/problem+json', ...headers },
      problem.status,
    );
  }

  #logProblem(error: unknown, status: number, code: string, requestId: string, name: string): void {
    const { logger } = this.#services;
    const level =
      status >= 500 ? 'error' : status === 401 || status === 403 || status === 429 ? 'warn' : 'debug';
    if (!logger.isOn(level)) return;
    // An error that nobody foresaw may hold anything in its message: where it came from must do.
    const stack = code === 'INTERNAL' && error instanceof Error ? { trace: traceOf(error) } : {};
    logger.log(level, 'Request refused', {
      component: 'HttpServer',
      metadata: { request_id: requestId, operation: name, status, code, ...stack },
    });
  }

  async #operate(operation: Operation, input: OperationInput, asked: Asked): Promise<Answer> {
    const { request, caller, requestId, names, cut } = asked;
    const turn = this.#turns.next();
    if (turn !== undefined) await turn;
    const isInQuery = operation.http.method === 'GET' || operation.http.method === 'DELETE';
    const body = operation.http.method === 'GET' ? undefined : await readJson(request, this.#maxBodyBytes);
    const query = isInQuery && request.url.includes('?') ? new URL(request.url).searchParams : undefined;
    const parsed = input.parse(names, query, body) as never;
    const key = operation.http.method === 'GET' ? null : request.headers.get('idempotency-key');
    const scope = key === null ? '' : `${caller.name()} ${operation.name}`;
    const token = key === null ? {} : { idempotencyToken: idempotencyToken(scope, key) };
    const context: OperationContext = {
      memory: caller.memory,
      binding: caller.binding,
      services: this.#services,
      requestId,
      ...token,
    };
    const named = (key === null ? undefined : operation.named?.(parsed, token.idempotencyToken!)) ?? parsed;
    if (operation.stream !== undefined && wantsStream(operation, request, parsed)) {
      if (key !== null) this.#idempotency.noteStream(scope, key, parsed);
      return this.#stream(operation, named as never, context, { signal: request.signal, cut });
    }
    const status = operation.http.status ?? 200;
    if (key === null) return json(await operation.run(parsed, context), status);
    const work = async (): Promise<KeptAnswer> => ({
      status,
      body: JSON.stringify(await operation.run(named, context)),
    });
    const answer = await this.#idempotency.once(scope, key, parsed, work, {
      forgettings: () => this.#services.conversations.forgettings(caller.memory.principal.user_id),
      isRepeatable: operation.named !== undefined,
    });
    const headers = answer.isRepeated ? { ...JSON_HEADERS, 'idempotency-replayed': 'true' } : JSON_HEADERS;
    return new Answer(answer.body, headers, answer.status);
  }

  async #stream(
    operation: Operation,
    parsed: never,
    context: OperationContext,
    { signal, cut }: { readonly signal: AbortSignal; readonly cut: () => boolean },
  ): Promise<Answer> {
    const { kind, run } = operation.stream!;
    if (kind === 'lines') {
      const headers = { ...JSON_HEADERS, 'content-type': 'application/x-ndjson' };
      const lines = await streamLines(run(parsed, context), (error) => {
        const { status, code } = toProblem(error, context.requestId);
        this.#logProblem(error, status, code, context.requestId, operation.name);
        return cut();
      });
      return new Answer(lines, headers);
    }
    const abort = new AbortController();
    signal.addEventListener('abort', () => abort.abort(), { once: true });
    const events = named(run(parsed, { ...context, signal: abort.signal }));
    const body = await streamFromFirst(events, {
      onEnd: () => abort.abort(),
      onError: (error) => {
        const { status, code, detail, instance } = toProblem(error, context.requestId);
        this.#logProblem(error, status, code, context.requestId, operation.name);
        const data = { type: 'error', code, message: detail, is_retryable: status === 503, instance };
        return { event: 'error', data };
      },
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new RequestError('INVALID_REQUEST', 'The client left before there was an answer.');
    });
    return new Answer(body, STREAM_HEADERS);
  }

  async #watch({ request, caller }: Asked): Promise<Answer> {
    const feed = new ChangeFeed(this.#services, caller.memory);
    const end = (): void => {
      feed.end();
      this.#streams.delete(feed);
    };
    this.#open(feed, caller);
    try {
      const events = await feed.start(request.headers.has('last-event-id'));
      const onError = (): never => {
        throw new Error('A feed cannot fail.');
      };
      return new Answer(streamEvents(events, { onEnd: end, onError }), STREAM_HEADERS);
    } catch (error) {
      end();
      throw error;
    }
  }

  async #metrics(): Promise<Answer> {
    const text = renderMetrics(await this.#services.manager.metrics(), this.#counts);
    return new Answer(text, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  }
}

function connectedFrom({ incoming }: ConnectionInfo): string {
  return incoming?.socket.remoteAddress ?? '';
}

/** `{session_id}` → `:session_id`. */
function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function wantsStream({ stream }: Operation, request: Request, input: { readonly stream?: boolean }): boolean {
  const accepts = request.headers.get('accept') ?? '';
  if (stream?.kind === 'lines') return !accepts.includes('application/json');
  return input.stream === true || accepts.includes('text/event-stream');
}

/** Whether an MCP client wants to be told of changes until it leaves. */
function isListening(body: Uint8Array | undefined): boolean {
  return body !== undefined && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(LISTEN);
}

function withBodyApart({ body, status, statusText, headers }: Response) {
  return { body, status, statusText, headers };
}

async function* named(events: AsyncIterable<unknown>): AsyncGenerator<{ event: string; data: unknown }> {
  for await (const data of events) {
    const { type } = data as { readonly type?: unknown };
    yield { event: typeof type === 'string' ? type : 'message', data };
  }
}

function traceOf({ name, stack = '' }: Error): string[] {
  const places = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [name, ...places.slice(0, 8).map((line) => line.trim())];
}
