import { expect, test } from 'vitest';
import { currentSchema, liftRecord, type Schema, versionOf } from './schema.ts';

const schema: Schema = {
  version: 2,
  steps: { 0: (record) => ({ ...record, one: true }), 1: (record) => ({ ...record, two: true }) },
};

test('a record is lifted step by step to the current version', () => {
  expect(liftRecord({ schema_version: 0 }, schema)).toEqual({ schema_version: 2, one: true, two: true });
  expect(liftRecord({ schema_version: 1 }, schema)).toEqual({ schema_version: 2, two: true });
  expect(liftRecord({ schema_version: 2, a: 1 }, schema)).toEqual({ schema_version: 2, a: 1 });
});

test('what a person wrote without a version is current', () => {
  expect(versionOf({}, schema)).toBe(2);
  expect(versionOf({ schema_version: '1' }, schema)).toBe(2);
  expect(liftRecord({ a: 1 }, schema)).toEqual({ a: 1 });
});

test.each([[3], [99], [-1], [0.5]])('version %d is refused, with what can be read', (version) => {
  const refusal = { name: 'ValidationError', code: 'SCHEMA_TOO_NEW', details: { version, supported: 1 } };
  expect(() => liftRecord({ schema_version: version }, currentSchema)).toThrow(
    expect.objectContaining(refusal),
  );
});
