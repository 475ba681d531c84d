/** What a question asks for: its times, its terms with the documents that hold them, and whom it names. */

import type { Memory, Of } from './naive-document.ts';
import { nearestWords } from './naive-meant.ts';
import * as shared from './shared.ts';
import { isStopword, spokenTerm, termOf, termsOf, time, weights } from './shared.ts';

export interface ModelTerm {
  readonly name: string;
  /** How often those documents hold it that do. */
  readonly held: ReadonlyMap<Memory, number>;
  readonly typed?: string;
  readonly isTime?: boolean;
  readonly share?: number;
}

const LONGEST_ASKED = 366 * time.DAY;

function heldBy(documents: readonly Memory[], frequencyIn: Of<number | boolean>): ModelTerm['held'] {
  const all = documents.map((each) => [each, Math.min(255, Number(frequencyIn(each)))] as const);
  return new Map(all.filter(([, frequency]) => frequency > 0));
}

export type ModelTimes = ReturnType<typeof readTimes>;

export function readTimes({
  text = '',
  nowMs,
  timeZone,
}: Pick<shared.SearchRequest, 'text' | 'nowMs' | 'timeZone'>) {
  const calendar = time.calendarOf(timeZone);
  const quoted = [...text.matchAll(/["\u201c\u201d][^"\u201c\u201d]*["\u201c\u201d]/g)];
  const isPlain = ({ from }: time.TimeMention): boolean =>
    !quoted.some(({ 0: { length }, index }) => index <= from && from < index + length);
  const without = (mentions: readonly time.TimeMention[]): string => {
    const isInTime = (at: number): boolean => mentions.some(({ from, to }) => from <= at && at < to);
    return Array.from({ length: text.length }, (_, at) => (isInTime(at) ? ' ' : text[at]!)).join('');
  };
  const all = time.timesIn(text, nowMs, calendar).filter(isPlain);
  const isAboutWords = /["\u201c\u201d*]/.test(text);
  const asksForAnything = shared.asksForAnything(shared.wholeWordsOf(without(all)));
  /** Whether nothing else is asked for: then a date is that day and no other. */
  const isAlone = all.length > 0 && !isAboutWords && asksForAnything;
  const exactly = all.map((mention) => (mention.isRelative ? mention : { ...mention, softnessMs: 1 }));
  const mentions = isAlone ? exactly : all.filter(({ isLoose }) => !isLoose);
  const isOfPlans = mentions.some(({ endMs }) => endMs > nowMs) && time.asksForPlans(text);
  const hasBegun = (startMs: number): boolean => isOfPlans && startMs <= nowMs;

  /** Of four hours to a year: of a night the first day, and of a time that has begun what plans have left. */
  const speakingOf = ({ startMs, endMs }: time.TimeMention): readonly time.SpokenTerm[] => {
    const lengthMs = endMs + 1 - startMs;
    if (lengthMs < 4 * time.HOUR || lengthMs > LONGEST_ASKED) return [];
    const [first, end, today] = [startMs, endMs, nowMs].map((ms) => calendar.dayOf(ms)) as [
      number,
      number,
      number,
    ];
    const last = lengthMs <= 12 * time.HOUR ? first : end;
    return time.spokenOf(isOfPlans && last >= today ? Math.max(first, today) : first, last, calendar);
  };
  const speaking = new Map(mentions.map((mention) => [mention, speakingOf(mention)]));
  /** How surely a document refers to the days of some times. */
  const surely = ({ said, time: ms }: Memory, some: readonly time.TimeMention[]): number => {
    const spoken = some
      .flatMap((mention) => speaking.get(mention)!)
      .filter(({ term, fromMs, toMs }) => said.days.has(spokenTerm(term)) && fromMs <= ms && ms <= toMs);
    return Math.max(0, ...spoken.map((each) => each.surely));
  };
  const { startMs: today } = calendar.days(calendar.dayOf(nowMs), 1);
  const areBefore = mentions.every(({ endMs }) => endMs < today);
  const closeness: Of<number> = (document) => {
    const share = areBefore && document.time >= today ? 0 : isOfPlans ? weights.WRITTEN_OF_PLANS : 1;
    const written = share * time.closeness(mentions, document.time);
    return Math.max(written, surely(document, mentions));
  };

  /** The times that are terms: those with a name, and those to come. Two readings of one are one. */
  const terms = (documents: readonly Memory[]): ModelTerm[] => {
    const isTerm = ({ startMs, endMs, isAhead, isRelative }: time.TimeMention): boolean =>
      (isAhead || !isRelative || (isOfPlans && endMs > nowMs)) && endMs - startMs <= LONGEST_ASKED;
    const byPlace = Map.groupBy(mentions.filter(isTerm), ({ from }) => from);
    return Array.from(byPlace.values(), (readings) => {
      const typed = text.slice(readings[0]!.from, readings[0]!.to);
      const name = typed.toLowerCase();
      const isName = !isOfPlans && /^(?:\d{4}|(?!may|march)[a-z]{4,})$/.test(name);
      const isSaid: Of<boolean> = ({ frequency }) => isName && frequency(termOf(name)) > 0;
      const isSpoken: Of<boolean> = (document) => surely(document, readings) > 0;
      const isWritten: Of<boolean> = ({ time: ms }) =>
        readings.some(({ startMs, endMs }) => startMs <= ms && ms <= endMs && !hasBegun(startMs));
      const held = heldBy(documents, (each) => isSpoken(each) || isWritten(each) || isSaid(each));
      return { name: spokenTerm(name), typed, held, isTime: true };
    }).slice(0, 8);
  };
  return { rest: without(mentions), mentions, isAlone, isWhen: time.asksWhen(text), closeness, terms };
}

export function readQuestion(documents: readonly Memory[], times: ModelTimes, table?: shared.TextVectors) {
  const text = shared.readQueryText(times.rest);
  const { words, capitalised, spellings, quoted } = text;
  const authors = new Set(documents.flatMap(({ names }) => names));
  const namesIn = (word: string): string[] =>
    !isStopword(word) || capitalised.has(word) || words.every(isStopword)
      ? [word.replace(/'s?$/, ''), spellings.get(word) ?? ''].filter((name) => authors.has(name))
      : [];
  const isName = (word: string): boolean => namesIn(word).length > 0;
  const named = new Set(words.filter(isName).flatMap(namesIn));
  const others = words.filter((word) => !isName(word));
  const saysNoMore = named.size > 0 && shared.sayOnlyThatItWasSaid(others);

  let unknown = 0;
  let inTwo = 0;
  const wordTerm = ([name, typed]: readonly [string, string]): ModelTerm => {
    const spelt = termOf(spellings.get(typed) ?? typed);
    const places = shared.placesOf(typed);
    const isInTwo = places.length > 1 && ++inTwo <= shared.MAX_PHRASES;
    const held = heldBy(documents, ({ frequency, hasPhrase }) =>
      Math.max(frequency(name), frequency(spelt), Number(isInTwo && hasPhrase(places))),
    );
    if (held.size > 0 || ++unknown > weights.MAX_MISTYPED) return { name, typed, held };
    const isUnquoted = (word: string): boolean => !quoted.has(word) && termOf(word) === name;
    const mistyped = others.find(isUnquoted) ?? '';
    const meant = table?.knows(mistyped) ? [] : nearestWords(documents, mistyped);
    if (meant.length === 0) return { name, typed, held };
    const heldAs = heldBy(documents, ({ frequency }) => Math.max(...meant.map(frequency)));
    return { name, typed: mistyped, held: heldAs, share: weights.MEANT_WEIGHT };
  };
  const wordTerms = Array.from(termsOf(saysNoMore ? [] : others), wordTerm);
  const phraseTerm = (phrase: readonly string[]): ModelTerm => {
    return { name: phrase.join(' '), held: heldBy(documents, ({ hasPhrase }) => hasPhrase(phrase)) };
  };
  const patternTerm = (name: string): ModelTerm => {
    return { name, typed: name, held: heldBy(documents, (each) => each.wildcardFrequency(name)) };
  };
  const nameTerm = (typed: string): ModelTerm => {
    const [term] = termsOf([typed]).keys();
    const frequencyIn: Of<number> = ({ frequency, names }) =>
      Math.max(frequency(term!), Number(names.includes(typed)));
    return { name: `@${typed}`, typed, held: heldBy(documents, frequencyIn) };
  };
  const phrases = text.phrases.filter(({ length }) => length > 1);
  const beside = [...times.terms(documents), ...phrases.map(phraseTerm), ...text.wildcards.map(patternTerm)];

  const areAsked = named.size > 0 && wordTerms.every(({ held }) => held.size === 0);
  const areAlone = areAsked && beside.length === 0 && (saysNoMore || documents.some(isNoteAbout(named)));
  const speakers = words.filter((word, at) => isName(word) && isSpeaker(words, at));
  const isForNotes = !saysNoMore || words.some((word, at) => isName(word) && isSubject(words, at));
  const askedOfThem = speakers.length > 0 ? 'sayings' : isForNotes ? 'notes' : 'either';
  /** What is asked of those who are named, where nothing else is. */
  const asked = areAlone ? askedOfThem : undefined;
  const names = asked === 'sayings' ? new Set(speakers.flatMap(namesIn)) : named;
  const terms = [...wordTerms, ...(areAsked ? Array.from(named, nameTerm) : []), ...beside];
  const areUnheld = (some: readonly ModelTerm[]): boolean => some.every(({ held }) => held.size === 0);
  /** Whether no memory holds another word than those of a time that has been: meaning alone finds nothing then. */
  const isLeftToTimes =
    areUnheld(terms.filter(({ isTime }) => isTime !== true)) &&
    times.mentions.some(({ isAhead }) => !isAhead);
  /** Whether a time is all that is asked for, or all that can be found. */
  const isOfTime = times.isAlone || (isLeftToTimes && areUnheld(terms));
  const required = text.isOnlyPhrases && !isOfTime ? text.phrases : [];
  return { text, terms, names, asked, isLeftToTimes, isOfTime, required };
}

/** Whether a document is noted about any of those who are named. */
export function isNoteAbout(names: ReadonlySet<string>): Of<boolean> {
  const terms = [...names].filter((name) => !isStopword(name)).map(termOf);
  return ({ isTurn, frequency }) => !isTurn && terms.some((term) => frequency(term) > 0);
}

/** "What did *Tom* say about Priya?", "Was sagt *Tom*?" */
function isSpeaker(words: readonly string[], at: number): boolean {
  if (words.slice(at + 1).some((word) => shared.TALKING.has(word))) return true;
  return /^(?:sagte?|meinte?|erzahlte?|dit|disait|raconte)$/.test(words[at - 1] ?? '');
}

/** "Tell me about *Priya*", "Who is *Priya*?" */
function isSubject(words: readonly string[], at: number): boolean {
  const before = ` ${words.slice(0, at).join(' ')}`;
  return / (?:about|uber|ueber|who's|(?:who|wer|qui) (?:is|was|ist|war|est|etait))$/.test(before);
}
