import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';

/** A piece of every kind that is read in a way of its own, with a number in digits or in letters that makes it a new word. */
const PIECES = {
  'a long word': 'extraordinarily<>',
  'a long word with a number': 'extraordinarily{}',
  'a word with capital letters': 'getExtraordinaryName{}',
  'a word with an apostrophe': "extraordinary{}'sidewalk",
  'words that hyphens join': 'extra-ordinary-sidewalk{}',
  'words of letters that hyphens join': 'extraordinary-sidewalk',
  'a number and its unit': '12345{}kilometres',
  'a number with commas': '123,456,789,012.{}',
  'a name with signs': 'Extraordinary++',
  'a word with an accent': 'extraordinär{}ement',
  'a word of another script': 'достопримечательность{}',
  'a word without spaces': '清华大学读书的学生们都在图书馆{}',
  'a word with a code behind it': 'extraordinarily{}x7y8z9',
  'a long name': `getExtraordinaryName{}${'AndTheNextOne'.repeat(8)}`,
};
const TEXTS = 20;
const TEXT_BYTES = 300_000;

/** The bytes that a lexicon keeps when it has read long texts with such a piece in each, and they are gone. */
async function keptBy(pieces: Readonly<Record<string, string>>): Promise<Record<string, number>> {
  const script = `
    const { Lexicon } = await import(${JSON.stringify(new URL('./lexicon.ts', import.meta.url).href)});
    const kept = {};
    for (const [name, piece] of Object.entries(${JSON.stringify(pieces)})) {
      const lexicon = new Lexicon();
      const read = (number) => {
        const letters = String(number).replace(/\\d/g, (digit) => 'bcdfghjklm'[digit]);
        const word = piece.replace('{}', number).replace('<>', letters);
        // As a store gives it: one string that is no slice of another.
        lexicon.read(JSON.parse(JSON.stringify(word + ' and on'.repeat(${TEXT_BYTES} / 7) + ' ' + word)));
        lexicon.clearStream();
      };
      for (let number = 100; number < 110; number++) read(number);
      gc();
      const before = process.memoryUsage().heapUsed;
      for (let number = 110; number < 110 + ${TEXTS}; number++) read(number);
      gc();
      kept[name] = process.memoryUsage().heapUsed - before;
      if (lexicon.wordCount === 0) throw new Error('Nothing was read.');
    }
    console.log(JSON.stringify(kept));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    '--input-type=module',
    '--eval',
    script,
  ]);
  return JSON.parse(stdout) as Record<string, number>;
}

describe('a lexicon', () => {
  it('keeps words, and no text that they stood in', { timeout: 300_000 }, async () => {
    const kept = await keptBy(PIECES);
    expect(Object.keys(kept)).toEqual(Object.keys(PIECES));
    // What a process keeps varies a little: less than a few of the texts is none of them.
    for (const [name, bytes] of Object.entries(kept)) expect(bytes, name).toBeLessThan(4 * TEXT_BYTES);
  });
});
