import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../../core/records.ts';
import { resolveDecayPolicy } from '../ranking/decay.ts';
import { search } from '../ranking/search.ts';
import { searchSessions } from '../ranking/search-sessions.ts';
import { checksumOf, decodeText, encodeText } from './bytes.ts';
import { MemoryUses } from './memory-uses.ts';
import { RecallIndex } from './recall-index.ts';
import { Segment } from './segment.ts';
import { SEGMENT_VERSION, SegmentDamage, type SegmentReader } from './segment-format.ts';

const NOW = Date.UTC(2026, 5, 1);
const policy = resolveDecayPolicy();

function entry(number: number, message: string, session = 'sess_a'): MemoryEntry {
  return {
    schema_version: 1,
    id: `mem_${number}`,
    session_id: session,
    timestamp: new Date(NOW - number * 3_600_000).toISOString(),
    type: 'conversation',
    content: { speaker: number % 2 === 0 ? 'Ada' : 'Ben', message },
    importance: 0.5,
    decay_factor: 1,
    tags: number % 3 === 0 ? ['garden.roses'] : [],
    references: number > 0 ? [`mem_${number - 1}`] : [],
    provenance: { author: 'user', trust: 'owner' },
  };
}

const MESSAGES = [
  'planted the roses',
  'did it rain on the roses?',
  'the token expired',
  'rotate the token now',
];

function sealed(): Uint8Array {
  const index = new RecallIndex();
  for (const [number, message] of MESSAGES.entries()) {
    index.add(entry(number, message, number < 2 ? 'sess_a' : 'sess_b'), number, {
      log: 7,
      offset: number * 100,
      length: 99,
    });
  }
  return index.sealTail();
}

function readerOf(bytes: Uint8Array): SegmentReader {
  return { size: bytes.length, read: (offset, length) => bytes.subarray(offset, offset + length) };
}

/** Everything that a segment can be asked, so that every byte of it matters to some answer. */
function answers(bytes: Uint8Array, dead: readonly number[] = []): unknown {
  const index = new RecallIndex();
  index.openSegment(readerOf(bytes), dead);
  const ask = (request: object) => search(index, { nowMs: NOW, policy, ...request });
  const segment = new Segment(readerOf(bytes));
  return [
    ask({ text: 'roses Ada' }),
    ask({
      text: 'roses',
      usesOfSession: new Map([
        ['sess_a', new MemoryUses([['mem_0', { lastAccessMs: NOW, accessCount: 1 }]])],
      ]),
    }),
    ask({ text: '"the token"' }),
    ask({ text: 'rot* *ted' }),
    ask({ tags: { include: ['garden'] } }),
    ask({ references: ['mem_1'], maxDepth: 5 }),
    ask({ authors: ['ben'], sortBy: 'importance' }),
    searchSessions(index, { text: 'token', nowMs: NOW }),
    index.get('sess_b', 'mem_3'),
    [...segment.termsFrom('')].map(({ term, place }) => [
      term,
      place,
      segment.frame(place.postings),
      place.positions.length > 0 && segment.frame(place.positions),
    ]),
    index.mergeSegments(index.segments),
  ];
}

/** The answers, or that the damage was noticed; any other error fails the test. */
function answersOrDamage(bytes: Uint8Array): unknown {
  try {
    return answers(bytes);
  } catch (error) {
    if (error instanceof SegmentDamage) return 'damage';
    throw error;
  }
}

describe('a segment', () => {
  it('gives back what was written, place and all', () => {
    const index = new RecallIndex();
    index.openSegment(readerOf(sealed()));
    expect(index.count).toBe(4);
    expect(index.get('sess_b', 'mem_2')).toEqual({
      id: 'mem_2',
      sessionId: 'sess_b',
      order: 2,
      place: { log: 7, offset: 200, length: 99 },
      timestampMs: NOW - 2 * 3_600_000,
      references: ['mem_1'],
    });
    expect(index.get('sess_a', 'mem_2')).toBeUndefined();
  });

  it('is read piece by piece: opening takes the header alone', () => {
    const bytes = sealed();
    const reads: number[] = [];
    const index = new RecallIndex();
    index.openSegment({
      size: bytes.length,
      read(offset, length) {
        reads.push(length);
        return bytes.subarray(offset, offset + length);
      },
    });
    expect(reads).toHaveLength(1);
    index.get('sess_a', 'mem_0');
    expect(reads.reduce((sum, length) => sum + length, 0)).toBeLessThan(bytes.length);
  });

  it('notices a cut at every byte', () => {
    const bytes = sealed();
    for (let length = 0; length < bytes.length; length++) {
      expect(() => answers(bytes.slice(0, length))).toThrow(SegmentDamage);
    }
    expect(() => answers(Uint8Array.from([...bytes, 0]))).toThrow(SegmentDamage);
  });

  it('notices a flipped bit in every byte', () => {
    const bytes = sealed();
    for (let at = 0; at < bytes.length; at++) {
      const harmed = bytes.slice();
      harmed[at]! ^= 1 << (at % 8);
      expect(answersOrDamage(harmed), `byte ${at}`).toBe('damage');
    }
  });

  it('gives the same answers or says that it is harmed, whatever happened to its bytes', () => {
    const bytes = sealed();
    const right = JSON.stringify(answers(bytes));
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (changes) => {
          const harmed = bytes.slice();
          for (const [at, value] of changes) harmed[at] = value;
          const given = answersOrDamage(harmed);
          if (given !== 'damage') expect(JSON.stringify(given)).toBe(right);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('refuses another version, saying so', () => {
    const bytes = sealed();
    new DataView(bytes.buffer).setUint32(4, SEGMENT_VERSION + 1, true);
    expect(() => new Segment(readerOf(bytes))).toThrow(`version ${SEGMENT_VERSION}`);
  });

  it('can be searched again after damage was met in the middle of a query', () => {
    const bytes = sealed();
    const index = new RecallIndex();
    let isHarmed = true;
    index.openSegment({
      size: bytes.length,
      read(offset, length) {
        const part = bytes.slice(offset, offset + length);
        if (isHarmed && offset > 0) part[0]! ^= 1;
        return part;
      },
    });
    const request = { text: 'roses', nowMs: NOW, policy };
    expect(() => search(index, request)).toThrow(SegmentDamage);
    isHarmed = false;
    const again = search(index, request).hits.map(({ id, relevance }) => [id, relevance]);
    const fresh = new RecallIndex();
    fresh.openSegment(readerOf(bytes));
    expect(again).toEqual(search(fresh, request).hits.map(({ id, relevance }) => [id, relevance]));
  });

  it('can hold nothing', () => {
    const index = new RecallIndex();
    index.replaceTail(readerOf(index.sealTail()));
    expect(index.count).toBe(0);
    expect(search(index, { text: 'roses', nowMs: NOW, policy }).hits).toEqual([]);
    expect(search(index, { nowMs: NOW, policy }).hits).toEqual([]);
  });

  it('leaves the dead out, and merging drops them', () => {
    const bytes = sealed();
    const index = new RecallIndex();
    const opened = index.openSegment(readerOf(bytes), [0]);
    expect(index.remove('sess_b', 'mem_3')).toBe(true);
    expect(index.remove('sess_b', 'mem_3')).toBe(false);
    expect(opened.deadDocuments).toEqual([0, 3]);
    expect(index.count).toBe(2);
    const merged = index.mergeSegments([opened]);
    expect(new Segment(readerOf(merged)).documentCount).toBe(2);
    index.replaceSegments([opened], readerOf(merged));
    expect(index.count).toBe(2);
    expect(index.get('sess_a', 'mem_0')).toBeUndefined();
    expect(index.get('sess_a', 'mem_1')?.order).toBe(1);
  });

  it('knows all places of a word that is said hundreds of times, also once it is merged', () => {
    const index = new RecallIndex();
    const place = { log: 1, offset: 0, length: 1 };
    for (const [number, message] of [`${'row '.repeat(300)} your boat`, 'row your other boat'].entries()) {
      // The later segment holds what comes first: merging has to sort.
      index.add(entry(number, message), 1 - number, place);
      index.replaceTail(readerOf(index.sealTail()));
    }
    const ask = (text: string): string[] =>
      search(index, { text, nowMs: NOW, policy }).hits.map(({ id }) => id);
    const answers = (): string[][] => ['"row your boat"', '"row your other"', '"row row your"'].map(ask);
    expect(answers()).toEqual([['mem_0'], ['mem_1'], ['mem_0']]);
    const both = [...index.segments];
    index.replaceSegments(both, readerOf(index.mergeSegments(both)));
    expect(answers()).toEqual([['mem_0'], ['mem_1'], ['mem_0']]);
  });

  it('knows what was used after tails and segments are replaced', () => {
    const index = new RecallIndex();
    index.add(entry(0, 'roses'), 0, { log: 0, offset: 0, length: 0 });
    const usesOfSession = new Map([
      ['sess_a', new MemoryUses([['mem_0', { lastAccessMs: NOW, accessCount: 1 }]])],
    ]);
    const request = { text: 'roses', nowMs: NOW + 1000, policy, usesOfSession };
    const recency = () => search(index, request).hits[0]?.recency;
    const before = recency();
    expect(before).toBeGreaterThan(1.49);
    const opened = index.replaceTail(readerOf(index.sealTail()));
    expect(recency()).toBe(before);
    index.replaceSegments([opened], readerOf(index.mergeSegments([opened])));
    expect(recency()).toBe(before);
  });
});

describe('bytes', () => {
  it('give back any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
        const bytes = encodeText(text);
        expect(decodeText(bytes, 0, bytes.length)).toBe(text);
      }),
    );
  });

  it('have another checksum when one of them changes, or when they lie elsewhere', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
        fc.nat(),
        fc.nat(254),
        (bytes, where, change) => {
          const sum = checksumOf(bytes, 0, bytes.length, 1);
          expect(checksumOf(bytes, 0, bytes.length, 2)).not.toBe(sum);
          const changed = bytes.slice();
          changed[where % bytes.length]! ^= change + 1;
          expect(checksumOf(changed, 0, bytes.length, 1)).not.toBe(sum);
        },
      ),
    );
  });
});
