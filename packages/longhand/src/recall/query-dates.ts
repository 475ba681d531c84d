/**
 * Which words of a query speak of a date.
 *
 * The day on which a memory was written is among its words, so that "in May" finds what was said in May, and "on 14 May" finds
 * it before all else of that month. But most numbers of a query are no days ("chapter 14"), "may" is a verb more often than
 * not, and a march may be a walk. For these the date of a memory counts only where a date is spoken of. Names of other months,
 * of weekdays, and years hardly mean anything else.
 */

import { listed, type Postings } from './postings.ts';
import { startOfDay } from './time/calendar.ts';
import { MONTHS } from './time/vocabulary.ts';
import type { TimeMention } from './time-expression.ts';

/** Most queries hold nothing of the kind. */
const MAY_NAME_DATE = /\d|may|march/i;
const MONTH_OR_WORD = /\b(?:may|march)\b/gi;
/** Days in digits, where nobody says which of the first two numbers is the month. */
const NUMERIC_DATE = /\b(\d{1,2})([/-])(\d{1,2})\2\d{2,4}\b/g;
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

/**
 * The terms of a query that speak of a date, of those that may as well mean something else.
 *
 * @param raw the query as it was typed, with the times that it speaks of
 */
export function namedDates(raw: string, mentions: readonly TimeMention[]): ReadonlySet<string> {
  const dates = new Set<string>();
  if (!MAY_NAME_DATE.test(raw)) return dates;
  for (const { from, to } of mentions) {
    const mention = raw.slice(from, to);
    if (NAMES_DAY.test(mention))
      for (const [day] of mention.matchAll(DAYS_OF_MENTION)) dates.add(dayTerm(day));
  }
  for (const [, first, , second] of raw.matchAll(NUMERIC_DATE))
    dates.add(dayTerm(first!)).add(dayTerm(second!));
  const isMay = !MAY_AS_VERB.test(raw);
  const hasCapitals = raw !== raw.toLowerCase();
  for (const { 0: typed, index } of raw.matchAll(MONTH_OR_WORD)) {
    const word = typed.toLowerCase();
    const isInMention = mentions.some(({ from, to }) => from <= index && index < to);
    // Whoever writes with capital letters gives a month one.
    const isName = typed !== word || !hasCapitals;
    if (isInMention || (isName && (word !== 'may' || isMay))) dates.add(word);
  }
  return dates;
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

type IsOfDate = (date: Date) => boolean;

const DAY_NUMBER = /^(?:[1-9]|[12]\d|3[01])$/;

/** Of a term that the date of a memory may hold and that may mean something else: whether a date holds it. */
function dateHolding(term: string): IsOfDate | undefined {
  if (DAY_NUMBER.test(term)) return (date) => date.getUTCDate() === Number(term);
  if (term === 'may' || term === 'march') return (date) => date.getUTCMonth() === MONTHS.get(term);
  return undefined;
}

/** The postings of a term, without what only dates answer that nobody spoke of. @param time of each document */
export function withoutUnnamedDates(
  term: string,
  dates: ReadonlySet<string>,
  postings: Postings,
  time: Float64Array,
): Postings {
  const isOfDate = dates.has(term) ? undefined : dateHolding(term);
  if (isOfDate === undefined) return postings;
  const all = listed(postings);
  const documents = new Int32Array(all.count);
  const frequencies = new Uint8Array(all.count);
  let count = 0;
  // What follows one another was written on one day, as a rule.
  let lastDay = Number.NaN;
  let isOfLastDay = false;
  for (let posting = 0; posting < all.count; posting++) {
    const document = all.documents[posting]!;
    const day = startOfDay(time[document]!);
    if (day !== lastDay) isOfLastDay = isOfDate(new Date(day));
    lastDay = day;
    const frequency = all.frequencies[posting]! - (isOfLastDay ? 1 : 0);
    if (frequency === 0) continue;
    documents[count] = document;
    frequencies[count++] = frequency;
  }
  return {
    kind: 'listed',
    count,
    documents: documents.subarray(0, count),
    frequencies: frequencies.subarray(0, count),
  };
}
