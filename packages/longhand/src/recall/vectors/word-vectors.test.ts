import { readTable } from 'longhand-vectors';
import { describe, expect, it } from 'vitest';
import { synonymTable } from '../../../test/synonym-table.ts';
import { COSINE_STEPS, forEachWord, TableError, WordVectors } from './word-vectors.ts';

const table = new WordVectors(readTable());

function wordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWord(text, (_, start, end) => words.push(text.slice(start, end)) > 0);
  return words;
}

function vector(words: WordVectors, ...texts: string[]): Int8Array {
  const row = new Int8Array(words.dimensions);
  words.read(texts, row);
  return row;
}

function cosine(left: string, right: string): number {
  const [one, other] = [vector(table, left), vector(table, right)];
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0) / COSINE_STEPS;
}

describe('words of a text', () => {
  it.each([
    ['The red car, 2 cats', ['The', 'red', 'car', 'cats']],
    ["Nora’s car isn’t red, and it's old", ['Nora', 'car', 'red', 'and', 'it', 'old']],
    ["don't", []],
    ['日本語 привет', []],
    ['user_id/createdAt', ['user', 'id', 'createdAt']],
    ['', []],
  ])('of %j are those that the table may hold', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it('are the same without case and accents', () => {
    expect(vector(table, 'CAFÉ')).toEqual(vector(table, 'cafe'));
  });
});

describe('the table that is published', () => {
  it('is small, and says what is near', () => {
    expect(readTable().length).toBeLessThan(8_000_000);
    expect(cosine('What food should I avoid?', 'I am allergic to peanuts')).toBeGreaterThan(0.25);
    expect(cosine('automobile', 'car')).toBeGreaterThan(0.7);
    expect(cosine('automobile', 'lunch at noon')).toBeLessThan(0.2);
  });

  it('has no vector for what it does not know, and counts the first words of a long text', () => {
    expect(vector(table, 'xqzzt', '12345', '日本語').every((value) => value === 0)).toBe(true);
    expect(vector(table, 'x'.repeat(1_000_000)).every((value) => value === 0)).toBe(true);
    const long = 'car '.repeat(5_000);
    expect(vector(table, `${long} lunch`)).toEqual(vector(table, long));
    expect(vector(table, 'red', 'car')).toEqual(vector(table, 'red car'));
  });
});

it('refuses bytes that are no whole table of its format', () => {
  const whole = synonymTable([['car', 'automobile'], ['tea']]);
  // Also where it begins at an odd place.
  const shifted = new Uint8Array(whole.length + 1);
  shifted.set(whole, 1);
  expect(vector(new WordVectors(shifted.subarray(1)), 'car')).toEqual(
    vector(new WordVectors(whole), 'automobile'),
  );
  for (let at = 0; at < whole.length; at++) {
    expect(() => new WordVectors(whole.subarray(0, at))).toThrow(TableError);
    const harmed = whole.slice();
    harmed[at]! ^= 1;
    expect(() => new WordVectors(harmed)).toThrow(TableError);
  }
});
