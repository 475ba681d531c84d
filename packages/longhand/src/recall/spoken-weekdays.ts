/**
 * Memories that speak of a day by its weekday: "on Friday", "on Fri", "next Friday", "Friday the 18th", "every Tuesday and Friday",
 * "Fridays", "on weekdays".
 *
 * Which week is meant follows from the day of writing. What comes again is of every week from then on.
 */

import { lazily } from '../core/lazily.ts';
import { type DayHolders, type Days, HALF_YEAR, type Note } from './day-holders.ts';
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
const BETWEEN = lazily(() => termsOf('and or und oder et ou morning afternoon evening night'));
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
];

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

type Saying = ReadonlyMap<number, ReadonlySet<number>>;

/** What a part says of weekdays: looked for once, however many days are asked for. */
export class SpokenWeekdays {
  readonly #holders: DayHolders;
  readonly #days: Days;
  /** Weekday → what has one of its names in its texts. */
  readonly #inFull = new Map<number, Int32Array>();
  /** Which documents hold a word that is like a short name. */
  readonly #likeShort = lazily(
    () => new Set(LIKE_SHORT.flatMap((word) => [...this.#holders.ofWritten(word)])),
  );
  readonly #every = lazily(() => this.#behind(EVERY(), { hasLists: true }));
  readonly #next = lazily(() => this.#behind(NEXT(), { isNear: true }));
  readonly #coming = lazily(() => this.#behind(COMING(), { isNear: true }));
  readonly #short = lazily(() =>
    this.#behind(BEFORE_SHORT(), { hasLists: true, isNear: true, isShort: true }),
  );
  /** On all days of a week but those of the weekend, and on these. */
  readonly #onAll = ON_ALL.map(({ one, several }) =>
    lazily(() => [
      ...several.split(' ').flatMap((word) => [...this.#holders.ofWritten(word)]),
      ...EVERY().flatMap((every) =>
        termsOf(one).flatMap((name) => [...this.#holders.ofPhrase([every, name])]),
      ),
    ]),
  );

  /** @param days that are asked for */
  constructor(holders: DayHolders, days: Days) {
    this.#holders = holders;
    this.#days = days;
  }

  /** Notes what speaks of one of the days. */
  noteOf(day: number, note: Note): void {
    const weekday = weekdayOf(day);
    const { full, several } = namesOf()[weekday]!;
    const every = [
      ...several.flatMap((word) => [...this.#holders.ofWritten(word)]),
      ...this.#onAll[weekday < SATURDAY ? 0 : 1]!(),
      ...(this.#every().get(weekday) ?? []),
    ];
    this.#noteWithin(day, every, [0, Number.POSITIVE_INFINITY], (document) => note(document, SPOKEN_WEEKDAY));
    const dated = lazily(() => datedElsewhere(this.#holders, day));
    const noteUndated = (document: number, surely: number): void => {
      if (!dated().has(document)) note(document, surely);
    };
    const next = this.#next().get(weekday) ?? NOBODY;
    this.#noteWithin(day, next, [1, 2 * DAYS_OF_WEEK - 1], (document) => {
      // "Next Friday" is that of the week after to most, and the next to come to others.
      const weekAway = mondayOf(day) - mondayOf(this.#holders.writtenOn(document));
      noteUndated(document, weekAway === DAYS_OF_WEEK ? SPOKEN_WEEKDAY : SPOKEN_OTHER_WEEK);
    });
    const coming = this.#coming().get(weekday) ?? NOBODY;
    this.#noteWithin(day, coming, [DAYS_OF_WEEK, DAYS_OF_WEEK], (document) =>
      noteUndated(document, SPOKEN_WEEKDAY),
    );
    const said = this.#saidInFull(weekday);
    const near = [1 - DAYS_OF_WEEK, DAYS_OF_WEEK - 1] as const;
    this.#noteWithin(day, [...said, ...(this.#short().get(weekday) ?? NOBODY)], near, (document) => {
      if (!next.has(document)) noteUndated(document, SPOKEN_WEEKDAY);
    });
    if (said.length > 0) this.#noteNumbered(day, full, note);
  }

  /** "Friday the 18th". */
  #noteNumbered(day: number, names: readonly string[], note: Note): void {
    const number = String(new Date(day * DAY).getUTCDate());
    for (const name of names) {
      for (const word of BEFORE_NUMBER) {
        const numbered = this.#holders.ofPhrase([name, ...phrasePieces(word), number], this.#days);
        this.#noteWithin(day, numbered, [-MAX_DAYS_TO_NUMBER, MAX_DAYS_TO_NUMBER], (document) =>
          note(document, SPOKEN_DAY),
        );
      }
    }
  }

  /** Visits what was written so many days before a day. */
  #noteWithin(
    day: number,
    documents: Iterable<number>,
    [first, last]: readonly [first: number, last: number],
    visit: (document: number) => void,
  ): void {
    for (const document of documents) {
      // Most are of another time, and to look at the clocks of a place costs.
      const awayInUtc = day - Math.floor(this.#holders.part.time[document]! / DAY);
      if (!(awayInUtc >= first - 1 && awayInUtc <= last + 1)) continue;
      const away = day - this.#holders.writtenOn(document);
      // The day itself is that of writing, which is known.
      if (away !== 0 && away >= first && away <= last) visit(document);
    }
  }

  /** Weekday → the documents that have its name behind one of some words, or in a list that begins there. */
  #behind(
    words: readonly string[],
    {
      hasLists = false,
      isNear = false,
      isShort = false,
    }: { hasLists?: boolean; isNear?: boolean; isShort?: boolean },
  ): Saying {
    const saying = new Map<number, Set<number>>();
    const isWanted = (document: number): boolean => !isNear || this.#holders.isNear(this.#days, document);
    const asked = this.#asked();
    const named = asked.flatMap((weekday) => [
      ...(isShort ? [] : this.#saidInFull(weekday)),
      ...this.#saidShort(weekday),
    ]);
    // Few say both, and whatever else they say is looked at in these alone.
    const starts = this.#holders.places(words, rising(named.filter(isWanted)));
    if (starts.size === 0) return saying;
    const documents = rising(starts.keys());
    const weekdays = namesOf().map(({ full, short }, weekday) => {
      const isRead = hasLists || asked.includes(weekday);
      return {
        full: isShort || !isRead ? undefined : this.#holders.places(full, documents),
        short: isRead ? this.#holders.places(short, documents) : undefined,
      };
    });
    const bridges = hasLists ? this.#holders.places(BETWEEN(), documents) : undefined;
    for (const document of documents) {
      const hasShort = !this.#likeShort().has(document);
      const weekdayAt = (place: number): number =>
        weekdays.findIndex(
          ({ full, short }) =>
            full?.get(document)?.has(place) === true ||
            (hasShort && short?.get(document)?.has(place) === true),
        );
      for (const start of starts.get(document)!) {
        for (let place = start + 1; ; place++) {
          const weekday = weekdayAt(place);
          if (weekday !== -1) saying.set(weekday, (saying.get(weekday) ?? new Set()).add(document));
          const goesOn = hasLists && (weekday !== -1 || bridges?.get(document)?.has(place) === true);
          if (!goesOn) break;
        }
      }
    }
    return saying;
  }

  /** The weekdays of the days that are asked for. */
  #asked(): readonly number[] {
    const { first, last } = this.#days;
    const count = Math.min(last - first + 1, DAYS_OF_WEEK);
    return Array.from({ length: count }, (_, at) => weekdayOf(first + at));
  }

  #saidInFull(weekday: number): Int32Array {
    const known = this.#inFull.get(weekday);
    if (known !== undefined) return known;
    const { part } = this.#holders;
    const said = rising(
      namesOf()[weekday]!.full.flatMap((name) => [...documentsOf(postingsInTexts(name, part))]),
    );
    this.#inFull.set(weekday, said);
    return said;
  }

  /** "On fries" says none. */
  #saidShort(weekday: number): Int32Array {
    const { part } = this.#holders;
    const said = rising(namesOf()[weekday]!.short.flatMap((name) => [...documentsOf(part.postings(name))]));
    return said.length === 0 ? said : said.filter((document) => !this.#likeShort().has(document));
  }
}

/** Each once. */
function rising(documents: Iterable<number>): Int32Array {
  return Int32Array.from(new Set(documents)).sort();
}

const NOBODY: ReadonlySet<number> = new Set();

/** What states another day of the same name: in "Tuesday, 24 November" the weekday is of that week. */
function datedElsewhere(holders: DayHolders, day: number): ReadonlySet<number> {
  const dated = new Set<number>();
  for (let away = DAYS_OF_WEEK; away <= HALF_YEAR; away += DAYS_OF_WEEK) {
    for (const other of [day - away, day + away])
      for (const document of holders.stating(other)) dated.add(document);
  }
  return dated;
}
