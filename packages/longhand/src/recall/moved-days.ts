/**
 * Documents that have another day in the place where it is asked than in UTC, which the index goes by: those that were written
 * around midnight. Looked for once in each part, because every look at the clocks of a place costs.
 */

import { dateText } from './entry-text.ts';
import { WRITTEN_MARK } from './lexicon.ts';
import type { Part } from './part.ts';
import { type Calendar, DAY, UTC_CALENDAR } from './time/calendar.ts';
import { termOf } from './words.ts';

export interface MovedDays {
  /** Ascending. */
  readonly documents: readonly number[];
  /** Of each: its day in the place, as a number. */
  readonly days: readonly number[];
}

interface Kept {
  readonly calendar: Calendar;
  readonly documents: number[];
  readonly days: number[];
  /** So many documents were looked at: a part grows. */
  seen: number;
}

const NONE: MovedDays = { documents: [], days: [] };

/** Of the place that was asked from last: most stores are asked from one. */
const keptByPart = new WeakMap<Part, Kept>();

/** The words of those days, by their stems and as dates write them: texts may hold none of them. */
export function termsOfMovedDays(part: Part, calendar: Calendar): ReadonlySet<string> {
  const days = new Set(movedDays(part, calendar).days);
  const words = new Set([...days].flatMap((day) => dateText(day * DAY).split(' ')));
  return new Set([...words].flatMap((word) => [termOf(word), WRITTEN_MARK + word]));
}

export function movedDays(part: Part, calendar: Calendar): MovedDays {
  if (calendar === UTC_CALENDAR) return NONE;
  let kept = keptByPart.get(part);
  if (kept?.calendar !== calendar) {
    kept = { calendar, documents: [], days: [], seen: 0 };
    keptByPart.set(part, kept);
  }
  for (; kept.seen < part.count; kept.seen++) {
    const ms = part.time[kept.seen]!;
    if (Number.isNaN(ms)) continue;
    const day = calendar.dayOf(ms);
    if (day === Math.floor(ms / DAY)) continue;
    kept.documents.push(kept.seen);
    kept.days.push(day);
  }
  return kept;
}
