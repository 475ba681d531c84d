import { LonghandError } from 'longhand';
import { ForgottenMeanwhile } from './running-turns.ts';

/**
 * Why a model gave no answer, in a form that can be shown and logged: no prompt, no key, no words of the provider. Of its
 * address there are scheme, host and port: a path or a name before the host may hold a key.
 */
export interface ModelFailure {
  readonly code: ModelFailureCode | string;
  readonly message: string;
  readonly isRetryable: boolean;
  readonly status?: number;
}

export type ModelFailureCode =
  | 'MODEL_RATE_LIMITED'
  | 'MODEL_UNAVAILABLE'
  | 'MODEL_REFUSED'
  | 'MODEL_TIMEOUT'
  | 'MODEL_BAD_ANSWER'
  | 'MODEL_EMPTY_ANSWER'
  | 'FORGOTTEN_MEANWHILE'
  | 'ABORTED';

/** Where nothing more is known. */
const MESSAGES: Record<ModelFailureCode, string> = {
  MODEL_RATE_LIMITED: 'The model takes no more requests at the moment. Try again in a while.',
  MODEL_UNAVAILABLE:
    'The model cannot be reached, or has failed. Try again; if it goes on, check its address.',
  MODEL_REFUSED: 'The model refused the request. Check the name of the model, its address and its API key.',
  MODEL_TIMEOUT: 'The model did not answer in time. Try again.',
  MODEL_BAD_ANSWER: 'The model’s answer was cut off or could not be read. Try again.',
  MODEL_EMPTY_ANSWER: 'The model answered without a word. Ask again, or in other words.',
  FORGOTTEN_MEANWHILE:
    'Something was forgotten while this was answered, and the answer was called off so that nothing of it comes back. Ask again.',
  ABORTED: 'The answer was called off.',
};

export function modelFailure(
  code: ModelFailureCode,
  status?: number,
  message: string = MESSAGES[code],
): ModelFailure {
  return {
    code,
    message,
    isRetryable: code !== 'MODEL_REFUSED',
    ...(status === undefined ? {} : { status }),
  };
}

/** The same without what concerns the operator alone: where the model is, and what the network says of it. */
export function withoutAddress(failure: ModelFailure): ModelFailure {
  const general = Object.hasOwn(MESSAGES, failure.code)
    ? MESSAGES[failure.code as ModelFailureCode]
    : undefined;
  return general === undefined ? failure : { ...failure, message: general };
}

/** @param signal that of the caller, to tell a caller who left from a model that took too long */
export function describeFailure(error: unknown, signal?: AbortSignal): ModelFailure {
  if (signal?.aborted && LonghandError.isInstance(signal.reason)) return describeFailure(signal.reason);
  if ([error, signal?.reason].some((reason) => reason instanceof ForgottenMeanwhile)) {
    return modelFailure('FORGOTTEN_MEANWHILE');
  }
  if (signal?.aborted) return modelFailure('ABORTED');
  if (LonghandError.isInstance(error)) {
    const isRetryable = error.name === 'ConcurrencyError' || error.name === 'IOError';
    return { code: error.code, message: error.message, isRetryable };
  }
  const chain = causesOf(error);
  if (chain.some(({ name }) => name === 'TimeoutError' || name === 'AbortError')) {
    return modelFailure('MODEL_TIMEOUT');
  }
  const status = chain.map(({ statusCode }) => statusCode).find((code) => typeof code === 'number');
  // A success that could not be read is no answer that its status says anything about.
  if (status !== undefined && status < 300) return modelFailure('MODEL_BAD_ANSWER');
  const model = modelAt(chain);
  if (status !== undefined) {
    const code = codeOfStatus(status);
    return modelFailure(code, status, ofStatus(code, status, model));
  }
  if (chain.some(({ name }) => UNREADABLE.has(name ?? ''))) return modelFailure('MODEL_BAD_ANSWER');
  return modelFailure('MODEL_UNAVAILABLE', undefined, unreachable(model, chain));
}

/** `The model at http://127.0.0.1:11434`, when the SDK says whom it asked. */
function modelAt(chain: readonly AnyError[]): string {
  const url = chain.map((error) => error.url).find((one) => typeof one === 'string');
  const origin = url === undefined ? undefined : URL.parse(url)?.origin;
  return origin === undefined ? 'The model' : `The model at ${origin}`;
}

function ofStatus(code: ModelFailureCode, status: number, model: string): string {
  if (code === 'MODEL_UNAVAILABLE')
    return `${model} has failed, with status ${status}. Try again; if it goes on, look at its own log.`;
  if (code === 'MODEL_REFUSED')
    return `${model} refused the request, with status ${status}. Check the name of the model, its address and its API key.`;
  return MESSAGES[code];
}

/** What the system, or the client of HTTP, says of a connection that did not come about or broke. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host cannot be looked up at the moment',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to its network',
  ETIMEDOUT: 'the connection took too long',
  UND_ERR_CONNECT_TIMEOUT: 'the connection took too long',
  ECONNRESET: 'the connection was cut off',
  EPIPE: 'the connection was cut off',
  UND_ERR_SOCKET: 'the connection was cut off',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is its own',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is its own',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not speak TLS',
};

function unreachable(model: string, chain: readonly AnyError[]): string {
  const isCode = (one: unknown): one is string => typeof one === 'string' && /^[A-Z0-9_]+$/.test(one);
  const code = chain.map((error) => error.code).find(isCode);
  if (code === undefined)
    return `${model} cannot be reached, or has failed. Try again; if it goes on, check its address.`;
  return `${model} cannot be reached: ${REASONS[code] ?? 'the connection failed'} (${code}). Check that it runs, and its address in the settings.`;
}

/** Errors of the AI SDK that say: what came was not what the protocol asks for. */
const UNREADABLE = new Set([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_InvalidResponseDataError',
  'AI_EmptyResponseBodyError',
  'AI_NoOutputGeneratedError',
]);

function codeOfStatus(status: number): ModelFailureCode {
  if (status === 429) return 'MODEL_RATE_LIMITED';
  if (status === 408 || status === 504) return 'MODEL_TIMEOUT';
  return status >= 500 ? 'MODEL_UNAVAILABLE' : 'MODEL_REFUSED';
}

interface AnyError {
  readonly name?: string;
  /** Of the system: `ECONNREFUSED`. */
  readonly code?: unknown;
  /** Of the AI SDK: whom it asked. */
  readonly url?: string;
  readonly statusCode?: number;
  readonly cause?: unknown;
  /** Of the AI SDK, after the last of several attempts. */
  readonly lastError?: unknown;
}

function causesOf(error: unknown): AnyError[] {
  const chain: AnyError[] = [];
  for (let next = error; typeof next === 'object' && next !== null && chain.length < 8; ) {
    const found = next as AnyError;
    chain.push(found);
    next = found.lastError ?? found.cause;
  }
  return chain;
}
