/**
 * What a mistyped word was meant to be.
 *
 * A query word that no memory holds is taken for the nearest words that memories hold. The first letter is hardly ever wrong, so
 * only words with the same one are compared (`edit-distance.ts`), as written and by their stems, in live memories alone.
 */

import {
  EditDistance,
  isStopword,
  MAX_MEANT,
  MIN_MISTYPED_LETTERS,
  TWO_ERRORS_LETTERS,
  termOf,
} from '../analysis/index.ts';
import { type Part, WRITTEN_MARK } from '../index/index.ts';

export interface MeantWord {
  /** As it was written, or its stem. */
  readonly word: string;
  /** Under which it is found. */
  readonly term: string;
}

const NONE: readonly MeantWord[] = [];

/** The words that a word which is in no memory is taken for, the nearest and then the most frequent first. */
export function meantWords(parts: readonly Part[], typed: string): readonly MeantWord[] {
  if (!mayBeMistyped(typed)) return NONE;
  const withOneError = knownWithin(parts, typed, 1);
  if (withOneError.length > 0 || typed.length < TWO_ERRORS_LETTERS) return withOneError;
  return knownWithin(parts, typed, 2);
}

/** Numbers and codes mean themselves; letters without case are of scripts in which words are cut in other ways. */
function mayBeMistyped(typed: string): boolean {
  if (typed.length < MIN_MISTYPED_LETTERS || isStopword(typed)) return false;
  for (const letter of typed) if (letter.toUpperCase() === letter.toLowerCase()) return false;
  return true;
}

interface Candidate extends MeantWord {
  readonly distance: number;
  readonly holders: number;
}

/** @param most errors, and letters at the beginning that have none */
function knownWithin(parts: readonly Part[], typed: string, most: number): readonly MeantWord[] {
  const distances = new Map<string, number>();
  for (const mark of ['', WRITTEN_MARK]) {
    for (const part of parts) noteNear(part, mark, typed, most, distances);
  }
  const holdersOf = (term: string): number => parts.reduce((sum, part) => sum + part.postings(term).count, 0);
  const byTerm = new Map<string, Candidate>();
  for (const [name, distance] of [...distances].sort(([left], [right]) => (left < right ? -1 : 1))) {
    if (holdersOf(name) === 0) continue;
    const word = name.startsWith(WRITTEN_MARK) ? name.slice(WRITTEN_MARK.length) : name;
    const term = word === name ? name : termOf(word);
    if ((byTerm.get(term)?.distance ?? most + 1) <= distance) continue;
    byTerm.set(term, { word, term, distance, holders: holdersOf(term) });
  }
  return [...byTerm.values()]
    .sort(
      (left, right) =>
        left.distance - right.distance || right.holders - left.holders || (left.term < right.term ? -1 : 1),
    )
    .slice(0, MAX_MEANT);
}

/** Notes the terms of a part that are near, those that only memories hold which are gone among them. */
function noteNear(
  part: Part,
  mark: string,
  typed: string,
  most: number,
  distances: Map<string, number>,
): void {
  const distance = new EditDistance(typed, most);
  const note = (term: string): void => {
    const errors = distance.to(term.slice(mark.length));
    if (errors <= most) distances.set(term, errors);
  };
  const prefix = mark + typed.slice(0, most);
  const walk = part.termsFrom(prefix);
  for (let next = walk.next(); next.done !== true; ) {
    note(next.value);
    next = walk.next(distance.ruledOutBy === 0 ? 0 : mark.length + distance.ruledOutBy);
  }
}
