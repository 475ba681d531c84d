import { describe, expect, it } from 'vitest';
import { statedDates } from './stated-dates.ts';

const shown = (text: string): string[] =>
  statedDates(text)
    .filter(({ isSure }) => isSure)
    .map(({ from, to, year = 'any', readings }) => {
      const days = readings.map(({ month, day }) => `${year}-${month + 1}-${day}`).join(' or ');
      return `${text.slice(from, to)}: ${days}`;
    });

describe('the days that a text states', () => {
  it.each([
    ['born on 2019-05-14', ['2019-05-14: 2019-5-14']],
    ['2026/5/14', ['2026/5/14: 2026-5-14']],
    ['due 5/14/2026, or 5/6/26', ['5/14/2026: 2026-5-14', '5/6/26: 2026-5-6 or 2026-6-5']],
    ['Am 14. Mai 2026 ist Zahnarzt', ['14. Mai 2026: 2026-5-14']],
    ['le 1er juin et le 12 juin 2026', ['1er juin: any-6-1', '12 juin 2026: 2026-6-12']],
    ['the 3rd of December', ['3rd of December: any-12-3']],
    ['Dec. 24th, 2026 at noon', ['Dec. 24th, 2026: 2026-12-24']],
    ['May 14 20 people came', ['May 14: any-5-14']],
    ['am 5.12. und am 24.12.26', ['5.12.: any-12-5', '24.12.26: 2026-12-24']],
    ['on 20/11, by 11/20. Am 11/11', ['20/11: any-11-20', '11/20: any-11-20', '11/11: any-11-11']],
    ['on 5/11, 20/11, on 24/7 duty, on 20/11/5, on 40/11, on 1.20/11, I scored 20/11', []],
    ['it costs 5.12. Version 1.2.34 and v10.12.26', []],
    ['the top 5 may change, you may 5 times', []],
    ['31 April 2026, 2026-02-30, 30.02.2026', []],
    ['14 Mayflowers, 3 decades', []],
  ])('%j: %j', (text, expected) => {
    expect(shown(text)).toEqual(expected);
  });
});
