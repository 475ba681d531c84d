import { asState, withoutCorrection } from './demo-corrections.ts';
import type { Statement } from './demo-prompt.ts';

/** Finding the statement that answers a question, by the words that they share. */

/** Words that say nothing. */
const GRAMMAR = new Set(
  (
    'a about all am an and any are as at be been by can could did do does for from had has have he her his how i in ' +
    'is it its know me mine my of on or our please remember say she tell that the their them there they this to us ' +
    'was we were what when where which who why will with would you your'
  ).split(' '),
);
/** Words that say little beside others, and all where they stand alone: “What is my name?” */
const WEAK = new Set(
  'called favorite favourite like liked likes love loves name named names prefer prefers'.split(' '),
);
/** A statement must share so many of the words that matter. */
const ENOUGH = 0.5;
const ANOTHER = 0.01;

/** The words that matter, without their commonest endings. */
export function wordsOf(text: string): string[] {
  return stemsOf(text, isCommon);
}

function stemsOf(text: string, isLeftOut: (word: string) => boolean): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [...new Set(words.filter((word) => word.length > 1 && !isLeftOut(word)).map(stem))];
}

function isCommon(word: string): boolean {
  return GRAMMAR.has(word) || WEAK.has(word);
}

function stem(word: string): string {
  return word.length > 4 ? word.replace(/(?:ing|ed|es|s)$/, '') : word.replace(/(?<=..)s$/, '');
}

/** `undefined` when none says enough of what is asked. Of several that say as much, the newest. */
export function bestStatement(question: string, statements: readonly Statement[]): Statement | undefined {
  let best: { readonly statement: Statement; readonly share: number } | undefined;
  for (const statement of statements) {
    const share = shareOf(question, statement.text);
    if (share === 0 || (best !== undefined && share < best.share)) continue;
    if (best === undefined || share > best.share || isNewer(statement, best.statement))
      best = { statement, share };
  }
  return best?.statement;
}

/**
 * How much of what is asked a statement speaks of, 0 when it is not enough or of something else: what is asked about
 * (“my brother”, “Anna”) has to be in it, and it has to be about the same thing (“my dog's birthday” is not mine).
 */
export function shareOf(question: string, statement: string): number {
  const wanted = wordsOf(question);
  if (wanted.length === 0) return shareOfOwn(question, statement);
  const words = new Set(wordsOf(asState(statement)));
  if (subjectsOf(question).some((word) => !words.has(word))) return 0;
  const [owned = []] = ownedIn(statement);
  const others = ownedIn(question).length === 0 ? [] : owned.filter((word) => !wanted.includes(word));
  if (others.length > 0 && others.length === owned.length) return 0;
  const share = wanted.filter((word) => words.has(word)).length / Math.max(1, wanted.length);
  // “My dog walker” is not quite “my dog”.
  return share < ENOUGH ? 0 : share - others.length * ANOTHER;
}

/** Shorter beginnings are shared by words that have nothing to do with each other. */
const SHARED_LETTERS = 6;

/** Whether a statement speaks of what is asked, be it in a word of the same family: “allergies”, “allergic”. */
export function isAbout(question: string, statement: string): boolean {
  const words = wordsOf(statement);
  return wordsOf(question).some((wanted) =>
    words.some(
      (word) =>
        word === wanted ||
        (wanted.length >= SHARED_LETTERS && word.startsWith(wanted.slice(0, SHARED_LETTERS))),
    ),
  );
}

/** “What is my name?”, “What do I prefer?”: about whoever asks, and so nothing that speaks of “my dog” answers it. */
function shareOfOwn(question: string, statement: string): number {
  if (!/\b(?:I|my|me)\b/i.test(question) || ownedIn(statement).length > 0) return 0;
  const wanted = stemsOf(question, (word) => GRAMMAR.has(word));
  const words = new Set(stemsOf(asState(statement), (word) => GRAMMAR.has(word)));
  return wanted.length > 0 && wanted.every((word) => words.has(word)) ? 1 : 0;
}

/** Names, and what belongs to somebody. */
function subjectsOf(question: string): string[] {
  const names = question.match(/(?<=[\p{L}\p{N},]\s)\p{Lu}[\p{L}\p{N}]+/gu) ?? [];
  return [...names.flatMap(wordsOf), ...ownedIn(question).flatMap((phrase) => phrase.slice(0, 1))];
}

/** The words after each “my” and “our”, as far as they name one thing: “my old dog is …” is an old dog. */
function ownedIn(text: string): string[][] {
  return [...text.matchAll(/\b(?:my|our|your)((?:\s+[\p{L}\p{N}-]+){1,4})/giu)]
    .map(([, phrase = '']) => {
      const words = phrase.trim().split(/\s+/);
      const end = words.findIndex((word, i) => i > 0 && isCommon(word.toLowerCase()));
      return wordsOf(words.slice(0, end < 0 ? words.length : end).join(' '));
    })
    .filter((words) => words.length > 0);
}

/** What is said in the conversation is newer than what was kept; of kept ones the date decides, then the key. */
export function isNewer(a: Statement, b: Statement): boolean {
  if (a.isStored !== b.isStored) return b.isStored;
  if (!a.isStored) return true;
  return a.date === b.date ? a.key > b.key : a.date > b.date;
}

const TURNED: readonly (readonly [RegExp, string])[] = [
  [/\bI am\b|\bI['’]m\b/g, 'you are'],
  [/\bI was\b/g, 'you were'],
  [/\b[Mm]y\b/g, 'your'],
  [/\b[Mm]ine\b/g, 'yours'],
  [/\bme\b/g, 'you'],
  [/\bI\b/g, 'you'],
  [/\b[Oo]ur\b/g, 'your'],
];

/** “My dog is called Rex” as one says it to whom it belongs. */
export function asSpokenTo(text: string): string {
  const bare = withoutCorrection(text).replace(
    /^(?:please\s+)?(?:remember|note)(?:\s+that\b|\s*[:,])?\s+/i,
    '',
  );
  const turned = TURNED.reduce((line, [pattern, word]) => line.replace(pattern, word), bare);
  const sentence = turned.slice(0, 1).toUpperCase() + turned.slice(1);
  return /[.!]$/.test(sentence) ? sentence : `${sentence}.`;
}
