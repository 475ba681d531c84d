/**
 * Phrases of scripts in which a reader cannot tell where a word ends.
 *
 * Where Chinese or Japanese is cut into words depends on what stands around them, so that the letters of a phrase may be
 * cut in one way by themselves and in another in a text: 在清华 is two words, and 在清华大学 has none that is 清华. The
 * letters stand one behind the other in a text if they are what is left of a word's end, some whole words, and the
 * beginning of another, at places that follow one another, or a part of one word. Which words these can be, the
 * dictionary tells: one walk through it, as for a wildcard, finds all that end, are or begin with a piece of the phrase.
 *
 * Korean has spaces, and joins particles to its words: a phrase of it may begin and end inside of one as well.
 *
 * Words of other scripts between the letters, of which a phrase may have thousands, are looked for as in every phrase:
 * only documents that hold all of them are looked at, each term is read once, and the places are followed in one
 * document after the other, for as long as the phrase goes on there. Ways to go there are many for the letters alone,
 * which `MAX_PHRASE_LETTERS` bounds.
 */

import { intersectLists } from './filter.ts';
import { documentsWithAll, holds } from './holders.ts';
import { type LettersSteps, lettersSteps, type Step } from './letters-steps.ts';
import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';
import { isLettersPiece } from './words.ts';

/** One look-up among rising numbers costs about as much as to pass by so many of them. */
const FEW = 16;

/** A word of a document that may be a part of the phrase, with its places there, rising. */
interface PlacedWord {
  readonly steps: readonly Step[];
  readonly places: Int32Array;
}

export function hasLetters(phrase: readonly string[]): boolean {
  return phrase.some(isLettersPiece);
}

/** The live documents of a part that hold a phrase with pieces of letters, rising. */
export function documentsWithLetters(part: Part, phrase: readonly string[]): Int32Array {
  const plainTerms = [...new Set(phrase.filter((piece) => !isLettersPiece(piece)))];
  const holders = plainTerms.length > 0 ? documentsWithAll(part, plainTerms) : undefined;
  if (holders?.length === 0) return holders;
  const ways = lettersSteps(part.termsFrom(''), phrase);
  /** By term, those of the holders that have it. */
  const listed = new Map<string, Int32Array>();
  for (const term of ways.ofTerm.keys()) {
    const documents = documentsOf(part.postings(term));
    listed.set(term, holders ? intersectLists(holders, documents) : documents);
  }
  const found = new Uint8Array(part.count);
  for (const term of ways.holding)
    for (const document of documentsOf(part.postings(term))) found[document] = 1;
  const candidates = candidatesOf(part, ways, { holders, listed });
  if (candidates) {
    for (const [document, mark] of found.entries()) if (mark === 1) candidates[document] = 0;
    for (const document of placedDocuments(part, ways, { plainTerms, listed, candidates }))
      found[document] = 1;
  }
  return markedIn(found);
}

/**
 * Marks documents that hold words for all of the phrase, wherever these stand: few do, and the places of the others are
 * never read. `undefined` when the part has no words for some of it.
 */
function candidatesOf(
  part: Part,
  { plain, fromUnit, units }: LettersSteps,
  {
    holders,
    listed,
  }: {
    readonly holders: Int32Array | undefined;
    readonly listed: ReadonlyMap<string, Int32Array>;
  },
): Uint8Array | undefined {
  /** Unit → documents that have words for all before it; of units from here on, and only of those that are reached. */
  const reached = new Map<number, Uint8Array>();
  const all = new Uint8Array(part.count);
  if (holders) for (const document of holders) all[document] = 1;
  else all.fill(1);
  reached.set(0, all);
  for (let unit = 0; unit < units; unit++) {
    const here = reached.get(unit);
    if (here === undefined) continue;
    reached.delete(unit);
    // The holders have all of the plain terms.
    if (plain[unit] !== undefined) reached.set(unit + 1, here);
    for (const { to, term } of fromUnit.get(unit) ?? []) {
      const there = reached.get(to) ?? new Uint8Array(part.count);
      reached.set(to, there);
      for (const document of listed.get(term)!) if (here[document] === 1) there[document] = 1;
    }
  }
  return reached.get(units);
}

/** The candidates in which the steps can be taken at places that follow one another. */
function placedDocuments(
  part: Part,
  ways: LettersSteps,
  {
    plainTerms,
    listed,
    candidates,
  }: {
    readonly plainTerms: readonly string[];
    readonly listed: ReadonlyMap<string, Int32Array>;
    readonly candidates: Uint8Array;
  },
): Int32Array {
  const documents = markedIn(candidates);
  if (documents.length === 0) return documents;
  const plainPlaces = new Map(plainTerms.map((term) => [term, part.positions(term, documents)]));
  const words = new Map<number, PlacedWord[]>();
  for (const document of documents) words.set(document, []);
  for (const [term, steps] of ways.ofTerm) {
    const holders = listed.get(term)!.filter((document) => candidates[document] === 1);
    if (holders.length === 0) continue;
    for (const [at, places] of part.positions(term, holders).entries())
      words.get(holders[at]!)!.push({ steps, places });
  }
  return documents.filter((document, at) =>
    followOneAnother(ways, words.get(document)!, (term) => plainPlaces.get(term)![at]!),
  );
}

/** Whether the phrase can be followed from its first to its last unit in one document. */
function followOneAnother(
  { plain, units }: LettersSteps,
  words: readonly PlacedWord[],
  plainPlaces: (term: string) => Int32Array,
): boolean {
  const fromUnit = new Map<number, { readonly to: number; readonly places: Int32Array }[]>();
  for (const { steps, places } of words) {
    for (const { from, to } of steps) {
      const others = fromUnit.get(from);
      if (others) others.push({ to, places });
      else fromUnit.set(from, [{ to, places }]);
    }
  }
  /** Unit → the places, rising, at which a word ends that has brought the phrase so far; of reached units from here on. */
  const ends = new Map<number, readonly number[]>();
  for (let unit = 0; unit < units; unit++) {
    const before = ends.get(unit);
    ends.delete(unit);
    if (unit > 0 && before === undefined) {
      if (ends.size === 0) return false;
      continue;
    }
    const term = plain[unit];
    const next =
      term === undefined ? (fromUnit.get(unit) ?? []) : [{ to: unit + 1, places: plainPlaces(term) }];
    for (const { to, places } of next) {
      const reached = before === undefined ? [...places] : placesBehind(before, places);
      if (reached.length === 0) continue;
      const others = ends.get(to);
      ends.set(to, others === undefined ? reached : eitherOf(others, reached));
    }
  }
  return ends.has(units);
}

/** Those of some places that come right behind one of others. All are rising. */
function placesBehind(before: readonly number[], places: Int32Array): number[] {
  // Few are looked up: a phrase that goes on at one place must not read all that a frequent word has, at every step.
  if (before.length * FEW < places.length)
    return before.map((place) => place + 1).filter((place) => holds(places, place));
  const behind: number[] = [];
  let at = 0;
  for (const place of before) {
    while (at < places.length && places[at]! <= place) at++;
    if (places[at] === place + 1) behind.push(place + 1);
  }
  return behind;
}

/** The places of two lists, rising as they are. */
function eitherOf(left: readonly number[], right: readonly number[]): number[] {
  const either: number[] = [];
  let at = 0;
  for (const place of left) {
    while (at < right.length && right[at]! < place) either.push(right[at++]!);
    if (right[at] === place) at++;
    either.push(place);
  }
  while (at < right.length) either.push(right[at++]!);
  return either;
}

function markedIn(marks: Uint8Array): Int32Array {
  const documents = new Int32Array(marks.length);
  let count = 0;
  for (let document = 0; document < marks.length; document++)
    if (marks[document] === 1) documents[count++] = document;
  return documents.subarray(0, count);
}
