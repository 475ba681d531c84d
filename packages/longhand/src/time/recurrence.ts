import { type Calendar, modulo, mondayOf, type TimeRange } from './calendar.ts';

/** What comes back in every turn of a year, a month or a week: "May", "the 3rd", "Monday". */
export interface Recurrence {
  /** The number of the turn that a moment lies in. */
  readonly turnOf: (ms: number) => number;
  /** What it is in that turn: not every year has a 29 February. */
  readonly inTurn: (turn: number) => TimeRange | undefined;
}

/** A leap day may be eight years away, and nothing else is further. */
const MAX_TURNS_AWAY = 8;

export const yearly = (calendar: Calendar, inTurn: Recurrence['inTurn']): Recurrence => ({
  turnOf: (ms) => calendar.yearOf(ms),
  inTurn,
});

export const monthly = (calendar: Calendar, day: number): Recurrence => ({
  turnOf: (ms) => calendar.monthOf(ms),
  inTurn: (month) => calendar.date(Math.floor(month / 12), modulo(month, 12), day),
});

/** Some days of each week. Weeks are counted by their Mondays; the first day of 1970 was a Thursday. */
export const weekly = (calendar: Calendar, weekday: number, days = 1): Recurrence => ({
  turnOf: (ms) => (mondayOf(calendar.dayOf(ms)) + 3) / 7,
  inTurn: (week) => calendar.days(week * 7 - 3 + weekday, days),
});

/** The part of each turn that `part` takes. */
export const partly = (whole: Recurrence, part: (range: TimeRange) => TimeRange): Recurrence => ({
  turnOf: whole.turnOf,
  inTurn: (turn) => {
    const range = whole.inTurn(turn);
    return range && part(range);
  },
});

/** The turn that begins nearest to a moment, at it or on one side of it. */
function nearestTurn({ turnOf, inTurn }: Recurrence, ms: number, side: 1 | -1): number {
  const turn = turnOf(ms);
  for (let away = 0; away <= MAX_TURNS_AWAY; away++) {
    const range = inTurn(turn + side * away);
    if (range && (range.startMs - ms) * side >= 0) return turn + side * away;
  }
  return Number.NaN;
}

/** What begins nearest to a moment: 1 from it on, −1 up to it. */
export function nearest(every: Recurrence, ms: number, side: 1 | -1): TimeRange | undefined {
  const turn = nearestTurn(every, ms, side);
  return Number.isNaN(turn) ? undefined : every.inTurn(turn);
}

/** Some steps from the present one: −1 the last that is over, 0 the one under way or of this turn, 1 the next to begin. */
export function stepped(every: Recurrence, nowMs: number, step: number): TimeRange | undefined {
  const begun = nearest(every, nowMs, -1);
  if (!begun) return undefined;
  const isOver = begun.endMs < nowMs;
  if (step === 0) return isOver ? every.inTurn(every.turnOf(nowMs)) : begun;
  return every.inTurn(nearestTurn(every, nowMs, -1) + step + (step < 0 && isOver ? 1 : 0));
}
