/** Texts to terms: what a memory and a query say. Other rooms import from here alone. */

export { asksForAnything, sayOnlyThatItWasSaid, TALKING } from './asking-words.ts';
export { isAscii } from './characters.ts';
export { EditDistance } from './edit-distance.ts';
export {
  type IndexedEntry,
  KIND_ASKS,
  KIND_BY_ASSISTANT,
  KIND_BY_USER,
  KIND_HOLDS_QUESTION,
  KIND_NAMED,
  KIND_TYPE_MASK,
  readEntry,
} from './entry-text.ts';
export {
  MAX_PHRASES,
  QueryError,
  type QueryText,
  readQueryText,
  requestVerb,
  termsOf,
} from './query-text.ts';
export { isStopword } from './stopwords.ts';
export { agentTerm, authorTerm, idTerm, isWord, referenceTerm, spokenTerm, tagTerm } from './term-names.ts';
export {
  ASKING_PENALTY,
  CANDIDATES,
  FEW_VECTORS,
  IDEAL_TERMS,
  LEAST_COSINE,
  LENDING_SHARE,
  LENGTH_PIVOT,
  LENGTH_SLOPE,
  LENT_AGAIN,
  MAX_MEANT,
  MAX_MISTYPED,
  MAX_SCORED_TERMS,
  MEANING_MATCH,
  MEANT_WEIGHT,
  MIN_MISTYPED_LETTERS,
  MOST_DEVIATIONS,
  NAMED_ALONE,
  NAMED_AUTHOR,
  NAMED_SIDE,
  NAMED_TIME,
  NEAR_IN_TIME,
  NEAREST,
  NEXT_TURN,
  PREVIOUS_TURN,
  QUESTION_LENDS,
  SECOND_TURN,
  SESSION_LENGTH_SHARE,
  SESSION_PRIOR,
  SESSION_RANK_SATURATION,
  SESSION_SATURATION,
  SHARPNESS,
  SIMILARITY,
  TWO_ERRORS_LETTERS,
  UNNAMED_NEIGHBOURS,
  UNNAMED_SESSION,
  WORD_SATURATION,
  WORDLESS_SIMILARITY,
  WRITTEN_OF_PLANS,
} from './weights.ts';
export { compileWildcard, matchesWildcard } from './wildcard.ts';
export {
  forEachPart,
  forEachWholeWord,
  forEachWord,
  isUnspacedTerm,
  placesOf,
  termOf,
  wholeWordsOf,
} from './words.ts';
export {
  compoundAt,
  MAX_WORD_LENGTH,
  withoutElision,
} from './written-forms.ts';
export { writtenWords } from './written-words.ts';
