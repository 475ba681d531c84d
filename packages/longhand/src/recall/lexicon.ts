/**
 * The words of a tail, numbered.
 *
 * Indexing spends its time turning text into term numbers, so this file reads ASCII without making a string
 * for each word: it hashes the letters as it walks and looks them up in an open-addressing table whose keys
 * lie in one byte pool. Only a word that was never seen before is folded and stemmed. A stretch with other
 * letters is handed to `forEachWord`, up to the next white space, where both readings agree again.
 */

import { decodeText } from './bytes.ts';
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
const NINE = 57;
const SMALL_A = 97;
/** From a capital letter to the small one. */
const CASE_DISTANCE = 32;

/** The lower-case code of an ASCII letter or digit, 0 for every other byte. */
const FOLDED = new Uint8Array(256);
for (let code = 48; code <= 57; code++) FOLDED[code] = code;
for (let code = 97; code <= 122; code++) {
  FOLDED[code] = code;
  FOLDED[code - CASE_DISTANCE] = code;
}

/** Signs that may make something else of the word before them: "e-mail", "C++", "C#", "50%". */
const JOINING = new Uint8Array(256);
for (const sign of '-+#%') JOINING[sign.charCodeAt(0)] = 1;

/** Stands between independent texts in a stream of words. */
export const GAP = -1;

/** In a stream, a word that stands beside the one before it is this minus its number: less than `GAP`. */
export const BESIDE = -2;

/** A word as written stands beside its term under this mark, so that wildcards can match what was written. */
export const WRITTEN_MARK = '~';

export function grown<Column extends Int32Array | Uint8Array | Float64Array | Float32Array>(
  column: Column,
  needed: number,
): Column {
  if (needed <= column.length) return column;
  const wider = new (column.constructor as new (length: number) => Column)(
    Math.max(needed, column.length * 2),
  );
  wider.set(column);
  return wider;
}

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
   * Two cells for each word. The first: the number of its term, times two, plus one for a stopword, which does
   * not count as length. The second: the term number of the written form, or −1 when the word is its own term.
   */
  cells = new Int32Array(2048);
  /** The word numbers of all texts, one behind the other, as far as `streamLength`. */
  stream: Int32Array = new Int32Array(1024);
  streamLength = 0;

  #wordCount = 0;
  #words = new AsciiTable();
  #otherWords = new Map<string, number>();
  #numbers = new AsciiTable();
  #otherNumbers = new Map<string, number>();
  #codes = new Uint8Array(4096);
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

  /** The number of a term, new or known. */
  numberOf(term: string): number {
    const hash = this.#numbers.load(term);
    const known = this.#findTerm(term, hash);
    if (known !== -1) return known;
    const number = this.terms.push(term) - 1;
    if (hash === undefined) this.#otherNumbers.set(term, number);
    else this.#numbers.add(term.length, hash, number);
    return number;
  }

  /** The number of a term, or −1 when no text of this lexicon held it. */
  find(term: string): number {
    if (!term.startsWith(WRITTEN_MARK)) return this.#findTerm(term, this.#numbers.load(term));
    const word = this.#findWord(term.slice(WRITTEN_MARK.length));
    return word === -1 ? -1 : this.cells[2 * word + 1]!;
  }

  #findTerm(term: string, hash: number | undefined): number {
    return hash === undefined ? (this.#otherNumbers.get(term) ?? -1) : this.#numbers.find(term.length, hash);
  }

  /** The number of a word as it was written, or −1. */
  #findWord(word: string): number {
    const hash = this.#words.load(word);
    return hash === undefined ? (this.#otherWords.get(word) ?? -1) : this.#words.find(word.length, hash);
  }

  /** Appends the word numbers of a text to `stream`. */
  read(text: string): void {
    const word = this.#words.key;
    const end = text.length;
    const codes = this.#codesOf(text);
    let out = grown(this.stream, this.streamLength + (end >> 1) + 2);
    let count = this.streamLength;
    let at = 0;
    while (at < end) {
      let code = codes[at]!;
      if (code < 128 && FOLDED[code] === 0) {
        at++;
        continue;
      }
      const start = at;
      this.#words.clear();
      let hash = 0;
      let size = 0;
      let isOther = false;
      let isJoined = false;
      // How much folding has raised its letters: a sum is faster than to ask for each.
      let raised = 0;
      for (;;) {
        // Behind the text stands a zero, which is no letter.
        for (let letter = FOLDED[codes[at]!]!; letter !== 0; letter = FOLDED[codes[++at]!]!) {
          raised += letter - codes[at]!;
          // Of what is longer, the beginning is the word.
          if (size < MAX_WORD_LENGTH) {
            word[size++] = letter;
            hash = (Math.imul(hash, 31) + letter) | 0;
          }
        }
        code = codes[at]!;
        let isKept = true;
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
          if (FOLDED[next] === 0) break;
          isJoined = true;
        } else if ((code === POINT || code === COMMA) && isDigitAt(codes, at - 1)) {
          if (isOtherNear(codes, at)) {
            isOther = true;
            break;
          }
          if (code === COMMA ? !isThousandsComma(codes, at) : !isDigitAt(codes, at + 1)) break;
          isKept = code === POINT;
        } else break;
        if (isKept && size < MAX_WORD_LENGTH) {
          word[size++] = code;
          hash = (Math.imul(hash, 31) + code) | 0;
        }
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
      const hasCapitalInside = raised > CASE_DISTANCE || (raised > 0 && codes[start]! >= SMALL_A);
      if (hasCapitalInside || isJoined || word[0]! <= NINE || word[size - 1]! <= NINE) {
        const cells = this.#wordOfParts(size, hash, hasCapitalInside ? text.slice(start, at) : undefined);
        out = grown(out, count + cells.length + ((end - at) >> 1) + 2);
        for (let cell = 0; cell < cells.length; cell++) out[count++] = cells[cell]!;
      } else out[count++] = this.#asciiWord(size, hash);
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
    this.#codes = grown(this.#codes, length + 5);
    const codes = this.#codes;
    // As many bytes as code units: all of it is ASCII.
    const { written } = encoder.encodeInto(text, codes);
    if (written !== length) {
      for (let at = 0; at < length; at++) codes[at] = Math.min(text.charCodeAt(at), NOT_ASCII);
    }
    // What looks ahead finds no digit.
    codes.fill(0, length, length + 5);
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

  #asciiWord(size: number, hash: number): number {
    const known = this.#words.find(size, hash);
    return known === -1 ? this.#addAscii(size, hash) : known;
  }

  /**
   * What stands in the stream for a word that begins or ends with a digit, or has an apostrophe or a capital letter in it.
   *
   * @param raw as it stands in the text, where its capital letters count
   */
  #wordOfParts(size: number, hash: number, raw: string | undefined): readonly number[] {
    const key = raw ?? this.#asciiWord(size, hash);
    let cells = this.#withParts.get(key);
    if (cells === undefined) {
      const found: number[] = [];
      const written = decodeText(this.#words.key, 0, size);
      forEachPart(written, raw ?? written, (word, _, isBeside) => {
        const each = this.#otherWord(word);
        found.push(isBeside ? BESIDE - each : each);
      });
      cells = found;
      this.#withParts.set(key, cells);
    }
    return cells;
  }

  #addAscii(size: number, hash: number): number {
    const number = this.#addWord(decodeText(this.#words.key, 0, size));
    this.#words.add(size, hash, number);
    return number;
  }

  /** A word of a stretch that is not all ASCII; the word itself may be. */
  #otherWord(word: string): number {
    const hash = this.#words.load(word);
    if (hash !== undefined) return this.#asciiWord(word.length, hash);
    let number = this.#otherWords.get(word);
    if (number === undefined) {
      number = this.#addWord(word);
      this.#otherWords.set(word, number);
    }
    return number;
  }

  #addWord(word: string): number {
    const number = this.#wordCount++;
    this.cells = grown(this.cells, 2 * number + 2);
    const term = termOf(word);
    this.cells[2 * number] = 2 * this.numberOf(term) + (isStopword(word) ? 1 : 0);
    // Found again by the word itself, and so in no map: half of the time that a new word takes.
    this.cells[2 * number + 1] = term === word ? -1 : this.terms.push(WRITTEN_MARK + word) - 1;
    return number;
  }
}

/** As many letters as two cells of a slot hold: most words are no longer. */
const LETTERS_IN_SLOT = 8;

/**
 * Numbers of short ASCII texts, found by their letters: no text has to be made, hashed or kept for it, which a `Map`
 * would need.
 */
class AsciiTable {
  /** What is looked for or added: the caller clears it, puts the letters here and gives their number and hash. */
  readonly key = new Uint8Array(MAX_WORD_LENGTH);
  /** The first letters of the key, four in one. */
  readonly #keyStart = new Int32Array(this.key.buffer, 0, LETTERS_IN_SLOT / 4);
  /**
   * Slots of four: hash, number plus one (0 when free), and the letters themselves, so that nearly all words are found
   * with one access. A longer text has its place in the pool, and the negative of its size, which no letters are.
   */
  #slots = new Int32Array(1 << 15);
  #count = 0;
  #pool = new Uint8Array(16_384);
  #poolLength = 0;

  /** Before the letters of another key. Those of a longer one that stay behind it are never looked at. */
  clear(): void {
    this.#keyStart[0] = 0;
    this.#keyStart[1] = 0;
  }

  /** Makes a text the key and gives its hash; `undefined` when it is none that fits. */
  load(text: string): number | undefined {
    const { length } = text;
    if (length > MAX_WORD_LENGTH) return undefined;
    this.clear();
    const { key } = this;
    let hash = 0;
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at);
      if (code >= 128) return undefined;
      key[at] = code;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    return hash;
  }

  /** The number of the key, or −1. */
  find(size: number, hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 4;
    const first = this.#keyStart[0];
    const second = this.#keyStart[1];
    let slot = ((hash ^ (hash >>> 15)) << 2) & mask;
    for (let number = slots[slot + 1]!; number !== 0; number = slots[slot + 1]!) {
      if (slots[slot] === hash) {
        if (size <= LETTERS_IN_SLOT) {
          if (slots[slot + 2] === first && slots[slot + 3] === second) return number - 1;
        } else if (slots[slot + 3] === -size && this.#isAt(slots[slot + 2]!, size)) return number - 1;
      }
      slot = (slot + 4) & mask;
    }
    return -1;
  }

  /** Adds the key, which must not be there. */
  add(size: number, hash: number, number: number): void {
    this.#count++;
    // At most half full, four cells a slot.
    if (this.#count * 8 > this.#slots.length) {
      const old = this.#slots;
      this.#slots = new Int32Array(old.length * 4);
      for (let slot = 0; slot < old.length; slot += 4) {
        if (old[slot + 1] !== 0) this.#place(old[slot]!, old[slot + 1]!, old[slot + 2]!, old[slot + 3]!);
      }
    }
    if (size <= LETTERS_IN_SLOT) this.#place(hash, number + 1, this.#keyStart[0]!, this.#keyStart[1]!);
    else this.#place(hash, number + 1, this.#intoPool(size), -size);
  }

  #intoPool(size: number): number {
    const start = this.#poolLength;
    this.#poolLength += size;
    this.#pool = grown(this.#pool, this.#poolLength);
    for (let at = 0; at < size; at++) this.#pool[start + at] = this.key[at]!;
    return start;
  }

  #isAt(start: number, size: number): boolean {
    const pool = this.#pool;
    const { key } = this;
    for (let at = 0; at < size; at++) if (pool[start + at] !== key[at]) return false;
    return true;
  }

  #place(hash: number, numberPlusOne: number, third: number, fourth: number): void {
    const slots = this.#slots;
    const mask = slots.length - 4;
    let slot = ((hash ^ (hash >>> 15)) << 2) & mask;
    while (slots[slot + 1] !== 0) slot = (slot + 4) & mask;
    slots[slot] = hash;
    slots[slot + 1] = numberPlusOne;
    slots[slot + 2] = third;
    slots[slot + 3] = fourth;
  }
}

function isDigitAt(codes: Uint8Array, at: number): boolean {
  const code = codes[at]!;
  return code >= 48 && code <= 57;
}

/** Whether a digit of another script may follow a sign inside a number: it may become one that joins. */
function isOtherNear(codes: Uint8Array, at: number): boolean {
  return codes[at + 1]! >= 128 || codes[at + 2]! >= 128 || codes[at + 3]! >= 128 || codes[at + 4]! >= 128;
}

/** Whether what hyphens join from a place on has other letters in it, or ends before one. */
function isOtherBehind(codes: Uint8Array, from: number): boolean {
  let at = from;
  while (FOLDED[codes[at]!] !== 0 || codes[at] === HYPHEN) at++;
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
