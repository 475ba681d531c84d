import { ValidationError } from '../core/errors.ts';
import { LIMITS } from '../core/limits.ts';
import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';

/**
 * What a message costs beside its text: the marks around it and its role. Providers differ by a token or two and
 * do not publish it; this is the figure for the models of o200k_base, rounded up.
 */
const TOKENS_PER_MESSAGE = 4;
/** The marks that open the answer. */
export const TOKENS_PER_REQUEST = 3;
/** The marks around a tool call and around the id that a result answers. */
const TOKENS_PER_TOOL_CALL = 8;

/** A function that computes its value once for each object, and keeps it as long as the object lives. */
export function onceFor<Key extends object, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new WeakMap<Key, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}

/** The same messages are weighed at every step, and on every turn: they are weighed once. */
const weigherOf = onceFor((counter: TokenCounter) => onceFor((message: Message) => weigh(message, counter)));

/** The tokens of one message, as a whole. @throws ValidationError CONTENT_TOO_DEEP */
export function messageTokens(message: Message, counter: TokenCounter): number {
  return weigherOf(counter)(message);
}

function weigh(message: Message, counter: TokenCounter): number {
  if (hasDeepArguments(message)) {
    throw new ValidationError(
      'CONTENT_TOO_DEEP',
      `The arguments of a tool call are nested more than ${LIMITS.contentDepth} levels deep, or refer to themselves.`,
      { details: { limit: LIMITS.contentDepth } },
    );
  }
  let tokens = TOKENS_PER_MESSAGE + counter.count(message.content);
  if (message.name !== undefined) tokens += counter.count(message.name) + 1;
  if (message.tool_call_id !== undefined)
    tokens += counter.count(message.tool_call_id) + TOKENS_PER_TOOL_CALL;
  for (const call of message.tool_calls ?? []) {
    tokens += TOKENS_PER_TOOL_CALL + counter.count(call.id) + counter.count(call.name);
    tokens += counter.count(JSON.stringify(call.arguments));
  }
  return tokens;
}

/** The tokens of a whole request: what is compared with the budget. */
export function requestTokens(messages: readonly Message[], counter: TokenCounter): number {
  return messages.reduce((sum, message) => sum + messageTokens(message, counter), TOKENS_PER_REQUEST);
}

/** Whether a tool call has arguments that are nested so deep that writing them as JSON could overflow the stack. */
export function hasDeepArguments({ tool_calls = [] }: Message): boolean {
  return tool_calls.some((call) => isDeeperThan(LIMITS.contentDepth, call.arguments));
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}

export function sumTokens(items: readonly { readonly tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}
