import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AsciiTable, FOLDING, MIN_KEY_BYTES } from './ascii-table.ts';

/** Texts that share beginnings and ends, as many as short and as long ones. */
const text = fc
  .tuple(
    fc.constantFrom('', 'a', 'abcd', 'abcdefgh', 'abcdefghijkl', 'x'.repeat(40)),
    fc.stringMatching(/^[a-z0-9.']{0,20}$/),
  )
  .map((parts) => parts.join(''));

/** A text at a place among others, whose letters are none of it. */
function keyOf(word: string, before: string): readonly [bytes: DataView, start: number, size: number] {
  const bytes = Buffer.from(`${before}${word}${'#'.repeat(MIN_KEY_BYTES)}`);
  return [new DataView(bytes.buffer, bytes.byteOffset, bytes.length), before.length, word.length];
}

describe('a table of ASCII texts', () => {
  it('finds what a map finds', () => {
    fc.assert(
      fc.property(fc.array(text, { maxLength: 200 }), fc.stringMatching(/^[ -~]{0,5}$/), (words, before) => {
        const table = new AsciiTable();
        const map = new Map<string, number>();
        for (const word of words) {
          const known = table.find(...keyOf(word, before), 0);
          expect(known).toBe(map.get(word) ?? -1);
          if (known !== -1) continue;
          table.add(...keyOf(word, before), 0, map.size);
          map.set(word, map.size);
        }
      }),
    );
  });

  it('finds all of them when it has grown', () => {
    const table = new AsciiTable();
    const words = Array.from(
      { length: 30_000 },
      (_, at) => `word${at}${at % 3 === 0 ? '-and-more-of-it' : ''}`,
    );
    for (const [at, word] of words.entries()) table.add(...keyOf(word, ''), 0, at);
    expect(words.map((word) => table.find(...keyOf(word, ' '), 0))).toEqual(words.map((_, at) => at));
    expect(table.find(...keyOf('word', ''), 0)).toBe(-1);
  });

  it('takes capital letters for small ones where it is told to', () => {
    for (const word of ['us', "o'neill", 'configuration', 'x1.5']) {
      const table = new AsciiTable();
      table.add(...keyOf(word.toUpperCase(), ''), FOLDING, 7);
      expect(table.find(...keyOf(word, ''), 0)).toBe(7);
      expect(table.find(...keyOf(word.toUpperCase(), ''), 0)).toBe(-1);
      expect(table.find(...keyOf(word.toUpperCase(), ''), FOLDING)).toBe(7);
    }
  });
});
