/**
 * A hash table from texts to numbers. ASCII texts are found by their bytes, four at a time, without making a string as a
 * `Map` would need. Nearly all words are found with one access.
 */

import { MAX_WORD_LENGTH } from '../analysis/index.ts';
import { grown } from './columns.ts';

/** Longer texts lie in the pool. */
const LETTERS_IN_SLOT = 12;
/** A buffer must have so many bytes from the beginning of a key on; those behind the key may be anything. */
export const MIN_KEY_BYTES = LETTERS_IN_SLOT;

/** For `fold`: makes capital letters small. Digits, points and apostrophes have that bit already. */
export const FOLDING = 0x2020_2020;

/** Size of a text → a mask of its letters among the four bytes from `offset` on. */
function lettersFrom(offset: number): Int32Array {
  return Int32Array.from({ length: LETTERS_IN_SLOT + 1 }, (_, size) => {
    const letters = Math.max(0, size - offset);
    return letters < 4 ? (1 << (8 * letters)) - 1 : -1;
  });
}

/** Random, so that the author of a text cannot choose words that fall into one slot. */
const FACTORS = Array.from({ length: 3 }, () => Math.floor(Math.random() * 2 ** 32) | 1);
const [FACTOR_1, FACTOR_2, FACTOR_3] = FACTORS as [number, number, number];

/** A text as a key. */
const key = new Uint8Array(MAX_WORD_LENGTH + MIN_KEY_BYTES);
const keyView = new DataView(key.buffer);

const FIRST = lettersFrom(0);
const SECOND = lettersFrom(4);
const THIRD = lettersFrom(8);

export class AsciiTable {
  /**
   * Slots of four cells: the number plus one, then the letters. For a longer text: minus the number minus one, its hash,
   * its place in the pool, its size. A free slot begins with 0. Small at first: a server keeps a tail for each user.
   */
  #slots = new Int32Array(1 << 10);
  #count = 0;
  #pool = new Uint8Array(256);
  #poolLength = 0;
  /** Texts that are too long or not ASCII. */
  #others = new Map<string, number>();

  findText(text: string): number {
    return loadKey(text) ? this.find(keyView, 0, text.length, 0) : (this.#others.get(text) ?? -1);
  }

  addText(text: string, number: number): void {
    if (loadKey(text)) this.add(keyView, 0, text.length, 0, number);
    else this.#others.set(text, number);
  }

  /** The number of the text of `size` letters from `start` on, or −1. @param fold `FOLDING`, or 0 */
  find(bytes: DataView, start: number, size: number, fold: number): number {
    if (size > LETTERS_IN_SLOT) return this.#findLong(bytes, start, size, fold);
    const first = (bytes.getInt32(start, true) | fold) & FIRST[size]!;
    const second = (bytes.getInt32(start + 4, true) | fold) & SECOND[size]!;
    const third = (bytes.getInt32(start + 8, true) | fold) & THIRD[size]!;
    const slots = this.#slots;
    const mask = slots.length - 4;
    let slot = (hashOf(first, second, third) << 2) & mask;
    for (let number = slots[slot]!; number !== 0; number = slots[slot]!) {
      if (slots[slot + 1] === first && slots[slot + 2] === second && slots[slot + 3] === third && number > 0)
        return number - 1;
      slot = (slot + 4) & mask;
    }
    return -1;
  }

  /** Adds a text that is not in the table. */
  add(bytes: DataView, start: number, size: number, fold: number, number: number): void {
    this.#count++;
    // At most three quarters full. Frequent words come first and get the best slots.
    if (this.#count * 16 > this.#slots.length * 3) this.#grow();
    if (size > LETTERS_IN_SLOT) {
      const hash = hashOfLong(bytes, start, size, fold);
      this.#place(hash, -1 - number, hash, this.#intoPool(bytes, start, size, fold), size);
    } else {
      const first = (bytes.getInt32(start, true) | fold) & FIRST[size]!;
      const second = (bytes.getInt32(start + 4, true) | fold) & SECOND[size]!;
      const third = (bytes.getInt32(start + 8, true) | fold) & THIRD[size]!;
      this.#place(hashOf(first, second, third), number + 1, first, second, third);
    }
  }

  #findLong(bytes: DataView, start: number, size: number, fold: number): number {
    const hash = hashOfLong(bytes, start, size, fold);
    const slots = this.#slots;
    const mask = slots.length - 4;
    let slot = (hash << 2) & mask;
    for (let number = slots[slot]!; number !== 0; number = slots[slot]!) {
      if (number < 0 && slots[slot + 1] === hash && slots[slot + 3] === size) {
        if (this.#isAt(slots[slot + 2]!, bytes, start, size, fold)) return -1 - number;
      }
      slot = (slot + 4) & mask;
    }
    return -1;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    for (let slot = 0; slot < old.length; slot += 4) {
      const number = old[slot]!;
      if (number === 0) continue;
      const [first, second, third] = [old[slot + 1]!, old[slot + 2]!, old[slot + 3]!];
      this.#place(number < 0 ? first : hashOf(first, second, third), number, first, second, third);
    }
  }

  #place(hash: number, number: number, first: number, second: number, third: number): void {
    const slots = this.#slots;
    const mask = slots.length - 4;
    let slot = (hash << 2) & mask;
    while (slots[slot] !== 0) slot = (slot + 4) & mask;
    slots[slot] = number;
    slots[slot + 1] = first;
    slots[slot + 2] = second;
    slots[slot + 3] = third;
  }

  #intoPool(bytes: DataView, start: number, size: number, fold: number): number {
    const place = this.#poolLength;
    this.#poolLength += size;
    this.#pool = grown(this.#pool, this.#poolLength);
    for (let at = 0; at < size; at++) this.#pool[place + at] = letterAt(bytes, start + at, fold);
    return place;
  }

  #isAt(place: number, bytes: DataView, start: number, size: number, fold: number): boolean {
    const pool = this.#pool;
    for (let at = 0; at < size; at++) {
      if (pool[place + at] !== letterAt(bytes, start + at, fold)) return false;
    }
    return true;
  }
}

/** Copies a text to the key; false when it does not fit. */
function loadKey(text: string): boolean {
  const { length } = text;
  if (length > MAX_WORD_LENGTH) return false;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= 128) return false;
    key[at] = code;
  }
  return true;
}

function letterAt(bytes: DataView, at: number, fold: number): number {
  return bytes.getUint8(at) | (fold & 0xff);
}

function hashOf(first: number, second: number, third: number): number {
  const hash = (Math.imul(first, FACTOR_1) + Math.imul(second, FACTOR_2) + Math.imul(third, FACTOR_3)) | 0;
  return hash ^ (hash >>> 15);
}

/** The last four letters may overlap the four before them. */
function hashOfLong(bytes: DataView, start: number, size: number, fold: number): number {
  let hash = size;
  for (let at = 0; at < size; at += 4) {
    hash = Math.imul(hash ^ (bytes.getInt32(start + Math.min(at, size - 4), true) | fold), FACTOR_1);
    hash ^= hash >>> 15;
  }
  return hash;
}
