/**
 * The words of a tail, numbered.
 *
 * Indexing spends its time turning text into term numbers, so ASCII words are looked up by their bytes
 * (`ascii-table.ts`), and only a new word becomes a string and is stemmed. A stretch with other letters goes to
 * `forEachWord`, up to the next white space, where both readings agree again.
 */

import {
  ARTICLE,
  compoundAt,
  forEachPart,
  forEachWord,
  isStopword,
  MAX_WORD_LENGTH,
  MUCH,
  NEGATION,
  roleOf,
  STRESS,
  signsBehind,
  termOf,
} from '../analysis/index.ts';
import { AsciiTable, FOLDING, MIN_KEY_BYTES } from './ascii-table.ts';
import { decodeText, encodeText } from './bytes.ts';
import { grown } from './columns.ts';
import { hashOf } from './memory-uses.ts';

const encoder = new TextEncoder();
/** Stands for every other code. */
const NOT_ASCII = 255;
const HASH = 35;
const APOSTROPHE = 39;
const PLUS = 43;
const COMMA = 44;
const HYPHEN = 45;
const POINT = 46;

/** The kinds of ASCII characters in words; everything else is 0. */
const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 4;
const KINDS = new Uint8Array(256);
KINDS.fill(DIGIT, 48, 58);
KINDS.fill(CAPITAL, 65, 91);
KINDS.fill(SMALL, 97, 123);

/** How many bytes behind the text are read. */
const LOOKED_AHEAD = 5;
/** For these bytes, and for a copy of a number without its commas. */
const ROOM_BEHIND_TEXT = LOOKED_AHEAD + MAX_WORD_LENGTH + MIN_KEY_BYTES;

/** V8 copies slices below 13 letters; a longer one keeps the whole text in memory. */
const MAX_COPIED_SLICE = 12;

/** Separates independent texts in a stream of words: phrases do not reach across. */
export const GAP = -1;
/** A word at the same position as the one before it is `BESIDE` minus its number in a stream: less than `GAP`. */
export const BESIDE = -2;
/** Marks the term of a word as written, which wildcards match, beside that of its stem. */
export const WRITTEN_MARK = '~';

/** The first letter, and the mark before it if there is one. */
function startOf(term: string): string {
  return term.slice(0, term.startsWith(WRITTEN_MARK) ? WRITTEN_MARK.length + 1 : 1);
}

/** After a seal the next tail takes over the lexicon, unless it knows more words than this. */
export const MAX_KEPT_WORDS = 200_000;

export class Lexicon {
  /** Term number → term. */
  readonly terms: string[] = [];
  /**
   * Two cells for each word: the number of its term, and that of its written form, or −1 when the word is its own term.
   * The number of a word is the index of its first cell, or of its second when it is a stopword.
   */
  cells = new Int32Array(2048);
  /** The word numbers of all texts, as far as `streamLength`. */
  stream: Int32Array = new Int32Array(1024);
  streamLength = 0;
  /** Distinct words. */
  wordCount = 0;

  /** Of words as they are written, by the numbers of their terms: a hash, and what they tell (0 when not asked for yet). */
  #hashes = new Int32Array(1024);
  #roles = new Uint8Array(1024);
  #words = new AsciiTable();
  /** Term numbers of stems that were not words of these texts when they came. */
  #stems = new AsciiTable();
  /** The text that is read, and `ROOM_BEHIND_TEXT`. */
  #codes = new Uint8Array(4096);
  #codesView = new DataView(this.#codes.buffer);
  /** What the stream gets for a word that may have parts: by its number, or as it was written. */
  #withParts = new Map<number | string, readonly number[]>();
  /** Terms by `startOf`, filled when a query asks. */
  readonly #byStart = new Map<string, string[]>();
  #startsKnown = 0;

  /** The terms with a prefix, in the order of their numbers. */
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

  /** The number of a term, or −1. */
  find(term: string): number {
    const isWritten = term.startsWith(WRITTEN_MARK);
    const word = this.#words.findText(isWritten ? term.slice(WRITTEN_MARK.length) : term);
    const written = word === -1 ? -1 : this.cells[word | 1]!;
    if (isWritten) return written;
    // Most words are their own terms.
    return word !== -1 && written === -1 ? this.cells[word & ~1]! : this.#stems.findText(term);
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
      /** The kinds of the letters behind the first. */
      let inside = 0;
      let isOther = false;
      let isJoined = false;
      let hasComma = false;
      for (;;) {
        // The zero behind the text ends the loop.
        for (let kind = KINDS[codes[at]!]!; kind !== 0; kind = KINDS[codes[++at]!]!) inside |= kind;
        code = codes[at]!;
        const isInNumber = (code === POINT || code === COMMA) && isDigitAt(codes, at - 1);
        isOther = code === APOSTROPHE ? codes[at + 1]! >= 128 : code >= 128;
        if (isInNumber && isOtherNear(codes, at)) isOther = true;
        if (code === HASH || code === PLUS) isOther = codes[at + 1]! >= 128 || codes[at + 2]! >= 128;
        if (isOther) break;
        if (code === APOSTROPHE && KINDS[codes[at + 1]!] !== 0) isJoined = true;
        else if (isInNumber && code === COMMA && isThousandsComma(codes, at)) hasComma = true;
        else if (!isInNumber || code === COMMA || !isDigitAt(codes, at + 1)) break;
        at++;
      }
      const beginsCompound = code === HYPHEN && codes[start - 1] !== HYPHEN;
      if (isOther || (beginsCompound && isOtherBehind(codes, at))) {
        while (at < end && codes[at]! > 32) at++;
        // With a hyphen before it, it is the end of a compound.
        const from = codes[start - 1] === HYPHEN ? start - 1 : start;
        forEachWord(text.slice(from, at), (other, _, isBeside) => {
          out = grown(out, count + 2);
          const number = this.#otherWord(other);
          out[count++] = isBeside ? BESIDE - number : number;
        });
        out = grown(out, count + ((end - at) >> 1) + 2);
        continue;
      }
      if (code === HASH || code === PLUS) at += signsBehind(text, start, at);
      const from = hasComma ? end + LOOKED_AHEAD : start;
      const to = hasComma ? copyWithoutCommas(codes, start, at, from) : at;
      const size = Math.min(to - from, MAX_WORD_LENGTH);
      const hasCapitalInside = (inside & CAPITAL) !== 0;
      if (hasCapitalInside || isJoined || first === DIGIT || KINDS[codes[from + size - 1]!] === DIGIT) {
        const raw = hasCapitalInside ? text.slice(start, at) : undefined;
        const cells = this.#wordOfParts(text, from, size, raw);
        out = grown(out, count + cells.length + ((end - at) >> 1) + 2);
        for (let cell = 0; cell < cells.length; cell++) out[count++] = cells[cell]!;
      } else out[count++] = this.#wordAt(text, from, size);
      if (beginsCompound) {
        const compound = compoundAt(text, start, at);
        // It takes more room than its letters promise.
        out = grown(out, count + ((end - at) >> 1) + 3);
        if (compound !== '') out[count++] = BESIDE - this.#otherWord(compound.toLowerCase());
      }
    }
    this.stream = out;
    this.streamLength = count;
  }

  /** The text as one byte for each code unit, which is faster to read than the text. */
  #codesOf(text: string): Uint8Array {
    const { length } = text;
    const needed = length + ROOM_BEHIND_TEXT;
    if (needed > this.#codes.length) {
      this.#codes = grown(this.#codes, needed);
      this.#codesView = new DataView(this.#codes.buffer);
    }
    const codes = this.#codes;
    // As many bytes as code units: the text is ASCII.
    const { written } = encoder.encodeInto(text, codes);
    if (written !== length) {
      for (let at = 0; at < length; at++) codes[at] = Math.min(text.charCodeAt(at), NOT_ASCII);
    }
    codes.fill(0, length, length + LOOKED_AHEAD);
    return codes;
  }

  /** A hash, of 53 bits, of `beside` and of the words in the stream from `start` on that tell texts apart (`roleOf`). */
  hashFrom(start: number, beside: string, keepsAll = false): number {
    let low = hashOf(beside);
    let high = 1;
    let isNegated = keepsAll;
    let isEmpty = true;
    let role = 0;
    for (let at = start; at < this.streamLength; at++) {
      const word = this.stream[at]!;
      if (word <= GAP) continue;
      const written = this.cells[word | 1]!;
      const number = written === -1 ? this.cells[word & ~1]! : written;
      const before = role;
      if (number >= this.#roles.length || this.#roles[number] === 0) this.#noteTelling(number);
      role = this.#roles[number]!;
      if (role === NEGATION) isNegated = true;
      if (role === ARTICLE && !keepsAll) continue;
      if (!isNegated && (role === STRESS || (role === MUCH && before === STRESS))) continue;
      isEmpty = false;
      low = (Math.imul(low, 0x01000193) ^ this.#hashes[number]!) | 0;
      high = (Math.imul(high, 0x85ebca6b) + this.#hashes[number]!) | 0;
      high ^= high >>> 15;
    }
    if (isEmpty && !keepsAll) return this.hashFrom(start, beside, true);
    return (low >>> 0) * 0x20_0000 + ((high >>> 0) & 0x1f_ffff);
  }

  #noteTelling(number: number): void {
    const term = this.terms[number]!;
    this.#hashes = grown(this.#hashes, number + 1);
    this.#roles = grown(this.#roles, number + 1);
    this.#hashes[number] = hashOf(term);
    this.#roles[number] = roleOf(term.startsWith(WRITTEN_MARK) ? term.slice(WRITTEN_MARK.length) : term);
  }

  /** Drops the texts and keeps the words. */
  clearStream(): void {
    this.stream = new Int32Array(1024);
    this.streamLength = 0;
  }

  endText(): void {
    this.stream = grown(this.stream, this.streamLength + 1);
    this.stream[this.streamLength++] = GAP;
  }

  #wordAt(text: string, from: number, size: number): number {
    const known = this.#words.find(this.#codesView, from, size, FOLDING);
    if (known !== -1) return known;
    const number = this.#addWord(this.#lettersAt(text, from, size));
    this.#words.add(this.#codesView, from, size, FOLDING, number);
    return number;
  }

  /** Without keeping the text in memory. */
  #lettersAt(text: string, from: number, size: number): string {
    const isInText = from + size <= text.length;
    const letters =
      isInText && size <= MAX_COPIED_SLICE
        ? text.slice(from, from + size)
        : decodeText(this.#codes, from, from + size);
    return letters.toLowerCase();
  }

  /**
   * What the stream gets for a word that begins or ends with a digit, or has an apostrophe or a capital letter inside.
   * @param raw the word as written, when its capital letters count
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
    // A longer one is data, and hardly comes again.
    if (own === undefined || own.length <= MAX_WORD_LENGTH) this.#withParts.set(own ?? key, cells);
    return cells;
  }

  /** The number of a word that is given as a string. */
  #otherWord(word: string): number {
    const known = this.#words.findText(word);
    if (known !== -1) return known;
    const number = this.#addWord(ownCopy(word));
    this.#words.addText(word, number);
    return number;
  }

  #addWord(word: string): number {
    const first = 2 * this.wordCount++;
    this.cells = grown(this.cells, first + 2);
    const term = termOf(word);
    if (term === word) {
      const known = this.#stems.findText(term);
      this.cells[first] = known === -1 ? this.terms.push(term) - 1 : known;
      this.cells[first + 1] = -1;
    } else {
      let stem = this.find(term);
      if (stem === -1) {
        stem = this.terms.push(term) - 1;
        this.#stems.addText(term, stem);
      }
      this.cells[first] = stem;
      // Found through the word, and so in no table.
      this.cells[first + 1] = this.terms.push(WRITTEN_MARK + word) - 1;
    }
    return isStopword(word) ? first + 1 : first;
  }
}

/** A copy that does not keep a longer text in memory. */
function ownCopy(text: string): string {
  if (text.length <= MAX_COPIED_SLICE) return text;
  const bytes = encodeText(text);
  return decodeText(bytes, 0, bytes.length);
}

/** Copies a number without its commas, as far as a word may reach. @returns where the copy ends */
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

/** Whether a character that is not ASCII follows closely: with it, a sign may join what it does not join alone. */
function isOtherNear(codes: Uint8Array, at: number): boolean {
  return codes[at + 1]! >= 128 || codes[at + 2]! >= 128 || codes[at + 3]! >= 128 || codes[at + 4]! >= 128;
}

/** Whether a compound from here on contains, or ends before, a character that is not ASCII. */
function isOtherBehind(codes: Uint8Array, from: number): boolean {
  let at = from;
  while (KINDS[codes[at]!] !== 0 || codes[at] === HYPHEN) at++;
  return codes[at]! >= 128 || (codes[at] === APOSTROPHE && codes[at + 1]! >= 128);
}

function isThousandsComma(codes: Uint8Array, at: number): boolean {
  const isThree = isDigitAt(codes, at + 1) && isDigitAt(codes, at + 2) && isDigitAt(codes, at + 3);
  return isThree && !isDigitAt(codes, at + 4);
}
