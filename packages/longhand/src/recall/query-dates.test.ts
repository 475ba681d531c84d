import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../core/records.ts';
import { resolveDecayPolicy } from './decay.ts';
import { namedDates } from './query-dates.ts';
import { RecallIndex } from './recall-index.ts';
import { search } from './search.ts';
import type { SearchHit } from './search-request.ts';
import { findTimeMentions } from './time-expression.ts';

const NOW = Date.UTC(2026, 5, 20, 12);

describe('a date in a query', () => {
  it.each([
    ['chapter 14', []],
    ['the 14 rooms of 3 houses', []],
    ['room 5 in 3 weeks', []],
    ['what was on 14 May?', ['14', 'may']],
    ['what was on May 14th, 2026?', ['14', 'may']],
    ['the 3rd of June', ['3']],
    ['on the 14th', ['14']],
    ['the 14th floor', []],
    ['2026-03-05', ['5']],
    ['3/14/2026', ['3', '14']],
    ['open 24/7', []],
    ['between 5 and 7 June', ['5', '7']],
    ['may 5 people come?', []],
    ['may I use it?', []],
    ['May I use it?', []],
    ['Who may use it?', []],
    ['Which tools may Ada use?', []],
    ['the May meeting', ['may']],
    ['in may', ['may']],
    ['may plans', ['may']],
    ['the march in Selma', []],
    ['the March numbers', ['march']],
  ])('%j names %j', (text, expected) => {
    expect([...namedDates(text, findTimeMentions(text, NOW))].toSorted()).toEqual(expected.toSorted());
  });
});

describe('the day on which a memory was written', () => {
  const index = new RecallIndex();
  const add = (id: string, text: string, day: string): void => {
    const entry: MemoryEntry = {
      schema_version: 1,
      id,
      session_id: id,
      timestamp: `${day}T09:00:00Z`,
      type: 'finding',
      content: { text },
      importance: 0.5,
      decay_factor: 1,
      tags: [],
      references: [],
      provenance: { author: 'user', trust: 'owner' },
    };
    index.add(entry, 1, { log: 0, offset: 0, length: 1 });
  };
  add('mem_14', 'The boiler was serviced', '2026-05-14');
  add('mem_20', 'The boiler was cleaned', '2026-05-20');
  add('mem_book', 'Chapter 14 is about tides', '2026-02-03');
  add('mem_band', 'A marching band went by', '2026-04-02');
  add('mem_spring', 'The seeds are in', '2026-03-09');
  const ask = (text: string): readonly SearchHit[] =>
    search(index, { text, nowMs: NOW, policy: resolveDecayPolicy(), explain: true }).hits;
  const idsOf = (text: string): string[] => ask(text).map(({ id }) => id);

  it('answers no number that is no day, no verb and no walk', () => {
    expect(idsOf('chapter 14')).toEqual(['mem_book']);
    expect(idsOf('14')).toEqual(['mem_book']);
    expect(idsOf('marching')).toEqual(['mem_band']);
    expect(idsOf('Which boiler may Ada use?').toSorted()).toEqual(['mem_14', 'mem_20']);
  });

  it('answers a date', () => {
    expect(idsOf('What about the boiler on 14 May?')[0]).toBe('mem_14');
    expect(idsOf('the boiler on 20 May')[0]).toBe('mem_20');
    expect(idsOf('2026-05-14')[0]).toBe('mem_14');
    expect(idsOf('in March')).toContain('mem_spring');
  });

  it('is told apart in the explanation', () => {
    expect(ask('the boiler on 14 May 2026').find(({ id }) => id === 'mem_14')).toMatchObject({
      matchedWords: ['boiler', '14', 'may', '2026'],
      matchedByDate: ['14', 'may', '2026'],
    });
    expect(ask('chapter 14')[0]).toMatchObject({ matchedWords: ['chapter', '14'], matchedByDate: [] });
  });
});
