/**
 * The place of a line in the order of its log, as one number: its `seq`. A line without one was written by a person,
 * and one whose number does not rise by two writers at the same time: such a line stands a little behind the line
 * before it, and before the next one that has a number of its own. So the order of the lines is always that of the
 * log, no two of them share a place, and the order is the same once a rewriting has numbered all of them.
 */

/** Exact for more than 500 million numbers, with room for 16 million lines without one behind each of them. */
const STEP = 2 ** -24;

/** Before every line. */
export const BEFORE_FIRST_LINE = 0;

/**
 * @param before the place of the line before, `BEFORE_FIRST_LINE` for the first one
 * @returns always more than `before`
 */
export function orderAfter(before: number, seq: number | undefined): number {
  if (seq !== undefined && seq > before) return seq;
  // Numbers beyond those that the step is exact for move by the smallest step that they can make.
  return before + Math.max(STEP, before * Number.EPSILON);
}
