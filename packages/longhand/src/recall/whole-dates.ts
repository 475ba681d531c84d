/**
 * The days that a query names: "14 May 2026", "5/14", "am 14. Mai".
 *
 * A day is one thing. As a number, a month and a year it would be found in whatever shares two of them, and before what was
 * written on that day. So it is looked for as a whole: in the texts that state it, in whatever notation (`time/stated-dates.ts`),
 * and as the day on which a memory was written, where the query is asked. Its words are looked for as well, and count little.
 */

import type { Days } from './day-holders.ts';
import type { MatchTerm } from './match.ts';
import { movedDays } from './moved-days.ts';
import { ofEach } from './of-each.ts';
import type { Part } from './part.ts';
import { listedOnce, type Postings, unionPostings } from './postings.ts';
import { sureDates, WITHOUT_YEAR } from './query-dates.ts';
import { type AskedDays, type SpokenDays, saidOfDay } from './spoken-days.ts';
import { dayTerm } from './term-names.ts';
import { type Calendar, DAY, dayNumber, UTC_CALENDAR } from './time/calendar.ts';
import { type DayOfYear, readingsOf } from './time/numeric-dates.ts';
import { nearest, yearly } from './time/recurrence.ts';
import type { TimeMention } from './time-expression.ts';
import { MAX_WHOLE_DATES, WHOLE_DATE } from './weights.ts';
import { phrasePieces, termOf, wholeWordsOf } from './words.ts';

export interface WholeDate {
  /** `undefined` for that day of any year. */
  readonly year: number | undefined;
  /** Two where the day may be the month. */
  readonly readings: readonly DayOfYear[];
  /** As it was typed, if it was. */
  readonly typed?: string;
}

export interface WholeDates {
  readonly dates: readonly WholeDate[];
  /** The terms of the words that stand in these dates alone. */
  readonly words: ReadonlySet<string>;
  /** What they are as phrases, which say nothing more. */
  readonly phrases: ReadonlySet<string>;
}

const NONE: WholeDates = { dates: [], words: new Set(), phrases: new Set() };
/** Of "5 to 7 May" neither is meant alone. */
const RANGE_BEFORE =
  /\d(?:st|nd|rd|th|\.)?(?: ?[-\u2013] ?| (?:to|and|or|until|till|bis|und|au|et) )(?:the )?$/i;
const RANGE_BEHIND = /^(?: ?[-\u2013] ?| (?:to|and|or|until|till) )(?:the )?\d{1,2}(?![\d/.:-])/i;
/** As far as these look. */
const BESIDE = 16;

interface Placed extends WholeDate {
  readonly from: number;
  readonly to: number;
}

/**
 * @param raw the query as it was typed, with the times that it speaks of
 * @param quoted words that are meant as they are
 */
export function wholeDates(
  raw: string,
  mentions: readonly TimeMention[],
  quoted: ReadonlySet<string>,
): WholeDates {
  if (!/\d/.test(raw)) return NONE;
  const found = placedDates(raw, mentions)
    .filter(
      (date) =>
        !isRange(raw, date) && !wholeWordsOf(raw.slice(date.from, date.to)).some((word) => quoted.has(word)),
    )
    .toSorted((left, right) => left.from - right.from);
  if (found.length === 0) return NONE;
  const dates = new Map<string, WholeDate>();
  const kept: Placed[] = [];
  for (const date of found) {
    const name = nameOf(date);
    if (dates.size === MAX_WHOLE_DATES && !dates.has(name)) continue;
    if (!dates.has(name)) dates.set(name, { ...date, typed: raw.slice(date.from, date.to) });
    kept.push(date);
  }
  let rest = '';
  let end = 0;
  const words = new Set<string>();
  const phrases = new Set<string>();
  for (const { from, to } of kept) {
    rest += `${raw.slice(end, Math.max(end, from))} `;
    end = Math.max(end, to);
    const date = raw.slice(from, to);
    for (const word of [...wholeWordsOf(date), ...wholeWordsOf(date.replaceAll('.', ' '))])
      words.add(termOf(word));
    phrases.add(phrasePieces(date).join(' '));
  }
  for (const word of wholeWordsOf(rest + raw.slice(end))) words.delete(termOf(word));
  return { dates: [...dates.values()], words, phrases };
}

function placedDates(raw: string, mentions: readonly TimeMention[]): Placed[] {
  const dates: Placed[] = [...sureDates(raw, mentions)];
  for (const { from, to } of mentions) {
    for (const { 0: date, 1: first, 2: second, index } of raw.slice(from, to).matchAll(WITHOUT_YEAR)) {
      const readings = readingsOf(Number(first), '/', Number(second));
      const start = from + index;
      if (readings.length > 0 && !dates.some((each) => each.from === start))
        dates.push({ from: start, to: start + date.length, year: undefined, readings });
    }
  }
  return dates;
}

function isRange(raw: string, { from, to }: Placed): boolean {
  return (
    RANGE_BEFORE.test(raw.slice(Math.max(0, from - BESIDE), from)) ||
    RANGE_BEHIND.test(raw.slice(to, to + BESIDE))
  );
}

const nameOf = ({ year, readings }: WholeDate): string =>
  readings.map(({ month, day }) => dayTerm(year ?? 'any', month, day)).join(' ');

/**
 * One term for all that states a day, and for what was written on it.
 * @param today for those who ask for plans: of a day from then on all that speaks of it is meant, as of one that is counted from now
 */
export function wholeDateTerm(
  parts: readonly Part[],
  date: WholeDate,
  spokenDays: SpokenDays,
  today = Number.POSITIVE_INFINITY,
): MatchTerm {
  const days = daysFrom(today, date);
  const postings = ofEach(parts, (part) => {
    const others =
      days.length === 0
        ? writtenPostings(part, date, spokenDays.calendar)
        : days.map((day) => comingPostings(part, { first: day, last: day }, day > today, spokenDays));
    return unionPostings([...statedPostings(part, date), ...others], part.count);
  });
  const typed = days.length === 0 || date.typed === undefined ? {} : { typed: date.typed };
  return { name: nameOf(date), ...typed, postings, share: WHOLE_DATE };
}

/** The days of a date from one on: without its year, the next. */
function daysFrom(from: number, { year, readings }: WholeDate): readonly number[] {
  if (from === Number.POSITIVE_INFINITY) return [];
  return readings
    .flatMap(({ month, day }) => {
      if (year !== undefined) return dayNumber(year, month, day) ?? [];
      const every = yearly(UTC_CALENDAR, (each) => UTC_CALENDAR.date(each, month, day));
      const next = nearest(every, from * DAY, 1);
      return next === undefined ? [] : next.startMs / DAY;
    })
    .filter((day) => day >= from);
}

function comingPostings(part: Part, days: Days, isWritten: boolean, spokenDays: SpokenDays): Postings {
  const documents = new Set(spokenDays.of(part, days).keys());
  if (isWritten) for (const document of onDays(part, days, spokenDays.calendar)) documents.add(document);
  return listedOnce(Int32Array.from(documents).sort());
}

/**
 * One term for all that speaks of days to come: also by their weekdays, and "in two days".
 * @param isWritten whether what is dated on them is of them; all that was written today is not about today
 */
export function comingDaysTerm(
  parts: readonly Part[],
  { typed, ...days }: AskedDays,
  isWritten: boolean,
  spokenDays: SpokenDays,
): MatchTerm {
  const name = [days.first, days.last].map(termOfDay).join(' ');
  const postings = ofEach(parts, (part) => comingPostings(part, days, isWritten, spokenDays));
  return { name, typed, postings, share: WHOLE_DATE };
}

function termOfDay(day: number): string {
  const date = new Date(day * DAY);
  return dayTerm(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate());
}

/** In its year, or in none: whoever leaves it out may mean that one. */
function statedPostings(part: Part, { year, readings }: WholeDate): readonly Postings[] {
  const years = year === undefined ? (['any'] as const) : ([year, 'unsaid'] as const);
  return readings.flatMap(({ month, day }) => years.map((each) => part.postings(dayTerm(each, month, day))));
}

/** What was written on a day, or says "tomorrow" of it. */
function writtenPostings(part: Part, { year, readings }: WholeDate, calendar: Calendar): readonly Postings[] {
  return readings.flatMap(({ month, day }) => {
    if (year === undefined) return listedOnce(ofDay(part, month, day, calendar));
    const number = dayNumber(year, month, day);
    if (number === undefined) return [];
    const written = onDays(part, { first: number, last: number }, calendar);
    return [written, saidOfDay(part, number, calendar)].map(listedOnce);
  });
}

/** What was written on some days. */
function onDays({ time, count, dead }: Part, { first, last }: Days, calendar: Calendar): Int32Array {
  const { startMs, endMs } = calendar.days(first, last - first + 1);
  const documents: number[] = [];
  for (let document = 0; document < count; document++) {
    const ms = time[document]!;
    if (ms >= startMs && ms <= endMs && dead?.[document] !== 1) documents.push(document);
  }
  return Int32Array.from(documents);
}

/** What was written on that day of any year. */
function ofDay(part: Part, month: number, day: number, calendar: Calendar): Int32Array {
  const { time, count, dead } = part;
  const moved = movedDays(part, calendar);
  let nextMoved = 0;
  const documents: number[] = [];
  // What follows one another was written on one day, as a rule.
  let lastDay = Number.NaN;
  let isOfLastDay = false;
  for (let document = 0; document < count; document++) {
    const isMoved = moved.documents[nextMoved] === document;
    const written = isMoved ? moved.days[nextMoved++]! : Math.floor(time[document]! / DAY);
    if (written !== lastDay) {
      const date = new Date(written * DAY);
      isOfLastDay = date.getUTCMonth() === month && date.getUTCDate() === day;
      lastDay = written;
    }
    if (isOfLastDay && dead?.[document] !== 1) documents.push(document);
  }
  return Int32Array.from(documents);
}
