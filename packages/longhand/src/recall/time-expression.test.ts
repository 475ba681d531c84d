import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EARLIEST_MS,
  findTimeMentions,
  LATEST_MS,
  MAX_MENTIONS,
  mentionCloseness,
  parseWithin,
  type TimeRange,
} from './time-expression.ts';

const DAY = 86_400_000;
/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

/** A range in short: whole days as dates, anything finer with its time. */
function show({ startMs, endMs }: TimeRange): string {
  const start = new Date(startMs).toISOString();
  const end = new Date(endMs).toISOString();
  const isWholeDays = start.endsWith('T00:00:00.000Z') && end.endsWith('T23:59:59.999Z');
  const short = (text: string): string => (isWholeDays ? text.slice(0, 10) : text.slice(0, 16));
  return short(start) === short(end) ? short(start) : `${short(start)}/${short(end)}`;
}

const mentions = (question: string, nowMs = NOW): string[] => findTimeMentions(question, nowMs).map(show);

function within(expression: string, nowMs = NOW): string {
  const result = parseWithin(expression, nowMs);
  return result.ok ? show(result.range) : result.problem;
}

describe('parseWithin', () => {
  it('counts back from now', () => {
    expect(within('last hour')).toBe('2026-05-20T14:30/2026-05-20T15:30');
    expect(within('last day')).toBe('2026-05-19T15:30/2026-05-20T15:30');
    expect(within('last week')).toBe('2026-05-13T15:30/2026-05-20T15:30');
    expect(within('last month')).toBe('2026-04-20T15:30/2026-05-20T15:30');
    expect(within('last year')).toBe('2025-05-20T15:30/2026-05-20T15:30');
    expect(within('last 3 weeks')).toBe('2026-04-29T15:30/2026-05-20T15:30');
    expect(within('in the last two days')).toBe('2026-05-18T15:30/2026-05-20T15:30');
    expect(within('past fortnight')).toBe('2026-05-06T15:30/2026-05-20T15:30');
    expect(within('last month', Date.UTC(2026, 2, 31))).toBe('2026-02-28T00:00/2026-03-31T00:00');
  });

  it('takes short forms and ISO 8601 durations', () => {
    expect(within('24h')).toBe(within('last day'));
    expect(within('7d')).toBe(within('last week'));
    expect(within('7 days')).toBe(within('last week'));
    expect(within('60m')).toBe(within('last hour'));
    expect(within('12mo')).toBe(within('last year'));
    expect(within('P7D')).toBe(within('last week'));
    expect(within('P1W')).toBe(within('last week'));
    expect(within('PT24H')).toBe(within('last day'));
    expect(within('P1Y2M3DT4H')).toBe('2025-03-17T11:30/2026-05-20T15:30');
  });

  it('takes named days, weeks, months and years whole', () => {
    expect(within('today')).toBe('2026-05-20');
    expect(within('Yesterday')).toBe('2026-05-19');
    expect(within('this week')).toBe('2026-05-18/2026-05-24');
    expect(within('this month')).toBe('2026-05-01/2026-05-31');
    expect(within('this year')).toBe('2026-01-01/2026-12-31');
    expect(within('last weekend')).toBe('2026-05-16/2026-05-17');
    expect(within('last night')).toBe('2026-05-19T18:00/2026-05-20T05:59');
    expect(within('March 2023')).toBe('2023-03-01/2023-03-31');
    expect(within('may')).toBe('2026-05-01/2026-05-31');
    expect(within('2022')).toBe('2022-01-01/2022-12-31');
  });

  it('takes beginnings and both ends', () => {
    expect(within('since 2026-01-01')).toBe('2026-01-01T00:00/2026-05-20T15:30');
    expect(within('since 2026-01-01T10:00:00+02:00')).toBe('2026-01-01T08:00/2026-05-20T15:30');
    expect(within('from 5 May to 7 May')).toBe('2026-05-05/2026-05-07');
    expect(within('between 2024 and 2022')).toBe('2022-01-01/2024-12-31');
  });

  it('says what is wrong with the rest', () => {
    expect(within('')).toBe('empty');
    expect(within(' \t\n')).toBe('empty');
    expect(within('x'.repeat(201))).toBe('too-long');
    expect(within('since tomorrow')).toBe('reversed');
    const unclear = [
      'soon',
      'last',
      'since',
      'last week or so',
      'last 0 days',
      'last -3 days',
      '2026-02-30',
      '7',
    ];
    const badDurations = ['P', 'PT', 'P0D', 'P7', 'PD', 'P1D5M', 'PT1HT1H', 'P1D1Y', 'P 7D', 'P1X', 'P1DT'];
    for (const text of [...unclear, ...badDurations]) expect(within(text), text).toBe('not-understood');
    const result = parseWithin('soon', NOW);
    expect(!result.ok && result.message).toContain("'last week'");
  });
});

describe('findTimeMentions', () => {
  it('resolves distances, as exact as their unit', () => {
    expect(mentions('What did I plant ten days ago?')).toEqual(['2026-05-10']);
    expect(mentions('Where were we a couple of weeks ago?')).toEqual(['2026-05-03/2026-05-09']);
    expect(mentions('three months ago')).toEqual(['2026-02-05/2026-03-07']);
    expect(mentions('twenty-one days ago')).toEqual(['2026-04-29']);
    expect(mentions('a dozen days ago')).toEqual(['2026-05-08']);
    expect(mentions('an hour ago')).toEqual(['2026-05-20T14:00/2026-05-20T15:00']);
    expect(mentions('a year and two months ago')).toEqual(['2025-03-05/2025-04-04']);
    expect(mentions('1.5 years ago')).toEqual(mentions('a year and a half ago'));
    expect(mentions('one and a half years ago')).toEqual(mentions('a year and a half ago'));
    expect(mentions('ten days from now')).toEqual(['2026-05-30']);
    expect(mentions('a month or two ago')).toEqual(['2026-03-29/2026-04-12']);
    expect(mentions('a week or so ago')).toEqual(['2026-05-10/2026-05-16']);
  });

  it('resolves last, this and next', () => {
    expect(mentions('Where did we go last May?')).toEqual(['2025-05-01/2025-05-31']);
    expect(mentions('last April')).toEqual(['2026-04-01/2026-04-30']);
    expect(mentions('last Tuesday')).toEqual(['2026-05-19']);
    expect(mentions('last Wednesday')).toEqual(['2026-05-13']);
    expect(mentions('this Friday')).toEqual(['2026-05-22']);
    expect(mentions('next Wednesday')).toEqual(['2026-05-27']);
    expect(mentions('last week')).toEqual(['2026-05-11/2026-05-17']);
    expect(mentions('the past week')).toEqual(['2026-05-13T15:30/2026-05-20T15:30']);
    expect(mentions('the weekend before last')).toEqual(['2026-05-09/2026-05-10']);
    expect(mentions('the year before last')).toEqual(['2024-01-01/2024-12-31']);
    expect(mentions('the week after next')).toEqual(['2026-06-01/2026-06-07']);
    expect(mentions('last summer')).toEqual(['2025-06-01/2025-08-31']);
    expect(mentions('last winter')).toEqual(['2025-12-01/2026-02-28']);
    expect(mentions('this winter', Date.UTC(2026, 0, 5))).toEqual(['2025-12-01/2026-02-28']);
    expect(mentions('last night')).toEqual(['2026-05-19T18:00/2026-05-20T05:59']);
    expect(mentions('Tuesday of last week')).toEqual(['2026-05-12']);
  });

  it('resolves days, months and years', () => {
    expect(mentions('yesterday')).toEqual(['2026-05-19']);
    expect(mentions('the day before yesterday')).toEqual(['2026-05-18']);
    expect(mentions('on 5 May')).toEqual(['2026-05-05']);
    expect(mentions('on the 25th of May')).toEqual(['2025-05-25']);
    expect(mentions('May 5th, 2023')).toEqual(['2023-05-05']);
    expect(mentions('Tuesday, 5 May 2020')).toEqual(['2020-05-05']);
    expect(mentions('29 February')).toEqual(['2024-02-29']);
    expect(mentions('on Tuesday')).toEqual(['2026-05-19']);
    expect(mentions('in March 2023')).toEqual(['2023-03-01/2023-03-31']);
    expect(mentions('in June')).toEqual(['2025-06-01/2025-06-30']);
    expect(mentions('the photos from June')).toEqual(['2025-06-01/2025-06-30']);
    expect(mentions('in 2022')).toEqual(['2022-01-01/2022-12-31']);
    expect(mentions('in the 1990s')).toEqual(['1990-01-01/1999-12-31']);
    expect(mentions('summer of 2022')).toEqual(['2022-06-01/2022-08-31']);
    expect(mentions('early 2025')).toEqual(['2025-01-01T00:00/2025-05-02T15:59']);
    expect(mentions('the meeting of 2026-01-31.')).toEqual(['2026-01-31']);
  });

  it('counts from a date', () => {
    expect(mentions('two weeks before August 11, 2023')).toEqual(['2023-07-25/2023-07-31']);
    expect(mentions('three days after 2026-01-31')).toEqual(['2026-02-03']);
    expect(mentions('the week before August 3, 2023')).toEqual(['2023-07-27/2023-08-02']);
    expect(mentions('the week after 5 May 2026')).toEqual(['2026-05-06/2026-05-12']);
    expect(mentions('the Sunday before October 25, 2022')).toEqual(['2022-10-23']);
    expect(mentions('the first Monday after 1 September 2025')).toEqual(['2025-09-08']);
    expect(mentions('the last weekend before April 10, 2023')).toEqual(['2023-04-08/2023-04-09']);
    expect(mentions('the weekend after 5 May 2026')).toEqual(['2026-05-09/2026-05-10']);
    expect(mentions('the weekend after 9 May 2026')).toEqual(['2026-05-16/2026-05-17']);
  });

  it('resolves ranges, lending the year of one end to the other', () => {
    expect(mentions('between March and May')).toEqual(['2026-03-01/2026-05-31']);
    expect(mentions('between November and February')).toEqual(['2025-11-01/2026-02-28']);
    expect(mentions('between May and March 2020')).toEqual(['2019-05-01/2020-03-31']);
    expect(mentions('from early June to late June 2020')).toEqual(['2020-06-01/2020-06-30']);
    expect(mentions('from May 2021 to July')).toEqual(['2021-05-01/2021-07-31']);
    expect(mentions('since last week')).toEqual(['2026-05-11T00:00/2026-05-20T15:30']);
    expect(mentions('after 2024')).toEqual(['2025-01-01T00:00/2026-05-20T15:30']);
    expect(mentions('before 2020')).toEqual(['1000-01-01/2019-12-31']);
  });

  it('finds several mentions and where they stand', () => {
    const question = 'Did I run more in March than in April 2025?';
    const found = findTimeMentions(question, NOW);
    expect(found.map(show)).toEqual(['2026-03-01/2026-03-31', '2025-04-01/2025-04-30']);
    expect(found.map(({ from, to }) => question.slice(from, to))).toEqual(['in March', 'in April 2025']);
    expect(mentions('Was it in May, 3 weeks ago?')).toEqual([
      '2026-05-01/2026-05-31',
      '2026-04-26/2026-05-02',
    ]);
  });

  it('leaves words alone that only look like times', () => {
    for (const question of [
      'Who may march, and who sat in the sun?',
      'What did June tell April?',
      'the last time we spoke',
      'the last day of the trip',
      'at the last minute',
      'Which 2022 people?',
      'a second opinion',
      'the day before the wedding',
      'five days earlier',
      'What is 2026-13-45?',
    ]) {
      expect(mentions(question), question).toEqual([]);
    }
    expect(mentions('the last week of March')).toEqual(['2026-03-01/2026-03-31']);
    expect(mentions('after May')).toEqual([]);
  });

  it('is softer where people are vaguer', () => {
    const softness = (question: string): number =>
      (findTimeMentions(question, NOW)[0]?.softnessMs ?? 0) / DAY;
    expect(softness('ten days ago')).toBeCloseTo(1, 1);
    expect(softness('about ten days ago')).toBeCloseTo(2, 1);
    expect(softness('forty days ago')).toBeCloseTo(4, 1);
    expect(softness('two weeks ago')).toBe(3.5);
    expect(softness('a couple of weeks ago')).toBe(7);
    expect(softness('in March 2023')).toBe(1);
    expect(softness('last week')).toBeCloseTo(1.75, 5);
  });

  it('stops where a question names too many times', () => {
    expect(mentions('yesterday '.repeat(1000))).toHaveLength(MAX_MENTIONS);
  });
});

describe('mentionCloseness', () => {
  it('is 1 inside and halves with each softness outside', () => {
    const mention = { startMs: 10 * DAY, endMs: 11 * DAY, softnessMs: DAY, from: 0, to: 1 };
    expect(mentionCloseness(mention, 10.5 * DAY)).toBe(1);
    expect(mentionCloseness(mention, 11 * DAY)).toBe(1);
    expect(mentionCloseness(mention, 12 * DAY)).toBe(0.5);
    expect(mentionCloseness(mention, 8 * DAY)).toBe(0.25);
  });
});

describe('properties', () => {
  const anyNow = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2150, 0, 1) });
  const vocabulary = (
    'a an one two ten twenty thirty 0 1 3 5 15 31 2022 1999 2026 999999999999 1.5 few couple several half and of the or so ' +
    'last past this next previous before after since until between from to in on during about around ago now back ' +
    'second minute hour day days week weeks weekend fortnight month months year years decade night morning ' +
    'monday tuesday sat sun january march may june december dec spring fall winter early mid late end beginning ' +
    'today yesterday tomorrow th st - / : , . t z + p pt d 2026-01-31 2026-02 P7D 24h we talked'
  ).split(' ');
  const anySentence = fc
    .array(fc.tuple(fc.constantFrom(...vocabulary), fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 25 })
    .map((words) => words.flat().join(''));
  const anyText = fc.oneof(anySentence, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));

  it('give ranges in order, within bounds, in whole milliseconds, at places in order', () => {
    fc.assert(
      fc.property(anyText, anyNow, (text, nowMs) => {
        let end = 0;
        for (const mention of findTimeMentions(text, nowMs)) {
          expect(mention.startMs).toBeLessThanOrEqual(mention.endMs);
          expect(mention.startMs).toBeGreaterThanOrEqual(EARLIEST_MS);
          expect(mention.endMs).toBeLessThanOrEqual(LATEST_MS);
          expect(Number.isInteger(mention.startMs) && Number.isInteger(mention.endMs)).toBe(true);
          expect(mention.softnessMs).toBeGreaterThan(0);
          expect(mention.softnessMs).toBeLessThanOrEqual(LATEST_MS - EARLIEST_MS);
          expect(mention.from).toBeGreaterThanOrEqual(end);
          expect(mention.to).toBeGreaterThan(mention.from);
          end = mention.to;
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

  it('take a hundred thousand characters of anything in their stride', () => {
    const phrases =
      'a year and |1 day, |between may and |last few |the the |2026-|x|9| |ten days |\ud800|é|5 of |day before |' +
      '1 day after |the week before yesterday |early mid late |monday, the ';
    for (const pattern of [...vocabulary, ...phrases.split('|')]) {
      for (const glue of ['', ' ']) {
        const text = `${pattern}${glue}`.repeat(Math.ceil(100_000 / (pattern.length + glue.length)));
        expect(findTimeMentions(text, NOW).length).toBeLessThanOrEqual(MAX_MENTIONS);
        expect(within(text)).toBe('too-long');
      }
    }
  });
});
