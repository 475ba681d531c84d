import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { QueryError } from '../analysis/query-text.ts';
import { givenHash, momentOfCursor, readCursor, writeCursor } from './cursor.ts';

describe('a cursor', () => {
  it('comes back as it was written', () => {
    const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    const moment = fc.date({ noInvalidDate: true }).map((date) => date.getTime() + 0);
    const place = fc.record({
      key: fc.oneof(number, fc.constant(Number.NEGATIVE_INFINITY)),
      timestampMs: number,
      sessionId: fc.string({ unit: 'grapheme' }),
      order: number,
      id: fc.string({ unit: 'grapheme' }),
    });
    const given = fc
      .array(fc.tuple(fc.string({ unit: 'grapheme' }), fc.string()))
      .map((memories) => new Set(memories.map(([sessionId, id]) => givenHash(sessionId, id))));
    const cursor = fc.record({ query: fc.string(), nowMs: moment, after: fc.oneof(place, given) });
    fc.assert(
      fc.property(cursor, (written) => {
        expect(readCursor(writeCursor(written), written.query)).toEqual(written);
      }),
    );
  });

  it('tells the moment it was asked for, and is refused when that is no date', () => {
    const cursor = { query: 'q', after: { key: 1, timestampMs: 0, sessionId: 's', order: 1, id: 'mem_1' } };
    expect(momentOfCursor(writeCursor({ ...cursor, nowMs: 7 }))).toBe(7);
    expect(momentOfCursor('anything')).toBeUndefined();
    const forged = writeCursor({ ...cursor, nowMs: 1e300 });
    expect(momentOfCursor(forged)).toBeUndefined();
    expect(() => readCursor(forged, 'q')).toThrow(QueryError);
  });

  it('goes into an address as it is, with 8 characters for each memory that was given', () => {
    const given = Array.from({ length: 1_000 }, (_, number) => givenHash('s', `mem_${number}`));
    const written = writeCursor({ query: 'q', nowMs: Date.UTC(2026, 5, 1), after: new Set(given) });
    expect(written.length).toBeLessThan(8_100);
    expect(encodeURIComponent(written)).toBe(written);
    const after = { key: 0.5, timestampMs: 1, sessionId: 'a?b>c~ü', order: 1, id: 'mem_1' };
    const place = writeCursor({ query: 'q', nowMs: 7, after });
    expect(encodeURIComponent(place)).toBe(place);
  });

  it('tells the memories of a large store apart', () => {
    const hashes = new Set<string>();
    for (let session = 0; session < 100; session++) {
      for (let memory = 0; memory < 1_000; memory++) hashes.add(givenHash(`s-${session}`, `mem_${memory}`));
    }
    expect(hashes.size).toBe(100_000);
  });

  it('is refused when it is anything else', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(() => readCursor(text, 'query')).toThrow(QueryError);
      }),
    );
  });
});
