/**
 * Questions that name a time and nothing else: "What happened yesterday?", "What did we talk about last week?".
 *
 * No word of theirs stands in the answer, so it is not words that find it: whatever is of that time is what was asked
 * for, and the nearer to it, the better it matches. A date ("on June 16", "last May", "Q3", "at Christmas") is another
 * matter: it is among the words of a memory, of those too that only speak of it.
 *
 * So it is where there are other words that no memory holds: "What did we ship yesterday?" is answered by what was yesterday, if
 * nobody wrote of ships.
 *
 * Nothing was written in a time to come ("What is tomorrow?"): what speaks of it answers, and where nothing does, its words and
 * its date are looked for in the texts.
 */

import { asksWhen, HAPPENING, isOfPlans, MAY_ASK_WHEN, PLANNED, SAYING } from './asking-words.ts';
import type { PartFilter } from './filter.ts';
import { functionWordsOf, isGermanOrFrench } from './function-words.ts';
import type { MatchTerm } from './match.ts';
import type { Part } from './part.ts';
import type { RecallIndex } from './recall-index.ts';
import { type AskedDays, MAX_STATED_DAYS } from './spoken-days.ts';
import { isStopword } from './stopwords.ts';
import type { MatchParts } from './strength.ts';
import { DAY } from './time/calendar.ts';
import { GLOSSARY } from './time/glossary.ts';
import type { DayOfYear } from './time/numeric-dates.ts';
import { HOLIDAY_WORDS, MONTHS, STEPS, THIRDS, WEEKDAYS } from './time/vocabulary.ts';
import type { TimeCloseness } from './time-closeness.ts';
import { type Calendar, findTimeMentions, type TimeMention } from './time-expression.ts';
import { NEAR_IN_TIME } from './weights.ts';
import type { WholeDate } from './whole-dates.ts';
import { isHeld } from './word-terms.ts';
import { termOf, wholeWordsOf } from './words.ts';

/** What is said around a time by those who ask what was then. */
const ASKING = new Set([
  ...HAPPENING,
  ...SAYING,
  ...PLANNED,
  ...`occur occurred going go goes went gone new news latest recent recently
  discussion discussions conversation conversations session sessions
  recall recap summarise summarize summary show list give find look
  gemacht getan besprochen beschlossen entschieden gesagt gewesen los neues
  fait dit passe parle nouveau s'est qu'est c'etait j'ai
  memory memories note noted noting learn learned learnt write wrote written add added`.split(/\s+/),
]);
/** "5/14", "14.05.2026". */
const DAY_IN_NUMBERS = /\d\/\d|\d\.\d{1,2}\./;
/** "16 to 20 November", and neither "November" nor "Q3 2026". */
const DAY_OF_MONTH = /(?<!\w)\d{1,2}(?!\d)/;
const YEAR_OR_QUARTER = /^(\d{4}|[qh]\d)$/;
/** Milliseconds: a time to come has hard edges. */
const AHEAD_SOFTNESS = 1;
/** Quotes and stars are about words. */
const IS_ABOUT_WORDS = /["\u201c\u201d*]/;

/** A time that a question speaks of. */
export interface AskedMention extends TimeMention {
  /** Where it is to come: what is of it was written before, and says its words or its date. */
  readonly isAhead?: true;
  /** Of a weekday by itself: whether what stands beside it says that it is counted from now. */
  readonly isPlaced?: true;
}

/** The times that a question speaks of. */
export interface AskedTimes {
  readonly mentions: readonly AskedMention[];
  /** The moment of asking. */
  readonly nowMs: number;
  /** Whether it asks for nothing else. */
  readonly isAlone: boolean;
  /** Whether it asks for what is to come, and not for what was written then. */
  readonly isOfPlans: boolean;
  /** Whether it asks when something is or was. */
  readonly isWhen: boolean;
}

export function askedTimes(text: string, nowMs: number, calendar: Calendar): AskedTimes {
  const all = findTimeMentions(text, nowMs, calendar);
  // Most questions speak of none, and do not ask for one: they are not read once more for it.
  const isWhen = MAY_ASK_WHEN.test(text) && asksWhen(wholeWordsOf(text));
  // Of times that have been, nobody asks for plans.
  const hasFuture = all.some(({ endMs, ahead }) => endMs > nowMs || ahead !== undefined);
  const ofPlans = hasFuture && isOfPlans(wholeWordsOf(text));
  const found = all.filter((mention) => ofPlans || mention.isOfPlans !== true);
  if (found.length === 0) return { mentions: [], nowMs, isAlone: false, isOfPlans: false, isWhen };
  const mentions = found.flatMap(({ ahead, ...mention }) => {
    const placed = isPlaced(text, mention, ofPlans) ? ({ isPlaced: true } as const) : {};
    const asked: AskedMention[] = [{ ...asAsked(mention, nowMs), ...placed }];
    if (ofPlans && ahead) asked.push({ ...asAsked({ ...mention, ...ahead }, nowMs), ...placed });
    return asked;
  });
  const isAlone = asksForTimeAlone(text, mentions);
  return {
    mentions: isAlone ? mentions : mentions.filter(({ isLoose }) => isLoose !== true),
    nowMs,
    isAlone,
    isOfPlans: ofPlans,
    isWhen,
  };
}

/** Whatever is near to a time to come was written before it, and not in it. */
function asAsked(mention: TimeMention, nowMs: number): AskedMention {
  return mention.startMs < nowMs ? mention : { ...mention, softnessMs: AHEAD_SOFTNESS, isAhead: true };
}

const PLACES_WEEKDAY = /(?<![\w'])(?:for|am|diesen) $/i;
const ENDS_QUESTION = /^[\s?.!]*$/;

/** "For Friday", "am Freitag"; and at the end of a question for plans: "Suis-je libre vendredi ?" */
function isPlaced(text: string, { from, to }: TimeMention, ofPlans: boolean): boolean {
  return PLACES_WEEKDAY.test(text.slice(0, from)) || (ofPlans && ENDS_QUESTION.test(text.slice(to)));
}

function areAhead(mentions: readonly AskedMention[]): boolean {
  return mentions.every(({ isAhead }) => isAhead === true);
}

/** Whether all times of a question are counted from now, and it is not about words as they are written. */
export function areRelative(text: string, mentions: readonly AskedMention[]): boolean {
  return !IS_ABOUT_WORDS.test(text) && !mentions.some((mention) => isDate(text, mention));
}

/** Whether a question is answered by its time alone, because no memory holds another word of it. */
export function isLeftToTime(
  text: string,
  mentions: readonly AskedMention[],
  terms: readonly MatchTerm[],
): boolean {
  if (areAhead(mentions) || !areRelative(text, mentions)) return false;
  const ofTime = new Set(Array.from(wordsOfRelativeTimes(text, mentions), termOf));
  const others = terms.filter(({ name }) => !ofTime.has(name));
  return others.length > 0 && !others.some(({ postings }) => isHeld(postings));
}

function asksForTimeAlone(text: string, mentions: readonly AskedMention[]): boolean {
  if (!areRelative(text, mentions)) return false;
  let rest = '';
  let end = 0;
  for (const { from, to } of mentions) {
    rest += `${text.slice(end, Math.max(end, from))} `;
    end = Math.max(end, to);
  }
  const words = wholeWordsOf(rest + text.slice(end)).filter((word) => !isStopword(word) && !ASKING.has(word));
  if (words.length === 0) return true;
  // "Gestern" tells the language by itself.
  if (mentions.some(({ from, to }) => isForeign(text.slice(from, to)))) return words.every(isGermanOrFrench);
  // Of other languages more words say nothing, where all of them together say which one it is.
  const foreign = functionWordsOf(wholeWordsOf(text));
  return words.every((word) => foreign.has(word));
}

function isForeign(mention: string): boolean {
  return wholeWordsOf(mention).some((word) => GLOSSARY.has(word) && !isStopword(word));
}

/** A weekday is a date by itself only: "on Friday" and "for Friday" are counted from now, "the Friday meeting" has it in its name. */
function isDate(text: string, { from, to, isPlaced: placed }: AskedMention): boolean {
  const mention = text.slice(from, to);
  const words = wholeWordsOf(mention);
  const isBareWeekday = hasWeekday(words, 1) && placed !== true;
  return isBareWeekday || DAY_IN_NUMBERS.test(mention) || words.some(isOfDate);
}

/** Names of months and holidays, years and quarters. */
function isOfDate(word: string): boolean {
  return namesOneOf(word, MONTHS) || HOLIDAY_WORDS.has(word) || YEAR_OR_QUARTER.test(word);
}

function hasWeekday(words: readonly string[], among = words.length): boolean {
  return words.length === among && words.some((word) => namesOneOf(word, WEEKDAYS));
}

/** "Sept" is seven in French as well. */
function namesOneOf(word: string, names: ReadonlyMap<string, number>): boolean {
  return names.has(word) || names.has(GLOSSARY.get(word) ?? word);
}

/** "Last", "early": which May, or what of it. */
function saysWhich(word: string): boolean {
  return namesOneOf(word, STEPS) || namesOneOf(word, THIRDS);
}

/**
 * The words of the times that have been, counted from now: "last" and "week", and of "last May" the first; but none of "on 14 May"
 * or "tomorrow", nor those of a weekday beside a date, which it is counted from ("last Friday before 14 May").
 */
export function wordsOfRelativeTimes(text: string, mentions: readonly AskedMention[]): ReadonlySet<string> {
  const words = new Set<string>();
  const texts = mentions.map(({ from, to }) => text.slice(from, to));
  const isBesideDate = mentions.some((mention) => isDate(text, mention));
  for (const [at, mention] of texts.entries()) {
    const ofMention = wholeWordsOf(mention);
    const isCountedFromDate = isBesideDate && hasWeekday(ofMention);
    if (mentions[at]!.isAhead === true || isCountedFromDate) continue;
    const isNamed = isDate(text, mentions[at]!);
    for (const word of ofMention) if (!isNamed || saysWhich(word)) words.add(word);
  }
  return words;
}

/** The days that the times of a question mean, for what speaks of them to be looked for. */
export interface MeantDays {
  /** Holidays, which are on the same day of every year. */
  readonly holidays: readonly WholeDate[];
  /** Of each time to come. */
  readonly toCome: readonly AskedDays[];
  /** The words that mean days to come: who says "tomorrow" mostly means another day. */
  readonly words: ReadonlySet<string>;
  /** Where plans are asked for: the day from which on whatever speaks of a date is meant. */
  readonly plansFrom: number | undefined;
}

/**
 * Of times to come those are meant that are counted from now, unless they have too many days; and for those who ask for plans,
 * today, what is left of a time that has begun, and dates from one to another. A single date is a term already (`whole-dates.ts`).
 */
export function daysMeant(
  text: string,
  { mentions, nowMs, isOfPlans: ofPlans }: AskedTimes,
  calendar: Calendar,
): MeantDays {
  const holidays = new Map<string, WholeDate>();
  const toCome = new Map<string, AskedDays>();
  const words = new Set<string>();
  const isAboutWords = IS_ABOUT_WORDS.test(text);
  const today = calendar.dayOf(nowMs);
  for (const mention of mentions) {
    const { from, to, startMs, endMs, isAhead } = mention;
    const typed = text.slice(from, to);
    const ofMention = wholeWordsOf(typed);
    const first = calendar.dayOf(startMs);
    const last = calendar.dayOf(endMs);
    if (first === last && ofMention.some((word) => HOLIDAY_WORDS.has(word))) {
      const reading = dayOfYear(first);
      holidays.set(`${reading.month} ${reading.day}`, { year: undefined, readings: [reading] });
      continue;
    }
    const isToCome = isAhead === true || (ofPlans && endMs > nowMs);
    const firstLeft = Math.max(first, today);
    if (!isToCome || isAboutWords || last - firstLeft >= MAX_STATED_DAYS) continue;
    const isRangeOfPlans = ofPlans && first < last && DAY_OF_MONTH.test(typed);
    if (isDate(text, mention) && !isRangeOfPlans) continue;
    toCome.set(`${firstLeft} ${last}`, { first: firstLeft, last, typed });
    for (const word of ofMention) words.add(word);
  }
  const plansFrom = ofPlans && !isAboutWords ? today : undefined;
  return { holidays: [...holidays.values()], toCome: [...toCome.values()], words, plansFrom };
}

function dayOfYear(day: number): DayOfYear {
  const date = new Date(day * DAY);
  return { month: date.getUTCMonth(), day: date.getUTCDate() };
}

/** How well memories match a time: as `StrengthReader` tells it of words. */
export class TimeReader {
  readonly #times: TimeCloseness;
  readonly hasMentions = true;

  constructor(times: TimeCloseness) {
    this.#times = times;
  }

  /** −1 for a memory that is of another time. */
  strength(part: Part, document: number): number {
    const closeness = this.closeness(part, document);
    return closeness < NEAR_IN_TIME ? -1 : closeness;
  }

  closeness(part: Part, document: number): number {
    return this.#times.of(part, document);
  }

  parts(part: Part, document: number): MatchParts {
    const time = this.closeness(part, document);
    return { words: 0, neighbours: 0, session: 0, author: 0, time, question: 0 };
  }
}

/** Whether what is of a time answers a question. Of one to come nobody may have spoken; then its words are looked for. */
export function isAnsweredByTime(
  parts: readonly Part[],
  { mentions, isAlone }: AskedTimes,
  times: TimeCloseness,
): boolean {
  if (!isAlone || !areAhead(mentions)) return isAlone;
  const reader = new TimeReader(times);
  return parts.some((part) => {
    for (let document = 0; document < part.count; document++) {
      if (part.dead?.[document] !== 1 && reader.strength(part, document) !== -1) return true;
    }
    return false;
  });
}

/** What of a session is nearest to a time. */
export interface SessionOfTime {
  closeness: number;
  newestMs: number;
}

/** The sessions that have something of a time, by their numbers. */
export function sessionsOfTime(
  index: RecallIndex,
  filters: readonly PartFilter[],
  times: TimeCloseness,
): Map<number, SessionOfTime> {
  const reader = new TimeReader(times);
  const sessions = new Map<number, SessionOfTime>();
  for (const [partNumber, part] of index.parts().entries()) {
    for (const document of filters[partNumber]!.documents()) {
      const closeness = reader.strength(part, document);
      if (closeness === -1) continue;
      const session = part.session[document]!;
      const known = sessions.get(session) ?? { closeness: 0, newestMs: Number.NEGATIVE_INFINITY };
      known.closeness = Math.max(known.closeness, closeness);
      known.newestMs = Math.max(known.newestMs, part.time[document]!);
      sessions.set(session, known);
    }
  }
  return sessions;
}
