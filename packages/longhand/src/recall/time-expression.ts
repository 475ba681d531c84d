/**
 * Time in words.
 *
 * Two readers share one grammar. `parseWithin` reads a filter that a program or a person typed (`last week`,
 * `24h`, `since 2026-01-01`): the whole text must be understood, and what is not is an error value that says
 * what would be. `findTimeMentions` looks into a question ("what did I plant two weeks ago?") and takes what it
 * understands, each mention with a softness, because people count roughly.
 *
 * The same words mean a little different things to the two. As a filter, `last week` is the seven days up to
 * now: nothing recent is left out. In a question it is the calendar week before this one, softly.
 *
 * Everything is UTC, a week begins on Monday, seasons are the northern ones, and a month or weekday without a
 * year is the latest one that has begun: questions to a memory look back. Ranges include both ends.
 *
 * The text is cut into words once; from each word a fixed set of rules looks ahead over a few words. No rule
 * looks back and none repeats without bound, so the time is linear in the length of the text, whatever it says.
 */

/** Both ends included, in milliseconds since 1970, UTC. */
export interface TimeRange {
  readonly startMs: number;
  readonly endMs: number;
}

/** A time that a question speaks of. */
export interface TimeMention extends TimeRange {
  /** How far outside the range a memory may lie and still be half as likely meant; see `mentionCloseness`. */
  readonly softnessMs: number;
  /** Where in the question it stands: `question.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
}

export type WithinProblem = 'empty' | 'too-long' | 'not-understood' | 'reversed';

export type WithinResult =
  | { readonly ok: true; readonly range: TimeRange }
  | { readonly ok: false; readonly problem: WithinProblem; readonly message: string };

/** No range reaches beyond these years: wide enough for any memory, narrow enough for exact arithmetic. */
export const EARLIEST_MS = Date.UTC(1000, 0, 1);
export const LATEST_MS = Date.UTC(3000, 0, 1) - 1;

/** A question that names more times than this singles out none of them. */
export const MAX_MENTIONS = 16;

/** Longer than any expression of time, short enough to be refused before it is read. */
const MAX_WITHIN_LENGTH = 200;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
const MEAN_MONTH = (365.2425 / 12) * DAY;

/** A date is soft by a day: the day of the person who speaks may begin up to 14 hours beside that of UTC. */
const DATE_SOFTNESS = DAY;

/** "Last week" may mean the last seven days: soft by a quarter of its length. */
const PERIOD_SOFTNESS_SHARE = 1 / 4;

/** Distances are named in round numbers: the further back, the rounder. "Ten days ago" is soft by a day. */
const DISTANCE_SOFTNESS_SHARE = 1 / 10;

/** "About", "a few", "a couple of": twice as soft. */
const VAGUE_SOFTNESS_FACTOR = 2;

/** Keeps sums exact; what is larger lies before the earliest moment anyway. */
const MAX_QUANTITY = 1e9;

/** Longer words are no time words and need not be folded. The longest one is "approximately". */
const MAX_WORD_LENGTH = 13;

/** Years that a number of four digits may mean. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;

/** The longest sum of spans: "a year, two months and three days ago". */
const MAX_SPAN_PARTS = 4;

interface Unit {
  readonly months: number;
  readonly ms: number;
}

const inMs = (ms: number): Unit => ({ months: 0, ms });
const inMonths = (months: number): Unit => ({ months, ms: 0 });

/** A lookup from rows of names that share a value. */
const table = <Value>(rows: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(
    Object.entries(rows).flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
  );

/** A lookup from names to their places in a list; `/` stands between names for the same place. */
const places = (names: string, first: number): ReadonlyMap<string, number> =>
  table(Object.fromEntries(names.split(' ').map((same, at) => [same.replaceAll('/', ' '), at + first])));

const UNITS = table({
  'second seconds sec secs': inMs(SECOND),
  'minute minutes min mins': inMs(MINUTE),
  'hour hours hr hrs': inMs(HOUR),
  'day days night nights': inMs(DAY),
  'week weeks wk wks weekend weekends': inMs(WEEK),
  'fortnight fortnights': inMs(2 * WEEK),
  'month months': inMonths(1),
  'year years yr yrs': inMonths(12),
  'decade decades': inMonths(120),
});
/** Units after a number, in filters only. `m` is a minute, as in ISO 8601 times; a month is `mo`. */
const SHORT_UNITS = table({
  s: inMs(SECOND),
  m: inMs(MINUTE),
  h: inMs(HOUR),
  d: inMs(DAY),
  w: inMs(WEEK),
  mo: inMonths(1),
  y: inMonths(12),
});
/** The letters of an ISO 8601 duration in their order; "T" stands before those of the time. */
const DURATION_LETTERS: readonly (readonly [letter: string, unit: Unit | undefined])[] = [
  ['y', inMonths(12)],
  ['m', inMonths(1)],
  ['w', inMs(WEEK)],
  ['d', inMs(DAY)],
  ['t', undefined],
  ['h', inMs(HOUR)],
  ['m', inMs(MINUTE)],
  ['s', inMs(SECOND)],
];

const NUMBERS = places(
  'a/an/one two three four five six seven eight nine ten eleven twelve ' +
    'thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  1,
);
const TENS = places('twenty thirty forty fifty sixty seventy eighty ninety', 2);
/** Soft numbers, by what people mostly mean. */
const VAGUE_NUMBERS = table({ couple: 2, few: 3, several: 4, dozen: 12 });

const WEEKDAYS = places(
  'monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thurs friday/fri saturday/sat sunday/sun',
  0,
);
const MONTHS = places(
  'january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct ' +
    'november/nov december/dec',
  0,
);
/** Names that mean nothing else. "May", "March", "June", "sat" and the like need a word beside them that says so. */
const PLAIN_NAMES = new Set(
  (
    'monday tuesday tue tues wednesday thursday thu thurs friday fri saturday sunday ' +
    'january february feb july september sept october oct november nov december'
  ).split(' '),
);
/** The month in which a season of three begins. */
const SEASONS = table({ spring: 2, summer: 5, 'autumn fall': 8, winter: 11 });
/** Hours of a day, from and to; a night belongs to the day on which it begins. */
const DAY_PARTS = table<readonly [number, number]>({
  morning: [4, 12],
  afternoon: [12, 18],
  evening: [17, 24],
  night: [18, 30],
});

const STEPS = table({ 'last past previous': -1, 'this current': 0, 'next coming upcoming': 1 });
const THIRDS = table({ 'early beginning start': 0, 'mid middle': 1, 'late end': 2 });
const PLACES = new Set(
  'in on during of from around about circa approximately roughly throughout year'.split(' '),
);
const VAGUE_PLACES = new Set('around about circa approximately roughly'.split(' '));
const EDGES = table<'from' | 'after' | 'before'>({
  since: 'from',
  after: 'after',
  'before until till': 'before',
});
const SPAN_ENDS = new Set('and to until till through -'.split(' '));

/** Words that a period can begin with: most words of a question are none, and need no further look. */
const FIRST_WORDS = new Set(
  [NUMBERS, TENS, VAGUE_NUMBERS, UNITS, WEEKDAYS, MONTHS, SEASONS, DAY_PARTS, STEPS, THIRDS]
    .flatMap((names) => [...names.keys()])
    .concat('half', 'first', 'today', 'tonight', 'yesterday', 'tomorrow'),
);

/** A text cut into words, numbers and single marks, folded, with their places; and the moment it is read at. */
interface Scan {
  readonly words: readonly string[];
  readonly from: readonly number[];
  readonly to: readonly number[];
  readonly nowMs: number;
}

/** What a rule understood, and the word after it. */
interface Found extends TimeRange {
  readonly softnessMs: number;
  readonly next: number;
  /** For what comes back every year and was named without one: its range in a given year. */
  readonly annual?: (year: number) => TimeRange | undefined;
}

/**
 * The times that a question speaks of, in the order of the text, at most `MAX_MENTIONS`.
 *
 * @param nowMs when the question is asked: what "ten days ago" counts from
 */
export function findTimeMentions(question: string, nowMs: number): TimeMention[] {
  const scan = scanWords(question, nowMs);
  const mentions: TimeMention[] = [];
  let at = 0;
  while (at < scan.words.length && mentions.length < MAX_MENTIONS) {
    const found = matchMention(scan, at);
    const range = found && bounded(found);
    // "After May", asked in May, names no time that has been.
    if (!range || range.startMs > range.endMs) {
      at++;
      continue;
    }
    const from = scan.from[at] ?? 0;
    const to = scan.to[found.next - 1] ?? question.length;
    mentions.push({ ...range, softnessMs: found.softnessMs, from, to });
    at = found.next;
  }
  return mentions;
}

/** How well a moment fits a mention: 1 inside the range, half for each softness of distance outside it. */
export function mentionCloseness(mention: TimeMention, timestampMs: number): number {
  const distanceMs = Math.max(mention.startMs - timestampMs, timestampMs - mention.endMs, 0);
  return 2 ** (-distanceMs / mention.softnessMs);
}

/**
 * Reads a relative range: `last hour`, `last 3 weeks`, `past fortnight`, `today`, `yesterday`, `this month`,
 * `since 2026-01-01`, `between March and May`, `24h`, `7 days`, `P7D`, `two weeks ago`, `March 2023`, … What
 * counts back ends now; a named day, week, month or year is whole.
 *
 * Never throws: what is not understood, or runs backwards, comes back as a problem with a message for people.
 */
export function parseWithin(expression: string, nowMs: number): WithinResult {
  if (expression.length > MAX_WITHIN_LENGTH) return refuse('too-long');
  const scan = scanWords(expression, nowMs);
  if (scan.words.length === 0) return refuse('empty');
  const found =
    matchRolling(scan) ?? matchIsoDuration(scan) ?? matchMention(scan, 0) ?? matchPeriod(scan, 0, true);
  if (found?.next !== scan.words.length) return refuse('not-understood');
  const range = bounded(found);
  return range.startMs > range.endMs ? refuse('reversed') : { ok: true, range };
}

const PROBLEMS: Readonly<Record<WithinProblem, string>> = {
  empty: 'The time expression is empty.',
  'too-long': `The time expression is longer than ${MAX_WITHIN_LENGTH} characters.`,
  'not-understood': 'The time expression is not understood.',
  reversed: 'The time expression ends before it begins.',
};

function refuse(problem: WithinProblem): WithinResult {
  const advice = "Use one like 'last week', 'last 3 days', 'today', 'since 2026-01-01', '24h' or 'P7D'.";
  return { ok: false, problem, message: `${PROBLEMS[problem]} ${advice}` };
}

const clampMs = (ms: number): number => Math.min(Math.max(Math.round(ms), EARLIEST_MS), LATEST_MS);

const bounded = ({ startMs, endMs }: TimeRange): TimeRange => ({
  startMs: clampMs(startMs),
  endMs: clampMs(endMs),
});

// Words

function scanWords(text: string, nowMs: number): Scan {
  const words: string[] = [];
  const from: number[] = [];
  const to: number[] = [];
  for (let at = 0; at < text.length; ) {
    const start = at;
    const kind = kindOf(text.charCodeAt(at++));
    if (kind === 'space') continue;
    while (kind !== 'mark' && at < text.length && continues(kind, text, at)) at++;
    words.push(at - start > MAX_WORD_LENGTH ? '' : text.slice(start, at).toLowerCase());
    from.push(start);
    to.push(at);
  }
  return { words, from, to, nowMs: clampMs(nowMs) };
}

type Kind = 'space' | 'letter' | 'digit' | 'mark';

function kindOf(code: number): Kind {
  if (code <= 0x20 || code === 0xa0) return 'space';
  if (code >= 0x30 && code <= 0x39) return 'digit';
  // Letters beyond ASCII spell no time word; as letters they keep "márch" from being read as "rch".
  if ((code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code > 0xa0) return 'letter';
  return 'mark';
}

function continues(kind: Kind, text: string, at: number): boolean {
  if (kindOf(text.charCodeAt(at)) === kind) return true;
  // A decimal point belongs to its number, so that "1.5 years ago" is not "5 years ago".
  return kind === 'digit' && text[at] === '.' && kindOf(text.charCodeAt(at + 1)) === 'digit';
}

const wordAt = (scan: Scan, at: number): string => scan.words[at] ?? '';

/** Whether a word follows the one before it without a space. */
const isGlued = (scan: Scan, at: number): boolean =>
  at < scan.words.length && scan.from[at] === scan.to[at - 1];

/** The word after an optional one. */
const skip = (scan: Scan, at: number, ...optional: readonly string[]): number =>
  optional.includes(wordAt(scan, at)) ? at + 1 : at;

/** The value of a number in digits, else NaN. */
function digitsAt(scan: Scan, at: number): number {
  const word = wordAt(scan, at);
  return kindOf(word.charCodeAt(0)) === 'digit' ? Number(word) : Number.NaN;
}

function yearAt(scan: Scan, at: number): number | undefined {
  const year = digitsAt(scan, at);
  return wordAt(scan, at).length === 4 && year >= FIRST_YEAR && year <= LAST_YEAR ? year : undefined;
}

// Calendar

const startOfDay = (ms: number): number => Math.floor(ms / DAY) * DAY;
const modulo = (value: number, divisor: number): number => ((value % divisor) + divisor) % divisor;
/** 0 for Monday. The first day of 1970 was a Thursday. */
const weekdayOf = (ms: number): number => modulo(Math.floor(ms / DAY) + 3, 7);
/** Months since the year 0. */
const monthOf = (ms: number): number => new Date(ms).getUTCFullYear() * 12 + new Date(ms).getUTCMonth();
const startOfMonth = (month: number): number => Date.UTC(Math.floor(month / 12), modulo(month, 12), 1);
const monthsFrom = (month: number, count: number): TimeRange => ({
  startMs: startOfMonth(month),
  endMs: startOfMonth(month + count) - 1,
});
const daysFrom = (startMs: number, count: number): TimeRange => ({
  startMs,
  endMs: startMs + count * DAY - 1,
});
/** The latest month up to `month` that has this place in its year. */
const latestMonth = (month: number, place: number): number => month - modulo(month - place, 12);

function dateRange(year: number, month: number, day: number): TimeRange | undefined {
  const startMs = Date.UTC(year, month, day);
  const isReal = new Date(startMs).getUTCMonth() === month && new Date(startMs).getUTCDate() === day;
  return isReal && year >= 1000 && year < 3000 ? daysFrom(startMs, 1) : undefined;
}

const lengthOf = (unit: Unit): number => unit.ms + unit.months * MEAN_MONTH;

/** Goes some units back (forward when negative). Months keep the day of the month, or take the last one. */
function goBack(ms: number, count: number, unit: Unit): number {
  // More months than lie between the bounds would leave what a Date can hold.
  const months = Math.max(-24_000, Math.min(24_000, Math.trunc(count * unit.months)));
  const fractionMs = (count * unit.months - months) * MEAN_MONTH;
  let shiftedMs = ms;
  if (months !== 0) {
    const target = monthOf(ms) - months;
    const dayOffset = new Date(ms).getUTCDate() - 1;
    const lastOffset = (startOfMonth(target + 1) - startOfMonth(target)) / DAY - 1;
    shiftedMs = startOfMonth(target) + Math.min(dayOffset, lastOffset) * DAY + (ms - startOfDay(ms));
  }
  return clampMs(shiftedMs - fractionMs - count * unit.ms);
}

// Quantities

interface Quantity {
  readonly value: number;
  readonly isVague: boolean;
  readonly next: number;
}

/** "3", "twenty-one", "a", "a couple of", "half a", "one and a half". */
function matchQuantity(scan: Scan, at: number): Quantity | undefined {
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

interface Span extends Quantity {
  readonly unit: Unit;
}

/** A quantity with its unit: "three weeks", "a year and a half", "a month or two". */
function matchSpan(scan: Scan, at: number): Span | undefined {
  const quantity = matchQuantity(scan, at);
  const unit = quantity && UNITS.get(wordAt(scan, quantity.next));
  if (!unit) return undefined;
  const next = quantity.next + 1;
  if (wordAt(scan, next) === 'or' && (wordAt(scan, next + 1) === 'two' || wordAt(scan, next + 1) === 'so')) {
    const extra = wordAt(scan, next + 1) === 'two' ? 0.5 : 0;
    return { value: quantity.value + extra, isVague: true, next: next + 2, unit };
  }
  const half = afterHalf(scan, next);
  return { ...quantity, value: quantity.value + (half > next ? 0.5 : 0), next: half, unit };
}

const distanceSoftness = (distanceMs: number, leastMs: number, isVague: boolean): number =>
  Math.max(leastMs, Math.abs(distanceMs) * DISTANCE_SOFTNESS_SHARE) * (isVague ? VAGUE_SOFTNESS_FACTOR : 1);

/** "Two weeks ago", "a year and three months ago", "ten days from now", "two weeks before 11 August". */
function matchDistance(scan: Scan, at: number): Found | undefined {
  const spans: Span[] = [];
  let next = at;
  while (spans.length < MAX_SPAN_PARTS) {
    const span = matchSpan(scan, spans.length === 0 ? next : skip(scan, next, 'and', ','));
    if (!span) break;
    spans.push(span);
    next = span.next;
  }
  if (spans.length === 0) return undefined;
  const word = wordAt(scan, next);
  if (word === 'ago' || word === 'back') return distanceFrom(scan.nowMs, spans, -1, next + 1);
  if (word === 'from' && wordAt(scan, next + 1) === 'now')
    return distanceFrom(scan.nowMs, spans, 1, next + 2);
  const anchor = matchAnchor(scan, next);
  return anchor && distanceFrom(anchor.startMs, spans, anchor.step, anchor.next);
}

/** A time some spans away, as exact as the smallest of them. */
function distanceFrom(ms: number, spans: readonly Span[], step: 1 | -1, next: number): Found {
  const middleMs = spans.reduce((at, { value, unit }) => goBack(at, -step * value, unit), ms);
  const { unit, value } = spans[spans.length - 1]!;
  // Who counts halves is twice as exact.
  const unitMs = Number.isInteger(value) ? lengthOf(unit) : lengthOf(unit) / 2;
  const isVague = spans.some((span) => span.isVague);
  const leastMs = unitMs < DAY ? unitMs / 2 : Math.max(DATE_SOFTNESS, unitMs / 2);
  const softnessMs = distanceSoftness(ms - middleMs, leastMs, isVague);
  const range = unitMs < DAY ? around(middleMs, unitMs / 2) : wholeDaysAround(middleMs, unitMs);
  return { ...range, softnessMs, next };
}

interface Anchor extends TimeRange {
  readonly step: 1 | -1;
  readonly next: number;
}

/** "Before 11 August", "after yesterday": a date to count from. Dates only, so that anchors do not chain. */
function matchAnchor(scan: Scan, at: number): Anchor | undefined {
  const side = wordAt(scan, at);
  if (side !== 'before' && side !== 'after') return undefined;
  const dateAt = skip(scan, at + 1, 'the');
  const date = matchNamedDay(scan, dateAt) ?? matchIsoDate(scan, dateAt) ?? matchDate(scan, dateAt);
  return date && { ...date, step: side === 'before' ? -1 : 1 };
}

/** "The week before 3 August", "the first Sunday after 2026-01-31". */
function matchBeside(scan: Scan, at: number): Found | undefined {
  const nounAt = skip(scan, at, 'last', 'first');
  const noun = wordAt(scan, nounAt);
  const anchor = matchAnchor(scan, nounAt + 1);
  if (!anchor) return undefined;
  const { startMs, endMs, step, next } = anchor;
  const unit = ROLLING_AFTER_PAST.has(noun) && UNITS.get(noun);
  if (unit) {
    const stretch =
      step < 0
        ? { startMs: goBack(startMs, 1, unit), endMs: startMs - 1 }
        : { startMs: endMs + 1, endMs: goBack(endMs + 1, -1, unit) - 1 };
    return { ...stretch, softnessMs: periodSoftness(stretch), next };
  }
  // Up to Friday, the weekend after a date is that of its own week.
  const isSameWeek = noun === 'weekend' && step > 0 && weekdayOf(startMs) < 5;
  const found = matchStepped({ ...scan, nowMs: startMs }, nounAt, isSameWeek ? 0 : step);
  return found && { ...found, next };
}

const around = (ms: number, halfMs: number): TimeRange => ({ startMs: ms - halfMs, endMs: ms + halfMs });

/** The days that lie within half a unit: for "days" the day itself, for "weeks" the seven around it. */
function wholeDaysAround(ms: number, unitMs: number): TimeRange {
  const daysBeside = Math.floor(unitMs / DAY / 2);
  return daysFrom(startOfDay(ms) - daysBeside * DAY, 2 * daysBeside + 1);
}

// Periods

/** Any one period of time. `isPlaced`: a word before it says that a time follows, so "May" is the month. */
function matchPeriod(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const start = skip(scan, at, 'the');
  if (!FIRST_WORDS.has(wordAt(scan, start)) && Number.isNaN(digitsAt(scan, start))) return undefined;
  return matchThird(scan, start) ?? matchWholePeriod(scan, start, isPlaced);
}

function matchWholePeriod(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  return (
    matchDistance(scan, at) ??
    matchNamedDay(scan, at) ??
    matchBeside(scan, at) ??
    matchRelative(scan, at) ??
    matchFromLast(scan, at) ??
    matchIsoDate(scan, at) ??
    matchDate(scan, at) ??
    matchWeekday(scan, at) ??
    matchMonth(scan, at, isPlaced) ??
    matchSeason(scan, at, isPlaced) ??
    matchYear(scan, at, isPlaced)
  );
}

/** "Early March", "mid-2022", "the end of last year". */
function matchThird(scan: Scan, at: number): Found | undefined {
  const third = THIRDS.get(wordAt(scan, at));
  if (third === undefined) return undefined;
  const periodAt = skip(scan, skip(scan, at + 1, '-', 'of'), 'the');
  const period = matchWholePeriod(scan, periodAt, true);
  if (!period) return undefined;
  const thirdOf = ({ startMs, endMs }: TimeRange): TimeRange => {
    const lengthMs = (endMs + 1 - startMs) / 3;
    return { startMs: startMs + third * lengthMs, endMs: startMs + (third + 1) * lengthMs - 1 };
  };
  const { annual } = period;
  const softnessMs = periodSoftness(thirdOf(period));
  const found = { ...period, ...thirdOf(period), softnessMs };
  if (!annual) return found;
  return {
    ...found,
    annual: (year) => {
      const whole = annual(year);
      return whole && thirdOf(whole);
    },
  };
}

/** "Today", "yesterday", "the day before yesterday", "tonight". */
function matchNamedDay(scan: Scan, at: number): Found | undefined {
  const todayMs = startOfDay(scan.nowMs);
  const word = wordAt(scan, at);
  const day = (offset: number, words: number): Found => ({
    ...daysFrom(todayMs + offset * DAY, 1),
    softnessMs: DATE_SOFTNESS,
    next: at + words,
  });
  if (word === 'today' || word === 'tonight') return day(0, 1);
  if (word === 'yesterday') return day(-1, 1);
  if (word === 'tomorrow') return day(1, 1);
  const side = wordAt(scan, at + 1);
  if (word === 'day' && side === 'before' && wordAt(scan, at + 2) === 'yesterday') return day(-2, 3);
  if (word === 'day' && side === 'after' && wordAt(scan, at + 2) === 'tomorrow') return day(2, 3);
  return undefined;
}

/** "Last week", "this May", "next Tuesday", "the past few months". */
function matchRelative(scan: Scan, at: number): Found | undefined {
  const step = STEPS.get(wordAt(scan, at));
  if (step === undefined) return undefined;
  const span = step === 0 ? undefined : matchSpan(scan, at + 1);
  if (span) return rolling(scan, span, step);
  const rollingUnits = wordAt(scan, at) === 'past' ? ROLLING_AFTER_PAST : ROLLING_AFTER_LAST;
  const unit = step !== 0 && rollingUnits.has(wordAt(scan, at + 1)) && UNITS.get(wordAt(scan, at + 1));
  const found = unit
    ? rolling(scan, { value: 1, isVague: false, unit, next: at + 2 }, step)
    : matchStepped(scan, at + 1, step);
  // "The last week of March" is about March.
  return found && wordAt(scan, found.next) === 'of' ? undefined : found;
}

/** "The past week" is the last seven days; "last week" is a week of the calendar, which a fortnight is not. */
const ROLLING_AFTER_PAST = new Set('minute hour day week fortnight month year decade'.split(' '));
const ROLLING_AFTER_LAST = new Set(['fortnight', 'decade']);

const periodSoftness = ({ startMs, endMs }: TimeRange): number =>
  Math.max(DATE_SOFTNESS, (endMs - startMs) * PERIOD_SOFTNESS_SHARE);

/** The stretch of a span up to now, or from now on. */
function rolling(scan: Scan, span: Span, step: number): Found {
  const edgeMs = goBack(scan.nowMs, step < 0 ? span.value : -span.value, span.unit);
  const leastMs = lengthOf(span.unit) * PERIOD_SOFTNESS_SHARE;
  return {
    startMs: Math.min(edgeMs, scan.nowMs),
    endMs: Math.max(edgeMs, scan.nowMs),
    softnessMs: distanceSoftness(scan.nowMs - edgeMs, leastMs, span.isVague),
    next: span.next,
  };
}

/** "The weekend before last", "the week after next". */
function matchFromLast(scan: Scan, at: number): Found | undefined {
  const side = wordAt(scan, at + 1);
  const end = wordAt(scan, at + 2);
  const step = side === 'before' && end === 'last' ? -2 : side === 'after' && end === 'next' ? 2 : undefined;
  // "The night before last Tuesday" is a time before Tuesday.
  const found = step && !matchRelative(scan, at + 2) && matchStepped(scan, at, step);
  return found ? { ...found, next: at + 3 } : undefined;
}

/** A period some steps from the present one: 0 this, −1 the last, −2 the one before. */
function matchStepped(scan: Scan, at: number, step: number): Found | undefined {
  const word = wordAt(scan, at);
  const next = at + 1;
  const soft = (range: TimeRange): Found => ({ ...range, softnessMs: periodSoftness(range), next });
  const mondayMs = startOfDay(scan.nowMs) - weekdayOf(scan.nowMs) * DAY + step * WEEK;
  const month = monthOf(scan.nowMs);
  if (word === 'week') return soft(daysFrom(mondayMs, 7));
  if (word === 'weekend') return soft(daysFrom(mondayMs + 5 * DAY, 2));
  if (word === 'month') return soft(monthsFrom(month + step, 1));
  if (word === 'year') return soft(monthsFrom(month - modulo(month, 12) + step * 12, 12));
  const dayPart = DAY_PARTS.get(word);
  if (dayPart) {
    const dayMs = startOfDay(scan.nowMs) + step * DAY;
    return soft({ startMs: dayMs + dayPart[0] * HOUR, endMs: dayMs + dayPart[1] * HOUR - 1 });
  }
  const weekday = WEEKDAYS.get(word);
  // "Last Tuesday" may also be the one of last week: the length of the doubt is a week, not a day.
  if (weekday !== undefined) return { ...weekdayRange(scan, weekday, step), softnessMs: WEEK / 2, next };
  const place = MONTHS.get(word) ?? SEASONS.get(word);
  if (place === undefined) return undefined;
  const count = MONTHS.has(word) ? 1 : 3;
  return soft(monthsFrom(steppedMonth(month, place, count, step), count));
}

function weekdayRange(scan: Scan, weekday: number, step: number): TimeRange {
  const todayMs = startOfDay(scan.nowMs);
  const daysSince = modulo(weekdayOf(todayMs) - weekday, 7) || 7;
  if (step < 0) return daysFrom(todayMs - daysSince * DAY + (step + 1) * WEEK, 1);
  if (step === 0) return daysFrom(todayMs - (weekdayOf(todayMs) - weekday) * DAY, 1);
  return daysFrom(todayMs - daysSince * DAY + (daysSince === 7 ? step + 1 : step) * WEEK, 1);
}

/** The first month of a month or season some steps away: the last one is over, the next one not begun. */
function steppedMonth(month: number, place: number, count: number, step: number): number {
  if (step < 0) return latestMonth(month - count, place) + (step + 1) * 12;
  if (step > 0) return latestMonth(month, place) + step * 12;
  // This winter may have begun in the year before; every other period lies in this one.
  const begun = latestMonth(month, place);
  return begun + count > month ? begun : month - modulo(month, 12) + place;
}

/** "2026-01-31", "2026/01/31", "2026-01", "2026-01-31T10:00Z". */
function matchIsoDate(scan: Scan, at: number): Found | undefined {
  const mark = wordAt(scan, at + 1);
  if (wordAt(scan, at).length !== 4 || (mark !== '-' && mark !== '/')) return undefined;
  if (!isGlued(scan, at + 1) || !isGlued(scan, at + 2)) return undefined;
  const year = digitsAt(scan, at);
  const month = digitsAt(scan, at + 2) - 1;
  if (!(year >= 1000 && year < 3000 && month >= 0 && month < 12)) return undefined;
  if (wordAt(scan, at + 3) !== mark || !isGlued(scan, at + 3) || !isGlued(scan, at + 4)) {
    return { ...monthsFrom(year * 12 + month, 1), softnessMs: DATE_SOFTNESS, next: at + 3 };
  }
  const date = dateRange(year, month, digitsAt(scan, at + 4));
  if (!date) return undefined;
  const found = { ...date, softnessMs: DATE_SOFTNESS, next: at + 5 };
  return wordAt(scan, at + 5) === 't' && isGlued(scan, at + 5) ? matchIsoTime(scan, found) : found;
}

/** The time after the "T" of a date: hours and minutes, seconds if any, "Z" or an offset if any. */
function matchIsoTime(scan: Scan, date: Found): Found | undefined {
  let at = date.next + 1;
  const clock: number[] = [digitsAt(scan, at++)];
  while (clock.length < 3 && wordAt(scan, at) === ':') {
    clock.push(digitsAt(scan, at + 1));
    at += 2;
  }
  const [hours = Number.NaN, minutes = Number.NaN, seconds = 0] = clock;
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return undefined;
  let ms = date.startMs + hours * HOUR + minutes * MINUTE + Math.floor(seconds * SECOND);
  const zone = wordAt(scan, at);
  if (zone === 'z') at++;
  if (zone === '+' || zone === '-') {
    const offsetMs = digitsAt(scan, at + 1) * HOUR + digitsAt(scan, at + 3) * MINUTE;
    if (wordAt(scan, at + 2) !== ':' || !(offsetMs <= DAY)) return undefined;
    ms += zone === '+' ? -offsetMs : offsetMs;
    at += 4;
  }
  return { startMs: ms, endMs: ms, softnessMs: DATE_SOFTNESS, next: at };
}

/** "5 May", "the 5th of May 2023", "May 5", "May 5th, 2023". Without a year the latest that has begun. */
function matchDate(scan: Scan, at: number): Found | undefined {
  const isMonthFirst = MONTHS.has(wordAt(scan, at));
  const dayAt = isMonthFirst ? skip(scan, skip(scan, at + 1, '.'), 'the') : at;
  const day = wordAt(scan, dayAt).length <= 2 ? digitsAt(scan, dayAt) : Number.NaN;
  if (!(day >= 1 && day <= 31)) return undefined;
  let next = isGlued(scan, dayAt + 1) ? skip(scan, dayAt + 1, 'st', 'nd', 'rd', 'th') : dayAt + 1;
  let month = MONTHS.get(wordAt(scan, at));
  if (!isMonthFirst) {
    next = skip(scan, next, 'of');
    month = MONTHS.get(wordAt(scan, next++));
  }
  // "In May 3 weeks ago" is no third of May.
  if (month === undefined || UNITS.has(wordAt(scan, next))) return undefined;
  return inYear(scan, next, (year) => dateRange(year, month, day));
}

/** Completes what comes back every year by the year after it, or takes the latest that has begun. */
function inYear(scan: Scan, at: number, annual: (year: number) => TimeRange | undefined): Found | undefined {
  const yearPlace = skip(scan, at, ',', 'of');
  const year = yearAt(scan, yearPlace);
  if (year !== undefined) {
    const range = annual(year);
    return range && { ...range, softnessMs: DATE_SOFTNESS, next: yearPlace + 1 };
  }
  // A leap day may be eight years back.
  const thisYear = new Date(scan.nowMs).getUTCFullYear();
  for (let candidate = thisYear; candidate >= thisYear - 8; candidate--) {
    const range = annual(candidate);
    if (range && range.startMs <= scan.nowMs)
      return { ...range, softnessMs: DATE_SOFTNESS, next: at, annual };
  }
  return undefined;
}

/** "Tuesday": the latest before today. "Tuesday of last week". "Tuesday, 5 May": the date says it. */
function matchWeekday(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  const weekday = WEEKDAYS.get(word);
  if (weekday === undefined || !PLAIN_NAMES.has(word)) return undefined;
  const restAt = skip(scan, skip(scan, at + 1, ','), 'the', 'of');
  const date = matchDate(scan, restAt);
  if (date) return date;
  const step = STEPS.get(wordAt(scan, restAt));
  if (step !== undefined && wordAt(scan, restAt + 1) === 'week') {
    const mondayMs = startOfDay(scan.nowMs) - weekdayOf(scan.nowMs) * DAY;
    const range = daysFrom(mondayMs + step * WEEK + weekday * DAY, 1);
    return { ...range, softnessMs: DATE_SOFTNESS, next: restAt + 2 };
  }
  return { ...weekdayRange(scan, weekday, -1), softnessMs: DATE_SOFTNESS, next: at + 1 };
}

/** "March 2023", "in March". */
function matchMonth(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const word = wordAt(scan, at);
  const month = MONTHS.get(word);
  if (month === undefined) return undefined;
  const found = inYear(scan, at + 1, (year) => monthsFrom(year * 12 + month, 1));
  return !found?.annual || isPlaced || PLAIN_NAMES.has(word) ? found : undefined;
}

/** "Summer 2022", "in the summer": soft by half a month, for nobody's summer begins on the first of June. */
function matchSeason(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const place = SEASONS.get(wordAt(scan, at));
  if (place === undefined) return undefined;
  const found = inYear(scan, at + 1, (year) => monthsFrom(year * 12 + place, 3));
  return found && (!found.annual || isPlaced) ? { ...found, softnessMs: MEAN_MONTH / 2 } : undefined;
}

/** "In 2022", "in the 1990s". */
function matchYear(scan: Scan, at: number, isPlaced: boolean): Found | undefined {
  const year = isPlaced ? yearAt(scan, at) : undefined;
  if (year === undefined) return undefined;
  const isDecade = year % 10 === 0 && wordAt(scan, at + 1) === 's' && isGlued(scan, at + 1);
  const range = monthsFrom(year * 12, isDecade ? 120 : 12);
  return { ...range, softnessMs: DATE_SOFTNESS, next: at + (isDecade ? 2 : 1) };
}

// Mentions

/** A period, or a range between periods, with the words before it that say how it is meant. */
function matchMention(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  const between = word === 'between' || word === 'from' ? matchBetween(scan, at + 1) : undefined;
  if (between) return between;
  const edge = EDGES.get(word);
  if (edge) return matchEdge(scan, at + 1, edge);
  const placed = PLACES.has(word) ? matchPeriod(scan, at + 1, true) : undefined;
  if (!placed) return matchPeriod(scan, at, false);
  return VAGUE_PLACES.has(word)
    ? { ...placed, softnessMs: placed.softnessMs * VAGUE_SOFTNESS_FACTOR }
    : placed;
}

/** "Between March and May", "from 2021 to May 2023": a year that one end lacks follows from the other. */
function matchBetween(scan: Scan, at: number): Found | undefined {
  const first = matchPeriod(scan, at, true);
  if (!first || !SPAN_ENDS.has(wordAt(scan, first.next))) return undefined;
  const second = matchPeriod(scan, first.next + 1, true);
  if (!second) return undefined;
  const end = second.annual && !first.annual ? (nearest(second.annual, first.startMs, 1) ?? second) : second;
  const start = first.annual ? (nearest(first.annual, end.startMs, -1) ?? first) : first;
  return {
    // Two bounds have no direction: "between 2024 and 2022" is three years like any other.
    startMs: Math.min(start.startMs, end.startMs),
    endMs: Math.max(start.endMs, end.endMs),
    softnessMs: Math.max(first.softnessMs, second.softnessMs),
    next: second.next,
  };
}

/** What comes back every year, in the year nearest to a moment on one side of it. */
function nearest(
  annual: (year: number) => TimeRange | undefined,
  ms: number,
  side: 1 | -1,
): TimeRange | undefined {
  const year = new Date(ms).getUTCFullYear();
  return [year, year + side].map(annual).find((range) => range && (range.startMs - ms) * side >= 0);
}

/** "Since May", "after 2020", "before last week". A range that would be empty is no mention but reversed. */
function matchEdge(scan: Scan, at: number, edge: 'from' | 'after' | 'before'): Found | undefined {
  const period = matchPeriod(scan, at, true);
  if (!period) return undefined;
  const { softnessMs, next } = period;
  if (edge === 'before') return { startMs: EARLIEST_MS, endMs: period.startMs - 1, softnessMs, next };
  return {
    startMs: edge === 'from' ? period.startMs : period.endMs + 1,
    endMs: scan.nowMs,
    softnessMs,
    next,
  };
}

// Filters

/** "Last week", "the past 3 days", "24h", "7 days": the stretch up to now. */
function matchRolling(scan: Scan): Found | undefined {
  const start = skip(scan, skip(scan, 0, 'in', 'within', 'during', 'over'), 'the');
  const at = skip(scan, start, 'last', 'past', 'previous');
  const quantity = matchQuantity(scan, at);
  if (!quantity && at === start) return undefined;
  const { value, isVague, next } = quantity ?? { value: 1, isVague: false, next: at };
  const word = wordAt(scan, next);
  // A weekend or a night is not a length of time: the last one is left to the rule for periods.
  const isPeriod = word === 'weekend' || word === 'night';
  const unit = isPeriod ? undefined : (UNITS.get(word) ?? (quantity && SHORT_UNITS.get(word)));
  if (!unit || next + 1 !== scan.words.length) return undefined;
  return rolling(scan, { value, isVague, unit, next: next + 1 }, -1);
}

/** "P7D", "PT24H", "P1Y2M10DT2H30M": the stretch of that length up to now. Zero is not a stretch. */
function matchIsoDuration(scan: Scan): Found | undefined {
  const timeMark = DURATION_LETTERS.findIndex(([, unit]) => !unit);
  let startMs = scan.nowMs;
  let place = 0;
  for (let at = 0; at < scan.words.length; at++) {
    const word = wordAt(scan, at);
    if (at > 0 && !isGlued(scan, at)) return undefined;
    if (at % 2 === 1) {
      if (Number.isNaN(digitsAt(scan, at))) return undefined;
      continue;
    }
    // Letters that touch are one word: that of a unit, or the "P" at the beginning, and a "T" after it.
    if (at === 0 ? word[0] !== 'p' : word === '') return undefined;
    if (at > 0) {
      const found = DURATION_LETTERS.findIndex(([letter], index) => index >= place && letter === word[0]);
      const unit = DURATION_LETTERS[found]?.[1];
      if (!unit || (place <= timeMark && found > timeMark)) return undefined;
      startMs = goBack(startMs, Math.min(digitsAt(scan, at - 1), MAX_QUANTITY), unit);
      place = found + 1;
    }
    const rest = word.slice(1);
    const isLast = at + 1 === scan.words.length;
    if (rest === 't' && place <= timeMark && !isLast) place = timeMark + 1;
    else if (rest !== '') return undefined;
  }
  const isWhole = scan.words.length % 2 === 1 && startMs < scan.nowMs;
  return isWhole
    ? { startMs, endMs: scan.nowMs, softnessMs: DATE_SOFTNESS, next: scan.words.length }
    : undefined;
}
