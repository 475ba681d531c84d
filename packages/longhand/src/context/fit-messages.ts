import { findMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import { fairShare } from './excerpt.ts';
import { messageTokens, sumTokens } from './message-tokens.ts';
import { type Capture, type Fitting, type Shortened, shortenArguments, shortenContent } from './shorten.ts';
import type { Unit } from './units.ts';

/** A unit as it is sent: itself, or with previews in the place of what was too large. */
export interface FittedUnit {
  readonly unit: Unit;
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** The positions of the messages that are not whole. */
  readonly cut: ReadonlySet<number>;
  /** Texts that previews stand for. They are kept as details before the prompt is sent. */
  readonly captures: readonly Capture[];
}

export function uncut(unit: Unit, tokens: number): FittedUnit {
  return { unit, messages: unit.messages, tokens, cut: new Set(), captures: [] };
}

/** @param largestTokens messages above it become previews of at most this size; their placeholders always fit */
export function fitUnit(unit: Unit, largestTokens: number, fitting: Fitting): FittedUnit {
  const messages: Message[] = [];
  const captures: Capture[] = [];
  const cut = new Set<number>();
  let tokens = 0;
  for (const [at, message] of unit.messages.entries()) {
    const whole = messageTokens(message, fitting.counter);
    const fitted = whole <= largestTokens ? undefined : fitMessage(unit, at, whole, largestTokens, fitting);
    messages.push(fitted?.message ?? message);
    tokens += fitted?.tokens ?? whole;
    if (fitted === undefined) continue;
    cut.add(at);
    captures.push(...fitted.captures);
  }
  return { unit, messages, tokens, cut, captures };
}

/** What it says and what it asks tools for share the room. `undefined` when a preview would be no smaller. */
function fitMessage(
  unit: Unit,
  at: number,
  wholeTokens: number,
  largestTokens: number,
  fitting: Fitting,
): { message: Message; tokens: number; captures: readonly Capture[] } | undefined {
  const { counter } = fitting;
  const message = unit.messages[at]!;
  const calls = message.tool_calls ?? [];
  const weights = [
    counter.count(message.content),
    ...calls.map((call) => counter.count(JSON.stringify(call.arguments))),
  ];
  const frame = wholeTokens - weights.reduce((sum, weight) => sum + weight, 0);
  const most = fairShare(weights, largestTokens - frame);
  const captures: Capture[] = [];
  const shownOf = <Shown>({ shown, capture }: Shortened<Shown>): Shown => {
    if (capture !== undefined) captures.push(capture);
    return shown;
  };
  const content = weights[0]! > most ? shownOf(shortenContent(unit, at, most, fitting)) : message.content;
  const tool_calls = calls.map((call, i) =>
    weights[i + 1]! > most
      ? { ...call, arguments: shownOf(shortenArguments(unit, at, call, most, fitting)) }
      : call,
  );
  const fitted = { ...message, content, ...(calls.length > 0 ? { tool_calls } : {}) };
  const tokens = messageTokens(fitted, counter);
  return tokens >= wholeTokens ? undefined : { message: fitted, tokens, captures };
}

/** The placeholders in a message: in what it says and in what it asks tools for. */
export function refsIn({ content, tool_calls = [] }: Message): ReturnType<typeof findMemoryRefs> {
  return [content, ...tool_calls.map((call) => JSON.stringify(call.arguments))].flatMap(findMemoryRefs);
}

export function keysIn(messages: readonly Message[]): Set<string> {
  return new Set(messages.flatMap(refsIn).map(({ key }) => key));
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
  fitting: Fitting,
): readonly FittedUnit[] {
  const whole = Number.POSITIVE_INFINITY;
  const others = [whole, roomTokens / 2, largestTokens, roomTokens / 8, 0];
  const attempts: (readonly [number, number])[] = [
    ...others.map((cap) => [cap, whole] as const),
    ...[roomTokens, roomTokens / 2, roomTokens / 4, 0].map((cap) => [0, cap] as const),
  ];
  let fitted: readonly FittedUnit[] = [];
  for (const [otherCap, promptCap] of attempts) {
    fitted = units.map((unit) => fitUnit(unit, Math.floor(unit === prompt ? promptCap : otherCap), fitting));
    if (sumTokens(fitted) <= roomTokens) break;
  }
  return fitted;
}
