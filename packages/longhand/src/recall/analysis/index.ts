/** Texts to terms: what a memory and a query say. Other rooms import from here alone. */

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
export {
  ARTICLE,
  asksForAnything,
  isStopword,
  MUCH,
  NEGATION,
  roleOf,
  STRESS,
  sayOnlyThatItWasSaid,
  TALKING,
  tellingSigns,
} from './stopwords.ts';
export { agentTerm, authorTerm, idTerm, isWord, referenceTerm, spokenTerm, tagTerm } from './term-names.ts';
export * from './weights.ts';
export { compileWildcard, matchesWildcard } from './wildcard.ts';
export {
  compoundAt,
  forEachPart,
  forEachWholeWord,
  forEachWord,
  isUnspacedTerm,
  MAX_WORD_LENGTH,
  placesOf,
  signsBehind,
  termOf,
  wholeWordsOf,
} from './words.ts';
export { writtenWords } from './written-words.ts';
