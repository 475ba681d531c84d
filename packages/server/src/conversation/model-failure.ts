import { LonghandError } from 'longhand';
import { ForgottenMeanwhile } from './running-turns.ts';

/** Why a model gave no answer, in a form that can be shown and logged: no prompt, no key, no words of the provider. */
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

export function modelFailure(code: ModelFailureCode, status?: number): ModelFailure {
  return {
    code,
    message: MESSAGES[code],
    isRetryable: code !== 'MODEL_REFUSED',
    ...(status === undefined ? {} : { status }),
  };
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
  if (status !== undefined) return modelFailure(codeOfStatus(status), status);
  const isUnreadable = chain.some(({ name }) => UNREADABLE.has(name ?? ''));
  return modelFailure(isUnreadable ? 'MODEL_BAD_ANSWER' : 'MODEL_UNAVAILABLE');
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
