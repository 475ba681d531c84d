/** What a word that nobody wrote may be meant to be, by its definition. */

import { isStopword, STOPWORDS } from '../../src/recall/stopwords.ts';
import { MISTAKEN_LETTERS } from '../../src/recall/weights.ts';
import { mayBeOne } from './naive-query.ts';
import { termOf } from './naive-words.ts';

/** Errors between two words, one after the other (Damerau and Levenshtein). */
export function naiveDistance(one: string, other: string): number {
  const known = new Map<string, number>();
  const between = (left: number, right: number): number => {
    if (left === 0 || right === 0) return left + right;
    const key = `${left} ${right}`;
    const answer = known.get(key);
    if (answer !== undefined) return answer;
    const isSame = one[left - 1] === other[right - 1];
    const ways = [
      between(left - 1, right) + 1,
      between(left, right - 1) + 1,
      between(left - 1, right - 1) + (isSame ? 0 : 1),
    ];
    if (one[left - 1] === other[right - 2] && one[left - 2] === other[right - 1] && left > 1 && right > 1)
      ways.push(between(left - 2, right - 2) + 1);
    const least = Math.min(...ways);
    known.set(key, least);
    return least;
  };
  return between(one.length, other.length);
}

/** Every word that comes of another when a letter is left out, typed twice, or changes places with the next. */
function slipsOf(meant: string): string[] {
  const places = Array.from(meant, (_, at) => at);
  return places.flatMap((at) => {
    const [before, behind] = [meant.slice(0, at), meant.slice(at + 1)];
    return [
      before + behind,
      before + meant[at] + meant[at] + behind,
      before + (behind[0] ?? '') + meant[at] + behind.slice(1),
    ];
  });
}

/** A short word with another letter in the place of the right one is another word. */
export function isSlip(typed: string, meant: string): boolean {
  const isEnglish = /^[\0-\x7f]*$/.test(typed);
  return typed.length >= MISTAKEN_LETTERS || !isEnglish || slipsOf(meant).includes(typed);
}

/** Whether a word is one that says nothing with one error in it, and not in its first letter. */
export function isNearStopword(word: string): boolean {
  return [...STOPWORDS].some((each) => each[0] === word[0] && naiveDistance(word, each) <= 1);
}

/** The terms of the two words that a word may be cut into, the most even cut first. */
export function evenCuts(word: string): [first: string, last: string][] {
  return Array.from(
    { length: word.length - 1 },
    (_, at) => [word.slice(0, at + 1), word.slice(at + 1)] as const,
  )
    .filter(([first, last]) => mayBeOne(first, last))
    .sort((left, right) => unevenness(left) - unevenness(right))
    .map(([first, last]) => [termOf(first), termOf(last)]);
}

const unevenness = ([first, last]: readonly [string, string]): number => Math.abs(first.length - last.length);

export function mayBeMistyped(typed: string, minLetters: number): boolean {
  const isOfLetters = [...typed].every((letter) => letter.toUpperCase() !== letter.toLowerCase());
  return typed.length >= minLetters && isOfLetters && !isStopword(typed) && !isNearStopword(typed);
}
