/**
 * The place of a line in the order of its log, as one number: its `seq`. A line without one was written by a person,
 * and one whose number does not rise by two writers at the same time: such a line has the number that it would get in
 * a rewrite of the log, which is the next one, and those behind it follow. So the order of the lines is always that
 * of the log, and no two of them share a place. A compaction writes these numbers down, gaps and all: then every line
 * keeps its place, and a reader that has noted a place finds what follows it.
 */

/** Before every line. */
export const BEFORE_FIRST_LINE = 0;

/** @param before the place of the line before, `BEFORE_FIRST_LINE` for the first @returns always more */
export function orderAfter(before: number, seq: number | undefined): number {
  if (seq !== undefined && seq > before) return seq;
  // Numbers beyond those that can be counted move by the smallest step that they can make.
  return before + Math.max(1, before * Number.EPSILON);
}
