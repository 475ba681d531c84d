/**
 * Memories that speak of a day: "dentist tomorrow", "yesterday we shipped", "the review is on Friday", "due 18 November".
 *
 * Who asks what is on today means them, whenever they were written. A stated date is a term (`time/stated-dates.ts`); the other
 * words are words like any, and which day they mean follows from the day of writing, where the query is asked.
 */

import { lazily } from '../core/lazily.ts';
import { weekdayTerm } from './entry-text.ts';
import type { Part } from './part.ts';
import { findPhrases } from './phrase.ts';
import { documentsOf } from './postings.ts';
import { namesElsewhere, postingsInTexts } from './query-dates.ts';
import { dayTerm } from './term-names.ts';
import { type Calendar, DAY, weekdayOf } from './time/calendar.ts';
import { SPOKEN_DAY, SPOKEN_WEEKDAY } from './weights.ts';
import { forEachWholeWord, phrasePieces, termOf } from './words.ts';

/** Days as a calendar counts them, both included. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** Of more days than these nobody speaks day by day. */
export const MAX_SPOKEN_DAYS = 8;
const DAYS_OF_WEEK = 7;
/** A day without its year is the one that is nearest to when it was written. */
const HALF_YEAR = 183;

/** How many days behind that of writing they mean. French "hier" is a place in German. */
const DAY_WORDS: readonly (readonly [word: string, distance: number])[] = [
  ['tomorrow', 1],
  ['demain', 1],
  ['morgen', 1],
  ['yesterday', -1],
  ['gestern', -1],
  ['\u00fcbermorgen', 2],
  ['uebermorgen', 2],
  ['vorgestern', -2],
];
/** What makes two days of one, or a morning of tomorrow. */
const DAY_PHRASES: readonly (readonly [phrase: string, word: string, distance: number])[] = [
  ['day after tomorrow', 'tomorrow', 2],
  ['day before yesterday', 'yesterday', -2],
  ...['guten', 'heute', 'gestern', 'am', 'jeden', 'diesen', 'der', 'den', 'dem'].map(
    (before) => [`${before} morgen`, 'morgen', Number.NaN] as const,
  ),
];

const distanceOfTerm = lazily(() => {
  const distances = new Map<string, number>();
  for (const [typed, distance] of DAY_WORDS) {
    forEachWholeWord(typed, (word) => distances.set(termOf(word), distance));
  }
  return distances;
});

/** The live documents of a part that speak of any of some days, with how surely. */
export function spokenOf(part: Part, days: Days, calendar: Calendar): ReadonlyMap<number, number> {
  const spoken = new Map<number, number>();
  noteDayWords(part, days, calendar, spoken);
  for (let day = days.first; day <= days.last; day++) {
    for (const document of statedOn(part, day, calendar)) spoken.set(document, SPOKEN_DAY);
    for (const document of saidWeekdayOf(part, day, calendar)) {
      if (!spoken.has(document)) spoken.set(document, SPOKEN_WEEKDAY);
    }
  }
  return spoken;
}

/** The documents that mean a day by the day of writing, rising: "tomorrow", of the day before. */
export function saidOfDay(part: Part, day: number, calendar: Calendar): Int32Array {
  const spoken = new Map<number, number>();
  noteDayWords(part, { first: day, last: day }, calendar, spoken);
  return Int32Array.from(spoken.keys()).sort();
}

function noteDayWords(part: Part, days: Days, calendar: Calendar, spoken: Map<number, number>): void {
  const note = (document: number, distance: number): void => {
    // Most are of another time, and to look at the clocks of a place costs.
    const inUtc = Math.floor(part.time[document]! / DAY) + distance;
    if (!(inUtc >= days.first - 1 && inUtc <= days.last + 1)) return;
    const meant = calendar.dayOf(part.time[document]!) + distance;
    if (meant >= days.first && meant <= days.last) spoken.set(document, SPOKEN_DAY);
  };
  for (const [term, distance] of distanceOfTerm()) {
    const documents = documentsOf(part.postings(term));
    if (documents.length === 0) continue;
    const further = new Map<number, number>();
    for (const [phrase, word, distanceOfPhrase] of DAY_PHRASES) {
      if (termOf(word) !== term) continue;
      const [found] = findPhrases([part], [phrasePieces(phrase)], calendar);
      for (const document of found!.documents[0]!) further.set(document, distanceOfPhrase);
    }
    for (const document of documents) note(document, further.get(document) ?? distance);
  }
}

function statedOn(part: Part, day: number, calendar: Calendar): readonly number[] {
  const date = new Date(day * DAY);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const near = documentsOf(part.postings(dayTerm('unsaid', month, dayOfMonth))).filter(
    (document) => Math.abs(calendar.dayOf(part.time[document]!) - day) <= HALF_YEAR,
  );
  return [...documentsOf(part.postings(dayTerm(year, month, dayOfMonth))), ...near];
}

/** "On Friday" means the last one or the next, seen from when it was written. */
function saidWeekdayOf(part: Part, day: number, calendar: Calendar): readonly number[] {
  const weekday = weekdayTerm(weekdayOf(day));
  const said: number[] = [];
  for (const term of [weekday, ...(namesElsewhere().get(weekday) ?? [])]) {
    for (const document of documentsOf(postingsInTexts(term, part))) {
      if (!(Math.abs(Math.floor(part.time[document]! / DAY) - day) <= DAYS_OF_WEEK)) continue;
      const distance = Math.abs(calendar.dayOf(part.time[document]!) - day);
      if (distance > 0 && distance < DAYS_OF_WEEK) said.push(document);
    }
  }
  return said;
}
