/**
 * Memories that speak of a day by its weekday: "on Friday", "on Fri", "next Friday", "Friday the 18th", "every Tuesday and Friday",
 * "Fridays", "on weekdays".
 *
 * Which week is meant follows from the day of writing. What comes again is of every week from then on.
 */

import { lazily } from '../core/lazily.ts';
import { type DayHolders, HALF_YEAR, type Note } from './day-holders.ts';
import { weekdayTerm } from './entry-text.ts';
import { documentsOf } from './postings.ts';
import { namesElsewhere, postingsInTexts } from './query-dates.ts';
import { DAY, mondayOf, SATURDAY, weekdayOf } from './time/calendar.ts';
import { GLOSSARY } from './time/glossary.ts';
import { WEEKDAYS } from './time/vocabulary.ts';
import { SPOKEN_DAY, SPOKEN_OTHER_WEEK, SPOKEN_WEEKDAY } from './weights.ts';
import { phrasePieces, termOf } from './words.ts';

const DAYS_OF_WEEK = 7;
/** Days: behind a February, the same number is there again, with the same weekday. */
export const MAX_DAYS_TO_NUMBER = 27;

const termsOf = (words: string): readonly string[] => words.split(' ').map(termOf);

/** What stands before a weekday that may be that of the week after, that is the nearest to come, or that is one of every week. */
const NEXT = lazily(() => termsOf('next n\u00e4chsten'));
const COMING = lazily(() => termsOf('coming kommenden'));
const EVERY = lazily(() => termsOf('every each jeden jedes chaque'));
/** What stands between the weekdays of a list. */
const BETWEEN = 'and or und oder et ou morning afternoon evening night';
/** What stands between a weekday and the number of its day: "Friday the 18th", "vendredi 18". */
const BEFORE_NUMBER = ['', 'the', 'den', 'dem', 'le'];
/** What stands before the short name of a weekday: by themselves "sat" and "sun" are something else. */
const BEFORE_SHORT = lazily(() => termsOf('on this next coming every each by until'));
/** Words that have the stem of a short name. */
const LIKE_SHORT = 'fries fried wedding weddings wedded weds suns'.split(' ');
/** What is on all days but those of the weekend, or on these, every week. */
const ON_ALL = [
  { one: 'weekday werktag', several: 'weekdays werktags werktagen' },
  { one: 'weekend wochenende', several: 'weekends wochenenden' },
].map(({ one, several }) => ({ one: termsOf(one), several: several.split(' ') }));

interface Names {
  /** The terms of its names. */
  readonly full: readonly string[];
  readonly short: readonly string[];
  /** What says by itself that it is every one: "Fridays", "freitags", "vendredis". */
  readonly several: readonly string[];
}

const namesOf = lazily((): readonly Names[] =>
  Array.from({ length: DAYS_OF_WEEK }, (_, weekday) => {
    const english = [...WEEKDAYS].flatMap(([name, number]) => (number === weekday ? [name] : []));
    const whole = english.filter((name) => name.endsWith('day'));
    const foreign = [...GLOSSARY].flatMap(([name, meaning]) => (whole.includes(meaning) ? [name] : []));
    const term = weekdayTerm(weekday);
    return {
      full: [term, ...(namesElsewhere().get(term) ?? [])],
      short: [...new Set(english.filter((name) => !whole.includes(name)).map(termOf))],
      several: [...whole, ...foreign].map((name) => `${name}s`),
    };
  }),
);

/** What may stand between "every" and one of the weekdays behind it. */
const between = lazily(() => [
  ...namesOf().flatMap(({ full, short }) => [...full, ...short]),
  ...termsOf(BETWEEN),
]);

/** Notes what speaks of a day by its weekday. */
export function noteWeekday(holders: DayHolders, day: number, note: Note): void {
  const weekday = weekdayOf(day);
  const { full, short, several } = namesOf()[weekday]!;
  const onAll = ON_ALL[weekday < SATURDAY ? 0 : 1]!;
  const noteWithin = (
    documents: Iterable<number>,
    [first, last]: readonly [first: number, last: number],
    surely: number,
    leftOut?: (document: number) => boolean,
  ): void => {
    for (const document of documents) {
      // Most are of another time, and to look at the clocks of a place costs.
      const awayInUtc = day - Math.floor(holders.part.time[document]! / DAY);
      if (!(awayInUtc >= first - 1 && awayInUtc <= last + 1)) continue;
      const away = day - holders.writtenOn(document);
      // The day itself is that of writing, which is known.
      if (away === 0 || away < first || away > last) continue;
      if (leftOut?.(document) !== true) note(document, surely);
    }
  };
  const noteEvery = (documents: Iterable<number>): void =>
    noteWithin(documents, [0, Number.POSITIVE_INFINITY], SPOKEN_WEEKDAY);
  for (const word of [...several, ...onAll.several]) noteEvery(holders.ofWritten(word));
  for (const term of onAll.one)
    noteEvery(holders.behind(documentsOf(holders.part.postings(term)), EVERY(), [term], []));
  const saidInFull = union(full.map((name) => documentsOf(postingsInTexts(name, holders.part))));
  const saidShort = sayingShort(holders, short);
  const said = union([saidInFull, saidShort]);
  if (said.length === 0) return;
  const names = [...full, ...short];
  noteEvery(holders.behind(said, EVERY(), names, between()));
  const asked = { first: day, last: day };
  const near = said.filter((document) => holders.isNear(asked, document));
  if (near.length === 0) return;
  const next = new Set(holders.behind(near, NEXT(), names, []));
  const dated = lazily(() => datedElsewhere(holders, day));
  const isDated = (document: number): boolean => dated().has(document);
  // "Next Friday" is that of the week after to most, and the next to come to others.
  const isInNextWeek = (document: number): boolean =>
    mondayOf(day) - mondayOf(holders.writtenOn(document)) === DAYS_OF_WEEK;
  const ahead = [1, 2 * DAYS_OF_WEEK - 1] as const;
  noteWithin([...next].filter(isInNextWeek), ahead, SPOKEN_WEEKDAY, isDated);
  noteWithin(next, ahead, SPOKEN_OTHER_WEEK, isDated);
  const coming = holders.behind(near, COMING(), names, []);
  noteWithin(coming, [DAYS_OF_WEEK, DAYS_OF_WEEK], SPOKEN_WEEKDAY, isDated);
  const nearShort = saidShort.filter((document) => holders.isNear(asked, document));
  const placed = union([saidInFull, holders.behind(nearShort, BEFORE_SHORT(), short, between())]);
  const isOfOtherWeek = (document: number): boolean => next.has(document) || isDated(document);
  noteWithin(placed, [1 - DAYS_OF_WEEK, DAYS_OF_WEEK - 1], SPOKEN_WEEKDAY, isOfOtherWeek);
  const number = String(new Date(day * DAY).getUTCDate());
  for (const name of full) {
    for (const word of BEFORE_NUMBER) {
      const numbered = holders.ofPhrase([name, ...phrasePieces(word), number], asked);
      noteWithin(numbered, [-MAX_DAYS_TO_NUMBER, MAX_DAYS_TO_NUMBER], SPOKEN_DAY);
    }
  }
}

/** Rising, each once. */
function union(lists: readonly Int32Array[]): Int32Array {
  return Int32Array.from(new Set(lists.flatMap((list) => [...list]))).sort();
}

/** What may have the short name of a weekday: "on fries" says none. */
function sayingShort(holders: DayHolders, short: readonly string[]): Int32Array {
  const said = union(short.map((name) => documentsOf(holders.part.postings(name))));
  if (said.length === 0) return said;
  const others = new Set(LIKE_SHORT.flatMap((word) => [...holders.ofWritten(word)]));
  return said.filter((document) => !others.has(document));
}

/** What states another day of the same name: in "Tuesday, 24 November" the weekday is of that week. */
function datedElsewhere(holders: DayHolders, day: number): ReadonlySet<number> {
  const dated = new Set<number>();
  for (let away = DAYS_OF_WEEK; away <= HALF_YEAR; away += DAYS_OF_WEEK) {
    for (const other of [day - away, day + away])
      for (const document of holders.stating(other)) dated.add(document);
  }
  return dated;
}
