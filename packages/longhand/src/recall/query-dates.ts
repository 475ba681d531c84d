/**
 * Which words of a query speak of a date.
 *
 * The day on which a memory was written is among its words, so that "in May" finds what was said in May, and "on 14 May" finds
 * it before all else of that month. But most numbers of a query are no days ("chapter 14"), "may" is a verb more often than
 * not, and a march may be a walk. For these the date of a memory counts only where a date is spoken of. Names of other months,
 * of weekdays, and years hardly mean anything else.
 *
 * The index knows the day of UTC, and is the same for all who ask. For those who live elsewhere, the words of that day are taken
 * off and those of their own day put in, of the few words of a query that are of a date.
 */

import { dateHolding, type IsOfDate, isDateWord, monthTerm } from './entry-text.ts';
import type { Part } from './part.ts';
import { listed, type Postings, unionPostings } from './postings.ts';
import { type Calendar, DAY, UTC_CALENDAR } from './time/calendar.ts';
import { GLOSSARY } from './time/glossary.ts';
import { type DayOfYear, readingsOf, writtenDates } from './time/numeric-dates.ts';
import { MONTHS } from './time/vocabulary.ts';
import type { TimeMention } from './time-expression.ts';
import { forEachWholeWord, termOf } from './words.ts';

/** Most queries hold nothing of the kind. */
const MAY_NAME_DATE = /\d|may|march/i;
const MONTH_OR_WORD = /\b(?:may|march)\b/gi;
/** "5/14", in what is known to be a time. */
const WITHOUT_YEAR = /(?<![\d/])(\d{1,2})\/(\d{1,2})(?![\d/])/g;
const WITHOUT_DAY = /(?<![\d/])(\d{1,2})\/\d{4}(?!\d)/g;
const ISO_DATE = /(?<!\d)\d{4}([-/])(\d{1,2})\1\d{1,2}(?!\d)/g;
/** The numbers of a time that may be days: not its year, and in an ISO date not its month. */
const DAYS_OF_MENTION = /(?<![\d:.])(?!\d{4}[-/]\d)(?<!\b\d{4}[-/])\d{1,2}(?=(?:st|nd|rd|th)?\b(?!:\d))/g;
/** "The 3rd", "2026-05-03", or a number beside a month. */
const NAMES_DAY = new RegExp(
  `\\d(?:st|nd|rd|th)\\b|\\d{4}[-/]\\d{1,2}[-/]\\d|\\b(?:${[...MONTHS.keys()].join('|')})\\b`,
  'i',
);
const BESIDE_VERB = 'i|we|you|he|she|it|they|there|this|that';
/** "May I", "who may", "may be": nobody speaks so of a month. */
const MAY_AS_VERB = new RegExp(
  `\\b(?:${BESIDE_VERB}|who|what|which)\\s+may\\b|\\bmay\\s+(?:${BESIDE_VERB}|be|have|not|also|the|a|an|\\d+\\s+(?:be|have|people|[a-z]{3,}s))\\b`,
  'i',
);

/** What a query says of dates. */
export interface NamedDates {
  /** Its terms that speak of a date, of those that may as well mean something else. */
  readonly named: ReadonlySet<string>;
  /**
   * The terms of months and weekdays by those of what stands for them: the number in 5/14, and the names of other languages.
   */
  readonly otherNames: ReadonlyMap<string, string>;
}

const NO_DATES: NamedDates = { named: new Set(), otherNames: new Map() };

/** @param raw the query as it was typed, with the times that it speaks of */
export function namedDates(raw: string, mentions: readonly TimeMention[]): NamedDates {
  if (mentions.length === 0 && !MAY_NAME_DATE.test(raw)) return NO_DATES;
  const named = new Set<string>();
  const otherNames = new Map<string, string>();
  const nameTerm = (name: string): string => {
    const term = termOf(name);
    named.add(term);
    return term;
  };
  const noteMonth = (number: number): void => {
    const term = monthTerm(number);
    if (term === undefined) return;
    named.add(term);
    otherNames.set(String(number), term);
  };
  const noteReadings = (readings: readonly DayOfYear[]): void => {
    for (const { day, month } of readings) {
      named.add(String(day));
      noteMonth(month + 1);
    }
  };
  for (const { from, to } of mentions) {
    const mention = raw.slice(from, to);
    if (NAMES_DAY.test(mention))
      for (const [day] of mention.matchAll(DAYS_OF_MENTION)) named.add(dayTerm(day));
    for (const [, first, second] of mention.matchAll(WITHOUT_YEAR))
      noteReadings(readingsOf(Number(first), '/', Number(second)));
    for (const [, month] of mention.matchAll(WITHOUT_DAY)) noteMonth(Number(month));
    forEachWholeWord(mention, (word) => {
      const english = GLOSSARY.get(word);
      if (english !== undefined && isDateWord(english)) otherNames.set(termOf(word), nameTerm(english));
    });
  }
  if (/\d/.test(raw)) {
    for (const { readings } of writtenDates(raw)) noteReadings(readings);
    for (const [, , month] of raw.matchAll(ISO_DATE)) noteMonth(Number(month));
  }
  const isMay = !MAY_AS_VERB.test(raw);
  const hasCapitals = raw !== raw.toLowerCase();
  for (const { 0: typed, index } of raw.matchAll(MONTH_OR_WORD)) {
    const word = typed.toLowerCase();
    const isInMention = mentions.some(({ from, to }) => from <= index && index < to);
    // Whoever writes with capital letters gives a month one.
    const isName = typed !== word || !hasCapitals;
    if (isInMention || (isName && (word !== 'may' || isMay))) named.add(word);
  }
  return { named, otherNames };
}

const dayTerm = (digits: string): string => String(Number(digits));

/** A "may" that is no month says as little as "might", unless somebody is called so. */
export function withoutModal(
  words: readonly string[],
  dates: ReadonlySet<string>,
  capitalised: ReadonlySet<string>,
): readonly string[] {
  return dates.has('may') || capitalised.has('may') ? words : words.filter((word) => word !== 'may');
}

/** Of a term that the date of a memory may hold: whether it may as well mean something else. */
const MAY_BE_NO_DATE = /^(?:[1-9]|[12]\d|3[01]|may|march)$/;

/** What of the dates of memories a query is answered by. */
export interface AskedDates extends NamedDates {
  /** Of the place where it is asked. */
  readonly calendar: Calendar;
}

/** The postings of a term, and of the name that it may stand for. */
export function datedPostings(term: string, dates: AskedDates, part: Part): Postings {
  const own = postingsByDay(term, dates, part);
  const name = dates.otherNames.get(term);
  if (name === undefined) return own;
  return unionPostings([own, postingsByDay(name, dates, part)], part.count);
}

/** By its day where it is asked, and without what only dates answer that nobody spoke of. */
function postingsByDay(term: string, { named, calendar }: AskedDates, part: Part): Postings {
  const postings = part.postings(term);
  const isLeftOut = !named.has(term) && MAY_BE_NO_DATE.test(term);
  if (!isLeftOut && calendar === UTC_CALENDAR) return postings;
  const isOfDate = dateHolding(term);
  if (isOfDate === undefined) return postings;
  return isLeftOut
    ? withoutDates(postings, part, isOfDate)
    : withOtherDates(postings, part, isOfDate, calendar);
}

function withoutDates(postings: Postings, { time }: Part, isOfDate: IsOfDate): Postings {
  const all = listed(postings);
  const documents = new Int32Array(all.count);
  const frequencies = new Uint8Array(all.count);
  let count = 0;
  // What follows one another was written on one day, as a rule.
  let lastDay = Number.NaN;
  let isOfLastDay = false;
  for (let posting = 0; posting < all.count; posting++) {
    const document = all.documents[posting]!;
    const day = Math.floor(time[document]! / DAY);
    if (day !== lastDay) isOfLastDay = isOfDate(new Date(day * DAY));
    lastDay = day;
    const frequency = all.frequencies[posting]! - (isOfLastDay ? 1 : 0);
    if (frequency === 0) continue;
    documents[count] = document;
    frequencies[count++] = frequency;
  }
  return listedAs(documents, frequencies, count);
}

/** Around midnight, a memory has another day in other places. */
function withOtherDates(
  postings: Postings,
  { time, count: documentCount, dead }: Part,
  isOfDate: IsOfDate,
  calendar: Calendar,
): Postings {
  const all = listed(postings);
  const documents = new Int32Array(documentCount);
  const frequencies = new Uint8Array(documentCount);
  let count = 0;
  let posting = 0;
  const isIn = (day: number): 0 | 1 => (isOfDate(new Date(day * DAY)) ? 1 : 0);
  for (let document = 0; document < documentCount; document++) {
    const isListed = posting < all.count && all.documents[posting] === document;
    const indexed = isListed ? all.frequencies[posting++]! : 0;
    if (dead?.[document] === 1 || Number.isNaN(time[document]!)) continue;
    const [inUtc, here] = [Math.floor(time[document]! / DAY), calendar.dayOf(time[document]!)];
    const frequency = inUtc === here ? indexed : Math.min(255, indexed - isIn(inUtc) + isIn(here));
    if (frequency === 0) continue;
    documents[count] = document;
    frequencies[count++] = frequency;
  }
  return listedAs(documents, frequencies, count);
}

function listedAs(documents: Int32Array, frequencies: Uint8Array, count: number): Postings {
  return {
    kind: 'listed',
    count,
    documents: documents.subarray(0, count),
    frequencies: frequencies.subarray(0, count),
  };
}
