/** What a memory says, read slowly: "What is read of a memory" in docs/scoring.md. */

import type { JsonValue, MemoryEntry } from '../../src/core/records.ts';
import { type NaiveDay, naiveDatesIn, naiveDays, naivePointed, possibleDays } from './naive-dates.ts';
import { naiveNumbered } from './naive-numbered.ts';
import { isMoved, naiveRanges } from './naive-ranges.ts';

export interface NaiveEntry {
  /** A phrase never reaches from one into the next. The last is the date. */
  readonly texts: readonly string[];
  /** The days that it states: the first 16 of each text, and those of its first 16 ranges. */
  readonly days: readonly NaiveDay[];
  /** The numbers of days that it says without their months. */
  readonly numbers: readonly number[];
  readonly author: string;
  readonly holdsQuestion: boolean;
  readonly asks: boolean;
  readonly side: 'user' | 'assistant' | undefined;
}

/** Keys that hold just any text. */
const PLAIN_KEYS =
  `message messages text texts content contents body value values data item items list entry entries role
  speaker name title summary description caption label note notes comment comments detail details id ids key type kind tag
  tags url timestamp metadata meta source memory fact facts conversation decision finding preference`.split(
    /\s+/,
  );
const SIDES = 'user assistant system developer tool function human ai agent bot model'.split(' ');
const USERS = ['user', 'human'];
const ASSISTANTS = ['assistant', 'ai', 'model'];
const MOST_DATES = 16;
const DEEPEST = 32;
const ASKING_SHARE = 0.6;
const TAGS_COUNT = 2;

const WEEKDAY = new Intl.DateTimeFormat('en', { weekday: 'long', timeZone: 'UTC' });
const MONTH = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' });
const inEnglish = (format: Intl.DateTimeFormat, time: Date): string => format.format(time).toLowerCase();

export function naiveDate(time: Date): string {
  const day = `${inEnglish(WEEKDAY, time)} ${time.getUTCDate()} ${inEnglish(MONTH, time)}`;
  return `${day} ${time.getUTCFullYear()}`;
}

/** Weekdays and months of the days that a text names by 2026-01-10 or 1/10/2026; of 10.01.2026, which is one word, the numbers too. */
function datesIn(text: string): string {
  const inNumbers = naiveDatesIn(text).flatMap(({ mark, days }) =>
    days.map((day) =>
      mark === '.' ? naiveDate(day) : `${inEnglish(WEEKDAY, day)} ${inEnglish(MONTH, day)}`,
    ),
  );
  const days = [...text.matchAll(/(?<![0-9])[0-9]{4}-[0-9]{2}-[0-9]{2}(?![0-9])/g)]
    .map(([date]) => new Date(`${date}T00:00:00Z`))
    .filter((time) => !Number.isNaN(time.getTime()))
    .map((time) => `${inEnglish(WEEKDAY, time)} ${inEnglish(MONTH, time)}`);
  const pointed = naivePointed(text).flatMap(({ days, hasYear }) =>
    days.map((day) => (hasYear ? naiveDate(day) : `${day.getUTCDate()} ${inEnglish(MONTH, day)}`)),
  );
  return [...new Set([...inNumbers, ...pointed, ...days])].slice(0, MOST_DATES).join(' ');
}

function firstDays(text: string): NaiveDay[] {
  const ranges = naiveRanges(text);
  const isInRange = ({ from, to }: NaiveDay): boolean =>
    ranges.some((range) => range.from <= from && range.to >= to);
  const inRanges = ranges
    .slice(0, MOST_DATES)
    .flatMap(({ days, ...others }) => days.map((day) => ({ ...others, days: [day], isSure: true })));
  const each = naiveDays(text)
    .filter((day) => !isInRange(day))
    .filter(({ from, to }) => !(/^ (to|au) /.test(text.slice(to)) && isMoved(text.slice(0, from))))
    .flatMap(({ days, ...others }) => days.map((day) => ({ ...others, days: [day] })));
  const nameOf = ({ days, hasYear }: NaiveDay): string => `${days[0]!.toISOString()} ${hasYear}`;
  const first = [...new Set(each.map(nameOf))].slice(0, MOST_DATES);
  return [...inRanges, ...each.filter((day) => first.includes(nameOf(day)))];
}

/** Those that are no part of a date. */
function numbersIn(text: string): number[] {
  const dates = [...naiveRanges(text), ...possibleDays(text)];
  return naiveNumbered(text)
    .slice(0, MOST_DATES)
    .filter(({ to: end }) => !dates.some(({ from, to }) => from < end && end <= to))
    .map(({ day }) => day);
}

function isEmpty(value: JsonValue): boolean {
  return value === '' || value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** The texts of a value, and the keys above them. */
function textsOf(value: JsonValue, depth: number): { key?: string; text?: string }[] {
  if (typeof value === 'string' || typeof value === 'number') return [{ text: String(value) }];
  if (typeof value !== 'object' || value === null || depth >= DEEPEST) return [];
  if (Array.isArray(value)) return value.flatMap((each) => textsOf(each, depth + 1));
  return Object.entries(value).flatMap(([key, each]) => fieldTexts(key, each, depth + 1));
}

function fieldTexts(key: string, value: JsonValue, depth: number): { key?: string; text?: string }[] {
  const isPlain = PLAIN_KEYS.includes(key.toLowerCase()) || isEmpty(value);
  return [...(isPlain ? [] : [{ key }]), ...textsOf(value, depth)];
}

/** The share of the words that stand in sentences with a question mark. */
export function shareOfQuestions(text: string): number {
  const wordsIn = (sentence: string): number => sentence.match(/['0-\uffff]+/g)?.length ?? 0;
  const sentences = text.match(/[^?.!]*[?.!]?/g)!;
  const all = sentences.map((sentence) => wordsIn(sentence.replace('?', ' ')));
  const asked = all.filter((_, at) => sentences[at]!.endsWith('?'));
  const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return sum(all) === 0 ? 0 : sum(asked) / sum(all);
}

/** @param day on which it was written, where it is asked: midnight of that day in UTC */
export function readEntryNaively({ content, type, tags }: MemoryEntry, day: Date): NaiveEntry {
  const isTurn = type === 'conversation';
  const textAt = (key: string): string => (typeof content[key] === 'string' ? content[key] : '');
  const isName = (text: string): boolean => text !== '' && !SIDES.includes(text.toLowerCase());
  const author = [textAt('speaker'), isTurn ? textAt('role') : ''].find(isName) ?? '';
  const fields = Object.entries(content).filter(([key, value]) => {
    const mayBeAuthor = isTurn && (key === 'speaker' || key === 'role') && typeof value === 'string';
    return !mayBeAuthor || (value !== author && isName(value));
  });
  const found = fields.flatMap(([key, value]) => fieldTexts(key, value, 1));
  const keys = [...new Set(found.flatMap(({ key }) => key ?? []))];
  const texts = [...keys, ...found.flatMap(({ text }) => text ?? [])];
  const share = Math.max(
    0,
    ...fields.map(([, value]) => (typeof value === 'string' ? shareOfQuestions(value) : 0)),
  );
  const side = [textAt('speaker'), textAt('role')].map((each) => each.toLowerCase());
  const spoken = SIDES.includes(side[0]!) ? side[0]! : side[1]!;
  const typeWords = type === 'decision' ? ['decision decided'] : isTurn ? [] : [type];
  return {
    texts: [
      ...texts,
      ...texts.map(datesIn),
      ...tags.flatMap((tag) => Array.from({ length: TAGS_COUNT }, () => tag)),
      ...typeWords,
      naiveDate(day),
    ],
    days: texts.flatMap(firstDays),
    numbers: texts.flatMap(numbersIn),
    author,
    holdsQuestion: share > 0,
    asks: share >= ASKING_SHARE,
    side: USERS.includes(spoken) ? 'user' : ASSISTANTS.includes(spoken) ? 'assistant' : undefined,
  };
}
