import { expect, test } from 'vitest';
import { formatTimestamp, parseTimestamp } from './timestamps.ts';

test.each([
  ['2026-01-10T14:23:45.678Z', Date.UTC(2026, 0, 10, 14, 23, 45, 678)],
  ['2026-01-10T10:00:00Z', Date.UTC(2026, 0, 10, 10)],
  ['2026-01-10T10:00Z', Date.UTC(2026, 0, 10, 10)],
  ['2026-01-10T10:00:00+02:00', Date.UTC(2026, 0, 10, 8)],
  ['2026-01-10T10:00:00-0530', Date.UTC(2026, 0, 10, 15, 30)],
  ['2026-01-10', Date.UTC(2026, 0, 10)],
  ['2024-02-29', Date.UTC(2024, 1, 29)],
  ['2026-01-10T10:00:00.123456789Z', Date.UTC(2026, 0, 10, 10, 0, 0, 123)],
  ['2026-01-10T24:00:00.000Z', Date.UTC(2026, 0, 11)],
  ['2026-01-10T10:00:00+0200', Date.UTC(2026, 0, 10, 8)],
])('%s', (text, ms) => {
  expect(parseTimestamp(text)).toBe(ms);
  expect(formatTimestamp(ms)).toBe(new Date(ms).toISOString());
  expect(parseTimestamp(new Date(ms))).toBe(ms);
});

test.each([
  '',
  'now',
  '2026',
  '2026-01',
  '2026-1-1',
  '2026-02-29',
  '2026-04-31T00:00:00Z',
  '2026-00-10',
  '2026-13-10',
  '2026-01-00',
  '2026-01-10T25:00:00Z',
  '2026-01-10T10:61:00Z',
  '2026-01-10T10:00:00',
  '2026-01-10 10:00:00Z',
  ' 2026-01-10',
  '2026-01-10T10:00:00Z\n',
  '10/01/2026',
  1_768_000_000_000,
  null,
  undefined,
  {},
  new Date('never'),
  new Date(8.64e15),
  new Date(-8.64e15),
])('refuses %j', (value) => {
  expect(() => parseTimestamp(value, 'start')).toThrow(
    expect.objectContaining({ name: 'ValidationError', code: 'INVALID_TIMESTAMP' }),
  );
  expect(() => parseTimestamp(value, 'start')).toThrow(/^The start must be/);
});
