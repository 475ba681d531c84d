import { describe, expect, it } from 'vitest';
import { DAY } from './calendar.ts';
import { mayStateDay } from './stated-dates.ts';
import { statedRanges } from './stated-ranges.ts';

const shown = (text: string): string[] =>
  (mayStateDay(text) ? statedRanges(text) : []).map(({ from, to, firstDay, lastDay, hasYear }) => {
    const dayOf = (day: number): string => new Date(day * DAY).toISOString().slice(hasYear ? 0 : 5, 10);
    return `${text.slice(from, to)}: ${dayOf(firstDay)} to ${dayOf(lastDay)}`;
  });

describe('the ranges of days that a text states', () => {
  it.each([
    ['Conference 16-20 November', ['16-20 November: 11-16 to 11-20']],
    ['16 \u2013 20 Nov 2026', ['16 \u2013 20 Nov 2026: 2026-11-16 to 2026-11-20']],
    ['16 to 20 November, we hope', ['16 to 20 November: 11-16 to 11-20']],
    ['from 16th to 20th of November', ['16th to 20th of November: 11-16 to 11-20']],
    ['the 16th to the 20th of May', ['16th to the 20th of May: 05-16 to 05-20']],
    ['November 16-20, 2026', ['November 16-20, 2026: 2026-11-16 to 2026-11-20']],
    ['Nov 16 to 20', ['Nov 16 to 20: 11-16 to 11-20']],
    ['vom 16. bis 20. November', ['16. bis 20. November: 11-16 to 11-20']],
    ['vom 16. bis zum 20. November', ['16. bis zum 20. November: 11-16 to 11-20']],
    ['16.\u201320. November', ['16.\u201320. November: 11-16 to 11-20']],
    ['du 16 au 20 novembre 2026', ['16 au 20 novembre 2026: 2026-11-16 to 2026-11-20']],
    ['du 1er au 3 juin', ['1er au 3 juin: 06-01 to 06-03']],
    ['28 November - 3 December', ['28 November - 3 December: 11-28 to 12-03']],
    ['28 Nov-3 Dec', ['28 Nov-3 Dec: 11-28 to 12-03']],
    ['28 November to 3 December 2026', ['28 November to 3 December 2026: 2026-11-28 to 2026-12-03']],
    ['Nov 28 \u2013 Dec 3', ['Nov 28 \u2013 Dec 3: 11-28 to 12-03']],
    ['Nov. 28, 2026 until Dec. 3', ['Nov. 28, 2026 until Dec. 3: 2026-11-28 to 2026-12-03']],
    ['28.11. bis 3.12.', ['28.11. bis 3.12.: 11-28 to 12-03']],
    ['Urlaub vom 28.11.-3.12.', ['28.11.-3.12.: 11-28 to 12-03']],
    ['28.11.-3.12.2026', ['28.11.-3.12.2026: 2026-11-28 to 2026-12-03']],
    ['28.11.2026-03.12.2026', ['28.11.2026-03.12.2026: 2026-11-28 to 2026-12-03']],
    ['16.-20.11.26', ['16.-20.11.26: 2026-11-16 to 2026-11-20']],
    ['16-20.11.2026', ['16-20.11.2026: 2026-11-16 to 2026-11-20']],
    ['2026-11-28 to 2026-12-03', ['2026-11-28 to 2026-12-03: 2026-11-28 to 2026-12-03']],
    ['2026-11-28/2026-12-03', ['2026-11-28/2026-12-03: 2026-11-28 to 2026-12-03']],
    ['between 16 and 20 November', ['16 and 20 November: 11-16 to 11-20']],
    ['between the 16th and the 20th of November', ['16th and the 20th of November: 11-16 to 11-20']],
    ['between Nov 28 and Dec 3, 2026', ['Nov 28 and Dec 3, 2026: 2026-11-28 to 2026-12-03']],
    ['Between November 16 and 20', ['November 16 and 20: 11-16 to 11-20']],
    ['zwischen dem 16. und dem 20. November', ['16. und dem 20. November: 11-16 to 11-20']],
    ['zwischen 16.11. und 20.11.', ['16.11. und 20.11.: 11-16 to 11-20']],
    ['entre le 16 et le 20 novembre', ['16 et le 20 novembre: 11-16 to 11-20']],
    ['between 2026-11-28 and 2026-12-03', ['2026-11-28 and 2026-12-03: 2026-11-28 to 2026-12-03']],
    ['on 16 and 20 November', []],
    ['am 16. und 20. November', []],
    ['between May 5 and 10 people came', []],
    ["Parents' evening moved from 12 November to 25 November, 19:30", []],
    ['The demo was rescheduled from the 12th to the 25th of November', []],
    ['Changed the delivery date from Nov 15 to Nov 27', []],
    ['La r\u00e9union est report\u00e9e du 12 novembre au 25 novembre', []],
    ['We moved. Open from 12 to 25 November', ['12 to 25 November: 11-12 to 11-25']],
    ['The fair is extended from 12 to 25 November', ['12 to 25 November: 11-12 to 11-25']],
    ['1-3 May and 5-7 June', ['1-3 May: 05-01 to 05-03', '5-7 June: 06-05 to 06-07']],
    ['Nov 16-20 conference in Lisbon', ['Nov 16-20: 11-16 to 11-20']],
    ['Nov 16 - 20 in Lisbon', ['Nov 16 - 20: 11-16 to 11-20']],
    ['the week 16-20 November', ['16-20 November: 11-16 to 11-20']],
  ])('%j: %j', (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });

  it.each([
    ['28 December - 3 January 2027', '2026-12-28 to 2027-01-03'],
    ['28 December 2026 - 3 January', '2026-12-28 to 2027-01-03'],
    ['28 December - 3 January', '12-28 to 01-03'],
    ['vom 28.12. bis 3.1.2027', '2026-12-28 to 2027-01-03'],
  ])('reach over New Year: %s', (text, expected) => {
    expect(shown(text)[0]).toMatch(new RegExp(`: ${expected}$`));
  });

  it('have 31 days at most, and none when reversed', () => {
    expect(shown('1-31 December')).toHaveLength(1);
    expect(shown('1 November - 1 December 2026')).toHaveLength(1);
    expect(shown('1 November - 2 December 2026')).toEqual([]);
    expect(shown('20-16 November 2026')).toEqual([]);
    expect(shown('2026-12-03 to 2026-11-28')).toEqual([]);
    expect(shown('27-30 February 2026, 27-29 February 2026')).toEqual([]);
    expect(shown('27-29 February')).toHaveLength(1);
  });

  it.each([
    'pages 16-20',
    '16-20 people in November',
    '5-7 may be enough',
    'from 5 to 7 may work, 3-5 march on',
    'may 5-7 people come',
    'call 555-12 to 14 May',
    '2026-11-16 November',
    'version 1.2.-1.3. or 1.2.3-4.5.6',
    'it rose from 10 to 12.5. Then it fell',
    'won 3-1 on May 5',
    'Sprint 12 - 20 November',
    'see pages 3-5 May issue',
    'March 3 - 10 km run',
    'Nov 5-7 pm dentist',
    'Nov 5 - 10:30 dentist',
    'May 5-7-2026',
    '14 May 20-22 people',
    '16 and 20 November',
    'November 16, 20 people',
    '10:00 - 12 May, 9.30 - 12 May',
  ])('are none of numbers that are no days: %s', (text) => {
    expect(shown(text)).toEqual([]);
  });
});
