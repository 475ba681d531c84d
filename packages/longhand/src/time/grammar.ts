/**
 * The one grammar of times: what a question, a filter and a memory read alike.
 *
 * From each word a fixed set of rules looks ahead over a few words, so the time is linear in the length of the text. What comes
 * out are moments, counted from now, and the terms that the same words are in a memory (`day-terms.ts`). A month, a weekday or a
 * date without its year is the latest that has begun; in a question for plans it is the next.
 */

import {
  bounded,
  DAY,
  EARLIEST_MS,
  HOUR,
  lengthOf,
  MEAN_MONTH,
  modulo,
  mondayOf,
  SATURDAY,
  type TimeRange,
  WEEK,
} from './calendar.ts';
import { Dates } from './dates.ts';
import { dateTerm, dayAway, daysFromMonday, monthAway, monthTerm, weekdayTerm } from './day-terms.ts';
import { DATE_SOFTNESS, type Found, type Span } from './reader.ts';
import { nearest, partly, stepped, weekly, yearly } from './recurrence.ts';
import { type Edge, type Meaning, STEPS, type Step, UNITS } from './words.ts';

/** "Last week" may mean the last seven days: soft by a quarter of its length. */
const PERIOD_SHARE = 1 / 4;
/** Distances are named in round numbers: the further back, the rounder. */
const DISTANCE_SHARE = 1 / 10;
const VAGUE_FACTOR = 2;
/** "Last Friday" may be that of this week or of the week before. */
const WEEKDAY_SOFTNESS = WEEK / 2;
/** A summer rarely begins on the first of June. */
const SEASON_SOFTNESS = MEAN_MONTH / 2;
const RECENT_DAYS = 14;
/** Of a longer range a memory does not mean each day. */
const MAX_RANGE_DAYS = 31;
/** Distances in memories: in days up to some weeks, and in months beyond. */
export const MAX_DAYS_AWAY = 60;
const MAX_LISTED = 14;

/** A name that comes back every year. */
interface YearlyName {
  readonly inYear: (year: number) => TimeRange | undefined;
  readonly terms: (year: number | undefined) => readonly string[];
  readonly softnessMs: number;
  readonly next: number;
}

export class Grammar extends Dates {
  /** A time, or a range from one to another, with the words before it that say how it is meant. */
  mention(at: number): Found | undefined {
    const { isBetween, edge } = this.meaning(at);
    if (isBetween === true) {
      const first = this.period(at + 1, true);
      // "Between 5 and 7 May" is one period already.
      return first && (this.#rangeFrom(first, 'and') ?? this.#rangeFrom(first, 'to') ?? first);
    }
    // "The week before Christmas" is not all that was before it.
    const bounds = edge !== undefined && !isNoun(this.meaning(at - 1)) ? this.#edge(at + 1, edge) : undefined;
    const found = bounds ?? this.period(at, false);
    return found && (this.#rangeFrom(found, 'to') ?? found);
  }

  /** The rest of a range: the year, month or week that one end lacks follows from the other. */
  #rangeFrom(first: Found, join: 'to' | 'and'): Found | undefined {
    const second = this.meaning(first.next).join === join ? this.period(first.next + 1, true) : undefined;
    if (!second) return undefined;
    const isOpen = second.every !== undefined && first.every === undefined;
    const end = (isOpen && nearest(second.every!, first.startMs, 1)) || second;
    const start = (first.every && nearest(first.every, end.startMs, -1)) || first;
    const range = {
      // "Between 2024 and 2022" is three years like any other.
      startMs: Math.min(start.startMs, end.startMs, first.other?.startMs ?? start.startMs),
      endMs: Math.max(start.endMs, end.endMs, second.other?.endMs ?? end.endMs),
    };
    const { date } = second;
    const terms = first.date && date ? this.#termsOfDays(range, date) : [...first.terms, ...second.terms];
    return this.found(range, second.next, terms, {
      softnessMs: Math.max(first.softnessMs, second.softnessMs),
      isReversed: join === 'to' && end.startMs < start.startMs,
      isAmbiguous: first.isAmbiguous === true || second.isAmbiguous === true,
    });
  }

  #termsOfDays({ startMs, endMs }: TimeRange, date: 'whole' | 'yearless'): readonly string[] {
    const first = this.calendar.dayOf(startMs);
    const count = this.calendar.dayOf(endMs) + 1 - first;
    return Array.from({ length: count > MAX_RANGE_DAYS ? 0 : count }, (_, at) => {
      const day = new Date((first + at) * DAY);
      const year = date === 'whole' ? day.getUTCFullYear() : undefined;
      return dateTerm(year, day.getUTCMonth(), day.getUTCDate());
    });
  }

  /** "Since May", "after 2020", "before last week". To those who ask for plans, what has no beginning is from now on. */
  #edge(at: number, edge: Edge): Found | undefined {
    const found = this.period(at, true);
    if (!found) return undefined;
    const { startMs, endMs, softnessMs, terms, next, isAmbiguous = false, other = found } = found;
    const isOfPlans = this.setting.side === 1;
    const early = isOfPlans ? this.nowMs : EARLIEST_MS;
    const late = isOfPlans ? Math.max(this.nowMs, endMs) : this.nowMs;
    const range = {
      through: { startMs: early, endMs },
      before: { startMs: early, endMs: Math.max(startMs, other.startMs) - 1 },
      from: { startMs: Math.min(startMs, other.startMs), endMs: late },
      after: { startMs: Math.min(endMs, other.endMs) + 1, endMs: late },
    }[edge];
    return this.found(range, next, terms, { softnessMs, isAmbiguous, isRelative: true });
  }

  /** One time. @param isPlaced whether it is known that a time stands here */
  period(at: number, isPlaced: boolean): Found | undefined {
    const found = this.#whole(this.skipThe(at), isPlaced);
    if (found === undefined) return undefined;
    const lengthMs = found.endMs - found.startMs;
    const partAt = this.skipThe(this.skip(found.next, 'in', 'am'));
    const { part } = this.meaning(partAt);
    if (part === undefined || lengthMs < 20 * HOUR || lengthMs > 25 * HOUR) return found;
    const hoursOf = (range: TimeRange): TimeRange =>
      this.calendar.hours(this.calendar.dayOf(range.startMs), ...part);
    const every = found.every && partly(found.every, hoursOf);
    return { ...found, ...hoursOf(found), every, next: partAt + 1 };
  }

  #whole(at: number, isPlaced: boolean): Found | undefined {
    const meaning = this.scan.meanings[at];
    if (meaning === undefined) {
      const isNumber = !Number.isNaN(this.digits(at));
      if (!isNumber) return undefined;
      return this.date(at, isPlaced) ?? this.#distance(at) ?? this.#year(at, isPlaced);
    }
    const { step, number, distance, ordinal, day, weekday } = meaning;
    if (step !== undefined && meaning.isBehind !== true) return this.#stepped(at, step);
    // "Early May", "the end of last year": all of it, softly.
    if (meaning.isPartly) {
      const next = this.skipThe(this.skip(at + 1, '-'));
      const isOther = this.meaning(next).isPartly || this.setting.reader === 'filter';
      return isOther ? undefined : this.#whole(next, true);
    }
    if (distance !== undefined) return this.#distance(at);
    if (number !== undefined) return this.#distance(at) ?? this.dayAndMonth(at, isPlaced);
    if (ordinal !== undefined) return this.dayAndMonth(at, isPlaced);
    const recent = { value: RECENT_DAYS, unit: 'day', isVague: true, next: at + 1 } as const;
    if (meaning.isRecent) return { ...this.rolling([recent], -1), isLoose: true };
    if (meaning.partOf !== undefined) return this.#partOf(at, meaning);
    if (meaning.isEvery) return this.#every(at);
    const behind = this.meaning(at + 1);
    if (behind.isBehind) return this.#noun(at, STEPS[behind.step!], behind.step!, at + 2);
    if (day !== undefined) return this.#namedDay(at, day);
    if (weekday !== undefined) return this.#weekday(at, weekday, isPlaced);
    if (meaning.isWeekend) return this.#weekend(at, isPlaced);
    return this.#inYear(at, isPlaced);
  }

  #namedDay(at: number, away: number): Found | undefined {
    const isOther =
      this.meaning(at).isDoubtful && !(this.word(at) === 'hier' ? this.#isFrench(at) : this.#isTomorrow(at));
    if (isOther) return undefined;
    return this.found(this.calendar.days(this.today + away, 1), at + 1, [dayAway(away)], {
      isRelative: true,
    });
  }

  /** In German, "hier" is a place. */
  #isFrench(at: number): boolean {
    if (this.scan.words.length === 1 || this.meaning(at + 1).part) return true;
    const text = this.scan.text.slice(Math.max(0, this.scan.from[at]! - NEAR), this.scan.to[at]! + NEAR);
    return FRENCH.test(text);
  }

  /** "Morgen" is a morning with a capital letter, and behind a day. */
  #isTomorrow(at: number): boolean {
    const { day, weekday, place, isThe, isEvery, step } = this.meaning(at - 1);
    if (day !== undefined || weekday !== undefined || place || isThe || isEvery || step) return false;
    return this.initial(at) === 'm' || (at === 0 && this.scan.words.length !== 2);
  }

  #partOf(at: number, { part, partOf }: Meaning): Found {
    let day = this.today + partOf!;
    // Up to its end in the morning, the night that is meant by "tonight" is the one under way.
    if (partOf === 0 && this.nowMs <= this.calendar.hours(day - 1, ...part!).endMs) day--;
    return this.found(this.calendar.hours(day, ...part!), at + 1, [dayAway(partOf!)], { isRelative: true });
  }

  /** "Last week", "next Monday", "this morning", "last 3 weeks". */
  #stepped(at: number, step: Step): Found | undefined {
    const spans = this.spans(at + 1);
    if (spans.length > 0) return step === 'this' ? undefined : this.rolling(spans, STEPS[step]);
    // "The last week of March" is of that March.
    const ofAt = this.meaning(at + 1).unit && this.meaning(at + 2).isOf ? this.skipThe(at + 3) : undefined;
    if (ofAt !== undefined) {
      if (this.setting.reader === 'filter') return undefined;
      const whole = this.meaning(ofAt).step === undefined ? this.#whole(ofAt, true) : undefined;
      if (whole) return whole;
    }
    return this.#noun(at + 1, STEPS[step], step, at + 2);
  }

  /** A period some steps from the present one: 0 this, −1 the last, −2 the one before. */
  #noun(at: number, step: number, said: Step, next: number): Found | undefined {
    const { calendar } = this;
    const { unit, part, weekday, isWeekend } = this.meaning(at);
    const monday = mondayOf(this.today) + step * 7;
    const month = calendar.monthOf(this.nowMs);
    const soft = (range: TimeRange, terms: readonly string[] = []): Found => {
      const softnessMs = Math.max(DATE_SOFTNESS, (range.endMs - range.startMs) * PERIOD_SHARE);
      return this.found(range, next, terms, { softnessMs, isRelative: true });
    };
    if (unit === 'week') {
      const day = this.skip(this.skip(this.skip(next, "'"), 's'), 'on', 'am');
      const { weekday: ofWeek, isDoubtful } = this.meaning(day);
      // "Last week on Monday", "last week's Monday".
      if (ofWeek !== undefined && !isDoubtful) return this.#weekdayOfWeek(ofWeek, step, day + 1);
      return soft(calendar.days(monday, 7), [daysFromMonday(step * 7, step * 7 + 6)]);
    }
    if (isWeekend) {
      const saturday = step * 7 + SATURDAY;
      return soft(calendar.days(monday + SATURDAY, 2), [daysFromMonday(saturday, saturday + 1)]);
    }
    if (unit === 'month') return soft(calendar.months(month + step, 1), [monthAway(step)]);
    if (unit === 'quarter') return soft(calendar.months(month - modulo(month, 3) + step * 3, 3));
    if (unit === 'year') return soft(calendar.months(month - modulo(month, 12) + step * 12, 12));
    if (part) return soft(calendar.hours(this.today + step, ...part), [dayAway(step)]);
    if (weekday !== undefined) return this.#steppedWeekday(weekday, step, said, next);
    const name = this.#yearlyName(at);
    const range = name && stepped(yearly(calendar, name.inYear), this.nowMs, step);
    if (!range) return undefined;
    const { softnessMs } = soft(range);
    return this.found(range, Math.max(next, name.next), name.terms(undefined), { softnessMs });
  }

  #steppedWeekday(weekday: number, step: number, said: Step, next: number): Found | undefined {
    const range = stepped(weekly(this.calendar, weekday), this.nowMs, step);
    if (!range) return undefined;
    const terms = [weekdayTerm(said === 'this' ? 'coming' : said, weekday)];
    const found = this.found(range, next, terms, { softnessMs: WEEKDAY_SOFTNESS, isRelative: true });
    // "Next Friday" is the one to come to some, and that of the week after to others.
    const ofNextWeek = this.calendar.days(mondayOf(this.today) + 7 + weekday, 1);
    return said === 'next' && ofNextWeek.startMs > range.startMs ? { ...found, other: ofNextWeek } : found;
  }

  #weekdayOfWeek(weekday: number, step: number, next: number): Found {
    const away = step * 7 + weekday;
    const range = this.calendar.days(mondayOf(this.today) + away, 1);
    return this.found(range, next, [daysFromMonday(away)], { isRelative: true });
  }

  /** "Tuesday": the latest before today. "Tuesday of last week". In "Tuesday, 5 May" the date says it. */
  #weekday(at: number, weekday: number, isPlaced: boolean): Found | undefined {
    const { place, isThe } = this.meaning(at - 1);
    const isSure = (isPlaced || this.isPlaced(at, 'day')) && !isThe && place !== 'month';
    if (this.meaning(at).isDoubtful && !isSure) return undefined;
    const restAt = this.skipThe(this.skip(at + 1, ',', 'of'));
    const date = this.date(restAt, true);
    if (date) return date;
    const { step } = this.meaning(restAt);
    if (step !== undefined && this.meaning(restAt + 1).unit === 'week')
      return this.#weekdayOfWeek(weekday, STEPS[step], restAt + 2);
    const every = weekly(this.calendar, weekday);
    const range = this.setting.side === 1 ? this.nearest(every) : stepped(every, this.nowMs, -1);
    // "The Friday meeting" has it in its name.
    const isLoose = !(isPlaced || this.isPlaced(at, 'day') || this.isFollowed(at + 1));
    return range && this.found(range, at + 1, [weekdayTerm('bare', weekday)], { every, isLoose });
  }

  #weekend(at: number, isPlaced: boolean): Found | undefined {
    const isThe = this.meaning(at - 1).isThe === true || this.isPlaced(at, 'day');
    const { edge, isOf } = this.meaning(at + 1);
    if (!(isPlaced || isThe) || edge === 'after' || edge === 'before' || isOf) return undefined;
    const terms = [daysFromMonday(SATURDAY, SATURDAY + 1)];
    return this.recurring(weekly(this.calendar, SATURDAY, 2), at + 1, terms, { isRelative: true });
  }

  /** "Every Tuesday and Friday", "Tuesdays": to others than memories it is no time, and an empty range. */
  #every(at: number): Found | undefined {
    const terms: string[] = [];
    const { weekday: first, weekly: ofWeek } = this.meaning(at);
    let next = first === undefined && ofWeek === undefined ? at + 1 : at;
    for (let place = next; terms.length < MAX_LISTED; place++) {
      const { weekday, weekly: all, part, join } = this.meaning(place);
      const [from, to] = all ?? (weekday === undefined ? [1, 0] : [weekday, weekday]);
      for (let day = from; day <= to; day++) terms.push(weekdayTerm('every', day));
      const isBridge = join === 'and' || this.word(place) === ',' || this.word(place) === 'or';
      if (from <= to || part) next = place + 1;
      else if (!isBridge || terms.length === 0) break;
    }
    return terms.length === 0 || this.setting.reader === 'filter'
      ? undefined
      : this.found({ startMs: 1, endMs: 0 }, next, terms);
  }

  /** "In 2022". */
  #year(at: number, isPlaced: boolean): Found | undefined {
    const year = this.yearAt(at);
    if (year === undefined || this.isGlued(at) || !(isPlaced || this.isPlaced(at, 'month'))) return undefined;
    const { unit, short } = this.meaning(at + 1);
    return unit || short ? undefined : this.found(this.calendar.months(year * 12, 12), at + 1);
  }

  /** A month, a season, a part of a year or a holiday by its name. */
  #yearlyName(at: number): YearlyName | undefined {
    const { month, season, holiday, yearPart } = this.meaning(at);
    const name = (first: number, count: number, more: Partial<YearlyName> = {}): YearlyName => ({
      inYear: (year) => this.calendar.months(year * 12 + first, count),
      ...{ terms: () => [], softnessMs: DATE_SOFTNESS, next: at + 1, ...more },
    });
    if (holiday)
      return name(0, 0, {
        inYear: (year) => this.calendar.date(year, ...holiday),
        terms: (year) => [dateTerm(year, ...holiday)],
      });
    if (month !== undefined) return name(month, 1, { terms: (year) => [monthTerm(year, month)] });
    if (season !== undefined) {
      const terms = (): string[] => [0, 1, 2].map((each) => monthTerm(undefined, (season + each) % 12));
      return name(season, 3, { softnessMs: SEASON_SOFTNESS, terms });
    }
    const number = yearPart !== undefined && this.isGlued(at + 1) ? this.digits(at + 1, 1) : Number.NaN;
    const isPart = number >= 1 && number <= 12 / yearPart!;
    return isPart ? name(yearPart! * (number - 1), yearPart!, { next: at + 2 }) : undefined;
  }

  #inYear(at: number, isPlaced: boolean): Found | undefined {
    const dated = this.monthAndDay(at, isPlaced);
    const name = dated ? undefined : this.#yearlyName(at);
    if (!name) return dated;
    const { season, isDoubtful, holiday } = this.meaning(at);
    const { year, next } = this.yearBehind(name.next);
    const isKnown = isPlaced || this.isPlaced(at, holiday ? 'day' : 'month') || year !== undefined;
    // "In the fall of Rome".
    const isOther = season !== undefined && year === undefined && this.meaning(at + 1).isOf;
    if ((isDoubtful && !isKnown) || isOther) return undefined;
    const { softnessMs } = name;
    if (year === undefined)
      return this.recurring(yearly(this.calendar, name.inYear), next, name.terms(year), { softnessMs });
    const range = name.inYear(year);
    return range && this.found(range, next, name.terms(year), { softnessMs });
  }

  /** The stretch of some spans up to now, or from now on. */
  rolling(spans: readonly Span[], step: number): Found {
    const edgeMs = this.#goSpans(spans, step);
    const { unit, next } = spans.at(-1)!;
    const range = { startMs: Math.min(edgeMs, this.nowMs), endMs: Math.max(edgeMs, this.nowMs) };
    const softnessMs = softnessOf(spans, this.nowMs - edgeMs, lengthOf(UNITS[unit]) * PERIOD_SHARE);
    return this.found(range, next, [], { softnessMs, isRelative: true });
  }

  #goSpans(spans: readonly Span[], step: number): number {
    const go = (ms: number, { value, unit }: Span): number =>
      this.calendar.goBack(ms, step < 0 ? value : -value, UNITS[unit]);
    return spans.reduce(go, this.nowMs);
  }

  /** "Two weeks ago", "vor drei Tagen", "in two weeks": to those who do not ask for plans, the last is a length. */
  #distance(at: number): Found | undefined {
    const lead = this.meaning(at).distance;
    const isLed = lead === 'agoBefore' || lead === 'aheadBefore' || lead === 'withinBefore';
    const spans = this.spans(isLed ? at + 1 : at);
    const last = spans.at(-1);
    if (!last) return undefined;
    if (lead === 'agoBefore') return this.#away(spans, -1, last.next);
    const behind = this.meaning(last.next);
    if (!isLed) {
      const step = behind.distance === 'ago' ? -1 : behind.distance === 'ahead' ? 1 : undefined;
      return step && this.#away(spans, step, last.next + 1);
    }
    const { reader, side } = this.setting;
    const isAhead = reader === 'memory' || (reader === 'question' && side === 1);
    // "In two weeks of rain".
    if (!isAhead || lengthOf(UNITS[last.unit]) < DAY || behind.isOf) return undefined;
    return lead === 'withinBefore' ? this.rolling(spans, 1) : this.#away(spans, 1, last.next);
  }

  /** A time some spans away, as exact as the smallest of them. */
  #away(spans: readonly Span[], step: 1 | -1, next: number): Found {
    const middleMs = this.#goSpans(spans, step);
    const { unit, value } = spans.at(-1)!;
    const unitMs = lengthOf(UNITS[unit]) / (Number.isInteger(value) ? 1 : 2);
    const leastMs = unitMs < DAY ? unitMs / 2 : Math.max(DATE_SOFTNESS, unitMs / 2);
    const softnessMs = softnessOf(spans, this.nowMs - middleMs, leastMs);
    const isVague = spans.some((span) => span.isVague);
    // A time to come has hard edges: "in a few days" takes its softness in.
    const beside = Math.floor(unitMs / DAY / 2) + (step === 1 && isVague ? Math.round(softnessMs / DAY) : 0);
    const range =
      unitMs < DAY
        ? { startMs: middleMs - unitMs / 2, endMs: middleMs + unitMs / 2 }
        : this.calendar.days(this.calendar.dayOf(middleMs) - beside, 2 * beside + 1);
    const terms = isVague ? [] : termsOfDistance(spans, step);
    return this.found(bounded(range), next, terms, { softnessMs, isRelative: true });
  }
}

/** As far as "hier" looks for its language. */
const NEAR = 80;
const FRENCH =
  /\b(?:je|j['’]|nous|vous|on|qu['’]|que|quoi|quand|qui|est|ai|avons|avez|avec|fait)(?![\p{L}\d])/iu;

function softnessOf(spans: readonly Span[], distanceMs: number, leastMs: number): number {
  const factor = spans.some(({ isVague }) => isVague) ? VAGUE_FACTOR : 1;
  return Math.max(leastMs, Math.abs(distanceMs) * DISTANCE_SHARE) * factor;
}

function termsOfDistance(spans: readonly Span[], step: 1 | -1): readonly string[] {
  const [{ value, unit }] = spans as [Span];
  if (spans.length > 1 || !Number.isInteger(value)) return [];
  if (unit === 'month') return [monthAway(step * value)];
  const days = (value * UNITS[unit].ms) / DAY;
  return days >= 1 && days <= MAX_DAYS_AWAY ? [dayAway(step * days)] : [];
}

/** Whether it is a period of the calendar. */
function isNoun({ unit, weekday, isWeekend, season, month }: Meaning): boolean {
  return [unit, weekday, isWeekend, season, month].some((each) => each !== undefined);
}
