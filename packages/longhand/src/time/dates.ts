import { dayNumber, type TimeRange } from './calendar.ts';
import { dateTerm, everyMonth, monthTerm, numberedDay } from './day-terms.ts';
import { type Found, Reader } from './reader.ts';
import { monthly, yearly } from './recurrence.ts';
import { STEPS } from './words.ts';

interface DayOfYear {
  readonly month: number;
  readonly day: number;
}

interface NumberOfDay {
  readonly day: number;
  readonly next: number;
  readonly isOrdinal: boolean;
}

/** Dates in digits and in words: "2026-01-31", "14.05.2026", "5/14", "the 5th of May", "May 5-7", "on the 3rd". */
export class Dates extends Reader {
  /** @param isPlaced whether it is known that a time stands here */
  protected date(at: number, isPlaced: boolean): Found | undefined {
    return (
      this.#iso(at) ??
      this.#numeric(at, isPlaced) ??
      this.dayAndMonth(at, isPlaced) ??
      this.monthAndDay(at, isPlaced)
    );
  }

  #isMarked(at: number, mark: string): boolean {
    return this.word(at) === mark && this.isGlued(at) && this.isGlued(at + 1);
  }

  /** "2026-01-31", "2026-01". */
  #iso(at: number): Found | undefined {
    const year = this.yearAt(at);
    const mark = this.word(at + 1);
    const isMarked = (mark === '-' || mark === '/') && this.#isMarked(at + 1, mark);
    if (year === undefined || !isMarked) return undefined;
    const month = this.digits(at + 2, 2) - 1;
    if (!(month >= 0 && month < 12)) return undefined;
    if (!this.#isMarked(at + 3, mark)) return this.#month(year, month, at + 3);
    const day = this.digits(at + 4, 2);
    const number = dayNumber(year, month, day);
    if (number === undefined) return undefined;
    const range = this.calendar.days(number, 1);
    return this.found(range, at + 5, [dateTerm(year, month, day)], { date: 'whole' });
  }

  #month(year: number, month: number, next: number): Found {
    return this.found(this.calendar.months(year * 12 + month, 1), next, [monthTerm(year, month)]);
  }

  /** "14.05.2026", "14/5/2026", "5/14/2026", "14-05-2026", "14.05.", "5/14", "05/2026". */
  #numeric(at: number, isPlaced: boolean): Found | undefined {
    const first = this.digits(at, 2);
    const mark = this.word(at + 1);
    if (Number.isNaN(first) || !/^[./-]$/.test(mark) || !this.#isMarked(at + 1, mark)) return undefined;
    if (this.isGlued(at) && /[\d./-]/.test(this.word(at - 1))) return undefined;
    const isKnown = isPlaced || this.isPlaced(at, 'day');
    const year = this.yearAt(at + 2);
    if (year !== undefined && mark === '/' && isKnown && first >= 1 && first <= 12)
      return this.#month(year, first - 1, at + 3);
    const second = this.digits(at + 2, 2);
    const readings = readingsOf(first, mark, second);
    if (readings.length === 0) return undefined;
    const third = this.#isMarked(at + 3, mark) && !Number.isNaN(this.digits(at + 4)) ? this.word(at + 4) : '';
    if (third.length === 4) return this.#ofReadings(readings, Number(third), at + 5);
    // 1.2.34 is a version, and 01.02.34 a date.
    if (third.length === 2 && mark !== '-' && (mark === '/' || isKnown || this.word(at + 2).length === 2))
      return this.#ofReadings(readings, 2000 + Number(third), at + 5);
    if (third !== '') return undefined;
    if (mark === '.') {
      const hasPoint = this.word(at + 3) === '.' && this.isGlued(at + 3);
      return hasPoint ? this.#ofReadings(readings, undefined, at + 4) : undefined;
    }
    const { isOf, unit } = this.meaning(at + 3);
    const isOther =
      mark === '-' || !isKnown || isOf === true || unit !== undefined || (first === 24 && second === 7);
    return isOther ? undefined : this.#ofReadings(readings, undefined, at + 3);
  }

  #ofReadings(readings: readonly DayOfYear[], year: number | undefined, next: number): Found | undefined {
    const [first, second] = readings.flatMap((each) => this.#days(each, each.day, year, next) ?? []);
    if (!first || !second) return first;
    return { ...first, other: second, isAmbiguous: true, terms: [...first.terms, ...second.terms] };
  }

  /** Some days of a month, of a year or of the nearest. */
  #days({ month, day }: DayOfYear, last: number, year: number | undefined, next: number): Found | undefined {
    const inYear = (each: number): TimeRange | undefined => {
      const [from, to] = [dayNumber(each, month, day), dayNumber(each, month, last)];
      return from === undefined || to === undefined ? undefined : this.calendar.days(from, to + 1 - from);
    };
    const terms = Array.from({ length: last + 1 - day }, (_, at) => dateTerm(year, month, day + at));
    if (year === undefined)
      return this.recurring(yearly(this.calendar, inYear), next, terms, { date: 'yearless' });
    const range = inYear(year);
    return range && this.found(range, next, terms, { date: 'whole' });
  }

  /** The year that may stand behind a day or a month: "5 May 2023", "May 5th, 2023", "March of last year". */
  protected yearBehind(at: number): { readonly year: number | undefined; readonly next: number } {
    const yearAt = this.skip(at, ',', 'of');
    const year = this.yearAt(yearAt);
    if (year !== undefined) return { year, next: yearAt + 1 };
    const { step } = this.meaning(yearAt);
    if (step === undefined || this.meaning(yearAt + 1).unit !== 'year') return { year, next: at };
    return { year: this.calendar.yearOf(this.nowMs) + STEPS[step], next: yearAt + 2 };
  }

  /** The number of a day: "5", "5th", "5.", "fifth", "twenty-first". */
  #day(at: number): NumberOfDay | undefined {
    const { ordinal, number } = this.meaning(at);
    const onesAt = number === 20 || number === 30 ? this.skip(at + 1, '-') : at;
    const ones = onesAt > at ? this.meaning(onesAt).ordinal : undefined;
    if (ones !== undefined) return { day: number! + ones, next: onesAt + 1, isOrdinal: true };
    const day = ordinal ?? this.digits(at, 2);
    if (!(day >= 1 && day <= 31)) return undefined;
    const isGlued = ordinal === undefined && this.isGlued(at + 1);
    const isOrdinal = isGlued && this.meaning(at + 1).isSuffix === true;
    const next = isOrdinal || (isGlued && this.word(at + 1) === '.') ? at + 2 : at + 1;
    return { day, next, isOrdinal: isOrdinal || ordinal !== undefined };
  }

  /** The last of several days: "5-7", "5th to the 7th", behind "between" also "5 and 7". */
  #lastDay(at: number, first: number, start: number): NumberOfDay | undefined {
    const { join } = this.meaning(at);
    const isBetween =
      this.meaning(start - 1).isBetween === true || this.meaning(start - 2).isBetween === true;
    if (join === undefined || (join === 'and' && !isBetween)) return undefined;
    const last = this.#day(this.skipThe(at + 1));
    return last && last.day > first && this.word(last.next) !== ':' ? last : undefined;
  }

  /** "5 May", "the fifth of May 2023", "5-7 May", "on the 3rd". */
  protected dayAndMonth(at: number, isPlaced: boolean): Found | undefined {
    const first = this.#day(at);
    if (!first) return undefined;
    const last = this.#lastDay(first.next, first.day, at);
    for (const end of last ? [last, first] : [first]) {
      const monthAt = this.skip(end.next, 'of', 'de');
      const { month } = this.meaning(monthAt);
      if (month === undefined) continue;
      // "The first May that I was there", and "a third of May".
      const isOther = this.meaning(at).ordinal !== undefined && monthAt === end.next;
      if (isOther || this.meaning(at - 1).number !== undefined) return undefined;
      const { year, next } = this.yearBehind(this.skip(monthAt + 1, '.'));
      return this.#days({ month, day: first.day }, end.day, year, year === undefined ? monthAt + 1 : next);
    }
    return this.#bareDay(at, first, isPlaced);
  }

  /** "May 5", "May 5th, 2023", "May the first", "May 5-7". */
  protected monthAndDay(at: number, isPlaced: boolean): Found | undefined {
    const { month, isDoubtful } = this.meaning(at);
    const dayAt = this.skipThe(this.skip(at + 1, '.'));
    const first = month === undefined ? undefined : this.#day(dayAt);
    // "In May 3 weeks ago" is no third of May, and "May 20:30" is a clock.
    if (!first || this.meaning(first.next).unit !== undefined || this.word(first.next) === ':')
      return undefined;
    const isKnown = isPlaced || this.isPlaced(at, 'day') || this.isPlaced(at, 'month');
    // "You may first look at it" and "may 5 people come" mean no May.
    const isVerb = isDoubtful && this.initial(at) >= 'a' && !this.isFollowed(first.next);
    if (!isKnown && (isVerb || this.meaning(dayAt).ordinal !== undefined)) return undefined;
    const last = this.#lastDay(first.next, first.day, at);
    const isOfNext = last && this.meaning(this.skip(last.next, 'of')).month !== undefined;
    const end = last && !isOfNext ? last : first;
    const { year, next } = this.yearBehind(end.next);
    return this.#days({ month: month!, day: first.day }, end.day, year, next);
  }

  /** "On the 3rd", "the 3rd of every month", "am 3.", "le 3", and neither "the 3rd attempt" nor "I am 3." */
  #bareDay(at: number, { day, next, isOrdinal }: NumberOfDay, isPlaced: boolean): Found | undefined {
    const ofAt = this.skip(next, 'of', 'de');
    const { isEvery, isThe } = this.meaning(ofAt);
    const isOfMonth = this.meaning(ofAt + 1).unit === 'month';
    // To others than memories it is no time: an empty range.
    if (isEvery && isOfMonth) return this.found({ startMs: 1, endMs: 0 }, ofAt + 2, [everyMonth(day)]);
    const isOfThis = isOrdinal && isThe === true && isOfMonth && ofAt > next;
    const isWord = this.meaning(at).ordinal !== undefined;
    if (!isOfThis && (isWord || !this.#isBareDay(at, next, isOrdinal, isPlaced))) return undefined;
    return this.recurring(monthly(this.calendar, day), isOfThis ? ofAt + 2 : next, [numberedDay(day)]);
  }

  #isBareDay(at: number, next: number, isOrdinal: boolean, isPlaced: boolean): boolean {
    const before = this.word(at - 1);
    if (isOrdinal) {
      const isKnown = isPlaced || this.isPlaced(at, 'day') || this.meaning(at - 2).weekday !== undefined;
      return this.meaning(at - 1).isThe === true && isKnown && this.isFollowed(next);
    }
    if (before === 'le') return next === at + 1 && this.isFollowed(next);
    const isGerman = before === 'am' || before === 'zum' || before === 'vom';
    return (
      isGerman && next === at + 2 && this.word(at - 2) !== 'i' && /^$|[a-z(,;-]/.test(this.initial(next))
    );
  }
}

/** What the first two numbers of a date can mean; the reading with the month first comes first. With points the day does. */
function readingsOf(first: number, mark: string, second: number): readonly DayOfYear[] {
  const monthFirst = { day: second, month: first - 1 };
  const dayFirst = { day: first, month: second - 1 };
  const all = mark === '.' || first === second ? [dayFirst] : [monthFirst, dayFirst];
  // A year with a 29 February has every day that any year has.
  return all.filter(({ day, month }) => month < 12 && dayNumber(2000, month, day) !== undefined);
}
