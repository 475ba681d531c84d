/**
 * What a memory says, for the index: its texts, its author, and whether it asks or tells.
 *
 * The content of a memory is free JSON. Every text and number in it is searchable, wherever it stands, and so are
 * the keys that say what a value is about; only the speaker of a turn is kept apart, because a name says *who* and
 * not *what*. Tags and the type are searchable words too, and so is the date: "in May" must find what was said in May.
 */

import { lazily } from '../core/lazily.ts';
import { type JsonValue, MEMORY_TYPES, type MemoryEntry, type MemoryType } from '../core/records.ts';
import { keyText } from './key-text.ts';
import { dayTerm, numberedDayTerm } from './term-names.ts';
import { DAY } from './time/calendar.ts';
import { numberedDays } from './time/numbered-days.ts';
import { type DayOfYear, writtenDates } from './time/numeric-dates.ts';
import { holding, type Place } from './time/places.ts';
import { mayStateDay, pointedDates, statedDates } from './time/stated-dates.ts';
import { isMovedAway, type StatedRange, statedRanges } from './time/stated-ranges.ts';
import { LONG_MEMORY_WORDS, TAG_WEIGHT } from './weights.ts';
import { termOf } from './words.ts';

/** The bits of a document's `kind`, one byte: the type, and what the conversation needs to know of a turn. */
export const KIND_TYPE_MASK = 0b11;
/** More than half of its words stand in questions. */
export const KIND_ASKS = 0b100;
/** At least one question is in it, so that what comes next may be an answer. */
export const KIND_HOLDS_QUESTION = 0b1000;
export const KIND_BY_USER = 0b1_0000;
export const KIND_BY_ASSISTANT = 0b10_0000;
/** The two highest bits: how many times eightfold it is as long as a memory that counts as long, 0 to 3. */
export const KIND_LENGTH_SHIFT = 6;

/** From this share of its words on, a turn counts as asking: a greeting before a question tells nothing. */
const ASKING_SHARE = 0.6;

/** Content deeper than this is data; its texts are left out rather than recursed into without end. */
const MAX_DEPTH = 32;

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];

/** Roles say which side spoke; they are no names, and a question about "the user table" names nobody. */
const ROLES = new Set([
  'user',
  'assistant',
  'system',
  'developer',
  'tool',
  'function',
  'human',
  'ai',
  'agent',
  'bot',
  'model',
]);

/** A memory with more dates than this is a table, and its days are no subject. */
const MAX_DATES = 16;

export interface EntryText {
  /** Independent pieces of text: a phrase never reaches from one into the next. */
  readonly texts: readonly string[];
  /** The terms of the days that it states (`dayTerm`). */
  readonly days: ReadonlySet<string>;
  /** Who spoke, as given; empty when nobody is named. */
  readonly author: string;
  /** The bits above. */
  readonly kind: number;
}

/** What people say of memories of a type, where its name is not of the same stem. */
const TYPE_WORDS: Readonly<Record<MemoryType, string>> = {
  conversation: 'conversation',
  decision: 'decision decided',
  finding: 'finding',
  preference: 'preference',
};

/** Whether a word can be part of a date: the name of a month or a day, or a number. */
export function isDateWord(word: string): boolean {
  const code = word.charCodeAt(0);
  return (code >= 48 && code <= 57) || isNameInDate(word);
}

/** Whether a date has a word as it is: "sunday", and not "sundays". */
export function isNameInDate(word: string): boolean {
  return MONTHS.includes(word) || WEEKDAYS.includes(word);
}

/** Year, month, weekday and day of a moment in UTC, as people write them; none for an invalid time. */
export function dateText(timestampMs: number): string {
  const date = new Date(timestampMs);
  if (Number.isNaN(date.getTime())) return '';
  const weekday = WEEKDAYS[date.getUTCDay()] ?? '';
  const month = MONTHS[date.getUTCMonth()] ?? '';
  return `${weekday} ${date.getUTCDate()} ${month} ${date.getUTCFullYear()}`;
}

/** The terms of that text, in its order. */
export function dateTerms(timestampMs: number): ReadonlySet<string> {
  return new Set(dateText(timestampMs).split(' ').map(termOf));
}

export type IsOfDate = (date: Date) => boolean;

const monthTerms = lazily(() => MONTHS.map(termOf));
const weekdayTerms = lazily(() => WEEKDAYS.map(termOf));

/** @param number 1 for January; `undefined` for none */
export const monthTerm = (number: number): string | undefined => monthTerms()[number - 1];

/** @param number 0 for Monday */
export const weekdayTerm = (number: number): string => weekdayTerms()[(number + 1) % WEEKDAYS.length]!;

/** Of a term that a date may hold: whether the day of UTC does that a moment lies in. `undefined` for all others. */
export function dateHolding(term: string): IsOfDate | undefined {
  if (/^(?:[1-9]|[12]\d|3[01])$/.test(term)) return (date) => date.getUTCDate() === Number(term);
  if (/^\d{4}$/.test(term)) return (date) => date.getUTCFullYear() === Number(term);
  const month = monthTerms().indexOf(term);
  if (month !== -1) return (date) => date.getUTCMonth() === month;
  const weekday = weekdayTerms().indexOf(term);
  return weekday === -1 ? undefined : (date) => date.getUTCDay() === weekday;
}

/** The texts of a content as they are found, each key once: the columns of a table are one subject. */
class ContentTexts {
  readonly texts: string[] = [];
  #keys: Set<string> | undefined;

  addField(key: string, value: JsonValue, depth: number): void {
    const text = isEmpty(value) ? '' : keyText(key);
    if (text !== '' && this.#keys?.has(text) !== true) {
      this.#keys ??= new Set();
      this.#keys.add(text);
      this.texts.push(text);
    }
    this.#addValue(value, depth);
  }

  #addValue(value: JsonValue, depth: number): void {
    if (typeof value === 'string') {
      if (value !== '') this.texts.push(value);
    } else if (typeof value === 'number') this.texts.push(String(value));
    else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
      if (Array.isArray(value)) for (const part of value) this.#addValue(part, depth + 1);
      else for (const [key, part] of Object.entries(value)) this.addField(key, part, depth + 1);
    }
  }
}

/** A field that was left empty says nothing. One that is `false` does: it answers the question. */
function isEmpty(value: JsonValue): boolean {
  if (typeof value !== 'object') return value === '';
  return value === null || Object.keys(value).length === 0;
}

/** Most texts hold none, and most not even a number. */
const DIGIT = /\d/;
const MAY_HOLD_DATE = /\d[./-]\d\d?[./-]/;

/**
 * Weekdays and months of the dates in a text (2026-01-10, 1/10/2026), whose numbers are words already; of 10.01.2026, which is
 * one word, the numbers too, and of 10.01. what it has of them. Where the day may be the month, both are meant.
 */
function datesIn(text: string): string {
  const days = new Set<string>();
  for (const { mark, year, readings } of writtenDates(text)) {
    for (const { month, day } of readings) {
      if (days.size === MAX_DATES) break;
      const words = dateText(Date.UTC(year, month, day));
      days.add(mark === '.' ? words : words.replaceAll(/ \d+/g, ''));
    }
  }
  for (const { year, readings } of pointedDates(text)) {
    const [{ month, day }] = readings as [DayOfYear];
    if (days.size === MAX_DATES) break;
    days.add(year === undefined ? `${day} ${MONTHS[month]}` : dateText(Date.UTC(year, month, day)));
  }
  for (let at = text.indexOf('-'); at !== -1 && days.size < MAX_DATES; at = text.indexOf('-', at + 1)) {
    const [date] = /^\d{4}-\d\d-\d\d(?!\d)/.exec(text.slice(at - 4, at + 7)) ?? [];
    if (date === undefined || (at > 4 && /\d/.test(text[at - 5]!))) continue;
    const time = new Date(`${date}T00:00:00Z`);
    if (Number.isNaN(time.getTime())) continue;
    days.add(`${WEEKDAYS[time.getUTCDay()]} ${MONTHS[time.getUTCMonth()]}`);
  }
  return [...days].join(' ');
}

const NO_DAYS: ReadonlySet<string> = new Set();

/** The terms of the days that texts state, of each the first. */
function daysIn(texts: readonly string[]): ReadonlySet<string> {
  let terms: Set<string> | undefined;
  for (const text of texts) {
    const numbered = numberedDays(text);
    const isDated = mayStateDay(text);
    if (!isDated && numbered.length === 0) continue;
    terms ??= new Set();
    const taken = isDated ? addDates(text, terms) : [];
    for (const { to, day } of numbered.slice(0, MAX_DATES))
      if (!taken.some((date) => date.from < to && to <= date.to)) terms.add(numberedDayTerm(day));
  }
  return terms ?? NO_DAYS;
}

/** Puts in those of dates and ranges, and says where these stand. */
function addDates(text: string, terms: Set<string>): readonly Place[] {
  const ranges = statedRanges(text);
  for (const range of ranges.slice(0, MAX_DATES)) addRange(range, terms);
  const days = new Set<string>();
  const dates = statedDates(text);
  const isEnd = holding(ranges);
  for (const date of dates) {
    // Its ends are days of the range, and one of them may have the year of both.
    if (!date.isSure || isEnd(date) || isMovedAway(text, date)) continue;
    const { year, readings } = date;
    for (const { month, day } of readings) {
      const term = dayTerm(year ?? 'unsaid', month, day);
      if (days.size === MAX_DATES && !days.has(term)) continue;
      days.add(term);
      terms.add(term).add(dayTerm('any', month, day));
    }
  }
  return [...ranges, ...dates];
}

function addRange({ firstDay, lastDay, hasYear }: StatedRange, terms: Set<string>): void {
  for (let number = firstDay; number <= lastDay; number++) {
    const date = new Date(number * DAY);
    const [month, day] = [date.getUTCMonth(), date.getUTCDate()];
    terms
      .add(dayTerm(hasYear ? date.getUTCFullYear() : 'unsaid', month, day))
      .add(dayTerm('any', month, day));
  }
}

/** The share of words in sentences that end with a question mark, 0 to 1. */
export function questionShare(text: string): number {
  if (!text.includes('?')) return 0;
  let words = 0;
  let asked = 0;
  let inSentence = 0;
  let isInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const isEnd = code === 63 || code === 46 || code === 33;
    if (isEnd) {
      if (code === 63) asked += inSentence;
      words += inSentence;
      inSentence = 0;
    }
    const isSeparator = isEnd || code <= 38 || (code >= 40 && code <= 47);
    if (!isSeparator && !isInWord) inSentence++;
    isInWord = !isSeparator;
  }
  words += inSentence;
  return words === 0 ? 0 : asked / words;
}

function isName(speaker: string): boolean {
  return speaker !== '' && !ROLES.has(speaker.toLowerCase());
}

/** Reads a memory for the index. */
export function readEntry(entry: MemoryEntry): EntryText {
  const { content } = entry;
  const isTurn = entry.type === 'conversation';
  const speaker = typeof content.speaker === 'string' ? content.speaker : '';
  const role = typeof content.role === 'string' ? content.role : '';
  const side = (ROLES.has(speaker.toLowerCase()) ? speaker : role).toLowerCase();
  // Only a turn was said by somebody: the role in a finding about a designer is what the finding says.
  const author = isName(speaker) ? speaker : isTurn && isName(role) ? role : '';

  const said = new ContentTexts();
  let share = 0;
  for (const key of Object.keys(content)) {
    const value = content[key] ?? null;
    if (isTurn && (key === 'speaker' || key === 'role')) {
      if (typeof value === 'string' && (value === author || !isName(value))) continue;
    }
    if (typeof value === 'string') share = Math.max(share, questionShare(value));
    said.addField(key, value, 1);
  }
  const { texts } = said;
  const numbered = texts.filter((text) => DIGIT.test(text));
  const days = numbered.length === 0 ? NO_DAYS : daysIn(numbered);
  for (const text of numbered) {
    const dates = MAY_HOLD_DATE.test(text) ? datesIn(text) : '';
    if (dates !== '') texts.push(dates);
  }
  for (const tag of entry.tags) for (let time = 0; time < TAG_WEIGHT; time++) texts.push(tag);
  if (!isTurn) texts.push(TYPE_WORDS[entry.type]);

  let kind = MEMORY_TYPES.indexOf(entry.type) & KIND_TYPE_MASK;
  if (share > 0) kind |= KIND_HOLDS_QUESTION;
  if (share >= ASKING_SHARE) kind |= KIND_ASKS;
  if (side === 'user' || side === 'human') kind |= KIND_BY_USER;
  if (side === 'assistant' || side === 'ai' || side === 'model') kind |= KIND_BY_ASSISTANT;
  return { texts, days, author, kind };
}

/** The kind of a memory with so many words, stopwords left out. */
export function kindOfLength(kind: number, length: number): number {
  let times = 0;
  for (let words = LONG_MEMORY_WORDS; times < 3 && length >= words; words *= 8) times++;
  return kind | (times << KIND_LENGTH_SHIFT);
}
