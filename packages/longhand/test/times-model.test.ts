/** Texts that refer to days, against each of the days that they mean, in all kinds of zones. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { calendarOf, daysIn, SAYS_TIME, spokenOf } from '../src/time/index.ts';
import { sized } from './campaign.ts';
import { SPOKEN } from './dated-cases.ts';
import { DAY_MS, moment, timeZone } from './search-cases.ts';

const weekdayOf = (day: number): number => (new Date(day).getUTCDay() + 6) % 7;
const mondayOf = (day: number): number => day - weekdayOf(day) * DAY_MS;

/** Of more days than these memories speak by dates, weeks and months alone. */
const MOST_DAYS_EACH = 8;

/**
 * How surely a text that was written on a day refers to any of some days.
 * @param terms of the text, as `daysIn` gives them
 */
function refersTo(terms: readonly string[], written: number, days: readonly number[]): number {
  const all = terms.filter((term) => term !== SAYS_TIME);
  const each = days.length > MOST_DAYS_EACH ? all.filter((term) => !isOfSingleDays(term)) : all;
  return Math.max(0, ...each.flatMap((term) => days.map((day) => surelyMeans(term, written, day, days))));
}

const isOfSingleDays = (term: string): boolean =>
  /^d-?\d+$|^(?:bare|last|coming|next|every) |^\d+\.$/.test(term) ||
  (/^w(-?\d+)~(-?\d+)$/.test(term) && !term.endsWith(`~${Number(/-?\d+/.exec(term)![0]) + 6}`));

/** How surely a term means a day of those that are asked for. */
function surelyMeans(term: string, written: number, day: number, asked: readonly number[]): number {
  const away = Math.round((day - written) / DAY_MS);
  const date = new Date(day);
  const isWhole = (first: number, last: number): boolean => {
    for (let each = first; each <= last; each += DAY_MS) if (!asked.includes(each)) return false;
    return true;
  };
  if (/^d-?\d+$/.test(term)) return away === Number(term.slice(1)) ? 1 : 0;
  const [, from, to] = /^w(-?\d+)~(-?\d+)$/.exec(term) ?? [];
  if (from !== undefined) {
    const [first, last] = [from, to].map((place) => mondayOf(written) + Number(place) * DAY_MS) as [
      number,
      number,
    ];
    if (day < first || day > last) return 0;
    const isEach = Number(to) - Number(from) < 2;
    return isEach || isWhole(first, last) ? (from === to ? 1 : 0.75) : 0;
  }
  const [, which, weekday] = /^(\w+) (\d)$/.exec(term) ?? [];
  if (which !== undefined) return weekdayOf(day) === Number(weekday) ? ofWeekday(which, written, day) : 0;
  const [, every, number] = /^(every )?(\d+)\.$/.exec(term) ?? [];
  if (number !== undefined) {
    const isIn = every === undefined ? away >= -3 && away <= 27 : away >= 0;
    return isIn && date.getUTCDate() === Number(number) ? 0.75 : 0;
  }
  const [, year, month, dayOfMonth] = /^(\d*)-(\d+)(?:-(\d+))?$/.exec(term) ?? [];
  const [, monthsAway] = /^m(-?\d+)$/.exec(term) ?? [];
  const start = new Date(
    monthsAway === undefined
      ? Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1)
      : Date.UTC(new Date(written).getUTCFullYear(), new Date(written).getUTCMonth() + Number(monthsAway), 1),
  );
  if (dayOfMonth !== undefined) {
    const isSame = date.getUTCMonth() + 1 === Number(month) && date.getUTCDate() === Number(dayOfMonth);
    const isNear = year === '' ? away <= 300 && away >= -183 : date.getUTCFullYear() === Number(year);
    return isSame && isNear ? 1 : 0;
  }
  const first = start.getTime();
  const last = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1) - DAY_MS;
  if (day < first || day > last || !isWhole(first, last)) return 0;
  if (monthsAway !== undefined) return 0.75;
  const awayOfMonth = Math.round((first - written) / DAY_MS);
  const isNear =
    year === '' ? awayOfMonth <= 300 && awayOfMonth >= -183 : start.getUTCFullYear() === Number(year);
  return isNear && start.getUTCMonth() + 1 === Number(month) ? 0.75 : 0;
}

function ofWeekday(which: string, written: number, day: number): number {
  const away = Math.round((day - written) / DAY_MS);
  const weeks = Math.round((mondayOf(day) - mondayOf(written)) / DAY_MS / 7);
  if (which === 'bare') return away !== 0 && Math.abs(away) <= 6 ? 0.75 : 0;
  if (which === 'coming') return away >= 0 && away <= 7 ? 0.75 : 0;
  if (which === 'last') return away <= -1 && away >= -7 ? 0.75 : 0;
  if (which === 'every') return away >= 0 ? 0.75 : 0;
  if (weeks === 1) return 0.75;
  return away >= 1 && away <= 13 ? 0.6 : 0;
}

it('what was written in the times of a term is what means the days that are asked for', () => {
  const property = fc.property(
    fc.array(fc.constantFrom(...SPOKEN), { minLength: 1, maxLength: 2 }),
    timeZone,
    moment,
    fc.integer({ min: -70, max: 70 }),
    fc.oneof(fc.nat(9), fc.nat(70)),
    (words, zone, writtenMs, away, length) => {
      const terms = daysIn(words.join('. '));
      const written = calendarOf(zone).dayOf(writtenMs) * DAY_MS;
      const first = written / DAY_MS + away;
      const days = Array.from({ length: length + 1 }, (_, at) => (first + at) * DAY_MS);
      const meant = spokenOf(first, first + length, calendarOf(zone)).filter(
        ({ term, fromMs, toMs }) => terms.includes(term) && fromMs <= writtenMs && writtenMs <= toMs,
      );
      const surely = Math.max(0, ...meant.map((each) => each.surely));
      expect(surely, terms.join(' ')).toBe(refersTo(terms, written, days));
    },
  );
  fc.assert(property, { numRuns: sized(2_000, 100_000) });
});
