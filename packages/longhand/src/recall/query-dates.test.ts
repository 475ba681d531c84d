import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MemoryEntry } from '../core/records.ts';
import { resolveDecayPolicy } from './decay.ts';
import { namedDates } from './query-dates.ts';
import { RecallIndex } from './recall-index.ts';
import { search } from './search.ts';
import type { SearchHit } from './search-request.ts';
import { searchSessions } from './search-sessions.ts';
import { findTimeMentions } from './time-expression.ts';
import { wholeDates } from './whole-dates.ts';

const NOW = Date.UTC(2026, 5, 20, 12);

function entryAt(id: string, text: string, timestamp: string): MemoryEntry {
  return {
    schema_version: 1,
    id,
    session_id: id,
    timestamp,
    type: 'finding',
    content: { text },
    importance: 0.5,
    decay_factor: 1,
    tags: [],
    references: [],
    provenance: { author: 'user', trust: 'owner' },
  };
}

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
    ['2026-03-05', ['5', 'march']],
    ['3/14/2026', ['14', 'march']],
    ['14.05.2026', ['14', 'may']],
    ['5/6/2026', ['5', '6', 'june', 'may']],
    ['since 5/14', ['14', 'may']],
    ['am 14.5.', ['14']],
    ['am 14. Mai', ['14', 'may']],
    ['1.5 years ago', []],
    ['the 5/14 tests', []],
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
    const { named } = namedDates(text, findTimeMentions(text, NOW));
    expect([...named].toSorted()).toEqual(expected.toSorted());
  });
});

describe('the day on which a memory was written', () => {
  const index = new RecallIndex();
  const add = (id: string, text: string, day: string): void => {
    index.add(entryAt(id, text, `${day}T09:00:00Z`), 1, { log: 0, offset: 0, length: 1 });
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

  it('answers a date in German and French', () => {
    expect(idsOf('Was war am 14. Mai mit dem boiler?')[0]).toBe('mem_14');
    expect(idsOf('le boiler, le 20 mai')[0]).toBe('mem_20');
    expect(ask('im Mai').map(({ matchedByDate }) => matchedByDate)).toEqual([['mai'], ['mai']]);
    expect(idsOf('Was ist im M\u00e4rz passiert?')).toContain('mem_spring');
    expect(
      search(index, {
        text: 'Was haben wir gestern gemacht?',
        nowMs: Date.UTC(2026, 4, 15),
        policy: resolveDecayPolicy(),
      }).hits[0]?.id,
    ).toBe('mem_14');
  });

  it('is told apart in the explanation', () => {
    expect(ask('the boiler on 14 May 2026').find(({ id }) => id === 'mem_14')).toMatchObject({
      matchedWords: ['boiler', '14', 'may', '2026'],
      matchedByDate: ['14', 'may', '2026'],
    });
    expect(ask('chapter 14')[0]).toMatchObject({ matchedWords: ['chapter', '14'], matchedByDate: [] });
  });
});

describe('a date in a text', () => {
  const notations = (day: number): readonly string[] => [
    `${day} May 2026`,
    `May ${day}, 2026`,
    `2026-05-${day}`,
    `5/${day}/2026`,
    `${day}/5/2026`,
    `${day}.05.2026`,
    `${day}-05-2026`,
  ];
  const index = new RecallIndex();
  let count = 0;
  const add = (text: string): string => {
    const id = `mem_${count++}`;
    index.add(entryAt(id, text, '2026-01-03T09:00:00Z'), count, { log: 0, offset: 0, length: 1 });
    return id;
  };
  const ofDay = new Map(
    [14, 23].map((day) => [day, notations(day).map((date) => add(`Inspection on ${date}`))]),
  );
  const ask = (text: string): readonly SearchHit[] =>
    search(index, {
      text,
      nowMs: NOW,
      policy: resolveDecayPolicy(),
      sortBy: 'match',
      explain: true,
      limit: 20,
    }).hits;

  it.each([14, 23].flatMap((day) => notations(day).map((date) => [date, day] as const)))(
    'is found by %s, however it is written',
    (date, day) => {
      const found = ask(`the inspection on ${date}`).map(({ id }) => id);
      expect(found.slice(0, 7).toSorted()).toEqual(ofDay.get(day)?.toSorted());
    },
  );

  it.each(['14 May', 'May 14th', '5/14', '14/5'])('is found by %s', (date) => {
    expect(
      ask(`the inspection on ${date}`)
        .slice(0, 7)
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual(ofDay.get(14)?.toSorted());
  });

  it('may be meant in two ways, and is found by both', () => {
    add('The lease ends on 5/6/2026');
    for (const date of ['6 May 2026', '5 June 2026', '5/6/2026', '6/5/2026'])
      expect(ask(`When does the lease end, on ${date}?`)[0]?.matchedWords, date).toHaveLength(5);
  });

  it('means itself in quotes', () => {
    expect(ask('"14.05.2026"').map(({ id }) => id)).toEqual(['mem_5']);
  });

  it('stands for its month in numbers, of texts and of the days on which they were written', () => {
    index.add(entryAt('mem_may', 'The fence was painted', '2026-05-14T09:00:00Z'), 99, {
      log: 0,
      offset: 0,
      length: 1,
    });
    const [hit] = ask('the fence on 5/14/2026');
    expect(hit).toMatchObject({
      matchedWords: ['fence', '5', '14', '2026'],
      matchedByDate: ['5', '14', '2026'],
    });
  });
});

describe('a day in a query', () => {
  const index = new RecallIndex();
  let count = 0;
  const add = (id: string, text: string, day = '2026-08-03'): void => {
    index.add(entryAt(id, text, `${day}T09:00:00Z`), ++count, { log: 0, offset: 0, length: 1 });
  };
  add('born', 'Clara was born on 2019-05-14');
  add('launch', 'Launch is planned for 14 May 2026');
  add('booked', 'Booked for 5/6/2027, no, 12/11/2026 to 14 December');
  add('june', 'Le 12 juin 2026', '2026-08-01');
  add('fence', 'The fence was painted', '2026-11-05');
  add('zahnarzt', 'Am 14. Mai 2026 ist Zahnarzt');
  add('wien', 'Im Dezember fahren wir nach Wien');
  add('cours', 'Cours le 3 d\u00e9cembre');
  add('fest', 'Das Fest ist am 5.12. bei uns');
  add('abgabe', 'Abgabe 24.12.26');
  add('january', 'The lease began on 12.01.2026');
  const ask = (text: string, timeZone?: string): readonly SearchHit[] =>
    search(index, {
      text,
      nowMs: Date.UTC(2026, 10, 20, 12),
      policy: resolveDecayPolicy(),
      sortBy: 'match',
      explain: true,
      ...(timeZone === undefined ? {} : { timeZone }),
    }).hits;
  const NOTATIONS = [
    '14.05.2026',
    '14 May 2026',
    'May 14th, 2026',
    '2026-05-14',
    '5/14/2026',
    '14. Mai 2026',
  ];

  it.each(NOTATIONS)('is a whole: %s', (date) => {
    const [first, second, third] = ask(date);
    expect([first?.id, second?.id].toSorted()).toEqual(['launch', 'zahnarzt']);
    expect(first?.match).toBeCloseTo(second?.match ?? 0, 6);
    expect(third?.match ?? 0).toBeLessThan((second?.match ?? 0) / 10);
  });

  it('is none of its numbers', () => {
    expect(ask('12/1/2026')[0]?.id).toBe('january');
    expect(ask('5 December 2026')[0]?.id).toBe('fest');
    expect(ask('24 December 2026')[0]?.id).toBe('abgabe');
    expect(ask('on 3 December')[0]?.id).toBe('cours');
    expect(ask('on 12 June')[0]?.id).toBe('june');
  });

  it('is shown as it was typed, and told apart where only the day of writing holds it', () => {
    expect(ask('5/11/2026')[0]).toMatchObject({
      id: 'fence',
      matchedWords: ['5', '11', '2026'],
      matchedByDate: ['5', '11', '2026'],
    });
  });

  it('is that of the place where it is asked', () => {
    add('late', 'The gate was oiled', '2026-11-09');
    const wordsOf = (text: string): readonly string[] | undefined =>
      ask(text, 'Etc/GMT+11').find(({ id }) => id === 'late')?.matchedByDate;
    expect(wordsOf('9 November 2026')).toEqual(['november', '2026']);
    expect(wordsOf('8 November 2026')).toEqual(['8', 'november', '2026']);
    expect(ask('8 November 2026', 'Etc/GMT+11')[0]).toMatchObject({ id: 'late', match: 1 });
  });

  it('asks for words where it stands in quotes, or is one end of some days', () => {
    expect(wholeDates('"14 May 2026"', [], new Set(['14', 'may', '2026'])).dates).toEqual([]);
    for (const text of ['between 5 and 7 June', 'May 5-7', 'may 5 people come?'])
      expect(wholeDates(text, findTimeMentions(text, NOW), new Set()).dates, text).toEqual([]);
    expect(wholeDates('chapter 14 on 14 May 2026', [], new Set()).words).toEqual(new Set(['may', '2026']));
  });

  it.each(['May', 'Mai', 'in May'])('is of its month in every language: %s', (text) => {
    expect(ask(text).map(({ id }) => id)).toEqual(expect.arrayContaining(['launch', 'zahnarzt', 'born']));
  });

  it.each(['December', 'im Dezember', 'en d\u00e9cembre'])('is of %s', (text) => {
    expect(ask(text).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['wien', 'cours', 'fest', 'abgabe', 'booked']),
    );
  });
});

describe('the day on which a memory was written, elsewhere', () => {
  const texts = [
    'The boiler was serviced',
    'Chapter 14 is about tides',
    'On Monday the seeds come',
    'May plans',
    'The 3rd',
  ];
  const questions = [
    'What about the boiler on 14 May?',
    'on Monday',
    'in May 2026',
    'chapter 14',
    'seeds on the 3rd',
    'What happened yesterday?',
    'Tuesday plans',
    '"14 May"',
    '"Monday"',
    'boiler "may 2026"',
    'mon*',
    '*day 3*',
    'plans of teusday',
    'What is tomorrow?',
    '14may',
  ];
  const anyMemory = fc.record({
    text: fc.constantFrom(...texts),
    minutesAgo: fc.integer({ min: 0, max: 60 * 24 * 50 }),
    isDead: fc.boolean(),
  });

  /** Where clocks never change, it is the same as if all had happened so much earlier or later, in UTC. */
  it.each([
    ['Etc/GMT+9', -9],
    ['Etc/GMT-14', 14],
    ['Asia/Kolkata', 5.5],
  ])('is that of %s', (timeZone, hoursAhead) => {
    const aheadMs = hoursAhead * 3_600_000;
    fc.assert(
      fc.property(
        fc.array(anyMemory, { minLength: 1, maxLength: 12 }),
        fc.constantFrom(...questions),
        (memories, text) => {
          const found = ([0, aheadMs] as const).map((laterMs) => {
            const index = new RecallIndex();
            for (const [order, { text, minutesAgo }] of memories.entries())
              index.add(
                entryAt(`mem_${order}`, text, new Date(NOW + laterMs - minutesAgo * 60_000).toISOString()),
                order,
                { log: 0, offset: 0, length: 1 },
              );
            for (const [order, { isDead }] of memories.entries())
              if (isDead) index.remove(`mem_${order}`, `mem_${order}`);
            const policy = resolveDecayPolicy();
            const zone = laterMs === 0 ? { timeZone } : {};
            const nowMs = NOW + laterMs;
            return {
              hits: search(index, { text, nowMs, policy, explain: true, ...zone }).hits.map(
                ({ timestampMs, ...hit }) => ({ ...hit, minutesAgo: (nowMs - timestampMs) / 60_000 }),
              ),
              sessions: searchSessions(index, { text, nowMs, ...zone }),
            };
          });
          expect(found[0]).toEqual(found[1]);
        },
      ),
    );
  });

  it('is that of phrases, wildcards and mistyped words too', () => {
    const index = new RecallIndex();
    const add = (id: string, text: string, timestamp: string): void =>
      index.add(entryAt(id, text, timestamp), index.count + 1, { log: 0, offset: 0, length: 1 });
    add('early', 'The gate was oiled', '2026-06-01T02:00:00Z');
    add('says', 'Oiled again after 1 June', '2026-06-01T03:00:00Z');
    add('noon', 'The hinge was bent', '2026-06-01T18:00:00Z');
    const ask = (text: string, timeZone?: string): readonly string[] =>
      search(index, {
        text,
        nowMs: NOW,
        policy: resolveDecayPolicy(),
        ...(timeZone === undefined ? {} : { timeZone }),
      })
        .hits.map(({ id }) => id)
        .toSorted();
    for (const [text, ofMay, ofJune] of [
      ['"31 May"', ['early', 'says'], []],
      ['"1 June"', ['noon', 'says'], ['early', 'noon', 'says']],
      ['sund*', ['early', 'says'], []],
      ['mon*', ['noon'], ['early', 'noon', 'says']],
      ['suhday', [], []],
      ['sundday', ['early', 'says'], []],
    ] as const) {
      expect(ask(text, 'America/Los_Angeles'), text).toEqual(ofMay);
      expect(ask(text), text).toEqual(ofJune);
    }
  });

  it('counts in a text that holds its words as often as can be counted', () => {
    const index = new RecallIndex();
    const add = (id: string, text: string): void =>
      index.add(entryAt(id, text, '2026-05-31T23:00:00Z'), index.count + 1, { log: 0, offset: 0, length: 1 });
    add('often', 'May '.repeat(400));
    add('more', 'May '.repeat(500));
    const request = { text: 'in May', nowMs: NOW, policy: resolveDecayPolicy(), timeZone: 'Asia/Tokyo' };
    const [first, second] = search(index, { ...request, explain: true }).hits;
    expect(first?.matchParts?.words).toBe(second?.matchParts?.words);
  });

  it('belongs to the search, so pages of another zone are none of it', () => {
    const index = new RecallIndex();
    for (const order of [1, 2])
      index.add(entryAt(`mem_${order}`, 'tides', '2026-05-14T09:00:00Z'), order, {
        log: 0,
        offset: 0,
        length: 1,
      });
    const request = { text: 'tides', nowMs: NOW, policy: resolveDecayPolicy(), limit: 1 };
    const { nextCursor = '' } = search(index, { ...request, timeZone: 'Asia/Tokyo' });
    expect(search(index, { ...request, timeZone: 'Asia/Tokyo', cursor: nextCursor }).hits).toHaveLength(1);
    expect(() => search(index, { ...request, cursor: nextCursor })).toThrow();
  });
});
