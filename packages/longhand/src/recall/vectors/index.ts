/** Texts to similarity: word vectors, stored vectors, their products. Other rooms import from here alone. */

export { multiplyAll } from './dot-kernel.ts';
export { type QuantisedVector, quantise } from './quantise.ts';
export {
  BLOCK_HEADER_BYTES,
  type BlockSession,
  encodeBlock,
  type NewRow,
  readBlockSessions,
  VectorBlock,
} from './vector-block.ts';
export { idHashesOf, idKeyOf, type TextsById, textKey, textKeyOf } from './vector-key.ts';
export { type IndexedTexts, NO_ROW, type TextsOf, VectorTable } from './vector-table.ts';
export {
  COSINE_STEPS,
  type ContentHash,
  contentHashOf,
  embeddingText,
  meaningText,
  queryTextOf,
  WordVectors,
} from './word-vectors.ts';
