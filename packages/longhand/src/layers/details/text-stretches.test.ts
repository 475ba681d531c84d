import { expect, test } from 'vitest';
import { type TextStretch, TextStretches } from './detail-search.ts';

function stretchesOf(text: string, pieceLength: number): TextStretch[] {
  const stretches = new TextStretches();
  const found: TextStretch[] = [];
  for (let from = 0; from < text.length; from += pieceLength)
    found.push(...stretches.add(text.slice(from, from + pieceLength)));
  found.push(...stretches.finish());
  return found;
}

test('all of a text is in its stretches, in whatever pieces it comes, and each says its lines', () => {
  const lines = Array.from({ length: 500 }, (_, i) => `line ${i + 1}: ${'word '.repeat(i % 40)}`);
  const text = lines.join('\n');
  const found = stretchesOf(text, 65_536);
  expect(found.map((stretch) => stretch.text).join('')).toBe(text);
  for (const stretch of found) {
    const own = lines.slice(stretch.firstLine - 1, stretch.lastLine).join('\n');
    expect(stretch.text.trimEnd()).toBe(own.trimEnd());
  }
  for (const pieceLength of [1, 7, 601]) expect(stretchesOf(text, pieceLength)).toEqual(found);
});

test('a long line is cut between words, and what has none anywhere', () => {
  const words = stretchesOf('word '.repeat(1_000), 100);
  expect(words.every(({ text }) => text.startsWith('word') && text.endsWith(' '))).toBe(true);
  expect(words.every(({ firstLine, lastLine }) => firstLine === 1 && lastLine === 1)).toBe(true);
  expect(stretchesOf('x'.repeat(2_000), 999).map(({ text }) => text.length)).toEqual([600, 600, 600, 200]);
  expect(stretchesOf(' \n ', 2)).toEqual([]);
});
