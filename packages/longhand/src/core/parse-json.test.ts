import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJson } from './parse-json.ts';

describe('parseJson', () => {
  test('reads escaped keys right after a key that ends in a backslash', () => {
    for (const escaped of ['\\"', '\\n', '\\u0022', '\\"\\"', '\\\\n', '\\u0062']) {
      expect(parseJson('{"x":1,"\\\\":2}')).toEqual({ x: 1, '\\': 2 });
      const key = JSON.parse(`"${escaped}"`) as string;
      expect(parseJson(`{"x":1,"${escaped}":2}`)).toEqual({ x: 1, [key]: 2 });
      expect(parseJson(`{ "x" : 1 , "${escaped}" : 2 }`)).toEqual({ x: 1, [key]: 2 });
    }
  });

  test('leaves values, brackets and colons inside of texts alone', () => {
    const value = { a: '\\": {"b":"c"}', 'k"': ['"x":', '\\', { 'z\\': '\n' }], __: { ':"': ':' } };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  test('keeps own properties that are called like built-in ones', () => {
    const parsed = parseJson('{"\\"":1,"__proto__":{"\\\\":2}}') as object;
    expect(Object.keys(parsed)).toEqual(['"', '__proto__']);
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
  });

  test('of two equal keys the last one counts', () => {
    expect(parseJson('{"\\"":1,"a":2,"\\u0022":3}')).toEqual({ '"': 3, a: 2 });
  });

  test('works on texts that hold its own marks', () => {
    const value = { '\ue000': '"', '\ue0000"': 1, '\ue000\ue0000': 2, '"': { '\ue0001': '\n' } };
    expect(parseJson(JSON.stringify(value))).toEqual(value);
  });

  test.each(['', '{', '{"a\\":1}', '{"a\\"', '"\\', '{"\\x":1}', '{"a":1,}', '{"\\"":1,}', '\\'])(
    'refuses %j',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError);
    },
  );

  test('gives back whatever was put into JSON', () => {
    const key = fc.oneof(
      fc.constantFrom('"', '\\', '\n', '\\\\', '\\"', 'x\\', '":', '__proto__'),
      fc.string(),
    );
    const json = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        key,
        fc.integer(),
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(key, tie('value'), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        expect(JSON.stringify(parseJson(text))).toBe(text);
        expect(JSON.stringify(parseJson(JSON.stringify(value, null, 2)))).toBe(text);
      }),
      { numRuns: 500 },
    );
  });
});
