import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { unifiedDiff } from './note-diff.ts';

const NAMES = { from: 'version 1', to: 'version 2' };

/** What `patch` does, strictly: every line that the diff names must be there. */
function patch(text: string, diff: string): string {
  if (diff === '') return text;
  const source = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const lines = diff.split('\n').slice(2, -1);
  const result: string[] = [];
  let at = 0;
  lines.forEach((line, i) => {
    if (line.startsWith('\\')) return;
    const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/.exec(line);
    if (header !== null) {
      const start = Number(header[1]) - (header[2] === '0' ? 0 : 1);
      while (at < start) result.push(source[at++]!);
      expect(result.length).toBe(Number(header[3]) - (header[4] === '0' ? 0 : 1));
      return;
    }
    const full = line.slice(1) + (lines[i + 1]?.startsWith('\\') === true ? '' : '\n');
    if (line[0] !== '+') expect(source[at++]).toBe(full);
    if (line[0] !== '-') result.push(full);
  });
  return [...result, ...source.slice(at)].join('');
}

describe('a diff of notes', () => {
  it('shows what changed, with three lines around it', () => {
    const from = 'a\nb\nc\nd\ne\nf\ng\n';
    expect(unifiedDiff(from, from.replace('e', 'E'), NAMES)).toBe(
      '--- version 1\n+++ version 2\n@@ -2,6 +2,6 @@\n b\n c\n d\n-e\n+E\n f\n g\n',
    );
    expect(unifiedDiff(from, from, NAMES)).toBe('');
  });

  it('says where the last line has no end', () => {
    expect(unifiedDiff('', 'a', NAMES)).toBe(
      '--- version 1\n+++ version 2\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n',
    );
    expect(unifiedDiff('a\n', '', NAMES)).toBe('--- version 1\n+++ version 2\n@@ -1 +0,0 @@\n-a\n');
  });

  it('leads from the one text to the other, by no more edits than are needed', () => {
    const line = fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'd\r\n', '-x\n', '+y\n', '@@ z\n');
    const text = fc
      .tuple(fc.array(line, { maxLength: 30 }), fc.constantFrom('', 'end'))
      .map(([lines, end]) => lines.join('') + end);
    fc.assert(
      fc.property(text, text, (from, to) => {
        const diff = unifiedDiff(from, to, NAMES);
        expect(patch(from, diff)).toBe(to);
        expect(editCount(diff)).toBe(fewestEdits(from, to));
      }),
      { numRuns: 1_000 },
    );
  });

  it('stays small for texts that have nothing in common', () => {
    const lines = (sign: string): string =>
      Array.from({ length: 20_000 }, (_, i) => `${sign}${i}\n`).join('');
    const [from, to] = [`same\n${lines('a')}end\n`, `same\n${lines('b')}end\n`];
    expect(patch(from, unifiedDiff(from, to, NAMES))).toBe(to);
  });
});

function editCount(diff: string): number {
  return diff
    .split('\n')
    .slice(2)
    .filter((line) => /^[-+]/.test(line)).length;
}

/** By the longest common subsequence, in a table. */
function fewestEdits(from: string, to: string): number {
  const a = from.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const b = to.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  let row = Array.from({ length: b.length + 1 }, () => 0);
  for (const line of a) {
    const next = [0];
    for (const [j, other] of b.entries())
      next.push(line === other ? row[j]! + 1 : Math.max(row[j + 1]!, next[j]!));
    row = next;
  }
  return a.length + b.length - 2 * row.at(-1)!;
}
