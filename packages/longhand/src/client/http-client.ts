import { OPERATIONS, type Operations, VERSION } from './operations.generated.ts';
import { readEvents, type ServerEvent } from './read-events.ts';

/** A typed client of a Longhand server, for browsers and for other programs. It needs nothing but `fetch`. */
export interface ClientOptions {
  /** `https://memory.example`; the page's own origin when left out. */
  readonly baseUrl?: string;
  /** An API key or a JWT, or a function that gives the current one. Pages that have signed in need none: they have a cookie. */
  readonly key?: string | (() => string | undefined | Promise<string | undefined>);
  /** For keys that act for more than one user. */
  readonly userId?: string;
  readonly agentId?: string;
  /** Where the caller's days begin and end. */
  readonly timeZone?: string;
  /** Of a signed-in page: what `signIn` gave, sent with every request that changes something. */
  readonly csrfToken?: () => string | undefined;
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The same request again then changes nothing twice. */
  readonly idempotencyKey?: string;
  /** The request goes on when the page is left; at most 64 KiB. */
  readonly keepalive?: boolean;
}

export type OperationName = keyof Operations;
export type InputOf<Name extends OperationName> = Operations[Name]['input'];
export type OutputOf<Name extends OperationName> = Operations[Name]['output'];

/** What the server refused, as it says it (RFC 9457). */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly status: number;
  /** What programs switch on: `SESSION_NOT_FOUND`, `RATE_LIMITED`, … */
  readonly code: string;
  /** Names the request in the server's log. */
  readonly requestId: string | undefined;
  /** What is wrong with which field. */
  readonly errors: ReadonlyArray<{ readonly field: string; readonly message: string }>;
  /** In seconds: how long to wait before trying again. */
  readonly retryAfter: number | undefined;

  constructor(status: number, problem: Readonly<Record<string, unknown>>, retryAfter?: string | null) {
    super(typeof problem.detail === 'string' ? problem.detail : `The server answered ${status}.`);
    this.status = status;
    this.code = typeof problem.code === 'string' ? problem.code : `HTTP_${status}`;
    this.requestId = typeof problem.instance === 'string' ? problem.instance : undefined;
    this.errors = Array.isArray(problem.errors) ? problem.errors : [];
    this.retryAfter = retryAfter && /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined;
  }
}

/** What a server answers that has no such operation, or takes and needs other fields. */
const UNKNOWN = new Set(['ROUTE_NOT_FOUND', 'METHOD_NOT_ALLOWED', 'INVALID_REQUEST']);

export class LonghandClient {
  readonly #options: ClientOptions;
  #mismatch: string | undefined;

  constructor(options: ClientOptions = {}) {
    this.#options = options;
  }

  /** In words, when the last answer came from a server of another version; `undefined` when none came. */
  get mismatch(): string | undefined {
    return this.#mismatch;
  }

  /** @throws ProblemError, and what `fetch` throws when the server cannot be reached */
  async call<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): Promise<OutputOf<Name>> {
    const response = await this.request(name, input, options);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return (text === '' ? undefined : isJson ? JSON.parse(text) : text) as OutputOf<Name>;
  }

  /** The answer as it comes: events, of which the last holds the whole. @throws ProblemError */
  async *stream<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
  ): AsyncGenerator<ServerEvent, void> {
    const response = await this.request(name, input, options, 'text/event-stream');
    yield* readEvents(response);
  }

  /**
   * What others change, from now on and through lost connections; each event has the position to go on from.
   * @param lastEventId the last event that was seen before, perhaps by an earlier page
   */
  async *events(lastEventId?: string, { signal }: CallOptions = {}): AsyncGenerator<ServerEvent, void> {
    let seen = lastEventId;
    for (let failures = 0; !signal?.aborted; ) {
      try {
        const position = seen === undefined ? {} : { 'last-event-id': seen };
        const headers = { accept: 'text/event-stream', ...position };
        const response = await this.#send('GET', '/api/events', undefined, headers, {
          ...(signal && { signal }),
        });
        for await (const event of readEvents(response)) {
          failures = 0;
          seen = event.id ?? seen;
          yield event;
        }
      } catch (error) {
        if (signal?.aborted) return;
        // A refusal stays one; a lost connection may come back.
        if (error instanceof ProblemError && error.status < 500 && error.status !== 429) throw error;
      }
      failures += 1;
      await pause(Math.min(30_000, 500 * 2 ** failures) * (0.5 + Math.random() / 2), signal);
    }
  }

  /** The bare answer, whose status says that all went well. @throws ProblemError */
  async request<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
    options: CallOptions = {},
    accept = 'application/json',
  ): Promise<Response> {
    const { method, path, body } = partsOf(name, input);
    return this.#send(method, path, body, { accept }, options);
  }

  /** Where an operation is that has no names in its path. */
  addressOf(name: OperationName): string {
    return `${(this.#options.baseUrl ?? '').replace(/\/$/, '')}${OPERATIONS[name][1]}`;
  }

  /** A request to be sent by something else than this client. */
  async prepared<Name extends OperationName>(
    name: Name,
    input: InputOf<Name>,
  ): Promise<{ readonly address: string; readonly init: RequestInit }> {
    const { method, body } = partsOf(name, input);
    const headers = { ...(await this.#headers(method)), 'content-type': 'application/json' };
    return { address: this.addressOf(name), init: { method, headers, body: body ?? null } };
  }

  async #send(
    method: string,
    path: string,
    body: string | undefined,
    extra: Readonly<Record<string, string>>,
    { signal, idempotencyKey, keepalive }: CallOptions,
  ): Promise<Response> {
    const { baseUrl = '', fetch: send = fetch } = this.#options;
    const headers = {
      ...extra,
      ...(await this.#headers(method)),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    };
    this.#mismatch = undefined;
    const response = await send(`${baseUrl.replace(/\/$/, '')}${path}`, {
      ...{ method, headers, credentials: 'same-origin', cache: 'no-store' },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
      ...(keepalive === undefined ? {} : { keepalive }),
    });
    this.#mismatch = mismatchWith(response.headers.get('longhand-version'));
    if (response.ok) return response;
    const problem: unknown = await response.json().catch(() => undefined);
    const facts = typeof problem === 'object' && problem !== null ? (problem as Record<string, unknown>) : {};
    if (this.#mismatch !== undefined && UNKNOWN.has(String(facts.code))) {
      const fields = facts.code === 'INVALID_REQUEST' ? ` ${facts.detail}` : '';
      facts.detail = this.#mismatch + fields;
    }
    throw new ProblemError(response.status, facts, response.headers.get('retry-after'));
  }

  async #headers(method: string): Promise<Record<string, string>> {
    const { key, userId, agentId, timeZone, csrfToken } = this.#options;
    const token = typeof key === 'function' ? await key() : key;
    const csrf = method === 'GET' ? undefined : csrfToken?.();
    return {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(userId === undefined ? {} : { 'longhand-user': encodeURIComponent(userId) }),
      ...(agentId === undefined ? {} : { 'longhand-agent': encodeURIComponent(agentId) }),
      ...(timeZone === undefined ? {} : { 'longhand-time-zone': timeZone }),
      ...(csrf === undefined ? {} : { 'longhand-csrf': csrf }),
    };
  }
}

/** @param server its version; `null` when it does not tell */
function mismatchWith(server: string | null): string | undefined {
  const order = VERSION.localeCompare(server ?? VERSION, 'en', { numeric: true });
  if (order === 0) return undefined;
  return order < 0
    ? `This page (${VERSION}) is older than the server (${server}): reload it.`
    : `This page (${VERSION}) is newer than the server (${server}): try again when the server has been updated.`;
}

function partsOf(name: OperationName, input: object) {
  const [method, pattern] = OPERATIONS[name] as readonly [string, string, string?];
  const fields: Record<string, unknown> = { ...input };
  const target = pattern.replaceAll(/\{(\w+)\}/g, (_, field: string) => {
    const value = fields[field];
    delete fields[field];
    return encodeURIComponent(String(value));
  });
  const inQuery = method === 'GET' || method === 'DELETE';
  const path = inQuery ? `${target}${queryOf(fields)}` : target;
  return { method, path, body: inQuery ? undefined : JSON.stringify(fields) };
}

function queryOf(fields: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (Array.isArray(value)) for (const one of value) query.append(name, String(one));
    else if (value !== undefined) query.append(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
