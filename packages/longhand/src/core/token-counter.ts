/**
 * Counts the tokens of a text as a model would. Synchronous, so that an assembler can weigh hundreds of pieces
 * in a millisecond; a caller that needs time to load a vocabulary does so before it hands the counter over.
 */
export interface TokenCounter {
  /** For manifests: `o200k_base`, … */
  readonly name: string;
  count(text: string): number;
}
