import { findMemoryRefs } from '../core/memory-ref.ts';
import type { Message } from '../core/messages.ts';
import { fairShare } from './excerpt.ts';
import { messageTokens } from './message-tokens.ts';
import { type Capture, type Fitting, shortenArguments, shortenContent } from './shorten.ts';
import type { Unit } from './units.ts';

/** A unit as it is sent: itself, or with previews in the place of what was too large. */
export interface FittedUnit {
  readonly unit: Unit;
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** The positions of the messages that are not whole. */
  readonly cut: ReadonlySet<number>;
  /** Texts that must be kept as details before the prompt is sent: their placeholders stand in it. */
  readonly captures: readonly Capture[];
  /** Texts that could not be kept: a preview is all that there is. */
  readonly unkept: readonly Capture[];
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
  const isKept = ({ key }: Capture): boolean => !fitting.unkept.has(key);
  return {
    unit,
    messages,
    tokens,
    cut,
    captures: captures.filter(isKept),
    unkept: captures.filter((capture) => !isKept(capture)),
  };
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
  let fitted = message;
  if (weights[0]! > most) {
    const { content, capture } = shortenContent(unit, at, most, fitting);
    fitted = { ...fitted, content };
    if (capture !== undefined) captures.push(capture);
  }
  if (calls.length > 0) {
    const tool_calls = calls.map((call, i) => {
      if (weights[i + 1]! <= most) return call;
      const { shown, capture } = shortenArguments(
        call,
        unit.origins[at]!.message,
        unit.promptId,
        most,
        fitting,
      );
      if (capture !== undefined) captures.push(capture);
      return { ...call, arguments: shown };
    });
    fitted = { ...fitted, tool_calls };
  }
  const tokens = messageTokens(fitted, counter);
  return tokens >= wholeTokens ? undefined : { message: fitted, tokens, captures };
}

/** The placeholders that stand in messages. */
export function keysIn(messages: readonly Message[]): Set<string> {
  return new Set(
    messages.flatMap((message) =>
      textsOf(message)
        .flatMap(findMemoryRefs)
        .map(({ key }) => key),
    ),
  );
}

/** Everything in a message that a placeholder can stand in. */
export function textsOf({ content, tool_calls = [] }: Message): string[] {
  return [content, ...tool_calls.map((call) => JSON.stringify(call.arguments))];
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
): { readonly units: readonly FittedUnit[]; readonly tokens: number } {
  const whole = Number.POSITIVE_INFINITY;
  const others = [roomTokens / 2, largestTokens, roomTokens / 8, 0];
  const attempts: (readonly [number, number])[] = [
    [whole, whole],
    ...others.map((cap) => [cap, whole] as const),
    ...[roomTokens, roomTokens / 2, roomTokens / 4, 0].map((cap) => [0, cap] as const),
  ];
  let fitted: FittedUnit[] = [];
  let tokens = 0;
  for (const [otherCap, promptCap] of attempts) {
    fitted = units.map((unit) => fitUnit(unit, Math.floor(unit === prompt ? promptCap : otherCap), fitting));
    tokens = fitted.reduce((sum, unit) => sum + unit.tokens, 0);
    if (tokens <= roomTokens) break;
  }
  return { units: fitted, tokens };
}
