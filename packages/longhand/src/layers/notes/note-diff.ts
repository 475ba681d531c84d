/**
 * What changed between two texts, as a unified diff: readable, and `patch` can apply it.
 *
 * The shortest series of edits is found by Myers' method, between what the texts share at their beginning and end. Its
 * memory grows with the square of the number of edits, so texts that have little in common are not compared line by
 * line: then the differing part is replaced as a whole, which is true too, and no less readable.
 */
interface DiffNames {
  readonly from: string;
  readonly to: string;
}

const CONTEXT_LINES = 3;
/** 1,500 edits remember about 9 MB. */
const MAX_EDITS = 1_500;

/** Empty when the texts are equal. Lines keep their `\r`. */
export function unifiedDiff(from: string, to: string, names: DiffNames): string {
  if (from === to) return '';
  const edits = editsBetween(splitLines(from), splitLines(to));
  return `--- ${names.from}\n+++ ${names.to}\n${hunksOf(edits).map(renderHunk).join('')}`;
}

interface Edit {
  readonly sign: ' ' | '-' | '+';
  /** With its line break, when it has one. */
  readonly line: string;
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

function editsBetween(from: readonly string[], to: readonly string[]): Edit[] {
  let head = 0;
  while (head < from.length && head < to.length && from[head] === to[head]) head++;
  let tail = 0;
  const room = Math.min(from.length, to.length) - head;
  while (tail < room && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++;
  const middle = shortestEdits(from.slice(head, from.length - tail), to.slice(head, to.length - tail));
  return [...from.slice(0, head).map(same), ...middle, ...from.slice(from.length - tail).map(same)];
}

function same(line: string): Edit {
  return { sign: ' ', line };
}

function shortestEdits(from: readonly string[], to: readonly string[]): Edit[] {
  const trail = searchTrail(from, to);
  if (trail === undefined) return replaceAll(from, to);
  const edits: Edit[] = [];
  let x = from.length;
  let y = to.length;
  for (let d = trail.length - 1; d >= 0; d--) {
    const reached = trail[d]!;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(reached, d, k - 1) < at(reached, d, k + 1));
    const previousK = isDown ? k + 1 : k - 1;
    const previousX = d === 0 ? 0 : at(reached, d, previousK);
    const previousY = d === 0 ? 0 : previousX - previousK;
    while (x > previousX && y > previousY) {
      x--;
      y--;
      edits.push(same(from[x]!));
    }
    if (d === 0) break;
    if (isDown) edits.push({ sign: '+', line: to[--y]! });
    else edits.push({ sign: '-', line: from[--x]! });
  }
  return edits.reverse();
}

function replaceAll(from: readonly string[], to: readonly string[]): Edit[] {
  return [
    ...from.map((line): Edit => ({ sign: '-', line })),
    ...to.map((line): Edit => ({ sign: '+', line })),
  ];
}

/**
 * For each number of edits d, how far in `from` each diagonal k = x - y was reached with d - 1 of them.
 * `undefined` when more edits are needed than are searched for.
 */
function searchTrail(from: readonly string[], to: readonly string[]): Int32Array[] | undefined {
  const trail: Int32Array[] = [];
  let reached = new Int32Array(3);
  for (let d = 0; d <= MAX_EDITS; d++) {
    trail.push(reached);
    const next = new Int32Array(2 * d + 5);
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && at(reached, d, k - 1) < at(reached, d, k + 1));
      let x = d === 0 ? 0 : isDown ? at(reached, d, k + 1) : at(reached, d, k - 1) + 1;
      while (x < from.length && x - k < to.length && from[x] === to[x - k]) x++;
      next[k + d + 2] = x;
      if (x >= from.length && x - k >= to.length) return trail;
    }
    reached = next;
  }
  return undefined;
}

/** `reached` of round d is laid out for the diagonals from -d - 1 to d + 1. */
function at(reached: Int32Array, d: number, k: number): number {
  return reached[k + d + 1]!;
}

interface Hunk {
  readonly fromStart: number;
  readonly toStart: number;
  readonly edits: readonly Edit[];
}

function hunksOf(edits: readonly Edit[]): Hunk[] {
  const hunks: Hunk[] = [];
  const changed = edits.flatMap(({ sign }, i) => (sign === ' ' ? [] : [i]));
  let fromLine = 0;
  let toLine = 0;
  let at = 0;
  for (let c = 0; c < changed.length; ) {
    let last = c;
    while (last + 1 < changed.length && changed[last + 1]! - changed[last]! <= 2 * CONTEXT_LINES + 1) last++;
    const start = Math.max(0, changed[c]! - CONTEXT_LINES);
    const end = Math.min(edits.length, changed[last]! + CONTEXT_LINES + 1);
    for (; at < start; at++) {
      if (edits[at]!.sign !== '+') fromLine++;
      if (edits[at]!.sign !== '-') toLine++;
    }
    hunks.push({ fromStart: fromLine, toStart: toLine, edits: edits.slice(start, end) });
    c = last + 1;
  }
  return hunks;
}

function renderHunk({ fromStart, toStart, edits }: Hunk): string {
  const fromCount = edits.filter(({ sign }) => sign !== '+').length;
  const toCount = edits.filter(({ sign }) => sign !== '-').length;
  const lines = edits.map(({ sign, line }) =>
    line.endsWith('\n') ? sign + line : `${sign}${line}\n\\ No newline at end of file\n`,
  );
  return `@@ -${rangeOf(fromStart, fromCount)} +${rangeOf(toStart, toCount)} @@\n${lines.join('')}`;
}

/** Lines count from 1; an empty range names the line before it. */
function rangeOf(start: number, count: number): string {
  return count === 1 ? `${start + 1}` : `${count === 0 ? start : start + 1},${count}`;
}
