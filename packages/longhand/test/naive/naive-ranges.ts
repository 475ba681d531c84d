/** Ranges of days in a text: "What is read of a memory" and "What bounds the work" in docs/scoring.md. */

import { DAY_MS } from './naive-zone.ts';

export interface NaiveRange {
  readonly from: number;
  readonly to: number;
  /** Every one. Without a year they are of 2000, and of 1999 before New Year. */
  readonly days: readonly Date[];
  readonly hasYear: boolean;
}

interface End {
  readonly year?: string | undefined;
  /** 1 for January; `undefined` where the other end has it. */
  readonly month: number | undefined;
  readonly day: string;
}

/** What stands before what joins, or behind it. */
interface Side {
  readonly end: End;
  readonly written: string;
}

const MONTHS = [
  'january jan januar j\u00e4nner jaenner janner janvier',
  'february feb februar f\u00e9vrier fevrier',
  'march mar m\u00e4rz marz maerz mars',
  'april apr avril',
  'may mai',
  'june jun juni juin',
  'july jul juli juillet',
  'august aug ao\u00fbt aout',
  'september sep sept septembre',
  'october oct oktober octobre',
  'november nov novembre',
  'december dec dezember d\u00e9cembre decembre',
].map((names) => names.split(' '));
const ANY_MONTH = MONTHS.flat().join('|');
const ENGLISH_MONTH =
  'january|jan|february|feb|march|mar|april|apr|may|june|jun|july|jul|august|aug|september|sep|sept|october|oct|november|nov|december|dec';
const ENDING = '(?:st|nd|rd|th|er)';
const GAP = '[ \u00a0]';

const monthNumber = (name: string): number =>
  MONTHS.findIndex((names) => names.includes(name.toLowerCase())) + 1;

/** What joins two ends at a place: a dash with or without spaces, or a word, and an article behind it. */
function joinAt(text: string, at: number): string | undefined {
  const rest = text.slice(at);
  const [dash] = /^[ \u00a0]?[-\u2010\u2011\u2013\u2014][ \u00a0]?/.exec(rest) ?? [];
  const [words] =
    /^[ \u00a0](?:to|until|till|through|bis|au|and|und|et)[ \u00a0](?:the |zum |den |dem |le )?/i.exec(
      rest,
    ) ?? [];
  return dash ?? words;
}

function sideOf(text: string, pattern: string, monthOf: (name: string) => number): Side | undefined {
  const match = new RegExp(pattern, 'iu').exec(text);
  if (match === null) return undefined;
  const { month, day = '', year } = match.groups!;
  return {
    end: { year, day, month: month === undefined ? undefined : monthOf(month) },
    written: match[0],
  };
}

/** A way to write a range: its two ends, and whether it is one where it stands. */
interface Notation {
  readonly left: string;
  readonly right: string;
  readonly monthOf: (name: string) => number;
  isRange(range: Found): boolean;
}

interface Found {
  readonly before: string;
  readonly left: Side;
  readonly join: string;
  readonly right: Side;
  readonly behind: string;
}

const NUMBERED =
  `page pages seite seiten chapter chapters kapitel chapitre chapitres part parts teil teile section sections line lines slide
  slides question questions item items sprint sprints room rooms gate gates step steps phase phases level levels round rounds
  episode episodes season seasons lesson lessons unit units version versions number numbers no. nr.`.split(
    /\s+/,
  );
const AMOUNTS =
  "am pm a.m p.m o'clock uhr h hour hours minute minutes min day days people person persons guests times percent km kg euro euros dollar dollars".split(
    ' ',
  );
const NO_NOUNS =
  'in at on for with and or we i is are was were will im mit und wir ich \u00e0 avec et nous je'.split(' ');
const BEFORE_DAYS =
  'am vom bis zum ab seit den dem nach on by until since from le du au montag dienstag mittwoch donnerstag freitag samstag sonntag'.split(
    ' ',
  );

/** Which of some words stands right before the end of a text, or behind its beginning. */
const endsWith = (text: string, words: readonly string[]): boolean =>
  words.some((word) =>
    new RegExp(`(?<![\\p{L}\\p{N}])${word.replace('.', '\\.')}[ \u00a0]$`, 'iu').test(text),
  );
const beginsWith = (text: string, words: readonly string[]): boolean =>
  words.some((word) => new RegExp(`^[ \u00a0]${word.replace('.', '\\.')}(?!\\p{L})`, 'iu').test(text));

/** In small letters they need something that says that they are months: another month, an ending, or a year. */
function areMonths({ left, join, right }: Found): boolean {
  const written = `${left.written}${join}${right.written}`;
  const names = written.match(/\p{L}+/gu)!.filter((name) => monthNumber(name) > 0);
  const isPlain = names.some((name) => !['may', 'march', 'mar'].includes(name));
  return isPlain || /[0-9](?:st|nd|rd|th|er)(?![a-z])|[ \u00a0](?:of|de|the) |[0-9]{4}/i.test(written);
}

const BEFORE_MONTH = `(?:${ENDING}?${GAP}(?:of |de )?|\\.${GAP}?)`;
const YEAR_INSIDE = `(?:,?${GAP}(?<year>[0-9]{4}))?`;
const YEAR_BEHIND = `(?:,?${GAP}(?<year>[0-9]{4})(?![0-9]))?`;

const dayFirst: Notation = {
  left: `(?<![\\p{L}0-9.,:/-])(?<day>[0-9]{1,2})(?:${BEFORE_MONTH}(?<month>${ANY_MONTH})\\.?${YEAR_INSIDE}|${ENDING}|\\.)?$`,
  right: `^(?<day>[0-9]{1,2})${BEFORE_MONTH}(?<month>${ANY_MONTH})(?![\\p{L}\\p{N}])\\.?${YEAR_BEHIND}`,
  monthOf: monthNumber,
  isRange: (range) =>
    areMonths(range) && (range.left.end.month !== undefined || !endsWith(range.before, NUMBERED)),
};

const monthFirst: Notation = {
  left: `(?<![\\p{L}\\p{N}])(?<month>${ENGLISH_MONTH})\\.?${GAP}(?:the )?(?<day>[0-9]{1,2})${ENDING}?${YEAR_INSIDE}$`,
  right: `^(?:(?<month>${ENGLISH_MONTH})\\.?${GAP}(?:the )?)?(?<day>[0-9]{1,2})${ENDING}?(?![\\p{L}\\p{N}:%]|[.,/-][0-9])${YEAR_BEHIND}`,
  monthOf: monthNumber,
  isRange: (range) => {
    const { before, join, right, behind } = range;
    const isMonthOfDay = new RegExp(`[0-9]${ENDING}?\\.?${GAP}?(?:of |de )?$`, 'i').test(before);
    const isPlainNumber = /^[0-9]+$/.test(right.written);
    const isSpaced = join.length === 3 && /^[ \u00a0].[ \u00a0]$/.test(join);
    const isNoun = /^[ \u00a0]\p{L}/u.test(behind) && !beginsWith(behind, NO_NOUNS);
    const isAmount = beginsWith(behind, AMOUNTS) || (isSpaced && isNoun);
    return areMonths(range) && !isMonthOfDay && !(isPlainNumber && isAmount);
  },
};

const pointed: Notation = {
  left: '(?<![\\p{L}0-9.:/-])(?<day>[0-9]{1,2})(?:\\.(?:(?<month>[0-9]{1,2})\\.(?<year>[0-9]{4}|[0-9]{2})?)?)?$',
  right: '^(?<day>[0-9]{1,2})\\.(?<month>[0-9]{1,2})\\.(?<year>[0-9]{4}|[0-9]{2})?(?![0-9]|\\.[0-9])',
  monthOf: Number,
  isRange: ({ before, left, join, right }) => {
    if (right.end.year?.length === 4) return true;
    const isFull = /^[0-9]{2}\.[0-9]{2}\.[0-9]{2}$/.test(right.written);
    const isSaid =
      endsWith(before.replace(/[,.] $/, ' ').replace(/\u00a0$/, ''), BEFORE_DAYS) ||
      /until|bis|au|and|und|et/i.test(join.trim().split(' ')[0]!);
    return left.written.includes('.') && (isFull || isSaid);
  },
};

const iso: Notation = {
  left: '(?<![0-9])(?<![0-9][-/])(?<year>[0-9]{4})-(?<month>[0-9]{1,2})-(?<day>[0-9]{1,2})$',
  right: '^(?<year>[0-9]{4})-(?<month>[0-9]{1,2})-(?<day>[0-9]{1,2})(?![0-9])',
  monthOf: Number,
  isRange: () => true,
};

/** Midnight of a day in UTC; none where there is no such day. */
function dayOf(year: number, month: number, day: string): Date | undefined {
  const date = new Date(Date.UTC(year, month - 1, Number(day)));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === Number(day);
  return isReal && year >= 1000 && year < 3000 ? date : undefined;
}

const MOST_DAYS = 31;

function daysBetween(first: End, last: End): Date[] {
  const yearOf = ({ year }: End): number | undefined =>
    year === undefined ? undefined : Number(year) + (year.length === 2 ? 2000 : 0);
  const [firstMonth, lastMonth] = [(first.month ?? last.month)!, (last.month ?? first.month)!];
  const isOverNewYear = firstMonth * 100 + Number(first.day) > lastMonth * 100 + Number(last.day);
  const over = isOverNewYear ? 1 : 0;
  const [one, two] = [yearOf(first), yearOf(last)];
  const start = dayOf(one ?? (two ?? 2000) - over, firstMonth, first.day);
  const end = dayOf(two ?? (one === undefined ? 2000 : one + over), lastMonth, last.day);
  if (start === undefined || end === undefined) return [];
  const count = (end.getTime() - start.getTime()) / DAY_MS + 1;
  if (count < 1 || count > MOST_DAYS) return [];
  return Array.from({ length: count }, (_, at) => new Date(start.getTime() + at * DAY_MS));
}

function rangesIn(text: string, notation: Notation): NaiveRange[] {
  const ranges: NaiveRange[] = [];
  for (let at = 0; at < text.length; at++) {
    const isoJoin = notation === iso ? /^(?:\/|\.\.)/.exec(text.slice(at))?.[0] : undefined;
    const join = joinAt(text, at) ?? isoJoin;
    if (join === undefined) continue;
    const left = sideOf(text.slice(0, at), notation.left, notation.monthOf);
    const right = sideOf(text.slice(at + join.length), notation.right, notation.monthOf);
    if (left === undefined || right === undefined) continue;
    const from = at - left.written.length;
    const to = at + join.length + right.written.length;
    const isFree = ranges.every((range) => range.to <= from);
    const range = { before: text.slice(0, from), left, join, right, behind: text.slice(to) };
    const isAnd = ['and', 'und', 'et'].includes(
      join
        .trim()
        .split(/[ \u00a0]/)[0]!
        .toLowerCase(),
    );
    const isBehindBetween = /(?:^|[^\p{L}\p{N}])(?:between|zwischen|entre) (?:(?:the|den|dem|le) )?$/iu.test(
      range.before,
    );
    const isMove = !isAnd && isMoved(text.slice(0, from));
    const isRange = isFree && !isMove && (!isAnd || isBehindBetween) && notation.isRange(range);
    const days = isRange ? daysBetween(left.end, right.end) : [];
    const hasYear = left.end.year !== undefined || right.end.year !== undefined;
    if (days.length > 0) ranges.push({ from, to, days, hasYear });
  }
  return ranges;
}

const MOVING =
  `move moved moves moving shifted changed changes rescheduled postponed delayed pushed verschoben verlegt report\u00e9 report\u00e9e report\u00e9s
  report\u00e9es d\u00e9plac\u00e9 d\u00e9plac\u00e9e d\u00e9plac\u00e9s d\u00e9plac\u00e9es d\u00e9cal\u00e9 d\u00e9cal\u00e9e d\u00e9cal\u00e9s d\u00e9cal\u00e9es avanc\u00e9 avanc\u00e9e avanc\u00e9s avanc\u00e9es`.split(
    /\s+/,
  );

/** Whether what stands before days, in eighty letters of the same sentence, says that something was moved from there. */
export function isMoved(before: string): boolean {
  const [sentence = ''] = /[^.!?;\n]*$/.exec(before.slice(-80)) ?? [];
  const [, said] = /^(.*) (?:from|vom|du) (?:the )?$/iu.exec(sentence) ?? [];
  return (said ?? '').split(/[^\p{L}]+/u).some((word) => MOVING.includes(word.toLowerCase()));
}

/** Each notation in the order of the text. */
export function naiveRanges(text: string): NaiveRange[] {
  return [pointed, iso, dayFirst, monthFirst].flatMap((notation) => rangesIn(text, notation));
}
