import { Hono } from 'hono';
import { checkAccess } from '../operations/access.ts';
import { OPERATIONS } from '../operations/index.ts';
import { SERVER_ROUTES, type ServerRoute } from '../operations/server-routes.ts';
import type { Services } from '../services.ts';
import { VERSION } from '../version.ts';
import { Answer, toResponse } from './answer.ts';
import type { Asked, Reply } from './asked.ts';
import { Callers } from './caller.ts';
import { nearRoutes } from './near-routes.ts';
import { type Fallback, type OpenPage, openPages } from './open-pages.ts';
import { OperationInput } from './operation-input.ts';
import { OperationRuns } from './operation-runs.ts';
import { OriginGuard, PREFLIGHT_HEADERS } from './origin-guard.ts';
import { RequestError } from './problem.ts';
import { RequestCounts, renderMetrics } from './prometheus.ts';
import { Refusals } from './refusals.ts';
import { peekTicket } from './request-body.ts';
import { untilEnd } from './sse.ts';
import { type McpHandler, StandingStreams } from './standing-streams.ts';

/**
 * The server as a function from request to response. Every request goes the same way: request id → Host and Origin
 * → who asks and how often → what they may do → input → the operation → answer. Whatever goes wrong on the way
 * becomes a problem, in one place.
 */
export interface AppOptions {
  /** Answers `/mcp`, for the caller that was found. */
  readonly mcp?: McpHandler;
  /** Answers what no route does: the files of the console. */
  readonly fallback?: Fallback;
}

export interface App {
  readonly fetch: (request: Request, env?: ConnectionInfo) => Response | Promise<Response>;
  /** Ends the streams that have no end of their own. */
  endStreams(): void;
}

/** What the web server knows of the connection. */
interface ConnectionInfo {
  readonly incoming?: {
    readonly socket: { readonly remoteAddress?: string | undefined; destroy?(): unknown };
  };
}

const REQUEST_ID = /^[\w.-]{1,128}$/;

export function createApp(services: Services, options: AppOptions = {}): App {
  return new HttpApp(services, options);
}

class HttpApp implements App {
  readonly #services: Services;
  readonly #guard: OriginGuard;
  readonly #callers: Callers;
  readonly #refusals: Refusals;
  readonly #runs: OperationRuns;
  readonly #streams: StandingStreams;
  readonly #counts = new RequestCounts();
  readonly #hono = new Hono();
  /** The methods of each path. */
  readonly #methods = new Map<string, string[]>();
  readonly fetch: App['fetch'];

  constructor(services: Services, { mcp, fallback }: AppOptions) {
    const { config } = services;
    const maxBodyBytes = config.limits.bodyKb * 1_024;
    this.#services = services;
    this.#guard = new OriginGuard(config);
    this.#callers = new Callers(services);
    this.#refusals = new Refusals(services);
    this.#runs = new OperationRuns(services, this.#refusals, maxBodyBytes);
    this.#streams = new StandingStreams(services, maxBodyBytes);

    for (const operation of OPERATIONS) {
      const { method, path } = operation.http;
      const input = new OperationInput(operation);
      const { takesTicket = false } = operation.http;
      const route = { ...operation, path, methods: [method] };
      this.#route(route, (asked) => this.#runs.run(operation, input, asked), takesTicket);
    }
    const { watchChanges, readMetrics, speakMcp } = SERVER_ROUTES;
    this.#route(watchChanges, (asked) => this.#streams.watch(asked));
    this.#route(readMetrics, () => this.#metrics());
    if (mcp !== undefined) this.#route(speakMcp, (asked) => this.#streams.speakMcp(asked, mcp));
    for (const page of openPages(services, fallback)) this.#openRoute(page);
    this.#refuseOthers(fallback);
    this.fetch = (request, env = {}) =>
      request.method === 'OPTIONS'
        ? this.#answer(request, 'preflight', () => new Answer(null, PREFLIGHT_HEADERS, 204))
        : this.#hono.fetch(request, env);
  }

  endStreams(): void {
    this.#streams.end();
  }

  /** A route for callers who may use it: others are refused before anything of their request is read. */
  #route(route: ServerRoute, handle: (asked: Asked) => Reply | Promise<Reply>, takesTicket = false): void {
    const { path, methods, name } = route;
    this.#methods.set(path, [...(this.#methods.get(path) ?? []), ...methods]);
    this.#hono.on([...methods], toPattern(path), (c) =>
      this.#answer(c.req.raw, name, async (requestId) => {
        const request = c.req.raw;
        const { incoming } = c.env as ConnectionInfo;
        const from = connectedFrom(c.env as ConnectionInfo);
        const peeked = takesTicket ? await peekTicket(request) : undefined;
        const caller =
          peeked?.ticket === undefined
            ? await this.#callers.identify(request, from)
            : await this.#callers.identifyByTicket(peeked.ticket, request.headers, from);
        try {
          checkAccess(caller, route);
          const cut = (): boolean => incoming?.socket.destroy?.() !== undefined;
          const body = peeked === undefined ? {} : { peeked };
          const reply = await handle({ request, caller, requestId, names: c.req.param(), cut, ...body });
          return caller.services === this.#services ? reply : whenGiven(reply, caller.release);
        } catch (error) {
          caller.release();
          throw error;
        }
      }),
    );
  }

  #openRoute({ path, name, isCounted, show }: OpenPage): void {
    this.#methods.set(path, ['GET']);
    this.#hono.get(path, (c) => {
      const request = c.req.raw;
      return this.#answer(request, name, async () => {
        if (isCounted)
          await this.#callers.countStranger(request.headers, connectedFrom(c.env as ConnectionInfo));
        return show(request);
      });
    });
  }

  /** Other methods of the paths that there are, and paths that there are not. */
  #refuseOthers(fallback: Fallback | undefined): void {
    for (const [path, allowed] of this.#methods)
      this.#hono.all(toPattern(path), (c) =>
        this.#answer(c.req.raw, 'none', () => {
          const { method } = c.req.raw;
          throw new RequestError(
            'METHOD_NOT_ALLOWED',
            `There is no ${method} for this path. It takes ${allowed.join(', ')}: see /docs.`,
            { headers: { allow: allowed.join(', ') } },
          );
        }),
      );
    this.#hono.notFound((c) =>
      this.#answer(c.req.raw, 'none', async () => {
        const answer = await fallback?.(c.req.raw);
        if (answer !== undefined) return answer;
        const near = nearRoutes(c.req.path, this.#methods);
        const hint = near.length === 0 ? '' : ` Near it: ${near.join('; ')}.`;
        throw new RequestError('ROUTE_NOT_FOUND', `There is no such path.${hint} All of them are in /docs.`);
      }),
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
      reply = this.#refusals.answer(error, requestId, name);
    }
    this.#counts.count(name, reply.status);
    return toResponse(reply, { 'x-request-id': requestId, 'longhand-version': VERSION, ...cors });
  }

  async #metrics(): Promise<Answer> {
    const { manager, redis } = this.#services;
    const { gauges, ...metrics } = await manager.metrics();
    const ofRedis = redis === undefined ? {} : { 'longhand.redis.up': redis.isThere ? 1 : 0 };
    const text = renderMetrics({ ...metrics, gauges: { ...gauges, ...ofRedis } }, this.#counts);
    return new Answer(text, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
  }
}

/** The same reply. @param then called when all of it was given, or the client has left */
function whenGiven(reply: Reply, then: () => void): Reply {
  const { body } = reply;
  if (!(body instanceof ReadableStream)) {
    then();
    return reply;
  }
  const stream = untilEnd(body, then, new AbortController().signal);
  return reply instanceof Answer
    ? new Answer(stream, reply.headers, reply.status, reply.cookies)
    : new Response(stream, reply);
}

function connectedFrom({ incoming }: ConnectionInfo): string {
  return incoming?.socket.remoteAddress ?? '';
}

/** `{session_id}` → `:session_id`. */
function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}
