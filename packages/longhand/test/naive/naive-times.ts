/** The times that a question speaks of. */

import { Calendar } from '../../src/recall/time/calendar.ts';
import { askedTimes } from '../../src/recall/time-alone.ts';
import { wholePlaces } from './naive-words.ts';
import type { NaiveZone } from './naive-zone.ts';

export interface NaiveMention {
  readonly startMs: number;
  readonly endMs: number;
  /** Half as close for each of these outside. */
  readonly softnessMs: number;
  /** Where it stands in the question. */
  readonly from: number;
  readonly to: number;
  /** Whether it is to come. */
  readonly isAhead: boolean;
  /** Whether it has a name or number in the calendar, and is not only counted from now. */
  readonly isDate: boolean;
}

export interface NaiveTimes {
  readonly mentions: readonly NaiveMention[];
  /** Whether nothing else is asked for. */
  readonly isAlone: boolean;
  /** Whether it is asked for what is to come. */
  readonly isOfPlans: boolean;
}

export type ReadTimes = (text: string, nowMs: number, zone: NaiveZone) => NaiveTimes;

const NAMES =
  `january jan januar jänner jaenner janner janvier february feb februar février fevrier march mar märz marz maerz mars
  april apr avril may mai june jun juni juin july jul juli juillet august aug août aout september sep sept septembre
  october oct oktober octobre november nov novembre december dec dezember décembre decembre`.split(/\s+/);
const HOLIDAYS = 'christmas xmas new halloween boxing valentine valentines'.split(' ');
const WEEKDAYS =
  `monday mon montag lundi tuesday tue tues dienstag mardi wednesday wed mittwoch mercredi thursday thu thurs donnerstag jeudi
  friday fri freitag vendredi saturday sat samstag sonnabend samedi sunday sun sonntag dimanche`.split(/\s+/);

const wordsOf = (mention: string): string[] =>
  wholePlaces(mention).flatMap((place) => place.map(({ word }) => word));

export const namesWeekday = (mention: string): boolean =>
  wordsOf(mention).some((word) => WEEKDAYS.includes(word));

export const namesHoliday = (mention: string): boolean =>
  wordsOf(mention).some((word) => HOLIDAYS.includes(word));

/** Whether a time is a date: it has the name of a month or holiday, a year, a quarter, or is a day in numbers or a bare weekday. */
export function namesDate(mention: string, isPlaced = false): boolean {
  const words = wordsOf(mention);
  const isOfDate = (word: string): boolean =>
    [...NAMES, ...HOLIDAYS].includes(word) || /^([0-9]{4}|[qh][0-9])$/.test(word);
  const isBareWeekday = words.length === 1 && namesWeekday(mention) && !isPlaced;
  return isBareWeekday || words.some(isOfDate) || /[0-9]\/[0-9]|[0-9]\.[0-9]{1,2}\./.test(mention);
}

/** By the grammar of `src/recall/time`, which has examples and a model of its own; the clocks of the zone are naive ones. */
export const readTimes: ReadTimes = (text, nowMs, zone) => {
  const toWall = (ms: number): number => zone.wallOf(ms);
  const fromWall = (wallMs: number): number => zone.momentOf(wallMs);
  const { mentions, isAlone, isOfPlans } = askedTimes(text, nowMs, new Calendar({ toWall, fromWall }));
  return {
    mentions: mentions.map(({ startMs, endMs, softnessMs, from, to, isAhead = false }) => {
      const isPlaced =
        /(?:^|[^\p{L}\p{N}'_])(?:for|am|diesen) $/iu.test(text.slice(0, from)) ||
        (isOfPlans && text.slice(to).replace(/[\s?.!]/g, '') === '');
      const isDate = namesDate(text.slice(from, to), isPlaced);
      return { startMs, endMs, softnessMs, from, to, isAhead, isDate };
    }),
    isAlone,
    isOfPlans,
  };
};
