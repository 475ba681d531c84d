import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { showRange } from '../../test/show-range.ts';
import { EARLIEST_MS, LATEST_MS, UTC_CALENDAR } from './calendar.ts';
import { asksForPlans, asksWhen, closeness, MAX_MENTIONS, timesIn } from './mentions.ts';
import { parseWithin } from './within.ts';

const DAY = 86_400_000;
/** A Wednesday. */
const NOW = Date.UTC(2026, 4, 20, 15, 30);

const mentions = (question: string, nowMs = NOW): string[] =>
  timesIn(question, nowMs, UTC_CALENDAR).map(showRange);

function within(expression: string, nowMs = NOW): string {
  const result = parseWithin(expression, nowMs, UTC_CALENDAR);
  return result.ok ? showRange(result.range) : result.problem;
}

/** What a filter and a question understand alike. */
const ALIKE: Readonly<Record<string, string>> = {
  'the past 36 hours': '2026-05-19T03:30/2026-05-20T15:30',
  'the last 2 weeks and 3 days': '2026-05-03T15:30/2026-05-20T15:30',
  'the last two quarters': '2025-11-20T15:30/2026-05-20T15:30',
  'ten days ago': '2026-05-10',
  'twenty-one days ago': '2026-04-29',
  'a few days ago': '2026-05-17',
  'a couple of weeks ago': '2026-05-03/2026-05-09',
  'three months ago': '2026-02-05/2026-03-07',
  'an hour ago': '2026-05-20T14:00/2026-05-20T15:00',
  '3d ago': '2026-05-17',
  today: '2026-05-20',
  yesterday: '2026-05-19',
  'the day before yesterday': '2026-05-18',
  'last night': '2026-05-19T18:00/2026-05-20T05:59',
  'yesterday evening': '2026-05-19T17:00/2026-05-19T23:59',
  'Monday afternoon': '2026-05-18T12:00/2026-05-18T17:59',
  'tomorrow morning': '2026-05-21T04:00/2026-05-21T11:59',
  'this evening': '2026-05-20T17:00/2026-05-20T23:59',
  tonight: '2026-05-20T18:00/2026-05-21T05:59',
  Tuesday: '2026-05-19',
  'last Wednesday': '2026-05-13',
  'this Friday': '2026-05-22',
  'Monday last week': '2026-05-11',
  'last week on Monday': '2026-05-11',
  'Tuesday the 5th': '2026-05-05',
  Sat: '2026-05-16',
  'this week': '2026-05-18/2026-05-24',
  'last weekend': '2026-05-16/2026-05-17',
  'this month': '2026-05-01/2026-05-31',
  'next quarter': '2026-07-01/2026-09-30',
  'last quarter': '2026-01-01/2026-03-31',
  'last May': '2025-05-01/2025-05-31',
  'March 2023': '2023-03-01/2023-03-31',
  'March of last year': '2025-03-01/2025-03-31',
  'last summer': '2025-06-01/2025-08-31',
  'spring 2025': '2025-03-01/2025-05-31',
  'Q1 2026': '2026-01-01/2026-03-31',
  Q3: '2025-07-01/2025-09-30',
  'H1 2025': '2025-01-01/2025-06-30',
  'in 2022': '2022-01-01/2022-12-31',
  Christmas: '2025-12-25',
  "New Year's Eve": '2025-12-31',
  'next Christmas': '2026-12-25',
  '5 May': '2026-05-05',
  'the 25th of May': '2025-05-25',
  'the twenty-first of May': '2025-05-21',
  'May 5th, 2023': '2023-05-05',
  'Tuesday, 5 May 2020': '2020-05-05',
  '29 February': '2024-02-29',
  'May 5-7': '2026-05-05/2026-05-07',
  '5-7 May': '2026-05-05/2026-05-07',
  'from 5 to 7 May 2025': '2025-05-05/2025-05-07',
  'between 5 and 7 May': '2026-05-05/2026-05-07',
  'the 3rd': '2026-05-03',
  'the 31st': '2026-03-31',
  '2026-01-31': '2026-01-31',
  '2026-01': '2026-01-01/2026-01-31',
  '5/14/2026': '2026-05-14',
  '14/5/2026': '2026-05-14',
  '14.05.2026': '2026-05-14',
  '14-05-2026': '2026-05-14',
  '14.05.26': '2026-05-14',
  '5/14': '2026-05-14',
  '14.5.': '2026-05-14',
  '05/2026': '2026-05-01/2026-05-31',
  'between March and May': '2026-03-01/2026-05-31',
  'between November and February': '2025-11-01/2026-02-28',
  'from May 2021 to July': '2021-05-01/2021-07-31',
  'from Monday to Wednesday': '2026-05-11/2026-05-13',
  'from Friday to Monday': '2026-05-15/2026-05-18',
  'from the 3rd to the 5th': '2026-05-03/2026-05-05',
  '2026-05-01 to 2026-05-07': '2026-05-01/2026-05-07',
  'since Tuesday': '2026-05-19T00:00/2026-05-20T15:30',
  'after last Christmas': '2025-12-26T00:00/2026-05-20T15:30',
  'before May 2025': '1000-01-01/2025-04-30',
  'until yesterday': '1000-01-01/2026-05-18',
  // German and French, by their words alone.
  gestern: '2026-05-19',
  übermorgen: '2026-05-22',
  'vor drei Tagen': '2026-05-17',
  'am 14. Mai': '2026-05-14',
  'im Mai': '2026-05-01/2026-05-31',
  'gestern Abend': '2026-05-19T17:00/2026-05-19T23:59',
  'seit Montag': '2026-05-18T00:00/2026-05-20T15:30',
  'nächste Woche': '2026-05-25/2026-05-31',
  "aujourd'hui": '2026-05-20',
  'il y a trois jours': '2026-05-17',
  'le 14 mai': '2026-05-14',
  'lundi prochain': '2026-05-25',
  'cette semaine': '2026-05-18/2026-05-24',
};

const PLACES_ITSELF = /^(?:am|au|between|from|since|before|after|until|in|im|il|le|seit|vor) /;

describe('a question and a filter', () => {
  it.each(Object.entries(ALIKE))('read %s alike', (wording, range) => {
    expect(within(wording)).toBe(range);
    expect(mentions(`What did we decide ${PLACES_ITSELF.test(wording) ? '' : 'on '}${wording}?`)).toEqual([
      range,
    ]);
  });
});

describe('a filter', () => {
  it.each(
    Object.entries({
      'last day': '2026-05-19T15:30/2026-05-20T15:30',
      'last week': '2026-05-13T15:30/2026-05-20T15:30',
      'letzte Woche': '2026-05-13T15:30/2026-05-20T15:30',
      'la semaine dernière': '2026-05-13T15:30/2026-05-20T15:30',
      'les 3 derniers jours': '2026-05-17T15:30/2026-05-20T15:30',
      'in den letzten 3 Tagen': '2026-05-17T15:30/2026-05-20T15:30',
      'last month': '2026-04-20T15:30/2026-05-20T15:30',
      'in the last two days': '2026-05-18T15:30/2026-05-20T15:30',
      '24h': '2026-05-19T15:30/2026-05-20T15:30',
      '1d12h': '2026-05-19T03:30/2026-05-20T15:30',
      '2h30m': '2026-05-20T13:00/2026-05-20T15:30',
      '7 days': '2026-05-13T15:30/2026-05-20T15:30',
      P7D: '2026-05-13T15:30/2026-05-20T15:30',
      P1Y2M3DT4H: '2025-03-17T11:30/2026-05-20T15:30',
      '2026-05-01..2026-05-07': '2026-05-01/2026-05-07',
      'between 2024 and 2022': '2022-01-01/2024-12-31',
      'older than 30 days': '1000-01-01T00:00/2026-04-20T15:29',
      'more than a week ago': '1000-01-01T00:00/2026-05-13T15:29',
      'newer than 3 days': '2026-05-17T15:30/2026-05-20T15:30',
      'up to yesterday': '1000-01-01/2026-05-19',
      'by Friday': '1000-01-01/2026-05-15',
      'over Christmas': '2025-12-25',
      'at the weekend': '2026-05-16/2026-05-17',
      may: '2026-05-01/2026-05-31',
      'hier soir': '2026-05-19T17:00/2026-05-19T23:59',
      '2026-05-14T10:00:00.5+02:00': '2026-05-14T08:00',
    }),
  )('reads %s', (wording, range) => {
    expect(within(wording)).toBe(range);
  });

  it.each([
    ...[
      'soon',
      'last',
      'since',
      'last week or so',
      'last 0 days',
      '2026-02-30',
      '7',
      'Q5',
      '13/13/2026',
      'Easter',
    ],
    ...['the 32nd', 'the 3rd attempt', 'March and May', 'the last week of March', '2026-W20', '1d12'],
    ...['P', 'PT', 'P0D', 'P7', 'PD', 'P1D5M', 'PT1HT1H', 'P1D1Y', 'P 7D', 'P1X', 'P1DT', 'Tuesdays'],
  ])('does not understand %s', (wording) => {
    expect(within(wording)).toBe('not-understood');
  });

  it('says what is wrong', () => {
    expect(within(' \t\n')).toBe('empty');
    expect(within('x'.repeat(201))).toBe('too-long');
    for (const text of ['since tomorrow', 'from 2026-05-15 to 2026-05-01', '2026-05-15..2026-05-01'])
      expect(within(text), text).toBe('reversed');
    for (const text of ['5/6/2026', 'since 5/6/2026', '5/6', '05-06-2026', 'from 5/6/2026 to 7/6/2026']) {
      const result = parseWithin(text, NOW, UTC_CALENDAR);
      expect(result, text).toMatchObject({ ok: false, problem: 'ambiguous' });
      expect(!result.ok && result.message).toMatch(
        /2026-05-06 with the month first, 202[56]-06-05 with the day first/,
      );
    }
    expect(parseWithin('soon', NOW, UTC_CALENDAR)).toMatchObject({
      message: expect.stringContaining("'last week'"),
    });
  });
});

describe('a question', () => {
  it.each<[question: string, ranges: readonly string[]]>([
    ['What did we do last week?', ['2026-05-11/2026-05-17']],
    ['Was haben wir letzte Woche besprochen?', ['2026-05-11/2026-05-17']],
    ['Was habe ich morgen vor?', ['2026-05-21']],
    ["Qu'est-ce que nous avons fait hier ?", ['2026-05-19']],
    ['Did I run more in March than in April 2025?', ['2026-03-01/2026-03-31', '2025-04-01/2025-04-30']],
    ['What was on 5/6/2026?', ['2026-05-06', '2026-06-05']],
    ['What was on may 5?', ['2026-05-05']],
    ['What happened at the end of last year?', ['2025-01-01/2025-12-31']],
    ['What was in the last week of March?', ['2026-03-01/2026-03-31']],
    ['What have I learnt lately?', ['2026-05-06T15:30/2026-05-20T15:30']],
    // Plans are the next ones.
    ['What is on Friday?', ['2026-05-22']],
    ['What happened on Friday?', ['2026-05-15']],
    ['Do I have meetings in June?', ['2026-06-01/2026-06-30']],
    ['What is on next Friday?', ['2026-05-22', '2026-05-29']],
    ['What is due in two days?', ['2026-05-22']],
    ['What is due within two days?', ['2026-05-20T15:30/2026-05-22T15:30']],
    ['What do I have to do before Friday?', ['2026-05-20T15:30/2026-05-21T23:59']],
    ['What did we build in two days?', []],
    ['Do we do yoga every Friday?', []],
    ['What happened after May?', []],
  ])('%s', (question, ranges) => {
    expect(mentions(question)).toEqual(ranges);
  });

  it.each([
    ...['Who may march, and who sat in the sun?', 'What did June tell April?', 'the last time we spoke'],
    ...['the last day of the trip', 'at the last minute', 'Which 2022 people?', 'a second opinion'],
    ...['the day before the wedding', 'five days earlier', 'What is 2026-13-45?', 'May I come in?'],
    ...['You may first look at it.', 'They march on.', 'a second half of the team', 'Did she fall?'],
    ...['in the fall of Rome', 'to spring a surprise', 'on the 3rd floor', 'the first of many', 'open 24/7'],
    ...[
      'may 5 people come?',
      'weekend plans',
      'the 5/14 tests',
      'version 1.5.2',
      '14.05 euros',
      '192.168.10.12',
    ],
    ...[
      'in 1/2 of the cases',
      'in the sun',
      'the H1 of the page',
      'mission to Mars',
      'Guten Morgen',
      'Was steht hier?',
    ],
  ])('names no time: %s', (question) => {
    expect(mentions(question)).toEqual([]);
  });

  it('is none in a pasted text, which names many', () => {
    expect(mentions(`What happened yesterday? ${'word '.repeat(390)}`)).toHaveLength(1);
    expect(mentions(`What happened yesterday? ${'word '.repeat(400)}`)).toEqual([]);
  });

  it('is softer where people are vaguer', () => {
    const softness = (question: string): number =>
      (timesIn(question, NOW, UTC_CALENDAR)[0]?.softnessMs ?? 0) / DAY;
    expect(softness('ten days ago')).toBeCloseTo(1, 1);
    expect(softness('forty days ago')).toBeCloseTo(4, 1);
    expect(softness('two weeks ago')).toBe(3.5);
    expect(softness('a couple of weeks ago')).toBe(7);
    expect(softness('in March 2023')).toBe(1);
    expect(softness('last week')).toBeCloseTo(1.75, 5);
  });

  it('tells how close a moment is', () => {
    const found = timesIn('What was yesterday?', NOW, UTC_CALENDAR);
    expect(closeness(found, Date.UTC(2026, 4, 19, 12))).toBe(1);
    expect(closeness(found, found[0]!.startMs - DAY)).toBe(0.5);
    expect(closeness([], NOW)).toBe(0);
    const ahead = timesIn('What is tomorrow?', NOW, UTC_CALENDAR);
    expect(ahead[0]!.isAhead).toBe(true);
    expect(closeness(ahead, NOW)).toBeLessThan(1e-9);
  });

  it('names at most so many times', () => {
    expect(mentions('yesterday '.repeat(100))).toHaveLength(MAX_MENTIONS);
  });
});

describe('what a question asks for', () => {
  it.each([
    ...['What is on Friday?', 'Am I free tomorrow?', 'Any meetings today?', 'Was steht am Freitag an?'],
    ...['Do I have the signed contract tomorrow?', 'Any plans for Friday?', 'Suis-je libre vendredi ?'],
  ])('is plans: %s', (question) => expect(asksForPlans(question)).toBe(true));
  it.each([
    ...['What happened on Friday?', 'What did we do today?', 'What do you remember from Friday?'],
    ...['What was said today?', 'Was war gestern?', 'What is new?'],
  ])('is no plans: %s', (question) => expect(asksForPlans(question)).toBe(false));
  it.each(['When is the demo?', 'By when is it due?', 'On which day did she leave?', 'Wann ist die Demo?'])(
    'is a time: %s',
    (question) => expect(asksWhen(question)).toBe(true),
  );
  it.each(['Who was there when we met?', 'What is the time of the demo worth?', 'Whenever'])(
    'is no time: %s',
    (question) => expect(asksWhen(question)).toBe(false),
  );
});

describe('any text', () => {
  const WORDS =
    `a one two ten 0 3 31 2022 1.5 few half and of the last past this next before after since until between from
    to in on ago now second day days week weekend month year night monday mondays every sat march may june spring early
    end q1 h2 first 3rd evening tonight christmas eve ' s today tomorrow th - / : , . t z p d 2026-01-31 5/14/2026 5/6
    14.05.2026 w20 recently older than up by all within zwei hier letzte woche mai semaine dernière vor il y am le`.split(
      /\s+/,
    );
  const anySentence = fc
    .array(fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(' ', ' ', ' ', '')), { maxLength: 25 })
    .map((words) => words.flat().join(''));
  const anyText = fc.oneof(anySentence, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }));
  const anyNow = fc.integer({ min: Date.UTC(1970, 0, 1), max: Date.UTC(2150, 0, 1) });

  it('gives ranges in order, within bounds, in whole milliseconds', () => {
    fc.assert(
      fc.property(anyText, anyNow, (text, nowMs) => {
        const filter = parseWithin(text, nowMs, UTC_CALENDAR);
        const found = timesIn(text, nowMs, UTC_CALENDAR);
        for (const { startMs, endMs } of filter.ok ? [...found, filter.range] : found) {
          expect(startMs).toBeLessThanOrEqual(endMs);
          expect(startMs).toBeGreaterThanOrEqual(EARLIEST_MS);
          expect(endMs).toBeLessThanOrEqual(LATEST_MS);
          expect(Number.isInteger(startMs) && Number.isInteger(endMs)).toBe(true);
        }
        for (const { softnessMs, from, to } of found) {
          expect(softnessMs).toBeGreaterThan(0);
          expect(from).toBeLessThan(to);
          expect(to).toBeLessThanOrEqual(text.length);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with the calendar about dates and days ago', () => {
    const months =
      'January February March April May June July August September October November December'.split(' ');
    fc.assert(
      fc.property(anyNow, fc.integer({ min: 1, max: 20_000 }), (nowMs, days) => {
        const then = new Date(nowMs - days * DAY);
        const iso = then.toISOString().slice(0, 10);
        expect(mentions(`${days} days ago`, nowMs)).toEqual([iso]);
        expect(mentions(`on ${iso}`, nowMs)).toEqual([iso]);
        if (then.getUTCFullYear() < 1900) return;
        const said = `${then.getUTCDate()} ${months[then.getUTCMonth()]} ${then.getUTCFullYear()}`;
        expect(mentions(said, nowMs)).toEqual([iso]);
      }),
    );
  });
});
