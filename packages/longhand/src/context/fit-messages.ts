import { findMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { capturedMessageKey } from '../layers/details/captured-message.ts';
import { makePreview } from './excerpt.ts';
import { messageTokens } from './message-tokens.ts';
import type { Unit } from './units.ts';

/** A unit as it is sent: itself, or with previews in the place of what was too large. */
export interface FittedUnit {
  readonly unit: Unit;
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** Texts that must be kept as details before the prompt is sent: their placeholders stand in it. */
  readonly captures: readonly Capture[];
}

/** A text that a preview stands for. */
export interface Capture {
  readonly key: string;
  readonly text: string;
  readonly role: Message['role'];
  readonly message_id?: string;
  /** When it was said. */
  readonly timestamp?: string;
  readonly name?: string;
}

/** @param largestTokens messages above it become previews of at most this size; their placeholder always fits */
export function fitUnit(unit: Unit, largestTokens: number, counter: TokenCounter): FittedUnit {
  const messages: Message[] = [];
  const captures: Capture[] = [];
  let tokens = 0;
  for (const message of unit.messages) {
    const whole = messageTokens(message, counter);
    const fitted = whole <= largestTokens ? undefined : fitMessage(message, whole, largestTokens, counter);
    messages.push(fitted?.message ?? message);
    tokens += fitted?.tokens ?? whole;
    if (fitted !== undefined) captures.push(fitted.capture);
  }
  return { unit, messages, tokens, captures };
}

/** `undefined` when a preview would be no smaller. */
function fitMessage(
  message: Message,
  wholeTokens: number,
  largestTokens: number,
  counter: TokenCounter,
): { message: Message; tokens: number; capture: Capture } | undefined {
  const { id, role, name, content, timestamp } = message;
  const frame = wholeTokens - counter.count(content);
  const key = capturedMessageKey(role, content);
  const description = role === 'tool' ? 'tool output, shortened here' : 'message, shortened here';
  const preview = makePreview(content, key, description, largestTokens - frame, counter);
  const fitted = { ...message, content: preview };
  const tokens = messageTokens(fitted, counter);
  if (tokens >= wholeTokens) return undefined;
  const capture = {
    key,
    text: content,
    role,
    ...(id === undefined ? {} : { message_id: id }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(name === undefined ? {} : { name }),
  };
  return { message: fitted, tokens, capture };
}

/** The placeholders that stand in messages. */
export function keysIn(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap(({ content }) => findMemoryRefs(content).map(({ key }) => key)));
}

/**
 * What cannot be left out, as whole as the room allows: first all of it, then with smaller and smaller previews of
 * what is not the user's newest message, and at last with a preview of that too.
 */
export function fitMandatory(
  units: readonly Unit[],
  prompt: Unit | undefined,
  roomTokens: number,
  largestTokens: number,
  counter: TokenCounter,
): { readonly units: readonly FittedUnit[]; readonly tokens: number } {
  const whole = Number.POSITIVE_INFINITY;
  const others = [largestTokens, roomTokens / 4, roomTokens / 8, 0].filter((cap) => cap <= largestTokens);
  const attempts: (readonly [number, number])[] = [
    ...others.map((cap) => [cap, whole] as const),
    ...[roomTokens, roomTokens / 2, roomTokens / 4, 0].map((cap) => [0, cap] as const),
  ];
  let fitted: FittedUnit[] = [];
  let tokens = 0;
  for (const [otherCap, promptCap] of attempts) {
    fitted = units.map((unit) => fitUnit(unit, Math.floor(unit === prompt ? promptCap : otherCap), counter));
    tokens = fitted.reduce((sum, unit) => sum + unit.tokens, 0);
    if (tokens <= roomTokens) break;
  }
  return { units: fitted, tokens };
}
