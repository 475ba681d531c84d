import fc from 'fast-check';
import { DAY_MS, documentsOf, draft, queriesOf, requestsOf } from './search-cases.ts';

/** Memories and questions that are about days, with few words, so that they meet on the days on which something was written. */

const NAMES = ['May', 'April', 'Ingrid', 'June Berg', 'user'];

/** Texts that refer to days. */
export const SPOKEN: readonly string[] = [
  ...['tomorrow', 'yesterday', 'the day after tomorrow', 'gestern', 'demain', 'avant-hier', 'this evening'],
  ...['in two days', 'in a week', 'in zwei Tagen', 'dans deux semaines', 'three weeks ago', 'in two months'],
  ...[
    'this week',
    'next week',
    'last week',
    'this weekend',
    'next weekend',
    'last weekend',
    'Monday next week',
  ],
  ...['this month', 'next month', 'last month', 'in May', 'in December', 'May 2026', 'im Januar'],
  ...[
    'on Monday',
    'Dienstag',
    'next Sunday',
    'this Friday',
    'last Thursday',
    'every Monday and Sunday',
    'weekdays',
  ],
  ...[
    '31 May',
    '1 June',
    '29 March 2026',
    '2026-05-31',
    '5/14/2026',
    '14.05.2026',
    '29 February',
    '5/6/2026',
  ],
  ...[
    '29-31 May',
    '30 May - 2 June',
    'vom 30. bis 31. Mai',
    '2026-05-29 to 2026-06-01',
    '29 December - 3 January',
  ],
  ...['on the 31st', 'by the 1st', 'am 2.', 'the 31st of every month', 'Christmas'],
];

const WORDS = [
  ...['roses', 'garden', 'lake', 'planted', 'May', 'may', 'march', 'June', 'Sunday', '5', '14', '31', '2026'],
  ...['page', 'people', 'floor', 'on', 'next', 'and', 'to', '-', 'guten Morgen', 'wedding', 'Mon', '24/7'],
  ...SPOKEN,
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
  // Typing errors: near to months and days.
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
