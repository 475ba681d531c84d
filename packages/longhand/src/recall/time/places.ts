import { placeOf } from '../postings.ts';

/** A stretch of a text. */
export interface Place {
  readonly from: number;
  /** Behind its last letter. */
  readonly to: number;
}

/**
 * Tells whether one of many places holds another as a whole. A table of dates has thousands of them, so that each is
 * found by halves: of those that begin no later, the one that reaches furthest decides.
 */
export function holding(places: readonly Place[]): (place: Place) => boolean {
  const inOrder = places.toSorted((left, right) => left.from - right.from);
  const starts = Int32Array.from(inOrder, ({ from }) => from);
  const reached = Int32Array.from(inOrder, ({ to }) => to);
  for (let at = 1; at < reached.length; at++) reached[at] = Math.max(reached[at]!, reached[at - 1]!);
  return ({ from, to }) => {
    const behind = placeOf(starts, from + 1);
    return behind > 0 && reached[behind - 1]! >= to;
  };
}
