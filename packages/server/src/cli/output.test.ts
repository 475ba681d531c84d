import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decimals, grouped, Output, plain } from './output.ts';

it('groups the digits of a count as English does', () => {
  fc.assert(fc.property(fc.nat(), (count) => grouped(count) === count.toLocaleString('en')));
});

it.each([
  [0, '0.00'],
  [0.004, '<0.01'],
  [0.005, '0.01'],
  [1.349, '1.35'],
])('rounds %d to %s', (value, shown) => {
  expect(decimals(value, 2)).toBe(shown);
});

it.each(['\u202e', '\u2066', '\u200f', '\u061c', '\u0007', '\u009b31m', '\u001b]0;x\u0007'])(
  'lets no %j reach a terminal, in a text or in JSON',
  (hostile) => {
    const text = `a${hostile}b\tc\nd`;
    const written: string[] = [];
    const stream = { write: (piece: string) => written.push(piece), isTTY: true, columns: 80 };
    const output = new Output({ stdout: stream, stderr: stream } as never, { isJson: true } as never);
    output.json({ text });
    output.raw(text);
    for (const shown of [plain(text), ...written]) {
      expect(shown).not.toContain(hostile);
      expect(shown).not.toContain('\u202e');
    }
    expect(JSON.parse(written[0]!)).toEqual({ text });
    expect(plain(text)).toMatch(/\tc\nd$/);
  },
);
