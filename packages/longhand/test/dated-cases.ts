import fc from 'fast-check';
import type { ReadTimes } from './naive/naive-times.ts';
import { NaivePlace, type NaiveWording, wording } from './naive/naive-wordings.ts';
import { DAY_MS } from './naive/naive-zone.ts';
import { documentsOf, draft, queriesOf, requestsOf } from './search-cases.ts';
import type { ModelRequest } from './search-model.ts';

/** Memories and questions that are about days, with few words, so that they meet on the days on which something was written. */

const NAMES = ['May', 'April', 'Ingrid', 'June Berg', 'user'];

const WORDS = [
  ...['roses', 'garden', 'lake', 'planted'],
  ...[
    'May',
    'may',
    'march',
    'March',
    'June',
    'january',
    'December',
    'Sunday',
    'monday',
    'Dienstag',
    'mars',
    'Sept',
  ],
  ...[
    'tomorrow',
    'yesterday',
    'the day after tomorrow',
    'gestern',
    'morgen',
    'guten Morgen',
    'demain',
    'übermorgen',
    'après-demain',
    'avant-hier',
    'this evening',
    'this even',
    'ce soir',
    'this morning',
    'ce week-end',
    'week-end dernier',
    'prochain',
  ],
  ...[
    'every',
    'next',
    'coming',
    'on',
    'Sundays',
    'montags',
    'weekdays',
    'weekend',
    'on Sun',
    'Mon',
    'Fri',
    'wedding',
    'weds',
  ],
  ...[
    'every Monday and Sunday',
    'next Sunday',
    'next Monday',
    'on Mon',
    'every weekend',
    'jeden Werktag',
    '31st of every month',
  ],
  ...['monatlich am 1.', 'of the month', '1er de chaque mois'],
  ...['in two days', 'in 3 days', 'in a week', 'in zwei Tagen', 'in einer Woche', 'dans deux semaines'],
  ...['1', '5', '14', '29', '31', '2025', '2026'],
  ...[
    '31 May',
    'May 31',
    '1 June',
    '2 June',
    '29 March 2026',
    '2026-05-31',
    '2026-03-29',
    '5/14/2026',
    '14.05.2026',
    'am 05.03.',
  ],
  ...[
    '29-31 May',
    '30 May - 2 June',
    'May 30 - 31',
    'May 30 \u2013 Jun 2, 2026',
    'vom 30. bis 31. Mai',
    '28.5. bis 2.6.',
    '29.05.-03.06.2026',
    'du 30 mai au 2 juin 2026',
    '2026-05-29 to 2026-06-01',
    '29 December - 3 January',
    'between 29 and 31 May',
    'between',
    'on 31/5',
    'by 5/30',
    '24/7',
  ],
  ...['on the 31st', 'by the 1st', 'am 2.', 'le 31', 'floor', 'we', 'and'],
  // With numbers and months beside them they are ranges, too.
  ...['-', 'to', 'bis', 'until the', 'page', 'people', '30th', '31.', '2.6.', '28.5.'],
];
const word = fc.constantFrom(...WORDS);

const message = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));

export const datedDocuments = documentsOf(
  fc
    .record({
      draft,
      message,
      author: fc.option(fc.constantFrom(...NAMES), { nil: undefined }),
      more: fc.constant({}),
      // Of the same days of the year before, now and then.
      ageMs: fc.oneof(
        { weight: 5, arbitrary: draft.map(({ ageMs }) => ageMs) },
        draft.map(({ ageMs }) => (363 + (Math.floor(ageMs / DAY_MS) % 4)) * DAY_MS + (ageMs % DAY_MS)),
      ),
    })
    .map(({ draft: drawn, ...others }) => ({ ...drawn, ...others })),
  1,
  16,
);

const TIMES = [
  ...[
    'yesterday',
    'today',
    'tomorrow',
    'last week',
    'next week',
    'this morning',
    'last night',
    'three days ago',
  ],
  ...[
    'on Sunday',
    'last Monday',
    'in May',
    'last March',
    'since Tuesday',
    'on the 31st',
    'on 5/6',
    'in the last 36 hours',
  ],
  ...['two weeks ago', 'early May', 'gestern', 'im Mai', 'am 31. Mai', 'hier', 'on 29 March', 'at Christmas'],
];

/** Words as they are written: the days of memories are among them. */
const asWritten = fc.oneof(
  fc.constantFrom(
    '"31 May"',
    '"may 2026"',
    '"sunday 31 may"',
    '"1 june 2026"',
    '"2026"',
    '"May"',
    '"29"',
    '31May',
  ),
  fc.constantFrom('ma*', '*day', 'jun*', 'sun*', '20*', '3*', '*uary', 'm*y', 'ju*e', 'an*', 'un*', '*5*1'),
  // Nobody wrote these: they are near to months and days.
  fc.constantFrom('janaury', 'Decmber', 'suhday', 'mondya', 'Aprill', 'marrch'),
);

export const datedText = queriesOf(
  fc.oneof(
    { weight: 4, arbitrary: word },
    { weight: 3, arbitrary: fc.constantFrom(...TIMES) },
    asWritten,
    fc.constantFrom('What did May say', 'what happened', 'April', 'june', 'did we plant', 'who'),
    fc.constantFrom(
      'What do I have',
      'what is on 2 June',
      'between 1 and 3 June',
      'are there',
      'in two days',
      'within a week',
      'in drei Tagen',
      'dans une semaine',
    ),
  ),
  4,
);

export const datedRequest = requestsOf(datedText);

/** A question with times of which it is known what they mean. */
export interface TimedRequest {
  readonly asked: ModelRequest;
  readonly readTimes: ReadTimes;
}

const CONTENT = ['roses', 'garden', 'lake', 'planted', 'Ingrid'];
const someContent = (minLength: number): fc.Arbitrary<string[]> =>
  fc.array(fc.constantFrom(...CONTENT), { minLength, maxLength: 2 });

/** What is of a time that is to come was written before it: nothing is near to it but what lies in it. */
const AHEAD_SOFTNESS_MS = 1;

function timesOf(text: string, wordings: readonly NaiveWording[], isAlone: boolean): ReadTimes {
  return (asked, nowMs, zone) => {
    if (asked !== text) throw new Error('The times of another question are not known.');
    let end = 0;
    const mentions = wordings.map(({ text: words, isDate, asked: meaning }) => {
      const from = text.indexOf(words, end);
      end = from + words.length;
      const range = meaning(new NaivePlace(zone, nowMs));
      const isAhead = range.startMs >= nowMs;
      return {
        ...range,
        ...(isAhead ? { softnessMs: AHEAD_SOFTNESS_MS } : {}),
        from,
        to: end,
        isAhead,
        isDate,
      };
    });
    const areRelative = mentions.every(({ isDate }) => !isDate);
    return { mentions, isAlone: isAlone && areRelative, isOfPlans: false };
  };
}

export const timedRequest: fc.Arbitrary<TimedRequest> = fc
  .tuple(
    requestsOf(fc.constant('')),
    fc.tuple(someContent(0), wording, someContent(0)),
    fc.option(fc.tuple(someContent(1), wording), { freq: 2 }),
  )
  .map(([request, [before, first, between], more]) => {
    const [again, second] = more ?? [[], undefined];
    const content = [...before, ...between, ...again];
    const wordings = second === undefined ? [first] : [first, second];
    const text = [...before, first.text, ...between, ...again, ...(second ? [second.text] : [])].join(' ');
    return { asked: { ...request, text }, readTimes: timesOf(text, wordings, content.length === 0) };
  });
