/** Times in words, against their meaning by the calendar that the runtime shows (`naive/`), in all kinds of zones. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calendarOf, findTimeMentions, parseWithin } from '../src/recall/time-expression.ts';
import { sized } from './campaign.ts';
import { NaivePlace, wording } from './naive/naive-wordings.ts';
import { zoneOf } from './naive/naive-zone.ts';
import { ZONES } from './search-cases.ts';

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
      expect(findTimeMentions(question, nowMs, calendar)).toEqual([
        { ...asked(place), from, to: from + text.length },
      ]);
      const { startMs, endMs } = within(place);
      expect(parseWithin(filter, nowMs, calendar)).toEqual({ ok: true, range: { startMs, endMs } });
    }),
    { numRuns: sized(4_000, 200_000) },
  );
});
