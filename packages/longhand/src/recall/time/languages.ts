import { functionWordsOf } from '../function-words.ts';
import { GLOSSARY } from './glossary.ts';
import { matchNumericDate } from './numeric-dates.ts';
import { matchPeriod } from './periods.ts';
import { digitsAt, type Found, isGlued, isNumber, type Scan, wordAt, yearAt } from './scan.ts';

/**
 * Times in German and French: "gestern", "letzte Woche", "am 14. Mai", "vor drei Tagen", "la semaine dernière", "il y a deux
 * jours". The few words of such a time are put into English, in its order, and read like that: there is one grammar.
 */

/** As many words of a time are looked at: "vor zwei Jahren und drei Monaten" has six. */
const MAX_WORDS = 8;

/** Months that mean something else as well (Mars, a Mai Tai), and words before them that make a time of them. */
const DOUBTFUL = new Set(['mai', 'mars']);
const PLACES = new Set(
  'im am en de du le au seit depuis nach apr\u00e8s apres bis zwischen und entre et'.split(' '),
);
const OTHER_FIRST = new Set(['aujourd', 'vor', 'il']);
/** Months that German writes like English: a time of German by what stands before them, "im August" or "14. August". */
const SAME_MONTHS = new Set(['april', 'august', 'september', 'november']);
const GERMAN_PLACES = new Set(['im', 'am', 'letzten', 'diesen']);
const BEFORE_MORNING = new Set('am jeden jeder guten der den dem des gegen vom zum bis'.split(' '));
/** Those that make one of numbers. */
const DAY_PLACES = new Set(['am', 'le']);

const STEPS = new Set(['last', 'next']);

interface Token {
  readonly word: string;
  /** Of which word it is. */
  readonly at: number;
}

export function matchForeign(scan: Scan, at: number): Found | undefined {
  const first = wordAt(scan, at);
  const before = wordAt(scan, at - 1);
  if (isNumber(scan, at)) {
    const date = DAY_PLACES.has(before) ? matchNumericDate(scan, at, true) : undefined;
    if (date) return date;
  } else if (!GLOSSARY.has(first) && !OTHER_FIRST.has(first) && !isGermanMonth(scan, at)) return undefined;
  if (first === 'hier' && !isFrench(scan, at)) return undefined;
  const isSure = PLACES.has(before) || scan.words.length === 1 || yearAt(scan, at + 1) !== undefined;
  if (DOUBTFUL.has(first) && !isSure) return undefined;
  const tokens =
    first === 'vor' || first === 'il' ? distance(scan, at) : inEnglishOrder(translated(scan, at));
  if (tokens.length === 0) return undefined;
  const found = matchPeriod(asScan(scan, tokens), 0, true);
  if (!found) return undefined;
  const last = Math.max(...tokens.slice(0, found.next).map((token) => token.at));
  return { ...found, next: last + 1 };
}

/** A text in English, from a word on, where all of it is a time of another language. */
export function inEnglish(scan: Scan, at: number): Scan | undefined {
  const tokens = inEnglishOrder(translated(scan, at));
  return tokens.length > 0 && Math.max(...tokens.map((token) => token.at)) === scan.words.length - 1
    ? asScan(scan, tokens)
    : undefined;
}

/** What is known of the words from one on, in English; and of how many of those which word of the text comes next. */
export function inEnglishFrom(scan: Scan, at: number): { english: Scan; nextOf: (count: number) => number } {
  const tokens = translated(scan, at);
  return {
    english: asScan(scan, tokens),
    nextOf: (count) => Math.max(at, ...tokens.slice(0, count).map((token) => token.at + 1)),
  };
}

/** "Vor drei Tagen", "il y a trois jours": three days ago. */
function distance(scan: Scan, at: number): readonly Token[] {
  const isFrenchOne = wordAt(scan, at + 1) === 'y' && wordAt(scan, at + 2) === 'a';
  if (wordAt(scan, at) === 'il' && !isFrenchOne) return [];
  const tokens = translated(scan, isFrenchOne ? at + 3 : at + 1);
  const last = tokens.at(-1);
  return last ? [...tokens, { word: 'ago', at: last.at }] : [];
}

/** The words from one on, as far as they are known; none where no word is of another language. */
function translated(scan: Scan, first: number): readonly Token[] {
  const tokens: Token[] = [];
  let hasForeign = false;
  for (let at = first; at < Math.min(first + MAX_WORDS, scan.words.length); at++) {
    const word = wordAt(scan, at);
    const english = englishOf(scan, at);
    if (word === 'aujourd' && wordAt(scan, at + 2) === 'hui') {
      hasForeign = true;
      at += 2;
      tokens.push({ word: 'today', at });
    } else if (english !== undefined) {
      hasForeign = true;
      for (const each of english.split(' ')) tokens.push({ word: each, at });
    } else if (!Number.isNaN(digitsAt(scan, at))) tokens.push({ word, at });
    else if (isFirstOfMonth(scan, at)) hasForeign = true;
    else if (!isJoint(scan, at)) break;
  }
  return hasForeign ? tokens : [];
}

function englishOf(scan: Scan, at: number): string | undefined {
  if (isTomorrow(scan, at)) return 'tomorrow';
  return GLOSSARY.get(wordAt(scan, at)) ?? (isGermanMonth(scan, at) ? wordAt(scan, at) : undefined);
}

/** "Morgen" is a morning behind a day or an article, and a name in other languages. */
function isTomorrow(scan: Scan, at: number): boolean {
  const before = wordAt(scan, at - 1);
  if (wordAt(scan, at) !== 'morgen' || BEFORE_MORNING.has(before) || GLOSSARY.has(before)) return false;
  return scan.isSmall[at] === true || scan.words.length === 1 || (at === 0 && isGerman(scan));
}

const isGerman = ({ words }: Scan): boolean => {
  const said = functionWordsOf(words);
  return GERMAN.some((word) => said.has(word));
};

function isGermanMonth(scan: Scan, at: number): boolean {
  if (!SAME_MONTHS.has(wordAt(scan, at))) return false;
  return GERMAN_PLACES.has(wordAt(scan, at - 1)) || (wordAt(scan, at - 1) === '.' && isJoint(scan, at - 1));
}

/** The letters of "1er". */
const isFirstOfMonth = (scan: Scan, at: number): boolean =>
  wordAt(scan, at) === 'er' && isGlued(scan, at) && digitsAt(scan, at - 1) === 1;

/** The point in "14. Mai", the hyphen in "avant-hier". */
function isJoint(scan: Scan, at: number): boolean {
  const word = wordAt(scan, at);
  if (word === '.') return !Number.isNaN(digitsAt(scan, at - 1)) && isGlued(scan, at);
  return word === '-' && isGlued(scan, at) && isGlued(scan, at + 1);
}

/** French says what is last or next behind its noun. */
function inEnglishOrder(tokens: readonly Token[]): readonly Token[] {
  const [noun, step, ...rest] = tokens;
  return noun && step && STEPS.has(step.word) && !STEPS.has(noun.word) ? [step, noun, ...rest] : tokens;
}

/** Asked once for each text, however often it says "hier". */
const french = new WeakMap<readonly string[], boolean>();

/** In German, "hier" is a place. */
function isFrench({ words }: Scan, at: number): boolean {
  const next = GLOSSARY.get(words[at + 1] ?? '');
  if (words.length === 1 || words[at - 2] === 'avant' || next === 'evening' || next === 'morning')
    return true;
  let known = french.get(words);
  if (known === undefined) {
    const said = functionWordsOf(words);
    known = FRENCH.some((word) => said.has(word));
    french.set(words, known);
  }
  return known;
}

/** Of the words that prove a language, some that are of no other one. */
const GERMAN = 'ich wir ist haben habe sind wird werden nicht mein meine mit und'.split(' ');
const FRENCH = 'je nous vous avons avez avec quand quoi dans qui est ont moi mon'.split(' ');

function asScan(scan: Scan, tokens: readonly Token[]): Scan {
  return {
    ...scan,
    words: tokens.map(({ word }) => word),
    // None is glued to another.
    from: tokens.map((_, place) => 2 * place),
    to: tokens.map((_, place) => 2 * place + 1),
    isSmall: tokens.map(() => false),
  };
}
