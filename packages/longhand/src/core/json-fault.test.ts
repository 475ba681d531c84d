import { expect, it } from 'vitest';
import { placeOfJsonFault } from './json-fault.ts';

it.each([
  ['{"text":"x",}', 12],
  ['{"text":"x"', 11],
  ['{"text":"x"}}', 12],
  ['{"text":x}', 8],
  ["{'text':1}", 1],
  ['{"text" "x"}', 8],
  ['{"list":[1,2,]}', 13],
  ['{"list":[1 2]}', 11],
  ['{"number":01}', 11],
  ['{"text":"tab\there"}', 12],
  ['{"text":"\\x"}', 9],
  ['{"text":"no end}', 16],
  ['', 0],
])('finds where %j stops being JSON', (text, place) => {
  expect(placeOfJsonFault(text)).toBe(place);
});

it.each([
  '{}',
  ' { "a" : [ ] , "b" : [ { } , [ 1 , -2.5e+3 , true , false , null ] ] } ',
  '{"escaped \\"key\\"":"\\u00e9\\n\\\\"}',
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
])('finds nothing in JSON', (text) => {
  expect(placeOfJsonFault(text)).toBeUndefined();
});

it('agrees with the parser about every text that is one change away from JSON', () => {
  const text = '{"a":[1,{"b":"\\u00e9 x"},[]],"c":{"d":-1.5e3,"e":null},"f":true}';
  const changes = ['', ',', '"', '}', '[', ' ', '0', '\\', ':', 'x', '\n'];
  for (let at = 0; at <= text.length; at++) {
    for (const change of changes) {
      for (const width of [0, 1]) {
        const changed = text.slice(0, at) + change + text.slice(at + width);
        expect(placeOfJsonFault(changed) === undefined, changed).toBe(isJson(changed));
      }
    }
  }
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
