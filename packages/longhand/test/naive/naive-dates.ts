/** Days in numbers, with their years: 14.05.2026, 5/14/2026, 14-05-2026. */
export interface NaiveDate {
  readonly written: string;
  /** Where it stands. */
  readonly from: number;
  readonly mark: string;
  /** One where the numbers leave no doubt, two where either may be the month; that with the month first comes first. */
  readonly days: readonly Date[];
}

function dayOf(year: number, month: number, day: number): Date[] {
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= 1000 && year < 3000 ? [date] : [];
}

export function naiveDatesIn(text: string): NaiveDate[] {
  return [...text.matchAll(/[0-9]+(?:[./-][0-9]+)*/g)].flatMap(({ 0: written, index: from }) => {
    const [first = '', second = '', third = '', ...more] = written.split(/[./-]/);
    const marks = new Set(written.replace(/[0-9]/g, ''));
    const [mark = ''] = marks;
    const isYear = third.length === 4 || (third.length === 2 && mark === '/');
    if (marks.size !== 1 || more.length > 0 || first.length > 2 || second.length > 2 || !isYear) return [];
    const year = Number(third) + (third.length === 2 ? 2000 : 0);
    const dayFirst = dayOf(year, Number(second), Number(first));
    const isMonthFirstToo = mark !== '.' && first !== second && Number(first) !== Number(second);
    const days = [...(isMonthFirstToo ? dayOf(year, Number(first), Number(second)) : []), ...dayFirst];
    return days.length === 0 ? [] : [{ written, from, mark, days }];
  });
}

/** A day as a text states it, with or without its year; it may be one of two. */
export interface NaiveDay {
  /** In the order of docs/scoring.md: as two numbers and a year, as 5.12. and 24.12.26, as 2026-05-14, and with a name. */
  readonly days: readonly Date[];
  readonly hasYear: boolean;
  /** Where it stands. */
  readonly from: number;
  readonly to: number;
  /** Whether it is a day wherever it stands, and not only where a time is spoken of. */
  readonly isSure: boolean;
}

const MONTHS_OF_TEXTS = [
  'january jan januar jänner jaenner janner janvier',
  'february feb februar février fevrier',
  'march mar märz marz maerz mars',
  'april apr avril',
  'may mai',
  'june jun juni juin',
  'july jul juli juillet',
  'august aug août aout',
  'september sep sept septembre',
  'october oct oktober octobre',
  'november nov novembre',
  'december dec dezember décembre decembre',
].map((names) => names.split(' '));
const IN_ENGLISH =
  'january jan february feb march mar april apr may june jun july jul august aug september sep sept october oct november nov december dec'.split(
    ' ',
  );
const BEFORE_DAYS =
  'am vom bis zum ab seit den dem nach on by until since from le du au montag dienstag mittwoch donnerstag freitag samstag sonntag'.split(
    ' ',
  );

/** 5.12. behind a word that stands before days, or with two digits each and a year of two. */
export function naivePointed(text: string): NaiveDay[] {
  return [
    ...text.matchAll(/(?<![0-9.:/v-])([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{2})?(?![0-9]|\.[0-9])/gi),
  ].flatMap(({ 0: written, 1: day = '', 2: month = '', 3: year, index }) => {
    const [, word = ''] = /(?<![\p{L}\p{N}])(\p{L}+)[,.]? $/u.exec(text.slice(0, index)) ?? [];
    const isFull = year !== undefined && day.length === 2 && month.length === 2;
    if (!isFull && !BEFORE_DAYS.includes(word.toLowerCase())) return [];
    const days = dayOf(year === undefined ? 2000 : 2000 + Number(year), Number(month), Number(day));
    const to = index + written.length;
    return days.length === 0 ? [] : [{ days, hasYear: year !== undefined, from: index, to, isSure: true }];
  });
}

/** 20/11 behind a word that stands before days, where one of both numbers is no month or both are the same. */
function naiveSlashed(text: string): NaiveDay[] {
  return [...text.matchAll(/(?<![0-9.:/-])([0-9]{1,2})\/([0-9]{1,2})(?![0-9/]|[.:-][0-9])/g)].flatMap(
    ({ 0: written, 1: first, 2: second, index: from }) => {
      const [, word = ''] = /(?<![\p{L}\p{N}])(\p{L}+)[,.]? $/u.exec(text.slice(0, from)) ?? [];
      const [one, two] = [Number(first), Number(second)];
      const both = [...dayOf(2000, one, two), ...(one === two ? [] : dayOf(2000, two, one))];
      const isOther = ['24/7', '16/9', '9/16'].includes(written);
      if (!BEFORE_DAYS.includes(word.toLowerCase()) || both.length !== 1 || isOther) return [];
      return [{ days: both, hasYear: false, from, to: from + written.length, isSure: true }];
    },
  );
}

/** "14 May 2026", "14. Mai", "May 14th". */
function naiveNamed(text: string): NaiveDay[] {
  const names = MONTHS_OF_TEXTS.flat().join('|');
  const year = '(?:,?[ \u00a0](?<year>[0-9]{4})(?![0-9]))?';
  const dayFirst = new RegExp(
    `(?<![0-9.,:/-])(?<day>[0-9]{1,2})(?:(?<proof>(?:st|nd|rd|th|er)[ \u00a0](?:of |de )?|[ \u00a0](?:of |de ))|[ \u00a0]|\\.[ \u00a0]?)(?<month>${names})(?![\\p{L}\\p{N}])\\.?${year}`,
    'giu',
  );
  const monthFirst = new RegExp(
    `(?<![\\p{L}\\p{N}])(?<month>${IN_ENGLISH.join('|')})\\.?[ \u00a0](?<the>the )?(?<day>[0-9]{1,2})(?<proof>st|nd|rd|th)?(?![\\p{L}\\p{N}:%]|[.,][0-9])${year}`,
    'giu',
  );
  const first = [...text.matchAll(dayFirst)];
  const second = [...text.matchAll(monthFirst)].filter(
    ({ index }) => !first.some((match) => match.index < index && index < match.index + match[0].length),
  );
  return [...first, ...second].flatMap(({ 0: written, groups, index: from }) => {
    const name = groups!.month!;
    const month = MONTHS_OF_TEXTS.findIndex((all) => all.includes(name.toLowerCase())) + 1;
    const proof = groups!.proof ?? groups!.the ?? groups!.year;
    const days = dayOf(Number(groups!.year ?? 2000), month, Number(groups!.day));
    const isVerb = proof === undefined && ['may', 'march', 'mar'].includes(name);
    const hasYear = groups!.year !== undefined;
    return days.length === 0 ? [] : [{ days, hasYear, from, to: from + written.length, isSure: !isVerb }];
  });
}

/** Every day that a text states. */
export function naiveDays(text: string): NaiveDay[] {
  return possibleDays(text).filter(({ isSure }) => isSure);
}

/** With those that are days only where a time is spoken of: "the top 5 may change". */
export function possibleDays(text: string): NaiveDay[] {
  const iso = [
    ...text.matchAll(/(?<![0-9])(?<![0-9][-/])([0-9]{4})([-/])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])/g),
  ];
  return [
    ...naiveDatesIn(text).map(({ written, days, from }) => {
      return { days, hasYear: true, from, to: from + written.length, isSure: true };
    }),
    ...naivePointed(text),
    ...naiveSlashed(text),
    ...iso.flatMap(({ 0: written, 1: year, 3: month, 4: day, index: from }) => {
      const days = dayOf(Number(year), Number(month), Number(day));
      const to = from + written.length;
      return days.length === 0 ? [] : [{ days, hasYear: true, from, to, isSure: true }];
    }),
    ...naiveNamed(text),
  ];
}
