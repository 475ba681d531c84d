/** The time of a filter: the same grammar as in a question, but the whole text must be understood. */

import { bounded, type Calendar, EARLIEST_MS, type TimeRange } from './calendar.ts';
import { Grammar } from './grammar.ts';
import type { Found } from './reader.ts';
import { scanWords } from './scan.ts';
import { type Meaning, UNITS } from './words.ts';

export type WithinProblem = 'empty' | 'too-long' | 'not-understood' | 'ambiguous' | 'reversed';

export type WithinResult =
  | { readonly ok: true; readonly range: TimeRange }
  | { readonly ok: false; readonly problem: WithinProblem; readonly message: string };

/** Longer than any expression of time, short enough to be refused before it is read. */
const MAX_WITHIN_LENGTH = 200;
/** "2026-05-01..2026-05-15". */
const DOTS_BETWEEN = /(?<=\d)\.{2,3}(?=\d)/;
const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/i;
const DURATION =
  /^P(?=[\dT])(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/i;
const DURATION_UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

/**
 * Reads a time: `last week`, `last 3 weeks`, `24h`, `1d12h`, `P7D`, `yesterday evening`, `since 2026-01-01`, `between March and
 * May`, `two weeks ago`, `Q1 2026`, … What counts back ends now; a named day, week, month, quarter or year is whole. `last week`
 * is the seven days up to now, so that nothing recent is left out, while a question means the week before this one.
 *
 * Never throws: what is not understood, or runs backwards, comes back as a problem with a message for people.
 */
export function parseWithin(expression: string, nowMs: number, calendar: Calendar): WithinResult {
  if (expression.length > MAX_WITHIN_LENGTH) return refuse('too-long');
  if (expression.trim() === '') return refuse('empty');
  const duration = DURATION.exec(expression.trim());
  if (duration) return durationBefore(duration.slice(1), nowMs, calendar);
  const momentMs = MOMENT.test(expression.trim()) ? Date.parse(expression) : Number.NaN;
  if (!Number.isNaN(momentMs)) return { ok: true, range: { startMs: momentMs, endMs: momentMs } };
  const scan = scanWords(expression.replace(DOTS_BETWEEN, ' to '));
  const grammar = new Grammar(scan, { nowMs, calendar, reader: 'filter', side: -1 });
  const found = wholeOf(grammar);
  if (!found) return refuse('not-understood');
  if (found.isAmbiguous) return refuseAmbiguous(grammar, calendar);
  if (found.isReversed || found.startMs > found.endMs) return refuse('reversed');
  return { ok: true, range: bounded(found) };
}

/** What the whole text means. */
function wholeOf(grammar: Grammar): Found | undefined {
  const isWhole = (found: Found | undefined): found is Found =>
    found !== undefined && grammar.isEnd(found.next);
  const { age } = grammar.meaning(0);
  const spans = age ? grammar.spans(1) : [];
  if (age && spans.length > 0) {
    const { next } = spans.at(-1)!;
    const end = grammar.meaning(next).distance === 'ago' ? next + 1 : next;
    const found = grammar.rolling(spans, -1);
    if (!grammar.isEnd(end)) return undefined;
    return age === 'inside' ? found : { ...found, startMs: EARLIEST_MS, endMs: found.startMs - 1 };
  }
  const lead = leadOf(grammar);
  return [rollingFrom(grammar, lead), grammar.mention(0), grammar.mention(lead)].find(isWhole);
}

/** The word behind those that only place a time: "in the", "over". */
function leadOf(grammar: Grammar): number {
  const isLead = ({ isThe, place, edge, isBetween, age, isEvery }: Meaning): boolean =>
    isThe === true || age !== undefined || (place !== undefined && !edge && !isBetween && !isEvery);
  let at = 0;
  while (isLead(grammar.meaning(at))) at++;
  return at;
}

/** "24h", "1 day 12 hours", "the last 3 weeks", "last week", "la semaine dernière": the stretch up to now. */
function rollingFrom(grammar: Grammar, at: number): Found | undefined {
  const spans = grammar.spans(at);
  if (spans.length > 0) return grammar.rolling(spans, -1);
  const [first, second] = [grammar.meaning(at), grammar.meaning(at + 1)];
  const [step, { unit }] = second.isBehind ? [second, first] : [first, second];
  // The last quarter is one of the calendar.
  if (step.step !== 'last' || unit === undefined || unit === 'quarter') return undefined;
  return grammar.rolling([{ value: 1, unit, isVague: false, next: at + 2 }], -1);
}

/** Zero is not a stretch. */
function durationBefore(
  parts: readonly (string | undefined)[],
  nowMs: number,
  calendar: Calendar,
): WithinResult {
  const startMs = DURATION_UNITS.reduce(
    (ms, unit, at) => calendar.goBack(ms, Math.min(Number(parts[at] ?? 0), 1e9), UNITS[unit]),
    nowMs,
  );
  return startMs < nowMs ? { ok: true, range: { startMs, endMs: nowMs } } : refuse('not-understood');
}

function refuseAmbiguous(grammar: Grammar, calendar: Calendar): WithinResult {
  let at = 0;
  let found = grammar.period(at, true);
  while (!found?.isAmbiguous) found = grammar.period(++at, true);
  const [monthFirst, dayFirst] = [found, found.other!].map(({ startMs }) => calendar.isoDate(startMs));
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
    "Use one like 'last week', 'last 3 days', 'yesterday evening', '2026-05-14', '14 May', 'Q1 2026', " +
    "'two weeks ago', 'between March and May', 'since Monday', 'before May', 'older than 30 days', '24h' or 'P7D'.";
  return { ok: false, problem, message: `${PROBLEMS[problem]} ${advice}` };
}
