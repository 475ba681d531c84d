import fc from 'fast-check';
import { documentsOf, draft, queriesOf, requestsOf } from './search-cases.ts';

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
  ...['1', '5', '14', '29', '31', '2025', '2026'],
  ...[
    '31 May',
    'May 31',
    '1 June',
    '29 March 2026',
    '2026-05-31',
    '2026-03-29',
    '5/14/2026',
    '14.05.2026',
    'am 05.03.',
  ],
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
  fc.constantFrom('ma*', '*day', 'jun*', 'sun*', '20*', '3*', '*uary', 'm*y', 'ju*e'),
  // Nobody wrote these: they are near to months and days.
  fc.constantFrom('janaury', 'Decmber', 'suhday', 'mondya', 'Aprill', 'marrch'),
);

export const datedRequest = requestsOf(
  queriesOf(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 3, arbitrary: fc.constantFrom(...TIMES) },
      asWritten,
      fc.constantFrom('What did May say', 'what happened', 'April', 'june', 'did we plant', 'who'),
    ),
    4,
  ),
);
