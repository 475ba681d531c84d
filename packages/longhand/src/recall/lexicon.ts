/**
 * The words of a tail, numbered.
 *
 * Indexing spends its time turning text into term numbers, so this file reads ASCII without making a string
 * for each word: it hashes the letters as it walks and looks them up in an open-addressing table whose keys
 * lie in one byte pool. Only a word that was never seen before is folded and stemmed. A stretch with other
 * letters is handed to `forEachWord`, up to the next white space, where both readings agree again.
 */

import { isStopword } from './stopwords.ts';
import { forEachWord, MAX_WORD_LENGTH, termOf } from './words.ts';

/** The lower-case code of an ASCII letter or digit, 0 for everything else. */
const FOLDED = new Uint8Array(128);
for (let code = 48; code <= 57; code++) FOLDED[code] = code;
for (let code = 97; code <= 122; code++) {
  FOLDED[code] = code;
  FOLDED[code - 32] = code;
}

const APOSTROPHE = 39;
const COMMA = 44;
const POINT = 46;

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

export class Lexicon {
  /** Term number → term. */
  readonly terms: string[] = [];
  /** Word number → term number of its term. */
  termOfWord = new Int32Array(1024);
  /** Word number → term number of the written form, or −1 when the term is the word itself. */
  writtenOfWord = new Int32Array(1024);
  /** Word number → 1 for a stopword, which does not count as length. */
  stopOfWord = new Uint8Array(1024);

  #numbers = new Map<string, number>();
  #wordCount = 0;
  #otherWords = new Map<string, number>();
  #slots = new Int32Array(4096).fill(-1);
  #hashes = new Int32Array(1024);
  #poolStarts = new Int32Array(1025);
  #pool = new Uint8Array(16_384);
  #poolLength = 0;
  #word = new Uint8Array(MAX_WORD_LENGTH);

  /** The number of a term, new or known. */
  numberOf(term: string): number {
    let number = this.#numbers.get(term);
    if (number === undefined) {
      number = this.terms.length;
      this.terms.push(term);
      this.#numbers.set(term, number);
    }
    return number;
  }

  /** The number of a term, or −1 when no text of this lexicon held it. */
  find(term: string): number {
    return this.#numbers.get(term) ?? -1;
  }

  /** Appends the word numbers of a text to `stream` from `length` on; gives the stream, which may have moved. */
  read(text: string, stream: Int32Array, length: number): { stream: Int32Array; length: number } {
    const word = this.#word;
    const end = text.length;
    let out = grown(stream, length + (end >> 1) + 2);
    let count = length;
    let at = 0;
    while (at < end) {
      let code = text.charCodeAt(at);
      if (code < 128 && FOLDED[code] === 0) {
        at++;
        continue;
      }
      const start = at;
      let hash = 0;
      let size = 0;
      let isOther = false;
      while (at < end) {
        code = text.charCodeAt(at);
        if (code >= 128) {
          isOther = true;
          break;
        }
        const folded = FOLDED[code]!;
        if (folded !== 0) {
          if (size < MAX_WORD_LENGTH) word[size] = folded;
          size++;
          hash = Math.imul(hash, 31) + folded;
          at++;
          continue;
        }
        if (code === APOSTROPHE) {
          const next = at + 1 < end ? text.charCodeAt(at + 1) : 0;
          if (next >= 128) {
            isOther = true;
            break;
          }
          if (FOLDED[next] === 0) break;
          if (size < MAX_WORD_LENGTH) word[size] = code;
          size++;
          hash = Math.imul(hash, 31) + code;
          at++;
        } else if (code === POINT && isDigitAt(text, at - 1) && isDigitAt(text, at + 1)) {
          if (size < MAX_WORD_LENGTH) word[size] = code;
          size++;
          hash = Math.imul(hash, 31) + code;
          at++;
        } else if (code === COMMA && isDigitAt(text, at - 1) && isThousandsComma(text, at)) at++;
        else break;
      }
      if (isOther) {
        at = start;
        while (at < end && text.charCodeAt(at) > 32) at++;
        forEachWord(text.slice(start, at), (other) => {
          out = grown(out, count + 2);
          out[count++] = this.#otherWord(other);
        });
        out = grown(out, count + ((end - at) >> 1) + 2);
        continue;
      }
      if (at - start <= MAX_WORD_LENGTH) out[count++] = this.#asciiWord(size, hash);
    }
    return { stream: out, length: count };
  }

  #asciiWord(size: number, hash: number): number {
    const slots = this.#slots;
    const hashes = this.#hashes;
    const mask = slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    for (;;) {
      const number = slots[slot]!;
      if (number === -1) break;
      if (hashes[number] === hash && this.#isAt(number, size)) return number;
      slot = (slot + 1) & mask;
    }
    return this.#addAscii(size, hash);
  }

  #isAt(number: number, size: number): boolean {
    const start = this.#poolStarts[number]!;
    if (this.#poolStarts[number + 1]! - start !== size) return false;
    const pool = this.#pool;
    const word = this.#word;
    for (let at = 0; at < size; at++) if (pool[start + at] !== word[at]) return false;
    return true;
  }

  #addAscii(size: number, hash: number): number {
    const text = String.fromCharCode(...this.#word.subarray(0, size));
    const number = this.#addWord(text);
    this.#pool = grown(this.#pool, this.#poolLength + size);
    this.#pool.set(this.#word.subarray(0, size), this.#poolLength);
    this.#poolLength += size;
    this.#poolStarts[number + 1] = this.#poolLength;
    this.#hashes[number] = hash;
    this.#occupy(number);
    return number;
  }

  #occupy(number: number): void {
    if ((number + 1) * 2 > this.#slots.length) {
      this.#slots = new Int32Array(this.#slots.length * 4).fill(-1);
      for (let known = 0; known < number; known++) if (this.#isPooled(known)) this.#place(known);
    }
    this.#place(number);
  }

  #isPooled(number: number): boolean {
    return this.#poolStarts[number + 1]! > this.#poolStarts[number]!;
  }

  #place(number: number): void {
    const hash = this.#hashes[number]!;
    const mask = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & mask;
    while (this.#slots[slot] !== -1) slot = (slot + 1) & mask;
    this.#slots[slot] = number;
  }

  #otherWord(word: string): number {
    let number = this.#otherWords.get(word);
    if (number === undefined) {
      number = this.#addWord(word);
      this.#otherWords.set(word, number);
    }
    return number;
  }

  #addWord(word: string): number {
    const number = this.#wordCount++;
    this.termOfWord = grown(this.termOfWord, number + 1);
    this.writtenOfWord = grown(this.writtenOfWord, number + 1);
    this.stopOfWord = grown(this.stopOfWord, number + 1);
    this.#hashes = grown(this.#hashes, number + 1);
    this.#poolStarts = grown(this.#poolStarts, number + 2);
    this.#poolStarts[number + 1] = this.#poolLength;
    const term = termOf(word);
    this.termOfWord[number] = this.numberOf(term);
    this.writtenOfWord[number] = term === word ? -1 : this.numberOf(WRITTEN_MARK + word);
    this.stopOfWord[number] = isStopword(word) ? 1 : 0;
    return number;
  }
}

function isDigitAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

function isThousandsComma(text: string, at: number): boolean {
  return (
    isDigitAt(text, at + 1) && isDigitAt(text, at + 2) && isDigitAt(text, at + 3) && !isDigitAt(text, at + 4)
  );
}
