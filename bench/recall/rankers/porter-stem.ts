/**
 * Porter's stemmer of 1980, for the plain rankers only: the library has one of its own. C stands for a run of
 * consonants and V for a run of vowels; the measure of a stem is how many times VC follow each other in it.
 */

const CONSONANT = '[^aeiou]';
const VOWEL = '[aeiouy]';
const C = `${CONSONANT}[^aeiouy]*`;
const V = `${VOWEL}[aeiou]*`;
const MEASURE_ABOVE_0 = new RegExp(`^(?:${C})?${V}${C}`);
const MEASURE_IS_1 = new RegExp(`^(?:${C})?${V}${C}(?:${V})?$`);
const MEASURE_ABOVE_1 = new RegExp(`^(?:${C})?${V}${C}${V}${C}`);
const HAS_VOWEL = new RegExp(`^(?:${C})?${VOWEL}`);
const ENDS_SHORT = new RegExp(`^${C}${VOWEL}[^aeiouwxy]$`);

const LONG_ENDINGS: readonly (readonly [ending: string, replacement: string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['bli', 'ble'],
  ['alli', 'al'],
  ['entli', 'ent'],
  ['eli', 'e'],
  ['ousli', 'ous'],
  ['ization', 'ize'],
  ['ation', 'ate'],
  ['ator', 'ate'],
  ['alism', 'al'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['biliti', 'ble'],
  ['logi', 'log'],
];
const MIDDLE_ENDINGS: readonly (readonly [ending: string, replacement: string])[] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ful', ''],
  ['ness', ''],
];
const LAST_ENDING =
  /(?:al|ance|ence|er|ic|able|ible|ant|ement|ment|ent|(?<=[st])ion|ou|ism|ate|iti|ous|ive|ize)$/;

export function porterStem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let stem = withoutPlural(word);
  stem = withoutPast(stem);
  if (stem.endsWith('y') && HAS_VOWEL.test(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaceEnding(stem, LONG_ENDINGS);
  stem = replaceEnding(stem, MIDDLE_ENDINGS);
  const shorter = stem.replace(LAST_ENDING, '');
  if (MEASURE_ABOVE_1.test(shorter)) stem = shorter;
  if (stem.endsWith('e')) {
    const bare = stem.slice(0, -1);
    if (MEASURE_ABOVE_1.test(bare) || (MEASURE_IS_1.test(bare) && !ENDS_SHORT.test(bare))) stem = bare;
  }
  return stem.endsWith('ll') && MEASURE_ABOVE_1.test(stem) ? stem.slice(0, -1) : stem;
}

function withoutPlural(word: string): string {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPast(word: string): string {
  if (word.endsWith('eed')) return MEASURE_ABOVE_0.test(word.slice(0, -3)) ? word.slice(0, -1) : word;
  const bare = word.replace(/(?:ed|ing)$/, '');
  if (bare === word || !HAS_VOWEL.test(bare)) return word;
  if (/(?:at|bl|iz)$/.test(bare)) return `${bare}e`;
  if (/([^aeiouylsz])\1$/.test(bare)) return bare.slice(0, -1);
  return ENDS_SHORT.test(bare) ? `${bare}e` : bare;
}

/** The first ending that fits decides, whether or not the rest is long enough for it. */
function replaceEnding(word: string, endings: readonly (readonly [string, string])[]): string {
  const found = endings.find(([ending]) => word.endsWith(ending));
  if (found === undefined) return word;
  const rest = word.slice(0, -found[0].length);
  return MEASURE_ABOVE_0.test(rest) ? rest + found[1] : word;
}
