/**
 * English stemming: the Porter2 algorithm ("English" of the Snowball family), written for this project.
 *
 * One step goes further than the algorithm does (`removeFinalI`).
 *
 * It runs once for each distinct word (the lexicon remembers the answer), so it is written for reading and
 * not for speed. Words with anything but a–z and the apostrophe come back as they are.
 */

const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);
const LI_ENDINGS = 'cdeghkmnrt';

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
]);

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

const STEP_2: readonly (readonly [string, string])[] = [
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
];

const STEP_3: readonly (readonly [string, string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];

const STEP_4: readonly string[] = [
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
];

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

function removePlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (word.endsWith('us') || word.endsWith('ss') || !word.endsWith('s')) return word;
  return hasVowel(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function removePast(word: string, region1: number): string {
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
  // All of them end in i, l, m, n, r or s: most words are through at once.
  if (!'ilmnrs'.includes(word.at(-1) ?? ' ')) return word;
  for (const [ending, replacement] of STEP_2) {
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
  if (!'leis'.includes(word.at(-1) ?? ' ')) return word;
  for (const [ending, replacement] of STEP_3) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < region1 || (ending === 'ative' && stem.length < region2)) return word;
    return stem + replacement;
  }
  return word;
}

function removeSuffix4(word: string, region2: number): string {
  if (!'teminslrc'.includes(word.at(-1) ?? ' ')) return word;
  for (const ending of STEP_4) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    if (stem.length < region2) return word;
    return ending === 'ion' && !'st'.includes(stem.at(-1) ?? ' ') ? word : stem;
  }
  return word;
}

function removeFinal(word: string, region1: number, region2: number): string {
  const stem = word.slice(0, -1);
  if (word.endsWith('e')) {
    const removable = stem.length >= region2 || (stem.length >= region1 && !endsInShortSyllable(stem));
    return removable ? stem : word;
  }
  return word.endsWith('ll') && stem.length >= region2 ? stem : word;
}

/**
 * Beyond the algorithm: a long word that ends in what was a y, behind one of these letters, meets its adjective in
 * -ic, which lost that ending above: "allergy" and "allergic", "economies" and "economic", "melody", "geography",
 * "irony". Behind other letters the y is as a rule another ending ("delivery"), or what is left is another word
 * ("policy" is not "police").
 */
const BEFORE_IC = 'dghmn';

function removeFinalI(word: string, region2: number): string {
  const stem = word.slice(0, -1);
  const meetsIc = word.endsWith('i') && stem.length >= region2 && BEFORE_IC.includes(stem.at(-1) ?? ' ');
  return meetsIc ? stem : word;
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
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    if ((code < 97 || code > 122) && code !== 39) return given;
  }
  const exception = EXCEPTIONS.get(word);
  if (exception !== undefined) return exception;

  if (word.includes('y')) word = markConsonants(word);
  const region1 = firstRegion(word);
  const region2 = regionAfter(word, region1);

  if (word.endsWith("'s'")) word = word.slice(0, -3);
  else if (word.endsWith("'s")) word = word.slice(0, -2);
  else if (word.endsWith("'")) word = word.slice(0, -1);

  word = removePlural(word);
  if (EXCEPTIONS_AFTER_PLURAL.has(word)) return word;
  word = removePast(word, region1);
  const end = word.at(-1);
  if ((end === 'y' || end === 'Y') && word.length > 2 && !isVowel(word, word.length - 2))
    word = `${word.slice(0, -1)}i`;
  word = replaceSuffix2(word, region1);
  word = replaceSuffix3(word, region1, region2);
  word = removeSuffix4(word, region2);
  word = removeFinal(word, region1, region2);
  return removeFinalI(word, region2).toLowerCase();
}
