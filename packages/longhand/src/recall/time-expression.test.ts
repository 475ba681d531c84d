import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIME_WORDS } from '../../test/time-words.ts';
import { showRange } from './time/show-range.ts';
import { EARLIEST_MS, findTimeMentions, LATEST_MS, parseWithin } from './time-expression.ts';

const DAY = 86_400_000;
/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

const mentions = (question: string, nowMs = NOW): string[] =>
  findTimeMentions(question, nowMs).map(showRange);

function within(expression: string, nowMs = NOW): string {
  const result = parseWithin(expression, nowMs);
  return result.ok ? showRange(result.range) : result.problem;
}

describe('times in words', () => {
  const anyNow = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2150, 0, 1) });
  const anySentence = fc
    .array(fc.tuple(fc.constantFrom(...TIME_WORDS), fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 25 })
    .map((words) => words.flat().join(''));
  const anyText = fc.oneof(anySentence, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));

  it('give ranges in order, within bounds, in whole milliseconds, at places in order', () => {
    fc.assert(
      fc.property(anyText, anyNow, (text, nowMs) => {
        let [start, end] = [0, 0];
        for (const mention of findTimeMentions(text, nowMs)) {
          expect(mention.startMs).toBeLessThanOrEqual(mention.endMs);
          expect(mention.startMs).toBeGreaterThanOrEqual(EARLIEST_MS);
          expect(mention.endMs).toBeLessThanOrEqual(LATEST_MS);
          expect(Number.isInteger(mention.startMs) && Number.isInteger(mention.endMs)).toBe(true);
          expect(mention.softnessMs).toBeGreaterThan(0);
          expect(mention.softnessMs).toBeLessThanOrEqual(LATEST_MS - EARLIEST_MS);
          // Two readings of a date stand in one place.
          if (mention.from !== start || mention.to !== end) expect(mention.from).toBeGreaterThanOrEqual(end);
          expect(mention.to).toBeGreaterThan(mention.from);
          [start, end] = [mention.from, mention.to];
        }
        expect(end).toBeLessThanOrEqual(text.length);
        const filter = parseWithin(text, nowMs);
        if (filter.ok) {
          expect(filter.range.startMs).toBeLessThanOrEqual(filter.range.endMs);
          expect(filter.range.startMs).toBeGreaterThanOrEqual(EARLIEST_MS);
          expect(filter.range.endMs).toBeLessThanOrEqual(LATEST_MS);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('read a mention alike whatever its case and whatever stands around it', () => {
    fc.assert(
      fc.property(anySentence, anyNow, (text, nowMs) => {
        // "Hier" is yesterday where the other words are French, and here where they are not.
        fc.pre(!/hier/i.test(text));
        const plain = mentions(text, nowMs);
        expect(mentions(text.toUpperCase(), nowMs)).toEqual(plain);
        expect(mentions(`Well; ${text}; thanks!`, nowMs)).toEqual(plain);
      }),
    );
  });

  it('agree with the calendar about dates, days ago, weekdays and months', () => {
    const months =
      'January February March April May June July August September October November December'.split(' ');
    const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');
    fc.assert(
      fc.property(anyNow, fc.integer({ min: 1, max: 20_000 }), (nowMs, days) => {
        const then = new Date(nowMs - days * DAY);
        const iso = then.toISOString().slice(0, 10);
        const month = months[then.getUTCMonth()];
        expect(mentions(`${days} days ago`, nowMs)).toEqual([iso]);
        expect(mentions(`on ${iso}`, nowMs)).toEqual([iso]);
        if (then.getUTCFullYear() >= 1900) {
          expect(mentions(`${month} ${then.getUTCDate()}, ${then.getUTCFullYear()}`, nowMs)).toEqual([iso]);
          expect(mentions(`${then.getUTCDate()} ${month} ${then.getUTCFullYear()}`, nowMs)).toEqual([iso]);
        }

        const today = Math.floor(nowMs / DAY) * DAY;
        const [weekday] = findTimeMentions(`last ${weekdays[then.getUTCDay()]}`, nowMs);
        expect(new Date(weekday?.startMs ?? Number.NaN).getUTCDay()).toBe(then.getUTCDay());
        expect(weekday?.endMs).toBeLessThan(today);
        expect(weekday?.startMs).toBeGreaterThanOrEqual(today - 7 * DAY);

        const [named] = findTimeMentions(`last ${month}`, nowMs);
        expect(new Date(named?.startMs ?? Number.NaN).getUTCMonth()).toBe(then.getUTCMonth());
        expect(named?.endMs).toBeLessThan(nowMs);
        expect(named?.endMs).toBeGreaterThanOrEqual(nowMs - 366 * DAY - 31 * DAY);
      }),
    );
  });

  it('agree with sums about durations', () => {
    const small = fc.nat({ max: 400 });
    fc.assert(
      fc.property(anyNow, small, small, small, (nowMs, days, hours, minutes) => {
        const lengthMs = days * DAY + hours * 3_600_000 + minutes * 60_000;
        const result = parseWithin(`P${days}DT${hours}H${minutes}M`, nowMs);
        expect(result).toEqual(
          lengthMs === 0
            ? expect.objectContaining({ ok: false, problem: 'not-understood' })
            : { ok: true, range: { startMs: nowMs - lengthMs, endMs: nowMs } },
        );
        if (days > 0) expect(within(`last ${days} days`, nowMs)).toBe(within(`P${days}D`, nowMs));
      }),
    );
  });
});
