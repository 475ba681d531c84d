import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCursor, writeCursor } from './cursor.ts';
import { QueryError } from './query-text.ts';

describe('a cursor', () => {
  it('comes back as it was written', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    const cursor = fc.record({
      query: fc.string(),
      nowMs: number,
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

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor(text, 'query')).toThrow(QueryError);
      }),
    );
  });
});
