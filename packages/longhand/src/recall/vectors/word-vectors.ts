import { EMBEDDER_LIMITS } from '../../core/embedder.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { sha256Hex } from '../../core/sha256.ts';
import { QueryError, readEntry, readQueryText } from '../analysis/index.ts';
import { checksumOf, type TextVectors } from '../index/index.ts';

/**
 * Static word vectors: similarity of meaning without a model. Each word of the table has a vector, and a text has the sum
 * of its words' vectors. English; a text without known words has zeros. The table is used as it is read, little-endian:
 *
 *   magic, format, dimensions, words, slots, checksum of all behind the header: 4 bytes each
 *   id: 16 hex digits
 *   slots: 2 bytes each, the number of a word plus 1, or 0: found by its hash, else in one of the next slots
 *   hashes of the words and scales of their rows (32-bit floats): 4 bytes a word
 *   rows: `dimensions` signed bytes a word; times its scale, that is the word's vector
 *
 * The table keeps 32 bits of each word's hash. An unknown word is taken for a known one once in 100,000 times.
 */

export const TABLE_FORMAT = 1;
export const TABLE_MAGIC = 0x5657_484c;
export const TABLE_HEADER_BYTES = 40;
export const TABLE_ID_AT = 24;
/** Only the first words of a text count, so that a megabyte costs no more than a long page. */
const MAX_WORDS = 2_000;
/** The length of a text's vector: the product of two is their cosine times `COSINE_STEPS`. */
const VECTOR_LENGTH = 256;
export const COSINE_STEPS = VECTOR_LENGTH * VECTOR_LENGTH;
export const MOST = 127;
/** Dimensions that are added up at once. */
const TOGETHER = 4;
const HASH_START = 0x811c_9dc5 | 0;

/** The table is damaged, or of another format. */
export class TableError extends Error {
  override readonly name = 'TableError';
}

export class WordVectors implements TextVectors {
  readonly id: string;
  readonly dimensions: number;
  readonly #slots: Uint16Array;
  readonly #hashes: Int32Array;
  readonly #scales: Float32Array;
  readonly #rows: Int8Array;
  readonly #sum: Float64Array;
  /** The words of a text. */
  readonly #found = new Int32Array(MAX_WORDS);

  /** @throws TableError */
  constructor(given: Uint8Array) {
    const bytes = given.byteOffset % 4 === 0 ? given : given.slice();
    if (bytes.length < TABLE_HEADER_BYTES) throw new TableError('The table of word vectors is cut short.');
    const header = new Uint32Array(bytes.buffer, bytes.byteOffset, TABLE_ID_AT / 4);
    const [magic, format, dimensions = 0, words = 0, slots = 0, checksum] = header;
    if (magic !== TABLE_MAGIC) throw new TableError('This is not a table of word vectors.');
    if (format !== TABLE_FORMAT)
      throw new TableError(
        `The table of word vectors has format ${format}, and this version reads ${TABLE_FORMAT}.`,
      );
    const hashesAt = TABLE_HEADER_BYTES + 2 * slots;
    const rowsAt = hashesAt + 8 * words;
    if (bytes.length !== rowsAt + words * dimensions)
      throw new TableError('The table of word vectors is cut short.');
    if (checksum !== checksumOf(bytes, TABLE_ID_AT, bytes.length, 0))
      throw new TableError('The table of word vectors is damaged.');
    const { buffer, byteOffset } = bytes;
    this.id = String.fromCharCode(...bytes.subarray(TABLE_ID_AT, TABLE_HEADER_BYTES));
    this.dimensions = dimensions;
    this.#slots = new Uint16Array(buffer, byteOffset + TABLE_HEADER_BYTES, slots);
    this.#hashes = new Int32Array(buffer, byteOffset + hashesAt, words);
    this.#scales = new Float32Array(buffer, byteOffset + hashesAt + 4 * words, words);
    this.#rows = new Int8Array(buffer, byteOffset + rowsAt, words * dimensions);
    // The last ones may be beyond the dimensions, and are not read.
    this.#sum = new Float64Array(dimensions + TOGETHER - 1);
  }

  read(texts: Iterable<string>, row: Int8Array): void {
    const { dimensions } = this;
    const found = this.#found;
    let count = 0;
    for (const text of texts) {
      forEachWord(text, (hash) => {
        const word = this.find(hash);
        if (word !== -1 && count < MAX_WORDS) found[count++] = word;
        return count < MAX_WORDS;
      });
    }
    const sum = this.#sum;
    for (let at = 0; at < dimensions; at += TOGETHER) this.#addUp(count, at);
    let squares = 0;
    for (let at = 0; at < dimensions; at++) squares += sum[at]! * sum[at]!;
    const factor = squares === 0 ? 0 : VECTOR_LENGTH / Math.sqrt(squares);
    for (let at = 0; at < dimensions; at++) {
      row[at] = Math.max(-MOST, Math.min(MOST, Math.round(sum[at]! * factor)));
    }
  }

  knows(word: string): boolean {
    let isKnown = false;
    forEachWord(word, (hash, start, end) => {
      isKnown = start === 0 && end >= word.length && this.find(hash) !== -1;
      return false;
    });
    return isKnown;
  }

  /** Adds up some dimensions of a text's words, in variables: in an array they take twice as long. */
  #addUp(count: number, first: number): void {
    const { dimensions } = this;
    const [rows, scales, found] = [this.#rows, this.#scales, this.#found];
    let [a, b, c, d] = [0, 0, 0, 0];
    for (let at = 0; at < count; at++) {
      const word = found[at]!;
      const scale = scales[word]!;
      const from = word * dimensions + first;
      a += scale * rows[from]!;
      b += scale * rows[from + 1]!;
      c += scale * rows[from + 2]!;
      d += scale * rows[from + 3]!;
    }
    const sum = this.#sum;
    sum[first] = a;
    sum[first + 1] = b;
    sum[first + 2] = c;
    sum[first + 3] = d;
  }

  /** The number of a word, the lower the more frequent; −1 for one that the table does not know. */
  find(hash: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const word = slots[slot]! - 1;
      if (word === -1 || this.#hashes[word] === hash) return word;
    }
  }
}

/**
 * Visits the hashes of a text's words: stretches of the letters a to z, without case and accents. Leaves out what follows
 * an apostrophe ("Nora's") and the whole of words like "don't". The visitor returns whether to go on.
 */
export function forEachWord(
  text: string,
  visit: (hash: number, start: number, end: number) => boolean,
): void {
  const plain = /[\u00c0-\u024f]/.test(text) ? text.normalize('NFD') : text;
  const end = plain.length;
  let hash = HASH_START;
  let start = -1;
  for (let at = 0; at <= end; at++) {
    const code = at < end ? plain.charCodeAt(at) : 0;
    const letter = code | 0x20;
    if (letter >= 0x61 && letter <= 0x7a && code < 0x80) {
      if (start === -1) start = at;
      hash = Math.imul(hash ^ letter, 0x0100_0193);
      continue;
    }
    // A combining accent.
    if (start === -1 || (code >= 0x300 && code <= 0x36f)) continue;
    const isShortened = code === 0x27 || code === 0x2019;
    const isNegated = isShortened && (plain.charCodeAt(at + 1) | 0x20) === 0x74;
    if (!isNegated && !visit(finish(hash), start, at)) return;
    if (isShortened) while (at + 1 < end && ((plain.charCodeAt(at + 1) | 0x20) - 0x61) >>> 0 < 26) at++;
    hash = HASH_START;
    start = -1;
  }
}

/** Mixes all bits into the lowest, which choose the slot. */
function finish(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
  return mixed ^ (mixed >>> 13);
}

/** What an embedder reads of a memory: the author and the texts. Empty for a memory without text. */
export function embeddingText(entry: MemoryEntry): string {
  const { author, texts } = readEntry(entry);
  const said = [...new Set(texts)].join('\n').trim();
  if (said === '') return '';
  return cut(author === '' ? said : `${author}: ${said}`);
}

/** A memory as a query, without quotes and wildcards. */
export function queryTextOf(entry: MemoryEntry): string {
  const { texts } = readEntry(entry);
  return cut([...new Set(texts)].join('\n').replaceAll(/["\u201c\u201d*]/g, ' '));
}

/** Does not split a surrogate pair. */
function cut(text: string): string {
  const short = text.slice(0, EMBEDDER_LIMITS.textCharacters);
  return short.isWellFormed() ? short : short.slice(0, -1);
}

/** The text to search by meaning; `undefined` for queries with wildcards or of phrases alone, which ask for letters. */
export function meaningText(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    const { words, wildcards, isOnlyPhrases } = readQueryText(text);
    if (words.length === 0 || wildcards.length > 0 || isOnlyPhrases) return undefined;
  } catch (error) {
    // The search itself reports it.
    if (error instanceof QueryError) return undefined;
    throw error;
  }
  return text.slice(0, EMBEDDER_LIMITS.textCharacters).toWellFormed();
}

/** 64 bits of a text's hash, which tell whether a vector was made from it. */
export interface ContentHash {
  readonly high: number;
  readonly low: number;
}

export function contentHashOf(text: string): ContentHash {
  const hex = sha256Hex(text);
  return { high: Number.parseInt(hex.slice(0, 8), 16), low: Number.parseInt(hex.slice(8, 16), 16) };
}
