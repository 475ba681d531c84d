/**
 * Memories that speak of a day: "dentist tomorrow", "yesterday we shipped", "the review is on Friday", "due 18 November".
 *
 * Who asks what is on today means them, whenever they were written. A stated date is a term (`time/stated-dates.ts`); the other
 * words are words like any, and which day they mean follows from the day of writing, where the query is asked; so it does for the
 * number of a day without its month, which is a term as well (`time/numbered-days.ts`).
 */

import { lazily } from '../core/lazily.ts';
import { weekdayTerm } from './entry-text.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import type { Part } from './part.ts';
import { findPhrases } from './phrase.ts';
import { documentsOf } from './postings.ts';
import { namesElsewhere, postingsInTexts } from './query-dates.ts';
import { dayTerm, numberedDayTerm } from './term-names.ts';
import { type Calendar, DAY, weekdayOf } from './time/calendar.ts';
import { SPOKEN_DAY, SPOKEN_WEEKDAY } from './weights.ts';
import { forEachWholeWord, phrasePieces, termOf } from './words.ts';

/** Days as a calendar counts them, both included. */
export interface Days {
  readonly first: number;
  readonly last: number;
}

/** Those of a time that a question speaks of, with its words as they were typed. */
export interface AskedDays extends Days {
  readonly typed: string;
}

/** Of more days than these nobody speaks day by day: only those of them count that are stated. */
const MAX_SPOKEN_DAYS = 8;
/** Of more days than these, what states one of them says little. */
export const MAX_STATED_DAYS = 366;
const DAYS_OF_WEEK = 7;
/** Of a weekend each day is meant. */
const MAX_DAYS_EACH = 2;
/** A day without its year is the one that is nearest to when it was written. */
const HALF_YEAR = 183;
/** Days: behind a February, the same number is there again, with the same weekday. */
const MAX_DAYS_TO_NUMBER = 27;
/** Days: of what was longer ago nobody says the number alone. */
const MAX_DAYS_SINCE_NUMBER = 3;

/** How many days behind that of writing they mean. French "hier" is a place in German. */
const DAY_WORDS: readonly (readonly [word: string, distance: number])[] = [
  ['today', 0],
  ['tonight', 0],
  ['heute', 0],
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
  ['apr\u00e8s-demain', 'demain', 2],
  ...['guten', 'heute', 'gestern', 'am', 'jeden', 'diesen', 'der', 'den', 'dem'].map(
    (before) => [`${before} morgen`, 'morgen', Number.NaN] as const,
  ),
];

/** What several words mean: days, counted from that of writing or from the Monday of its week; and how surely. */
interface SpokenPhrase extends Days {
  readonly pieces: readonly string[];
  /** A word of it that must stand there as it is: others have its stem. */
  readonly word?: string;
  readonly isOfWeek: boolean;
  readonly surely: number;
}

const spokenPhrases = lazily((): readonly SpokenPhrase[] => [
  ...['last night', 'hier soir'].map((phrase) => away(phrase, -1, -1, SPOKEN_DAY)),
  away('avant-hier', -2, -2, SPOKEN_DAY),
  ...['this morning', 'this afternoon', 'ce matin', 'cet apr\u00e8s-midi', 'ce soir'].map((phrase) =>
    away(phrase, 0, 0, SPOKEN_DAY),
  ),
  // "Is this even true?" speaks of no evening.
  { ...away('this evening', 0, 0, SPOKEN_DAY), word: 'evening' },
  // "Week-end" is two words, with "weekend" beside the first: what stands behind it follows either.
  ...['this weekend', 'dieses Wochenende', 'ce weekend'].map((phrase) => ofWeek(phrase, 5, 6)),
  ...[
    ...['next weekend', 'n\u00e4chstes Wochenende'],
    ...['prochain weekend', 'weekend prochain', 'week-end prochain'],
  ].map((phrase) => ofWeek(phrase, 12, 13)),
  ...[
    ...['last weekend', 'letztes Wochenende'],
    ...['dernier weekend', 'weekend dernier', 'week-end dernier'],
  ].map((phrase) => ofWeek(phrase, -2, -1)),
  ...['next week', 'n\u00e4chste Woche', 'semaine prochaine'].map((phrase) => ofWeek(phrase, 7, 13)),
  ...['last week', 'letzte Woche', 'semaine derni\u00e8re'].map((phrase) => ofWeek(phrase, -7, -1)),
  ...COUNTED.flatMap(([before, counts, ...units]) =>
    units.flatMap(([one, several], unit) =>
      counts.split(', ').flatMap((names, at) => {
        const distance = (at + 1) * (unit === 0 ? 1 : DAYS_OF_WEEK);
        return names
          .split(' ')
          .map((count) =>
            away(`${before} ${count} ${at === 0 ? one : several}`, distance, distance, SPOKEN_WEEKDAY),
          );
      }),
    ),
  ),
]);
type Unit = readonly [one: string, several: string];
/** In each language: what stands before a distance, numbers from one on, and days and weeks. */
const COUNTED: readonly (readonly [before: string, counts: string, days: Unit, weeks: Unit])[] = [
  ['in', 'a one, 2 two, 3 three, 4 four, 5 five, 6 six', ['day', 'days'], ['week', 'weeks']],
  ['in', 'einem einer, 2 zwei, 3 drei, 4 vier, 5 f\u00fcnf, 6 sechs', ['Tag', 'Tagen'], ['Woche', 'Wochen']],
  ['dans', 'un une, 2 deux, 3 trois, 4 quatre, 5 cinq, 6 six', ['jour', 'jours'], ['semaine', 'semaines']],
];

const away = (phrase: string, first: number, last: number, surely: number): SpokenPhrase => ({
  pieces: phrasePieces(phrase),
  first,
  last,
  isOfWeek: false,
  surely,
});
const ofWeek = (phrase: string, first: number, last: number): SpokenPhrase => ({
  pieces: phrasePieces(phrase),
  first,
  last,
  isOfWeek: true,
  surely: SPOKEN_WEEKDAY,
});

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
  const note = (document: number, surely: number): void => {
    if (surely > (spoken.get(document) ?? 0)) spoken.set(document, surely);
  };
  for (let day = days.first; day <= days.last; day++) {
    for (const document of statedOn(part, day, calendar)) note(document, SPOKEN_DAY);
  }
  if (days.last - days.first >= MAX_SPOKEN_DAYS) return spoken;
  for (const document of saidByDay(part, days, calendar)) note(document, SPOKEN_DAY);
  notePhrases(part, days, calendar, note);
  for (let day = days.first; day <= days.last; day++) {
    for (const document of numberedOn(part, day, calendar)) note(document, SPOKEN_WEEKDAY);
    noteWeekday(part, day, calendar, note);
  }
  return spoken;
}

type Note = (document: number, surely: number) => void;

/** The documents that mean a day by the day of writing, rising: "tomorrow", of the day before. */
export function saidOfDay(part: Part, day: number, calendar: Calendar): Int32Array {
  return Int32Array.from(saidByDay(part, { first: day, last: day }, calendar)).sort();
}

function saidByDay(part: Part, days: Days, calendar: Calendar): ReadonlySet<number> {
  const said = new Set<number>();
  for (const [term, distance] of distanceOfTerm()) {
    const documents = documentsOf(part.postings(term));
    if (documents.length === 0) continue;
    const further = new Map<number, number>();
    for (const [phrase, word, distanceOfPhrase] of DAY_PHRASES) {
      if (termOf(word) !== term) continue;
      for (const document of holdersOf(part, phrasePieces(phrase), calendar, days))
        further.set(document, distanceOfPhrase);
    }
    for (const document of documents) {
      const away = further.get(document) ?? distance;
      if (meets(part, document, { first: away, last: away }, days, calendar)) said.add(document);
    }
  }
  return said;
}

function notePhrases(part: Part, days: Days, calendar: Calendar, note: Note): void {
  // Many share a word that nobody wrote: it is asked for once.
  const isHeldIn = new Map<string, boolean>();
  const isHeld = (term: string): boolean => {
    const known = isHeldIn.get(term) ?? part.postings(term).count > 0;
    isHeldIn.set(term, known);
    return known;
  };
  for (const { pieces, word, first, last, isOfWeek, surely } of spokenPhrases()) {
    if (!pieces.every(isHeld)) continue;
    const holders = holdersOf(part, pieces, calendar, days);
    if (holders.length === 0) continue;
    const written = word === undefined ? undefined : new Set(documentsOf(part.postings(WRITTEN_MARK + word)));
    for (const document of holders) {
      if (written?.has(document) === false) continue;
      const sinceMonday = isOfWeek ? weekdayOf(calendar.dayOf(part.time[document]!)) : 0;
      const away = { first: first - sinceMonday, last: last - sinceMonday };
      if (!meets(part, document, away, days, calendar)) continue;
      // "Next week" speaks of that week, and of none of its days.
      const writtenOn = calendar.dayOf(part.time[document]!);
      const isInside = writtenOn + away.first >= days.first && writtenOn + away.last <= days.last;
      if (isInside || last - first < MAX_DAYS_EACH) note(document, surely);
    }
  }
}

/** @param days if given, only what was written so near to them that it may speak of them */
function holdersOf(part: Part, pieces: readonly string[], calendar: Calendar, days?: Days): Int32Array {
  const isNear = days && (({ time }: Part, document: number) => isNearTo(days, time[document]!));
  return findPhrases([part], [pieces], calendar, isNear)[0]!.documents[0]!;
}

/** Of weeks nobody counts more, and in places a day begins earlier or later than in UTC. */
const FURTHEST = (COUNTED[0]![1].split(', ').length * DAYS_OF_WEEK + 2) * DAY;

function isNearTo({ first, last }: Days, ms: number): boolean {
  return ms > first * DAY - FURTHEST && ms < (last + 1) * DAY + FURTHEST;
}

/** Whether any of some days is meant by days that are so far away from the day of writing. */
function meets(part: Part, document: number, away: Days, days: Days, calendar: Calendar): boolean {
  // Most are of another time, and to look at the clocks of a place costs.
  const inUtc = Math.floor(part.time[document]! / DAY);
  if (!(inUtc + away.last >= days.first - 1 && inUtc + away.first <= days.last + 1)) return false;
  const written = calendar.dayOf(part.time[document]!);
  return written + away.last >= days.first && written + away.first <= days.last;
}

function statedOn(part: Part, day: number, calendar: Calendar): readonly number[] {
  const date = new Date(day * DAY);
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const near = documentsOf(part.postings(dayTerm('unsaid', month, dayOfMonth))).filter(
    (document) => Math.abs(calendar.dayOf(part.time[document]!) - day) <= HALF_YEAR,
  );
  return [...documentsOf(part.postings(dayTerm(year, month, dayOfMonth))), ...near];
}

/** "On the 18th" may be that of this month or of the next. */
function numberedOn(part: Part, day: number, calendar: Calendar): Int32Array {
  const number = new Date(day * DAY).getUTCDate();
  const asked = { first: day, last: day };
  return documentsOf(part.postings(numberedDayTerm(number))).filter((document) =>
    meets(part, document, { first: -MAX_DAYS_SINCE_NUMBER, last: MAX_DAYS_TO_NUMBER }, asked, calendar),
  );
}

/** What stands before a weekday that may be that of the week after, or is that of every week. */
const NEXT = ['next', 'n\u00e4chsten', 'kommenden'];
const EVERY = ['every', 'each', 'jeden', 'chaque'];
/** What stands between a weekday and the number of its day: "Friday the 18th", "vendredi 18". */
const BEFORE_NUMBER = ['', 'the', 'den', 'dem', 'le'];

/** What states another day of the same name: in "Tuesday, 24 November" the weekday is of that week. */
function datedElsewhere(part: Part, day: number, calendar: Calendar): ReadonlySet<number> {
  const dated = new Set<number>();
  for (let away = DAYS_OF_WEEK; away <= HALF_YEAR; away += DAYS_OF_WEEK) {
    for (const other of [day - away, day + away])
      for (const document of statedOn(part, other, calendar)) dated.add(document);
  }
  return dated;
}

/** "On Friday" means the last one or the next, seen from when it was written. */
function noteWeekday(part: Part, day: number, calendar: Calendar, note: Note): void {
  const weekday = weekdayTerm(weekdayOf(day));
  const names = [weekday, ...(namesElsewhere().get(weekday) ?? [])];
  const said = names.map((name) => documentsOf(postingsInTexts(name, part)));
  if (said.every(({ length }) => length === 0)) return;
  const dated = lazily(() => datedElsewhere(part, day, calendar));
  const noteWithin = (
    documents: Iterable<number>,
    [first, last]: readonly [first: number, last: number],
    surely: number,
    leftOut?: () => ReadonlySet<number>,
  ): void => {
    for (const document of documents) {
      // Most are of another time, and to look at the clocks of a place costs.
      const awayInUtc = day - Math.floor(part.time[document]! / DAY);
      if (!(awayInUtc >= first - 1 && awayInUtc <= last + 1)) continue;
      const away = day - calendar.dayOf(part.time[document]!);
      // The day itself is that of writing, which is known.
      if (away === 0 || away < first || away > last) continue;
      if (leftOut?.().has(document) !== true) note(document, surely);
    }
  };
  const withWord = (before: string, name: string, near?: Days): Int32Array =>
    holdersOf(part, [...phrasePieces(before), name], calendar, near);
  const asked = { first: day, last: day };
  const number = String(new Date(day * DAY).getUTCDate());
  for (const documents of said)
    noteWithin(documents, [1 - DAYS_OF_WEEK, DAYS_OF_WEEK - 1], SPOKEN_WEEKDAY, dated);
  for (const name of names) {
    for (const before of NEXT)
      noteWithin(withWord(before, name, asked), [DAYS_OF_WEEK, 2 * DAYS_OF_WEEK - 1], SPOKEN_WEEKDAY, dated);
    for (const before of EVERY)
      noteWithin(withWord(before, name), [0, Number.POSITIVE_INFINITY], SPOKEN_WEEKDAY);
    for (const between of BEFORE_NUMBER) {
      const numbered = holdersOf(part, [name, ...phrasePieces(between), number], calendar, asked);
      noteWithin(numbered, [-MAX_DAYS_TO_NUMBER, MAX_DAYS_TO_NUMBER], SPOKEN_DAY);
    }
  }
}
