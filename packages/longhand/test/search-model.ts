import type { DecayConfig } from '../src/core/decay-config.ts';
import type { DecayOverride, MemoryEntry } from '../src/core/records.ts';
import type { MemoryFilter } from '../src/recall/filter.ts';
import { isLightVerb } from '../src/recall/light-verbs.ts';
import type { SearchRequest } from '../src/recall/search-request.ts';
import type { SessionSearchRequest } from '../src/recall/search-sessions.ts';
import { isStopword } from '../src/recall/stopwords.ts';
import type { MatchParts } from '../src/recall/strength.ts';
import * as weights from '../src/recall/weights.ts';
import type { NaiveDay } from './naive/naive-dates.ts';
import { naiveDecay, naiveRecency } from './naive/naive-decay.ts';
import { type NaiveEntry, naiveDate, readEntryNaively } from './naive/naive-entry.ts';
import { evenCuts, isSlip, mayBeMistyped, naiveDistance } from './naive/naive-meant.ts';
import {
  asksAbout,
  type NaiveQuery,
  naivelyAsksWhen,
  naiveMeasures,
  naiveOtherWays,
  naiveSpeakers,
  naiveTerms,
  readNaively,
  saysOnlyThatItWasSaid,
  verbOfRequest,
} from './naive/naive-query.ts';
import { type NaiveNamedDates, naiveNamedDates, naiveWholeDates } from './naive/naive-query-dates.ts';
import { isSaidOf, saysTime, speaksOf } from './naive/naive-spoken.ts';
import { hasTags } from './naive/naive-tags.ts';
import {
  type NaiveMention,
  type NaiveTimes,
  namesHoliday,
  namesWeekday,
  type ReadTimes,
  readTimes,
} from './naive/naive-times.ts';
import { ANY_CUT, placesOf, termOf, wholePlaces, withoutArticle } from './naive/naive-words.ts';
import { DAY_MS, type NaiveZone, zoneOf } from './naive/naive-zone.ts';

/**
 * Search as it is described, word by word, with maps and arrays and no index. Memories and queries are read by `naive/`, and so
 * are days, decay and tags.
 */

/** Only so many words of a query tell apart what a turn has itself and what its neighbours lend. */
const MARKED_TERMS = 32;

/** A memory, and its number in the order of its log. */
export interface Document {
  readonly entry: MemoryEntry;
  readonly order: number;
}

/** The words at each place of a text. */
function wordsAtPlaces(text: string): string[][] {
  return placesOf(text).map((place) => place.map(({ word }) => word));
}

function namesOf(author: string): string[] {
  return wholePlaces(author).flatMap((place) => place.map(({ word }) => word));
}

const queries = new Map<string, NaiveQuery>();

/** A query that is refused is a matter of the reading alone. */
function readQuery(text = ''): NaiveQuery {
  const read = queries.get(text) ?? readNaively(text);
  if (read === 'refused') throw new Error('The model was asked what nobody may ask.');
  queries.set(text, read);
  return read;
}

function matchesPattern(pattern: string, word: string): boolean {
  const pieces = pattern.split('*').map((piece) => piece.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`, 'su').test(word);
}

/** Of a time with a name, what tells which one is meant, or which part of it: "last May", "early June". */
const SAYS_WHICH =
  /^(last|past|previous|this|current|next|coming|upcoming|early|beginning|start|mid|middle|late|end|letzte[nmrs]?|vorigen?|vergangenen?|derniers?|derni[e\u00e8]res?|pass[e\u00e9]e?|n(\u00e4|ae|a)chste[nrs]?|prochaine?s?|diese[nmrs]?|cette|cet?)$/;

/** A document as the model knows it. */
export class ModelDocument {
  readonly entry: MemoryEntry;
  readonly order: number;
  /** Text → place → words. */
  readonly texts: readonly (readonly (readonly string[])[])[];
  readonly words: readonly string[];
  readonly dateTerms: readonly string[];
  readonly frequencies = new Map<string, number>();
  readonly length: number;
  readonly said: NaiveEntry;
  readonly author: string;
  readonly time: number;
  /** On which it was written, where it is asked: midnight of that day in UTC. */
  readonly day: Date;

  constructor({ entry, order }: Document, zone: NaiveZone) {
    this.time = Date.parse(entry.timestamp);
    this.day = new Date(zone.dayOf(this.time));
    this.said = readEntryNaively(entry, this.day);
    this.entry = entry;
    this.order = order;
    this.texts = this.said.texts.map(wordsAtPlaces);
    this.words = this.texts.flat(2);
    this.dateTerms = this.texts.at(-1)!.flat().map(termOf);
    for (const term of this.words.map(termOf)) this.frequencies.set(term, this.frequency(term) + 1);
    this.length = this.texts.flat().filter(([word]) => !isStopword(word!)).length;
    this.author = this.said.author;
  }

  frequency(term: string): number {
    return this.frequencies.get(term) ?? 0;
  }

  /** Without the date: that it was written in June says nothing of a person who is called so. */
  frequencyInText(term: string): number {
    return this.frequency(term) - (this.dateTerms.includes(term) ? 1 : 0);
  }

  /** The frequency of a term, but for what the date adds that the query does not name. */
  frequencyBut(term: string, { named, habits }: NaiveNamedDates): number {
    const isDoubtful = /^([1-9]|[12]\d|3[01]|may|march)$/.test(term);
    const isNoDate = habits.has(term) || (isDoubtful && !named.has(term));
    const isLeftOut = isNoDate && this.dateTerms.includes(term);
    return Math.min(255, this.frequency(term) - (isLeftOut ? 1 : 0));
  }

  /** The frequency of the most frequent written word or stem that a pattern matches. */
  wildcardFrequency(pattern: string): number {
    const written = new Map<string, number>();
    const stems = new Map<string, number>();
    for (const word of this.words) {
      if (word !== termOf(word)) written.set(word, (written.get(word) ?? 0) + 1);
      stems.set(termOf(word), (stems.get(termOf(word)) ?? 0) + 1);
    }
    let most = 0;
    for (const counts of [written, stems]) {
      for (const [word, count] of counts) if (matchesPattern(pattern, word)) most = Math.max(most, count);
    }
    return most;
  }

  /** Each place in turn brings a term, or the next letters: of a word's end, of a whole word, or of a beginning. */
  hasPhrase(phrase: readonly string[]): boolean {
    const goesOn = (
      places: readonly (readonly string[])[],
      at: number,
      pieces: readonly string[],
    ): boolean => {
      const [piece, ...rest] = pieces;
      if (piece === undefined) return true;
      const isFirst = pieces === phrase;
      return (places[at] ?? []).some((word) => {
        if (!piece.startsWith(ANY_CUT)) return termOf(word) === piece && goesOn(places, at + 1, rest);
        const letters = piece.slice(ANY_CUT.length);
        const isLast = rest.length === 0;
        if (isLast && (isFirst && phrase.length === 1 ? word.includes(letters) : word.startsWith(letters)))
          return true;
        for (let end = 1; end <= letters.length; end++) {
          const part = letters.slice(0, end);
          if (isFirst ? !word.endsWith(part) : word !== part) continue;
          const left = end === letters.length ? rest : [ANY_CUT + letters.slice(end), ...rest];
          if (goesOn(places, at + 1, left)) return true;
        }
        return false;
      });
    };
    return this.texts.some((places) => places.some((_, start) => goesOn(places, start, phrase)));
  }

  get lengthFactor(): number {
    const long = [1, 8, 64].filter((times) => this.length >= times * weights.LONG_MEMORY_WORDS);
    return 1 - weights.LONG_MEMORY_DISCOUNT * long.length;
  }

  /** Whether it speaks of a day, or was written on it; without a year, whether it states that of any. */
  isOf(asked: Omit<AskedDay, 'name'>): boolean {
    const isSaid = asked.hasYear && asked.days.some((day) => isSaidOf(this, day));
    const isWritten = this.#isDay(asked, this.day, true);
    return this.states(asked) || isSaid || isWritten;
  }

  states(asked: Omit<AskedDay, 'name'>): boolean {
    return this.said.days.some(({ days, hasYear }) => this.#isDay(asked, days[0]!, hasYear));
  }

  /** Whether a date is the day that is asked for. */
  #isDay(asked: Omit<AskedDay, 'name'>, date: Date, hasYear: boolean): boolean {
    const isSameYear = (day: Date): boolean => date.getUTCFullYear() === day.getUTCFullYear();
    return asked.days.some(
      (day) =>
        date.toISOString().slice(5, 10) === day.toISOString().slice(5, 10) &&
        (!asked.hasYear || !hasYear || isSameYear(day)),
    );
  }

  isTurn(): boolean {
    return this.entry.type === 'conversation';
  }
}

/** Vectors as whole numbers: of memories, by session and id, and that of the question. */
export interface Meaning {
  readonly vectors: ReadonlyMap<string, Int8Array>;
  readonly asked: Int8Array;
}

/** A day that is looked for as a whole; one of two where nobody can tell. */
type AskedDay = Pick<NaiveDay, 'days' | 'hasYear'> & { readonly name: string };

/** What of a search says what is looked for. */
type AskedText = Pick<SearchRequest, 'text' | 'nowMs'>;

/** A search, with the settings that its policies of decay come from. */
export interface ModelRequest extends SearchRequest {
  readonly decay?: DecayConfig;
  readonly overrides?: ReadonlyMap<string, DecayOverride>;
}

/** What a model knows beside the documents. */
export interface ModelOptions {
  readonly meaning?: Meaning | undefined;
  /** Where it is asked. */
  readonly timeZone?: string | undefined;
  /** How times are read, where it is not by the grammar of `src/recall`. */
  readonly readTimes?: ReadTimes;
}

interface ModelTerm {
  readonly name: string;
  readonly frequencyIn: (document: ModelDocument) => number;
  readonly typed?: string;
  readonly share?: number;
  readonly idealShare?: number;
  readonly isCommon?: boolean;
}

interface Measure {
  readonly saturation: number;
  /** Of how many terms an ideal text has. */
  readonly idealTerms: number;
  /** How many times the words of a document count in its session. */
  readonly sideCounts: (document: ModelDocument) => number;
}

interface Measured {
  /** Rarest first. */
  readonly counted: readonly ModelTerm[];
  readonly weightOf: ReadonlyMap<ModelTerm, number>;
  readonly own: ReadonlyMap<ModelDocument, number>;
  readonly ideal: number;
  /** Session → its share of an ideal one. */
  readonly sessions: ReadonlyMap<string, number>;
}

const A_YEAR = Array.from({ length: 366 }, (_, day) => new Date(Date.UTC(2024, 0, 1 + day)));
const DATE_WORDS: ReadonlySet<string> = new Set(A_YEAR.flatMap((day) => naiveDate(day).split(' ')));
const DATE_TERMS: ReadonlySet<string> = new Set([...DATE_WORDS].map(termOf));

/** Whether the date of a memory may hold a term, that of some memory in some year. */
function mayBeOfDate(term: string): boolean {
  return DATE_TERMS.has(term) || /^[0-9]{4}$/.test(term);
}

/** A question without the times in it, but for what can be a word of a date. */
function withoutRelativeTimes(text: string, all: readonly NaiveMention[]): string {
  const mentions = all.filter(({ isAhead }) => !isAhead);
  let rest = text;
  let end = text.length + 1;
  // From the last on, so that the places of those before it stay.
  for (const { from, to } of mentions.toSorted((left, right) => right.from - left.from)) {
    const kept = namesOf(text.slice(from, to)).filter((word) => /^[0-9]/.test(word) || DATE_WORDS.has(word));
    if (to <= end) rest = `${rest.slice(0, from)} ${kept.join(' ')} ${rest.slice(to)}`;
    end = from;
  }
  return rest;
}

/** Who is spoken of: "I" is the user, "you" the assistant, but for the one who is asked a favour. */
function sideOf(words: readonly string[]): 'user' | 'assistant' | undefined {
  const said = words.slice(verbOfRequest(words) + 1);
  if (said.some((word) => /^you('re|'ve|'d|'ll|r|rs)?$/.test(word))) return 'assistant';
  const isFirstPerson = (word: string): boolean =>
    /^(i('m|'ve|'d|'ll)?|me|my|mine|myself|we|our|us)$/.test(word);
  return words.some(isFirstPerson) ? 'user' : undefined;
}

export interface ModelHit {
  readonly document: ModelDocument;
  readonly key: number;
  readonly strength: number;
}

function rarity(holders: number, all: number): number {
  return Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
}

/** What a search should answer, over all documents that it may know of. */
export class Model {
  readonly documents: readonly ModelDocument[];
  /** Session and id → vector, as whole numbers; and that of the question. */
  readonly vectors: ReadonlyMap<string, Int8Array>;
  readonly asked: Int8Array | undefined;
  /** Of the last search: the strength that the match of all is measured by. */
  strongest = 0;
  /** Of the last search: what the strength of a document is made of. */
  readonly parts = new Map<ModelDocument, Required<MatchParts>>();
  /** Of the last search: what mistyped words were taken for. */
  readonly takenFor = new Map<string, readonly { readonly word: string; readonly term: string }[]>();

  readonly #zone: NaiveZone;
  readonly #readTimes: ReadTimes;
  readonly #times = new Map<string, NaiveTimes>();

  constructor(
    documents: readonly Document[],
    { meaning, timeZone, readTimes: read = readTimes }: ModelOptions = {},
  ) {
    this.#zone = zoneOf(timeZone);
    this.#readTimes = read;
    this.documents = documents.map((document) => new ModelDocument(document, this.#zone));
    this.vectors = meaning?.vectors ?? new Map();
    this.asked = meaning?.asked;
  }

  times({ text = '', nowMs }: AskedText): NaiveTimes {
    const times = this.#times.get(`${nowMs} ${text}`) ?? this.#readTimes(text, nowMs, this.#zone);
    this.#times.set(`${nowMs} ${text}`, times);
    return times;
  }

  /** The words of times that have been, counted from now. */
  wordsOfTimes(request: AskedText): Set<string> {
    const { mentions } = this.times(request);
    const isBesideDate = mentions.some(({ isDate }) => isDate);
    const said = mentions
      .filter(({ isAhead }) => !isAhead)
      .map(({ from, to, isDate }) => ({ text: request.text!.slice(from, to), isDate }))
      .filter(({ text }) => !isBesideDate || !namesWeekday(text));
    return new Set(
      said.flatMap(({ text, isDate }) => namesOf(text).filter((word) => !isDate || SAYS_WHICH.test(word))),
    );
  }

  /** The words of all times, but for those that stand elsewhere too: "in April" is a month, whoever is called so. */
  wordsOfTimesAlone(request: AskedText): Set<string> {
    const { mentions } = this.times(request);
    const isInTime = (at: number): boolean => mentions.some(({ from, to }) => from <= at && at < to);
    const letters = Array.from({ length: request.text?.length ?? 0 }, (_, at) => request.text![at]!);
    const outside = namesOf(letters.map((letter, at) => (isInTime(at) ? ' ' : letter)).join(''));
    const inside = mentions.flatMap(({ from, to }) => namesOf(request.text!.slice(from, to)));
    return new Set(inside.filter((word) => !outside.includes(word)));
  }

  /** Whether all times are counted from now, and none of it is about words as they are written. */
  areTimesRelative(request: AskedText): boolean {
    return (
      !/["\u201c\u201d*]/.test(request.text!) && !this.times(request).mentions.some(({ isDate }) => isDate)
    );
  }

  /** The days of holidays, in any year, each once. */
  holidaysMeant(request: AskedText): AskedDay[] {
    const { mentions } = this.times(request);
    const all = mentions.flatMap(({ startMs, endMs, from, to }) => {
      const day = this.#zone.dayOf(startMs);
      const isHoliday = this.#zone.dayOf(endMs) === day && namesHoliday(request.text!.slice(from, to));
      const date = new Date(day);
      const name = `^any ${date.getUTCMonth() + 1} ${date.getUTCDate()}`;
      return isHoliday ? [{ name, days: [date], hasYear: false }] : [];
    });
    return all.filter(({ name }, at) => all.findIndex((each) => each.name === name) === at);
  }

  /**
   * The times of at most a year that are to come and counted from now, with their days; and today, with what is left of a time
   * that has begun, and dates from one to another, when plans are asked for.
   */
  timesToCome(request: AskedText): { readonly mention: string; readonly days: readonly Date[] }[] {
    if (/["\u201c\u201d*]/.test(request.text!)) return [];
    const { mentions, isOfPlans } = this.times(request);
    const today = this.#zone.dayOf(request.nowMs);
    return mentions.flatMap(({ startMs, endMs, from, to, isAhead, isDate }) => {
      const mention = request.text!.slice(from, to);
      const first = this.#zone.dayOf(startMs);
      const last = this.#zone.dayOf(endMs);
      const isHoliday = first === last && namesHoliday(mention);
      const isToCome = isAhead || (isOfPlans && endMs > request.nowMs);
      const days: Date[] = [];
      for (let day = first; day <= last && days.length < 367; day += DAY_MS) {
        if (day >= today) days.push(new Date(day));
      }
      // Days by their numbers, from one to another.
      const isOfDays = isOfPlans && first < last && /(?:^|[^\w])[0-9]{1,2}(?![0-9])/.test(mention);
      const isMeant = isToCome && !isHoliday && days.length <= 366 && (!isDate || isOfDays);
      return isMeant ? [{ mention, days }] : [];
    });
  }

  /** What a date means to those who ask for plans: of days from today on, without its year the next one. */
  daysPlanned(request: AskedText, { days, hasYear }: Pick<NaiveDay, 'days' | 'hasYear'>): Date[] {
    if (!this.times(request).isOfPlans || /["\u201c\u201d*]/.test(request.text!)) return [];
    const today = this.#zone.dayOf(request.nowMs);
    const thisYear = new Date(today).getUTCFullYear();
    const inYear = (day: Date, year: number): Date =>
      new Date(Date.UTC(year, day.getUTCMonth(), day.getUTCDate()));
    return days.flatMap((day) => {
      const years = hasYear
        ? [day.getUTCFullYear()]
        : [0, 1, 2, 3, 4, 5, 6, 7, 8].map((away) => thisYear + away);
      const [next] = years
        .map((year) => inYear(day, year))
        .filter((each) => each.getUTCDate() === day.getUTCDate() && each.getTime() >= today);
      return next ?? [];
    });
  }

  /** In steps of 1/32768; `undefined` without a vector. */
  cosine({ entry }: ModelDocument): number | undefined {
    const vector = this.vectors.get(`${entry.session_id}/${entry.id}`);
    if (vector === undefined || this.asked === undefined) return undefined;
    const product = (left: Int8Array, right: Int8Array): number =>
      left.reduce((sum, value, at) => sum + value * right[at]!, 0);
    const length = Math.sqrt(product(this.asked, this.asked)) * Math.sqrt(product(vector, vector));
    return Math.round((product(this.asked, vector) / length) * 32_768) / 32_768;
  }

  /** How far a document stands out, in deviations; 0 for those below the mean. */
  deviations(document: ModelDocument): number {
    const cosines = this.documents.map((each) => this.cosine(each)).filter((each) => each !== undefined);
    while (cosines.length < weights.FEW_VECTORS) cosines.push(0);
    const mean = cosines.reduce((sum, each) => sum + each, 0) / cosines.length;
    const variance = cosines.reduce((sum, each) => sum + (each - mean) ** 2, 0) / cosines.length;
    const cosine = this.cosine(document) ?? -2;
    return cosine <= mean || variance < 1e-12 ? 0 : (cosine - mean) / Math.sqrt(variance);
  }

  similarity(document: ModelDocument): number {
    return weights.SIMILARITY * Math.min(weights.MOST_DEVIATIONS, this.deviations(document));
  }

  /** Those that stand out most, of those that pass. */
  nearest(passing: readonly ModelDocument[]): ModelDocument[] {
    return passing
      .filter((document) => this.deviations(document) > 0)
      .sort(
        (left, right) =>
          this.cosine(right)! - this.cosine(left)! ||
          right.time - left.time ||
          (left.entry.session_id < right.entry.session_id ? -1 : 1) *
            (left.entry.session_id === right.entry.session_id ? 0 : 1) ||
          right.order - left.order,
      )
      .slice(0, weights.NEAREST);
  }

  neighbour(document: ModelDocument, step: number): ModelDocument | undefined {
    const session = this.documents
      .filter(({ entry }) => entry.session_id === document.entry.session_id)
      .sort((left, right) => left.order - right.order);
    return session[session.indexOf(document) + step];
  }

  /** @param text as it is looked for, where that is not as it was typed */
  terms(
    request: AskedText,
    text = readQuery(request.text),
  ): { terms: ModelTerm[]; names: Set<string>; asked: string | undefined } {
    const authors = new Set(this.documents.flatMap(({ author }) => namesOf(author)));
    const nameOf = (word: string): string => word.replace(/'s?$/, '');
    const isOnlyStopwords = text.words.every(isStopword);
    const raw = request.text ?? '';
    const dates = naiveNamedDates(raw, this.times(request).mentions);
    const addresses = raw.split(/\s/).filter((piece) => /[@/\\]/.test(piece));
    const spelt = (word: string): string[] =>
      [nameOf(word), ...(text.spellings.get(word) ?? [])].filter((name) => authors.has(name));
    const inTimes = this.wordsOfTimesAlone(request);
    const isName = (word: string): boolean =>
      !inTimes.has(word) &&
      (isOnlyStopwords || !isStopword(word) || text.capitalised.has(word)) &&
      !addresses.flatMap(namesOf).includes(word) &&
      spelt(word).length > 0;
    const isAlsoWord = (word: string): boolean =>
      raw !== raw.toLowerCase() && word !== text.words[0] && !text.capitalised.has(word) && isHeld(word);
    const datedIn = (document: ModelDocument, term: string): number =>
      Math.max(
        ...[term, ...(dates.otherNames.get(term) ?? [])].map((each) => document.frequencyBut(each, dates)),
      );
    const isHeld = (word: string): boolean =>
      this.documents.some((document) => datedIn(document, termOf(nameOf(word))) > 0);
    const isAlone = (word: string): boolean =>
      raw === raw.toLowerCase() &&
      isHeld(word) &&
      !isStopword(word) &&
      text.words.every((each) => each === word || isStopword(each));
    const isFullHour =
      /(?<![\p{L}\p{M}\p{N}\u00ad.:]|[\p{L}\p{M}\p{N}\u00ad]['\u2019])([01]?[0-9]|2[0-4]):00(?![0-9:])/u.test(
        raw,
      );
    // A "may" that is no month says as little as "might", unless somebody is called so.
    const isModal = !dates.named.has('may') && !text.capitalised.has('may');
    const counted = text.words
      .filter((word) => word !== 'may' || !isModal)
      .filter((word) => word !== '00' || !isFullHour || text.quoted.has('00'));
    const named = counted.filter(isName);
    const namedWords = named.filter((word) => !isAlone(word));
    const names = new Set(namedWords.flatMap(spelt));
    const asWords = new Set(named.filter(isAlone).flatMap(spelt));
    const others = counted
      .filter((word) => !isName(word) || isAlsoWord(word) || isAlone(word))
      .map((word) => (isName(word) ? nameOf(word) : word));
    const typedAs = (term: string, words: readonly string[]): string | undefined =>
      words.map(withoutArticle).find((word) => termOf(word) === term);
    const ofTime = this.wordsOfTimes(request);
    const saysNoMore = names.size > 0 && saysOnlyThatItWasSaid(others.filter((word) => !ofTime.has(word)));
    const wanted = naiveTerms(saysNoMore ? [] : others);
    let room = weights.MAX_OTHER_WAYS;
    const terms: ModelTerm[] = [...wanted].map(([term, typed]) => {
      const ways = room > 0 ? naiveOtherWays(typed, term, text) : { terms: [], phrases: [] };
      room -= ways.terms.length + ways.phrases.length;
      const isApart = (document: ModelDocument): boolean =>
        ways.phrases.some((phrase) => document.hasPhrase(phrase));
      return {
        name: term,
        typed,
        frequencyIn: (document) =>
          Math.max(
            datedIn(document, term),
            ...ways.terms.map((each) => document.frequency(each)),
            isApart(document) ? 1 : 0,
          ),
      };
    });
    this.takenFor.clear();
    for (const [number, { name, frequencyIn }] of terms
      .filter(({ name }) => !mayBeOfDate(name))
      .filter((term) => this.documents.every((document) => term.frequencyIn(document) === 0))
      .entries()) {
      const typed = typedAs(
        name,
        others.filter((word) => !text.quoted.has(word)),
      );
      if (number >= weights.MAX_MISTYPED || typed === undefined) continue;
      const place = terms.findIndex((term) => term.frequencyIn === frequencyIn);
      const isHeldTerm = (term: string): boolean =>
        this.documents.some((document) => document.frequency(term) > 0);
      const cuts =
        wanted.size > weights.IDEAL_TERMS
          ? []
          : evenCuts(typed)
              .filter((cut) => cut.every(isHeldTerm))
              .slice(0, weights.MAX_CUTS);
      const isCut = (document: ModelDocument): boolean => cuts.some((cut) => document.hasPhrase(cut));
      if (this.documents.some(isCut)) {
        terms[place] = { ...terms[place]!, frequencyIn: (document) => (isCut(document) ? 1 : 0) };
        continue;
      }
      const meant = this.nearestWords(typed);
      if (meant.length === 0) continue;
      this.takenFor.set(typed, meant);
      const found = meant.map(({ term }) => term);
      terms[place] = {
        name,
        typed,
        frequencyIn: (document) => Math.max(...found.map((term) => document.frequency(term))),
        share: weights.MEANT_WEIGHT,
        idealShare: 1,
      };
    }
    const toCome = this.timesToCome(request);
    const wordsToCome = toCome.flatMap(({ mention }) => namesOf(mention));
    const timeTerms = [...ofTime, ...wordsToCome].map(termOf);
    const isFound = terms
      .filter(({ name }) => !timeTerms.includes(name))
      .some((term) => this.documents.some((document) => term.frequencyIn(document) > 0));
    for (const [place, term] of terms.entries()) {
      if (isFound && timeTerms.includes(term.name))
        terms[place] = { ...term, share: weights.TIME_WORD_WEIGHT };
    }
    const measures = naiveMeasures(text.words).map(termOf);
    const isSubjectFound = terms
      .filter(({ name }) => !timeTerms.includes(name) && !measures.includes(name))
      .some((term) => this.documents.some((document) => term.frequencyIn(document) > 0));
    for (const [place, term] of terms.entries()) {
      if (isSubjectFound && measures.includes(term.name) && !timeTerms.includes(term.name))
        terms[place] = { ...term, share: weights.MEASURE_WEIGHT };
    }
    // What nobody holds was asked for: the words of its time are no answer.
    const isBesideTime = ({ name }: ModelTerm): boolean => !timeTerms.includes(name);
    if (!isFound && !this.times(request).isAlone && terms.some(isBesideTime))
      terms.splice(0, terms.length, ...terms.filter(isBesideTime));
    const whole = naiveWholeDates(raw, this.times(request).mentions, text.quoted);
    const dayTerm = (date: AskedDay) => ({
      name: date.name,
      frequencyIn: (document: ModelDocument) => (document.isOf(date) ? 1 : 0),
      share: weights.WHOLE_DATE,
    });
    const today = this.#zone.dayOf(request.nowMs);
    // All that was written today is not about today.
    const isWrittenOn = (document: ModelDocument, some: readonly Date[]): boolean =>
      some[0]!.getTime() > today && some.some((day) => day.getTime() === document.day.getTime());
    const days = whole.dates.map((date): ModelTerm => {
      const term = dayTerm(date);
      const planned = this.daysPlanned(request, date);
      if (planned.length === 0) return term;
      const isPlanned = (document: ModelDocument): boolean =>
        planned.some((day) => speaksOf(document, [day]) > 0 || isWrittenOn(document, [day]));
      return {
        ...term,
        typed: raw.slice(date.from, date.to),
        frequencyIn: (document) => (isPlanned(document) || document.states(date) ? 1 : 0),
      };
    });
    const isDayHeld = days.some((day) => this.documents.some((document) => day.frequencyIn(document) > 0));
    for (const [place, term] of terms.entries()) {
      if (!whole.words.has(term.name)) continue;
      const idealShare = isDayHeld ? weights.WORD_OF_DATE : 1;
      terms[place] = { ...term, share: weights.WORD_OF_DATE, idealShare };
    }
    for (const [place, { share, ...term }] of terms.entries()) {
      const isMeant = text.quoted.has(term.typed!) || text.capitalised.has(term.typed!);
      if (share === undefined && isLightVerb(term.name) && !isMeant)
        terms[place] = { ...term, isCommon: true };
    }
    const nameAsWord = (name: string): ModelTerm => ({
      name: `@${name}`,
      typed: name,
      frequencyIn: (document) =>
        Math.max(document.frequencyInText(termOf(name)), namesOf(document.author).includes(name) ? 1 : 0),
    });
    const ofNames: ModelTerm[] = isFound ? [] : Array.from(names, nameAsWord);
    const asWordsToo = Array.from(asWords, (name) => ({ ...nameAsWord(name), share: weights.MEANT_WEIGHT }));
    const countBefore = terms.length;
    terms.push(...days);
    for (const phrase of text.phrases.filter(
      ([first, ...rest]) => rest.length > 0 || first!.startsWith(ANY_CUT),
    )) {
      if (whole.phrases.has(phrase.join(' '))) continue;
      terms.push({
        name: phrase.join(' '),
        frequencyIn: (document) => (document.hasPhrase(phrase) ? 1 : 0),
      });
    }
    terms.push(...this.holidaysMeant(request).map(dayTerm));
    const nameOfDay = (day: Date): string =>
      `^${day.getUTCFullYear()} ${day.getUTCMonth() + 1} ${day.getUTCDate()}`;
    const byName = new Map(
      toCome.map((time) => [`${nameOfDay(time.days[0]!)} ${nameOfDay(time.days.at(-1)!)}`, time]),
    );
    for (const [name, { mention: typed, days }] of byName) {
      terms.push({
        name,
        typed,
        frequencyIn: (document) => (speaksOf(document, days) > 0 || isWrittenOn(document, days) ? 1 : 0),
        share: weights.WHOLE_DATE,
      });
    }
    for (const pattern of text.wildcards) {
      terms.push({
        name: pattern,
        typed: pattern,
        frequencyIn: (document) => document.wildcardFrequency(pattern),
      });
    }
    const isNoted = this.documents.some(
      (document) =>
        !document.isTurn() &&
        [...names].some((name) => !isStopword(name) && document.frequencyInText(termOf(name)) > 0),
    );
    const isForNames = names.size > 0 && !isFound && terms.length === countBefore && (saysNoMore || isNoted);
    const speakers = naiveSpeakers(counted, namedWords);
    let asked: string | undefined;
    if (isForNames && speakers.length > 0) asked = 'sayings';
    else if (isForNames) asked = !saysNoMore || asksAbout(counted, namedWords) ? 'notes' : 'either';
    const speaking = new Set(speakers.flatMap(spelt));
    const asSaid = ({ frequencyIn, ...term }: ModelTerm): ModelTerm => ({
      ...term,
      frequencyIn: (document) =>
        speaking.has(term.typed!)
          ? Math.min(1, frequencyIn(document))
          : Number(
              namesOf(document.author).some((word) => speaking.has(word)) &&
                document.frequencyInText(termOf(term.typed!)) > 0,
            ),
    });
    terms.splice(countBefore, 0, ...(asked === 'sayings' ? ofNames.map(asSaid) : ofNames), ...asWordsToo);
    return { terms, names: asked === 'sayings' ? speaking : names, asked };
  }

  /** The words of a query that a document holds, and those of them that only its date does. */
  matchedIn(document: ModelDocument, request: SearchRequest): { words: string[]; byDate: string[] } {
    const held = this.terms(request).terms.filter(({ typed, frequencyIn }) => {
      return typed !== undefined && frequencyIn(document) > 0;
    });
    const { otherNames } = naiveNamedDates(request.text ?? '', this.times(request).mentions);
    const isByDate = ({ name }: ModelTerm): boolean => {
      const ways = [name, ...(otherNames.get(name) ?? [])];
      const ofDate = (term: string): number => (document.dateTerms.includes(term) ? 1 : 0);
      return (
        ways.some((term) => ofDate(term) === 1) &&
        ways.every((term) => document.frequency(term) === ofDate(term))
      );
    };
    return {
      words: [...new Set(held.map(({ typed }) => typed!))],
      byDate: [...new Set(held.filter(isByDate).map(({ typed }) => typed!))],
    };
  }

  /** What the words of the last search were taken for, of those that a document holds. */
  takenForIn(document: ModelDocument): Record<string, string[]> {
    const held = [...this.takenFor].map(([typed, meant]) => [
      typed,
      meant.filter(({ term }) => document.frequency(term) > 0).map(({ word }) => word),
    ]);
    return Object.fromEntries(held.filter(([, words]) => words!.length > 0));
  }

  /** The nearest of all words and stems of all documents. */
  nearestWords(typed: string): { word: string; term: string }[] {
    if (!mayBeMistyped(typed, weights.MIN_MISTYPED_LETTERS)) return [];
    for (const most of typed.length < weights.TWO_ERRORS_LETTERS ? [1] : [1, 2]) {
      const near = new Map<string, { word: string; term: string; distance: number; holders: number }>();
      for (const word of this.documents.flatMap(({ words }) => words)) {
        const term = termOf(word);
        for (const each of [term, word]) {
          if (each.slice(0, most) !== typed.slice(0, most) || !isSlip(typed, each)) continue;
          const distance = naiveDistance(typed, each);
          if (distance > most) continue;
          const known = near.get(term);
          // Of equals a stem, and then the first in the alphabet.
          const isBefore =
            known === undefined ||
            distance < known.distance ||
            (distance === known.distance && known.word !== term && (each === term || each < known.word));
          const holders = this.documents.filter((document) => document.frequency(term) > 0).length;
          if (isBefore) near.set(term, { word: each, term, distance, holders });
        }
      }
      const found = [...near.values()].sort(
        (left, right) =>
          left.distance - right.distance || right.holders - left.holders || (left.term < right.term ? -1 : 1),
      );
      if (found.length > 0) return found.slice(0, weights.MAX_MEANT);
    }
    return [];
  }

  passes(
    document: ModelDocument,
    request: MemoryFilter & AskedText,
    text = readQuery(request.text),
  ): boolean {
    const { entry, time } = document;
    if (text.isOnlyPhrases && !text.phrases.every((phrase) => document.hasPhrase(phrase))) return false;
    if (request.types && !request.types.includes(entry.type)) return false;
    if (request.tags && !hasTags(entry.tags, request.tags)) return false;
    if (time < (request.startMs ?? -Infinity) || time > (request.endMs ?? Infinity)) return false;
    if (entry.importance < (request.minImportance ?? 0)) return false;
    if (request.sessions && ![...request.sessions].includes(entry.session_id)) return false;
    if (
      request.authors &&
      !request.authors.some((name) => name.toLowerCase() === document.author.toLowerCase())
    ) {
      return false;
    }
    if (request.agents && !request.agents.includes(entry.provenance.agent_id ?? '')) return false;
    if (request.references && !this.related(request).has(document)) return false;
    return true;
  }

  /** What a reference in a session means: its own memory, else those of others. */
  meant(session: string | undefined, id: string): readonly ModelDocument[] {
    const all = this.documents.filter(({ entry }) => entry.id === id);
    const own = all.filter(({ entry }) => entry.session_id === session);
    return own.length > 0 ? own : all;
  }

  /** The memories one step of references away; one that is gone connects those that speak of it. */
  neighboursOf(node: ModelDocument | string): (ModelDocument | string)[] {
    const targets = (from: ModelDocument): (ModelDocument | string)[] =>
      from.entry.references.flatMap((id): (ModelDocument | string)[] => {
        const meant = this.meant(from.entry.session_id, id);
        return meant.length > 0 ? [...meant] : [id];
      });
    const incoming = this.documents.filter((each) => targets(each).includes(node));
    return typeof node === 'string' ? incoming : [...targets(node), ...incoming];
  }

  related(request: MemoryFilter): Set<ModelDocument | string> {
    const starts = request.references!.flatMap((id): (ModelDocument | string)[] => {
      const meant = this.meant(request.referencesFrom, id);
      return meant.length > 0 ? [...meant] : [id];
    });
    const reached = new Set(starts);
    let level = [...reached];
    for (let depth = 0; depth < (request.maxDepth ?? 1); depth++) {
      level = [...new Set(level.flatMap((node) => this.neighboursOf(node)))].filter(
        (each) => !reached.has(each),
      );
      for (const node of level) reached.add(node);
    }
    for (const start of starts) reached.delete(start);
    return reached;
  }

  freshness(document: ModelDocument, request: ModelRequest): { decay: number; recency: number } {
    const { entry, time } = document;
    const { type, session_id } = entry;
    const use = request.usesOfSession?.get(session_id)?.get(entry.id);
    const relatives = request.decay?.related?.enabled ? this.neighboursOf(document) : [];
    const memory = {
      type,
      time,
      uses: use?.accessCount ?? 0,
      relatives: relatives.flatMap((each) => (typeof each === 'string' ? [] : each.time)),
    };
    const override = request.overrides?.get(session_id) ?? {};
    const decay = naiveDecay(memory, { config: request.decay ?? {}, override }, request.nowMs);
    const recency = naiveRecency(Math.max(use?.lastAccessMs ?? time, time), request.nowMs);
    return { decay: Math.max(decay, this.closeness(document, request)), recency };
  }

  closeness(document: ModelDocument, request: AskedText): number {
    const { time } = document;
    const { mentions, isOfPlans } = this.times(request);
    const closenesses = mentions.map((mention) => {
      const { startMs, endMs, softnessMs } = mention;
      const distance = Math.max(0, startMs - time, time - endMs);
      const written = 0.5 ** (distance / softnessMs) * (isOfPlans ? weights.WRITTEN_OF_PLANS : 1);
      return Math.max(written, speaksOf(document, this.daysOf(mention)));
    });
    return Math.max(0, ...closenesses);
  }

  /** The days of a time that texts may speak of: of four hours to a year, and of a night the first. */
  daysOf({ startMs, endMs }: NaiveMention): Date[] {
    const hours = (endMs + 1 - startMs) / 3_600_000;
    if (hours < 4 || hours > 366 * 24) return [];
    const first = this.#zone.dayOf(startMs);
    const last = hours <= 12 ? first : this.#zone.dayOf(endMs);
    return Array.from({ length: (last - first) / DAY_MS + 1 }, (_, at) => new Date(first + at * DAY_MS));
  }

  key(document: ModelDocument, strength: number, request: ModelRequest): number {
    switch (request.sortBy ?? 'relevance') {
      case 'match':
        return strength;
      case 'time':
        return document.time;
      case 'importance':
        return document.entry.importance;
      case 'relevance': {
        const { decay, recency } = this.freshness(document, request);
        return Math.log(document.entry.importance * decay * recency) + weights.SHARPNESS * strength;
      }
    }
  }

  /** @param asked as it is looked for, where that is not as it was typed */
  isOfTimeAlone(request: AskedText, asked = readQuery(request.text)): boolean {
    const { mentions, isAlone } = this.times(request);
    const isAhead = mentions.every((mention) => mention.isAhead);
    // Of a time to come nobody may have spoken.
    const isOfAny = (each: ModelDocument): boolean => this.closeness(each, request) >= weights.NEAR_IN_TIME;
    if (isAlone) return !isAhead || this.documents.some(isOfAny);
    if (isAhead) return false;
    if (this.asked !== undefined || !this.areTimesRelative(request)) return false;
    const ofTime = Array.from(this.wordsOfTimes(request), termOf);
    const others = this.terms(request, asked).terms.filter(({ name }) => !ofTime.includes(name));
    const isHeld = ({ frequencyIn }: ModelTerm): boolean =>
      this.documents.some((each) => frequencyIn(each) > 0);
    return others.length > 0 && !others.some(isHeld);
  }

  search(request: ModelRequest): ModelHit[] {
    this.strongest = 0;
    const text = readQuery(request.text);
    const hasWords = text.words.length > 0 || text.wildcards.length > 0;
    if (!hasWords && !text.isBlank) return [];
    const passing = this.documents.filter((document) => this.passes(document, request));
    if (this.isOfTimeAlone(request)) {
      const near = passing.filter((each) => this.closeness(each, request) >= weights.NEAR_IN_TIME);
      const strengths = new Map(near.map((each) => [each, this.closeness(each, request)]));
      for (const [each, time] of strengths)
        this.parts.set(each, {
          words: 0,
          neighbours: 0,
          session: 0,
          author: 0,
          time,
          question: 0,
          similarity: 0,
        });
      this.strongest = Math.max(0, ...strengths.values());
      return this.ordered(strengths, request);
    }
    const strengths = hasWords ? this.strengths(request, passing) : new Map(passing.map((each) => [each, 0]));
    return this.ordered(strengths, request);
  }

  /** Of a hit of the last search. */
  valueOf(
    { document, strength }: ModelHit,
    request: ModelRequest,
  ): {
    readonly match: number;
    readonly decay: number;
    readonly recency: number;
    readonly relevance: number;
  } {
    const { strongest } = this;
    const match = readQuery(request.text).isBlank
      ? 1
      : Math.min(1, strongest) * Math.exp(weights.SHARPNESS * (strength - strongest));
    const { decay, recency } = this.freshness(document, request);
    return { match, decay, recency, relevance: document.entry.importance * decay * recency * match };
  }

  ordered(strengths: ReadonlyMap<ModelDocument, number>, request: ModelRequest): ModelHit[] {
    const hits = [...strengths].map(([document, strength]) => ({
      document,
      strength,
      key: this.key(document, strength, request),
    }));
    return hits.sort(
      (left, right) =>
        (left.key === right.key ? 0 : right.key - left.key) ||
        right.document.time - left.document.time ||
        (left.document.entry.session_id < right.document.entry.session_id ? -1 : 1) *
          (left.document.entry.session_id === right.document.entry.session_id ? 0 : 1) ||
        right.document.order - left.document.order,
    );
  }

  /** Every document and session, measured by some terms. */
  measured(terms: readonly ModelTerm[], { saturation, idealTerms, sideCounts }: Measure): Measured {
    const counted = terms
      .map((term) => ({ term, holders: this.documents.filter((each) => term.frequencyIn(each) > 0).length }))
      .filter(({ holders }) => holders > 0)
      .sort((left, right) => left.holders - right.holders || (left.term.name < right.term.name ? -1 : 1))
      .slice(0, weights.MAX_SCORED_TERMS);
    const own = new Map(this.documents.map((document) => [document, 0]));
    const sessions = new Map(this.documents.map(({ entry }) => [entry.session_id, 0]));
    const lengthOf = (id: string): number =>
      this.documents
        .filter(({ entry }) => entry.session_id === id)
        .reduce((sum, each) => sum + each.length, 0);
    const averageLength =
      this.documents.reduce((sum, each) => sum + each.length, 0) / Math.max(1, sessions.size);
    let ideal = 0;
    let sessionIdeal = 0;
    const weightOf = new Map<ModelTerm, number>();
    for (const { term, holders } of counted) {
      const heldBy = (some: number, all: number): number =>
        term.isCommon === true
          ? Math.max(some, Math.min(weights.COMMON_HOLDERS, weights.COMMON_SHARE * all))
          : some;
      const { length: all } = this.documents;
      const weight = rarity(heldBy(holders, all), all) * (term.share ?? 1);
      const ofIdeal = (term.idealShare ?? term.share ?? 1) / (term.share ?? 1);
      weightOf.set(term, weight);
      ideal += weight * ofIdeal;
      for (const document of this.documents) {
        const frequency = Math.min(255, term.frequencyIn(document));
        const gain =
          (weight * frequency * (1 + weights.WORD_SATURATION)) / (frequency + weights.WORD_SATURATION);
        own.set(document, Math.fround(own.get(document)! + gain));
      }
      const inSession = [...sessions.keys()].map((id) => ({
        id,
        frequency: this.documents
          .filter(({ entry }) => entry.session_id === id)
          .reduce((sum, each) => sum + Math.min(255, term.frequencyIn(each)) * sideCounts(each), 0),
      }));
      const sessionHolders = inSession.filter(({ frequency }) => frequency > 0).length;
      const sessionWeight = rarity(heldBy(sessionHolders, sessions.size), sessions.size) * (term.share ?? 1);
      sessionIdeal += sessionWeight * ofIdeal;
      for (const { id, frequency } of inSession.filter(({ frequency }) => frequency > 0)) {
        const relativeLength = lengthOf(id) / (averageLength || 1);
        const share = weights.SESSION_LENGTH_SHARE;
        const slope = saturation * (1 - share + share * relativeLength);
        const gain = (sessionWeight * frequency * (1 + saturation)) / (frequency + slope);
        sessions.set(id, sessions.get(id)! + gain);
      }
    }
    const idealShare = Math.min(1, idealTerms / (counted.length || 1));
    return {
      counted: counted.map(({ term }) => term),
      weightOf,
      own,
      ideal: ideal * idealShare || 1,
      sessions: new Map(
        [...sessions].map(([id, score]) => [id, score / (sessionIdeal * idealShare || 1)] as const),
      ),
    };
  }

  /** The sessions that a question is about, best first, with their relevance. */
  searchSessions(request: SessionSearchRequest): { sessionId: string; relevance: number }[] {
    const { mentions } = this.times(request);
    const isOfTimeAlone = this.isOfTimeAlone(
      request,
      readQuery(withoutRelativeTimes(request.text, mentions)),
    );
    const text = readQuery(isOfTimeAlone ? '' : withoutRelativeTimes(request.text, mentions));
    const passing = this.documents.filter((each) => this.passes(each, request, text));
    const { terms, names } = isOfTimeAlone
      ? { terms: [], names: new Set<string>() }
      : this.terms(request, text);
    const side = sideOf(text.words);
    const { own, ideal, sessions } = this.measured(terms, {
      saturation: weights.SESSION_RANK_SATURATION,
      idealTerms: Number.POSITIVE_INFINITY,
      sideCounts: ({ said }) => (side !== undefined && said.side === side ? weights.NAMED_SIDE : 1),
    });
    const near = new Set(isOfTimeAlone ? [] : this.nearest(passing));
    const found = passing.filter((each) =>
      isOfTimeAlone
        ? this.closeness(each, request) >= weights.NEAR_IN_TIME
        : own.get(each)! > 0 || near.has(each),
    );
    const most =
      1 +
      weights.SESSION_RANK_SATURATION +
      weights.BEST_TURN * (1 + weights.WORD_SATURATION) +
      weights.NAMED_TIME +
      (names.size === 0 ? 0 : weights.NAMED_AUTHOR * (1 + weights.WORD_SATURATION)) +
      (this.asked === undefined ? 0 : weights.SIMILARITY * weights.MOST_DEVIATIONS);
    const ranked = [...Map.groupBy(found, ({ entry }) => entry.session_id)].map(([sessionId, turns]) => {
      const best = (valueIn: (turn: ModelDocument) => number): number => Math.max(0, ...turns.map(valueIn));
      const words = (turn: ModelDocument): number => (own.get(turn)! * turn.lengthFactor) / ideal;
      const isNamed = ({ author }: ModelDocument): boolean => namesOf(author).some((name) => names.has(name));
      const closeness = best((turn) => this.closeness(turn, request));
      const strength =
        sessions.get(sessionId)! +
        weights.BEST_TURN * best(words) +
        weights.NAMED_AUTHOR * best((turn) => (isNamed(turn) ? words(turn) : 0)) +
        weights.NAMED_TIME * closeness +
        best((turn) => this.similarity(turn));
      const relevance = Math.round((isOfTimeAlone ? closeness : strength / most) * 1e6) / 1e6;
      return { sessionId, relevance, newest: Math.max(...turns.map(({ time }) => time)) };
    });
    return ranked
      .sort(
        (left, right) =>
          right.relevance - left.relevance ||
          right.newest - left.newest ||
          (left.sessionId < right.sessionId ? -1 : 1),
      )
      .map(({ sessionId, relevance }) => ({ sessionId, relevance }));
  }

  strengths(request: ModelRequest, passing: readonly ModelDocument[]): Map<ModelDocument, number> {
    const { terms, names, asked } = this.terms(request);
    const isForNames = asked !== undefined;
    const isWhen = naivelyAsksWhen(request.text ?? '');
    const { counted, weightOf, own, ideal, sessions } = this.measured(terms, {
      saturation: weights.SESSION_SATURATION,
      idealTerms: weights.IDEAL_TERMS,
      sideCounts: () => 1,
    });
    const near = new Set(this.nearest(passing));
    const isFoundBeside = (document: ModelDocument): boolean => own.get(document)! > 0 || near.has(document);
    const isNamed = (document: ModelDocument): boolean => {
      const isAbout = (name: string): boolean =>
        !document.isTurn() && !isStopword(name) && document.frequencyInText(termOf(name)) > 0;
      return namesOf(document.author).some((word) => names.has(word)) || [...names].some(isAbout);
    };
    const isFound = (document: ModelDocument): boolean => isFoundBeside(document) || isNamed(document);
    const matched = passing.filter(isFound);
    const sessionPart = (id: string): number => (isForNames ? 0 : weights.SESSION_PRIOR * sessions.get(id)!);
    const searched = [...(request.sessions ?? sessions.keys())].filter((id) => sessions.has(id));
    const highest = Math.max(0, ...searched.map(sessionPart));
    const partsOf = (document: ModelDocument, lent: number): Required<MatchParts> => {
      const isSaid = namesOf(document.author).some((word) => names.has(word));
      let asNamed = isFoundBeside(document) || lent > 0 ? weights.NAMED_AUTHOR : weights.NAMED_ALONE;
      if (asked === 'sayings') asNamed = isSaid ? weights.NAMED_AUTHOR : 0;
      if (asked === 'notes') asNamed = isSaid ? weights.NAMED_ALONE : weights.NAMED_AUTHOR;
      return {
        words: (own.get(document)! * document.lengthFactor) / ideal,
        neighbours: lent / ideal,
        session: document.isTurn() ? sessionPart(document.entry.session_id) : highest,
        author: isNamed(document) ? asNamed : 0,
        time: weights.NAMED_TIME * (isWhen && saysTime(document) ? 1 : this.closeness(document, request)),
        question: document.said.asks && asked !== 'sayings' ? -weights.ASKING_PENALTY : 0,
        similarity: this.similarity(document),
      };
    };
    const strengthOf = (document: ModelDocument, lent: number): number => {
      const parts = partsOf(document, lent);
      this.parts.set(document, parts);
      return Math.max(
        0,
        Object.values(parts).reduce((sum, part) => sum + part, 0),
      );
    };
    const strengths = new Map(matched.map((document) => [document, strengthOf(document, 0)]));
    const sortBy = request.sortBy === 'match' ? 'match' : 'relevance';
    const candidates = this.ordered(strengths, { ...request, sortBy })
      .slice(0, weights.CANDIDATES)
      .map(({ document }) => document);
    const compared = new Set(candidates);
    const best = Math.max(0, ...candidates.map((document) => own.get(document)!));
    for (const document of candidates) {
      if (!document.isTurn() || own.get(document)! < weights.LENDING_SHARE * best) continue;
      for (const step of [-2, -1, 1, 2]) {
        const neighbour = this.neighbour(document, step);
        if (neighbour && passing.includes(neighbour)) compared.add(neighbour);
      }
    }
    const isByMatch = (request.sortBy ?? 'relevance') === 'relevance' || request.sortBy === 'match';
    for (const document of compared) {
      let lent = 0;
      for (const [step, share] of [
        [-1, weights.PREVIOUS_TURN],
        [-2, weights.SECOND_TURN],
        [1, weights.NEXT_TURN],
        [2, weights.SECOND_TURN],
      ] as const) {
        const neighbour = this.neighbour(document, step);
        if (isForNames || !document.isTurn() || !neighbour?.isTurn()) continue;
        const asks = step < 0 && neighbour.said.holdsQuestion;
        const held = counted.slice(0, MARKED_TERMS).filter((term) => term.frequencyIn(neighbour) > 0);
        let fresh = 0;
        let again = 0;
        for (const term of held) {
          if (term.frequencyIn(document) > 0) again += weightOf.get(term)!;
          else fresh += weightOf.get(term)!;
        }
        lent += share * (asks ? weights.QUESTION_LENDS : 1) * (fresh + weights.LENT_AGAIN * again);
      }
      if (!isFound(document) && lent === 0) continue;
      this.strongest = Math.max(this.strongest, strengthOf(document, lent));
      if (isByMatch || isFound(document)) strengths.set(document, strengthOf(document, lent));
    }
    this.strongest = Math.max(this.strongest, ...strengths.values());
    return strengths;
  }
}
