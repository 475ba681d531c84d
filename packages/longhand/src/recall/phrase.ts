import { dateHolding, dateTerms } from './entry-text.ts';
import { documentsWithAll, holds, type IsWanted } from './holders.ts';
import { documentsWithLetters, hasLetters } from './letters-phrase.ts';
import { movedDays } from './moved-days.ts';
import type { Part } from './part.ts';
import { type Calendar, DAY, UTC_CALENDAR } from './time/calendar.ts';

/** Each phrase of a query with the live documents of each part in which its pieces follow one another. */
export type FoundPhrases = readonly {
  readonly terms: readonly string[];
  readonly documents: readonly Int32Array[];
}[];

/** Finds where pieces follow one another in a document, from the places of each different piece. */
type Follows = (places: readonly Int32Array[]) => boolean;

const BITS = 32;

/**
 * @param calendar of the place where it is asked: the day on which a memory was written is among its words
 * @param isWanted of the others some may be found as well
 */
export function findPhrases(
  parts: readonly Part[],
  phrases: readonly (readonly string[])[],
  calendar: Calendar,
  isWanted?: IsWanted,
): FoundPhrases {
  return phrases.map((terms) => ({
    terms,
    documents: parts.map((part) => byDays(part, terms, phraseDocuments(part, terms, isWanted), calendar)),
  }));
}

/** With what has the phrase in its day in a place, and without what has it only in that of UTC. */
function byDays(part: Part, terms: readonly string[], found: Int32Array, calendar: Calendar): Int32Array {
  if (calendar === UTC_CALENDAR || !terms.every((term) => dateHolding(term) !== undefined)) return found;
  const moved = movedDays(part, calendar);
  const known = new Map<number, boolean>();
  const isIn = (day: number): boolean => {
    const isKnown =
      known.get(day) ?? ` ${[...dateTerms(day * DAY)].join(' ')} `.includes(` ${terms.join(' ')} `);
    known.set(day, isKnown);
    return isKnown;
  };
  const documents = new Set(found);
  for (const [at, document] of moved.documents.entries()) {
    const isHere = isIn(moved.days[at]!);
    const isInUtc = isIn(Math.floor(part.time[document]! / DAY));
    if (isHere && !isInUtc && part.dead?.[document] !== 1) documents.add(document);
    // Its text may hold the phrase as well.
    if (isInUtc && !isHere && timesIn(part, terms, document) === 1) documents.delete(document);
  }
  return Int32Array.from(documents).sort();
}

/** How often a document holds a phrase of different terms. */
function timesIn(part: Part, terms: readonly string[], document: number): number {
  const places = terms.map((term) => part.positions(term, Int32Array.of(document))[0]!);
  return places[0]!.filter((start) => places.every((list, step) => holds(list, start + step))).length;
}

function phraseDocuments(part: Part, terms: readonly string[], isWanted?: IsWanted): Int32Array {
  if (hasLetters(terms)) return documentsWithLetters(part, terms);
  const distinct = [...new Set(terms)];
  const holders = documentsWithAll(part, distinct, isWanted);
  if (terms.length === 1 || holders.length === 0) return holders;
  const positions = distinct.map((term) => part.positions(term, holders));
  const follows = distinct.length === terms.length ? followOnce : followRepeated(terms, distinct);
  return holders.filter((_, at) => follows(positions.map((ofTerm) => ofTerm[at]!)));
}

/** Every piece once: no two beginnings can have a piece in common, so what is tried is never more than the text. */
const followOnce: Follows = (places) =>
  places[0]!.some((start) => places.every((list, step) => holds(list, start + step)));

/**
 * With pieces that come again, every place of the text may be a beginning, and each would be tried to its end: a word
 * that is said thousands of times took seconds. So all beginnings are followed at the same time, 32 in a step: a bit for
 * every piece of the phrase says that the phrase up to it ends at the place that was looked at last.
 */
function followRepeated(terms: readonly string[], distinct: readonly string[]): Follows {
  const words = Math.ceil(terms.length / BITS);
  const lastBit = 1 << ((terms.length - 1) % BITS);
  const bitsOf = stepsOf(terms, distinct);
  return (places) => {
    let reached = new Int32Array(words);
    let next = new Int32Array(words);
    let reachedAt = Number.NaN;
    for (const [place, pieces] of piecesByPlace(places)) {
      if (place !== reachedAt + 1) reached.fill(0);
      for (const piece of pieces) {
        for (const [word, bits] of bitsOf[piece]!) {
          // What was reached moves on by one piece, out of the word before as well; a new beginning is made in the first.
          const carried = word === 0 ? 1 : reached[word - 1]! >>> (BITS - 1);
          next[word]! |= ((reached[word]! << 1) | carried) & bits;
        }
      }
      if ((next[words - 1]! & lastBit) !== 0) return true;
      [reached, next] = [next, reached.fill(0)];
      reachedAt = place;
    }
    return false;
  };
}

/** For each different piece the words of bits in which it has any, and those bits: where in the phrase it stands. */
function stepsOf(
  terms: readonly string[],
  distinct: readonly string[],
): readonly (readonly (readonly [number, number])[])[] {
  const found = new Map(distinct.map((term) => [term, new Map<number, number>()]));
  for (const [step, term] of terms.entries()) {
    const words = found.get(term)!;
    const word = Math.floor(step / BITS);
    words.set(word, (words.get(word) ?? 0) | (1 << (step % BITS)));
  }
  return [...found.values()].map((words) => [...words]);
}

/** The places of a document in their order, each with the pieces (their numbers) that stand there. */
function* piecesByPlace(
  places: readonly Int32Array[],
): Generator<readonly [place: number, pieces: number[]]> {
  // Sorted as one number each.
  const marks = new Float64Array(places.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const [piece, list] of places.entries())
    for (const place of list) marks[count++] = place * places.length + piece;
  marks.sort();
  let at: number | undefined;
  let pieces: number[] = [];
  for (const mark of marks) {
    const place = Math.floor(mark / places.length);
    if (at !== undefined && place !== at) {
      yield [at, pieces];
      pieces = [];
    }
    at = place;
    pieces.push(mark % places.length);
  }
  if (at !== undefined) yield [at, pieces];
}
