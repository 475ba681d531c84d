import type { Caller } from '../operations/access.ts';
import type { Services } from '../services.ts';
import { Answer } from './answer.ts';
import type { Asked } from './asked.ts';
import type { HttpCaller } from './caller.ts';
import { ChangeFeed } from './change-events.ts';
import { RequestError } from './problem.ts';
import { readBody } from './request-body.ts';
import { STREAM_HEADERS, streamEvents, untilEnd } from './sse.ts';

/** Answers `/mcp`, for the caller that was found. */
export type McpHandler = (request: Request, caller: Caller) => Promise<Response>;

const LOOK_INTERVAL_MS = 500;
/** What such a message names. A body that merely mentions it counts as well, which does no harm. */
const LISTEN = '"subscriptions/listen"';

/**
 * The answers that have no end of their own: the feed of changes, and what MCP clients listen to. A key may have only
 * so many of them open at one time.
 */
export class StandingStreams {
  readonly #services: Services;
  readonly #maxBodyBytes: number;
  /** Streams that stay open, with the keys they were opened with and what ends them. */
  readonly #open = new Map<object, { readonly caller: HttpCaller; readonly end: () => void }>();
  #watch: NodeJS.Timeout | undefined;

  constructor(services: Services, maxBodyBytes: number) {
    this.#services = services;
    this.#maxBodyBytes = maxBodyBytes;
  }

  /** Ends the feeds. */
  end(): void {
    for (const [stream, { end }] of this.#open) if (stream instanceof ChangeFeed) end();
  }

  /** @throws RequestError RATE_LIMITED */
  async watch({ request, caller }: Asked): Promise<Answer> {
    const feed = new ChangeFeed(caller.services, caller.memory);
    const end = (): void => {
      feed.end();
      this.#close(feed);
    };
    this.#admit(feed, caller, end);
    try {
      const events = await feed.start(request.headers.get('last-event-id') ?? undefined);
      const onError = (): never => {
        throw new Error('A feed cannot fail.');
      };
      return new Answer(streamEvents(events, { onEnd: end, onError }), STREAM_HEADERS);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Most messages of MCP are answered and done; those that listen are counted. @throws RequestError RATE_LIMITED */
  async speakMcp({ request, caller }: Asked, mcp: McpHandler): Promise<Response> {
    const { url, method, headers, signal } = request;
    const body = method === 'POST' ? await readBody(request, this.#maxBodyBytes) : undefined;
    const whole = body === undefined ? request : new Request(url, { method, headers, signal, body });
    if (method !== 'GET' && !isListening(body)) return mcp(whole, caller);
    const stream = {};
    const over = new AbortController();
    this.#admit(stream, caller, () => over.abort());
    const close = (): void => this.#close(stream);
    try {
      const { body: events, ...answer } = withBodyApart(await mcp(whole, caller));
      if (events === null) close();
      return new Response(events === null ? null : untilEnd(events, close, over.signal), answer);
    } catch (error) {
      close();
      throw error;
    }
  }

  #admit(stream: object, caller: HttpCaller, end: () => void): void {
    const { limits, auth } = this.#services.config;
    const most = limits.streamsPerKey;
    const open = [...this.#open.values()].filter((other) => other.caller.keyId === caller.keyId).length;
    if (open >= most)
      throw new RequestError('RATE_LIMITED', `No more than ${most} feeds at one time. Close one first.`);
    this.#open.set(stream, { caller, end });
    if (auth.enabled) this.#watch ??= setInterval(() => this.#endDead(), LOOK_INTERVAL_MS).unref();
  }

  #close(stream: object): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  /** A caller whose key was revoked or has expired hears nothing more. */
  #endDead(): void {
    for (const { caller, end } of this.#open.values())
      caller.isAlive().then(
        (isAlive) => isAlive || end(),
        // The store cannot be asked: the next look tells.
        () => undefined,
      );
  }
}

/** Whether an MCP client asks to be notified of changes until it leaves. */
function isListening(body: Uint8Array | undefined): boolean {
  return body !== undefined && Buffer.from(body.buffer, body.byteOffset, body.byteLength).includes(LISTEN);
}

function withBodyApart({ body, status, statusText, headers }: Response) {
  return { body, status, statusText, headers };
}
