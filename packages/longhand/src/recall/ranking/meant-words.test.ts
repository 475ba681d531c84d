import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { synonymTable } from '../../../test/synonym-table.ts';
import type { MemoryEntry } from '../../core/records.ts';
import { RecallIndex } from '../index/recall-index.ts';
import type { SegmentReader } from '../index/segment-format.ts';
import { WordVectors } from '../vectors/word-vectors.ts';
import { resolveDecayPolicy } from './decay.ts';
import { search } from './search.ts';
import type { SearchHit } from './search-request.ts';
import { searchSessions } from './search-sessions.ts';

const NOW = Date.UTC(2026, 5, 1);
const policy = resolveDecayPolicy();

/** Each memory in a session of its own, so that nothing is lent. */
function indexOf(texts: readonly string[], words?: WordVectors): RecallIndex {
  const index = new RecallIndex(words);
  for (const [number, text] of texts.entries()) {
    const entry: MemoryEntry = {
      schema_version: 1,
      id: `mem_${number}`,
      session_id: `sess_${number}`,
      timestamp: new Date(NOW - 86_400_000).toISOString(),
      type: 'conversation',
      content: { speaker: 'Ada', message: text },
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
    };
    index.add(entry, number, { log: 0, offset: 0, length: 0 });
  }
  return index;
}

/** Puts the tail into a segment; gives how many bytes of it were read since it was last asked. */
function seal(index: RecallIndex): () => number {
  const bytes = index.sealTail();
  let read = 0;
  const reader: SegmentReader = {
    size: bytes.length,
    read: (offset, length) => {
      read += length;
      return bytes.subarray(offset, offset + length);
    },
  };
  index.replaceTail(reader);
  return () => {
    const before = read;
    read = 0;
    return before;
  };
}

function ask(index: RecallIndex, text: string): readonly SearchHit[] {
  return search(index, { text, nowMs: NOW, policy, explain: true }).hits;
}

function idsOf(index: RecallIndex, text: string): string[] {
  return ask(index, text)
    .map(({ id }) => id)
    .toSorted();
}

const TEXTS = [
  'The garden party is on Saturday',
  'Authentication goes through the gateway',
  'Their tier is gold',
  'The calendar was changed',
  'She wardens the park',
  'Café Møller opens at eight',
  'Билеты в Москву',
  'Rated 4821 of 5000',
];

describe('a word that no memory holds', () => {
  const index = indexOf(TEXTS);

  it.each([
    ['gardn', 'garden', 0],
    ['gadren', 'garden', 0],
    ['garxen', 'garden', 0],
    ['gareden party', 'garden', 0],
    ['authentcation', 'authentication', 1],
    ['autehntcation', 'authentication', 1],
    ['calender', 'calendar', 3],
    ['caffe', 'cafe', 5],
    ['билеть', 'билеты', 6],
  ])('is taken for the nearest that a memory holds: %s for %s', (text, word, number) => {
    const [first] = ask(index, text);
    expect(first?.id).toBe(`mem_${number}`);
    expect(first?.takenFor).toEqual({ [text.split(' ')[0]!]: [word] });
    expect(searchSessions(index, { text, nowMs: NOW })[0]?.sessionId).toBe(`sess_${number}`);
  });

  it.each([
    ['arden', 'its first letter is another'],
    ['grdne', 'it is too far for so few letters'],
    ['qate', 'its first letter is another'],
    ['gar', 'it is too short'],
    ['"gardn"', 'it is in a phrase'],
    ['"gardn party"', 'it is in a phrase'],
    ['gardn*', 'it is a wildcard'],
    ['4822', 'it is a number'],
    ['gate', 'it is too short'],
    ['gander', 'it has two errors'],
    ['東京都市', 'letters without case are cut in other ways'],
  ])('finds nothing: %s, because %s', (text) => {
    expect(ask(index, text)).toEqual([]);
  });

  it('is corrected only to words that a memory still holds', () => {
    const some = indexOf(['the garden', 'the gardens of spain']);
    seal(some);
    expect(idsOf(some, 'gardn')).toEqual(['mem_0', 'mem_1']);
    some.remove('sess_0', 'mem_0');
    expect(idsOf(some, 'gardn')).toEqual(['mem_1']);
    some.remove('sess_1', 'mem_1');
    expect(idsOf(some, 'gardn')).toEqual([]);
  });

  it('counts less than one that was typed right', () => {
    const some = indexOf(['a lake', 'a barn', 'a tree', 'a road']);
    expect(ask(some, 'lakke barn').map(({ id }) => id)).toEqual(['mem_1', 'mem_0']);
    expect(ask(some, 'lake barnn').map(({ id }) => id)).toEqual(['mem_0', 'mem_1']);
  });

  it('is taken for three words at most, the most frequent', () => {
    const some = indexOf([
      'planets',
      'planted planted',
      'planter',
      'planter',
      'planted',
      'plantex',
      'plantex',
      'planteb',
    ]);
    const taken = ask(some, 'planteq').flatMap(({ takenFor }) => takenFor?.planteq ?? []);
    expect([...new Set(taken)].toSorted()).toEqual(['planted', 'planter', 'plantex']);
  });

  it('is explained with the memories that hold what it is taken for, and with no others', () => {
    const some = indexOf(['a lake', 'a lace', 'a barn']);
    const taken = ask(some, 'lakke barn').map(({ id, takenFor }) => [id, takenFor]);
    expect(taken).toEqual([
      ['mem_2', undefined],
      ['mem_0', { lakke: ['lake'] }],
    ]);
  });

  it('is not looked for behind eight others', () => {
    const some = indexOf(['a lake']);
    const unknown = Array.from({ length: 8 }, (_, number) => `unknown${'x'.repeat(number)}`).join(' ');
    expect(idsOf(some, `lakke ${unknown}`)).toEqual(['mem_0']);
    expect(idsOf(some, `${unknown} lakke`)).toEqual([]);
  });

  it('is a word, and no typo, when the table of words has it', () => {
    const table = new WordVectors(synonymTable([['sport', 'horse', 'plane', 'short'], ['strasse']]));
    const some = indexOf(['I prefer short answers', 'the house', 'a plant', 'die Straßen'], table);
    for (const word of ['sport', 'Horse', 'plane']) expect(ask(some, word)).toEqual([]);
    expect(idsOf(some, 'shrot plannt')).toEqual(['mem_0', 'mem_2']);
    // What only begins like a word of the table is not one.
    expect(idsOf(some, 'strassenn')).toEqual(['mem_3']);
  });

  it('changes nothing for words that are known', () => {
    for (const hit of ask(index, 'garden party')) expect(hit.takenFor).toBeUndefined();
  });
});

describe('the dictionary of a segment', () => {
  it('gives what a look at every word gives', () => {
    const word = fc.string({ unit: fc.constantFrom(...'abcdé'), minLength: 2, maxLength: 10 });
    const typed = word.map((text) => `ab${text}`);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 300 }), typed, (words, asked) => {
        const texts = words.map((text) => `ab${text}`);
        const inTail = indexOf(texts);
        const inSegment = indexOf(texts);
        seal(inSegment);
        expect(ask(inSegment, asked)).toEqual(ask(inTail, asked));
      }),
      { numRuns: 150 },
    );
  });

  it('is read where words begin alike, however many there are', () => {
    const names = Array.from({ length: 20_000 }, (_, number) => `task${number.toString(36)}q`).join(' ');
    const index = indexOf([names, 'see you tomorrow']);
    const bytesRead = seal(index);
    ask(index, 'see');
    bytesRead();
    expect(ask(index, 'tomorow')[0]?.takenFor).toEqual({ tomorow: ['tomorrow'] });
    expect(bytesRead()).toBeLessThan(20_000);
  });
});
