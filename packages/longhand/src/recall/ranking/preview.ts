import { baseRelevance, type DecayInput, type DecayPolicy, decayFactor, recencyBoost } from './decay.ts';

/**
 * What will fade, and when. Left alone, a memory only ever loses relevance, so there is one moment at which it falls below a
 * threshold, or none. It is found by bisection, to the millisecond, with the functions that rank.
 */

/** The last moment that a Date can hold. What fades later does not fade. */
const END_OF_CALENDAR_MS = 8.64e15;

export interface FadingInput extends DecayInput {
  readonly id: string;
  readonly importance: number;
  /** When it was last used; its timestamp if it never was. */
  readonly lastTouchedMs?: number;
}

interface FadeForecast {
  readonly id: string;
  /** Base relevance at the moment of asking. */
  readonly relevance: number;
  /** The same a week later. */
  readonly nextWeek: number;
  /** The first millisecond below the threshold: now when it is below already, `undefined` for never. */
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
    const nextWeek = relevanceAt(entry, policy, nowMs + 7 * 86_400_000);
    const fadesAtMs = fadesBelowAtMs(entry, policy, threshold, nowMs);
    forecasts.push({ id: entry.id, relevance, nextWeek, fadesAtMs });
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
