import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../../core/records.ts';
import { SESSION_LENGTH_SHARE, SESSION_RANK_SATURATION } from '../analysis/weights.ts';
import { RecallIndex } from '../index/recall-index.ts';
import { searchSessions } from './search-sessions.ts';

const NOW = Date.UTC(2026, 5, 1);
const DAY = 86_400_000;

function entry(number: number, session: string, message: string, role = 'tool', ageDays = 1): MemoryEntry {
  return {
    schema_version: 1,
    id: `mem_${number}`,
    session_id: session,
    timestamp: new Date(NOW - ageDays * DAY).toISOString(),
    type: 'conversation',
    content: { role, message },
    importance: 0.5,
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: { author: 'user', trust: 'owner' },
  };
}

function indexOf(entries: readonly MemoryEntry[]): RecallIndex {
  const index = new RecallIndex();
  for (const [order, each] of entries.entries()) index.add(each, order, { log: 0, offset: 0, length: 0 });
  return index;
}

describe('searchSessions', () => {
  it('adds up what a session says', () => {
    const index = indexOf([
      entry(0, 'a', 'roses roses roses'),
      entry(1, 'b', 'we talked about roses'),
      entry(2, 'b', 'and planted some in the garden'),
      entry(3, 'c', 'nothing'),
    ]);
    const hits = searchSessions(index, { text: 'garden roses', nowMs: NOW });
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(['b', 'a']);
    for (const { relevance } of hits) expect(relevance > 0 && relevance <= 1).toBe(true);
  });

  it('finds the sessions of a time that is all a question names', () => {
    const index = indexOf([
      entry(0, 'old', 'What happened last week was nothing', 'user', 300),
      entry(1, 'week', 'roses', 'user', 9),
      entry(2, 'day', 'garden', 'user', 1),
      entry(3, 'day', 'tulips', 'user', 60),
    ]);
    const found = (text: string) =>
      searchSessions(index, { text, nowMs: NOW }).map(({ sessionId }) => sessionId);
    expect(found('What did we talk about yesterday?')).toEqual(['day']);
    expect(found('nine days ago')).toEqual(['week']);
    expect(found('two months ago')).toEqual(['day']);
    expect(found('three years ago')).toEqual([]);
    expect(searchSessions(index, { text: 'yesterday', nowMs: NOW, limit: 0 })).toEqual([]);
  });

  it('listens to the side that the question refers to', () => {
    const index = indexOf([
      entry(0, 'user', 'my favourite shoes', 'user'),
      entry(1, 'assistant', 'my favourite shoes', 'assistant'),
    ]);
    const first = (text: string) => searchSessions(index, { text, nowMs: NOW })[0]?.sessionId;
    expect(first('what did I say about shoes')).toBe('user');
    expect(first('which shoes did you recommend')).toBe('assistant');
    expect(first('can you find what I said about shoes')).toBe('user');
  });

  it('prefers the session in which the one who is named said it', () => {
    const index = indexOf([
      entry(0, 'hers', 'The roses are lovely this year', 'Ingrid', 9),
      entry(1, 'his', 'The roses are lovely this year', 'Olaf', 1),
      entry(2, 'present', 'The roses are lovely this year', 'Olaf', 1),
      entry(3, 'present', 'Good morning to everybody', 'Ingrid', 1),
    ]);
    const request = { text: 'What did Ingrid say about the roses?', nowMs: NOW };
    const hits = searchSessions(index, request);
    expect(hits.map(({ sessionId }) => sessionId)).toEqual(['hers', 'his', 'present']);
    for (const { relevance } of hits) expect(relevance > 0 && relevance <= 1).toBe(true);
    expect(searchSessions(index, { text: 'Ingrid', nowMs: NOW }).map(({ sessionId }) => sessionId)).toEqual(
      expect.arrayContaining(['hers', 'present']),
    );
  });

  it('prefers the time that the question refers to', () => {
    const index = indexOf([
      entry(0, 'recent', 'a concert', 'user', 2),
      entry(1, 'then', 'a concert', 'user', 61),
    ]);
    const request = { text: 'which concert was it two months ago', nowMs: NOW };
    expect(searchSessions(index, request)[0]?.sessionId).toBe('then');
  });

  it('puts the session with the newest memory first among equals, wherever that stands', () => {
    const index = indexOf([
      entry(0, 'a', 'roses', 'tool', 5),
      entry(1, 'a', 'roses', 'tool', 4),
      entry(2, 'b', 'roses', 'tool', 3),
      entry(3, 'b', 'roses', 'tool', 6),
    ]);
    const found = searchSessions(index, { text: 'roses', nowMs: NOW });
    expect(found.map(({ sessionId }) => sessionId)).toEqual(['b', 'a']);
    expect(found[0]!.relevance).toBe(found[1]!.relevance);
  });

  it('keeps to filter and limit', () => {
    const index = indexOf([entry(0, 'a', 'roses'), entry(1, 'b', 'roses'), entry(2, 'c', 'roses')]);
    expect(searchSessions(index, { text: 'roses', nowMs: NOW, limit: 2 })).toHaveLength(2);
    expect(searchSessions(index, { text: 'roses', nowMs: NOW, sessions: ['b'] })[0]?.sessionId).toBe('b');
    expect(searchSessions(index, { text: '', nowMs: NOW })).toEqual([]);
    expect(() => searchSessions(index, { text: 'roses', nowMs: NOW, limit: -1 })).toThrow(/limit/);
  });

  it('values sessions as the formula says', () => {
    const word = fc.constantFrom<string[]>('apple', 'brick', 'cloud', 'drum');
    const turn = fc.tuple(fc.nat(3), fc.array(word, { minLength: 1, maxLength: 5 }));
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 12 }), fc.uniqueArray(word), (turns, query) => {
        const entries = turns.map(([session, words], at) => entry(at, `s${session}`, words.join(' ')));
        const hits = searchSessions(indexOf(entries), { text: query.join(' '), nowMs: NOW, limit: 9 });
        const ids = [...new Set(turns.map(([session]) => session))];
        const inSession = (id: number) =>
          turns.filter(([session]) => session === id).map(([, words]) => words);
        const frequency = (words: readonly string[], term: string) =>
          words.filter((each) => each === term).length;
        const lengthOf = (id: number) => inSession(id).reduce((sum, words) => sum + words.length, 0);
        const average = ids.reduce((sum, id) => sum + lengthOf(id), 0) / ids.length;
        const rarity = (holders: number, all: number) =>
          Math.log(1 + (all - holders + 0.5) / (holders + 0.5));
        const known = query.filter((term) => turns.some(([, words]) => words.includes(term)));
        const sessionWeight = (term: string) =>
          rarity(ids.filter((id) => inSession(id).flat().includes(term)).length, ids.length);
        const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
        const saturate = (count: number, slope: number, saturation: number) =>
          (count * (1 + saturation)) / (count + slope);
        for (const { sessionId, relevance } of hits) {
          const id = Number(sessionId.slice(1));
          const slope =
            SESSION_RANK_SATURATION *
            (1 - SESSION_LENGTH_SHARE + (SESSION_LENGTH_SHARE * lengthOf(id)) / average);
          const whole = sum(
            known.map(
              (term) =>
                sessionWeight(term) *
                saturate(frequency(inSession(id).flat(), term), slope, SESSION_RANK_SATURATION),
            ),
          );
          const strength = whole / sum(known.map(sessionWeight));
          const most = 1 + SESSION_RANK_SATURATION + 0.25;
          expect(relevance).toBeCloseTo(strength / most, 5);
        }
        expect(hits.map(({ sessionId }) => sessionId).toSorted()).toEqual(
          ids
            .filter((id) =>
              inSession(id)
                .flat()
                .some((each) => query.includes(each)),
            )
            .map((id) => `s${id}`)
            .toSorted(),
        );
      }),
      { numRuns: 200 },
    );
  });
});
