/**
 * The times that a question refers to, and how close memories are to them: by when they were written, and by the days that they
 * refer to ("dentist tomorrow", `time/spoken-days.ts`).
 *
 * Words for a time are not looked up in texts. A past time ("last week") favours memories of that time. A time with a name ("in
 * May", "on 14 May 2026"), or in the future ("tomorrow"), is a term: it finds memories of that time, as a word does. Where a
 * question asks for nothing but a time ("What happened yesterday?"), or where no memory holds its other words, the answer is the
 * memories of that time and no others, however near in meaning they are.
 */

import {
  asksForPlans,
  asksWhen,
  type Calendar,
  closeness,
  DAY,
  HOUR,
  MAX_ASKED_DAYS,
  SAYS_TIME,
  type SpokenTerm,
  spokenOf,
  type TimeMention,
  timesIn,
} from '../../time/index.ts';
import {
  asksForAnything,
  NEAR_IN_TIME,
  spokenTerm,
  termOf,
  WRITTEN_OF_PLANS,
  wholeWordsOf,
} from '../analysis/index.ts';
import { documentsOf, listedOnce, type Part } from '../index/index.ts';
import { ofEach } from './lists.ts';
import type { MatchTerm } from './match.ts';
import { isHeld } from './word-terms.ts';

/** Texts refer to mornings and longer times by their day; "an hour ago" is about when something was written. */
const SHORTEST_SPOKEN_HOURS = 4;
/** A question about words as they are written names no time alone. */
const IS_ABOUT_WORDS = /["\u201c\u201d*]/;
const QUOTED = /["\u201c\u201d][^"\u201c\u201d]*["\u201c\u201d]/g;
/** Only the first so many times of a question are terms: each is a walk through all memories. */
const MAX_TERMS = 8;
/** The name of a month or a year may stand alone in a text. */
const ONE_NAME = /^(?:\d{4}|(?!may|march)[a-z]{4,})$/;

/** Document → how surely it refers to some days. */
type Spoken = ReadonlyMap<number, number>;

export class AskedTimes {
  /** The question without the words of its times. */
  readonly rest: string;
  readonly hasMentions: boolean;
  /** Whether it asks for nothing else. */
  readonly isAlone: boolean;
  /** Whether it asks when something is or was. */
  readonly isWhen: boolean;
  readonly #text: string;
  readonly #nowMs: number;
  readonly #calendar: Calendar;
  readonly #mentions: readonly TimeMention[];
  /** Whether it asks for what is to come, and not for what was written then. */
  readonly #isOfPlans: boolean;
  /** What was written from then on is of none of the times: the beginning of today, when all of them have been before. */
  readonly #beforeMs: number;
  /** For each mention, the terms that refer to its days. */
  readonly #speaking: readonly (readonly SpokenTerm[])[];
  readonly #spoken = new Map<Part, Spoken>();
  readonly #sayingTime = new Map<Part, Uint8Array>();

  /** @param calendar of the place where it is asked */
  constructor(text: string, nowMs: number, calendar: Calendar) {
    this.#text = text;
    this.#nowMs = nowMs;
    this.#calendar = calendar;
    const all = withoutQuoted(text, timesIn(text, nowMs, calendar));
    const isOfTimeAlone = all.length > 0 && !IS_ABOUT_WORDS.test(text);
    this.isAlone = isOfTimeAlone && asksForAnything(wholeWordsOf(cutOut(text, all)));
    this.#mentions = this.isAlone ? all.map(asExactly) : all.filter(({ isLoose }) => !isLoose);
    this.rest = cutOut(text, this.#mentions);
    this.hasMentions = this.#mentions.length > 0;
    this.isWhen = asksWhen(text);
    this.#isOfPlans = this.#mentions.some(({ endMs }) => endMs > nowMs) && asksForPlans(text);
    const { startMs } = calendar.days(calendar.dayOf(nowMs), 1);
    this.#beforeMs = this.#mentions.every(({ endMs }) => endMs < startMs)
      ? startMs
      : Number.POSITIVE_INFINITY;
    this.#speaking = ofEach(this.#mentions, (mention) => this.#speakingOf(mention));
  }

  /** 1 for what is of such a time, 0 where none is named. */
  closeness(part: Part, document: number): number {
    if (!this.hasMentions) return 0;
    const ms = part.time[document]!;
    // People count roughly, but what is of today is not of yesterday.
    const written = ms < this.#beforeMs ? closeness(this.#mentions, ms) : 0;
    const spoken = this.#spokenIn(part).get(document) ?? 0;
    return Math.max(spoken, this.#isOfPlans ? WRITTEN_OF_PLANS * written : written);
  }

  /** The closeness of what a question for times alone finds; −1 for what is of another time. */
  strength(part: Part, document: number): number {
    const close = this.closeness(part, document);
    return close < NEAR_IN_TIME ? -1 : close;
  }

  /** Whether a question is left to its times: they have been, and no memory holds another word of it. */
  isLeftAlone(terms: readonly MatchTerm[]): boolean {
    if (!this.hasMentions || this.#mentions.every(({ isAhead }) => isAhead)) return false;
    return !terms.some(({ postings, isByDate }) => isByDate === undefined && isHeld(postings));
  }

  /** Whether a document says any time in its texts: who asks when something is wants one that does. */
  saysTime(part: Part, document: number): boolean {
    let says = this.#sayingTime.get(part);
    if (says?.length !== part.count) {
      says = new Uint8Array(part.count);
      for (const saying of documentsOf(part.postings(spokenTerm(SAYS_TIME)))) says[saying] = 1;
      this.#sayingTime.set(part, says);
    }
    return says[document] === 1;
  }

  /** The times that are terms. Two readings of one are one term. */
  terms(parts: readonly Part[]): MatchTerm[] {
    const places = new Map<number, number[]>();
    for (const [at, { from, startMs, endMs, isAhead, isRelative }] of this.#mentions.entries()) {
      const isTerm = isAhead || !isRelative || (this.#isOfPlans && endMs > this.#nowMs);
      if (!isTerm || endMs - startMs > MAX_ASKED_DAYS * DAY) continue;
      if (places.size < MAX_TERMS || places.has(from)) places.set(from, [...(places.get(from) ?? []), at]);
    }
    return Array.from(places.values(), (mentions) => this.#term(parts, mentions));
  }

  #term(parts: readonly Part[], mentions: readonly number[]): MatchTerm {
    const { from, to } = this.#mentions[mentions[0]!]!;
    const typed = this.#text.slice(from, to);
    const speaking = mentions.flatMap((at) => this.#speaking[at]!);
    const spoken = ofEach(parts, (part) => new Set(this.#speakers(part, speaking).keys()));
    const name = typed.toLowerCase();
    const postings = ofEach(parts, (part, at) => {
      const documents = new Set(spoken[at]);
      // All that was written today is not about today.
      const isWritten = (ms: number): boolean =>
        mentions.some((each) => {
          const { startMs, endMs } = this.#mentions[each]!;
          return startMs <= ms && ms <= endMs && !(this.#isOfPlans && startMs <= this.#nowMs);
        });
      for (let document = 0; document < part.count; document++)
        if (part.dead?.[document] !== 1 && isWritten(part.time[document]!)) documents.add(document);
      if (!this.#isOfPlans && ONE_NAME.test(name))
        for (const document of documentsOf(part.postings(termOf(name)))) documents.add(document);
      return listedOnce(Int32Array.from(documents).sort());
    });
    const isByDate = (part: number, document: number): boolean => !spoken[part]!.has(document);
    return { name: spokenTerm(name), typed, postings, isByDate };
  }

  #spokenIn(part: Part): Spoken {
    let spoken = this.#spoken.get(part);
    if (spoken === undefined) {
      spoken = this.#speakers(part, this.#speaking.flat());
      this.#spoken.set(part, spoken);
    }
    return spoken;
  }

  #speakers(part: Part, speaking: readonly SpokenTerm[]): Spoken {
    const spoken = new Map<number, number>();
    for (const { term, fromMs, toMs, surely } of speaking) {
      for (const document of documentsOf(part.postings(spokenTerm(term)))) {
        const ms = part.time[document]!;
        if (fromMs <= ms && ms <= toMs && surely > (spoken.get(document) ?? 0)) spoken.set(document, surely);
      }
    }
    return spoken;
  }

  /** Of the days of a time; of one that is too short or too long none. A night is of the day on which it begins. */
  #speakingOf({ startMs, endMs }: TimeMention): readonly SpokenTerm[] {
    const lengthMs = endMs + 1 - startMs;
    if (lengthMs < SHORTEST_SPOKEN_HOURS * HOUR || lengthMs > MAX_ASKED_DAYS * DAY) return [];
    const first = this.#calendar.dayOf(startMs);
    const last = lengthMs <= DAY / 2 ? first : this.#calendar.dayOf(endMs);
    // Of a time that has begun, plans are what is left.
    const today = this.#calendar.dayOf(this.#nowMs);
    const from = this.#isOfPlans && last >= today ? Math.max(first, today) : first;
    return spokenOf(from, last, this.#calendar);
  }
}

/** Where nothing else is asked for, a date is that day and no other; people count roughly, but do not name other days. */
const asExactly = (mention: TimeMention): TimeMention =>
  mention.isRelative ? mention : { ...mention, softnessMs: 1 };

/** What stands between quotes is meant as it is written. */
function withoutQuoted(text: string, mentions: readonly TimeMention[]): readonly TimeMention[] {
  if (mentions.length === 0) return mentions;
  const quoted = Array.from(
    text.matchAll(QUOTED),
    ({ 0: piece, index }) => [index, index + piece.length] as const,
  );
  return mentions.filter(({ from }) => !quoted.some(([start, end]) => start <= from && from < end));
}

function cutOut(text: string, mentions: readonly TimeMention[]): string {
  let rest = '';
  let end = 0;
  for (const { from, to } of mentions) {
    rest += `${text.slice(end, Math.max(end, from))} `;
    end = Math.max(end, to);
  }
  return rest + text.slice(end);
}
