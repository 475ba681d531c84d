import { baseRelevance, type DecayInput, type DecayPolicy, decayFactor, recencyBoost } from './decay.ts';

/**
 * What will fade, and when.
 *
 * Left alone, a memory only ever loses relevance: the decay factor falls to its floor and the recency boost to
 * 1. So there is one moment at which it falls below a given threshold, or none when importance and floor keep
 * it above for good. The product of the two curves has no inverse in closed form; since it only falls, the
 * moment is found by halving the rest of the calendar, to the millisecond and in 53 steps, with the functions
 * that rank: what the preview says is what will happen.
 *
 * "Left alone" is meant: a use, a new relative or a changed configuration moves the moment.
 */

/** The last moment that a Date can hold. What fades later does not fade. */
const END_OF_CALENDAR_MS = 8.64e15;

export interface FadingInput extends DecayInput {
  readonly id: string;
  readonly importance: number;
  /** When it was last used; its timestamp if it never was. */
  readonly lastTouchedMs?: number;
}

export interface FadeForecast {
  readonly id: string;
  /** Base relevance at the moment of asking. */
  readonly relevance: number;
  /**
   * The first millisecond at which the relevance is below the threshold: the moment of asking when it is below
   * already, `undefined` when it never will be.
   */
  readonly fadesAtMs: number | undefined;
}

/** A forecast for each entry, those that fade first before the others, then by id. */
export function previewFading(
  entries: Iterable<FadingInput>,
  policy: DecayPolicy,
  threshold: number,
  nowMs: number,
): FadeForecast[] {
  const forecasts: FadeForecast[] = [];
  for (const entry of entries) {
    const relevance = relevanceAt(entry, policy, nowMs);
    forecasts.push({ id: entry.id, relevance, fadesAtMs: fadesBelowAtMs(entry, policy, threshold, nowMs) });
  }
  return forecasts.sort(
    (a, b) =>
      (a.fadesAtMs ?? Number.POSITIVE_INFINITY) - (b.fadesAtMs ?? Number.POSITIVE_INFINITY) ||
      (a.id < b.id ? -1 : Number(a.id > b.id)),
  );
}

/** The first millisecond from `nowMs` on at which an entry's base relevance is below `threshold`, if any. */
export function fadesBelowAtMs(
  entry: FadingInput,
  policy: DecayPolicy,
  threshold: number,
  nowMs: number,
): number | undefined {
  const isBelow = (atMs: number): boolean => relevanceAt(entry, policy, atMs) < threshold;
  if (isBelow(nowMs)) return nowMs;
  if (!isBelow(END_OF_CALENDAR_MS)) return undefined;
  let aboveMs = nowMs;
  let belowMs = END_OF_CALENDAR_MS;
  while (belowMs - aboveMs > 1) {
    const middleMs = Math.floor(aboveMs + (belowMs - aboveMs) / 2);
    if (isBelow(middleMs)) belowMs = middleMs;
    else aboveMs = middleMs;
  }
  return belowMs;
}

function relevanceAt(entry: FadingInput, policy: DecayPolicy, atMs: number): number {
  const recency = recencyBoost(entry.lastTouchedMs ?? entry.timestampMs, atMs);
  return baseRelevance(entry.importance, decayFactor(entry, policy, atMs), recency);
}
