import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, it } from 'vitest';
import { Output } from './output.ts';
import { ProgressBar } from './progress-bar.ts';

/** What is drawn on a terminal, row by row as it is drawn. */
function drawn(columns: number): string[] {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns });
  const output = new Output({ stdout: new PassThrough(), stderr }, false);
  let nowMs = 0;
  using bar = new ProgressBar(output, 'Verifying', 'memories', () => nowMs);
  for (const done of [0, 1, 700_000, 1_234_567]) {
    bar.update(done, 1_234_567);
    nowMs += 2_000;
  }
  return String(stderr.read()).split('\r').map(stripVTControlCharacters).filter(Boolean);
}

it.each([200, 80, 60, 40, 20])('stays on one row of a terminal with %d columns', (columns) => {
  const rows = drawn(columns);
  expect(rows).toHaveLength(3);
  for (const row of rows) {
    expect(row.length).toBeLessThan(columns);
    expect(row).toMatch(/^Verifying/);
  }
  if (columns >= 60) expect(rows.at(-1)).toMatch(/━{8,} +100 %/);
});

it('is silent without a terminal', () => {
  const stderr = new PassThrough();
  using bar = new ProgressBar(new Output({ stdout: new PassThrough(), stderr }, false), 'Verifying', 'logs');
  bar.update(1, 2);
  expect(stderr.read()).toBeNull();
});
