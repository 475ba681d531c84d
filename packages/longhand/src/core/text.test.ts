import { describe, expect, test } from 'vitest';
import { checkJson, findTextFault } from './text.ts';

describe('texts', () => {
  test.each(['', 'plain', 'ü😀', '\u2028\u2029\ufeff', 'e\u0301', '\u0001\u007f', '\ud83d\ude00'])(
    '%j is fine',
    (text) => {
      expect(findTextFault(text)).toBeUndefined();
    },
  );
  test.each(['\0', 'a\0b', '\ud83d', '\ude00', 'x\ude00\ud83d'])('%j is not', (text) => {
    expect(findTextFault(text)).toMatch(/NUL|surrogate/);
  });
});

describe('values', () => {
  const nest = (levels: number): unknown => (levels === 0 ? 1 : [nest(levels - 1)]);

  test.each([
    [null],
    [true],
    [0],
    [-1.5e300],
    ['x'],
    [[]],
    [{}],
    [{ a: undefined }],
    [Object.create(null)],
    [nest(64)],
  ])('%j survives JSON', (value) => {
    expect(() => checkJson(value, 'content')).not.toThrow();
  });

  test.each([
    [Number.NaN, 'INVALID_CONTENT', 'content is not a finite number'],
    [{ a: { b: Number.NEGATIVE_INFINITY } }, 'INVALID_CONTENT', 'content.a.b is not a finite number'],
    [{ a: [1, undefined] }, 'INVALID_CONTENT', 'content.a[1] is a undefined'],
    [{ a: 1n }, 'INVALID_CONTENT', 'content.a is a bigint'],
    [{ a: () => 1 }, 'INVALID_CONTENT', 'content.a is a function'],
    [{ a: Symbol('s') }, 'INVALID_CONTENT', 'content.a is a symbol'],
    [{ a: new Date(0) }, 'INVALID_CONTENT', 'content.a is not a plain object'],
    [new Set(), 'INVALID_CONTENT', 'content is not a plain object'],
    [{ a: Object.create({ inherited: 1 }) }, 'INVALID_CONTENT', 'content.a is not a plain object'],
    ['\0', 'INVALID_TEXT', 'content holds a NUL'],
    [{ a: '\ud800' }, 'INVALID_TEXT', 'content.a holds half'],
    [{ 'k\0': 1 }, 'INVALID_TEXT', 'A key in content holds a NUL'],
    [nest(65), 'CONTENT_TOO_DEEP', 'nested more than 64 levels'],
  ])('%# is refused with the place', (value, code, message) => {
    expect(() => checkJson(value, 'content')).toThrow(
      expect.objectContaining({ name: 'ValidationError', code }),
    );
    expect(() => checkJson(value, 'content')).toThrow(message);
  });
});
