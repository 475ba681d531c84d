import { describe, expect, it } from 'vitest';
import { indexOfTurns } from '../../../test/index-of-turns.ts';
import { resolveDecayPolicy } from './decay.ts';
import { search } from './search.ts';
import type { SearchHit, SearchRequest } from './search-request.ts';
import { searchSessions } from './search-sessions.ts';

/** A Monday. */
const NOW = Date.UTC(2026, 5, 1, 12);
const LONG_AGO = '2026-03-04T12:00:00Z';
const policy = resolveDecayPolicy();

type Written = Readonly<Record<string, string>>;

function hitsOf(written: Written, text: string, request: Partial<SearchRequest> = {}): readonly SearchHit[] {
  return search(indexOfTurns(written), { nowMs: NOW, policy, explain: true, ...request, text }).hits;
}

/** The texts that are found, in their order. */
function found(written: Written, text: string, request: Partial<SearchRequest> = {}): string[] {
  const texts = Object.keys(written);
  return hitsOf(written, text, request).map(({ id }) => texts[Number(id.slice('mem_'.length))]!);
}

describe('a question for a time and nothing else', () => {
  it('finds what refers to it, whenever that was written, and nothing else', () => {
    const written = {
      'Dentist tomorrow at nine': '2026-05-31T12:00:00Z',
      'Yoga every Monday': LONG_AGO,
      'Passport office on 1 June 2026': '2025-09-01T12:00:00Z',
      'Choir practice tomorrow': '2026-05-20T12:00:00Z',
      'Standup on Tuesday': '2026-05-29T12:00:00Z',
    };
    const [dentist, yoga, passport] = Object.keys(written);
    expect(found(written, 'What do I have today?').toSorted()).toEqual([dentist, passport, yoga].toSorted());
    expect(hitsOf(written, 'What do I have today?')[0]?.decay).toBe(1);
    expect(found(written, 'What do I have on Thursday?')).toEqual([]);
  });

  it('finds nothing where nothing is of that time, whatever words are held', () => {
    const written = { 'A week has seven days': LONG_AGO, 'Tomorrow never knows': LONG_AGO };
    for (const text of ['What did we talk about last week?', 'What is tomorrow?', 'What happened in April?'])
      expect(found(written, text), text).toEqual([]);
  });

  it.each(['What happened in May?', 'Was war im Mai?', 'may 2026', 'What did we discuss in May 2026?'])(
    'may name it: %s',
    (text) => {
      const written = { 'The roof is done': '2026-05-12T09:00:00Z', 'We may move': '2026-04-12T09:00:00Z' };
      expect(found(written, text)).toEqual(['The roof is done']);
    },
  );

  it('has plans before what was written that day, and the other way round for what has been', () => {
    const today = { 'Dentist tomorrow': '2026-05-31T12:00:00Z', 'Slept badly': '2026-06-01T08:00:00Z' };
    const [dentist, slept] = Object.keys(today);
    expect(found(today, 'What is on today?')).toEqual([dentist, slept]);
    expect(found(today, 'What happened today?')).toEqual([slept, dentist]);
  });

  it.each([
    ['What is on Friday?', 'The vet comes on Friday'],
    ['Am I free on Friday?', 'The vet comes on Friday'],
    ['Any plans for Friday?', 'The vet comes on Friday'],
    ['Was steht am Freitag an?', 'The vet comes on Friday'],
    ['What happened on Friday?', 'The invoice came in'],
    ['What do I have in two days?', 'The plumber comes on Wednesday'],
    ['What is on within two days?', 'The plumber comes on Wednesday'],
    ['What have I got to do before Thursday?', 'The plumber comes on Wednesday'],
    ['What is on next week?', 'The offsite is next week'],
    ['What do I have next month?', 'The tax return is due by 30 July'],
    ['What am I doing on Christmas Eve?', 'We fly on 24 December'],
  ])('means the days that its tense says: %s', (text, expected) => {
    const written = {
      'The vet comes on Friday': '2026-05-30T12:00:00Z',
      'The invoice came in': '2026-05-29T12:00:00Z',
      'The plumber comes on Wednesday': '2026-05-31T12:00:00Z',
      'The offsite is next week': '2026-06-01T08:00:00Z',
      'The tax return is due by 30 July': LONG_AGO,
      'We fly on 24 December': '2026-05-10T12:00:00Z',
    };
    expect(found(written, text)[0]).toBe(expected);
  });

  it('goes by the days of the place where it is asked', () => {
    const written = { 'The dentist is tomorrow': '2026-06-01T02:00:00Z' };
    const timeZone = 'America/Los_Angeles';
    expect(found(written, 'What do I have today?', { timeZone })).toHaveLength(1);
    expect(found(written, 'What do I have tomorrow?', { timeZone })).toEqual([]);
    expect(found(written, 'What do I have tomorrow?')).toHaveLength(1);
  });

  it('is of a session as far as its memories are', () => {
    const index = indexOfTurns({ 'Dentist tomorrow': '2026-05-30T12:00:00Z', 'Nothing much': LONG_AGO });
    const asked = { text: 'What happened yesterday?', nowMs: NOW };
    expect(searchSessions(index, asked)).toEqual([{ sessionId: 'sess_0', relevance: 1 }]);
  });
});

describe('a question for a time and something else', () => {
  const plans = {
    'Dentist tomorrow at nine': '2026-05-31T12:00:00Z',
    'Lunch with Carl on Tuesday': '2026-05-29T12:00:00Z',
    'The parcel comes on 3 June': LONG_AGO,
    'The meeting about the roof went well': '2026-05-27T12:00:00Z',
    'Slept badly': '2026-06-01T08:00:00Z',
    'Choir practice tomorrow': '2026-05-20T12:00:00Z',
  };
  const [dentist, lunch, parcel, meeting] = Object.keys(plans);

  it.each([
    ['Do I have any meetings today?', dentist],
    ['Habe ich heute ein Meeting?', dentist],
    ["Ai-je un meeting aujourd'hui ?", dentist],
    ['Are there any meetings tomorrow?', lunch],
    ['Do I have meetings on 2 June 2026?', lunch],
    ['Do I have a meeting on 6/2/2026?', lunch],
    ['Do I have meetings on Wednesday?', parcel],
  ])('finds what refers to its days beside what holds the words: %s', (text, expected) => {
    const all = found(plans, text);
    expect(all.slice(0, 2).toSorted()).toEqual([expected, meeting].toSorted());
    expect(all).not.toContain('Slept badly');
  });

  it('says why', () => {
    const [hit] = hitsOf(plans, 'Do I have any dentists today?');
    expect(hit).toMatchObject({ matchedWords: ['dentists', 'today'], matchedByDate: [] });
    const [written] = hitsOf(plans, 'Which meetings were in May?');
    expect(written).toMatchObject({ matchedWords: ['meetings', 'May'], matchedByDate: ['May'] });
  });

  it('favours what is of a time that has been, and looks for no word of it', () => {
    const meetings = {
      'The meeting was long': '2026-05-27T12:00:00Z',
      'The meeting was short': '2026-05-12T12:00:00Z',
      'A week has seven days': LONG_AGO,
    };
    const [long, short] = Object.keys(meetings);
    expect(found(meetings, 'How was the meeting last week?')).toEqual([long, short]);
    expect(found(meetings, 'What did we ship last week?')).toEqual([long]);
    expect(found(meetings, '"seven days"')).toEqual(['A week has seven days']);
  });

  it('leaves a weekday that is part of a name among the words', () => {
    const named = {
      'Agenda for the Friday meeting': LONG_AGO,
      'A meeting of the board': '2026-05-29T12:00:00Z',
    };
    expect(found(named, 'agenda of the Friday meeting')[0]).toBe('Agenda for the Friday meeting');
  });
});

describe('a question that asks when', () => {
  it.each([
    'The demo is on Wednesday',
    'The demo was yesterday',
    'Die Demo ist am Mittwoch',
    'The demo starts at 4 pm',
  ])('is answered by what says a time: %s', (says) => {
    const written = { 'The demo is ready': '2026-06-01T11:00:00Z', [says]: '2026-06-01T10:00:00Z' };
    expect(found(written, 'When is the demo?')[0]).toBe(says);
    expect(found(written, 'How is the demo?')[0]).toBe('The demo is ready');
    expect(hitsOf({ 'The demo is ready': LONG_AGO }, 'When is the demo?')[0]?.matchParts?.time).toBe(0);
  });
});
