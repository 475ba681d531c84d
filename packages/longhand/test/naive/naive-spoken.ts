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

/** In the order of `WEEKDAYS`. Words of the same stem are none of them. */
const SHORT = ['sun', 'mon', 'tue tues', 'wed', 'thu thurs', 'fri', 'sat'].map((names) => names.split(' '));
const LIKE_SHORT = 'fries fried wedding weddings wedded weds suns'.split(' ');
const BETWEEN_WEEKDAYS = 'and or und oder et ou morning afternoon evening night'.split(' ');
const NEXT = ['next', 'nächsten'];
const EVERY = ['every', 'each', 'jeden', 'jedes', 'chaque'];

/** Names of a weekday; short ones only where nothing else has their stem. */
function namesIn(text: WrittenText, weekday: number): string[] {
  const isDoubtful = LIKE_SHORT.some((word) => text.words.includes(word));
  return [...WEEKDAYS[weekday]!, ...(isDoubtful ? [] : SHORT[weekday]!)];
}

const saysFull = (text: WrittenText, weekday: number): boolean =>
  WEEKDAYS[weekday]!.some((name) => saysWord(text, name));

/** Whether it has one of some words before one of some names, with any of others between them. */
function saysBehind(
  text: WrittenText,
  words: readonly string[],
  names: readonly string[],
  between: readonly string[],
): boolean {
  const goesOn = (pieces: readonly string[], left: number): boolean =>
    names.some((name) => text.hasPhrase([...pieces, ...piecesOfPhrase(name)])) ||
    (left > 0 &&
      between.some((word) => {
        const longer = [...pieces, ...piecesOfPhrase(word)];
        return text.hasPhrase(longer) && goesOn(longer, left - 1);
      }));
  return words.some((word) => {
    const pieces = piecesOfPhrase(word);
    return text.hasPhrase(pieces) && goesOn(pieces, text.words.length);
  });
}

const BETWEEN = [...WEEKDAYS.flat(), ...SHORT.flat(), ...BETWEEN_WEEKDAYS];

const saysNext = (text: WrittenText, day: Date): boolean =>
  saysBehind(text, NEXT, namesIn(text, day.getUTCDay()), []);

function saysWeekday(text: WrittenText, day: Date): boolean {
  const away = Math.abs(awayOf(text, day));
  if (away === 0 || away > 6 || saysNext(text, day) || statesSameWeekday(text, day)) return false;
  const weekday = day.getUTCDay();
  const isDoubtful = LIKE_SHORT.some((word) => text.words.includes(word));
  const before = 'on this next coming every each by until'.split(' ');
  return saysFull(text, weekday) || (!isDoubtful && saysBehind(text, before, SHORT[weekday]!, BETWEEN));
}

/** "Next Friday": that of the week behind the week of writing, and maybe the next one, or that behind it. */
function saysNextWeekday(text: WrittenText, day: Date, isSurely: boolean): boolean {
  const away = awayOf(text, day);
  const weeksAway = (away + weekdayNumber(text.day) - weekdayNumber(day)) / 7;
  const isMeant = away > 0 && away <= 13 && (!isSurely || weeksAway === 1);
  return isMeant && saysNext(text, day) && !statesSameWeekday(text, day);
}

/** Said on that weekday. */
function saysComingWeekday(text: WrittenText, day: Date): boolean {
  return (
    awayOf(text, day) === 7 &&
    saysBehind(text, ['coming', 'kommenden'], namesIn(text, day.getUTCDay()), []) &&
    !statesSameWeekday(text, day)
  );
}

/** "Every Tuesday and Thursday", "Thursdays", "on weekdays", "jeden Werktag". */
function saysEveryWeekday(text: WrittenText, day: Date): boolean {
  if (awayOf(text, day) <= 0) return false;
  const isOfWeekend = weekdayNumber(day) > 4;
  const several = [
    ...WEEKDAYS[day.getUTCDay()]!.map((name) => `${name}s`),
    ...(isOfWeekend ? ['weekends', 'wochenenden'] : ['weekdays', 'werktags', 'werktagen']),
  ];
  const one = isOfWeekend ? ['weekend', 'Wochenende'] : ['weekday', 'Werktag'];
  return (
    several.some((word) => text.words.includes(word)) ||
    saysBehind(text, EVERY, one, []) ||
    saysBehind(text, EVERY, namesIn(text, day.getUTCDay()), BETWEEN)
  );
}

/** "On the 1st of every month". */
function saysDayOfMonth(text: WrittenText, day: Date): boolean {
  const number = day.getUTCDate();
  const phrases = [
    ...['of every month', 'of each month', 'jeden Monats', 'jedes Monats'].map(
      (behind) => `${number} ${behind}`,
    ),
    ...[`${number} de chaque mois`, `${number} er de chaque mois`, `chaque mois le ${number}`],
    ...['every month on the', 'each month on the', 'monthly on the', 'jeden Monat am', 'monatlich am'].map(
      (before) => `${before} ${number}`,
    ),
  ];
  return awayOf(text, day) > 0 && phrases.some((phrase) => saysPhrase(text, phrase));
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

/** 1 where it surely speaks of one of some days, ¾ where it may be another or is vague, less where that is likely, 0 where it does not. */
export function speaksOf(text: WrittenText, days: readonly Date[]): number {
  const isSure = (day: Date): boolean =>
    isSaidOf(text, day) || states(text, day) || saysPartOfDay(text, day) || saysWeekdayAndNumber(text, day);
  const isLikely = (day: Date): boolean =>
    saysWeekday(text, day) ||
    saysNextWeekday(text, day, true) ||
    saysComingWeekday(text, day) ||
    saysEveryWeekday(text, day) ||
    saysDayOfMonth(text, day) ||
    saysNumber(text, day) ||
    countsTo(text, day);
  // Of a long time only its dates are asked for.
  if (days.length > 8) return days.some((day) => states(text, day)) ? 1 : 0;
  if (days.some(isSure)) return 1;
  if (days.some(isLikely) || speaksOfStretch(text, days)) return 0.75;
  return days.some((day) => saysNextWeekday(text, day, false)) ? 0.6 : 0;
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
