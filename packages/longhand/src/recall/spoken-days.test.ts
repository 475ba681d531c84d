import { describe, expect, it } from 'vitest';
import { indexOfTurns } from '../../test/index-of-turns.ts';
import { resolveDecayPolicy } from './decay.ts';
import { search } from './search.ts';
import type { SearchRequest } from './search-request.ts';
import { searchSessions } from './search-sessions.ts';

/** A Monday. */
const NOW = Date.UTC(2026, 5, 1, 12);
const policy = resolveDecayPolicy();

/** The texts that are found, in their order. */
function found(
  written: Readonly<Record<string, string>>,
  text: string,
  request: Partial<SearchRequest> = {},
): string[] {
  const { hits } = search(indexOfTurns(written), { nowMs: NOW, policy, ...request, text });
  return hits.map(({ id }) => Object.keys(written)[Number(id.slice('mem_'.length))]!);
}

const LONG_AGO = '2026-03-04T12:00:00Z';

describe('what speaks of a day', () => {
  it.each([
    ['Dentist tomorrow at nine', '2026-05-31T12:00:00Z'],
    ['The day after tomorrow we fly', '2026-05-30T12:00:00Z'],
    ['Abgabe \u00fcbermorgen', '2026-05-30T12:00:00Z'],
    ['Abgabe uebermorgen', '2026-05-30T12:00:00Z'],
    ['Vorgestern war die Abgabe', '2026-06-03T12:00:00Z'],
    ['Gestern war die Abgabe', '2026-06-02T12:00:00Z'],
    ['It was due the day before yesterday', '2026-06-03T12:00:00Z'],
    ['Le rapport est pour demain', '2026-05-31T12:00:00Z'],
    ['Le rapport est pour apr\u00e8s-demain', '2026-05-30T12:00:00Z'],
    ['Le rapport est pour apres-demain', '2026-05-30T12:00:00Z'],
    ['Nous avons d\u00e9m\u00e9nag\u00e9 avant-hier', '2026-06-03T12:00:00Z'],
    ['Zahnarzt morgen um neun', '2026-05-31T12:00:00Z'],
    ['Rent is due on 1 June', '2026-05-10T12:00:00Z'],
    ['Rent is due on 1 June, in half a year', '2025-11-30T12:00:00Z'],
    ['Release: 6/1/2026', LONG_AGO],
    ['Standup with the board on Monday', '2026-05-27T12:00:00Z'],
    ['Am Montag kommt der Maler', '2026-05-27T12:00:00Z'],
    ['Lunch with the board next Monday', '2026-05-25T12:00:00Z'],
    ['Lunch with the board next Monday', '2026-05-21T12:00:00Z'],
    ['Lunch on Mon at 12', '2026-05-29T12:00:00Z'],
    ['Lunch this Mon', '2026-05-29T12:00:00Z'],
    ['Lunch on Sun and Mon', '2026-05-29T12:00:00Z'],
    ['Lunch next Mon', '2026-05-25T12:00:00Z'],
    ['Kommenden Montag kommt der Maler', '2026-05-25T12:00:00Z'],
    ['Yoga every Monday', LONG_AGO],
    ['Jeden Montag Yoga', LONG_AGO],
    ['Yoga every Thursday and Monday', LONG_AGO],
    ['Yoga every Tuesday evening, Thursday or Monday', LONG_AGO],
    ['Jeden Freitag und Montag Yoga', LONG_AGO],
    ['Yoga chaque jeudi et lundi', LONG_AGO],
    ['Yoga every Wed and Mon', LONG_AGO],
    ['Yoga on Mondays', LONG_AGO],
    ['Fridays and Mondays: yoga', LONG_AGO],
    ['Yoga immer montags', LONG_AGO],
    ['Yoga tous les lundis', LONG_AGO],
    ['Yoga every weekday', LONG_AGO],
    ['Yoga on weekdays', LONG_AGO],
    ['Yoga werktags', LONG_AGO],
    ['Yoga jeden Werktag', LONG_AGO],
    ['Rent is due on the 1st of every month', LONG_AGO],
    ['Rent is due by the 1st of each month', LONG_AGO],
    ['Every month on the 1st, rent is due', LONG_AGO],
    ['Die Miete geht monatlich am 1. ab', LONG_AGO],
    ['Die Miete geht am 1. jeden Monats ab', LONG_AGO],
    ['Le loyer part le 1er de chaque mois', LONG_AGO],
    ['The vet moved to Monday the 1st', '2026-05-13T12:00:00Z'],
    ['The results come in two weeks', '2026-05-18T12:00:00Z'],
    ['The results come in a week', '2026-05-25T12:00:00Z'],
    ['In zwei Tagen kommt der Maler', '2026-05-30T12:00:00Z'],
    ['In einer Woche kommt der Maler', '2026-05-25T12:00:00Z'],
    ['Le dentiste vient dans trois jours', '2026-05-29T12:00:00Z'],
    ['Le dentiste vient dans une semaine', '2026-05-25T12:00:00Z'],
  ])('is of it: %s', (text, timestamp) => {
    expect(found({ [text]: timestamp }, 'What do I have today?')).toEqual([text]);
  });

  it.each([
    ['The demo moved from 30 May to 1 June', '2026-05-20T12:00:00Z'],
    ['La r\u00e9union est report\u00e9e du 30 mai au 1 juin', '2026-05-20T12:00:00Z'],
  ])('is of the day that it was moved to: %s', (text, timestamp) => {
    expect(found({ [text]: timestamp }, 'What do I have today?')).toEqual([text]);
  });

  it.each([
    ['The demo moved from 1 June to 3 June', '2026-05-20T12:00:00Z'],
    ['The demo was postponed from 28 May to 5 June', '2026-05-20T12:00:00Z'],
    ['Dentist tomorrow at nine', '2026-05-28T12:00:00Z'],
    ['The day after tomorrow we fly', '2026-05-29T12:00:00Z'],
    ['Le rapport est pour apr\u00e8s-demain', '2026-05-31T12:00:00Z'],
    ['Le rapport est pour apres-demain', '2026-05-31T12:00:00Z'],
    ['Rent was due on 1 June', '2025-06-20T12:00:00Z'],
    ['Rent was due on 1 June, half a year ago', '2025-11-29T12:00:00Z'],
    ['Release: 6/1/2025', LONG_AGO],
    ['Standup with the board on Monday', '2026-05-20T12:00:00Z'],
    ['Lunch with the board', '2026-05-25T12:00:00Z'],
    ['Lunch with the board on Monday', '2026-05-25T12:00:00Z'],
    ['Lunch with the board next Monday', '2026-05-17T12:00:00Z'],
    ['Monday the 1st was fine', '2026-02-03T12:00:00Z'],
    ['Mon ami arrive', '2026-05-29T12:00:00Z'],
    ['Kommenden Montag kommt der Maler', '2026-05-24T12:00:00Z'],
    ['We talked next Monday through', '2026-06-03T12:00:00Z'],
    ['Yoga every Tuesday', LONG_AGO],
    ['Yoga every Tuesday, and a run on Monday', LONG_AGO],
    ['Yoga on Mondays', '2026-06-10T12:00:00Z'],
    ['Yoga on weekends', LONG_AGO],
    ['Yoga every day', LONG_AGO],
    ['Rent is due on the 2nd of every month', LONG_AGO],
    ['Rent is due every month', LONG_AGO],
    ['Busy next week', '2026-05-29T12:00:00Z'],
  ])('is not of another: %s', (text, timestamp) => {
    expect(found({ [text]: timestamp }, 'What do I have today?')).toEqual([]);
  });

  it('is of it when it was written later', () => {
    const written = { 'Yesterday we shipped': '2026-06-01T08:00:00Z', 'We shipped yesterday': LONG_AGO };
    expect(found(written, 'What happened yesterday?')).toEqual(['Yesterday we shipped']);
  });

  it('is of the next weekday, and less of that in the same week', () => {
    const timeOf = (timestamp: string, day: string): number =>
      search(indexOfTurns({ 'Demo next Friday': timestamp }), {
        text: `demo on ${day} June 2026`,
        nowMs: NOW,
        policy,
        explain: true,
      }).hits[0]!.matchParts!.time;
    // Said on a Monday, and on the Saturday before.
    expect(timeOf('2026-06-01T08:00:00Z', '12')).toBe(0.1875);
    expect(timeOf('2026-06-01T08:00:00Z', '5')).toBeCloseTo(0.15, 9);
    expect(timeOf('2026-05-30T08:00:00Z', '5')).toBe(0.1875);
    expect(timeOf('2026-05-30T08:00:00Z', '12')).toBeCloseTo(0.15, 9);
    const plans = { 'Demo next Friday': '2026-06-01T08:00:00Z', 'Lunch on Friday': '2026-06-01T07:00:00Z' };
    expect(found(plans, 'What is on Friday?')).toEqual(['Lunch on Friday', 'Demo next Friday']);
  });

  it('is of either weekday that a question may mean by the next', () => {
    const plans = {
      'Lunch on 5 June': LONG_AGO,
      'Demo on 12 June': LONG_AGO,
      'Choir on 19 June': LONG_AGO,
    };
    expect(found(plans, 'What is on next Friday?').toSorted()).toEqual([
      'Demo on 12 June',
      'Lunch on 5 June',
    ]);
    expect(found(plans, 'Was ist kommenden Freitag?')).toEqual(['Lunch on 5 June']);
  });

  it('is no weekday by a word of the same stem', () => {
    const written = {
      'We work on wedding plans': '2026-05-31T12:00:00Z',
      'Every wedding needs a cake': LONG_AGO,
      'Nobody sat this down': '2026-05-31T12:00:00Z',
    };
    for (const day of ['Wednesday', 'Saturday'])
      expect(found(written, `What do I have on ${day}?`), day).toEqual([]);
    const plans = { 'The vet comes on Wed': '2026-05-31T12:00:00Z', 'Choir on Sat': '2026-05-31T12:00:00Z' };
    expect(found(plans, 'What do I have on Wednesday?')).toEqual(['The vet comes on Wed']);
    expect(found(plans, 'What do I have on Saturday?')).toContain('Choir on Sat');
  });

  it('is of the night or the weekend before', () => {
    const written = {
      'Last night we saw a film': '2026-05-31T12:00:00Z',
      'This weekend I build the shelf': '2026-05-28T12:00:00Z',
      'Busy next week': '2026-05-22T12:00:00Z',
    };
    const [night, weekend, week] = Object.keys(written);
    expect(found(written, 'What did we do on Saturday?').slice(0, 2)).toEqual([night, weekend]);
    expect(found(written, 'What did we do last week?')).toContain(week);
  });

  it.each([
    'Le week-end dernier on a nag\u00e9',
    'Le weekend dernier on a nag\u00e9',
    'Le dernier week-end on a nag\u00e9',
  ])('is of a weekend in French: %s', (text) => {
    expect(found({ [text]: '2026-06-03T12:00:00Z' }, 'What did we do last weekend?')).toEqual([text]);
    expect(found({ [text]: '2026-06-10T12:00:00Z' }, 'What did we do last weekend?')).toEqual([]);
  });

  it.each([
    ['The vet comes on the 1st', '2026-05-05T12:00:00Z'],
    ['The vet came on the 1st, in the morning', '2026-06-04T12:00:00Z'],
    ['Am 1. kommt der Maler', '2026-05-20T12:00:00Z'],
    ['Le dentiste vient le 1', '2026-05-20T12:00:00Z'],
  ])('may be of it by its number alone: %s', (text, timestamp) => {
    expect(found({ [text]: timestamp }, 'What do I have today?')).toEqual([text]);
  });

  it.each([
    ['The vet comes on the 1st', '2026-05-04T12:00:00Z'],
    ['The vet came on the 1st', '2026-06-05T12:00:00Z'],
    ['We live on the 1st floor', '2026-05-20T12:00:00Z'],
    ['The vet comes on the 2nd', '2026-05-20T12:00:00Z'],
    ['am 1. juli kommt der Maler', '2026-05-20T12:00:00Z'],
  ])('is not of it by a number of something else: %s', (text, timestamp) => {
    expect(found({ [text]: timestamp }, 'What do I have today?')).toEqual([]);
  });

  it('is of the weekend to come in French', () => {
    const written = { 'Ce week-end on nage': '2026-05-28T12:00:00Z' };
    expect(found(written, 'What did we do last weekend?')).toEqual(Object.keys(written));
    const plans = {
      'Le week-end prochain on nage': '2026-05-28T12:00:00Z',
      'Ce weekend on chante': '2026-06-01T08:00:00Z',
    };
    expect(found(plans, 'What is on this weekend?').toSorted()).toEqual(Object.keys(plans).toSorted());
  });

  it.each([
    'Choir this morning',
    'Choir this afternoon',
    'Choir this evening',
    'Chorale ce matin',
    'Chorale cet apr\u00e8s-midi',
    'Chorale cet apres-midi',
    'Chorale ce soir',
  ])('is a part of the day on which it was written: %s', (text) => {
    const written = { [text]: '2026-06-01T06:00:00Z', 'Is this even a choir?': '2026-06-01T07:00:00Z' };
    // Before what was written later that day.
    expect(found(written, 'What is on today?')[0]).toBe(text);
    expect(found({ [text]: '2026-05-31T06:00:00Z' }, 'What is on today?')).toEqual([]);
  });

  it('comes before what only says the same words', () => {
    const written = { 'Doctor tomorrow': '2026-06-01T08:00:00Z', 'Meeting tomorrow': '2026-05-31T20:00:00Z' };
    expect(found(written, 'What is tomorrow?')[0]).toBe('Doctor tomorrow');
    expect(found(written, 'What is on 2 June 2026?')[0]).toBe('Doctor tomorrow');
  });

  it('states a day in two numbers behind a word that stands before days', () => {
    const written = { 'Rent on 20/6': LONG_AGO, 'Gas by 6/20.': LONG_AGO, 'Milk on 6/5, or 20/6': LONG_AGO };
    expect(found(written, 'What do I have on 20 June?').slice(0, 2).toSorted()).toEqual([
      'Gas by 6/20.',
      'Rent on 20/6',
    ]);
  });

  it('may mean any of the days of a week', () => {
    const written = { 'Offsite tomorrow': '2026-05-26T12:00:00Z', 'Offsite the other day': LONG_AGO };
    expect(found(written, 'What did we do last week?')).toEqual(['Offsite tomorrow']);
  });

  it.each([
    // The evening of 31 May in Los Angeles.
    [
      'The dentist is the day after tomorrow',
      '2026-06-01T02:00:00Z',
      '2 June',
      'America/Los_Angeles',
      '3 June',
    ],
    [
      'The dentist was the day before yesterday',
      '2026-06-01T02:00:00Z',
      '29 May',
      'America/Los_Angeles',
      '30 May',
    ],
    // The morning of 1 June in Tokyo.
    ['The dentist is the day after tomorrow', '2026-05-31T22:00:00Z', '3 June', 'Asia/Tokyo', '2 June'],
    ['The dentist was the day before yesterday', '2026-05-31T22:00:00Z', '30 May', 'Asia/Tokyo', '29 May'],
  ])('goes by the day of writing where it is asked: %s, %s', (text, timestamp, day, timeZone, inUtc) => {
    const index = indexOfTurns({ [text]: timestamp });
    const timeOf = (named: string, zone: string): number | undefined =>
      search(index, {
        ...{ text: `dentist on ${named} 2026`, nowMs: Date.UTC(2026, 5, 4), policy, explain: true },
        timeZone: zone,
      }).hits[0]?.matchParts?.time;
    expect(timeOf(day, timeZone)).toBe(0.25);
    expect(timeOf(inUtc, timeZone)).toBeLessThan(0.25);
    expect(timeOf(inUtc, 'UTC')).toBe(0.25);
    expect(timeOf(day, 'UTC')).toBeLessThan(0.25);
  });

  it.each([
    // Already Tuesday 26 May in Tokyo, and Monday in UTC: a week before.
    ['2026-05-25T20:00:00Z', 'Asia/Tokyo'],
    // Still Sunday 7 June in Los Angeles, and Monday in UTC: a week later.
    ['2026-06-08T03:00:00Z', 'America/Los_Angeles'],
  ])('takes a weekday for the nearest one where it is asked: %s', (timestamp, timeZone) => {
    const text = 'The dentist is on Monday';
    expect(found({ [text]: timestamp }, 'What do I have today?', { timeZone })).toEqual([text]);
    expect(found({ [text]: timestamp }, 'What do I have today?')).toEqual([]);
  });

  it('is surely of a day that it states, whatever weekday it says with it', () => {
    const timeOf = (text: string, asked: string): number =>
      search(indexOfTurns({ [text]: '2026-05-27T12:00:00Z' }), {
        text: asked,
        nowMs: NOW,
        policy,
        explain: true,
      }).hits[0]!.matchParts!.time;
    expect(timeOf('Standup on Monday', 'standup today')).toBe(0.1875);
    expect(timeOf('Standup on Monday, 1 June', 'standup today')).toBe(0.25);
  });

  it('is as surely of one of two times as of the surer', () => {
    // For last week it may mean the Monday of that, for today it says the day.
    const index = indexOfTurns({ 'Standup on Monday, 1 June': '2026-05-23T12:00:00Z' });
    const asked = { text: 'standup today or last week', nowMs: NOW, policy, explain: true };
    expect(search(index, asked).hits[0]!.matchParts!.time).toBe(0.25);
  });

  it('may be one of eight days; of more it must be stated', () => {
    const index = indexOfTurns({
      'Dentist on 2 May 2026': '2026-01-02T12:00:00Z',
      'Surgeon on Saturday': '2026-04-30T12:00:00Z',
    });
    const timesOf = (days: string): number[] =>
      search(index, { text: `dentist surgeon from ${days} 2026`, nowMs: NOW, policy, explain: true })
        .hits.toSorted((left, right) => (left.id < right.id ? -1 : 1))
        .map(({ matchParts }) => matchParts!.time);
    expect(timesOf('1 May to 8 May')).toEqual([0.25, 0.1875]);
    const [dentist, surgeon] = timesOf('1 May to 9 May');
    expect(dentist).toBe(0.25);
    expect(surgeon).not.toBe(0.1875);
  });

  it.each(['Parents evening on Tuesday, 9 June', 'Elternabend am Dienstag, den 09.06.'])(
    'is of the day beside its weekday, and not of that weekday in another week: %s',
    (text) => {
      const written = { [text]: '2026-05-28T12:00:00Z' };
      expect(found(written, 'What is tomorrow?')).toEqual([]);
      expect(found(written, 'What do I have on 9 June?')).toEqual([text]);
    },
  );

  it.each([
    ['What do I have next month?', 'The tax return is due by 30 July'],
    ['Is there anything next year?', 'The flight to Oslo is on 2027-02-03'],
    ['What is on in the next three weeks?', 'Wedding on 20 June'],
    ['Any flights next year?', 'The flight to Oslo is on 2027-02-03'],
    ['Was steht n\u00e4chsten Monat an?', 'The tax return is due by 30 July'],
  ])('is of a long time that it states a day of: %s', (text, expected) => {
    const written = {
      'The tax return is due by 30 July': LONG_AGO,
      'The flight to Oslo is on 2027-02-03': LONG_AGO,
      'Wedding on 20 June': LONG_AGO,
      'The interview is next Wednesday': '2026-05-30T12:00:00Z',
    };
    expect(found(written, text)[0]).toBe(expected);
  });

  it('is of the evening on which a night begins', () => {
    const timeOf = (text: string): number =>
      search(indexOfTurns({ [text]: LONG_AGO }), {
        text: 'concert last night',
        nowMs: NOW,
        policy,
        explain: true,
      }).hits[0]!.matchParts!.time;
    expect(timeOf('The concert is on 31 May 2026')).toBe(0.25);
    expect(timeOf('The concert is on 1 June 2026')).toBeLessThan(0.01);
  });

  it('does not fade, and the explanation says why', () => {
    const index = indexOfTurns({ 'Passport appointment on 1 June 2026': '2025-09-01T12:00:00Z' });
    const [hit] = search(index, { text: 'appointment today', nowMs: NOW, policy, explain: true }).hits;
    expect(hit?.matchParts?.time).toBe(0.25);
    expect(hit?.decay).toBe(1);
  });

  it('is no morning', () => {
    const timeOf = (text: string): number | undefined => {
      const index = indexOfTurns({ [text]: '2026-05-31T08:00:00Z' });
      return search(index, { text: 'Berlin today', nowMs: NOW, policy, explain: true }).hits[0]?.matchParts
        ?.time;
    };
    expect(timeOf('Wir fahren morgen nach Berlin')).toBe(0.25);
    for (const before of ['Guten', 'heute', 'am', 'jeden', 'diesen', 'der', 'den', 'dem'])
      expect(timeOf(`${before} Morgen in Berlin`), before).toBeLessThan(0.25);
    expect(timeOf('Gestern Morgen in Berlin')).toBeLessThan(0.25);
  });

  it('is not of an hour of it', () => {
    const written = { 'Dentist tomorrow at nine': '2026-05-31T12:00:00Z' };
    expect(found(written, 'What did we say an hour ago?')).toEqual([]);
  });

  it('makes its session one of that time', () => {
    const index = indexOfTurns({
      'Dentist tomorrow at nine': '2026-05-30T12:00:00Z',
      'Nothing much': LONG_AGO,
    });
    const asked = { text: 'What happened yesterday?', nowMs: NOW };
    expect(searchSessions(index, asked)).toEqual([{ sessionId: 'sess_0', relevance: 1 }]);
  });
});

describe('a range of days', () => {
  it.each([
    'Conference 30 May - 3 June',
    'Conference 1-4 June 2026',
    'Conference from May 30th to June 2nd',
    'Konferenz vom 30. Mai bis 2. Juni',
    'Konferenz vom 30.5. bis 2.6.',
    'Conf\u00e9rence du 30 mai au 2 juin 2026',
    'Conference 2026-05-30 to 2026-06-02',
    'Conference between 30 May and 2 June',
    'Konferenz zwischen dem 30. Mai und dem 2. Juni',
  ])('is of each of its days: %s', (text) => {
    expect(found({ [text]: LONG_AGO }, 'What do I have today?')).toEqual([text]);
    expect(found({ [text]: LONG_AGO, 'Nothing much': LONG_AGO }, 'What do I have on 1 June?')).toEqual([
      text,
    ]);
  });

  it.each(['Conference 2-4 June', 'Conference 30 May - 3 June 2025', 'Read pages 1-4', '1 April - 1 July'])(
    'is of no other: %s',
    (text) => {
      expect(found({ [text]: LONG_AGO }, 'What do I have today?')).toEqual([]);
    },
  );

  it('has the year of its end at its beginning, or the one before', () => {
    const text = 'Skiing 28 December - 3 January 2027';
    const written = { [text]: LONG_AGO };
    const timeOf = (day: string): number =>
      search(indexOfTurns(written), { text: `skiing on ${day}`, nowMs: NOW, policy, explain: true }).hits[0]!
        .matchParts!.time;
    expect(timeOf('30 December 2026')).toBe(0.25);
    expect(timeOf('2 January 2027')).toBe(0.25);
    expect(timeOf('30 December 2027')).toBeLessThan(0.01);
    expect(timeOf('28 December 2025')).toBeLessThan(0.01);
  });
});

describe('a holiday', () => {
  it.each([
    'What am I doing on Christmas Eve?',
    'Where were we on Christmas Eve?',
    'flights on Christmas Eve',
  ])('is found by its date: %s', (text) => {
    const flight = 'We fly to Lisbon on 24 December';
    expect(found({ [flight]: LONG_AGO, 'We fly to Rome on 27 December': LONG_AGO }, text)[0]).toBe(flight);
  });
});

describe('a question for what is to come', () => {
  const written = {
    'The vet comes on Friday': '2026-05-30T12:00:00Z',
    'The invoice came in': '2026-05-29T12:00:00Z',
    'Nothing much': LONG_AGO,
  };
  const [vet, invoice] = Object.keys(written);

  it.each([
    'What is on Friday?',
    'Do I have anything on Friday?',
    'Am I free on Friday?',
    'Was ist am Freitag?',
  ])('means the day to come: %s', (text) => {
    expect(found(written, text)).toEqual([vet, invoice]);
  });

  it.each([
    'Any plans for Friday?',
    'Was steht am Freitag an?',
    'Bin ich am Freitag frei?',
    'Suis-je libre vendredi ?',
    'Whats on friday',
  ])('means it however it is asked: %s', (text) => {
    expect(found(written, text)[0]).toBe(vet);
  });

  it.each(['What happened on Friday?', 'What did we do on Friday?', 'What do you remember from Friday?'])(
    'is none for what has been: %s',
    (text) => {
      expect(found(written, text)[0]).toBe(invoice);
    },
  );

  it('has plans before what was written that day', () => {
    const today = { 'Dentist tomorrow': '2026-05-31T12:00:00Z', 'Slept badly': '2026-06-01T08:00:00Z' };
    const [dentist, slept] = Object.keys(today);
    expect(found(today, 'What is on today?')).toEqual([dentist, slept]);
    expect(found(today, 'What happened today?')).toEqual([slept, dentist]);
  });

  describe('with other words', () => {
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
      ['Do I have any meetings today?', [dentist, meeting]],
      ['Do I have a meeting with Fred today?', [dentist, meeting]],
      ['Any meetings today?', [dentist, meeting]],
      ['Habe ich heute ein Meeting?', [dentist, meeting]],
      ["Ai-je un meeting aujourd'hui ?", [dentist, meeting]],
      ['Is there a meeting this afternoon?', [dentist, meeting]],
      ['Are there any meetings tomorrow?', [lunch, meeting]],
      ['Do I have meetings on Wednesday?', [parcel, meeting]],
      ['Do I have meetings on 1 June?', [dentist, meeting]],
      ['Do I have meetings on 2 June 2026?', [lunch, meeting]],
      ['Do I have a meeting on 6/2/2026?', [lunch, meeting]],
      ['Habe ich am 2. Juni ein Meeting?', [lunch, meeting]],
      ['Do I have meetings on 3 June?', [parcel, meeting]],
    ])('finds what speaks of its days before what holds them: %s', (text, expected) => {
      expect(found(plans, text).slice(0, 2)).toEqual(expected);
    });

    it('finds what speaks of any day from one date to another', () => {
      const all = found(plans, 'Do I have meetings between 1 and 3 June?');
      expect(all.slice(0, 4).toSorted()).toEqual([dentist, lunch, parcel, meeting].toSorted());
      expect(found(plans, 'Do I have meetings in July?')).not.toContain(lunch);
    });

    it('means no weekday by a date that has been, or where nobody asks for plans', () => {
      expect(found(plans, 'Which meetings did I have on 2 June?')).not.toContain(lunch);
      expect(found(plans, 'Do I have "meetings" on 2 June?')).not.toContain(lunch);
      const later = { nowMs: Date.UTC(2026, 5, 4) };
      expect(found(plans, 'Do I have meetings on 2 June?', later)).not.toContain(lunch);
    });

    it('says why, where a date is held by what speaks of it', () => {
      const asked = { text: 'Do I have meetings on 2 June?', nowMs: NOW, policy, explain: true };
      expect(search(indexOfTurns(plans), asked).hits[0]!.matchedWords).toEqual(['2 June']);
    });

    it('finds what speaks of any day of a week, and of the week as a whole', () => {
      const all = found(plans, 'Are there any meetings this week?');
      expect(all.slice(0, 4).toSorted()).toEqual([dentist, lunch, parcel, meeting].toSorted());
      expect(all).not.toContain('Slept badly');
      const offsite = { 'The offsite is next week': '2026-06-01T08:00:00Z', ...plans };
      expect(found(offsite, 'Are there any meetings next week?')[0]).toBe('The offsite is next week');
    });

    it('says why: the time is one of the words that are held', () => {
      const asked = { text: 'Do I have any meetings today?', nowMs: NOW, policy, explain: true };
      const [hit] = search(indexOfTurns(plans), asked).hits;
      expect(hit!.matchedWords).toEqual(['today']);
      expect(hit!.matchedByDate).toEqual([]);
    });

    it('does not look for the words of the time where nobody holds the others', () => {
      const said = { 'A week has seven days': '2026-05-31T12:00:00Z', 'Next please': LONG_AGO };
      expect(found(said, 'Do I have any deadlines next week?')).toEqual([]);
      expect(found({ ...said, 'Taxes by 9 June': LONG_AGO }, 'Do I have any deadlines next week?')).toEqual([
        'Taxes by 9 June',
      ]);
      expect(found({ ...said, 'No deadlines': LONG_AGO }, 'Do I have any deadlines next week?')[0]).toBe(
        'No deadlines',
      );
    });

    it('does not find what was merely written today', () => {
      expect(found(plans, 'Do I have any meetings today?')).not.toContain('Slept badly');
    });

    it('is no question for a day that was said long ago to be tomorrow', () => {
      const all = found(plans, 'Are there any meetings tomorrow?');
      expect(all.at(-1)).toBe('Choir practice tomorrow');
      expect(found(plans, 'Is there a "practice tomorrow"?')[0]).toBe('Choir practice tomorrow');
    });

    it('is none for what has been', () => {
      expect(found(plans, 'What was said today in the meeting?')).not.toContain(dentist);
    });
  });

  it.each([
    'What do I have in two days?',
    'What have I got in 2 days?',
    "What is on in two days' time?",
    'Was habe ich in zwei Tagen?',
    "Qu'est-ce que j'ai dans deux jours ?",
    'Am I free in a few days?',
    'Do I have any meetings in two days?',
    'What is on within two days?',
    'Was habe ich innerhalb von zwei Tagen?',
    'Am I free within the next two days?',
  ])('means a day by its distance from now: %s', (text) => {
    const plans = {
      'The plumber comes on Wednesday': '2026-05-31T12:00:00Z',
      'The vet comes on Sunday': '2026-05-29T12:00:00Z',
    };
    expect(found(plans, text)).toEqual(['The plumber comes on Wednesday']);
  });

  it('means none by a length of time', () => {
    const wall = { 'We built the wall': LONG_AGO, 'The plumber comes on Wednesday': '2026-05-31T12:00:00Z' };
    for (const text of ['What did we build in two days?', 'Can we build more in two days of work?'])
      expect(found(wall, text), text).toEqual(['We built the wall']);
  });

  it('means the days up to one', () => {
    const plans = {
      'The plumber comes on Wednesday': '2026-05-31T12:00:00Z',
      'The vet comes on Saturday': '2026-05-31T12:00:00Z',
    };
    expect(found(plans, 'What have I got to do before Friday?')).toEqual(['The plumber comes on Wednesday']);
  });

  it('is answered by words where nobody spoke of that time', () => {
    const said = { 'Tomorrow never knows': LONG_AGO };
    expect(found(said, 'What is tomorrow?')).toEqual(['Tomorrow never knows']);
  });

  it('leaves a weekday that is part of a name among the words', () => {
    const named = {
      'Agenda for the Friday meeting': LONG_AGO,
      'A meeting of the board': '2026-05-29T12:00:00Z',
    };
    expect(found(named, 'agenda of the Friday meeting')[0]).toBe('Agenda for the Friday meeting');
  });
});
