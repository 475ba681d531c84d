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

import { lazily } from '../core/lazily.ts';
import {
  dateHolding,
  type IsOfDate,
  isDateWord,
  isNameInDate,
  monthTerm,
  weekdayTerm,
} from './entry-text.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import { movedDays } from './moved-days.ts';
import type { Part } from './part.ts';
import { listed, type Postings, unionPostings } from './postings.ts';
import { type Calendar, DAY, UTC_CALENDAR } from './time/calendar.ts';
import { GLOSSARY } from './time/glossary.ts';
import { type DayOfYear, readingsOf, writtenDates } from './time/numeric-dates.ts';
import { type StatedDate, statedDates } from './time/stated-dates.ts';
import { MONTHS, WEEKDAYS } from './time/vocabulary.ts';
import type { TimeMention } from './time-expression.ts';
import { forEachWholeWord, termOf } from './words.ts';

/** Most queries hold nothing of the kind. */
const MAY_NAME_DATE = /\d|may|march/i;
const MONTH_OR_WORD = /\b(?:may|march)\b/gi;
/** "5/14", in what is known to be a time. */
export const WITHOUT_YEAR = /(?<![\d/])(\d{1,2})\/(\d{1,2})(?![\d/])/g;
const WITHOUT_DAY = /(?<![\d/])(\d{1,2})\/\d{4}(?!\d)/g;
const ISO_DATE = /(?<!\d)\d{4}([-/])(\d{1,2})\1\d{1,2}(?!\d)/g;
/** The numbers of a time that may be days: not its year, and in an ISO date not its month. */
const DAYS_OF_MENTION = /(?<![\d:.])(?!\d{4}[-/]\d)(?<!\b\d{4}[-/])\d{1,2}(?=(?:st|nd|rd|th)?\b(?!:\d))/g;
/** "The 3rd", "2026-05-03", or a number beside a month. */
const namesDay = lazily(
  () =>
    new RegExp(
      `\\d(?:st|nd|rd|th)\\b|\\d{4}[-/]\\d{1,2}[-/]\\d|\\b(?:${[...MONTHS.keys()].join('|')})\\b`,
      'i',
    ),
);
const BESIDE_VERB = 'i|we|you|he|she|it|they|there|this|that';
/** "May I", "who may", "may be": nobody speaks so of a month. */
const MAY_AS_VERB = new RegExp(
  `\\b(?:${BESIDE_VERB}|who|what|which)\\s+may\\b|\\bmay\\s+(?:${BESIDE_VERB}|be|have|not|also|the|a|an|\\d+\\s+(?:be|have|people|[a-z]{3,}s))\\b`,
  'i',
);

/** Names that are of something else as a rule, even to those who ask for a month: planets, and sevens. */
const NO_NAMES = new Set(['mars', 'sept']);

/** English month or weekday → its names in other languages, as terms. */
export const namesElsewhere = lazily((): ReadonlyMap<string, readonly string[]> => {
  const names = new Map<string, Set<string>>();
  for (const [name, english] of GLOSSARY) {
    if (!isDateWord(english) || NO_NAMES.has(name)) continue;
    const known = names.get(termOf(english)) ?? new Set();
    names.set(termOf(english), known);
    // With and without its accents, as texts are read.
    forEachWholeWord(name, (word) => known.add(termOf(word)));
  }
  return new Map([...names].map(([english, others]) => [english, [...others]]));
});

/** Those that mean nothing else, alone or as several. */
const SURE_NAMES =
  /\b(?:january|february|april|june|july|august|september|october|november|december|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?\b/gi;

/** What a query says of dates. */
export interface NamedDates {
  /** Its terms that speak of a date, of those that may as well mean something else. */
  readonly named: ReadonlySet<string>;
  /**
   * The terms of months and weekdays, in all languages, by those of what stands for them: the number in 5/14, and their names.
   */
  readonly otherNames: ReadonlyMap<string, readonly string[]>;
  /** Weekdays of which it speaks as several: on which of them something was written says nothing of "Tuesdays". */
  readonly habits: ReadonlySet<string>;
}

const NO_DATES: NamedDates = { named: new Set(), otherNames: new Map(), habits: new Set() };

/** @param raw the query as it was typed, with the times that it speaks of */
export function namedDates(raw: string, mentions: readonly TimeMention[]): NamedDates {
  if (mentions.length === 0 && !MAY_NAME_DATE.test(raw) && raw.search(SURE_NAMES) === -1) return NO_DATES;
  const named = new Set<string>();
  const otherNames = new Map<string, readonly string[]>();
  const nameTerm = (name: string): string => {
    const term = termOf(name);
    named.add(term);
    return term;
  };
  /** By all its names but its own. */
  const noteNames = (term: string, english: string): void => {
    const others = [english, ...(namesElsewhere().get(english) ?? [])].filter((name) => name !== term);
    if (others.length > 0) otherNames.set(term, others);
  };
  const noteMonth = (number: number): void => {
    const term = monthTerm(number);
    if (term === undefined) return;
    named.add(term);
    noteNames(String(number), term);
  };
  const noteReadings = (readings: readonly DayOfYear[]): void => {
    for (const { day, month } of readings) {
      named.add(String(day));
      noteMonth(month + 1);
    }
  };
  for (const { from, to } of mentions) {
    const mention = raw.slice(from, to);
    if (namesDay().test(mention))
      for (const [day] of mention.matchAll(DAYS_OF_MENTION)) named.add(dayTerm(day));
    for (const [, first, second] of mention.matchAll(WITHOUT_YEAR))
      noteReadings(readingsOf(Number(first), '/', Number(second)));
    for (const [, month] of mention.matchAll(WITHOUT_DAY)) noteMonth(Number(month));
    forEachWholeWord(mention, (word) => {
      const term = termInDates(word);
      if (term === undefined || term === termOf(word)) return;
      named.add(term);
      noteNames(termOf(word), term);
    });
  }
  const single = new Set<string>();
  const several = new Set<string>();
  for (const [typed] of raw.matchAll(SURE_NAMES)) {
    const word = typed.toLowerCase();
    const term = termOf(word);
    noteNames(term, term);
    (word.endsWith('days') ? several : single).add(term);
  }
  if (/\d/.test(raw)) {
    for (const { readings } of writtenDates(raw)) noteReadings(readings);
    for (const [, , month] of raw.matchAll(ISO_DATE)) noteMonth(Number(month));
    for (const { readings } of sureDates(raw, mentions))
      for (const { day } of readings) named.add(String(day));
  }
  const isMay = !MAY_AS_VERB.test(raw);
  const hasCapitals = raw !== raw.toLowerCase();
  for (const { 0: typed, index } of raw.matchAll(MONTH_OR_WORD)) {
    const word = typed.toLowerCase();
    const isInMention = mentions.some(({ from, to }) => from <= index && index < to);
    // Whoever writes with capital letters gives a month one.
    const isName = typed !== word || !hasCapitals;
    if (isInMention || (isName && (word !== 'may' || isMay))) noteNames(nameTerm(word), word);
  }
  return { named, otherNames, habits: new Set([...several].filter((term) => !single.has(term))) };
}

/** What dates write for the name of a month or weekday, in other languages ("Mai") or short ("Jan"). */
function termInDates(word: string): string | undefined {
  const english = GLOSSARY.get(word);
  if (english !== undefined && isDateWord(english)) return termOf(english);
  const month = MONTHS.get(word);
  if (month !== undefined) return monthTerm(month + 1);
  const weekday = WEEKDAYS.get(word);
  return weekday === undefined ? undefined : weekdayTerm(weekday);
}

/** The days that a query states. Without its year, one is a day where a time is spoken of. */
export function sureDates(raw: string, mentions: readonly TimeMention[]): readonly StatedDate[] {
  const isInMention = (at: number): boolean => mentions.some(({ from, to }) => from <= at && at < to);
  return statedDates(raw).filter(
    ({ from, isSure, year }) => (isSure && year !== undefined) || isInMention(from),
  );
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
  const names = dates.otherNames.get(term);
  if (names === undefined) return own;
  const others = names.map((name) => postingsByDay(name, dates, part)).filter(({ count }) => count > 0);
  return others.length === 0 ? own : unionPostings([own, ...others], part.count);
}

/** By its day where it is asked, and without what only dates answer that nobody spoke of. */
function postingsByDay(term: string, { named, habits, calendar }: AskedDates, part: Part): Postings {
  const isLeftOut = habits.has(term) || (!named.has(term) && MAY_BE_NO_DATE.test(term));
  return isLeftOut ? postingsInTexts(term, part) : postingsIn(calendar, term, part);
}

/** What holds a term in its texts: the day on which it was written says nothing of a person who is called June. */
export function postingsInTexts(term: string, part: Part): Postings {
  const isOfDate = dateHolding(term);
  const postings = part.postings(term);
  return isOfDate === undefined ? postings : withoutDates(postings, part, isOfDate);
}

/** The postings of a term in a place: dates hold it by the days there. */
export function postingsIn(calendar: Calendar, term: string, part: Part): Postings {
  const isOfDate = calendar === UTC_CALENDAR ? undefined : holdingOf(term);
  const postings = part.postings(term);
  return isOfDate === undefined ? postings : withOtherDates(postings, part, isOfDate, calendar);
}

/** The same as `dateHolding`, also for words as they were written. */
function holdingOf(term: string): IsOfDate | undefined {
  if (!term.startsWith(WRITTEN_MARK)) return dateHolding(term);
  const word = term.slice(WRITTEN_MARK.length);
  return isNameInDate(word) ? dateHolding(termOf(word)) : undefined;
}

/** The frequency of what was written as often or more often: without its date it is as many still. */
const AND_MORE = 255;

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
    const indexed = all.frequencies[posting]!;
    const frequency = indexed - (isOfLastDay && indexed < AND_MORE ? 1 : 0);
    if (frequency === 0) continue;
    documents[count] = document;
    frequencies[count++] = frequency;
  }
  return listedAs(documents, frequencies, count);
}

/** Around midnight, a memory has another day in other places. */
function withOtherDates(postings: Postings, part: Part, isOfDate: IsOfDate, calendar: Calendar): Postings {
  const { time, dead } = part;
  const moved = movedDays(part, calendar);
  if (moved.documents.length === 0) return postings;
  const all = listed(postings);
  const documents = new Int32Array(all.count + moved.documents.length);
  const frequencies = new Uint8Array(documents.length);
  let count = 0;
  const put = (document: number, frequency: number): void => {
    if (frequency <= 0 || dead?.[document] === 1) return;
    documents[count] = document;
    frequencies[count++] = frequency;
  };
  const isIn = (day: number): 0 | 1 => (isOfDate(new Date(day * DAY)) ? 1 : 0);
  let at = 0;
  /** With the word of its day here, and without that of its day in UTC. */
  const putMoved = (document: number, indexed: number): void => {
    const inUtc = Math.floor(time[document]! / DAY);
    const isHere = isIn(moved.days[at++]!);
    put(document, indexed === AND_MORE ? indexed : indexed - isIn(inUtc) + isHere);
  };
  for (let posting = 0; posting < all.count; posting++) {
    const document = all.documents[posting]!;
    while (moved.documents[at]! < document) putMoved(moved.documents[at]!, 0);
    if (moved.documents[at] === document) putMoved(document, all.frequencies[posting]!);
    else put(document, all.frequencies[posting]!);
  }
  while (at < moved.documents.length) putMoved(moved.documents[at]!, 0);
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
