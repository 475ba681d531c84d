import type { Operation, OperationContext } from '../operations/operation.ts';
import type { Services } from '../services.ts';
import { Answer, JSON_HEADERS, json } from './answer.ts';
import type { Asked } from './asked.ts';
import { CookieSession } from './browser-session.ts';
import type { HttpCaller } from './caller.ts';
import { FairTurns } from './fair-turns.ts';
import { Idempotency, idempotencyToken, type KeptAnswer } from './idempotency.ts';
import type { OperationInput } from './operation-input.ts';
import { RequestError } from './problem.ts';
import type { Refusals } from './refusals.ts';
import { readJson } from './request-body.ts';
import { STREAM_HEADERS, streamFromFirst, streamLines } from './sse.ts';

/**
 * Runs operations for requests: input → the operation, once for each idempotency key → an answer, whole or as a stream.
 */
export class OperationRuns {
  readonly #services: Services;
  readonly #refusals: Refusals;
  readonly #maxBodyBytes: number;
  readonly #idempotency: Idempotency;
  readonly #turns = new FairTurns();

  constructor(services: Services, refusals: Refusals, maxBodyBytes: number) {
    this.#services = services;
    this.#refusals = refusals;
    this.#maxBodyBytes = maxBodyBytes;
    this.#idempotency = new Idempotency(services.config.limits.idempotencyKeys);
  }

  async run(operation: Operation, input: OperationInput, asked: Asked): Promise<Answer> {
    const { request, caller, requestId, names, cut } = asked;
    const turn = this.#turns.next();
    if (turn !== undefined) await turn;
    const { method, setsCookie = false, whenTooLong } = operation.http;
    const body =
      method === 'GET'
        ? undefined
        : await readJson(request, this.#maxBodyBytes, asked.peeked).catch(advising(whenTooLong));
    const query = request.url.includes('?') ? new URL(request.url).searchParams : undefined;
    const parsed = input.parse(names, query, body) as never;
    const key = method === 'GET' || setsCookie ? null : request.headers.get('idempotency-key');
    const scope = key === null ? '' : `${caller.name()} ${operation.name}`;
    const token = key === null ? {} : { idempotencyToken: idempotencyToken(scope, key) };
    const { identity, session } = caller;
    const browser = new CookieSession(this.#services.gate, identity, session, request.headers);
    const context: OperationContext = { ...caller, browser, ...token };
    refuseOtherSession(caller, parsed);
    const named = (key === null ? undefined : operation.named?.(parsed, token.idempotencyToken!)) ?? parsed;
    if (operation.stream !== undefined && wantsStream(operation, request, parsed)) {
      if (key !== null) this.#idempotency.noteStream(scope, key, parsed);
      return this.#stream(operation, named as never, context, { signal: request.signal, requestId, cut });
    }
    const status = operation.http.status ?? 200;
    if (key === null) return json(await operation.run(parsed, context), status, browser.cookies);
    const work = async (): Promise<KeptAnswer> => ({
      status,
      body: JSON.stringify(await operation.run(named, context)),
    });
    const answer = await this.#idempotency.once(scope, key, parsed, work, {
      forgettings: () => caller.services.conversations.forgettings(caller.memory.principal.user_id),
      calls: caller.services.calls,
      isRepeatable: operation.named !== undefined,
    });
    const headers = answer.isRepeated ? { ...JSON_HEADERS, 'idempotency-replayed': 'true' } : JSON_HEADERS;
    return new Answer(answer.body, headers, answer.status);
  }

  async #stream(
    operation: Operation,
    parsed: never,
    context: OperationContext,
    {
      signal,
      requestId,
      cut,
    }: { readonly signal: AbortSignal; readonly requestId: string; readonly cut: () => boolean },
  ): Promise<Answer> {
    const { kind, run } = operation.stream!;
    if (kind === 'lines') {
      const headers = { ...JSON_HEADERS, 'content-type': 'application/x-ndjson' };
      const lines = await streamLines(run(parsed, context), (error) => {
        this.#refusals.note(error, requestId, operation.name);
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
        const problem = this.#refusals.note(error, requestId, operation.name);
        const { status, code, detail, instance } = problem;
        const data = { type: 'error', code, message: detail, is_retryable: status === 503, instance };
        return { event: 'error', data };
      },
    }).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      throw new RequestError('INVALID_REQUEST', 'The client left before there was an answer.');
    });
    return new Answer(body, STREAM_HEADERS);
  }
}

/** @throws RequestError TICKET_INVALID */
function refuseOtherSession({ onlySession }: HttpCaller, input: { readonly session_id?: string }): void {
  if (onlySession === undefined || input.session_id === onlySession) return;
  throw new RequestError('TICKET_INVALID', 'The ticket is for another session.');
}

/** Says what to do in place of it. */
function advising(advice = '') {
  return (error: unknown): never => {
    if (error instanceof RequestError && error.fault === 'BODY_TOO_LARGE') error.message += advice;
    throw error;
  };
}

function wantsStream({ stream }: Operation, request: Request, input: { readonly stream?: boolean }): boolean {
  const accepts = request.headers.get('accept') ?? '';
  if (stream?.kind === 'lines') return !accepts.includes('application/json');
  return input.stream === true || accepts.includes('text/event-stream');
}

async function* named(events: AsyncIterable<unknown>): AsyncGenerator<{ event: string; data: unknown }> {
  for await (const data of events) {
    const { type } = data as { readonly type?: unknown };
    yield { event: typeof type === 'string' ? type : 'message', data };
  }
}
