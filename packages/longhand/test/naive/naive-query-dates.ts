/** The days, months and weekdays that a query names: the end of "What bounds the work" in docs/scoring.md. */

import { type NaiveDay, naiveDatesIn, possibleDays } from './naive-dates.ts';
import { piecesOfPhrase, termOf, wholePlaces } from './naive-words.ts';

interface Placed {
  readonly from: number;
  readonly to: number;
}

const wordsOf = (text: string): string[] =>
  wholePlaces(text).flatMap((place) => place.map(({ word }) => word));

const isInside = (at: number, mentions: readonly Placed[]): boolean =>
  mentions.some(({ from, to }) => from <= at && at < to);

/** With its year a day is one; without it, where a time is spoken of. */
function statedDays(raw: string, mentions: readonly Placed[]): NaiveDay[] {
  return possibleDays(raw).filter(
    ({ from, hasYear, isSure }) => (hasYear && isSure) || isInside(from, mentions),
  );
}

/** "5/14" in a time: either number may be the month. */
function daysWithoutYear(raw: string, mentions: readonly Placed[]): NaiveDay[] {
  return mentions.flatMap(({ from: start, to: end }) => {
    const found = [...raw.slice(start, end).matchAll(/(?<![0-9/])([0-9]{1,2})\/([0-9]{1,2})(?![0-9/])/g)];
    return found.flatMap(({ 0: written, 1: first, 2: second, index }) => {
      // In the year 2000, which has every day that any year has.
      const [date] = naiveDatesIn(`${first}/${second}/2000`);
      const from = start + index;
      const to = from + written.length;
      return date === undefined ? [] : [{ days: date.days, hasYear: false, from, to, isSure: true }];
    });
  });
}

const JOINING = ['to', 'and', 'or', 'until', 'till'];

/** Whether it is one end of some days: "5 to 7 May", "May 5-7". */
function isEnd(raw: string, { from, to }: Placed): boolean {
  const before = raw.slice(0, from).toLowerCase().replace(/the $/, '');
  const behind = raw.slice(to).toLowerCase();
  const joins = [...JOINING, 'bis', 'und', 'au', 'et'].map((word) => ` ${word} `);
  const signs = ['-', '\u2013'].flatMap((sign) => [sign, ` ${sign}`, `${sign} `, ` ${sign} `]);
  const isBehind = [...joins, ...signs].some((join) => {
    return before.endsWith(join) && /[0-9](?:st|nd|rd|th|\.)?$/.test(before.slice(0, -join.length));
  });
  const isBefore = [...JOINING.map((word) => ` ${word} `), ...signs].some((join) => {
    const rest = behind.startsWith(join) ? behind.slice(join.length).replace(/^the /, '') : '';
    return /^[0-9]{1,2}(?![0-9/.:-])/.test(rest);
  });
  return isBehind || isBefore;
}

export interface NaiveWholeDates {
  readonly dates: readonly (NaiveDay & { readonly name: string })[];
  /** The terms of the words that stand in these dates alone. */
  readonly words: ReadonlySet<string>;
  readonly phrases: ReadonlySet<string>;
}

const MOST_DATES = 8;

/** @param quoted words that are meant as they are */
export function naiveWholeDates(
  raw: string,
  mentions: readonly Placed[],
  quoted: ReadonlySet<string>,
): NaiveWholeDates {
  const stated = statedDays(raw, mentions);
  const others = daysWithoutYear(raw, mentions).filter(
    ({ from }) => !stated.some((day) => day.from === from),
  );
  const nameOf = ({ days, hasYear }: NaiveDay): string =>
    days
      .map((day) => `^${hasYear ? day.getUTCFullYear() : 'any'} ${day.getUTCMonth() + 1} ${day.getUTCDate()}`)
      .join(' ');
  const whole = [...stated, ...others]
    .filter(
      (day) => !isEnd(raw, day) && !wordsOf(raw.slice(day.from, day.to)).some((word) => quoted.has(word)),
    )
    .sort((left, right) => left.from - right.from)
    .map((day) => ({ ...day, name: nameOf(day) }));
  const names = [...new Set(whole.map(({ name }) => name))].slice(0, MOST_DATES);
  const kept = whole.filter(({ name }) => names.includes(name));
  const inDates = kept.map(({ from, to }) => raw.slice(from, to));
  const outside = Array.from({ length: raw.length }, (_, at) => (isInside(at, kept) ? ' ' : raw[at]));
  const termsOutside = wordsOf(outside.join('')).map(termOf);
  const words = inDates.flatMap((date) => [...wordsOf(date), ...wordsOf(date.replaceAll('.', ' '))]);
  return {
    dates: names.map((name) => kept.find((day) => day.name === name)!),
    words: new Set(words.map(termOf).filter((term) => !termsOutside.includes(term))),
    phrases: new Set(inDates.map((date) => piecesOfPhrase(date).join(' '))),
  };
}

/** Each as dates write it, short, and in other languages. */
const MONTHS = [
  'january jan / januar jänner jaenner janner janvier',
  'february feb / februar février fevrier',
  'march mar / märz marz maerz',
  'april apr / avril',
  'may / mai',
  'june jun / juni juin',
  'july jul / juli juillet',
  'august aug / août aout',
  'september sep sept / septembre',
  'october oct / oktober octobre',
  'november nov / novembre',
  'december dec / dezember décembre decembre',
];
const WEEKDAYS = [
  'monday mon / montag lundi',
  'tuesday tue tues / dienstag mardi',
  'wednesday wed / mittwoch mercredi',
  'thursday thu thurs / donnerstag jeudi',
  'friday fri / freitag vendredi',
  'saturday sat / samstag sonnabend samedi',
  'sunday sun / sonntag dimanche',
];

interface Name {
  readonly english: string;
  readonly short: readonly string[];
  readonly elsewhere: readonly string[];
}

const namesOf = (rows: readonly string[]): Name[] =>
  rows.map((row) => {
    const [english = '', ...short] = row.split(' / ')[0]!.split(' ');
    return { english, short, elsewhere: row.split(' / ')[1]!.split(' ') };
  });
const MONTH_NAMES = namesOf(MONTHS);
const NAMES = [...MONTH_NAMES, ...namesOf(WEEKDAYS)];
/** Is a planet to those who ask for March. */
const MARS = 'mars';

export interface NaiveNamedDates {
  /** Numbers that are days, and May and March where they are months. */
  readonly named: ReadonlySet<string>;
  /** Term → the other terms by which the dates of memories and texts may have the same. */
  readonly otherNames: ReadonlyMap<string, readonly string[]>;
  /** Terms of weekdays that are said as several only. */
  readonly habits: ReadonlySet<string>;
}

export function naiveNamedDates(raw: string, mentions: readonly Placed[]): NaiveNamedDates {
  const named = new Set<string>();
  const otherNames = new Map<string, readonly string[]>();
  const note = (term: string, { english, elsewhere }: Name): void => {
    const all = new Set([english, ...elsewhere.flatMap(wordsOf)].map(termOf));
    all.delete(term);
    otherNames.set(term, [...all]);
  };
  const noteMonth = (number: number): void => {
    const name = MONTH_NAMES[number - 1];
    if (name === undefined) return;
    named.add(termOf(name.english));
    note(String(number), name);
  };
  for (const { from, to } of mentions) {
    const mention = raw.slice(from, to);
    for (const number of daysIn(mention)) named.add(number);
    for (const [, month] of mention.matchAll(/(?<![0-9/])([0-9]{1,2})\/[0-9]{4}(?![0-9])/g))
      noteMonth(Number(month));
    for (const word of wordsOf(mention)) {
      const name = NAMES.find(
        ({ english, short, elsewhere }) =>
          short.includes(word) ||
          elsewhere.flatMap(wordsOf).includes(word) ||
          (word === MARS && english === 'march'),
      );
      if (name === undefined) continue;
      named.add(termOf(name.english));
      note(termOf(word), name);
    }
  }
  for (const name of NAMES.filter(({ english }) => english !== 'may' && english !== 'march')) {
    if (new RegExp(`\\b${name.english}s?\\b`, 'i').test(raw)) note(termOf(name.english), name);
  }
  const inNumbers = [...naiveDatesIn(raw), ...daysWithoutYear(raw, mentions)].flatMap(({ days }) => days);
  for (const day of inNumbers) noteMonth(day.getUTCMonth() + 1);
  for (const [, , month] of raw.matchAll(/(?<![0-9])[0-9]{4}([-/])([0-9]{1,2})\1[0-9]{1,2}(?![0-9])/g))
    noteMonth(Number(month));
  const stated = [...inNumbers, ...statedDays(raw, mentions).flatMap(({ days }) => days)];
  for (const day of stated) named.add(String(day.getUTCDate()));
  for (const { 0: typed, index } of raw.matchAll(/\b(?:may|march)\b/gi)) {
    const word = typed.toLowerCase();
    // Whoever writes with capital letters gives a month one.
    const isWritten = typed !== word || raw === raw.toLowerCase();
    if (!isInside(index, mentions) && !(isWritten && (word === 'march' || !hasVerbMay(raw)))) continue;
    named.add(word);
    note(word, MONTH_NAMES.find(({ english }) => english === word)!);
  }
  const weekdays = 'monday tuesday wednesday thursday friday saturday sunday'.split(' ');
  const isSaid = (word: string): boolean => new RegExp(`\\b${word}\\b`, 'i').test(raw);
  const habits = weekdays.filter((weekday) => isSaid(`${weekday}s`) && !isSaid(weekday));
  return { named, otherNames, habits: new Set(habits.map(termOf)) };
}

/** The numbers of a time that may be days: it has the name of a month, a number in order, or a date of ISO 8601. */
function daysIn(mention: string): string[] {
  const isOfMonth = MONTH_NAMES.some(({ english, short }) =>
    [english, ...short].some((name) => new RegExp(`\\b${name}\\b`, 'i').test(mention)),
  );
  const isOrdinal = /[0-9](?:st|nd|rd|th)\b/i.test(mention);
  const isIso = /[0-9]{4}[-/][0-9]{1,2}[-/][0-9]/.test(mention);
  if (!isOfMonth && !isOrdinal && !isIso) return [];
  // Not the month of 2026-05-14, no year, and no time of the day.
  const rest = mention.replace(/\b[0-9]{4}[-/][0-9]{1,2}(?![0-9])/g, ' ');
  const found = rest.matchAll(/(?<![0-9:.])([0-9]{1,2})(?:st|nd|rd|th)?(?![\p{L}\p{N}_]|:[0-9])/gu);
  return Array.from(found, ([, number]) => String(Number(number)));
}

const PERSONS = 'i we you he she it they there this that'.split(' ');
const BEHIND_VERB = [...PERSONS, ...'be have not also the a an'.split(' ')];

/** "May I", "who may", "may be", "may 5 people": nobody speaks so of a month. */
function hasVerbMay(raw: string): boolean {
  const pieces = raw.toLowerCase().split(/\s+/);
  return pieces.some((piece, at) => {
    const lastWord = /(?:^|[^\p{L}\p{N}_])([a-z]+)$/u.exec(pieces[at - 1] ?? '')?.[1] ?? '';
    const next = /^[a-z0-9]+(?![a-z0-9_])/.exec(pieces[at + 1] ?? '')?.[0] ?? '';
    const afterNext =
      pieces[at + 1] === next ? (/^[a-z]+(?![a-z0-9_])/.exec(pieces[at + 2] ?? '')?.[0] ?? '') : '';
    const isCount = /^[0-9]+$/.test(next) && /^(?:be|have|people|[a-z]{3,}s)$/.test(afterNext);
    const isBehind =
      /^may(?![a-z0-9_])/.test(piece) && [...PERSONS, 'who', 'what', 'which'].includes(lastWord);
    const isBefore = /(?:^|[^a-z0-9_])may$/.test(piece) && (BEHIND_VERB.includes(next) || isCount);
    return isBehind || isBefore;
  });
}
