/**
 * The words of a tail, numbered.
 *
 * Indexing spends its time turning text into term numbers, so this file reads ASCII without making a string
 * for each word: its letters are looked up where they stand (`ascii-table.ts`). Only a word that was never seen
 * before is folded and stemmed. A stretch with other letters is handed to `forEachWord`, up to the next white
 * space, where both readings agree again.
 */

import { AsciiTable, FOLDING, MIN_KEY_BYTES } from './ascii-table.ts';
import { decodeText, encodeText } from './bytes.ts';
import { grown } from './columns.ts';
import { PERCENT_SIGN, signBehind } from './signs.ts';
import { isStopword } from './stopwords.ts';
import { compoundAt, forEachPart, forEachWord, MAX_WORD_LENGTH, PERCENT, termOf } from './words.ts';

const encoder = new TextEncoder();
/** Stands for every code that is no ASCII. */
const NOT_ASCII = 255;
const APOSTROPHE = 39;
const COMMA = 44;
const HYPHEN = 45;
const POINT = 46;

/** What an ASCII character can be; 0 for what is no part of a word, and for all that is no ASCII. */
const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 4;
const KINDS = new Uint8Array(256);
KINDS.fill(DIGIT, 48, 58);
KINDS.fill(CAPITAL, 65, 91);
KINDS.fill(SMALL, 97, 123);

/** As many bytes behind the text are looked at. */
const LOOKED_AHEAD = 5;
/** For those, and for a word without its commas. */
const ROOM_BEHIND_TEXT = LOOKED_AHEAD + MAX_WORD_LENGTH + MIN_KEY_BYTES;

/** V8 copies what is shorter than 13 letters. */
const MAX_COPIED_SLICE = 12;

/** Signs that may make something else of the word before them: "e-mail", "C++", "C#", "50%". */
const JOINING = new Uint8Array(256);
for (const sign of '-+#%') JOINING[sign.charCodeAt(0)] = 1;

/** Stands between independent texts in a stream of words. */
export const GAP = -1;

/** In a stream, a word that stands beside the one before it is this minus its number: less than `GAP`. */
export const BESIDE = -2;

/** A word as written stands beside its term under this mark, so that wildcards can match what was written. */
export const WRITTEN_MARK = '~';

/** The first letter, with the mark of a word as written. */
function startOf(term: string): string {
  return term.slice(0, term.startsWith(WRITTEN_MARK) ? WRITTEN_MARK.length + 1 : 1);
}

/**
 * Words are kept when a tail is sealed, so that the next one need not learn them again; a lexicon that has
 * grown beyond this many is left behind.
 */
export const MAX_KEPT_WORDS = 200_000;

export class Lexicon {
  /** Term number → term. */
  readonly terms: string[] = [];
  /**
   * Two cells for each word: the number of its term, and that of its written form, or −1 when the word is its own term.
   * The number of a word is the place of its first cell, or of its second for a stopword, which does not count as length:
   * who goes through a stream need not look here for that.
   */
  cells = new Int32Array(2048);
  /** The word numbers of all texts, one behind the other, as far as `streamLength`. */
  stream: Int32Array = new Int32Array(1024);
  streamLength = 0;

  #wordCount = 0;
  #words = new AsciiTable();
  #otherWords = new Map<string, number>();
  /** Term numbers of stems that are no words of these texts, or were none when they came. */
  #stems = new AsciiTable();
  #otherStems = new Map<string, number>();
  /** The text that is being read, and room behind it for a word that does not stand there in one piece. */
  #codes = new Uint8Array(4096);
  #codesView = new DataView(this.#codes.buffer);
  /** A word that is not read from a text. */
  readonly #key = new Uint8Array(MAX_WORD_LENGTH + MIN_KEY_BYTES);
  readonly #keyView = new DataView(this.#key.buffer);
  /** What stands in the stream for a word that may have parts, once it was met: by its number, or as it was written. */
  #withParts = new Map<number | string, readonly number[]>();

  /** Terms by how they begin, as far as anybody has asked. */
  readonly #byStart = new Map<string, string[]>();
  #startsKnown = 0;

  /** The terms that begin so, in the order in which they were met. Most calls look at a small part of them. */
  beginningWith(prefix: string): readonly string[] {
    const start = startOf(prefix);
    if (prefix === '') return this.terms;
    if (prefix === WRITTEN_MARK) return this.terms.filter((term) => term.startsWith(prefix));
    for (; this.#startsKnown < this.terms.length; this.#startsKnown++) {
      const term = this.terms[this.#startsKnown]!;
      const same = this.#byStart.get(startOf(term));
      if (same === undefined) this.#byStart.set(startOf(term), [term]);
      else same.push(term);
    }
    const found = this.#byStart.get(start) ?? [];
    return start === prefix ? found : found.filter((term) => term.startsWith(prefix));
  }

  /** The number of a term, or −1 when no text of this lexicon held it. */
  find(term: string): number {
    const isWritten = term.startsWith(WRITTEN_MARK);
    const word = this.#findWord(isWritten ? term.slice(WRITTEN_MARK.length) : term);
    const written = word === -1 ? -1 : this.cells[word | 1]!;
    if (isWritten) return written;
    // Most words are their own terms.
    return word !== -1 && written === -1 ? this.cells[word & ~1]! : this.#findStem(term);
  }

  /** Looks for a term that a word which comes next may be. */
  #findStem(term: string): number {
    if (this.#load(term)) return this.#stems.find(this.#keyView, 0, term.length, 0);
    return this.#otherStems.get(term) ?? -1;
  }

  #addStem(term: string): number {
    const number = this.terms.push(term) - 1;
    if (this.#load(term)) this.#stems.add(this.#keyView, 0, term.length, 0, number);
    else this.#otherStems.set(term, number);
    return number;
  }

  /** The number of a word as it was written, or −1. */
  #findWord(word: string): number {
    if (this.#load(word)) return this.#words.find(this.#keyView, 0, word.length, 0);
    return this.#otherWords.get(word) ?? -1;
  }

  /** Makes a text the key; false when it is none that fits. */
  #load(text: string): boolean {
    const { length } = text;
    if (length > MAX_WORD_LENGTH) return false;
    const key = this.#key;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 128) return false;
      key[at] = code;
    }
    return true;
  }

  /** Appends the word numbers of a text to `stream`. */
  read(text: string): void {
    const end = text.length;
    const codes = this.#codesOf(text);
    let out = grown(this.stream, this.streamLength + (end >> 1) + 2);
    let count = this.streamLength;
    let at = 0;
    while (at < end) {
      const first = KINDS[codes[at]!]!;
      if (first === 0 && codes[at]! < 128) {
        at++;
        continue;
      }
      const start = at;
      if (first !== 0) at++;
      let code: number;
      /** What the others are. */
      let inside = 0;
      let isOther = false;
      let isJoined = false;
      let hasComma = false;
      for (;;) {
        // Behind the text stands a zero, which is no letter.
        for (let kind = KINDS[codes[at]!]!; kind !== 0; kind = KINDS[codes[++at]!]!) inside |= kind;
        code = codes[at]!;
        if (code >= 128) {
          isOther = true;
          break;
        }
        if (code === APOSTROPHE) {
          const next = codes[at + 1]!;
          if (next >= 128) {
            isOther = true;
            break;
          }
          if (KINDS[next] === 0) break;
          isJoined = true;
        } else if ((code === POINT || code === COMMA) && isDigitAt(codes, at - 1)) {
          if (isOtherNear(codes, at)) {
            isOther = true;
            break;
          }
          if (code === COMMA ? !isThousandsComma(codes, at) : !isDigitAt(codes, at + 1)) break;
          if (code === COMMA) hasComma = true;
        } else break;
        at++;
      }
      const isJoining = JOINING[code] === 1;
      const beginsCompound = isJoining && code === HYPHEN && codes[start - 1] !== HYPHEN;
      const hasSign = isJoining && code !== HYPHEN;
      if (isOther || (beginsCompound && isOtherBehind(codes, at)) || (hasSign && isOtherNear(codes, at))) {
        while (at < end && codes[at]! > 32) at++;
        // A hyphen before it says that it is the end of something longer.
        const from = codes[start - 1] === HYPHEN ? start - 1 : start;
        forEachWord(text.slice(from, at), (other, _, isBeside) => {
          out = grown(out, count + 2);
          const number = this.#otherWord(other);
          out[count++] = isBeside ? BESIDE - number : number;
        });
        out = grown(out, count + ((end - at) >> 1) + 2);
        continue;
      }
      const from = hasComma ? end + LOOKED_AHEAD : start;
      const to = hasComma ? copyWithoutCommas(codes, start, at, from) : at;
      // Of what is longer, the beginning is the word.
      const size = Math.min(to - from, MAX_WORD_LENGTH);
      const hasCapitalInside = (inside & CAPITAL) !== 0;
      if (hasCapitalInside || isJoined || first === DIGIT || KINDS[codes[from + size - 1]!] === DIGIT) {
        const raw = hasCapitalInside ? text.slice(start, at) : undefined;
        const cells = this.#wordOfParts(text, from, size, raw);
        out = grown(out, count + cells.length + ((end - at) >> 1) + 2);
        for (let cell = 0; cell < cells.length; cell++) out[count++] = cells[cell]!;
      } else out[count++] = this.#wordAt(text, from, size);
      // What stands beside a word takes room that its letters do not promise.
      if (isJoining) out = grown(out, count + ((end - at) >> 1) + 3);
      if (beginsCompound) {
        const compound = compoundAt(text, start, at);
        if (compound !== '') out[count++] = BESIDE - this.#otherWord(compound.toLowerCase());
      }
      if (hasSign) {
        const sign = signBehind(text, start, at);
        at += sign.length;
        if (sign === PERCENT_SIGN) out[count++] = this.#otherWord(PERCENT);
        else if (sign !== '') out[count++] = BESIDE - this.#otherWord(text.slice(start, at).toLowerCase());
      }
    }
    this.stream = out;
    this.streamLength = count;
  }

  /** The text as bytes, one for each code unit: reading those is faster than asking the text for each. */
  #codesOf(text: string): Uint8Array {
    const { length } = text;
    const needed = length + ROOM_BEHIND_TEXT;
    if (needed > this.#codes.length) {
      this.#codes = grown(this.#codes, needed);
      this.#codesView = new DataView(this.#codes.buffer);
    }
    const codes = this.#codes;
    // As many bytes as code units: all of it is ASCII.
    const { written } = encoder.encodeInto(text, codes);
    if (written !== length) {
      for (let at = 0; at < length; at++) codes[at] = Math.min(text.charCodeAt(at), NOT_ASCII);
    }
    // What looks ahead finds no digit.
    codes.fill(0, length, length + LOOKED_AHEAD);
    return codes;
  }

  /** How many different words it has seen. */
  get wordCount(): number {
    return this.#wordCount;
  }

  /** Forgets the texts and keeps the words. */
  clearStream(): void {
    this.stream = new Int32Array(1024);
    this.streamLength = 0;
  }

  /** Notes that the text ends here: phrases do not reach across. */
  endText(): void {
    this.stream = grown(this.stream, this.streamLength + 1);
    this.stream[this.streamLength++] = GAP;
  }

  /** The number of the word at a place of the text. */
  #wordAt(text: string, from: number, size: number): number {
    const known = this.#words.find(this.#codesView, from, size, FOLDING);
    if (known !== -1) return known;
    const number = this.#addWord(this.#lettersAt(text, from, size));
    this.#words.add(this.#codesView, from, size, FOLDING, number);
    return number;
  }

  /** A short slice is a copy. A longer one would keep all of the text in memory. */
  #lettersAt(text: string, from: number, size: number): string {
    const isInText = from + size <= text.length;
    const letters =
      isInText && size <= MAX_COPIED_SLICE
        ? text.slice(from, from + size)
        : decodeText(this.#codes, from, from + size);
    return letters.toLowerCase();
  }

  /**
   * What stands in the stream for a word that begins or ends with a digit, or has an apostrophe or a capital letter in it.
   *
   * @param raw as it stands in the text, where its capital letters count
   */
  #wordOfParts(text: string, from: number, size: number, raw: string | undefined): readonly number[] {
    const key = raw ?? this.#wordAt(text, from, size);
    const known = this.#withParts.get(key);
    if (known !== undefined) return known;
    const cells: number[] = [];
    const written = this.#lettersAt(text, from, size);
    const own = raw === undefined ? undefined : ownCopy(raw);
    forEachPart(written, own ?? written, (word, _, isBeside) => {
      const each = this.#otherWord(word);
      cells.push(isBeside ? BESIDE - each : each);
    });
    // What is longer is data, and hardly comes again.
    if (own === undefined || own.length <= MAX_WORD_LENGTH) this.#withParts.set(own ?? key, cells);
    return cells;
  }

  /** A word that is not read where it stands in the text. It may be all ASCII. */
  #otherWord(word: string): number {
    const known = this.#findWord(word);
    if (known !== -1) return known;
    const number = this.#addWord(ownCopy(word));
    if (this.#load(word)) this.#words.add(this.#keyView, 0, word.length, 0, number);
    else this.#otherWords.set(word, number);
    return number;
  }

  #addWord(word: string): number {
    const first = 2 * this.#wordCount++;
    this.cells = grown(this.cells, first + 2);
    const term = termOf(word);
    if (term === word) {
      const known = this.#findStem(term);
      this.cells[first] = known === -1 ? this.terms.push(term) - 1 : known;
      this.cells[first + 1] = -1;
    } else {
      const known = this.find(term);
      this.cells[first] = known === -1 ? this.#addStem(term) : known;
      // Found again by the word itself, and so in no table.
      this.cells[first + 1] = this.terms.push(WRITTEN_MARK + word) - 1;
    }
    return isStopword(word) ? first + 1 : first;
  }
}

/** A text that keeps no longer one in memory, of which it may be a slice. */
function ownCopy(text: string): string {
  if (text.length <= MAX_COPIED_SLICE) return text;
  const bytes = encodeText(text);
  return decodeText(bytes, 0, bytes.length);
}

/** Copies a number that has commas, as far as a word reaches. Where the copy ends. */
function copyWithoutCommas(codes: Uint8Array, start: number, end: number, place: number): number {
  let to = place;
  for (let at = start; at < end && to < place + MAX_WORD_LENGTH; at++) {
    if (codes[at] !== COMMA) codes[to++] = codes[at]!;
  }
  return to;
}

function isDigitAt(codes: Uint8Array, at: number): boolean {
  return KINDS[codes[at]!] === DIGIT;
}

/** Whether a digit of another script may follow a sign inside a number: it may become one that joins. */
function isOtherNear(codes: Uint8Array, at: number): boolean {
  return codes[at + 1]! >= 128 || codes[at + 2]! >= 128 || codes[at + 3]! >= 128 || codes[at + 4]! >= 128;
}

/** Whether what hyphens join from a place on has other letters in it, or ends before one. */
function isOtherBehind(codes: Uint8Array, from: number): boolean {
  let at = from;
  while (KINDS[codes[at]!] !== 0 || codes[at] === HYPHEN) at++;
  return codes[at]! >= 128 || (codes[at] === APOSTROPHE && codes[at + 1]! >= 128);
}

function isThousandsComma(codes: Uint8Array, at: number): boolean {
  return (
    isDigitAt(codes, at + 1) &&
    isDigitAt(codes, at + 2) &&
    isDigitAt(codes, at + 3) &&
    !isDigitAt(codes, at + 4)
  );
}
