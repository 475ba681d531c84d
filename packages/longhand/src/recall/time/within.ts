import { bounded, type Calendar, type TimeRange, UTC_CALENDAR } from './calendar.ts';
import { matchFilterWording } from './filter-wordings.ts';
import { inEnglish } from './languages.ts';
import { matchMention, matchRange } from './mentions.ts';
import { ambiguousDate, withOrderOfDates } from './numeric-dates.ts';
import { matchPeriod } from './periods.ts';
import { digitsAt, type Found, isGlued, type Scan, scanWords, skip, wordAt } from './scan.ts';
import { DATE_SOFTNESS, MAX_QUANTITY, matchSpans, rolling } from './spans.ts';
import { DURATION_LETTERS, HOLIDAY_WORDS, LENGTHS, PLACED_UNITS, SPAN_ENDS, UNITS } from './vocabulary.ts';

export type WithinProblem = 'empty' | 'too-long' | 'not-understood' | 'ambiguous' | 'reversed';

export type WithinResult =
  | { readonly ok: true; readonly range: TimeRange }
  | { readonly ok: false; readonly problem: WithinProblem; readonly message: string };

/** Words that stand before a day or a month in German and French. */
const FOREIGN_LEADS = new Set(['am', 'im', 'die', 'le', 'la', 'les', 'en', 'au']);
/** The same as two words: "in den letzten Tagen", "l'ann\u00e9e derni\u00e8re". */
const LONG_LEADS = new Set(['in den', 'in der', "l '"]);
/** "2026-05-01..2026-05-15". */
const DOTS_BETWEEN = /(?<=\d)\.{2,3}(?=\d)/;

/** Longer than any expression of time, short enough to be refused before it is read. */
const MAX_WITHIN_LENGTH = 200;

/**
 * Reads a relative range: `last hour`, `last 3 weeks`, `past fortnight`, `today`, `yesterday evening`, `this month`,
 * `since 2026-01-01`, `between March and May`, `24h`, `1d12h`, `7 days`, `P7D`, `two weeks ago`, `March 2023`,
 * `first of May`, `last quarter`, … What counts back ends now; a named day, week, month, quarter or year is whole.
 *
 * Never throws: what is not understood, or runs backwards, comes back as a problem with a message for people.
 */
export function parseWithin(
  expression: string,
  nowMs: number,
  calendar: Calendar = UTC_CALENDAR,
): WithinResult {
  if (expression.length > MAX_WITHIN_LENGTH) return refuse('too-long');
  const scan = withOrderOfDates(scanWords(expression.replace(DOTS_BETWEEN, ' to '), nowMs, calendar));
  if (scan.words.length === 0) return refuse('empty');
  const foreignLead = LONG_LEADS.has(`${wordAt(scan, 0)} ${wordAt(scan, 1)}`)
    ? 2
    : FOREIGN_LEADS.has(wordAt(scan, 0))
      ? 1
      : 0;
  const isForeign = foreignLead > 0;
  const lead = isForeign ? foreignLead : skip(scan, 0, 'in', 'within', 'during', 'over', 'at');
  // "Over the past quarter" is that quarter, and "over Christmas" is Christmas; "over a year ago" is not a year ago.
  const isPlace =
    isForeign ||
    wordAt(scan, 0) === 'at' ||
    wordAt(scan, lead) === 'the' ||
    HOLIDAY_WORDS.has(wordAt(scan, lead));
  const first = isPlace ? lead : 0;
  const found =
    matchRolling(scan, lead) ??
    matchForeignRolling(scan, lead) ??
    matchIsoDuration(scan) ??
    matchMention(scan, first) ??
    matchRange(scan, first, SPAN_ENDS) ??
    matchPeriod(scan, first, true);
  const whole = found?.next === scan.words.length ? found : matchFilterWording(scan);
  if (!whole) return refuse('not-understood');
  const readings = ambiguousDate(scan);
  if (readings) return refuseAmbiguous(readings.map(({ startMs }) => calendar.isoDate(startMs)));
  if (whole.isReversed) return refuse('reversed');
  const range = bounded(whole);
  return range.startMs > range.endMs ? refuse('reversed') : { ok: true, range };
}

function refuseAmbiguous([monthFirst, dayFirst]: readonly string[]): WithinResult {
  const message = `The time expression is ambiguous: ${monthFirst} with the month first, ${dayFirst} with the day first. Write the one that is meant in this form.`;
  return { ok: false, problem: 'ambiguous', message };
}

const PROBLEMS: Readonly<Record<Exclude<WithinProblem, 'ambiguous'>, string>> = {
  empty: 'The time expression is empty.',
  'too-long': `The time expression is longer than ${MAX_WITHIN_LENGTH} characters.`,
  'not-understood': 'The time expression is not understood.',
  reversed: 'The time expression ends before it begins.',
};

function refuse(problem: keyof typeof PROBLEMS): WithinResult {
  const advice =
    "Use one like 'last week', 'last 3 days', 'yesterday evening', '2026-05-14', '14 May', 'first of May', '2026-W20', " +
    "'Q1 2026', 'late March', 'two weeks ago', 'between March and May', 'since Monday', 'before May', 'older than 30 days', " +
    "'recently', '24h' or 'P7D'.";
  return { ok: false, problem, message: `${PROBLEMS[problem]} ${advice}` };
}

/** "Last week", "the past 3 days", "24h", "1 day 12 hours": the stretch up to now. */
function matchRolling(scan: Scan, first: number): Found | undefined {
  // "This past week".
  const start = skip(scan, first, 'the', wordAt(scan, first + 1) === 'past' ? 'this' : 'the');
  const at = skip(scan, start, 'last', 'past', 'previous');
  const isCounted = at > start;
  // "The 90s" and "1990s" are no seconds.
  const isDecade = wordAt(scan, at + 1) === 's' && (start > first || isYear(digitsAt(scan, at)));
  if (!isCounted && isDecade) return undefined;
  const spans = matchSpans(scan, at, LENGTHS);
  const unit = UNITS.get(wordAt(scan, at));
  // The last weekend, night or quarter is one of the calendar, and left to the rule for periods.
  if (spans.length === 0 && isCounted && unit && !PLACED_UNITS.has(wordAt(scan, at)))
    spans.push({ value: 1, isVague: false, unit, next: at + 1 });
  return spans[spans.length - 1]?.next === scan.words.length ? rolling(scan, spans, -1) : undefined;
}

/** "Letzte Woche", "la semaine derni\u00e8re": a filter takes them as it takes "last week". */
function matchForeignRolling(scan: Scan, first: number): Found | undefined {
  const english = inEnglish(scan, first);
  const found = english && wordAt(english, 0) === 'last' ? matchRolling(english, 0) : undefined;
  return found && { ...found, next: scan.words.length };
}

function isYear(value: number): boolean {
  return value >= 1900 && value < 2100;
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
      startMs = scan.calendar.goBack(startMs, Math.min(digitsAt(scan, at - 1), MAX_QUANTITY), unit);
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
