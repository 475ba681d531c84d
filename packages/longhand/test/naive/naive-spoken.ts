/** Days that a text speaks of from when it was written. */

import type { NaiveDay } from './naive-dates.ts';
import { piecesOfPhrase, termOf, wholePlaces } from './naive-words.ts';
import { DAY_MS } from './naive-zone.ts';

/** A text that was written on a day. */
export interface WrittenText {
  /** Midnight of it in UTC. */
  readonly day: Date;
  readonly said: { readonly days: readonly NaiveDay[]; readonly numbers: readonly number[] };
  /** As they were written. */
  readonly words: readonly string[];
  frequencyInText(term: string): number;
  hasPhrase(phrase: readonly string[]): boolean;
}

const DAYS_AWAY: Readonly<Record<string, number>> = {
  today: 0,
  tonight: 0,
  heute: 0,
  tomorrow: 1,
  demain: 1,
  morgen: 1,
  yesterday: -1,
  gestern: -1,
  übermorgen: 2,
  uebermorgen: 2,
  vorgestern: -2,
};
const LONGER: Readonly<Record<string, number>> = {
  'day after tomorrow': 2,
  'day before yesterday': -2,
  'après-demain': 2,
};
const BEFORE_A_MORNING = ['guten', 'heute', 'gestern', 'am', 'jeden', 'diesen', 'der', 'den', 'dem'];

const WEEKDAYS = [
  'sunday sonntag dimanche',
  'monday montag lundi',
  'tuesday dienstag mardi',
  'wednesday mittwoch mercredi',
  'thursday donnerstag jeudi',
  'friday freitag vendredi',
  'saturday samstag sonnabend samedi',
].map((names) => names.split(' '));

const saysWord = (text: WrittenText, typed: string): boolean =>
  wholePlaces(typed)
    .flat()
    .some(({ word }) => text.frequencyInText(termOf(word)) > 0);

const saysPhrase = (text: WrittenText, phrase: string): boolean => text.hasPhrase(piecesOfPhrase(phrase));

/** How many days a word is away, in this text; `undefined` where it is no day. */
function daysAway(text: WrittenText, word: string): number | undefined {
  if (word === 'morgen' && BEFORE_A_MORNING.some((before) => saysPhrase(text, `${before} morgen`)))
    return undefined;
  const longer = Object.keys(LONGER).find((phrase) => phrase.endsWith(word) && saysPhrase(text, phrase));
  return longer === undefined ? DAYS_AWAY[word] : LONGER[longer];
}

/** Whether it says "tomorrow" on the day before a day, and the like. */
export function isSaidOf(text: WrittenText, day: Date): boolean {
  const away = (day.getTime() - text.day.getTime()) / DAY_MS;
  return Object.keys(DAYS_AWAY).some((word) => saysWord(text, word) && daysAway(text, word) === away);
}

function states(text: WrittenText, day: Date): boolean {
  const away = Math.abs(day.getTime() - text.day.getTime()) / DAY_MS;
  return text.said.days.some(({ days: [stated], hasYear }) => {
    const isDay = stated!.getUTCMonth() === day.getUTCMonth() && stated!.getUTCDate() === day.getUTCDate();
    return isDay && (hasYear ? stated!.getUTCFullYear() === day.getUTCFullYear() : away <= 183);
  });
}

/** How far the day is from that of writing, in days. */
const awayOf = (text: WrittenText, day: Date): number => (day.getTime() - text.day.getTime()) / DAY_MS;

/** Whether it states another day of that weekday, within half a year of the asked one. */
const statesSameWeekday = (text: WrittenText, day: Date): boolean =>
  Array.from({ length: 26 }, (_, at) => (at + 1) * 7 * DAY_MS).some((away) =>
    [day.getTime() - away, day.getTime() + away].some((other) => states(text, new Date(other))),
  );

function saysWeekday(text: WrittenText, day: Date): boolean {
  const away = Math.abs(awayOf(text, day));
  return (
    away > 0 &&
    away < 7 &&
    WEEKDAYS[day.getUTCDay()]!.some((name) => saysWord(text, name)) &&
    !statesSameWeekday(text, day)
  );
}

/** Whether it says a word before the weekday of a day. */
const saysBeforeWeekday = (text: WrittenText, day: Date, words: readonly string[]): boolean =>
  WEEKDAYS[day.getUTCDay()]!.some((name) => words.some((word) => saysPhrase(text, `${word} ${name}`)));

function saysNextWeekday(text: WrittenText, day: Date): boolean {
  const away = awayOf(text, day);
  return (
    away >= 7 &&
    away <= 13 &&
    saysBeforeWeekday(text, day, ['next', 'nächsten', 'kommenden']) &&
    !statesSameWeekday(text, day)
  );
}

function saysEveryWeekday(text: WrittenText, day: Date): boolean {
  return awayOf(text, day) > 0 && saysBeforeWeekday(text, day, ['every', 'each', 'jeden', 'chaque']);
}

/** "Friday the 18th". */
function saysWeekdayAndNumber(text: WrittenText, day: Date): boolean {
  const away = Math.abs(awayOf(text, day));
  return (
    away > 0 &&
    away < 28 &&
    WEEKDAYS[day.getUTCDay()]!.some((name) =>
      ['', 'the', 'den', 'dem', 'le'].some((word) => saysPhrase(text, `${name} ${word} ${day.getUTCDate()}`)),
    )
  );
}

/** "On the 18th", from 27 days before that day to 3 behind it. */
function saysNumber(text: WrittenText, day: Date): boolean {
  const away = awayOf(text, day);
  return away >= -3 && away <= 27 && text.said.numbers.includes(day.getUTCDate());
}

/** Monday is 0. */
const weekdayNumber = (day: Date): number => (day.getUTCDay() + 6) % 7;

/** The days of the calendar week that is so many weeks from that of writing, each so many days from its Monday. */
const STRETCHES: readonly { phrases: readonly string[]; weeks: number; first: number; last: number }[] = [
  { phrases: ['this weekend', 'dieses Wochenende', 'ce weekend'], weeks: 0, first: 5, last: 6 },
  {
    phrases: [
      'next weekend',
      'nächstes Wochenende',
      'prochain weekend',
      'weekend prochain',
      'week-end prochain',
    ],
    weeks: 1,
    first: 5,
    last: 6,
  },
  {
    phrases: ['last weekend', 'letztes Wochenende', 'dernier weekend', 'weekend dernier', 'week-end dernier'],
    weeks: -1,
    first: 5,
    last: 6,
  },
  { phrases: ['next week', 'nächste Woche', 'semaine prochaine'], weeks: 1, first: 0, last: 6 },
  { phrases: ['last week', 'letzte Woche', 'semaine dernière'], weeks: -1, first: 0, last: 6 },
];

/** Whether it speaks of a weekend that touches some days, or of a week that lies in them. */
function speaksOfStretch(text: WrittenText, days: readonly Date[]): boolean {
  return STRETCHES.some(({ phrases, weeks, first, last }) => {
    const mondayAway = weeks * 7 - weekdayNumber(text.day);
    const asked = days.map((day) => awayOf(text, day));
    const spoken = Array.from({ length: last - first + 1 }, (_, at) => mondayAway + first + at);
    const isMeant =
      spoken.length > 2
        ? spoken.every((away) => asked.includes(away))
        : spoken.some((away) => asked.includes(away));
    return isMeant && phrases.some((phrase) => saysPhrase(text, phrase));
  });
}

/** What stands for a number of days or weeks, from one on. */
const COUNTS = [
  'in a day/in one day/in einem Tag/in einer Tag/dans un jour/dans une jour',
  'in 2 days/in two days/in 2 Tagen/in zwei Tagen/dans 2 jours/dans deux jours',
  'in 3 days/in three days/in 3 Tagen/in drei Tagen/dans 3 jours/dans trois jours',
  'in 4 days/in four days/in 4 Tagen/in vier Tagen/dans 4 jours/dans quatre jours',
  'in 5 days/in five days/in 5 Tagen/in fünf Tagen/dans 5 jours/dans cinq jours',
  'in 6 days/in six days/in 6 Tagen/in sechs Tagen/dans 6 jours/dans six jours',
].map((phrases) => phrases.split('/'));
const inWeeks = (phrase: string): string =>
  phrase
    .replace(/days?$/, 'weeks')
    .replace(/Tagen$/, 'Wochen')
    .replace(/Tag$/, 'Woche')
    .replace(/jours?$/, 'semaines');

/** "In two weeks", "in 3 days", "dans une semaine". */
function countsTo(text: WrittenText, day: Date): boolean {
  const away = awayOf(text, day);
  return COUNTS.some((phrases, at) =>
    phrases.some(
      (phrase) =>
        (away === at + 1 && saysPhrase(text, phrase)) ||
        (away === (at + 1) * 7 && saysPhrase(text, inWeeks(phrase))),
    ),
  );
}

/** "This morning", "last night", and "avant-hier", which is no place in German. */
function saysPartOfDay(text: WrittenText, day: Date): boolean {
  const phrases: Readonly<Record<number, readonly string[]>> = {
    0: ['this morning', 'this afternoon', 'this evening', 'ce matin', 'cet après-midi', 'ce soir'],
    [-1]: ['last night', 'hier soir'],
    [-2]: ['avant-hier'],
  };
  // What has the stem of "evening" may be "even".
  const isEven = (phrase: string): boolean => phrase === 'this evening' && !text.words.includes('evening');
  return (phrases[awayOf(text, day)] ?? []).some((phrase) => saysPhrase(text, phrase) && !isEven(phrase));
}

/** 1 where it surely speaks of one of some days, ¾ where it may be another or is vague, 0 where it does not. */
export function speaksOf(text: WrittenText, days: readonly Date[]): number {
  const isSure = (day: Date): boolean =>
    isSaidOf(text, day) || states(text, day) || saysPartOfDay(text, day) || saysWeekdayAndNumber(text, day);
  const isLikely = (day: Date): boolean =>
    saysWeekday(text, day) ||
    saysNextWeekday(text, day) ||
    saysEveryWeekday(text, day) ||
    saysNumber(text, day) ||
    countsTo(text, day);
  // Of a long time only its dates are asked for.
  if (days.length > 8) return days.some((day) => states(text, day)) ? 1 : 0;
  if (days.some(isSure)) return 1;
  return days.some(isLikely) || speaksOfStretch(text, days) ? 0.75 : 0;
}

const TIME_WORDS = `today tonight tomorrow yesterday ago last next week weekend month year pm
  heute morgen gestern vorgestern woche wochenende monat uhr demain semaine mois`.split(/\s+/);
/** All but May, and no planet. */
const MONTHS =
  `january januar jänner jaenner janvier february februar février march märz maerz april avril june juni juin
  july juli juillet august août september septembre october oktober octobre november novembre
  december dezember décembre`.split(/\s+/);

/** Whether it says any time. */
export function saysTime(text: WrittenText): boolean {
  return [...TIME_WORDS, ...MONTHS, ...WEEKDAYS.flat()].some((word) => saysWord(text, word));
}
