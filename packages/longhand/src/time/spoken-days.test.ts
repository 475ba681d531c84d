import { describe, expect, it } from 'vitest';
import { calendarOf, DAY, dayNumber } from './calendar.ts';
import { SAYS_TIME } from './day-terms.ts';
import { daysIn, spokenOf } from './spoken-days.ts';

/** How surely a text that was written at a moment refers to some days; 0 for not at all. */
function surely(text: string, written: string, first: string, last = first, timeZone = 'UTC'): number {
  const ms = Date.parse(written.length === 10 ? `${written}T12:00:00Z` : written);
  const terms = new Set(daysIn(text));
  const [from, to] = [first, last].map((day) => Date.parse(`${day}T00:00:00Z`) / DAY) as [number, number];
  const meant = spokenOf(from, to, calendarOf(timeZone)).filter(
    ({ term, fromMs, toMs }) => terms.has(term) && fromMs <= ms && ms <= toMs,
  );
  return Math.max(0, ...meant.map((each) => each.surely));
}

/** A Monday. */
const MONDAY = '2026-06-01';
const LONG_AGO = '2026-03-04';

describe('what refers to a day', () => {
  it.each([
    ['Dentist tomorrow at nine', '2026-05-31'],
    ['The day after tomorrow we fly', '2026-05-30'],
    ['Abgabe übermorgen', '2026-05-30'],
    ['Gestern war die Abgabe', '2026-06-02'],
    ['Le rapport est pour demain', '2026-05-31'],
    ['Le rapport est pour après-demain', '2026-05-30'],
    ['Zahnarzt morgen um neun', '2026-05-31'],
    ['Last night we saw a film', '2026-06-02'],
    ['Choir this evening', MONDAY],
    ['Rent is due on 1 June', '2026-05-10'],
    ['Rent is due on 1 June, in half a year', '2025-11-30'],
    ['Release: 6/1/2026', LONG_AGO],
    ['Release 2026-06-01', LONG_AGO],
    ['Am 1. Juni kommt der Maler', '2026-05-10'],
    ['Standup with the board on Monday', '2026-05-27'],
    ['Am Montag kommt der Maler', '2026-05-27'],
    ['Lunch next Monday', '2026-05-25'],
    ['Lunch next Monday', '2026-05-21'],
    ['Lunch on Mon at 12', '2026-05-29'],
    ['Kommenden Montag kommt der Maler', '2026-05-25'],
    ['Monday next week', '2026-05-27'],
    ['Yoga every Monday', LONG_AGO],
    ['Jeden Freitag und Montag Yoga', LONG_AGO],
    ['Yoga every Tuesday evening, Thursday or Monday', LONG_AGO],
    ['Fridays and Mondays: yoga', LONG_AGO],
    ['Yoga tous les lundis', LONG_AGO],
    ['Yoga on weekdays', LONG_AGO],
    ['Rent is due on the 1st of every month', LONG_AGO],
    ['The vet comes on the 1st', '2026-05-05'],
    ['The vet moved to Monday the 1st', '2026-05-13'],
    ['Am 1. kommt der Maler', '2026-05-20'],
    ['The results come in two weeks', '2026-05-18'],
    ['In einer Woche kommt der Maler', '2026-05-25'],
    ['Le dentiste vient dans trois jours', '2026-05-29'],
    ['Conference 30 May - 3 June', LONG_AGO],
    ['Conference from May 30th to June 2nd', LONG_AGO],
    ['Konferenz vom 30.5. bis 2.6.', LONG_AGO],
    ['Conference between 30 May and 2 June', LONG_AGO],
    ['Conference 1-4 June 2026', LONG_AGO],
  ])('%s, written %s', (text, written) => {
    expect(surely(text, written, MONDAY)).toBeGreaterThan(0);
  });

  it.each([
    ['Dentist tomorrow at nine', '2026-05-28'],
    ['Rent was due on 1 June', '2025-06-20'],
    ['Release: 6/1/2025', LONG_AGO],
    ['Standup with the board on Monday', '2026-05-20'],
    ['Lunch on Monday', '2026-06-01'],
    ['Lunch next Monday', '2026-05-17'],
    ['Mon ami arrive', '2026-05-29'],
    ['Nobody sat this down', '2026-05-29'],
    ['Yoga every Tuesday, and a run on Monday', LONG_AGO],
    ['Yoga on Mondays', '2026-06-10'],
    ['Yoga on weekends', LONG_AGO],
    ['Busy next week', '2026-05-29'],
    ['We live on the 1st floor', '2026-05-20'],
    ['The vet comes on the 1st', '2026-05-04'],
    ['Conference 2-4 June', LONG_AGO],
    ['Conference 30 May - 3 June 2025', LONG_AGO],
    ['Read pages 1-4', LONG_AGO],
    ['1 April - 1 July', LONG_AGO],
    ['Parents evening on Monday, 8 June', '2026-05-29'],
  ])('not %s, written %s', (text, written) => {
    expect(surely(text, written, MONDAY)).toBe(0);
  });

  it('is sure of dates and distances, and less of weekdays', () => {
    expect(surely('Standup on Monday', '2026-05-27', MONDAY)).toBe(0.75);
    expect(surely('Standup on Monday, 1 June', '2026-05-27', MONDAY)).toBe(1);
    expect(surely('Demo next Friday', MONDAY, '2026-06-12')).toBe(0.75);
    expect(surely('Demo next Friday', MONDAY, '2026-06-05')).toBe(0.6);
  });

  it('may refer to a week, a weekend or a month as a whole', () => {
    expect(surely('Busy next week', '2026-05-22', '2026-05-25', '2026-05-31')).toBe(0.75);
    expect(surely('Busy next week', '2026-05-22', '2026-05-26')).toBe(0);
    expect(surely('This weekend I build the shelf', '2026-05-28', '2026-05-30')).toBe(0.75);
    expect(surely('Ce week-end on nage', '2026-05-28', '2026-05-31')).toBe(0.75);
    expect(surely('We move in July', LONG_AGO, '2026-07-01', '2026-07-31')).toBe(0.75);
    expect(surely('We marry in summer', LONG_AGO, '2026-06-01', '2026-08-31')).toBe(0.75);
    expect(surely('We move next month', MONDAY, '2026-07-01', '2026-07-31')).toBe(0.75);
    expect(surely('Taxes by 30 July', LONG_AGO, '2026-07-01', '2026-07-31')).toBe(1);
    expect(surely('Yoga every Monday', LONG_AGO, '2026-07-01', '2026-07-31')).toBe(0);
  });

  it('goes by the day of writing where the question is asked', () => {
    const written = '2026-06-01T02:00:00Z';
    expect(surely('Dentist tomorrow', written, '2026-06-02')).toBe(1);
    expect(surely('Dentist tomorrow', written, '2026-06-01', '2026-06-01', 'America/Los_Angeles')).toBe(1);
    expect(surely('Dentist tomorrow', written, '2026-06-02', '2026-06-02', 'America/Los_Angeles')).toBe(0);
  });

  it('has the year of its end at its beginning, or the one before', () => {
    const text = 'Skiing 28 December - 3 January 2027';
    expect(surely(text, LONG_AGO, '2026-12-30')).toBe(1);
    expect(surely(text, LONG_AGO, '2027-01-02')).toBe(1);
    expect(surely(text, LONG_AGO, '2027-12-30')).toBe(0);
  });
});

describe('the terms of a text', () => {
  it('are none where no time is said', () => {
    for (const text of [
      '',
      'We may march with June',
      'Chapter 14 of 20',
      'Is this even true?',
      '清华大学 в мае',
    ])
      expect(daysIn(text), text).toEqual([]);
  });

  it('tell that a time is said at all', () => {
    for (const text of [
      'The demo starts at 4 pm',
      'She left last year',
      'It was in 2019',
      'Um 16 Uhr',
      'at 10:30',
    ])
      expect(daysIn(text), text).toContain(SAYS_TIME);
  });

  it('are bounded, whatever the text', () => {
    const days = Array.from({ length: 500 }, (_, day) => new Date(day * DAY).toISOString().slice(0, 10));
    expect(daysIn(days.join(', ')).length).toBeLessThan(100);
    expect(dayNumber(1970, 0, 1)).toBe(0);
    for (const word of [
      'every ',
      'last ',
      'early ',
      'Monday, ',
      'from ',
      '1 ',
      'last week of ',
      'between 1 and ',
    ])
      expect(daysIn(word.repeat(20_000)).length, word).toBeLessThan(100);
  });
});
