import { expect, it } from 'vitest';
import { LineSplitter } from './line-splitter.ts';

const textOf = (line: Uint8Array | undefined): string | undefined => line && Buffer.from(line).toString();

function split(maxBytes: number, ...chunks: readonly string[]): readonly (string | undefined)[] {
  const splitter = new LineSplitter(maxBytes);
  const lines = chunks.flatMap((chunk) => splitter.push(Buffer.from(chunk)));
  return [...lines, ...splitter.end()].map(textOf);
}

it('cuts lines wherever the chunks were cut', () => {
  const text = 'one\n\ntwo three\nfour';
  for (let at = 0; at <= text.length; at++)
    expect(split(100, text.slice(0, at), text.slice(at))).toEqual(['one', '', 'two three', 'four']);
  expect(split(100)).toEqual([]);
  expect(split(100, 'one\n')).toEqual(['one']);
});

it('passes over what is too long, and goes on with the next line', () => {
  expect(split(3, 'abcd\nabc\n')).toEqual([undefined, 'abc']);
  expect(split(3, 'ab', 'cd', 'ef', '\nabc', '\n')).toEqual([undefined, 'abc']);
  expect(split(3, 'abc', 'd')).toEqual([undefined]);
});
