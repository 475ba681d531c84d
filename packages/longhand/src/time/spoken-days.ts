/**
 * Memories that refer to days: "dentist tomorrow", "the review is on Friday", "rent is due on 1 June", "yoga every Tuesday".
 *
 * A question about a day means them, whenever they were written. When a memory is indexed, `daysIn` gives the terms of what its
 * text says. When a question asks for days, `spokenOf` gives the terms that may mean them, each with the time in which a memory
 * must have been written for that. So no text is read again, and days begin where the question is asked.
 */

import {
  type Calendar,
  DAY,
  EARLIEST_MS,
  LATEST_MS,
  modulo,
  mondayOf,
  SATURDAY,
  UTC_CALENDAR,
  weekdayOf,
} from './calendar.ts';
import * as terms from './day-terms.ts';
import { Grammar, MAX_DAYS_AWAY } from './grammar.ts';
import { mayHoldTime, scanWords } from './scan.ts';

/** A longer text is a document, and what it says far behind is not read for days. */
const MAX_CHARACTERS = 100_000;
/** A text with more is a table, and its days are no subject. */
const MAX_TERMS = 64;
/** The last day of a year that has every day. */
const ANY_DAY_MS = Date.UTC(2000, 11, 31, 12);
const CLOCK =
  /(?<![\d.:])\d{1,2}(?::\d\d)? ?(?:[ap]\.?m\b|uhr\b|o['’]clock)|(?<![\d.:])\d{1,2}:\d\d(?![\d:])/i;

/** The terms of what a text says of days, each once; none for most texts. */
export function daysIn(text: string): readonly string[] {
  const read = text.length > MAX_CHARACTERS ? text.slice(0, MAX_CHARACTERS) : text;
  if (!mayHoldTime(read)) return [];
  const scan = scanWords(read);
  const setting = { nowMs: ANY_DAY_MS, calendar: UTC_CALENDAR, reader: 'memory', side: -1 } as const;
  const grammar = new Grammar(scan, setting);
  const said = new Set<string>();
  let isSaid = false;
  for (let at = 0; at < scan.words.length && said.size < MAX_TERMS; ) {
    const mayBegin = scan.meanings[at] !== undefined || /^\d/.test(scan.words[at]!);
    const found = mayBegin ? grammar.mention(at) : undefined;
    at = found?.next ?? at + 1;
    isSaid ||= found !== undefined;
    for (const term of found?.terms ?? []) said.add(term);
  }
  if (isSaid || CLOCK.test(scan.text)) said.add(terms.SAYS_TIME);
  return [...said];
}

/** A term that means asked days in what was written between two moments, both included; and how surely, 0 to 1. */
export interface SpokenTerm {
  readonly term: string;
  readonly fromMs: number;
  readonly toMs: number;
  readonly surely: number;
}

/** How surely a weekday, or a day without its month, means the one that is asked for. */
const LIKELY = 0.75;
/** "Next Friday" is that of the week after to most, and the next to come to others. */
const LESS_LIKELY = 0.6;
/** A day without its year is mostly the next one, and may be one that has been not too long ago; a month is the nearest. */
const DAYS_TO_DATE = 300;
const DAYS_SINCE_DATE = 183;
/** Of more days than these memories speak by dates alone. */
const MAX_DAYS_EACH = 8;
/** Of more days than these, a memory that states one of them says little. */
export const MAX_ASKED_DAYS = 366;
const MOST_MONTHS_AWAY = 12;
const FIRST_DAY = EARLIEST_MS / DAY;
const LAST_DAY = Math.floor(LATEST_MS / DAY);
/** Behind a February, the same number is there again. */
const DAYS_TO_NUMBER = 27;
/** What was longer ago is not said by its number alone. */
const DAYS_SINCE_NUMBER = 3;

/** What refers to any of some days of a calendar, which are numbers, both included. */
export function spokenOf(first: number, last: number, calendar: Calendar): readonly SpokenTerm[] {
  if (last - first >= MAX_ASKED_DAYS) return [];
  const spoken: SpokenTerm[] = [];
  const add: Add = (term, surely, from = FIRST_DAY, to = LAST_DAY) => {
    if (from > to) return;
    spoken.push({ term, fromMs: calendar.startOfDay(from), toMs: calendar.startOfDay(to + 1) - 1, surely });
  };
  const hasEach = last - first < MAX_DAYS_EACH;
  for (let day = first; day <= last; day++) {
    const date = new Date(day * DAY);
    const [year, month, number] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
    add(terms.dateTerm(year, month, number), 1);
    add(terms.dateTerm(undefined, month, number), 1, day - DAYS_TO_DATE, day + DAYS_SINCE_DATE);
    if (!hasEach) continue;
    add(terms.numberedDay(number), LIKELY, day - DAYS_TO_NUMBER, day + DAYS_SINCE_NUMBER);
    add(terms.everyMonth(number), LIKELY, undefined, day);
    addWeekday(day, add);
  }
  addMonths(first, last, add);
  // "Next week" refers to that week, and to none of its days: it must lie in what is asked for.
  for (let week = -2; week <= 2; week++) {
    const [from, to] = [7 * week, 7 * week + 6];
    add(terms.daysFromMonday(from, to), LIKELY, mondayOf(first - from + 6), mondayOf(last - to) + 6);
  }
  if (!hasEach) return spoken;
  for (let away = -7; away < 14; away++) {
    const latest = mondayOf(last - away) + 6;
    add(terms.daysFromMonday(away), 1, mondayOf(first - away + 6), latest);
    // Of a weekend each day is meant.
    if (modulo(away, 7) === SATURDAY)
      add(terms.daysFromMonday(away, away + 1), LIKELY, mondayOf(first - away + 5), latest);
  }
  for (let away = -MAX_DAYS_AWAY; away <= MAX_DAYS_AWAY; away++)
    add(terms.dayAway(away), 1, first - away, last - away);
  return spoken;
}

/** @param from the first and the last day of writing */
type Add = (term: string, surely: number, from?: number, to?: number) => void;

function addWeekday(day: number, add: Add): void {
  const weekday = weekdayOf(day);
  const monday = mondayOf(day);
  const term = (which: terms.SpokenWeekday): string => terms.weekdayTerm(which, weekday);
  // Written on the day itself, another one is meant.
  add(term('bare'), LIKELY, day - 6, day - 1);
  add(term('bare'), LIKELY, day + 1, day + 6);
  add(term('coming'), LIKELY, day - 7, day);
  add(term('next'), LIKELY, monday - 7, monday - 1);
  add(term('next'), LESS_LIKELY, monday, day - 1);
  add(term('next'), LESS_LIKELY, day - 13, monday - 8);
  add(term('last'), LIKELY, day + 1, day + 7);
  add(term('every'), LIKELY, undefined, day);
}

/** A month refers to itself as a whole, too. */
function addMonths(first: number, last: number, add: Add): void {
  const start = new Date(first * DAY);
  const startOf = (month: number): number => Date.UTC(start.getUTCFullYear(), month, 1) / DAY;
  for (let month = start.getUTCMonth(); startOf(month + 1) - 1 <= last; month++) {
    const firstDay = startOf(month);
    if (firstDay < first) continue;
    const date = new Date(firstDay * DAY);
    add(terms.monthTerm(date.getUTCFullYear(), date.getUTCMonth()), LIKELY);
    const anyYear = terms.monthTerm(undefined, date.getUTCMonth());
    add(anyYear, LIKELY, firstDay - DAYS_SINCE_DATE, firstDay + DAYS_SINCE_DATE);
    for (let away = -MOST_MONTHS_AWAY; away <= MOST_MONTHS_AWAY; away++)
      add(terms.monthAway(away), LIKELY, startOf(month - away), startOf(month - away + 1) - 1);
  }
}
