/**
 * From a query to the terms that are scored: its words (`word-terms.ts`), phrases and wildcards, and the names of authors among
 * its words (`named-authors.ts`). When nothing else is left, or only that something was said, a name is looked for like a word.
 */

import { wordsOfMeasure } from './asking-words.ts';
import { withoutFullMinutes } from './digit-groups.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import type { MatchTerm } from './match.ts';
import { termsOfMovedDays } from './moved-days.ts';
import { namedAuthors } from './named-authors.ts';
import { ofEach } from './of-each.ts';
import type { FoundPhrases } from './phrase.ts';
import { listedOnce, unionPostings } from './postings.ts';
import { type AskedDates, namedDates, postingsIn, postingsInTexts, withoutModal } from './query-dates.ts';
import { type QueryText, sayNothing, sayOnlyThatItWasSaid, termsOf } from './query-text.ts';
import type { RecallIndex } from './recall-index.ts';
import { authorTerm, isWord } from './term-names.ts';
import { type AskedTimes, daysMeant, wordsOfRelativeTimes } from './time-alone.ts';
import type { Calendar } from './time-expression.ts';
import { MEANT_WEIGHT, MEASURE_WEIGHT, TIME_WORD_WEIGHT, WORD_OF_DATE } from './weights.ts';
import { comingDaysTerm, wholeDates, wholeDateTerm } from './whole-dates.ts';
import { compileWildcard, matchesWildcard } from './wildcard.ts';
import { isHeld, type WordTerms, wordTerms } from './word-terms.ts';
import { isLettersPiece, termOf } from './words.ts';

export interface QueryTerms extends WordTerms {
  /** Words of the query that are names of authors. */
  readonly names: ReadonlySet<string>;
  /** Whether it asks for whatever they said. */
  readonly isForNames: boolean;
  readonly dates: AskedDates;
}

/**
 * @param phrases of the text, found
 * @param raw the text as it was typed, with the times that it speaks of
 * @param calendar of the place where it is asked
 */
export function queryTerms(
  index: RecallIndex,
  text: QueryText,
  phrases: FoundPhrases,
  raw: string,
  asked: AskedTimes,
  calendar: Calendar,
): QueryTerms {
  const parts = index.parts();
  const { mentions } = asked;
  const { named, otherNames } = namedDates(raw, mentions);
  const dates: AskedDates = { named, otherNames, calendar };
  const counted = withoutFullMinutes(withoutModal(text.words, named, text.capitalised), raw, text.quoted);
  const { names, asWords, others } = namedAuthors(parts, text, counted, raw, mentions, dates);
  // "Last week" says when, and nothing of what.
  const ofTime = wordsOfRelativeTimes(raw, mentions);
  const untimed = ofTime.size > 0 ? others.filter((word) => !ofTime.has(word)) : others;
  const isForNames = names.size > 0 && !sayNothing(others) && sayOnlyThatItWasSaid(untimed);
  const { terms: words, takenFor } = wordTerms(parts, text, isForNames ? [] : others, dates);
  const meant = daysMeant(raw, asked, calendar);
  const today = calendar.dayOf(asked.nowMs);
  const coming = meant.toCome.map((days) => comingDaysTerm(parts, days, days.first > today, calendar));
  const timeTerms = new Set([...ofTime, ...meant.words].map(termOf));
  const besideTime = words.filter(({ name }) => !timeTerms.has(name));
  const isHeldBesideTime = besideTime.some(({ postings }) => isHeld(postings));
  const measures = new Set(wordsOfMeasure(text.words).map(termOf));
  const isSubjectHeld = besideTime.some(({ name, postings }) => !measures.has(name) && isHeld(postings));
  // Where "deadlines" were asked for and nobody wrote of them, "week" is no answer: what is of that week is.
  const isOnlyOfTime = !asked.isAlone && besideTime.length > 0 && !isHeldBesideTime;
  const looked = isOnlyOfTime ? besideTime : words;
  const whole = wholeDates(raw, mentions, text.quoted);
  const days = whole.dates.map((date) => wholeDateTerm(parts, date, calendar, meant.plansFrom));
  // Where nobody speaks of that day, its words are still no answer.
  const ideal = days.some((day) => isHeld(day.postings)) ? WORD_OF_DATE : 1;
  const terms = ofEach(looked, (term) => {
    if (whole.words.has(term.name)) return { ...term, share: WORD_OF_DATE, idealShare: ideal };
    if (isHeldBesideTime && timeTerms.has(term.name)) return { ...term, share: TIME_WORD_WEIGHT };
    return isSubjectHeld && measures.has(term.name) ? { ...term, share: MEASURE_WEIGHT } : term;
  });
  if (sayNothing(others) || !isHeldBesideTime) {
    for (const name of names) terms.push(nameAsWord(index, name));
  }
  for (const name of asWords) terms.push({ ...nameAsWord(index, name), share: MEANT_WEIGHT });
  terms.push(...days);
  for (const { terms: phrase, documents } of phrases) {
    if (whole.phrases.has(phrase.join(' '))) continue;
    // Letters may be cut into words that no text was cut into: only as a whole they are surely found.
    if (phrase.length > 1 || isLettersPiece(phrase[0]!)) terms.push(phraseTerm(phrase, documents));
  }
  for (const day of meant.holidays) terms.push(wholeDateTerm(parts, day, calendar));
  terms.push(...coming);
  for (const pattern of text.wildcards) terms.push(wildcardTerm(index, pattern, calendar));
  return { terms, names, isForNames, dates, takenFor };
}

function nameAsWord(index: RecallIndex, name: string): MatchTerm {
  const [term = name] = termsOf([name]).keys();
  const postings = ofEach(index.parts(), (part) =>
    unionPostings([postingsInTexts(term, part), part.postings(authorTerm(name))], part.count),
  );
  return { name: authorTerm(name), typed: name, postings };
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
