/** Days that a text speaks of from when it was written. */

import type { NaiveDay } from './naive-dates.ts';
import { piecesOfPhrase, termOf, wholePlaces } from './naive-words.ts';
import { DAY_MS } from './naive-zone.ts';

/** A text that was written on a day. */
export interface WrittenText {
  /** Midnight of it in UTC. */
  readonly day: Date;
  readonly said: { readonly days: readonly NaiveDay[] };
  frequencyInText(term: string): number;
  hasPhrase(phrase: readonly string[]): boolean;
}

const DAYS_AWAY: Readonly<Record<string, number>> = {
  tomorrow: 1,
  demain: 1,
  morgen: 1,
  yesterday: -1,
  gestern: -1,
  übermorgen: 2,
  uebermorgen: 2,
  vorgestern: -2,
};
const LONGER: Readonly<Record<string, number>> = { 'day after tomorrow': 2, 'day before yesterday': -2 };
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

function saysWeekday(text: WrittenText, day: Date): boolean {
  const away = Math.abs(day.getTime() - text.day.getTime()) / DAY_MS;
  return away > 0 && away < 7 && WEEKDAYS[day.getUTCDay()]!.some((name) => saysWord(text, name));
}

/** 1 where it surely speaks of a day, ½ where it may be another of the same name, 0 where it does not. */
export function speaksOf(text: WrittenText, day: Date): number {
  if (isSaidOf(text, day) || states(text, day)) return 1;
  return saysWeekday(text, day) ? 0.5 : 0;
}
