import { expect, it } from 'vitest';
import { daysIn, MAX_MENTIONS, parseWithin, timesIn, UTC_CALENDAR } from '../src/time/index.ts';
import { TIME_WORDS } from './time-words.ts';

const NOW = Date.UTC(2026, 4, 20, 15, 30);

it('times in words take a hundred thousand characters of anything in their stride', () => {
  const phrases =
    'a year and |1 day, |between may and |last few |the the |2026-|x|9| |ten days |\ud800|é|5 of |day before |' +
    '1 day after |the week before yesterday |early mid late |monday, the |' +
    "first week of |last two weeks of the |the week of |q1 of |new year's |1d12h|monday to |earlier first half of |5/6/|14.05.|1/2/3/|more than a week |up to |2026-w20-|hier |was ist hier |vor drei |14. mai |il y a |avant-hier |aujourd'hui ";
  for (const pattern of [...TIME_WORDS, ...phrases.split('|')]) {
    for (const glue of ['', ' ']) {
      const text = `${pattern}${glue}`.repeat(Math.ceil(100_000 / (pattern.length + glue.length)));
      expect(timesIn(text, NOW, UTC_CALENDAR).length).toBeLessThanOrEqual(MAX_MENTIONS);
      expect(daysIn(text).length).toBeLessThan(200);
      expect(parseWithin(text, NOW, UTC_CALENDAR)).toMatchObject({ ok: false, problem: 'too-long' });
    }
  }
});
