import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyEdit, JsonTextError, putAt, removeAt, reversed, valueAt } from './json-edit.ts';

const PATH = ['mcpServers', 'longhand'];
const ENTRY = { command: 'npx', args: ['-y', 'longhand-server', 'mcp'] };

/** Every text with what it must look like afterwards; what it says is compared for all of them. */
const TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  nothing: ['', '{\n  "mcpServers": {\n    "longhand": E\n  }\n}\n'],
  'an empty object': ['{}\n', '{\n  "mcpServers": {\n    "longhand": E\n  }\n}\n'],
  tabs: [
    '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}',
    '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"a": {},\n\t\t"longhand": E\n\t}\n}',
  ],
  'comments and trailing commas': [
    '// mine\n{\n    "mcpServers": { // here\n        /* one */ "a": { "command": "x" }, // last\n    },\n}\n',
    '// mine\n{\n    "mcpServers": { // here\n        /* one */ "a": { "command": "x" }, // last\n        "longhand": E\n    },\n}\n',
  ],
  'a remark without a comma': [
    '{\n  "mcpServers": {\n    "a": {} // the only one, {"x": 1}\n  }\n}',
    '{\n  "mcpServers": {\n    "a": {}, // the only one, {"x": 1}\n    "longhand": E\n  }\n}',
  ],
  'only a comment': [
    '{\n  "mcpServers": {\n    // none yet\n  }\n}',
    '{\n  "mcpServers": {\n    // none yet\n    "longhand": E\n  }\n}',
  ],
  'one line': [
    '{"a":1,"mcpServers":{"b":{"args":[]}}}',
    '{"a":1,"mcpServers":{"b":{"args":[]},"longhand": E}}',
  ],
  'line ends of Windows': [
    '{\r\n  "a": "\\u007b"\r\n}\r\n',
    '{\r\n  "a": "\\u007b",\r\n  "mcpServers": {\r\n    "longhand": E\r\n  }\r\n}\r\n',
  ],
  'a byte order mark': ['\ufeff{"mcpServers":{}}', '\ufeff{"mcpServers":{\n  "longhand": E\n}}'],
  'an older entry': [
    '{\n  "mcpServers": {\n    "longhand": { "command": "old" }, "z": 1\n  }\n}',
    '{\n  "mcpServers": {\n    "longhand": E, "z": 1\n  }\n}',
  ],
};

it.each(Object.entries(TEXTS))('puts an entry into %s, and takes it out again', (_name, [text, expected]) => {
  const edit = putAt(text, PATH, ENTRY);
  const changed = applyEdit(text, edit);
  const entry = /"longhand": (\{[\s\S]*?\]\s*\})/.exec(changed)![1]!;
  expect(JSON.parse(entry)).toEqual(ENTRY);
  expect(changed.replace(entry, 'E')).toBe(expected);
  expect(applyEdit(changed, reversed(edit))).toBe(text);
  expect(valueAt(changed, PATH)).toEqual(Object.assign(Object.create(null), ENTRY));
  const without = applyEdit(changed, removeAt(changed, PATH));
  expect(valueAt(without, PATH)).toBeUndefined();
  for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(without).toContain(comment);
});

it('says where a text is no JSON', () => {
  const refusals = {
    '{"a" 1}': 'line 1, column 6: a colon is missing',
    '{\n  a: 1}': 'line 2, column 3: a name in double quotes is missing',
    '{"a": 1 "b": 2}': 'line 1, column 9: a comma is missing',
    '[1 2]': 'line 1, column 4: a comma is missing',
    '{"a": }': 'line 1, column 7: a value is missing',
    '{} x': 'line 1, column 4: something follows the JSON value',
    '{"a": "\n"}': 'line 1, column 7: a value is missing',
    '{"a": 1': 'line 1, column 8: it ends too early',
    '{"a": 01}': 'line 1, column 7: a value cannot be read',
    '/* open': 'line 1, column 1: a value is missing',
    [`${'['.repeat(5_000)}`]: 'line 1, column 202: it is nested too deeply',
    '[]': 'the file is not an object',
    '{"mcpServers": []}': 'mcpServers is not an object',
  };
  for (const [text, message] of Object.entries(refusals))
    expect(() => putAt(text, PATH, ENTRY), text).toThrow(new JsonTextError(message));
});

it('reads what JSON.parse reads, and changes nothing but the entry', () => {
  const spaces = fc.constantFrom(undefined, 1, 2, 4, '\t');
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), spaces, (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const expected = JSON.parse(text);
      expect(JSON.parse(JSON.stringify(valueAt(text, [])))).toEqual(expected);
      const edit = putAt(text, ['longhand entry'], ENTRY);
      const changed = applyEdit(text, edit);
      expect(JSON.parse(changed)).toEqual({ ...expected, 'longhand entry': ENTRY });
      expect(applyEdit(changed, reversed(edit))).toBe(text);
      const removed = JSON.parse(applyEdit(changed, removeAt(changed, ['longhand entry'])));
      const { 'longhand entry': _gone, ...others } = expected;
      expect(removed).toEqual(others);
    }),
  );
});
