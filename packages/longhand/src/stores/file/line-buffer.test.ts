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

  test('stay as they were given out until they are given back, each time that their memory is used again', () => {
    const lines = new LineBuffer();
    const kept: { readonly bytes: Buffer; readonly copy: Buffer }[] = [];
    const buffers = new Set<ArrayBufferLike>();
    for (let i = 0; i < 400; i++) {
      lines.clear();
      lines.addRecords([record(`${i} ${'x'.repeat(50_000 + 997 * (i % 7))}`)], i, true);
      const bytes = lines.take();
      buffers.add(bytes.buffer);
      kept.push({ bytes, copy: Buffer.from(bytes) });
      for (const each of kept) expect(each.bytes.equals(each.copy)).toBe(true);
      // As syncs do: all of a while together, and not in step with the pieces.
      if (i % 31 === 30) for (const each of kept.splice(0, 25)) lines.giveBack(each.bytes);
    }
    // 21 MB went through it.
    expect(buffers.size).toBeLessThan(10);
  });

  test('begin again in the same memory when all were given back', () => {
    const lines = new LineBuffer();
    const takeOne = (): Buffer => {
      lines.clear();
      lines.addRecords([record('one')], 1, true);
      return lines.take();
    };
    const [first, second] = [takeOne(), takeOne()];
    expect(second.byteOffset).toBe(first.length);
    lines.giveBack(first);
    const third = takeOne();
    expect(third.byteOffset).toBe(2 * first.length);
    lines.giveBack(second);
    // Not of its making.
    lines.giveBack(Buffer.from(first));
    const fourth = takeOne();
    expect(fourth.byteOffset).toBe(3 * first.length);
    for (const bytes of [third, fourth]) lines.giveBack(bytes);
    expect(takeOne().byteOffset).toBe(0);
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

  test('are given out as they are when they were made before and stand alone', () => {
    const lines = new LineBuffer();
    const [one, two] = [encodeLines([record('one')], 1, true), encodeLines([record('two')], 2, true)];
    lines.addLines(one);
    expect(lines.length).toBe(one.length);
    expect(lines.take()).toBe(one);
    expect(lines.length).toBe(0);
    lines.addLines(one);
    lines.cutTo(0);
    expect(lines.length).toBe(0);
    lines.addLines(one);
    lines.addLines(two);
    lines.cutTo(one.length);
    lines.addRecords([record('two')], 2, true);
    expect(lines.take().equals(Buffer.concat([one, two]))).toBe(true);
    lines.addLines(one);
    lines.addRecords([record('two')], 2, true);
    lines.cutTo(one.length);
    expect(lines.take().equals(one)).toBe(true);
    lines.addLines(one);
    lines.cutTo(one.length);
    expect(lines.take()).toBe(one);
    lines.addLines(one);
    lines.clear();
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
