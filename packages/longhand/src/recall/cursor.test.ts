import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { momentOfCursor, readCursor, writeCursor } from './cursor.ts';
import { QueryError } from './query-text.ts';

describe('a cursor', () => {
  it('comes back as it was written', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    const moment = fc.date({ noInvalidDate: true }).map((date) => date.getTime() + 0);
    const cursor = fc.record({
      query: fc.string(),
      nowMs: moment,
      seen: fc.nat(),
      sessionId: fc.string({ unit: 'grapheme' }),
      id: fc.string({ unit: 'grapheme' }),
      key: fc.oneof(number, fc.constant(Number.NEGATIVE_INFINITY)),
      timestampMs: number,
      order: number,
    });
    fc.assert(
      fc.property(cursor, (written) => {
        expect(readCursor(writeCursor(written), written.query)).toEqual(written);
      }),
    );
  });

  it('tells the moment it was asked for, and is refused when that is no date', () => {
    const cursor = { query: 'q', seen: 1, sessionId: 's', id: 'a', key: 1, timestampMs: 0, order: 1 };
    expect(momentOfCursor(writeCursor({ ...cursor, nowMs: 7 }))).toBe(7);
    expect(momentOfCursor('anything')).toBeUndefined();
    const forged = writeCursor({ ...cursor, nowMs: 1e300 });
    expect(momentOfCursor(forged)).toBeUndefined();
    expect(() => readCursor(forged, 'q')).toThrow(QueryError);
  });

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor(text, 'query')).toThrow(QueryError);
      }),
    );
  });
});
