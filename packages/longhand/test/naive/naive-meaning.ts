/** How far memories stand out in meaning: cosines in whole steps, and their deviation from the mean. */

import { byIdentity, type Memory, type Of } from './naive-document.ts';
import { type TextVectors, weights } from './shared.ts';

export interface Meaning {
  /** The cosines of memories with a question, in steps; of what has no vector there is none. */
  readonly stepsOf: (question: string) => Of<number | undefined> | undefined;
  /** What has fewer steps is not found by its meaning alone. */
  readonly leastFound: number;
}

const product = (left: Int8Array, right: Int8Array): number =>
  left.reduce((sum, value, at) => sum + value * right[at]!, 0);

/** By vectors of an embedder. @param vectors by session and id */
export function embeddedMeaning(vectors: ReadonlyMap<string, Int8Array>, asked: Int8Array): Meaning {
  const steps: Of<number | undefined> = ({ entry }) => {
    const vector = vectors.get(`${entry.session_id}/${entry.id}`);
    if (vector === undefined) return undefined;
    const lengths = Math.sqrt(product(asked, asked)) * Math.sqrt(product(vector, vector));
    return Math.round((product(asked, vector) / lengths) * 32_768);
  };
  return { leastFound: Number.NEGATIVE_INFINITY, stepsOf: () => steps };
}

/** By a table of words, whose vectors are all 256 long. */
export function meaningOfWords(words: TextVectors): Meaning {
  const vectorOf = (texts: readonly string[]): Int8Array => {
    const row = new Int8Array(words.dimensions);
    words.read(texts, row);
    return row;
  };
  const stepsOf = (question: string): Of<number | undefined> | undefined => {
    const asked = vectorOf([question]);
    if (asked.every((value) => value === 0)) return undefined;
    return ({ said }) => product(asked, vectorOf(said.said)) || undefined;
  };
  return { leastFound: weights.LEAST_COSINE * 256 ** 2, stepsOf };
}

/** What meaning adds to documents, and those that it finds. */
export function standingOut(
  { stepsOf, leastFound }: Meaning,
  question: string,
  documents: readonly Memory[],
  passing: readonly Memory[],
) {
  const steps = stepsOf(question);
  if (steps === undefined) return undefined;
  const known = new Map(documents.map((each) => [each, steps(each)] as const));
  const all = [...known.values()].filter((step) => step !== undefined);
  const count = Math.max(weights.FEW_VECTORS, all.length);
  const mean = all.reduce((sum, step) => sum + step, 0) / count;
  const squares = all.reduce((sum, step) => sum + step * step, 0) / count;
  const deviation = Math.sqrt(Math.max(0, squares - mean ** 2));
  const near = passing.filter(
    (each) => (known.get(each) ?? -Infinity) > mean && known.get(each)! >= leastFound,
  );
  near.sort((left, right) => known.get(right)! - known.get(left)! || byIdentity(left, right));
  const worthOf = (step: number, words: number): number => {
    const above = step - mean;
    if (above <= 0 || deviation === 0) return 0;
    const { SIMILARITY, WORDLESS_SIMILARITY } = weights;
    const weight = WORDLESS_SIMILARITY - (WORDLESS_SIMILARITY - SIMILARITY) * Math.min(1, words);
    return weight * Math.min(weights.MOST_DEVIATIONS, above / deviation);
  };
  const worth = (document: Memory, words: number): number => worthOf(known.get(document) ?? mean, words);
  const highest = (words: number): number => worthOf(Math.max(mean, ...all), words);
  return { worth, highest, found: new Set(near.slice(0, weights.NEAREST)) };
}
