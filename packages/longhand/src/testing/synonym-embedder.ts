import type { Embedder, EmbedOptions } from '../core/embedder.ts';

export interface SynonymEmbedderOptions {
  /** Words that mean the same, as lists. */
  readonly synonyms?: readonly (readonly string[])[];
  /** Default 128. */
  readonly dimensions?: number;
  /** Default `synonyms-1`. */
  readonly identity?: string;
  readonly batchSize?: number;
  /** Called before each answer: to count, to wait, to fail. */
  readonly before?: (texts: readonly string[], options: EmbedOptions) => void | Promise<void>;
}

/**
 * A small embedder for tests, the same on every machine: a word is a direction that its letters give, words of one list
 * of synonyms have the same, and a text is the sum of its words.
 */
export class SynonymEmbedder implements Embedder {
  readonly identity: string;
  readonly dimensions: number;
  readonly batchSize: number;
  readonly #canonical = new Map<string, string>();
  readonly #before: SynonymEmbedderOptions['before'];
  /** Texts that were embedded, by kind. */
  readonly counts = { query: 0, document: 0 };

  constructor({
    synonyms = [],
    dimensions = 128,
    identity = 'synonyms-1',
    batchSize = 64,
    before,
  }: SynonymEmbedderOptions = {}) {
    this.dimensions = dimensions;
    this.identity = `${identity}/${dimensions}`;
    this.batchSize = batchSize;
    this.#before = before;
    for (const words of synonyms) for (const word of words) this.#canonical.set(word, words[0]!);
  }

  async embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]> {
    await this.#before?.(texts, options);
    this.counts[options.kind] += texts.length;
    return texts.map((text) => this.#vectorOf(text));
  }

  #vectorOf(text: string): Float32Array {
    const vector = new Float32Array(this.dimensions);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
      let state = 2_166_136_261;
      for (const character of this.#canonical.get(word) ?? word) {
        state = Math.imul(state ^ character.codePointAt(0)!, 16_777_619);
      }
      for (let at = 0; at < vector.length; at++) {
        state = Math.imul(state ^ (state >>> 15), 0x2c1b_3c6d) + 0x9e37_79b9;
        vector[at]! += ((state >>> 8) & 0xffff) / 0x8000 - 1;
      }
    }
    return vector;
  }
}
