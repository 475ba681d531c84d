import { IOError, ValidationError } from './errors.ts';

/**
 * Turns texts into vectors whose directions say what the texts are about. The port behind which a model stands: one
 * behind an endpoint, or one on this machine. Nothing needs one; with one, memories are also found that say the same
 * in other words.
 */
export interface Embedder {
  /**
   * Tells vectors that can be compared from those that cannot: model, dimensions and version. Stored vectors of
   * another identity are not used.
   */
  readonly identity: string;
  readonly dimensions: number;
  /** Texts in one call, at most. 64 when left out. */
  readonly batchSize?: number;
  /**
   * A vector for each text, in their order.
   * @throws anything: queries are then answered by words alone, and memories are tried again later. An error whose
   * `details.refused` is true is about these very texts: they are tried one by one, and those that are refused alone
   * stay without a vector
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<readonly Float32Array[]>;
}

export interface EmbedOptions {
  /** Some models want to know whether a text is looked for or looked through. */
  readonly kind: 'query' | 'document';
  readonly signal: AbortSignal;
}

export const EMBEDDER_LIMITS = {
  batchSize: 64,
  dimensions: 8_192,
  /**
   * Characters of a text that are given to the embedder: what lies beyond is found by its words. Below the 8,192
   * tokens that most models take, for scripts with a token for each character too.
   */
  textCharacters: 6_000,
  identityCharacters: 256,
} as const;

/**
 * Asks an embedder and checks what it answers.
 * @throws IOError EMBEDDER_FAILED for a wrong number of vectors, a wrong dimension, or numbers that are none
 */
export async function embedChecked(
  embedder: Embedder,
  texts: readonly string[],
  options: EmbedOptions,
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, options);
  if (!Array.isArray(vectors) || vectors.length !== texts.length) {
    throw embedderFailed(`gave ${vectors?.length} vectors for ${texts.length} texts`);
  }
  for (const vector of vectors as readonly Float32Array[]) {
    if (vector.length !== embedder.dimensions) {
      throw embedderFailed(`gave a vector of ${vector.length} dimensions in place of ${embedder.dimensions}`);
    }
    const isRefused = { details: { refused: true } };
    if (!vector.every(Number.isFinite)) {
      throw embedderFailed('gave a vector with something that is no number', isRefused);
    }
    if (vector.every((value) => value === 0)) {
      throw embedderFailed('gave a vector without a direction', isRefused);
    }
  }
  return vectors;
}

/** Whether it is the texts that an embedder cannot take, so that trying again is of no use. */
export function isRefusal(error: unknown): boolean {
  return (error as { readonly details?: { readonly refused?: unknown } } | null)?.details?.refused === true;
}

/** @throws ValidationError INVALID_OPTION */
export function checkEmbedder(embedder: Embedder): void {
  const { identity, dimensions, batchSize = EMBEDDER_LIMITS.batchSize } = embedder;
  const isWhole = (value: unknown, most: number): boolean =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most;
  refuse(typeof embedder.embed !== 'function', 'embed must be a function');
  const isName = typeof identity === 'string' && identity.trim() !== '';
  const most = EMBEDDER_LIMITS.identityCharacters;
  refuse(!isName || identity.length > most, `identity must be a text of 1 to ${most} characters`);
  refuse(
    !isWhole(dimensions, EMBEDDER_LIMITS.dimensions),
    `dimensions must be a whole number from 1 to ${EMBEDDER_LIMITS.dimensions}`,
  );
  refuse(!isWhole(batchSize, 10_000), 'batchSize must be a whole number from 1 to 10000');
}

function refuse(isWrong: boolean, reason: string): void {
  if (isWrong) throw new ValidationError('INVALID_OPTION', `The embedder’s ${reason}.`);
}

export function embedderFailed(
  what: string,
  options: { readonly cause?: unknown; readonly details?: Readonly<Record<string, unknown>> } = {},
): IOError {
  return new IOError('EMBEDDER_FAILED', `The embedder ${what}.`, options);
}
