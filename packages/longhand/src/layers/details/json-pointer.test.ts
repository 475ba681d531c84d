import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { followJsonPointer, parseJsonPointer } from './json-pointer.ts';

/** The document of RFC 6901, section 5. */
const DOCUMENT = {
  foo: ['bar', 'baz'],
  '': 0,
  'a/b': 1,
  'c%d': 2,
  'e^f': 3,
  'g|h': 4,
  'i\\j': 5,
  'k"l': 6,
  ' ': 7,
  'm~n': 8,
};

describe('a JSON pointer', () => {
  test.each([
    ['', DOCUMENT],
    ['/foo', ['bar', 'baz']],
    ['/foo/0', 'bar'],
    ['/', 0],
    ['/a~1b', 1],
    ['/c%d', 2],
    ['/e^f', 3],
    ['/g|h', 4],
    ['/i\\j', 5],
    ['/k"l', 6],
    ['/ ', 7],
    ['/m~0n', 8],
  ])('%j leads where the standard says', (pointer, value) => {
    expect(followJsonPointer(DOCUMENT, pointer)).toEqual(value);
  });

  test.each(['/foo/2', '/foo/-', '/foo/00', '/foo/length', '/toString', '/__proto__', '/foo/0/0', '//x'])(
    '%j leads nowhere',
    (pointer) => {
      expect(() => followJsonPointer(DOCUMENT, pointer)).toThrow(
        expect.objectContaining({ code: 'INVALID_OPTION' }),
      );
    },
  );

  test.each(['foo', '/a~b', '/~', '#/foo'])('%j is refused', (pointer) => {
    expect(() => parseJsonPointer(pointer)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test('of any steps is read as those steps', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (steps) => {
        const pointer = steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
        expect(parseJsonPointer(pointer)).toEqual(steps);
      }),
      { seed: 1 },
    );
  });
});
