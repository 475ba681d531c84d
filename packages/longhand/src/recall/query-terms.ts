/**
 * From a query to the terms that are scored: its words (`word-terms.ts`), phrases and wildcards, and the names of authors among
 * its words (`named-authors.ts`). When nothing else is left, or only that something was said, a name is looked for like a word.
 */

import { type AskedOfNames, namesAsked } from './asked-of-names.ts';
import { wordsOfMeasure } from './asking-words.ts';
import { withoutFullMinutes } from './digit-groups.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import { isLightVerb } from './light-verbs.ts';
import type { MatchTerm } from './match.ts';
import { termsOfMovedDays } from './moved-days.ts';
import { namedAuthors } from './named-authors.ts';
import { ofEach } from './of-each.ts';
import type { Part } from './part.ts';
import type { FoundPhrases } from './phrase.ts';
import { documentsOf, listedOnce, unionPostings } from './postings.ts';
import { type AskedDates, namedDates, postingsIn, postingsInTexts, withoutModal } from './query-dates.ts';
import { type QueryText, sayOnlyThatItWasSaid, termsOf } from './query-text.ts';
import type { RecallIndex } from './recall-index.ts';
import type { SpokenDays } from './spoken-days.ts';
import { isStopword } from './stopwords.ts';
import { authorMarks, isTurn } from './strength.ts';
import { authorTerm, isWord } from './term-names.ts';
import { type AskedTimes, daysMeant, wordsOfRelativeTimes } from './time-alone.ts';
import type { Calendar } from './time-expression.ts';
import { MEANT_WEIGHT, MEASURE_WEIGHT, TIME_WORD_WEIGHT, WORD_OF_DATE } from './weights.ts';
import { comingDaysTerm, wholeDates, wholeDateTerm } from './whole-dates.ts';
import { compileWildcard, matchesWildcard } from './wildcard.ts';
import { isHeld, type WordTerms, wordTerms } from './word-terms.ts';
import { isLettersPiece, termOf } from './words.ts';

export interface QueryTerms extends WordTerms {
  /** Names of authors, of those whom the query asks about. */
  readonly names: ReadonlySet<string>;
  /** What is asked of them, where nothing else is looked for. */
  readonly askedOfNames: AskedOfNames | undefined;
  readonly dates: AskedDates;
}

/**
 * @param phrases of the text, found
 * @param raw the text as it was typed, with the times that it speaks of
 */
export function queryTerms(
  index: RecallIndex,
  text: QueryText,
  phrases: FoundPhrases,
  raw: string,
  asked: AskedTimes,
  spokenDays: SpokenDays,
): QueryTerms {
  const { calendar } = spokenDays;
  const parts = index.parts();
  const { mentions } = asked;
  const dates: AskedDates = { ...namedDates(raw, mentions), calendar };
  const spoken = withoutModal(text.words, dates.named, text.capitalised);
  const counted = withoutFullMinutes(spoken, raw, text.quoted);
  const { named, asWords, others } = namedAuthors(parts, text, counted, raw, mentions, dates);
  // "Last week" says when, and nothing of what.
  const ofTime = wordsOfRelativeTimes(raw, mentions);
  const untimed = ofTime.size > 0 ? others.filter((word) => !ofTime.has(word)) : others;
  const saysNoMore = named.size > 0 && sayOnlyThatItWasSaid(untimed);
  const { terms: words, takenFor } = wordTerms(parts, text, saysNoMore ? [] : others, dates);
  const meant = daysMeant(raw, asked, calendar);
  const today = calendar.dayOf(asked.nowMs);
  const coming = meant.toCome.map((days) => comingDaysTerm(parts, days, days.first > today, spokenDays));
  const timeTerms = new Set([...ofTime, ...meant.words].map(termOf));
  const besideTime = words.filter(({ name }) => !timeTerms.has(name));
  const isHeldBesideTime = besideTime.some(({ postings }) => isHeld(postings));
  const measures = new Set(wordsOfMeasure(text.words).map(termOf));
  const isSubjectHeld = besideTime.some(({ name, postings }) => !measures.has(name) && isHeld(postings));
  // Where "deadlines" were asked for and nobody wrote of them, "week" is no answer: what is of that week is.
  const isOnlyOfTime = !asked.isAlone && besideTime.length > 0 && !isHeldBesideTime;
  const looked = isOnlyOfTime ? besideTime : words;
  const whole = wholeDates(raw, mentions, text.quoted);
  const days = whole.dates.map((date) => wholeDateTerm(parts, date, spokenDays, meant.plansFrom));
  // Where nobody speaks of that day, its words are still no answer.
  const ideal = days.some((day) => isHeld(day.postings)) ? WORD_OF_DATE : 1;
  const terms = ofEach(looked, (term) => {
    if (whole.words.has(term.name)) return { ...term, share: WORD_OF_DATE, idealShare: ideal };
    if (isHeldBesideTime && timeTerms.has(term.name)) return { ...term, share: TIME_WORD_WEIGHT };
    if (isSubjectHeld && measures.has(term.name)) return { ...term, share: MEASURE_WEIGHT };
    // Go is a language, and "Get Back" a song.
    const isMeant = text.quoted.has(term.typed!) || text.capitalised.has(term.typed!);
    return isLightVerb(term.name) && !isMeant ? { ...term, isCommon: true } : term;
  });
  const beside = [...days];
  for (const { terms: phrase, documents } of phrases) {
    if (whole.phrases.has(phrase.join(' '))) continue;
    // Letters may be cut into words that no text was cut into: only as a whole they are surely found.
    if (phrase.length > 1 || isLettersPiece(phrase[0]!)) beside.push(phraseTerm(phrase, documents));
  }
  for (const day of meant.holidays) beside.push(wholeDateTerm(parts, day, spokenDays));
  beside.push(...coming);
  for (const pattern of text.wildcards) beside.push(wildcardTerm(index, pattern, calendar));
  const areAsked = named.size > 0 && !isHeldBesideTime;
  const areAlone = areAsked && beside.length === 0 && (saysNoMore || areNoted(parts, named));
  const namesAlone = areAlone ? namesAsked(counted, named, saysNoMore) : undefined;
  const names = namesOf(named, namesAlone?.words ?? named.keys());
  if (areAsked) {
    const areSayings = namesAlone?.asked === 'sayings';
    for (const name of namesOf(named, named.keys())) {
      if (!areSayings) terms.push(nameAsWord(index, name));
      else terms.push(names.has(name) ? speakerTerm(index, name) : spokenOfTerm(index, name, names));
    }
  }
  for (const name of asWords) terms.push({ ...nameAsWord(index, name), share: MEANT_WEIGHT });
  terms.push(...beside);
  return { terms, names, askedOfNames: namesAlone?.asked, dates, takenFor };
}

function namesOf(
  named: ReadonlyMap<string, readonly string[]>,
  words: Iterable<string>,
): ReadonlySet<string> {
  return new Set(Array.from(words, (word) => named.get(word)!).flat());
}

/** Whether anything is noted about any of those who are named. */
function areNoted(parts: readonly Part[], named: ReadonlyMap<string, readonly string[]>): boolean {
  const terms = [...namesOf(named, named.keys())].filter((name) => !isStopword(name)).map(termOf);
  return parts.some((part) =>
    terms.some((term) =>
      documentsOf(postingsInTexts(term, part)).some((document) => !isTurn(part, document)),
    ),
  );
}

function nameAsWord(index: RecallIndex, name: string): MatchTerm {
  const term = termOfName(name);
  const postings = ofEach(index.parts(), (part) =>
    unionPostings([postingsInTexts(term, part), part.postings(authorTerm(name))], part.count),
  );
  return { name: authorTerm(name), typed: name, postings };
}

/** Of somebody whose sayings are asked for. To name them often is not what they said. */
function speakerTerm(index: RecallIndex, name: string): MatchTerm {
  const term = nameAsWord(index, name);
  return { ...term, postings: ofEach(term.postings, (each) => listedOnce(documentsOf(each))) };
}

/** Of somebody whom the speakers are asked to have spoken of, or with: in what they said. */
function spokenOfTerm(index: RecallIndex, name: string, speakers: ReadonlySet<string>): MatchTerm {
  const postings = ofEach(index.parts(), (part) => {
    const marks = authorMarks(part, speakers);
    const documents = documentsOf(postingsInTexts(termOfName(name), part));
    return listedOnce(documents.filter((document) => marks[part.author[document]!] === 1));
  });
  return { name: authorTerm(name), typed: name, postings };
}

function termOfName(name: string): string {
  const [term = name] = termsOf([name]).keys();
  return term;
}

/** A phrase is a word of its own, and a rare one as a rule. */
function phraseTerm(phrase: readonly string[], documentsOfPart: readonly Int32Array[]): MatchTerm {
  return { name: phrase.join(' '), postings: ofEach(documentsOfPart, listedOnce) };
}

/** One term for all that a pattern matches: words as they were written, and their stems. */
function wildcardTerm(index: RecallIndex, text: string, calendar: Calendar): MatchTerm {
  const pattern = compileWildcard(text);
  const postings = ofEach(index.parts(), (part) => {
    const wanted = new Set<string>();
    const noteMatching = (term: string): void => {
      const word = term.startsWith(WRITTEN_MARK) ? term.slice(WRITTEN_MARK.length) : term;
      if (isWord(word) && matchesWildcard(pattern, word)) wanted.add(term);
    };
    for (const mark of ['', WRITTEN_MARK])
      for (const term of part.termsFrom(mark + pattern.prefix)) noteMatching(term);
    for (const term of termsOfMovedDays(part, calendar)) noteMatching(term);
    const matched = Array.from(wanted, (term) => postingsIn(calendar, term, part));
    return unionPostings(matched, part.count);
  });
  return { name: text, typed: text, postings };
}
