/**
 * A query, read slowly: "What is read of a query" in docs/scoring.md, one function for each of its rules.
 *
 * Of `src/recall` it takes lists alone: stopwords, words of other languages, words that only ask, and words that are often
 * written apart.
 */

import { HAPPENING, SAYING, TALKING } from '../../src/recall/asking-words.ts';
import { OFTEN_APART } from '../../src/recall/compounds.ts';
import { LANGUAGES } from '../../src/recall/function-words.ts';
import { isStopword } from '../../src/recall/stopwords.ts';
import { naiveDatesIn } from './naive-dates.ts';
import {
  behindArticle,
  nameInCapitals,
  PICTURE,
  piecesOfPhrase,
  SPACED_LETTER,
  termOf,
  termsAtPlaces,
  wholePlaces,
  withoutArticle,
  withUmlautsSpelt,
  wordOf,
} from './naive-words.ts';

export interface NaiveQuery {
  readonly isBlank: boolean;
  readonly words: readonly string[];
  readonly quoted: ReadonlySet<string>;
  readonly capitalised: ReadonlySet<string>;
  readonly compounds: ReadonlyMap<string, ReadonlySet<string>>;
  readonly spellings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly phrases: readonly (readonly string[])[];
  readonly isOnlyPhrases: boolean;
  readonly wildcards: readonly string[];
}

const MOST_CHARACTERS = 131_072;
const MOST_WILDCARDS = 32;
const MOST_PHRASES = 32;
const MOST_NUMBERS_IN_GROUPS = 16;
const MOST_NAMES_WITH_SIGNS = 4;

interface Piece {
  readonly text: string;
  readonly isPhrase: boolean;
}

const isQuote = (sign: string | undefined): boolean => sign !== undefined && '"\u201c\u201d'.includes(sign);
/** A letter, digit or underscore; of scripts that write no spaces none. */
const isOfWord = (sign: string | undefined): boolean => sign !== undefined && /[\w\u00c0-\u0dff]/.test(sign);
const stands = (sign: string | undefined, among: string): boolean =>
  sign !== undefined && among.includes(sign);

/** Cuts a text at its phrases. */
function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let rest = 0;
  for (let at = 0; at < text.length; at++) {
    const before = text[at - 1];
    if (!isQuote(text[at]) || isOfWord(before) || stands(before, '{[,:=\\')) continue;
    let end = at + 1;
    while (end < text.length && !isQuote(text[end])) end++;
    const behind = text[end + 1];
    if (end === text.length || isOfWord(behind) || stands(behind, ':=')) continue;
    const inside = text.slice(at + 1, end);
    pieces.push({ text: text.slice(rest, at), isPhrase: false });
    pieces.push({ text: inside, isPhrase: !inside.includes('*') });
    rest = end + 1;
    at = end;
  }
  return [...pieces, { text: text.slice(rest), isPhrase: false }];
}

/** Takes the stars of Markdown from what they make bold. */
function withoutBold(text: string): string {
  return text.replace(/(?<![\w*])\*\*+(?![\s*])([^*]*?)(?<![\s*])\*\*+(?![\w*])/g, (all, bold: string) =>
    bold === '' ? all : ` ${bold} `,
  );
}

/** The patterns of a text, and the text without them. */
function patternsOf(text: string): { rest: string; patterns: string[] } {
  const patterns: string[] = [];
  const rest = text.split(/\s+/).flatMap((chunk) => {
    if (!chunk.includes('*')) return [chunk];
    // A star stands for letters: with any in its place, a word is cut where a pattern is.
    const words = wordsWithStars(chunk);
    patterns.push(...words.filter((word) => word.includes('*') && /[^*]/.test(word)));
    return words.filter((word) => !word.includes('*'));
  });
  return { rest: text.includes('*') ? rest.join(' ') : text, patterns };
}

/** A star belongs to the letters beside it, also behind an apostrophe, and to a point or comma with a digit on the other side. */
function wordsWithStars(chunk: string): string[] {
  const plain = chunk.normalize('NFKC').replace(/\u00ad|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]/gu, '');
  const letter = `[\\p{L}\\p{N}\\p{M}*${PICTURE}]`;
  const joined = `['\\u2019](?=[${SPACED_LETTER}\\p{M}*])|(?<=[0-9])[.,](?=[0-9*])|(?<=\\*)[.,](?=[0-9])`;
  const words = plain.match(new RegExp(`${letter}(?:${letter}|${joined})*`, 'gv')) ?? [];
  return words.map(wordOf).filter((word) => word !== '');
}

const LETTERS = /^[a-z]+$/;
const ENDS_COMPOUND = ['down', 'in', 'off', 'on', 'out', 'over', 'up'];
const BEGINS_COMPOUND = ['down', 'off', 'on', 'out', 'over', 'under', 'up'];

/** Whether two words may be written as one. */
export function mayBeOne(first: string, last: string): boolean {
  if (!LETTERS.test(first) || !LETTERS.test(last)) return false;
  if (first.length < 2 || last.length < 2 || first.length + last.length < 5) return false;
  if (isStopword(first)) return BEGINS_COMPOUND.includes(first) && !isStopword(last);
  return !isStopword(last) || ENDS_COMPOUND.includes(last);
}

/** Numbers of 7 to 12 digits that stand in 2 to 5 groups of 2 to 5 digits. */
function numbersInGroups(text: string): { whole: string; groups: string[] }[] {
  const groups = '\\(?[0-9]{2,5}\\)?';
  const all = text.match(
    new RegExp(`(?<![0-9.:/-])${groups}(?:[ .-]{1,2}${groups}){1,4}(?![.:/-]?[0-9]|\\p{L})`, 'gu'),
  );
  const read = (each: string): { whole: string; groups: string[] } => ({
    whole: each.replace(/[^0-9]/g, ''),
    groups: each.match(/[0-9]+(?:\.[0-9]+)*/g)!,
  });
  const called = (all ?? [])
    .filter(
      (each) => !/^[0-9]{4}[.-][0-9]{1,2}[.-][0-9]{1,2}$|^[0-9]{1,2}[.-][0-9]{1,2}[.-][0-9]{4}$/.test(each),
    )
    .map(read)
    .filter(({ whole }) => whole.length >= 7 && whole.length <= 12);
  const counted = text.match(
    /(?<![0-9.,:/-]|[0-9][ \u00a0\u2009\u202f])[1-9][0-9]{0,2}(?:[ \u00a0\u2009\u202f][0-9]{3}){1,3}(?![ \u00a0\u2009\u202f.:/-]?[0-9]|\p{L})/gu,
  );
  const wholes = called.map(({ whole }) => whole);
  return [...called, ...(counted ?? []).map(read).filter(({ whole }) => !wholes.includes(whole))];
}

/** "node.js", "@scope/name": words that a point or stroke joins, unless all of them say nothing. */
function namesWithSigns(text: string): string[] {
  const names = text.match(/(?<![\p{L}\p{N}])[\p{L}\p{N}]+(?:[./][\p{L}\p{N}]+)+/gu) ?? [];
  return names.filter((name) => name.split(/[./]/).some((part) => !isStopword(part.toLowerCase())));
}

/** "14.05.2026" would be one word. */
function withCutDates(text: string): string {
  return naiveDatesIn(text)
    .filter(({ mark }) => mark === '.')
    .reduce((rest, { written }) => rest.replace(written, written.replaceAll('.', ' ')), text);
}

/** A time of the day is one word, with "am" or "pm" or nothing behind it, unless it is a full hour. */
function withWholeTimes(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{M}\p{N}\u00ad.:]|[\p{L}\p{M}\p{N}\u00ad]['\u2019])([0-9]{1,2}):([0-5][0-9])(?![0-9:]|\.[0-9])/gu,
    (time, hours, minutes, at) => {
      const [behind = ''] = /^['\u2019]?[\p{L}\p{M}\p{N}\u00ad]+/u.exec(text.slice(at + time.length)) ?? [];
      const isTime = minutes !== '00' && Number(hours) <= 24 && /^([ap]m)?$/i.test(behind);
      return isTime ? `${hours}.${minutes}` : time;
    },
  );
}

/** "10:00", and "9:00" of "9:00pm": hours and minutes that follow one another. */
function fullHoursIn(text: string): string[] {
  const times =
    text.match(/(?<![\p{L}\p{M}\p{N}\u00ad.:]|[\p{L}\p{M}\p{N}\u00ad]['\u2019])[0-9]{1,2}:00(?![0-9:])/gu) ??
    [];
  return times.filter((time) => Number.parseInt(time, 10) <= 24);
}

/** The query, unless it is refused. */
export function readNaively(text: string): NaiveQuery | 'refused' {
  if (text.length > MOST_CHARACTERS) return 'refused';
  const words: string[] = [];
  const quoted = new Set<string>();
  const capitalised = new Set<string>();
  const compounds = new Map<string, Set<string>>();
  const spellings = new Map<string, Set<string>>();
  const phrases: string[][] = [];
  const wildcards = new Set<string>();
  const note = (ways: Map<string, Set<string>>, word: string, other: string): void => {
    ways.set(word, (ways.get(word) ?? new Set()).add(other));
  };
  const isShouted = !/[a-z]/.test(text) && text.trim().split(/\s+/).length > 2;
  let hasOthers = false;
  let numbersLeft = MOST_NUMBERS_IN_GROUPS;
  let namesLeft = MOST_NAMES_WITH_SIGNS;
  for (const piece of piecesOf(withoutBold(text))) {
    const { rest, patterns } = patternsOf(piece.text);
    for (const pattern of patterns) wildcards.add(pattern);
    const timed = piece.isPhrase ? withWholeTimes(rest) : withCutDates(withWholeTimes(rest));
    let before = '';
    for (const [own, ...beside] of wholePlaces(timed)) {
      const found = isShouted ? own.word : nameInCapitals(own.word, own.raw);
      for (const { word, raw } of [own, ...beside]) {
        if (word !== own.word && word === withUmlautsSpelt(raw)) {
          note(spellings, found, word);
          continue;
        }
        if (words.length > 0 && /^\p{Lu}/u.test(raw)) capitalised.add(word);
        words.push(isShouted ? word : nameInCapitals(word, raw));
        if (piece.isPhrase) quoted.add(word);
        else hasOthers = true;
      }
      if (!piece.isPhrase && mayBeOne(before, found)) {
        note(compounds, before, termOf(before + found));
        note(compounds, found, termOf(before + found));
      }
      before = found;
    }
    if (piece.isPhrase) phrases.push(piecesOfPhrase(piece.text));
    else {
      const numbers = numbersInGroups(piece.text).slice(0, numbersLeft);
      const names = [...namesWithSigns(piece.text), ...fullHoursIn(piece.text)].slice(0, namesLeft);
      numbersLeft -= numbers.length;
      namesLeft -= names.length;
      for (const { whole, groups } of numbers) {
        words.push(whole);
        for (const group of groups) note(compounds, group, termOf(whole));
      }
      phrases.push(...names.map(piecesOfPhrase));
    }
  }
  const distinct = new Map(phrases.filter(({ length }) => length > 0).map((each) => [each.join(' '), each]));
  if (wildcards.size > MOST_WILDCARDS) {
    return wildcards.size < words.length ? readNaively(text.replaceAll('*', ' ')) : 'refused';
  }
  if (!hasOthers && distinct.size > MOST_PHRASES) return 'refused';
  return {
    isBlank: text.trim() === '',
    words,
    quoted,
    capitalised,
    compounds,
    spellings,
    phrases: [...distinct.values()].slice(0, MOST_PHRASES),
    isOnlyPhrases: !hasOthers && wildcards.size === 0,
    wildcards: [...wildcards],
  };
}

const listed = (list: string): Set<string> => new Set(list.trim().split(/\s+/));
const FUNCTION_WORDS = LANGUAGES.map(({ proofs, doubtful }, at) => ({
  proofs: listed(proofs),
  doubtful: listed(doubtful),
  isGerman: at === 0,
}));
/** "Gesagt", "gefahren", "eingekauft". */
const GERMAN_PARTICIPLE = /^(|ab|an|auf|aus|ein|mit|vor|zu)ge[a-z][a-z]+(t|en)$/;

/** The words of another language that say nothing, where a query is evidently in it. */
export function foreignWords(words: readonly string[]): ReadonlySet<string> {
  const distinct = [...new Set(words)];
  const englishCount = distinct.filter(isStopword).length;
  const participles = distinct.filter((word) => GERMAN_PARTICIPLE.test(word));
  const candidates = FUNCTION_WORDS.map(({ proofs, doubtful, isGerman }) => {
    const held = distinct.filter((word) => [proofs, doubtful].some((list) => list.has(behindArticle(word))));
    const said = held.map(behindArticle);
    const proving = said.filter((word) => proofs.has(word) && !isStopword(word));
    return { held, proving: isGerman ? [...proving, ...participles] : proving };
  }).filter(
    ({ held, proving }) =>
      held.length >= 2 &&
      held.length > englishCount &&
      proving.length > 0 &&
      (held.length > 2 || proving.some(({ length }) => length >= 3)),
  );
  const most = Math.max(0, ...candidates.map(({ held }) => held.length));
  return new Set(candidates.filter(({ held }) => held.length === most).flatMap(({ held }) => held));
}

/** "What happened", "what's new", "what is new", "anything new", "what's going on", "was going on". */
function onlyAsks(words: readonly string[], at: number): boolean {
  if (HAPPENING.has(words[at]!)) return true;
  const before = words.slice(0, at + 2).join(' ');
  if (words[at] === 'new') return /(^| )(what is|what's|anything) new( [^ ]+)?$/.test(before);
  return words[at] === 'going' && /(^| )(what's|is|was) going on$/.test(before);
}

/** Whether words say no more than that somebody said something, or something happened. */
export function saysOnlyThatItWasSaid(words: readonly string[]): boolean {
  const foreign = foreignWords(words);
  return words.every(
    (word, at) =>
      isStopword(word) ||
      foreign.has(word) ||
      SAYING.has(word) ||
      onlyAsks(words, at) ||
      words.slice(Math.max(0, at - 1), at + 1).join(' ') === 'so far',
  );
}

/** Those who are named before a word of talking: "What did Tom say about Priya?" is about what Tom said. */
export function naiveSpeakers(words: readonly string[], named: readonly string[]): string[] {
  return words.filter(
    (word, at) =>
      named.includes(word) &&
      (words.slice(at + 1).some((behind) => TALKING.has(behind)) ||
        /^(sagte?|meinte?|erzahlte?|dit|disait|raconte)$/.test(words[at - 1] ?? '')),
  );
}

/** "About Priya", "who is Priya". */
export function asksAbout(words: readonly string[], named: readonly string[]): boolean {
  return words.some((word, at) => {
    const before = words.slice(0, at).join(' ');
    return (
      named.includes(word) &&
      /(^| )(about|ue?ber|who's|(who|wer|qui) (is|was|ist|war|est|etait))$/.test(before)
    );
  });
}

const TALKED =
  'ask asked chat chatted discuss discussed mention mentioned say said speak spoken talk talked tell told'.split(
    ' ',
  );

/** "Can you suggest", "would you please tell": the place of the verb, or −1. */
export function verbOfRequest([first = '', second = '', third = '']: readonly string[]): number {
  if (!['can', 'could', 'would', 'will'].includes(first) || second !== 'you') return -1;
  return third === 'please' ? 3 : 2;
}

/** What is looked for, each term with the first word that has it. */
export function naiveTerms(words: readonly string[]): Map<string, string> {
  const foreign = foreignWords(words);
  const verb = verbOfRequest(words);
  const isSaid = (word: string, at: number): boolean =>
    TALKED.includes(word) && ['i', 'we', 'you'].includes(words[at - 1] ?? '');
  const isTelling = (word: string, at: number): boolean =>
    at !== verb && !isStopword(word) && !foreign.has(word) && !isSaid(word, at);
  const choices = [
    words.filter((word, at) => isTelling(word, at) && !onlyAsks(words, at)),
    words.filter(isTelling),
  ];
  const terms = new Map<string, string>();
  for (const word of (choices.find(({ length }) => length > 0) ?? words).map(withoutArticle)) {
    if (!terms.has(termOf(word))) terms.set(termOf(word), word);
  }
  return terms;
}

/** All ways to cut digits into 2 to 5 groups of 2 to 5. */
function groupings(digits: string): string[][] {
  if (!/^[0-9]{7,12}$/.test(digits)) return [];
  const cut = (rest: string): string[][] =>
    rest === ''
      ? [[]]
      : [2, 3, 4, 5]
          .filter((size) => size <= rest.length)
          .flatMap((size) => cut(rest.slice(size)).map((more) => [rest.slice(0, size), ...more]));
  return cut(digits).filter(({ length }) => length >= 2 && length <= 5);
}

/** "3200" and "3.200" in their groups of three, of up to twelve digits; none for other numbers. */
function thousands(number: string): string[] {
  if (!/^[1-9][0-9]{3,11}$|^[1-9][0-9]{0,2}(\.[0-9]{3}){1,3}$/.test(number)) return [];
  return number.replaceAll('.', '').split(/(?=(?:[0-9]{3})+$)/);
}

/** Term of a compound → the terms of its parts. */
const APART: ReadonlyMap<string, string[]> = new Map(
  OFTEN_APART.trim()
    .split(/\s+/)
    .map((parts) => [termOf(parts.replace('-', '')), parts.split('-').map(termOf)]),
);

/** The terms, and terms that follow one another, that are as good as a word of the query. */
export function naiveOtherWays(
  word: string,
  term: string,
  { compounds, spellings }: Pick<NaiveQuery, 'compounds' | 'spellings'>,
): { terms: string[]; phrases: string[][] } {
  const terms = [...(compounds.get(word) ?? []), ...[...(spellings.get(word) ?? [])].map(termOf)];
  const phrases: string[][] = [];
  const [, script] = /^([a-z]{2,})js$/.exec(word) ?? [];
  const apart = APART.get(term);
  if (script !== undefined) phrases.push([termOf(script), 'js']);
  else if (apart !== undefined) phrases.push(apart);
  const wholes = [term, ...terms];
  const places = termsAtPlaces(term);
  if (places.length > 1) phrases.push(places);
  if (/^[0-9]|[0-9]$/.test(term)) {
    for (const groups of wholes.map(thousands).filter(({ length }) => length > 0)) {
      terms.push(...[groups.join(''), groups.join('.')].filter((each) => each !== term));
      phrases.push(groups);
    }
    const [number, ...rest] = places;
    const groups = thousands(number!);
    if (rest.length > 0 && groups.length > 0) {
      phrases.push([groups.join(''), ...rest], [groups.join('.'), ...rest], [...groups, ...rest]);
    }
  }
  const clockOf = (each: string): string[] | undefined =>
    /^([01]?[0-9]|2[0-4])\.([0-5][0-9])$/.exec(each)?.slice(1);
  const clock = clockOf(term);
  if (clock !== undefined) {
    const [hours, minutes] = clock;
    const both = ['.', 'h'].flatMap((mark) => [
      `${Number(hours)}${mark}${minutes}`,
      `${hours!.padStart(2, '0')}${mark}${minutes}`,
    ]);
    terms.push(...both.filter((each) => each !== term));
  }
  const first = clockOf(places[0]!);
  if (first !== undefined) phrases.push([...first.map(termOf), ...places.slice(1)]);
  if (/^[0-9]|[0-9]$/.test(term)) {
    for (const groups of wholes.flatMap(groupings)) {
      phrases.push(groups.map(termOf));
      terms.push(groups.join('.'));
    }
  }
  return { terms, phrases };
}

const ASKED_AS =
  /^(big|cold|deep|expensive|far|fast|heavy|high|hot|large|late|loud|near|old|quickly|slow|small|soon|strong|tall|thick|warm|wide|young)$/;

/** "How *far*", "which *day*". */
export function naiveMeasures(words: readonly string[]): string[] {
  return words.filter((word, at) => {
    if (words[at - 1] === 'how') return ASKED_AS.test(word);
    return /^(what|which)$/.test(words[at - 1] ?? '') && /^(time|day|date|week|month|year)$/.test(word);
  });
}

/** Whether "when" is among the first two words of a query, or what time, day, date, week, month or year begins there. */
export function naivelyAsksWhen(raw: string): boolean {
  const words = wholePlaces(raw).flatMap((place) => place.map(({ word }) => word));
  return [0, 1].some(
    (at) =>
      ['when', 'wann', 'quand'].includes(words[at] ?? '') ||
      (['what', 'which'].includes(words[at] ?? '') &&
        ['time', 'day', 'date', 'week', 'month', 'year'].includes(words[at + 1] ?? '')),
  );
}
