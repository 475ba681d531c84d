import { type Calendar, clampMs, DAY, type TimeRange } from './calendar.ts';
import { nearest, type Recurrence } from './recurrence.ts';
import type { Scan } from './scan.ts';
import type { Meaning, UnitName } from './words.ts';

/** What a rule understood. */
export interface Found extends TimeRange {
  /** How far outside a moment may lie and still be half as likely meant. */
  readonly softnessMs: number;
  /** The word behind it. */
  readonly next: number;
  /** What it is in a memory. */
  readonly terms: readonly string[];
  /** For what comes back and was named without its year, month or week. */
  readonly every?: Recurrence | undefined;
  /** What it may mean as well: 5/6 is a day of May and one of June. */
  readonly other?: TimeRange;
  readonly isAmbiguous?: boolean;
  readonly isReversed?: boolean;
  /** Of a single day that is a date: whether it has its year. */
  readonly date?: 'whole' | 'yearless';
  /** Counted from now, so that none of its words stands in an answer: "last week", and not "in May". */
  readonly isRelative?: true;
  /** Says little of a time beside other words: "recently". */
  readonly isLoose?: boolean;
}

interface Setting {
  readonly nowMs: number;
  readonly calendar: Calendar;
  /** Who reads: a question may say "may" and mean no month, and a filter says nothing but a time. */
  readonly reader: 'question' | 'filter' | 'memory';
  /** −1 for the latest that has begun, 1 for the next. */
  readonly side: 1 | -1;
}

/** A length of time: "three weeks". */
export interface Span {
  readonly value: number;
  readonly unit: UnitName;
  readonly isVague: boolean;
  readonly next: number;
}

/** The day of the person who speaks may begin up to 14 hours beside that of UTC. */
export const DATE_SOFTNESS = DAY;
/** Keeps sums exact; what is larger lies before the earliest moment anyway. */
const MAX_QUANTITY = 1e9;
/** "A year, two months and a week". */
const MAX_SPANS = 4;
/** Before and beyond these, four digits are a number like others. */
const FIRST_YEAR = 1900;
const LAST_YEAR = 2199;
const ZERO = 0x30;
const NOTHING: Meaning = {};

/** The words of a text, one by one, and what all rules ask of them. */
export class Reader {
  readonly scan: Scan;
  protected readonly setting: Setting;
  protected readonly calendar: Calendar;
  protected readonly nowMs: number;
  protected readonly today: number;

  constructor(scan: Scan, setting: Setting) {
    this.scan = scan;
    this.setting = setting;
    this.calendar = setting.calendar;
    this.nowMs = clampMs(setting.nowMs);
    this.today = this.calendar.dayOf(this.nowMs);
  }

  meaning(at: number): Meaning {
    return this.scan.meanings[at] ?? NOTHING;
  }

  isEnd(at: number): boolean {
    return at >= this.scan.words.length;
  }

  protected word(at: number): string {
    return this.scan.words[at] ?? '';
  }

  /** Whether no space stands before it. */
  protected isGlued(at: number): boolean {
    return this.scan.from[at] !== undefined && this.scan.from[at] === this.scan.to[at - 1];
  }

  protected initial(at: number): string {
    return this.scan.text[this.scan.from[at] ?? -1] ?? '';
  }

  /** The value of a number in digits, else NaN. */
  protected digits(at: number, most = 10): number {
    const word = this.word(at);
    const code = word.charCodeAt(0);
    return code >= ZERO && code < ZERO + 10 && word.length <= most ? Number(word) : Number.NaN;
  }

  protected yearAt(at: number): number | undefined {
    const year = this.word(at).length === 4 ? this.digits(at) : Number.NaN;
    return year >= FIRST_YEAR && year <= LAST_YEAR ? year : undefined;
  }

  protected skip(at: number, ...words: readonly string[]): number {
    return words.includes(this.word(at)) ? at + 1 : at;
  }

  protected skipThe(at: number): number {
    return this.meaning(at).isThe === true ? at + 1 : at;
  }

  /** Whether a word before it says that a time follows. */
  protected isPlaced(at: number, kind: 'day' | 'month'): boolean {
    if (this.setting.reader === 'filter') return true;
    const { place } = this.meaning(this.meaning(at - 1).isThe === true ? at - 2 : at - 1);
    return place === 'any' || place === kind;
  }

  /** Whether a number is not one of something else: behind it the text ends, or a mark stands, or a word that is no noun. */
  protected isFollowed(at: number): boolean {
    const { isFollower, place, isOf, part, join } = this.meaning(at);
    const word = this.word(at);
    const isMark = word.length === 1 && !/[a-z\d%]/.test(word);
    if (this.isEnd(at) || isMark || isFollower === true || part !== undefined || join === 'to') return true;
    return (place !== undefined && isOf !== true) || this.yearAt(at) !== undefined;
  }

  protected found(
    range: TimeRange,
    next: number,
    terms: readonly string[] = [],
    more: Partial<Found> = {},
  ): Found {
    return { startMs: range.startMs, endMs: range.endMs, softnessMs: DATE_SOFTNESS, terms, next, ...more };
  }

  /** The latest that has begun, or in a question for plans the next, today's included. */
  protected nearest(every: Recurrence): TimeRange | undefined {
    const { side } = this.setting;
    return nearest(every, side === 1 ? this.calendar.startOfDay(this.today) : this.nowMs, side);
  }

  /** What comes back, as the one that is nearest. */
  protected recurring(
    every: Recurrence,
    next: number,
    terms: readonly string[],
    more: Partial<Found> = {},
  ): Found | undefined {
    const range = this.nearest(every);
    return range && this.found(range, next, terms, { every, ...more });
  }

  /** Lengths that add up: "1d12h", "a year and three months", "2 weeks, 3 days". None, or the last tells what comes next. */
  spans(at: number): readonly Span[] {
    const spans: Span[] = [];
    let next = at;
    while (spans.length < MAX_SPANS) {
      const quantity = this.#quantity(spans.length === 0 ? next : this.skip(next, 'and', ',', 'und', 'et'));
      if (!quantity) break;
      // "Les 3 derniers jours".
      const unitAt =
        this.meaning(quantity.next).isBehind && spans.length === 0 ? quantity.next + 1 : quantity.next;
      const unit = this.meaning(unitAt).unit ?? this.#shortUnit(unitAt);
      if (unit === undefined) break;
      next = unitAt + 1;
      spans.push({ ...quantity, unit, next });
    }
    return spans;
  }

  /** "3", "1.5", "twenty-one", "a", "a couple of", "half a". */
  #quantity(at: number): Omit<Span, 'unit'> | undefined {
    const vagueAt = this.skip(at, 'a', 'the');
    const { isVague, number: vague } = this.meaning(vagueAt);
    if (isVague) return { value: vague!, isVague, next: this.skip(vagueAt + 1, 'of') };
    const { number } = this.meaning(at);
    const said = (value: number, next: number): Omit<Span, 'unit'> => ({ value, isVague: false, next });
    if (number !== undefined) {
      if (number < 1) return said(number, this.skip(at + 1, 'a', 'an'));
      const onesAt = this.skip(at + 1, '-');
      const ones = number >= 20 && this.word(onesAt).length > 2 ? (this.meaning(onesAt).number ?? 0) : 0;
      return ones >= 1 && ones < 10 ? said(number + ones, onesAt + 1) : said(number, at + 1);
    }
    const digits = this.digits(at, 15);
    const hasPoint = this.word(at + 1) === '.' && this.isGlued(at + 1) && this.isGlued(at + 2);
    const tenths = hasPoint ? this.digits(at + 2, 3) : Number.NaN;
    if (!Number.isNaN(tenths)) return said(Number(`${digits}.${this.word(at + 2)}`), at + 3);
    return digits > 0 ? said(Math.min(digits, MAX_QUANTITY), at + 1) : undefined;
  }

  /** Short units touch their number, and stand in filters and before "ago" alone. */
  #shortUnit(at: number): UnitName | undefined {
    const { short } = this.meaning(at);
    if (this.setting.reader === 'filter') return short;
    const isKnown = short === 'hour' || this.meaning(at + 1).distance === 'ago';
    return this.isGlued(at) && isKnown ? short : undefined;
  }
}
