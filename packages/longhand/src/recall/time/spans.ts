import { type Calendar, DAY, lengthOf, MEAN_MONTH, type TimeRange, type Unit, WEEK } from './calendar.ts';
import { digitsAt, type Found, isGlued, type Scan, skip, wordAt } from './scan.ts';
import { NUMBER_ENDS, NUMBERS, ORDINALS, TENS, UNITS, VAGUE_NUMBERS } from './vocabulary.ts';

/** Lengths of time: "3", "three weeks", "a year and a half"; and how soft the times are that they lead to. */

/** A date is soft by a day: the day of the person who speaks may begin up to 14 hours beside that of UTC. */
export const DATE_SOFTNESS = DAY;

/** "Last week" may mean the last seven days: soft by a quarter of its length. */
export const PERIOD_SOFTNESS_SHARE = 1 / 4;

/** Distances are named in round numbers: the further back, the rounder. "Ten days ago" is soft by a day. */
export const DISTANCE_SOFTNESS_SHARE = 1 / 10;

/** "About", "a few", "a couple of": twice as soft. */
export const VAGUE_SOFTNESS_FACTOR = 2;

/** "Last Friday" may be that of this week or of the week before: the doubt is a week long. */
export const WEEKDAY_SOFTNESS = WEEK / 2;

/** "The second week of May" begins on the 8th, on the second Monday, or in the week after that of the 1st: days apart. */
export const WEEK_PLACE_SOFTNESS = WEEK;

/** Nobody's summer begins on the first of June. */
export const SEASON_SOFTNESS = MEAN_MONTH / 2;

/** Keeps sums exact; what is larger lies before the earliest moment anyway. */
export const MAX_QUANTITY = 1e9;

/** How far back "recently" and "lately" reach. */
export const RECENT_DAYS = 14;

interface Quantity {
  readonly value: number;
  readonly isVague: boolean;
  readonly next: number;
}

/** "3", "twenty-one", "a", "a couple of", "half a", "one and a half". */
export function matchQuantity(scan: Scan, at: number): Quantity | undefined {
  const word = wordAt(scan, at);
  const vagueAt = skip(scan, at, 'a', 'the');
  const vague = VAGUE_NUMBERS.get(wordAt(scan, vagueAt));
  if (vague !== undefined) return { value: vague, isVague: true, next: skip(scan, vagueAt + 1, 'of') };
  if (word === 'half') {
    const next = skip(scan, at + 1, 'a', 'an');
    return next > at + 1 ? { value: 0.5, isVague: false, next } : undefined;
  }
  const tens = TENS.get(word);
  let next = at + 1;
  let value = Math.min(digitsAt(scan, at), MAX_QUANTITY);
  if (tens !== undefined) {
    const onesAt = skip(scan, next, '-');
    const ones = NUMBERS.get(wordAt(scan, onesAt)) ?? 0;
    const isCompound = ones > 0 && ones < 10 && wordAt(scan, onesAt).length > 2;
    value = tens * 10 + (isCompound ? ones : 0);
    if (isCompound) next = onesAt + 1;
  } else if (Number.isNaN(value)) {
    value = NUMBERS.get(word) ?? Number.NaN;
  }
  if (!(value > 0)) return undefined;
  const half = afterHalf(scan, next);
  return { value: value + (half > next ? 0.5 : 0), isVague: false, next: half };
}

/** The word after "and a half", or the same one. */
function afterHalf(scan: Scan, at: number): number {
  const isHalf =
    wordAt(scan, at) === 'and' && wordAt(scan, at + 1) === 'a' && wordAt(scan, at + 2) === 'half';
  return isHalf ? at + 3 : at;
}

interface Ordinal {
  readonly value: number;
  readonly isWord: boolean;
  readonly next: number;
}

/** "First", "twenty-first", "3rd". */
export function matchOrdinal(scan: Scan, at: number): Ordinal | undefined {
  const digits = digitsAt(scan, at);
  if (!Number.isNaN(digits)) {
    const next = isGlued(scan, at + 1) ? skip(scan, at + 1, 'st', 'nd', 'rd', 'th') : at + 1;
    return next > at + 1 ? { value: digits, isWord: false, next } : undefined;
  }
  const tens = TENS.get(wordAt(scan, at));
  const onesAt = tens === undefined ? at : skip(scan, at + 1, '-');
  const ones = ORDINALS.get(wordAt(scan, onesAt));
  if (ones === undefined || (tens !== undefined && ones >= 10)) return undefined;
  return { value: (tens ?? 0) * 10 + ones, isWord: true, next: onesAt + 1 };
}

export interface Span extends Quantity {
  readonly unit: Unit;
}

/** The first of two numbers of which one is meant, and where the second stands: "2-3", "two or three". */
export function matchLesser(scan: Scan, at: number): Quantity | undefined {
  const lesser = matchQuantity(scan, at);
  if (!lesser || !NUMBER_ENDS.has(wordAt(scan, lesser.next))) return undefined;
  const greater = matchQuantity(scan, lesser.next + 1);
  return greater && greater.value > lesser.value ? { ...lesser, next: lesser.next + 1 } : undefined;
}

/** A quantity with its unit: "three weeks", "a year and a half", "a month or two", "2-3 days", which may be three. */
function matchSpan(scan: Scan, at: number, units: ReadonlyMap<string, Unit>): Span | undefined {
  const lesser = matchLesser(scan, at);
  const found = matchQuantity(scan, lesser?.next ?? at);
  const quantity = found && lesser ? { ...found, isVague: true } : found;
  const unit = quantity && units.get(wordAt(scan, quantity.next));
  if (!unit) return undefined;
  const next = quantity.next + 1;
  if (wordAt(scan, next) === 'or' && (wordAt(scan, next + 1) === 'two' || wordAt(scan, next + 1) === 'so')) {
    const extra = wordAt(scan, next + 1) === 'two' ? 0.5 : 0;
    return { value: quantity.value + extra, isVague: true, next: next + 2, unit };
  }
  const half = afterHalf(scan, next);
  return { ...quantity, value: quantity.value + (half > next ? 0.5 : 0), next: half, unit };
}

/** The longest sum of spans: "a year, two months, a week and three days ago". */
const MAX_SPAN_PARTS = 4;

/** Spans that add up: "1d12h", "a year and three months", "2 weeks, 3 days". None, or the last tells what comes next. */
export function matchSpans(scan: Scan, at: number, units: ReadonlyMap<string, Unit> = UNITS): Span[] {
  const spans: Span[] = [];
  let next = at;
  while (spans.length < MAX_SPAN_PARTS) {
    const span = matchSpan(scan, spans.length === 0 ? next : skip(scan, next, 'and', ','), units);
    if (!span) break;
    spans.push(span);
    next = span.next;
  }
  return spans;
}

/** The moment some spans back, or ahead. */
export const goSpans = (calendar: Calendar, ms: number, spans: readonly Span[], step: number): number =>
  spans.reduce((at, { value, unit }) => calendar.goBack(at, step < 0 ? value : -value, unit), ms);

export const distanceSoftness = (distanceMs: number, leastMs: number, isVague: boolean): number =>
  Math.max(leastMs, Math.abs(distanceMs) * DISTANCE_SOFTNESS_SHARE) * (isVague ? VAGUE_SOFTNESS_FACTOR : 1);

export const periodSoftness = ({ startMs, endMs }: TimeRange): number =>
  Math.max(DATE_SOFTNESS, (endMs - startMs) * PERIOD_SOFTNESS_SHARE);

/** The stretch of some spans up to now, or from now on. */
export function rolling(scan: Scan, spans: readonly Span[], step: number): Found {
  const edgeMs = goSpans(scan.calendar, scan.nowMs, spans, step);
  const { unit, next } = spans[spans.length - 1]!;
  const leastMs = lengthOf(unit) * PERIOD_SOFTNESS_SHARE;
  const isVague = spans.some((span) => span.isVague);
  return {
    startMs: Math.min(edgeMs, scan.nowMs),
    endMs: Math.max(edgeMs, scan.nowMs),
    softnessMs: distanceSoftness(scan.nowMs - edgeMs, leastMs, isVague),
    next,
  };
}
