import { expect, it } from 'vitest';
import { WordWrap } from './word-wrap.ts';

function wrapped(pieces: readonly string[], columns = 20, column = 0): string {
  let shown = '';
  const wrap = new WordWrap(columns, column, (text) => {
    shown += text;
  });
  for (const piece of pieces) wrap.push(piece);
  wrap.end();
  return shown;
}

it('breaks no word, however the text is cut into pieces', () => {
  const text = 'You told me that your favourite colour is green.\nIs it still?';
  const expected = 'You told me that\nyour favourite\ncolour is green.\nIs it still?';
  expect(wrapped([text])).toBe(expected);
  expect(wrapped([...text])).toBe(expected);
  expect(wrapped(text.split(/(?=o)/))).toBe(expected);
});

it('begins behind what stands in front of it', () => {
  expect(wrapped(['a few words more'], 20, 12)).toBe('a few\nwords more');
});

it('leaves words that no line holds to the terminal, and blank lines where they are', () => {
  expect(wrapped([`see ${'x'.repeat(30)} there\n\nnow`])).toBe(`see\n${'x'.repeat(30)}\nthere\n\nnow`);
});
