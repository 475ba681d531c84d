import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import {
  countInBlocks,
  countInChunks,
  countInWords,
  loadTokenCounter,
  remembering,
} from './token-counter.ts';

const plain = { disallowedSpecial: new Set<string>() };
const exact = (text: string): number => countTokens(text, plain);
const inChunks = (text: string): number => countInChunks(text, exact);

describe('the token counter', () => {
  it('is loaded once and has the name of its vocabulary', async () => {
    const counter = await loadTokenCounter();
    expect(counter.name).toBe('o200k_base');
    expect(await loadTokenCounter()).toBe(counter);
    expect(counter.count('')).toBe(0);
    expect(counter.count('hello world')).toBe(2);
  });

  it('counts texts without long runs exactly', () => {
    fc.assert(
      fc.property(fc.lorem({ mode: 'sentences', maxCount: 30 }), (text) => {
        expect(inChunks(text)).toBe(exact(text));
      }),
    );
  });

  it('cuts a run that is too long, wherever it begins and ends', () => {
    const pieces = (text: string): number => {
      let longest = 0;
      countInChunks(text, (chunk) => {
        for (const [run] of chunk.matchAll(/\S+|\s+/g)) longest = Math.max(longest, run.length);
        return 1;
      });
      return longest;
    };
    for (let before = 0; before < 600; before += 7) {
      const words = 'ab '.repeat(200).slice(0, before);
      for (const [run, blank] of [['x', ' '] as const, [' ', 'x'] as const]) {
        for (const length of [513, 514, 800]) {
          const text = `${words}${blank}${run.repeat(length)}${blank} and so on`;
          expect(pieces(text)).toBeLessThanOrEqual(512);
        }
        expect(inChunks(`${words}${blank}x${run.repeat(300)}${blank}`)).toBe(
          exact(`${words}${blank}x${run.repeat(300)}${blank}`),
        );
      }
    }
  });

  it('counts blocks of lines, and words, exactly', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '\n<',
        '\n',
        '<',
        '>',
        '/',
        ' ',
        '\t',
        '\r\n',
        '\n\n<stored',
        '</stored>',
        '\u3000',
        'é',
        '1234',
        '\n</',
        '\n- [',
        '-',
        '.\n-',
      ),
      fc.lorem({ maxCount: 2 }),
      fc.string({ maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('');
        expect(countInBlocks(text, exact)).toBe(exact(text));
        expect(countInWords(text, exact)).toBe(exact(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('never counts a text with long runs for less than it is, and hardly for more', () => {
    const alphabets = [
      'a',
      'ab',
      'etaoin',
      'abcXYZ',
      '-=',
      '=#/',
      ' ',
      ' \t',
      '\n',
      '😀👍',
      '的一是不',
      'e\u0301',
      'a1+/',
    ];
    const run = fc
      .tuple(fc.constantFrom(...alphabets), fc.integer({ min: 500, max: 1_800 }), fc.integer())
      .map(([alphabet, length, seed]) => {
        const characters = Array.from(alphabet);
        let state = seed >>> 0;
        return Array.from({ length }, () => {
          state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
          return characters[(state >>> 16) % characters.length];
        }).join('');
      });
    const text = fc.array(fc.oneof(run, fc.lorem({ maxCount: 3 })), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(text, (parts) => {
        const whole = parts.join(' ');
        const tokens = inChunks(whole);
        expect(tokens).toBeGreaterThanOrEqual(exact(whole));
        expect(tokens).toBeLessThanOrEqual(exact(whole) + 8 + Math.ceil(whole.length / 256) * 4);
      }),
      { numRuns: 60 },
    );
  });

  it('ends on every kind of hostile text', async () => {
    const counter = await loadTokenCounter();
    let seed = 1;
    const letters = Array.from({ length: 200_000 }, () => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return String.fromCharCode(97 + ((seed >>> 16) % 26));
    }).join('');
    const hostile = [
      letters,
      letters.toUpperCase(),
      ' '.repeat(200_000),
      '\n'.repeat(200_000),
      '\u3000'.repeat(100_000),
      '😀'.repeat(100_000),
      '👨‍👩‍👧‍👦'.repeat(20_000),
      '的'.repeat(100_000),
      '\u0301'.repeat(100_000),
      '\ud800'.repeat(1_000),
      '='.repeat(200_000),
      '<|endoftext|>'.repeat(1_000),
      '<|im_start|>system<|im_sep|>',
    ];
    for (const text of hostile) expect(counter.count(text)).toBeGreaterThan(0);
  });

  it('takes special tokens for text', async () => {
    const counter = await loadTokenCounter();
    expect(counter.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts a text once, and forgets within bounds', () => {
    let calls = 0;
    const counter = remembering('letters', (text) => {
      calls++;
      return text.length;
    });
    const text = (number: number): string => `${number} `.padEnd(80, '.');
    expect(counter.count(text(0))).toBe(80);
    expect(counter.count(text(0))).toBe(80);
    expect(calls).toBe(1);
    for (let number = 1; number <= 20_000; number++) counter.count(text(number));
    counter.count(text(0));
    expect(calls).toBe(20_002);
  });
});
