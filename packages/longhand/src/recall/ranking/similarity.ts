/**
 * How close memories are in meaning to what is asked: a part of their match beside their words.
 *
 * Unrelated texts have a cosine of 0.05 with one model and 0.75 with another, so it is counted in standard deviations above the
 * mean of all live memories with a vector. Mean and deviation come from whole numbers: they are the same to the last bit, however
 * the memories are spread over parts.
 */

import {
  FEW_VECTORS,
  LEAST_COSINE,
  MOST_DEVIATIONS,
  NEAREST,
  SIMILARITY,
  WORDLESS_SIMILARITY,
} from '../analysis/index.ts';
import { type DocumentRef, grown, type Part, type RecallIndex } from '../index/index.ts';
import {
  COSINE_STEPS,
  meaningText,
  multiplyAll,
  NO_ROW,
  type QuantisedVector,
  type TextsOf,
  type VectorTable,
} from '../vectors/index.ts';
import { compareIdentity, type PackedDocument } from './document-order.ts';
import type { PartFilter } from './filter.ts';
import { BoundedBest } from './lists.ts';
import type { Matches } from './match.ts';

/** Steps of a cosine of stored vectors: the sum of a million squares of them is still exact. */
const STEPS = 32_768;
const NO_STEP = -0x8000_0000;

interface Cosines {
  /** Writes those of a part's documents with what is asked, in whole steps. */
  readonly write: (part: Part, steps: Int32Array) => void;
  /** What is written for a document without a vector. */
  readonly none: number;
  /** What has fewer steps is not found by its meaning alone. */
  readonly leastFound: number;
}

/**
 * Compares the live memories of an index with a question; `undefined` when it has no meaning to compare.
 * @param timeless the question without the times that it names: what is of a time is found by that
 */
export type MeasureMeaning = (index: RecallIndex, timeless: string) => Similarity | undefined;

/** By the vectors that an embedder made. */
export function embeddedSimilarity(
  index: RecallIndex,
  table: VectorTable,
  textsOf: TextsOf,
  vector: QuantisedVector,
): Similarity {
  const stepOfRow = stepsOf(table, vector);
  const write = (part: Part, steps: Int32Array): void => {
    const rows = table.rowsOf(index, part, textsOf);
    for (let document = 0; document < part.count; document++) {
      const row = rows[document]!;
      steps[document] = row === NO_ROW ? NO_STEP : stepOfRow[row]!;
    }
  };
  return new Similarity(index, { write, none: NO_STEP, leastFound: NO_STEP });
}

/** By an index's own table of words; `undefined` for a text that asks for letters. */
export function wordMeaning(text: string | undefined): MeasureMeaning | undefined {
  return meaningText(text) === undefined ? undefined : measureWords;
}

const measureWords: MeasureMeaning = (index, timeless) => {
  const vector = new Int8Array(index.words?.dimensions ?? 0);
  index.words?.read([timeless], vector);
  if (vector.every((value) => value === 0)) return undefined;
  const write = ({ vectors, count }: Part, steps: Int32Array): void => {
    if (vectors === undefined) steps.fill(0, 0, count);
    else multiplyAll(vector, vectors, steps.subarray(0, count));
  };
  // A document without a vector has a row of zeros. Hardly another one is at a right angle to the question.
  return new Similarity(index, { write, none: 0, leastFound: LEAST_COSINE * COSINE_STEPS });
};

/** Room for the cosines of a part, used by one question after the other. */
const rooms = new WeakMap<Part, Int32Array>();

function roomOf(part: Part): Int32Array {
  const room = grown(rooms.get(part) ?? new Int32Array(part.count), part.count);
  rooms.set(part, room);
  return room;
}

/** What a standard deviation counts. @param words the share of a document's words in an ideal match */
export function weightOfMeaning(words: number): number {
  return WORDLESS_SIMILARITY - (WORDLESS_SIMILARITY - SIMILARITY) * Math.min(1, words);
}

export class Similarity {
  readonly #index: RecallIndex;
  readonly #cosines: Cosines;
  /** By part and document; those of the dead are none. */
  readonly #steps: Int32Array[] = [];
  readonly mean: number;
  /** Standard deviations in a step. */
  readonly perStep: number;
  readonly #highestStep: number;
  /** What is found by its meaning alone. */
  #found: ReadonlySet<PackedDocument> = new Set();

  constructor(index: RecallIndex, cosines: Cosines) {
    this.#index = index;
    this.#cosines = cosines;
    const { write, none } = cosines;
    let count = 0;
    let sum = 0;
    let squares = 0;
    let highest = NO_STEP;
    // In plain loops: numbers that a function of its own counts up take ten times as long.
    for (const part of index.parts()) {
      const steps = roomOf(part);
      this.#steps.push(steps);
      write(part, steps);
      const { dead, count: documents } = part;
      for (let document = 0; document < documents; document++) {
        if (dead !== undefined && dead[document] === 1) steps[document] = none;
        const step = steps[document]!;
        if (step === none) continue;
        count++;
        sum += step;
        squares += step * step;
        if (step > highest) highest = step;
      }
    }
    // A few memories are no measure of what is usual: as if there were more, which have nothing to do with it.
    const all = Math.max(count, FEW_VECTORS);
    this.mean = sum / all;
    const variance = squares / all - (sum / all) ** 2;
    this.perStep = variance > 0 ? 1 / Math.sqrt(variance) : 0;
    this.#highestStep = highest;
  }

  #worth(step: number, words: number): number {
    const deviations = (step - this.mean) * this.perStep;
    if (!(deviations > 0) || step === this.#cosines.none) return 0;
    return weightOfMeaning(words) * Math.min(MOST_DEVIATIONS, deviations);
  }

  /** The cosines of a part's documents, in steps. */
  stepsOf(partNumber: number): Int32Array {
    return this.#steps[partNumber]!;
  }

  /**
   * What the meaning of a document adds to its match: 0 without a vector, and for what does not stand out. Never so much less
   * for more words that both together would be less.
   * @param words the share of its words in an ideal match
   */
  part(partNumber: number, document: number, words: number): number {
    return this.#worth(this.#steps[partNumber]![document]!, words);
  }

  /** The same of the nearest document: the most that there is. */
  highest(words: number): number {
    return this.#worth(this.#highestStep, words);
  }

  isFound(partNumber: number, document: number): boolean {
    return this.#found.has(document * this.#steps.length + partNumber);
  }

  /** Notes those that stand out most among those that pass: they count as matches, whatever their words. */
  noteNearest(matches: Matches, filters: readonly PartFilter[]): void {
    const found = new Set<PackedDocument>();
    for (const { partNumber, document } of this.#findNearest(filters)) {
      matches.scores[partNumber]!.note(document);
      found.add(document * this.#steps.length + partNumber);
    }
    this.#found = found;
  }

  #findNearest(filters: readonly PartFilter[]): Near[] {
    const parts = this.#index.parts();
    const best = new BoundedBest<Near>(
      NEAREST,
      (left, right) => right.step - left.step || compareIdentity(this.#index, left, right),
    );
    const { mean } = this;
    const { none, leastFound } = this.#cosines;
    let least = leastFound;
    for (const [partNumber, part] of parts.entries()) {
      const steps = this.#steps[partNumber]!;
      const { count } = part;
      for (let document = 0; document < count; document++) {
        const step = steps[document]!;
        if (step < least || step <= mean || step === none) continue;
        if (!filters[partNumber]!.passes(document)) continue;
        best.offer({ part, partNumber, document, step });
        least = best.worst?.step ?? least;
      }
    }
    return best.sorted();
  }
}

interface Near extends DocumentRef {
  readonly partNumber: number;
  readonly step: number;
}

/** The cosines of all rows, in steps: whole numbers. */
function stepsOf(table: VectorTable, vector: QuantisedVector): Int32Array {
  const steps = new Int32Array(table.count);
  const length = Math.sqrt(vector.squares);
  let start = 0;
  for (const { count, values, squares } of table.blocks) {
    const ofBlock = steps.subarray(start, start + count);
    multiplyAll(vector.values, values, ofBlock);
    for (let row = 0; row < count; row++) {
      ofBlock[row] = Math.round((ofBlock[row]! / (length * Math.sqrt(squares[row]!))) * STEPS);
    }
    start += count;
  }
  return steps;
}
