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
 */

import type { Part } from './part.ts';
import { documentsOf } from './postings.ts';
import { isWord } from './term-names.ts';
import { isLettersPiece, lettersOf } from './words.ts';

/** A word that may stand for the stretch of a phrase from one unit to before another. */
interface Step {
  readonly from: number;
  readonly to: number;
  readonly term: string;
}

export function hasLetters(phrase: readonly string[]): boolean {
  return phrase.some(isLettersPiece);
}

/** The live documents of a part that hold a phrase with pieces of letters. */
export function documentsWithLetters(part: Part, phrase: readonly string[]): Int32Array {
  const { steps, holding, units } = stepsOf(part, phrase);
  // First by documents alone: few hold all that is needed, and the places of the others are never read.
  const reached = Array.from({ length: units + 1 }, () => new Uint8Array(part.count));
  reached[0]!.fill(1);
  const listed = steps.map(({ term }) => documentsOf(part.postings(term)));
  for (const [at, { from, to }] of steps.entries()) {
    for (const document of listed[at]!) if (reached[from]![document] === 1) reached[to]![document] = 1;
  }
  const found = new Uint8Array(part.count);
  const candidates = reached[units]!;
  for (const term of holding) for (const document of documentsOf(part.postings(term))) found[document] = 1;
  if (candidates.includes(1)) checkPlaces(part, { steps, listed, candidates, units }, found);
  return Int32Array.from([...found.keys()].filter((document) => found[document] === 1));
}

/** Marks the candidates in which the steps can be taken at places that follow one another. */
function checkPlaces(
  part: Part,
  {
    steps,
    listed,
    candidates,
    units,
  }: {
    readonly steps: readonly Step[];
    readonly listed: readonly Int32Array[];
    readonly candidates: Uint8Array;
    readonly units: number;
  },
  found: Uint8Array,
): void {
  /** Document → unit → the places at which a word ends that has brought the phrase so far. */
  const ends = new Map<number, Set<number>[]>();
  for (const [at, { from, to, term }] of steps.entries()) {
    const holders = listed[at]!.filter((document) => candidates[document] === 1 && found[document] === 0);
    for (const [holder, places] of part.positions(term, holders).entries()) {
      const document = holders[holder]!;
      let ofDocument = ends.get(document);
      if (ofDocument === undefined) {
        ofDocument = Array.from({ length: units + 1 }, () => new Set<number>());
        ends.set(document, ofDocument);
      }
      for (const place of places)
        if (from === 0 || ofDocument[from]!.has(place - 1)) ofDocument[to]!.add(place);
    }
  }
  for (const [document, ofDocument] of ends) if (ofDocument[units]!.size > 0) found[document] = 1;
}

/** All steps through a phrase that a part has words for, those from the front first, and words that hold all of it. */
function stepsOf(
  part: Part,
  phrase: readonly string[],
): { readonly steps: readonly Step[]; readonly holding: readonly string[]; readonly units: number } {
  const steps: Step[] = [];
  const holding: string[] = [];
  /** Stretches that are whole words. */
  const whole = new Map<string, { readonly from: number; readonly to: number }[]>();
  let units = 0;
  let first: readonly string[] = [];
  let last: readonly string[] = [];
  for (const [at, piece] of phrase.entries()) {
    const letters = isLettersPiece(piece) ? [...lettersOf(piece)] : [];
    if (letters.length === 0) steps.push({ from: units, to: ++units, term: piece });
    if (at === 0) first = letters;
    last = letters;
    for (let from = 0; from < letters.length; from++) {
      for (let to = from + 1; to <= letters.length; to++) {
        const text = letters.slice(from, to).join('');
        whole.set(text, [...(whole.get(text) ?? []), { from: units + from, to: units + to }]);
      }
    }
    units += letters.length;
  }
  const lastAt = units - last.length;
  const starts = first.map((_, at) => first.slice(0, at + 1).join(''));
  const ends = last.map((_, at) => last.slice(at).join(''));
  const only = phrase.length === 1 ? lettersOf(phrase[0]!) : undefined;
  const codes = new Set<number>();
  for (const text of whole.keys()) codes.add(text.charCodeAt(0)).add(text.charCodeAt(text.length - 1));
  for (const term of part.termsFrom('')) {
    if (only !== undefined && term.includes(only) && isWord(term)) holding.push(term);
    // Most have nothing to do with the phrase: one letter at either end tells that.
    if (codes.has(term.charCodeAt(0))) {
      for (const step of whole.get(term) ?? []) steps.push({ ...step, term });
      for (const [at, end] of ends.entries())
        if (term.length > end.length && term.startsWith(end))
          steps.push({ from: lastAt + at, to: units, term });
    }
    if (codes.has(term.charCodeAt(term.length - 1)) && isWord(term)) {
      for (const [at, start] of starts.entries())
        if (term.length > start.length && term.endsWith(start)) steps.push({ from: 0, to: at + 1, term });
    }
  }
  return { steps: steps.sort((left, right) => left.from - right.from), holding, units };
}
