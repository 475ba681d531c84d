import { describe, expect, test } from 'vitest';
import {
  createIdMaker,
  decodeFileName,
  encodeFileName,
  parseMemoryId,
  parseName,
  parseSessionId,
  timeOfId,
} from './ids.ts';

describe('ids that Longhand makes', () => {
  test('pass their own checks, and sort by time', () => {
    const make = createIdMaker();
    const ids = [0, 1, 1_000, Date.UTC(2026, 0, 1), Date.UTC(2200, 0, 1)].map((ms) => make('mem_', ms));
    for (const id of ids) expect([parseMemoryId(id), id.length]).toEqual([id, 30]);
    expect([...ids].sort()).toEqual(ids);
    expect(parseSessionId(make('sess_', 5))).toMatch(/^sess_[0-9A-Z]{26}$/);
  });

  test('tell when they were made', () => {
    const make = createIdMaker();
    for (const ms of [0, 1, Date.UTC(2026, 0, 1), Date.UTC(2200, 0, 1)])
      expect(timeOfId(make('detail_', ms), 'detail_')).toBe(ms);
    for (const other of [
      '',
      'detail_',
      make('mem_', 5),
      `${make('detail_', 5)}X`,
      `detail_${'u'.repeat(26)}`,
    ])
      expect(timeOfId(other, 'detail_')).toBeUndefined();
  });

  test('sort in the order they were made when the clock stands still or goes back', () => {
    const make = createIdMaker();
    const times = [5_000, 5_000, 5_000, 4_000, 1, 5_000, 6_000, 5_999];
    const ids = times.map((ms) => make('mem_', ms));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('count up without running over, from the highest start there is', () => {
    const make = createIdMaker((count) => new Uint8Array(count).fill(255));
    const ids = Array.from({ length: 100 }, () => make('mem_', 7));
    expect([...ids].sort()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('differ between makers', () => {
    const ids = Array.from({ length: 1_000 }, () => createIdMaker()('mem_', 7));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('names as file names', () => {
  test.each([
    ['ada', 'ada'],
    ['Ada Lovelace', 'Ada Lovelace'],
    ['ada@example.org', 'ada@example.org'],
    ['Ärger', 'Ärger'],
    ['東京', '東京'],
    ['A\u0308rger', 'A%CC%88rger'],
    ['..', '%2E%2E'],
    ['.hidden', '%2Ehidden'],
    ['a.', 'a%2E'],
    ['a ', 'a%20'],
    ['a/b', 'a%2Fb'],
    ['a\\b', 'a%5Cb'],
    ['100%', '100%25'],
    ['%2E', '%252E'],
    ['CON', '%43ON'],
    ['nul.txt', '%6Eul.txt'],
    ['com1', '%63om1'],
    ['console', 'console'],
    ['😀', '%F0%9F%98%80'],
    ['\u202ex', '%E2%80%AEx'],
  ])('%j becomes %j, and back', (name, fileName) => {
    expect(encodeFileName(name)).toBe(fileName);
    expect(decodeFileName(fileName)).toBe(name);
  });

  test('are refused when they are blank, too long or hold control characters', () => {
    for (const name of [
      '',
      ' \t',
      'a\nb',
      'a\0',
      '\u0080',
      '\ud800',
      'x'.repeat(129),
      '😀'.repeat(20),
      7,
      null,
    ]) {
      expect(() => parseName(name, 'user id')).toThrow(expect.objectContaining({ code: 'INVALID_NAME' }));
    }
    expect(parseName('x'.repeat(128), 'user id')).toHaveLength(128);
    expect(parseName('😀'.repeat(16), 'agent id')).toHaveLength(32);
  });
});
