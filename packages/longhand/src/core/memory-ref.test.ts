import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIMITS } from './limits.ts';
import { findMemoryRefs, formatMemoryRef, teachMemoryRefs, toDescriptionLine } from './memory-ref.ts';

const keys = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
/** Any text, and often the characters that matter to the grammar. */
const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '[',
      ']',
      '\n',
      '\r',
      '\u2028',
      '\u202e',
      '\0',
      ' ',
      ' - ',
      '[MemoryRef: k - ',
      '[MemoryRef: k]',
    ),
  ),
  { maxLength: 12 },
);
const text = texts.map((parts) => parts.join(''));
const LONG = 200_000;

describe('placeholders', () => {
  test('have a key and a description, or a key alone', () => {
    const both = 'See [MemoryRef: cmd_log_123 - logs of npm install] and [MemoryRef: b-2].';
    expect(findMemoryRefs(both)).toEqual([
      { key: 'cmd_log_123', description: 'logs of npm install', start: 4, end: 50 },
      { key: 'b-2', start: 55, end: 71 },
    ]);
    expect(formatMemoryRef('cmd_log_123', 'logs of npm install')).toBe(both.slice(4, 50));
    expect(formatMemoryRef('b-2')).toBe('[MemoryRef: b-2]');
    expect(formatMemoryRef('b-2', ' \n ')).toBe('[MemoryRef: b-2]');
  });

  test('are understood with more or less space, and with longer dashes', () => {
    expect(findMemoryRefs('[MemoryRef:a]').map(({ key }) => key)).toEqual(['a']);
    expect(findMemoryRefs('[MemoryRef:  a  —  b ]')).toMatchObject([{ key: 'a', description: 'b' }]);
    expect(findMemoryRefs('[MemoryRef: a - ]')).toEqual([{ key: 'a', start: 0, end: 17 }]);
  });

  test.each([
    '[MemoryRef: ]',
    '[MemoryRef: a b]',
    '[MemoryRef: a - b',
    '[MemoryRef: a - b\n]',
    '[MemoryRef: ä]',
    '[memoryref: a]',
    `[MemoryRef: ${'a'.repeat(256)}]`,
    'MemoryRef: a]',
  ])('are not seen in %j', (other) => {
    expect(findMemoryRefs(other)).toEqual([]);
  });

  test('come back as they were written, whatever the description holds and wherever they stand', () => {
    fc.assert(
      fc.property(keys, text, (key, description) => {
        const ref = formatMemoryRef(key, description);
        const line = toDescriptionLine(description);
        const expected = line === '' ? { key } : { key, description: line };
        expect(findMemoryRefs(`${ref}x`)).toEqual([{ ...expected, start: 0, end: ref.length }]);
      }),
      { seed: 1 },
    );
  });

  test('come back in order, from between any texts that hold no opening', () => {
    const plain = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('[', ''));
    fc.assert(
      fc.property(fc.array(fc.tuple(plain, keys, text)), (pieces) => {
        const whole = pieces.map(([before, key, said]) => before + formatMemoryRef(key, said)).join('');
        expect(findMemoryRefs(whole).map(({ key }) => key)).toEqual(pieces.map(([, key]) => key));
        for (const { start, end, key } of findMemoryRefs(whole)) {
          expect(whole.slice(start, end)).toMatch(/^\[MemoryRef: [^\]]*\]$/);
          expect(whole.slice(start, end)).toContain(key);
        }
      }),
      { seed: 2 },
    );
  });

  test('take time in proportion to the text: each of these ends at once', () => {
    for (const piece of ['[MemoryRef: a - ', '[MemoryRef:', '[MemoryRef: ', '[MemoryRef: a -', '[', ' ']) {
      expect(findMemoryRefs(piece.repeat(LONG))).toEqual([]);
    }
    expect(findMemoryRefs(`[MemoryRef:${' '.repeat(LONG)}a - ${'b '.repeat(LONG)}]`)).toHaveLength(1);
  });

  test('refuse a key that is none', () => {
    for (const key of ['', 'a b', 'a]', 'ä', 'a'.repeat(256), '\n']) {
      expect(() => formatMemoryRef(key)).toThrow(expect.objectContaining({ code: 'INVALID_ID' }));
    }
  });
});

describe('a description', () => {
  test('is one line within the limit, without square brackets, and stays so', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 300 }), (description, limit) => {
        const line = toDescriptionLine(description, limit);
        expect([...line].length).toBeLessThanOrEqual(limit);
        expect(line).not.toMatch(/[[\]\p{Cc}\p{Cf}\u2028\u2029]|^\s|\s$|\s\s/u);
        expect(line.isWellFormed()).toBe(true);
        expect(toDescriptionLine(line, limit)).toBe(line);
      }),
      { seed: 3 },
    );
  });

  test('says where it was cut', () => {
    expect(toDescriptionLine('a'.repeat(1_000))).toBe(`${'a'.repeat(LIMITS.descriptionCharacters - 1)}…`);
    expect(toDescriptionLine('one two', 5)).toBe('one…');
    expect(toDescriptionLine('😀😀😀', 2)).toBe('😀…');
    expect(toDescriptionLine('😀😀', 2)).toBe('😀😀');
  });

  test('of an endless text is read no further than the limit', () => {
    expect(toDescriptionLine('word '.repeat(LONG))).toHaveLength(LIMITS.descriptionCharacters);
  });
});

test('the prompt text teaches the grammar and the tools, and holds no placeholder itself', () => {
  const lesson = teachMemoryRefs();
  for (const word of ['[MemoryRef: <key> - <description>]', 'retrieve_memory', 'memory_key', 'search_memory'])
    expect(lesson).toContain(word);
  expect(findMemoryRefs(lesson)).toEqual([]);
});
