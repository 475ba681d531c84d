import { describe, expect, test } from 'vitest';
import { encodeLines } from '../../core/line.ts';
import { LineBuffer } from './line-buffer.ts';

const record = (text: string): string => JSON.stringify({ text });
const TEXTS = ['short', 'é'.repeat(2_000), '漢字😀'.repeat(1_500), 'long '.repeat(40_000)];

describe('lines on their way into a log', () => {
  test.each([true, false])(
    'are those that the codec makes, of texts of any length (checksums: %s)',
    (withChecksum) => {
      const lines = new LineBuffer();
      const bodies = TEXTS.map(record);
      for (let round = 0; round < 20; round++) {
        lines.addRecords(bodies.slice(0, 1 + (round % 4)), 7, withChecksum);
        const expected = encodeLines(bodies.slice(0, 1 + (round % 4)), 7, withChecksum);
        expect(lines.length).toBe(expected.length);
        expect(lines.take().equals(expected)).toBe(true);
      }
    },
  );

  test('stay as they were given out, whatever comes behind them', () => {
    const lines = new LineBuffer();
    const given = Array.from({ length: 500 }, (_, i) => {
      lines.addRecords([record(`${i} ${'x'.repeat(i)}`)], i, true);
      const bytes = lines.take();
      return { bytes, copy: Buffer.from(bytes) };
    });
    for (const { bytes, copy } of given) expect(bytes.equals(copy)).toBe(true);
  });

  test('stay together when there are more of them than one piece of memory holds', () => {
    const lines = new LineBuffer();
    const bodies = Array.from({ length: 300 }, (_, i) => record(`${i} ${'x'.repeat(900)}`));
    lines.addNewline();
    for (const [i, body] of bodies.entries()) lines.addRecords([body], i + 1, true);
    const prepared = encodeLines([record('prepared')], 301, true);
    lines.addLines(prepared);
    const expected = Buffer.concat([Buffer.from('\n'), encodeLines(bodies, 1, true), prepared]);
    expect(lines.take().equals(expected)).toBe(true);
    expect(lines.length).toBe(0);
  });

  test('are dropped from the end', () => {
    const lines = new LineBuffer();
    lines.addRecords([record('kept')], 1, true);
    const { length } = lines;
    lines.addRecords(TEXTS.map(record), 2, true);
    lines.cutTo(length);
    lines.addRecords([record('behind it')], 2, true);
    expect(lines.take().equals(encodeLines([record('kept'), record('behind it')], 1, true))).toBe(true);
  });
});
