/**
 * How close memories are in meaning to what is asked: a part of their match beside their words.
 *
 * The cosine of two vectors has no scale of its own: unrelated texts have 0.05 with one model and 0.75 with another.
 * So it is counted in standard deviations above the mean of all live memories that have a vector: how far a memory
 * stands out for this question. Below the mean there is nothing to count.
 *
 * Mean and deviation come from whole numbers, so that they are the same to the last bit however the memories are
 * spread over parts, and depend on the live memories alone.
 */

import { BoundedBest } from '../bounded-best.ts';
import { compareIdentity, type PackedDocument } from '../candidates.ts';
import type { PartFilter } from '../filter.ts';
import type { Matches } from '../match.ts';
import type { DocumentRef, RecallIndex } from '../recall-index.ts';
import { FEW_VECTORS, MOST_DEVIATIONS, NEAREST, SIMILARITY } from '../weights.ts';
import { multiplyAll } from './dot-kernel.ts';
import type { QuantisedVector } from './quantise.ts';
import { NO_ROW, type TextsOf, type VectorTable } from './vector-table.ts';

/** Steps of a cosine: the sum of a million squares of them is still exact. */
const STEPS = 32_768;
const NO_COSINE = -2;

/** What a search is asked to find by meaning. */
export interface MeaningQuery {
  readonly table: VectorTable;
  readonly textsOf: TextsOf;
  readonly vector: QuantisedVector;
}

/** Compares the live memories of an index with a question. */
export type MeasureMeaning = (index: RecallIndex) => Similarity;

export class Similarity {
  readonly #index: RecallIndex;
  /** By part and document: the cosine, or `NO_COSINE`. */
  readonly #cosines: readonly Float32Array[];
  readonly #mean: number;
  readonly #deviation: number;
  /** The most that it adds to any document. */
  readonly atMost: number;
  /** By part and document: 1 when it is found by its meaning, whatever its words. */
  #found: readonly Uint8Array[] = [];

  constructor(index: RecallIndex, { table, textsOf, vector }: MeaningQuery) {
    this.#index = index;
    const stepOfRow = stepsOf(table, vector);
    let count = 0;
    let sum = 0;
    let squares = 0;
    let highest = -STEPS;
    this.#cosines = index.parts().map((part) => {
      const cosines = new Float32Array(part.count).fill(NO_COSINE);
      const rows = table.rowsOf(index, part, textsOf);
      const { dead } = part;
      for (let document = 0; document < part.count; document++) {
        const row = rows[document]!;
        if (row === NO_ROW || dead?.[document] === 1) continue;
        const step = stepOfRow[row]!;
        cosines[document] = step / STEPS;
        count++;
        sum += step;
        squares += step * step;
        if (step > highest) highest = step;
      }
      return cosines;
    });
    // A few memories are no measure of what is usual: as if there were more, which have nothing to do with it.
    const all = Math.max(count, FEW_VECTORS);
    this.#mean = sum / all / STEPS;
    this.#deviation = Math.sqrt(Math.max(0, squares / all - (sum / all) ** 2)) / STEPS;
    this.atMost = this.#worth(highest / STEPS);
  }

  #worth(cosine: number): number {
    if (cosine <= this.#mean || this.#deviation === 0) return 0;
    return SIMILARITY * Math.min(MOST_DEVIATIONS, (cosine - this.#mean) / this.#deviation);
  }

  /** What the meaning of a document adds to its match: 0 without a vector, and for what does not stand out. */
  part(partNumber: number, document: number): number {
    return this.#worth(this.#cosines[partNumber]![document]!);
  }

  isFound(partNumber: number, document: number): boolean {
    return this.#found[partNumber]?.[document] === 1;
  }

  /** Notes those that stand out most among those that pass: they count as matches, whatever their words. */
  noteNearest(matches: Matches, filters: readonly PartFilter[] | undefined): void {
    const partCount = matches.parts.length;
    for (const packed of this.#findNearest(filters)) {
      matches.scores[packed % partCount]!.note(Math.floor(packed / partCount));
    }
  }

  #findNearest(filters: readonly PartFilter[] | undefined): PackedDocument[] {
    const parts = this.#index.parts();
    const best = new BoundedBest<Near>(
      NEAREST,
      (left, right) => right.cosine - left.cosine || compareIdentity(this.#index, left, right),
    );
    this.#found = parts.map(({ count }) => new Uint8Array(count));
    const mean = this.#mean;
    let least = NO_COSINE;
    for (const [partNumber, part] of parts.entries()) {
      const cosines = this.#cosines[partNumber]!;
      const { count } = part;
      for (let document = 0; document < count; document++) {
        const cosine = cosines[document]!;
        if (cosine < least || cosine <= mean) continue;
        if (filters !== undefined && !filters[partNumber]!.passes(document)) continue;
        best.offer({ part, partNumber, document, cosine });
        least = best.worst?.cosine ?? NO_COSINE;
      }
    }
    return best.sorted().map(({ partNumber, document }) => {
      this.#found[partNumber]![document] = 1;
      return document * parts.length + partNumber;
    });
  }
}

interface Near extends DocumentRef {
  readonly partNumber: number;
  readonly cosine: number;
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
