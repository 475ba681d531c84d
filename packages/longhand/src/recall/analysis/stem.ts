import { STEM_OF_WORD, WORD_OF_FORM } from './irregular.ts';

/**
 * English stemming: Porter2 (the Snowball "English" stemmer) with four additions: irregular forms (`irregular.ts`), one
 * spelling for British and American words (`spelling.ts`), plurals of abbreviations, and `removeFinalI`.
 */

const IS_VOWEL = new Uint8Array(128);
for (const vowel of 'aeiouy') IS_VOWEL[vowel.charCodeAt(0)] = 1;
const DOUBLES = new Set(['bb', 'dd', 'ff', 'gg', 'mm', 'nn', 'pp', 'rr', 'tt']);
/** Words that keep their ending once the plural is removed. */
const KEPT_AFTER_PLURAL = new Set('inning outing canning herring earring proceed exceed succeed'.split(' '));
/** Abbreviations that end in s and are no plurals. */
const NO_PLURALS = new Set(['cms', 'gps', 'https', 'mrs', 'pms']);

interface Suffix {
  readonly ending: string;
  readonly replacement: string;
  /** The ending must follow one of these letters; empty when any will do. */
  readonly after: string;
}

/** Reads `ending replacement after, …`. Suffixes are grouped by last letter, because most words have none of them. */
function suffixes(text: string): ReadonlyMap<string, readonly Suffix[]> {
  const all = text.split(',').map((line) => {
    const [ending = '', replacement = '', after = ''] = line.trim().split(' ');
    return { ending, replacement: replacement === '-' ? '' : replacement, after };
  });
  return Map.groupBy(all, ({ ending }) => ending.at(-1)!);
}

/** Of several endings that fit, the first counts. */
const STEP_2 =
  suffixes(`ization ize, ational ate, fulness ful, ousness ous, iveness ive, tional tion, biliti ble, lessli less,
  entli ent, ation ate, alism al, aliti al, ousli ous, iviti ive, fulli ful, enci ence, anci ance, abli able, izer ize,
  ator ate, alli al, bli ble, ogi og l, li - cdeghkmnrt`);
const STEP_3 = suffixes(
  'ational ate, tional tion, alize al, icate ic, iciti ic, ative -, ical ic, ness -, ful -',
);
const STEP_4 = suffixes(
  'ement, ance, ence, able, ible, ment, ant, ent, ism, ate, iti, ous, ive, ize, ion - st, al, er, ic',
);

/** @param region where the part of the word begins that an ending must lie in */
function replaceSuffix(word: string, step: ReadonlyMap<string, readonly Suffix[]>, region: number): string {
  for (const { ending, replacement, after } of step.get(word[word.length - 1]!) ?? []) {
    if (!word.endsWith(ending)) continue;
    const end = word.length - ending.length;
    const isReplaced = end >= region && (after === '' || after.includes(word.charAt(end - 1)));
    return isReplaced ? word.slice(0, end) + replacement : word;
  }
  return word;
}

/** A capital Y is a y that acts as a consonant, so it is no vowel. */
function isVowel(word: string, at: number): boolean {
  return IS_VOWEL[word.charCodeAt(at)] === 1;
}

function hasVowel(word: string): boolean {
  return /[aeiouy]/.test(word);
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
  return /^[aeiouy][^aeiouy]$|[^aeiouy][aeiouy][^aeiouywxY]$/.test(word);
}

function removePlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word;
  // Beyond Porter2: a word without vowels is an abbreviation, and its s a plural ("pdfs", "tvs", "lbs").
  const isPlural = hasVowel(word.slice(0, -2)) || !(hasVowel(word) || NO_PLURALS.has(word));
  return isPlural ? word.slice(0, -1) : word;
}

function removePast(word: string, region1: number): string {
  const [ending] = /(?:eed|ing|ed)(?:ly)?$/.exec(word) ?? [];
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (ending.startsWith('eed')) return stem.length >= region1 ? `${stem}ee` : word;
  if (!hasVowel(stem)) return word;
  if (stem.endsWith('at') || stem.endsWith('bl') || stem.endsWith('iz')) return `${stem}e`;
  if (DOUBLES.has(stem.slice(-2))) return stem.slice(0, -1);
  return region1 >= stem.length && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

function removeFinal(word: string, region1: number, region2: number): string {
  const stem = word.slice(0, -1);
  const isInRegion2 = stem.length >= region2;
  if (word.endsWith('ll')) return isInRegion2 ? stem : word;
  if (!word.endsWith('e')) return word;
  return isInRegion2 || (stem.length >= region1 && !endsInShortSyllable(stem)) ? stem : word;
}

/**
 * Beyond Porter2: "allergy" gets the stem of "allergic", "economies" that of "economic". After other letters the y is usually
 * another ending ("delivery"), or the rest is another word ("policy" is not "police").
 */
function removeFinalI(word: string, region2: number): string {
  return word.length > region2 && /[dghmn]i$/.test(word) ? word.slice(0, -1) : word;
}

/** The stem of a lower-case word. A word that is short, or has other letters than a–z, comes back unchanged. */
export function stem(given: string): string {
  let word = given.startsWith("'") ? given.slice(1) : given;
  if (word.length < 3) return word;
  if (!/^[a-z']*$/.test(word)) return given;
  if (word.includes("'")) word = word.replace(/'s'$|'s$|'$/, '');
  const listed = STEM_OF_WORD.get(word);
  if (listed !== undefined) return listed;

  word = oneSpelling(WORD_OF_FORM.get(word) ?? word);
  const hasY = word.includes('y');
  if (hasY) word = word.replace(/^y|[aeiouy]y/g, (pair) => `${pair.slice(0, -1)}Y`);
  const region1 = firstRegion(word);
  const region2 = regionAfter(word, region1);

  word = removePlural(word);
  if (KEPT_AFTER_PLURAL.has(word)) return word;
  word = removePast(word, region1);
  if (hasY) word = word.replace(/(?<=.[^aeiouy])[yY]$/, 'i');
  word = replaceSuffix(word, STEP_2, region1);
  word = replaceSuffix(word, STEP_3, word.endsWith('ative') ? region2 : region1);
  word = replaceSuffix(word, STEP_4, region2);
  word = removeFinal(word, region1, region2);
  word = removeFinalI(word, region2);
  return hasY ? word.toLowerCase() : word;
}

/**
 * One spelling for words that British and American English write differently, so that either finds the other.
 *
 * The result is only compared with other results. It is usually the American spelling, whose endings (-ize) the stemmer knows,
 * and the British one where that changes fewer words (-lyse). Most doubled letters ("travelled") are left to the stemmer.
 */

/** How words begin that have two spellings. */
const BEGINNINGS = new Map(
  `
  acknowledgement acknowledgment, aeroplane airplane, aesthet esthet, ageing aging, aluminium aluminum, anaem anem,
  anaesthe anesthe, archaeolog archeolog, artefact artifact, cosy cozy, counsellor counselor, defenc defens,
  dialled dialed, dialling dialing, diarrhoea diarrhea, doughnut donut, duelled dueled, duelling dueling,
  encyclopaed encycloped, enquir inquir, foetal fetal, foetus fetus, fuelled fueled, fuelling fueling, grey gray,
  gynaecolog gynecolog, haemo hemo, jewellery jewelry, judgement judgment, leukaem leukem, licenc licens,
  manoeuv maneuv, mediaeval medieval, mould mold, moustache mustache, oestrogen estrogen, offenc offens,
  omelette omelet, orthopaed orthoped, paediatr pediatr, plough plow, practis practic, pretenc pretens,
  programm program, pyjama pajama, sceptic skeptic, skilful skillful, smoulder smolder, sulph sulf, whiskey whisky,
  wilful willful, woollen woolen, yoghurt yogurt
`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
);
const BEGINNING = new RegExp(`^(?:${[...BEGINNINGS.keys()].join('|')})`);

/** Most words have none of these and skip the rules below. */
const MAY_VARY = new RegExp(`${BEGINNING.source}|our|is(?:e|a|ing)|r(?:e[ds]?|ing)$|logu|lyz`);

/** "colour", "dishonoured", "watercolours"; not "hour", "tour" or "course". Only the first "our" of a word counts. */
const OUR = new RegExp(
  `(?<!our.*)(?<=${anyOf(`
  arb ard arm behavi cand clam col demean enam endeav fav ferv flav glam hon hum lab neighb od parl ranc rig rum sav
  savi splend succ tum val vap vig
`)})our`,
);

/** "organise", "organisation"; not "noise" or "otherwise", nor the words of this list, nor shorter ones ("rise", "irises"). */
const ISE = new RegExp(
  `(?<=..[^aeiouw])(?<!${anyOf(`
  adv advert chast circumc conc dem desp dev exc exerc expert franch improv inc mant merchand metropol moonr parad pelv pen
  pr prec prem prom rev sunr superv surm telev trell upr
`)})is(?=(?:e[ds]?|ers?|ing|able|ation(?:s|al)?)$)`,
);

/** "centre", "kilometres", "centred"; not "acre" or "hundred". */
const RE = new RegExp(
  `(?<=${anyOf('calib cent fib lit lust maneuv meag met och sab sepulch somb spect theat')})r(?:e(s?)|(ed|ing))$`,
);

function anyOf(words: string): string {
  return words.trim().replaceAll(/\s+/g, '|');
}

/** A word of lower-case English letters, in the spelling that it shares with its variants. */
export function oneSpelling(word: string): string {
  if (!MAY_VARY.test(word)) return word;
  return (
    word
      .replace(BEGINNING, (beginning) => BEGINNINGS.get(beginning)!)
      .replace(OUR, 'or')
      .replace(ISE, 'iz')
      .replace(RE, 'er$1$2')
      // The stemmer removes the e that is left of "catalogue".
      .replace(/logu(?=e|ing)/, 'log')
      .replace(/lyz(?=e|ing)/, 'lys')
  );
}
