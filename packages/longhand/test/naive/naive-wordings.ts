/**
 * Times in words, each with what it means by the calendar of a place: "Times in words" in docs/queries.md, and "Times that a
 * question names" in docs/scoring.md for their softness.
 */

import fc from 'fast-check';
import { DAY_MS, type NaiveZone } from './naive-zone.ts';

const HOUR_MS = 3_600_000;
const WEEK_MS = 7 * DAY_MS;
const MONTH_MS = (365.2425 / 12) * DAY_MS;
/** No time reaches further back. */
const EARLIEST_MS = Date.UTC(1000, 0, 1);

export interface NaiveRange {
  readonly startMs: number;
  readonly endMs: number;
}

interface SoftRange extends NaiveRange {
  readonly softnessMs: number;
}

type Meaning<Range> = (place: NaivePlace) => Range;

export interface NaiveWording {
  /** As a question says it. */
  readonly text: string;
  /** Whether it has a name or number in the calendar. */
  readonly isDate: boolean;
  readonly asked: Meaning<SoftRange>;
  /** As a filter says it, and what it means there. */
  readonly filter: string;
  readonly within: Meaning<NaiveRange>;
}

/** A moment in a place. Days are the beginnings of the same days in UTC. */
export class NaivePlace {
  readonly zone: NaiveZone;
  readonly nowMs: number;
  readonly today: number;

  constructor(zone: NaiveZone, nowMs: number) {
    this.zone = zone;
    this.nowMs = nowMs;
    this.today = zone.dayOf(nowMs);
  }

  days(first: number, last = first): NaiveRange {
    return this.zone.days(first, last);
  }

  hours(day: number, from: number, to: number): NaiveRange {
    const at = (hour: number): number => this.zone.momentOf(day + hour * HOUR_MS);
    return { startMs: at(from), endMs: at(to) - 1 };
  }

  /** Some months from a first one on. */
  months(year: number, month: number, count: number): NaiveRange {
    return this.days(Date.UTC(year, month, 1), Date.UTC(year, month + count, 0));
  }

  get year(): number {
    return new Date(this.today).getUTCFullYear();
  }

  get month(): number {
    return new Date(this.today).getUTCMonth();
  }

  get monday(): number {
    return this.today - ((new Date(this.today).getUTCDay() + 6) % 7) * DAY_MS;
  }

  /** The same time of the day, some days or months before; of a shorter month its last day. */
  before(days: number, months = 0): number {
    const timeOfDay = this.zone.wallOf(this.nowMs) - this.today;
    const date = new Date(this.today).getUTCDate();
    const lastOfMonth = new Date(Date.UTC(this.year, this.month - months + 1, 0)).getUTCDate();
    const day =
      months === 0 ? this.today : Date.UTC(this.year, this.month - months, Math.min(date, lastOfMonth));
    return this.zone.momentOf(day - days * DAY_MS + timeOfDay);
  }

  /** The latest of what comes back every year that has begun. */
  latest(inYear: (year: number) => NaiveRange): NaiveRange {
    const years = [this.year + 1, this.year, this.year - 1, this.year - 2];
    return years.map(inYear).find(({ startMs }) => startMs <= this.nowMs)!;
  }

  /** The latest before today. @param weekday 0 for Sunday */
  weekday(weekday: number): number {
    const back = (new Date(this.today).getUTCDay() - weekday + 6) % 7;
    return this.today - (back + 1) * DAY_MS;
  }
}

const softDay = (range: NaiveRange): SoftRange => ({ ...range, softnessMs: DAY_MS });
const softPeriod = (range: NaiveRange): SoftRange => ({
  ...range,
  softnessMs: Math.max(DAY_MS, (range.endMs - range.startMs) / 4),
});

/** What a question and a filter take alike. */
function both(text: string, isDate: boolean, asked: Meaning<SoftRange>, filter = text): NaiveWording {
  return { text, isDate, asked, filter, within: asked };
}

const day = (text: string, daysAgo: number): NaiveWording =>
  both(text, false, (place) => softDay(place.days(place.today - daysAgo * DAY_MS)));

/** The days around one, half a unit on each side. */
function around(place: NaivePlace, middleMs: number, unitMs: number): SoftRange {
  const beside = Math.floor(unitMs / DAY_MS / 2) * DAY_MS;
  const middle = place.zone.dayOf(middleMs);
  const softnessMs = Math.max(DAY_MS, unitMs / 2, (place.nowMs - middleMs) / 10);
  return { ...place.days(middle - beside, middle + beside), softnessMs };
}

/** Up to now. */
function stretch(place: NaivePlace, startMs: number, unitMs: number): SoftRange {
  const { nowMs } = place;
  return { startMs, endMs: nowMs, softnessMs: Math.max(unitMs / 4, (nowMs - startMs) / 10) };
}

const DISTANCES = fc.integer({ min: 1, max: 30 }).chain((count) =>
  fc.constantFrom(
    both(`${count} days ago`, false, (place) => around(place, place.before(count), DAY_MS)),
    both(`${count} weeks ago`, false, (place) => around(place, place.before(7 * count), WEEK_MS)),
    both(`${count} months ago`, false, (place) => around(place, place.before(0, count), MONTH_MS)),
    both(`${count} years ago`, false, (place) => around(place, place.before(0, 12 * count), 12 * MONTH_MS)),
    both(`${count} hours ago`, false, ({ nowMs }) => {
      const middleMs = nowMs - count * HOUR_MS;
      const softnessMs = Math.max(HOUR_MS / 2, (count * HOUR_MS) / 10);
      return { startMs: middleMs - HOUR_MS / 2, endMs: middleMs + HOUR_MS / 2, softnessMs };
    }),
  ),
);

/** What those mean who ask for plans. */
export const wordingAhead: fc.Arbitrary<Pick<NaiveWording, 'text'> & { asked: Meaning<NaiveRange> }> = fc
  .integer({ min: 2, max: 30 })
  .chain((count) => {
    const at =
      (days: number, beside: number): Meaning<NaiveRange> =>
      (place) => {
        const middle = place.zone.dayOf(place.before(-days));
        return place.days(middle - beside * DAY_MS, middle + beside * DAY_MS);
      };
    const upTo = (place: NaivePlace): NaiveRange => ({ startMs: place.nowMs, endMs: place.before(-count) });
    return fc.constantFrom(
      ...[`in ${count} days`, `in ${count} Tagen`, `dans ${count} jours`].map((text) => {
        return { text, asked: at(count, 0) };
      }),
      ...[`in ${count} weeks`, `in ${count} Wochen`].map((text) => ({ text, asked: at(7 * count, 3) })),
      ...[`within ${count} days`, `innerhalb von ${count} Tagen`].map((text) => ({ text, asked: upTo })),
    );
  });

const STRETCHES = fc.integer({ min: 1, max: 60 }).chain((count) =>
  fc.constantFrom(
    both(
      `in the last ${count} hours`,
      false,
      (place) => stretch(place, place.nowMs - count * HOUR_MS, HOUR_MS),
      `${count}h`,
    ),
    both(
      `in the last ${count} days`,
      false,
      (place) => stretch(place, place.before(count), DAY_MS),
      `P${count}D`,
    ),
    both(`in the past ${count} weeks`, false, (place) => stretch(place, place.before(7 * count), WEEK_MS)),
    both(
      `in the last ${count} months`,
      false,
      (place) => stretch(place, place.before(0, count), MONTH_MS),
      `${count} months`,
    ),
  ),
);

const week = (place: NaivePlace, step: number): NaiveRange =>
  place.days(place.monday + step * WEEK_MS, place.monday + (step + 1) * WEEK_MS - DAY_MS);
const quarter = (place: NaivePlace, step: number): NaiveRange =>
  place.months(place.year, place.month - (place.month % 3) + 3 * step, 3);

/** Periods of the calendar. As a filter, the last week, month and year reach up to now. */
const PERIODS: readonly NaiveWording[] = [
  ...['last week', 'letzte Woche', 'semaine dernière'].map((text) => ({
    ...both(text, false, (place) => softPeriod(week(place, -1))),
    within: (place: NaivePlace) => stretch(place, place.before(7), WEEK_MS),
  })),
  both('this week', false, (place) => softPeriod(week(place, 0))),
  both('next week', false, (place) => softPeriod(week(place, 1))),
  {
    ...both('last month', false, (place) => softPeriod(place.months(place.year, place.month - 1, 1))),
    within: (place) => stretch(place, place.before(0, 1), MONTH_MS),
  },
  both('this month', false, (place) => softPeriod(place.months(place.year, place.month, 1))),
  {
    ...both('last year', false, (place) => softPeriod(place.months(place.year - 1, 0, 12))),
    within: (place) => stretch(place, place.before(0, 12), 12 * MONTH_MS),
  },
  both('this year', false, (place) => softPeriod(place.months(place.year, 0, 12))),
  both('last quarter', false, (place) => softPeriod(quarter(place, -1))),
  both('this quarter', false, (place) => softPeriod(quarter(place, 0))),
  both('last weekend', false, (place) =>
    softPeriod(place.days(place.monday - 2 * DAY_MS, place.monday - DAY_MS)),
  ),
];

const NAMED_DAYS: readonly NaiveWording[] = [
  ...['today', 'heute'].map((text) => day(text, 0)),
  ...['yesterday', 'gestern'].map((text) => day(text, 1)),
  ...['day before yesterday', 'vorgestern'].map((text) => day(text, 2)),
  day('tomorrow', -1),
  ...['vor drei Tagen', 'il y a trois jours'].map((text) =>
    both(text, false, (place) => around(place, place.before(3), DAY_MS)),
  ),
];

/** From 4 to 12, from 17 to 24, and from 18 to 6 o'clock. */
const PARTS_OF_DAYS: readonly NaiveWording[] = [
  both('this morning', false, (place) => softPeriod(place.hours(place.today, 4, 12))),
  both('this afternoon', false, (place) => softPeriod(place.hours(place.today, 12, 18))),
  both('yesterday evening', false, (place) => softPeriod(place.hours(place.today - DAY_MS, 17, 24))),
  both('last night', false, (place) => softPeriod(place.hours(place.today - DAY_MS, 18, 30))),
  both('tonight', false, (place) => {
    // Up to six o'clock it is the night under way.
    const isStillNight = place.zone.wallOf(place.nowMs) - place.today < 6 * HOUR_MS;
    return softDay(place.hours(place.today - (isStillNight ? DAY_MS : 0), 18, 30));
  }),
  both('earlier today', false, (place) => softDay({ ...place.days(place.today), endMs: place.nowMs })),
];

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const ON_WEEKDAYS = fc.nat(6).chain((number) => {
  const name = WEEKDAYS[number]!;
  const fromMonday = ((number + 6) % 7) * DAY_MS;
  return fc.constantFrom(
    both(`on ${name}`, false, (place) => softDay(place.days(place.weekday(number))), name),
    both(`last ${name}`, false, (place) => ({
      ...place.days(place.weekday(number)),
      softnessMs: WEEK_MS / 2,
    })),
    both(`${name} last week`, false, (place) => softDay(place.days(place.monday - WEEK_MS + fromMonday))),
    both(`since ${name}`, false, (place) => {
      return softDay({ startMs: place.days(place.weekday(number)).startMs, endMs: place.nowMs });
    }),
  );
});

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** Days of a year that is over everywhere. */
const DATES = fc.integer({ min: 0, max: 340 }).chain((number) => {
  const date = new Date(Date.UTC(2025, 0, 1 + number));
  const [dayOfMonth, month] = [date.getUTCDate(), date.getUTCMonth()];
  const iso = date.toISOString().slice(0, 10);
  const name = MONTHS[month]!;
  const whole = (place: NaivePlace): NaiveRange => place.days(date.getTime());
  return fc.constantFrom(
    both(iso, true, (place) => softDay(whole(place))),
    both(
      `on ${dayOfMonth} ${name} 2025`,
      true,
      (place) => softDay(whole(place)),
      `${dayOfMonth} ${name} 2025`,
    ),
    both(`on ${name} ${dayOfMonth}`, true, (place) =>
      softDay(place.latest((year) => place.days(Date.UTC(year, month, dayOfMonth)))),
    ),
    both(`since ${iso}`, true, (place) => softDay({ startMs: whole(place).startMs, endMs: place.nowMs })),
    both(`after ${iso}`, true, (place) => softDay({ startMs: whole(place).endMs + 1, endMs: place.nowMs })),
    both(`before ${iso}`, true, (place) =>
      softDay({ startMs: EARLIEST_MS, endMs: whole(place).startMs - 1 }),
    ),
  );
});

/** The third of a month, in days. */
function third(place: NaivePlace, year: number, month: number, number: number): NaiveRange {
  const first = Date.UTC(year, month, 1);
  const count = (Date.UTC(year, month + 1, 1) - first) / DAY_MS;
  const from = Math.floor((count * number) / 3);
  const to = Math.floor((count * (number + 1)) / 3);
  return place.days(first + from * DAY_MS, first + (to - 1) * DAY_MS);
}

const NAMED_MONTHS = fc.nat(11).chain((month) => {
  const name = MONTHS[month]!;
  const latest = (place: NaivePlace): NaiveRange => place.latest((year) => place.months(year, month, 1));
  return fc.constantFrom(
    both(`in ${name}`, true, (place) => softDay(latest(place))),
    both(`in ${name} 2025`, true, (place) => softDay(place.months(2025, month, 1)), `${name} 2025`),
    ...['early', 'mid', 'late'].map((part, number) =>
      both(`${part} ${name}`, true, (place) =>
        softPeriod(place.latest((year) => third(place, year, month, number))),
      ),
    ),
    both(`Q${Math.floor(month / 3) + 1} 2025`, true, (place) =>
      softDay(place.months(2025, month - (month % 3), 3)),
    ),
  );
});

export const wording: fc.Arbitrary<NaiveWording> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...NAMED_DAYS) },
  { weight: 2, arbitrary: fc.constantFrom(...PERIODS) },
  { weight: 2, arbitrary: fc.constantFrom(...PARTS_OF_DAYS) },
  DISTANCES,
  STRETCHES,
  ON_WEEKDAYS,
  DATES,
  NAMED_MONTHS,
);
