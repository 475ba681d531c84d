/**
 * Which words of a query a memory holds, for those who ask why it was found.
 *
 * The day on which a memory was written is among its words, and nobody sees it in the text: what only that day answers is told
 * apart. Nothing of this is counted, so it is asked for the few memories that are given, and not while they are looked for.
 */

import { dateTerms } from './entry-text.ts';
import type { MatchTerm } from './match.ts';
import type { Part } from './part.ts';
import { frequencyIn, type ListedPostings, listed, type Postings } from './postings.ts';
import { type AskedDates, postingsIn } from './query-dates.ts';
import type { QueryTerms } from './query-terms.ts';
import { type Calendar, DAY, UTC_CALENDAR } from './time/calendar.ts';
import type { WordTerms } from './word-terms.ts';

export interface MatchedWords {
  /** In small letters, not stemmed, in the order of the query. */
  readonly matchedWords: readonly string[];
  /** Those of them that stand in nothing but the date of the memory. */
  readonly matchedByDate: readonly string[];
  /** Words that are in no memory, with what they were taken for, as far as this one holds it. */
  readonly takenFor?: Readonly<Record<string, readonly string[]>>;
}

export class WordsOfQuery {
  readonly #parts: readonly Part[];
  readonly #terms: readonly MatchTerm[];
  readonly #takenFor: WordTerms['takenFor'];
  // Postings are written out once, and not for every memory that is given.
  readonly #listed = new Map<Postings, ListedPostings>();
  readonly #ofTerm = new Map<string, ListedPostings>();
  readonly #dates: AskedDates;
  readonly #dateTerms = new Map<number, ReadonlySet<string>>();

  constructor(
    parts: readonly Part[],
    { terms, dates, takenFor }: Omit<QueryTerms, 'names' | 'askedOfNames'>,
  ) {
    this.#parts = parts;
    this.#terms = terms;
    this.#takenFor = takenFor;
    this.#dates = dates;
  }

  /** @param partNumber of the part among those that the terms were looked for in */
  in(partNumber: number, document: number): MatchedWords {
    const matchedWords = new Set<string>();
    const matchedByDate = new Set<string>();
    for (const { name, typed, postings } of this.#terms) {
      if (typed === undefined || !this.#isHeld(postings[partNumber]!, document)) continue;
      matchedWords.add(typed);
      const ways = [name, ...(this.#dates.otherNames.get(name) ?? [])];
      if (this.#areOfDateAlone(partNumber, ways, document)) matchedByDate.add(typed);
    }
    const takenFor = this.#takenForIn(partNumber, document);
    return {
      matchedWords: [...matchedWords],
      matchedByDate: [...matchedByDate],
      ...(takenFor.length === 0 ? {} : { takenFor: Object.fromEntries(takenFor) }),
    };
  }

  /** As far as the memory holds the words: it explains nothing else, and tells nothing of memories that are not given. */
  #takenForIn(partNumber: number, document: number): (readonly [typed: string, words: string[]])[] {
    const { calendar } = this.#dates;
    return Array.from(this.#takenFor, ([typed, meant]) => {
      const held = meant.filter(
        ({ term }) => frequencyIn(this.#postings(partNumber, term, calendar), document) > 0,
      );
      return [typed, held.map(({ word }) => word)] as const;
    }).filter(([, words]) => words.length > 0);
  }

  #isHeld(postings: Postings, document: number): boolean {
    let all = this.#listed.get(postings);
    if (all === undefined) {
      all = listed(postings);
      this.#listed.set(postings, all);
    }
    return frequencyIn(all, document) > 0;
  }

  /** A date holds its words once, in the index that of UTC: whoever has one more often has written it. */
  #areOfDateAlone(partNumber: number, ways: readonly string[], document: number): boolean {
    const timeMs = this.#parts[partNumber]!.time[document]!;
    if (Number.isNaN(timeMs)) return false;
    const here = this.#dateTermsOf(this.#dates.calendar.dayOf(timeMs));
    const inIndex = this.#dateTermsOf(Math.floor(timeMs / DAY));
    const isWritten = (term: string): boolean =>
      frequencyIn(this.#postings(partNumber, term), document) > (inIndex.has(term) ? 1 : 0);
    return ways.some((term) => here.has(term)) && !ways.some(isWritten);
  }

  #dateTermsOf(day: number): ReadonlySet<string> {
    let terms = this.#dateTerms.get(day);
    if (terms === undefined) {
      terms = dateTerms(day * DAY);
      this.#dateTerms.set(day, terms);
    }
    return terms;
  }

  #postings(partNumber: number, term: string, calendar: Calendar = UTC_CALENDAR): ListedPostings {
    const key = `${partNumber} ${calendar === UTC_CALENDAR} ${term}`;
    let all = this.#ofTerm.get(key);
    if (all === undefined) {
      all = listed(postingsIn(calendar, term, this.#parts[partNumber]!));
      this.#ofTerm.set(key, all);
    }
    return all;
  }
}
