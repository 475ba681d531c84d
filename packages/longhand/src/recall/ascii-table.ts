/**
 * Numbers of short ASCII texts, found by their letters where they stand: no text has to be made, hashed or kept for it,
 * which a `Map` would need. Letters are taken four at a time, and nearly all words are found with one access.
 */

import { grown } from './columns.ts';

/** Letters that a slot holds. What is longer stands in the pool. */
const LETTERS_IN_SLOT = 12;
/** As many bytes from the beginning of a key on must be there; those behind its letters may be anything. */
export const MIN_KEY_BYTES = LETTERS_IN_SLOT;

/** For `fold`: capital letters are taken for small ones. Digits, points and apostrophes have that bit. */
export const FOLDING = 0x2020_2020;

/** Size of a text → which of the bytes from `offset` to the fourth behind it are letters of it. */
function lettersFrom(offset: number): Int32Array {
  return Int32Array.from({ length: LETTERS_IN_SLOT + 1 }, (_, size) => {
    const letters = Math.max(0, size - offset);
    return letters < 4 ? (1 << (8 * letters)) - 1 : -1;
  });
}

/** Others in every process: who writes the texts must not know which of their words fall into one slot. */
const FACTORS = Array.from({ length: 3 }, () => Math.floor(Math.random() * 2 ** 32) | 1);
const [FACTOR_1, FACTOR_2, FACTOR_3] = FACTORS as [number, number, number];

const FIRST = lettersFrom(0);
const SECOND = lettersFrom(4);
const THIRD = lettersFrom(8);

export class AsciiTable {
  /**
   * Slots of four: the number plus one, and the letters. Of a text that is longer the negative of that number, its hash,
   * its place in the pool and its size. 0 where a slot is free. Small at first, as all columns of a tail: most processes that
   * search have nothing new to index, and a server keeps a tail for each user.
   */
  #slots = new Int32Array(1 << 10);
  #count = 0;
  #pool = new Uint8Array(256);
  #poolLength = 0;

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

  /** Adds a text, which must not be there. */
  add(bytes: DataView, start: number, size: number, fold: number, number: number): void {
    this.#count++;
    // At most three quarters full, four cells a slot: what comes first comes often, and has the best places.
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

function letterAt(bytes: DataView, at: number, fold: number): number {
  return bytes.getUint8(at) | (fold & 0xff);
}

function hashOf(first: number, second: number, third: number): number {
  const hash = (Math.imul(first, FACTOR_1) + Math.imul(second, FACTOR_2) + Math.imul(third, FACTOR_3)) | 0;
  return hash ^ (hash >>> 15);
}

/** The last four letters may begin before those before them have ended. */
function hashOfLong(bytes: DataView, start: number, size: number, fold: number): number {
  let hash = size;
  for (let at = 0; at < size; at += 4) {
    hash = Math.imul(hash ^ (bytes.getInt32(start + Math.min(at, size - 4), true) | fold), FACTOR_1);
    hash ^= hash >>> 15;
  }
  return hash;
}
