import { isWord } from './term-names.ts';
import { isLettersPiece, lettersOf } from './words.ts';

/** A word that may stand for the letters of a phrase from one unit to before another. */
export interface Step {
  readonly from: number;
  readonly to: number;
  readonly term: string;
}

/** What a dictionary has for a phrase, whose units are its letters and its plain terms. */
export interface LettersSteps {
  readonly units: number;
  /** Unit → the plain term that it is; no element where it is a letter. */
  readonly plain: readonly (string | undefined)[];
  /** Unit → the steps through letters that begin with it. */
  readonly fromUnit: ReadonlyMap<number, readonly Step[]>;
  /** The same by their words. */
  readonly ofTerm: ReadonlyMap<string, readonly Step[]>;
  /** Words that hold all of the phrase. */
  readonly holding: readonly string[];
}

/** All steps through the letters of a phrase that some terms are words for. */
export function lettersSteps(terms: Iterable<string>, phrase: readonly string[]): LettersSteps {
  const holding: string[] = [];
  const fromUnit = new Map<number, Step[]>();
  const ofTerm = new Map<string, Step[]>();
  const add = (step: Step): void => {
    push(fromUnit, step.from, step);
    push(ofTerm, step.term, step);
  };
  const { whole, plain, units, first, last } = stretchesOf(phrase);
  const lastAt = units - last.length;
  const starts = first.map((_, at) => first.slice(0, at + 1).join(''));
  const ends = last.map((_, at) => last.slice(at).join(''));
  const only = phrase.length === 1 ? lettersOf(phrase[0]!) : undefined;
  const codes = new Set<number>();
  for (const text of whole.keys()) codes.add(text.charCodeAt(0)).add(text.charCodeAt(text.length - 1));
  for (const term of terms) {
    if (only !== undefined && term.includes(only) && isWord(term)) holding.push(term);
    // Most have nothing to do with the phrase: one letter at either end tells that.
    if (codes.has(term.charCodeAt(0))) {
      for (const stretch of whole.get(term) ?? []) add({ ...stretch, term });
      for (const [at, end] of ends.entries())
        if (term.length > end.length && term.startsWith(end)) add({ from: lastAt + at, to: units, term });
    }
    if (codes.has(term.charCodeAt(term.length - 1)) && isWord(term)) {
      for (const [at, start] of starts.entries())
        if (term.length > start.length && term.endsWith(start)) add({ from: 0, to: at + 1, term });
    }
  }
  return { units, plain, fromUnit, ofTerm, holding };
}

/** Every stretch of letters that may be a whole word, with where it stands; and the letters of the first and last piece. */
function stretchesOf(phrase: readonly string[]) {
  const whole = new Map<string, { readonly from: number; readonly to: number }[]>();
  const plain: string[] = [];
  let units = 0;
  let first: readonly string[] = [];
  let last: readonly string[] = [];
  for (const [at, piece] of phrase.entries()) {
    const letters = isLettersPiece(piece) ? [...lettersOf(piece)] : [];
    if (letters.length === 0) plain[units++] = piece;
    if (at === 0) first = letters;
    last = letters;
    for (let from = 0; from < letters.length; from++) {
      for (let to = from + 1; to <= letters.length; to++)
        push(whole, letters.slice(from, to).join(''), { from: units + from, to: units + to });
    }
    units += letters.length;
  }
  return { whole, plain, units, first, last };
}

function push<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}
