/**
 * Memories that speak of a day: "dentist tomorrow", "yesterday we shipped", "the review is on Friday", "due 18 November".
 *
 * Who asks what is on today means them, whenever they were written. A stated date is a term (`time/stated-dates.ts`); the other
 * words are words like any, and which day they mean follows from the day of writing, where the query is asked; so it does for the
 * number of a day without its month, which is a term as well (`time/numbered-days.ts`). Weekdays, and what comes again every week
 * or month, have files of their own (`spoken-weekdays.ts`, `spoken-months.ts`).
 */

import { lazily } from '../core/lazily.ts';
import { DayHolders, type Days, type Note } from './day-holders.ts';
import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';
import { noteMonthly } from './spoken-months.ts';
import { MAX_DAYS_TO_NUMBER, SpokenWeekdays } from './spoken-weekdays.ts';
import { numberedDayTerm } from './term-names.ts';
import { type Calendar, DAY, weekdayOf } from './time/calendar.ts';
import { SPOKEN_DAY, SPOKEN_WEEKDAY } from './weights.ts';
import { forEachWholeWord, phrasePieces, termOf } from './words.ts';

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

/** What the parts of an index say of days, for one query: what its words and its times both ask for is looked for once. */
export class SpokenDays {
  /** Of the place where it is asked. */
  readonly calendar: Calendar;
  readonly #known = new Map<Part, Map<string, ReadonlyMap<number, number>>>();

  constructor(calendar: Calendar) {
    this.calendar = calendar;
  }

  /** The live documents of a part that speak of any of some days, with how surely. */
  of(part: Part, days: Days): ReadonlyMap<number, number> {
    let ofPart = this.#known.get(part);
    if (ofPart === undefined) {
      ofPart = new Map();
      this.#known.set(part, ofPart);
    }
    const name = `${days.first} ${days.last}`;
    const spoken = ofPart.get(name) ?? spokenOf(part, days, this.calendar);
    ofPart.set(name, spoken);
    return spoken;
  }
}

function spokenOf(part: Part, days: Days, calendar: Calendar): ReadonlyMap<number, number> {
  const holders = new DayHolders(part, calendar);
  const spoken = new Map<number, number>();
  const note: Note = (document, surely) => {
    if (surely > (spoken.get(document) ?? 0)) spoken.set(document, surely);
  };
  for (let day = days.first; day <= days.last; day++) {
    for (const document of holders.stating(day)) note(document, SPOKEN_DAY);
  }
  if (days.last - days.first >= MAX_SPOKEN_DAYS) return spoken;
  for (const document of saidByDay(holders, days)) note(document, SPOKEN_DAY);
  notePhrases(holders, days, note);
  const weekdays = new SpokenWeekdays(holders, days);
  for (let day = days.first; day <= days.last; day++) {
    for (const document of numberedOn(holders, day)) note(document, SPOKEN_WEEKDAY);
    noteMonthly(holders, day, note);
    weekdays.noteOf(day, note);
  }
  return spoken;
}

/** The documents that mean a day by the day of writing, rising: "tomorrow", of the day before. */
export function saidOfDay(part: Part, day: number, calendar: Calendar): Int32Array {
  const said = saidByDay(new DayHolders(part, calendar), { first: day, last: day });
  return Int32Array.from(said).sort();
}

function saidByDay(holders: DayHolders, days: Days): ReadonlySet<number> {
  const said = new Set<number>();
  for (const [term, distance] of distanceOfTerm()) {
    const documents = documentsOf(holders.part.postings(term));
    if (documents.length === 0) continue;
    const further = new Map<number, number>();
    for (const [phrase, word, distanceOfPhrase] of DAY_PHRASES) {
      if (termOf(word) !== term) continue;
      for (const document of holders.ofPhrase(phrasePieces(phrase), days))
        further.set(document, distanceOfPhrase);
    }
    for (const document of documents) {
      const away = further.get(document) ?? distance;
      if (holders.meets(document, { first: away, last: away }, days)) said.add(document);
    }
  }
  return said;
}

function notePhrases(holders: DayHolders, days: Days, note: Note): void {
  for (const { pieces, word, first, last, isOfWeek, surely } of spokenPhrases()) {
    const saying = holders.ofPhrase(pieces, days);
    if (saying.length === 0) continue;
    const written = word === undefined ? undefined : new Set(holders.ofWritten(word));
    for (const document of saying) {
      if (written?.has(document) === false) continue;
      const writtenOn = holders.writtenOn(document);
      const sinceMonday = isOfWeek ? weekdayOf(writtenOn) : 0;
      const away = { first: first - sinceMonday, last: last - sinceMonday };
      if (!holders.meets(document, away, days)) continue;
      // "Next week" speaks of that week, and of none of its days.
      const isInside = writtenOn + away.first >= days.first && writtenOn + away.last <= days.last;
      if (isInside || last - first < MAX_DAYS_EACH) note(document, surely);
    }
  }
}

/** "On the 18th" may be that of this month or of the next. */
function numberedOn(holders: DayHolders, day: number): Int32Array {
  const number = new Date(day * DAY).getUTCDate();
  const away = { first: -MAX_DAYS_SINCE_NUMBER, last: MAX_DAYS_TO_NUMBER };
  return documentsOf(holders.part.postings(numberedDayTerm(number))).filter((document) =>
    holders.meets(document, away, { first: day, last: day }),
  );
}
