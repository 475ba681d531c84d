/**
 * English stemming: the Porter2 algorithm ("English" of the Snowball family), written for this project.
 *
 * Some steps go further than the algorithm does: irregular forms become their word (`irregular.ts`), words that are written
 * in two ways get one spelling (`spelling.ts`), abbreviations have plurals, and the last step is `removeFinalI`.
 *
 * It runs once for each distinct word (the lexicon remembers the answer), so it is written for reading and
 * not for speed. Words with anything but a–z and the apostrophe come back as they are.
 */

import { WORD_OF_FORM } from './irregular.ts';
import { oneSpelling } from './spelling.ts';

const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);
const LI_ENDINGS = 'cdeghkmnrt';
const LETTER_D = 100;
const LETTER_G = 103;
const LETTER_S = 115;
const LETTER_Y = 121;

/** Words whose stem the rules would get wrong. */
const EXCEPTIONS = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ['sky', 'sky'],
  ['news', 'news'],
  ['howe', 'howe'],
  ['atlas', 'atlas'],
  ['cosmos', 'cosmos'],
  ['bias', 'bias'],
  ['andes', 'andes'],
  // No people.
  ['personal', 'personal'],
  ['personally', 'personal'],
  ['personality', 'personality'],
  ['personalities', 'personality'],
]);

/** Both lists in one: to look into two would cost every new word. */
const LISTED = new Map([...WORD_OF_FORM, ...EXCEPTIONS]);

/** Words that stay as they are once a plural ending has gone. */
const EXCEPTIONS_AFTER_PLURAL = new Set([
  'inning',
  'outing',
  'canning',
  'herring',
  'earring',
  'proceed',
  'exceed',
  'succeed',
]);

/** Abbreviations that are not several of what stands before their s, which is one too. */
const NO_PLURALS = new Set(['cms', 'gps', 'https', 'mrs', 'pms']);

type Suffix = readonly [ending: string, replacement: string];

/** Endings by their last letter, in the order in which they are tried: most words meet none, or few. */
function byLastLetter(suffixes: readonly Suffix[]): readonly (readonly Suffix[] | undefined)[] {
  const letters: Suffix[][] = [];
  for (const suffix of suffixes) {
    const code = suffix[0].charCodeAt(suffix[0].length - 1);
    letters[code] ??= [];
    letters[code].push(suffix);
  }
  return Array.from({ length: 128 }, (_, code) => letters[code]);
}

const NO_SUFFIXES: readonly Suffix[] = [];

const STEP_2 = byLastLetter([
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
]);

const STEP_3 = byLastLetter([
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]);

const STEP_4 = byLastLetter(
  [
    'ement',
    'ance',
    'ence',
    'able',
    'ible',
    'ment',
    'ant',
    'ent',
    'ism',
    'ate',
    'iti',
    'ous',
    'ive',
    'ize',
    'ion',
    'al',
    'er',
    'ic',
  ].map((ending) => [ending, '']),
);

function suffixesOf(steps: readonly (readonly Suffix[] | undefined)[], word: string): readonly Suffix[] {
  return steps[word.charCodeAt(word.length - 1)] ?? NO_SUFFIXES;
}

/** Whether the letter at a place is a vowel. A capital Y stands for a y that acts as a consonant. */
function isVowel(word: string, at: number): boolean {
  switch (word.charCodeAt(at)) {
    case 97:
    case 101:
    case 105:
    case 111:
    case 117:
    case 121:
      return true;
    default:
      return false;
  }
}

function hasVowel(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (isVowel(word, at)) return true;
  return false;
}

/** Where the region begins that follows the first consonant after a vowel, counted from `from`. */
function regionAfter(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at++) {
    if (!isVowel(word, at) && isVowel(word, at - 1)) return at + 1;
  }
  return word.length;
}

/** Three beginnings keep more than the rule would, so that "generous" does not become "gener". */
function firstRegion(word: string): number {
  if (word.startsWith('gener') || word.startsWith('arsen')) return 5;
  return word.startsWith('commun') ? 6 : regionAfter(word, 0);
}

function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  if (last === 1) return isVowel(word, 0) && !isVowel(word, 1);
  return (
    last > 1 &&
    !isVowel(word, last - 2) &&
    isVowel(word, last - 1) &&
    !isVowel(word, last) &&
    !'wxY'.includes(word[last]!)
  );
}

function withoutPossessive(word: string): string {
  if (word.endsWith("'s'")) return word.slice(0, -3);
  if (word.endsWith("'s")) return word.slice(0, -2);
  return word.endsWith("'") ? word.slice(0, -1) : word;
}

function removePlural(word: string): string {
  const last = word.charCodeAt(word.length - 1);
  if (last !== LETTER_S && last !== LETTER_D) return word;
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word;
  // Beyond the algorithm: a word without any vowel is an abbreviation, and several of it ("pdfs", "tvs", "lbs").
  const isPlural = hasVowel(word.slice(0, -2)) || !(hasVowel(word) || NO_PLURALS.has(word));
  return isPlural ? word.slice(0, -1) : word;
}

function removePast(word: string, region1: number): string {
  const last = word.charCodeAt(word.length - 1);
  if (last !== LETTER_D && last !== LETTER_G && last !== LETTER_Y) return word;
  for (const ending of ['eedly', 'eed']) {
    if (word.endsWith(ending)) {
      return word.length - ending.length >= region1 ? `${word.slice(0, -ending.length)}ee` : word;
    }
  }
  for (const ending of ['ingly', 'edly', 'ing', 'ed']) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (!hasVowel(stem)) return word;
    if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
    if (DOUBLES.has(stem.slice(-2))) return stem.slice(0, -1);
    return region1 >= stem.length && endsInShortSyllable(stem) ? `${stem}e` : stem;
  }
  return word;
}

function replaceSuffix2(word: string, region1: number): string {
  for (const [ending, replacement] of suffixesOf(STEP_2, word)) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < region1) return word;
    if (ending === 'ogi' && !stem.endsWith('l')) return word;
    if (ending === 'li' && !LI_ENDINGS.includes(stem.at(-1) ?? ' ')) return word;
    return stem + replacement;
  }
  return word;
}

function replaceSuffix3(word: string, region1: number, region2: number): string {
  for (const [ending, replacement] of suffixesOf(STEP_3, word)) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < region1 || (ending === 'ative' && stem.length < region2)) return word;
    return stem + replacement;
  }
  return word;
}

function removeSuffix4(word: string, region2: number): string {
  for (const [ending] of suffixesOf(STEP_4, word)) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < region2) return word;
    return ending === 'ion' && !'st'.includes(stem.at(-1) ?? ' ') ? word : stem;
  }
  return word;
}

function removeFinal(word: string, region1: number, region2: number): string {
  if (!(word.endsWith('e') || word.endsWith('ll'))) return word;
  const stem = word.slice(0, -1);
  if (word.endsWith('e')) {
    const removable = stem.length >= region2 || (stem.length >= region1 && !endsInShortSyllable(stem));
    return removable ? stem : word;
  }
  return stem.length >= region2 ? stem : word;
}

/**
 * Beyond the algorithm: a long word that ends in what was a y, behind one of these letters, meets its adjective in
 * -ic, which lost that ending above: "allergy" and "allergic", "economies" and "economic", "melody", "geography",
 * "irony". Behind other letters the y is as a rule another ending ("delivery"), or what is left is another word
 * ("policy" is not "police").
 */
const BEFORE_IC = 'dghmn';

function removeFinalI(word: string, region2: number): string {
  if (!word.endsWith('i') || word.length <= region2) return word;
  return BEFORE_IC.includes(word.at(-2) ?? ' ') ? word.slice(0, -1) : word;
}

/** Writes each y that begins the word or follows a vowel as Y. */
function markConsonants(word: string): string {
  let marked = '';
  for (let at = 0; at < word.length; at++) {
    const isConsonant = word[at] === 'y' && (at === 0 || isVowel(marked, at - 1));
    marked += isConsonant ? 'Y' : word[at];
  }
  return marked;
}

/** The stem of a lower-case word; a word that is too short or is not English letters comes back unchanged. */
export function stem(given: string): string {
  let word = given.startsWith("'") ? given.slice(1) : given;
  if (word.length < 3) return word;
  let hasApostrophe = false;
  let hasY = false;
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if (code === LETTER_Y) hasY = true;
    else if (code < 97 || code > 122) {
      if (code !== 39) return given;
      hasApostrophe = true;
    }
  }
  if (hasApostrophe) word = withoutPossessive(word);
  const listed = LISTED.get(word);
  if (listed !== undefined) {
    if (EXCEPTIONS.has(word)) return listed;
    word = listed;
  }

  word = oneSpelling(word);
  if (hasY) word = markConsonants(word);
  const region1 = firstRegion(word);
  const region2 = regionAfter(word, region1);

  word = removePlural(word);
  const last = word.charCodeAt(word.length - 1);
  if ((last === LETTER_D || last === LETTER_G) && EXCEPTIONS_AFTER_PLURAL.has(word)) return word;
  word = removePast(word, region1);
  const end = word.at(-1);
  if ((end === 'y' || end === 'Y') && word.length > 2 && !isVowel(word, word.length - 2))
    word = `${word.slice(0, -1)}i`;
  word = replaceSuffix2(word, region1);
  word = replaceSuffix3(word, region1, region2);
  word = removeSuffix4(word, region2);
  word = removeFinal(word, region1, region2);
  word = removeFinalI(word, region2);
  return hasY ? word.toLowerCase() : word;
}
