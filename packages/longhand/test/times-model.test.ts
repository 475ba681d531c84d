/** Times in words, against their meaning by the calendar that the runtime shows (`naive/`), in all kinds of zones. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { namedDates } from '../src/recall/query-dates.ts';
import { readQueryText } from '../src/recall/query-text.ts';
import { askedTimes } from '../src/recall/time-alone.ts';
import {
  calendarOf,
  findTimeMentions,
  parseWithin,
  type TimeMention,
} from '../src/recall/time-expression.ts';
import { wholeDates } from '../src/recall/whole-dates.ts';
import { sized } from './campaign.ts';
import { datedText } from './dated-cases.ts';
import { naiveNamedDates, naiveWholeDates } from './naive/naive-query-dates.ts';
import { NaivePlace, wording, wordingAhead } from './naive/naive-wordings.ts';
import { zoneOf } from './naive/naive-zone.ts';
import { queryText, ZONES } from './search-cases.ts';
import { TIME_WORDS } from './time-words.ts';

const anyZone = fc.constantFrom(
  ...ZONES,
  'America/Sao_Paulo',
  'Africa/Cairo',
  'Asia/Kolkata',
  'Atlantic/Azores',
);

/** The nights on which clocks change in some of these zones, and the turn of a year. */
const NIGHTS = [
  '2026-03-08',
  '2026-03-29',
  '2026-04-05',
  '2026-04-24',
  '2026-09-27',
  '2026-10-25',
  '2026-11-01',
  '2027-01-01',
];
const DATES = [
  ...[
    '14 May',
    'May 14th, 2026',
    'the 5th of May',
    '14. Mai',
    'le 12 juin 2026',
    'on 5/14',
    '5/6/2026',
    '14.05.2026',
    'am 5.12.',
  ],
  ...[
    '24.12.26',
    '2026-05-14',
    '2026/5/14',
    '05/2026',
    'in Sept',
    'on Sat',
    'Sundays',
    'Januar',
    'f\u00e9vrier',
    'mars',
    'mardi',
  ],
  ...[
    'may I',
    'who may',
    'may 5 people',
    'May',
    'march',
    'March',
    '5 to 7 May',
    'May 5-7',
    'between 5 and 7 June',
    '10:30',
  ],
];
const anyMoment = fc.oneof(
  fc.integer({ min: Date.UTC(2026, 0, 2), max: Date.UTC(2027, 11, 31) }),
  fc
    .tuple(fc.constantFrom(...NIGHTS), fc.integer({ min: -48 * 4, max: 48 * 4 }))
    .map(([night, quarters]) => Date.parse(night) + quarters * 900_000),
);

it('means the same time of the calendar in every zone, in questions and in filters', () => {
  fc.assert(
    fc.property(wording, anyZone, anyMoment, ({ text, filter, asked, within }, timeZone, nowMs) => {
      const place = new NaivePlace(zoneOf(timeZone), nowMs);
      const calendar = calendarOf(timeZone);
      const question = `Which roses were planted ${text}, roses or tulips?`;
      const from = question.indexOf(text);
      const mentions = findTimeMentions(question, nowMs, calendar);
      expect(mentions.map(({ ahead: _next, ...mention }) => mention)).toEqual([
        { ...asked(place), from, to: from + text.length },
      ]);
      const [{ ahead, startMs: latestMs }] = mentions as [TimeMention];
      // What comes again comes after the latest, and is not over yet: "on Thursday", asked on one, is today.
      if (ahead !== undefined) {
        expect(ahead.startMs).toBeGreaterThanOrEqual(latestMs);
        expect(ahead.endMs).toBeGreaterThan(nowMs);
      }
      const { startMs, endMs } = within(place);
      expect(parseWithin(filter, nowMs, calendar)).toEqual({ ok: true, range: { startMs, endMs } });
    }),
    { numRuns: sized(4_000, 200_000) },
  );
});

it('means the same time to come in every zone, for those who ask for plans', () => {
  fc.assert(
    fc.property(wordingAhead, anyZone, anyMoment, ({ text, asked }, timeZone, nowMs) => {
      const question = `What is on ${text}?`;
      const { mentions, isAlone } = askedTimes(question, nowMs, calendarOf(timeZone));
      const expected = asked(new NaivePlace(zoneOf(timeZone), nowMs));
      expect(
        mentions.map(({ startMs, endMs, from, to }) => [startMs, endMs, question.slice(from, to)]),
      ).toEqual([[expected.startMs, expected.endMs, text]]);
      expect(isAlone).toBe(true);
      expect(askedTimes(`What did we do ${text}?`, nowMs, calendarOf(timeZone)).mentions).toEqual([]);
    }),
    { numRuns: sized(1_000, 50_000) },
  );
});

/** Words of time and dates in any order, with little between them. */
const datesInAnyOrder = fc
  .array(
    fc.tuple(
      fc.oneof(
        fc.constantFrom(...TIME_WORDS),
        fc.constantFrom(...DATES),
        fc.integer({ min: 1, max: 2_030 }).map(String),
      ),
      fc.constantFrom(' ', ' ', ' ', ', ', ' to ', '-', '. ', '?'),
    ),
    { maxLength: 9, size: 'max' },
  )
  .map((pieces) => pieces.flat().join(''));

it('names the same days, months and weekdays', () => {
  fc.assert(
    fc.property(fc.oneof(datedText, queryText, datesInAnyOrder), anyMoment, (text, nowMs) => {
      const mentions = findTimeMentions(text, nowMs);
      const { named, otherNames, habits } = namedDates(text, mentions);
      const naive = naiveNamedDates(text, mentions);
      expect(named).toEqual(naive.named);
      expect(habits).toEqual(naive.habits);
      const asSets = (names: ReadonlyMap<string, readonly string[]>): unknown =>
        new Map([...names].map(([term, others]) => [term, new Set(others)]));
      expect(asSets(otherNames)).toEqual(asSets(naive.otherNames));
      const { quoted } = readQueryText(text);
      const { dates, ...others } = wholeDates(text, mentions, quoted);
      const { dates: days, ...otherNaive } = naiveWholeDates(text, mentions, quoted);
      expect(others).toEqual(otherNaive);
      expect(
        dates.map(({ year, readings }) => [year, readings.map(({ month, day }) => [month, day])]),
      ).toEqual(
        days.map(({ days, hasYear }) => [
          hasYear ? days[0]!.getUTCFullYear() : undefined,
          days.map((day) => [day.getUTCMonth(), day.getUTCDate()]),
        ]),
      );
    }),
    { numRuns: sized(1_500, 100_000) },
  );
});
