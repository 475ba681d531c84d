import { DAY, HOUR, MINUTE, SECOND, type Unit, WEEK } from './calendar.ts';
import { FOREIGN_FIRST_WORDS } from './glossary.ts';

/** The words that speak of time, each list with what its words mean. In English: those of other languages are put into it. */

const inMs = (ms: number): Unit => ({ months: 0, ms });
const inMonths = (months: number): Unit => ({ months, ms: 0 });

/** A lookup from rows of names that share a value. */
const table = <Value>(rows: Readonly<Record<string, Value>>): ReadonlyMap<string, Value> =>
  new Map(
    Object.entries(rows).flatMap(([names, value]) => names.split(' ').map((name) => [name, value] as const)),
  );

/** The same for names of several words, with `_` between them. */
export const phrases = table;

const namesOf = (names: ReadonlyMap<string, unknown>): string[] => [...names.keys()];

/** A lookup from names to their places in a list; `/` stands between names for the same place. */
const places = (names: string, first: number): ReadonlyMap<string, number> =>
  table(Object.fromEntries(names.split(' ').map((same, at) => [same.replaceAll('/', ' '), at + first])));

export const UNITS = table({
  'second seconds sec secs': inMs(SECOND),
  'minute minutes min mins': inMs(MINUTE),
  'hour hours hr hrs h': inMs(HOUR),
  'day days night nights': inMs(DAY),
  'week weeks wk wks weekend weekends': inMs(WEEK),
  'fortnight fortnights': inMs(2 * WEEK),
  'month months': inMonths(1),
  'quarter quarters': inMonths(3),
  'year years yr yrs': inMonths(12),
  'decade decades': inMonths(120),
});

/** Units after a number, in filters and before "ago" only. `m` is a minute, as in ISO 8601 times; a month is `mo`. */
export const SHORT_UNITS = table({
  s: inMs(SECOND),
  m: inMs(MINUTE),
  h: inMs(HOUR),
  d: inMs(DAY),
  w: inMs(WEEK),
  mo: inMonths(1),
  y: inMonths(12),
});

/** Every unit that can be counted in. One weekend or night is not a length of time. */
export const LENGTHS: ReadonlyMap<string, Unit> = new Map(
  [...UNITS, ...SHORT_UNITS].filter(([name]) => name !== 'weekend' && name !== 'night'),
);

/** The letters of an ISO 8601 duration in their order; "T" stands before those of the time. */
export const DURATION_LETTERS: readonly (readonly [letter: string, unit: Unit | undefined])[] = [
  ['y', inMonths(12)],
  ['m', inMonths(1)],
  ['w', inMs(WEEK)],
  ['d', inMs(DAY)],
  ['t', undefined],
  ['h', inMs(HOUR)],
  ['m', inMs(MINUTE)],
  ['s', inMs(SECOND)],
];

export const NUMBERS = places(
  'a/an/one two three four five six seven eight nine ten eleven twelve ' +
    'thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
  1,
);

export const TENS = places('twenty thirty forty fifty sixty seventy eighty ninety', 2);

export const ORDINALS: ReadonlyMap<string, number> = new Map([
  ...places(
    'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth ' +
      'fifteenth sixteenth seventeenth eighteenth nineteenth twentieth',
    1,
  ),
  ['thirtieth', 30],
]);

/** Soft numbers, by what people mostly mean. */
export const VAGUE_NUMBERS = table({ couple: 2, few: 3, several: 4, dozen: 12 });

export const WEEKDAYS = places(
  'monday/mon tuesday/tue/tues wednesday/wed thursday/thu/thurs friday/fri saturday/sat sunday/sun',
  0,
);

export const MONTHS = places(
  'january/jan february/feb march/mar april/apr may june/jun july/jul august/aug september/sep/sept october/oct ' +
    'november/nov december/dec',
  0,
);

/** Names that mean nothing else. "May", "March", "June", "sat" and the like need a word beside them that says so. */
export const PLAIN_NAMES = new Set(
  (
    'monday tuesday tue tues wednesday thursday thu thurs friday fri saturday sunday ' +
    'january february feb july september sept october oct november nov december'
  ).split(' '),
);

/** The month in which a season of three begins. */
export const SEASONS = table({ spring: 2, summer: 5, 'autumn fall': 8, winter: 11 });

/** Months of the parts of a year that have a letter and a number: "Q1", "H2". */
export const YEAR_PARTS = table({ q: 3, h: 6 });

/** Holidays that have the same date every year, as month and day; `_` stands between the words of a name. */
export const HOLIDAYS = table<readonly [number, number]>({
  'christmas christmas_day xmas': [11, 25],
  'christmas_eve xmas_eve': [11, 24],
  'new_year_eve new_years_eve': [11, 31],
  'new_year_day new_years_day': [0, 1],
  halloween: [9, 31],
  boxing_day: [11, 26],
  'valentine_day valentines_day': [1, 14],
});

/** The words that their names begin with. */
export const HOLIDAY_WORDS: ReadonlySet<string> = new Set(
  [...HOLIDAYS.keys()].map((name) => name.replace(/_.*/, '')),
);

/** Words of the longest of their names. */
export const MAX_HOLIDAY_WORDS = 3;

/** Days by their distance from today. */
export const NAMED_DAYS = table({ yesterday: -1, today: 0, tomorrow: 1 });

/** Hours of a day, from and to; a night belongs to the day on which it begins. */
export const DAY_PARTS = table<readonly [number, number]>({
  morning: [4, 12],
  afternoon: [12, 18],
  evening: [17, 24],
  night: [18, 30],
});

export const STEPS = table({ 'last past previous': -1, 'this current': 0, 'next coming upcoming': 1 });
export const THIRDS = table({ 'early beginning start': 0, 'mid middle': 1, 'late end': 2 });

export const PLACES = new Set(
  'in on during within of from around about circa approximately roughly throughout'.split(' '),
);

export const VAGUE_PLACES = new Set('around about circa approximately roughly'.split(' '));

/** What stands before a length of time to come: its end is meant, or all up to there. */
export const AHEAD_LEADS = table<'distance' | 'stretch'>({
  'in dans': 'distance',
  'within innerhalb binnen': 'stretch',
});

export const EDGES = table<'from' | 'after' | 'before'>({
  'since seit depuis': 'from',
  'after nach apr\u00e8s apres': 'after',
  'before until till bis': 'before',
});

/** What stands between the ends of a range; after "between" and "from", "and" does too. */
export const SPAN_ENDS = new Set('to until till through - \u2013'.split(' '));
export const BETWEEN_ENDS = new Set([...SPAN_ENDS, 'and', 'und', 'et']);
/** What they stand between, after. */
export const BETWEENS = new Set('between from zwischen entre'.split(' '));

/** What stands between two numbers of which one is meant: "2-3 days", "two or three days". */
export const NUMBER_ENDS = new Set('to or - \u2013'.split(' '));

/** What has been of a period of the calendar, in short. */
export const TO_DATE = table({ wtd: 'week', mtd: 'month', qtd: 'quarter', ytd: 'year' });

/** Periods of the calendar that "the" alone can name where a part of them is meant: "the end of the month". */
export const CALENDAR_PERIODS = new Set('week month quarter year'.split(' '));

/** Units that are places in the calendar as well: "two quarters ago" names one of them. */
export const PLACED_UNITS = new Set('weekend night quarter'.split(' '));

/** "The past week" is the last seven days; "last week" is a week of the calendar, which a fortnight is not. */
export const ROLLING_AFTER_PAST = new Set(
  'minute hour day week fortnight month quarter year decade'.split(' '),
);

export const ROLLING_AFTER_LAST = new Set(['fortnight', 'decade']);

/** Words that a period can begin with: most words of a question are none, and need no further look. */
export const FIRST_WORDS: ReadonlySet<string> = new Set([
  ...[NUMBERS, TENS, VAGUE_NUMBERS, ORDINALS, UNITS, WEEKDAYS, MONTHS, SEASONS].flatMap(namesOf),
  ...[YEAR_PARTS, NAMED_DAYS, DAY_PARTS, STEPS, THIRDS].flatMap(namesOf),
  ...HOLIDAY_WORDS,
  ...namesOf(TO_DATE),
  'half',
  'recently',
  'lately',
  'w',
  'kw',
  'cw',
  'tonight',
  'earlier',
  'so',
  ...FOREIGN_FIRST_WORDS,
]);

/** The same of mentions, with the words before a period that say how it is meant. */
export const MENTION_WORDS: ReadonlySet<string> = new Set([
  ...FIRST_WORDS,
  ...BETWEENS,
  ...namesOf(EDGES),
  ...PLACES,
  'the',
]);
