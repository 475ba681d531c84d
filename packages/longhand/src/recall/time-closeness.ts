/**
 * How close memories are to the times that a query speaks of: by when they were written, and by the days that they speak of
 * (`spoken-days.ts`).
 */

import type { Days } from './day-holders.ts';
import type { Part } from './part.ts';
import { MAX_STATED_DAYS, SpokenDays } from './spoken-days.ts';
import { DAY, HOUR } from './time/calendar.ts';
import type { AskedTimes } from './time-alone.ts';
import { type Calendar, closestMention, type TimeMention } from './time-expression.ts';
import { WRITTEN_OF_PLANS } from './weights.ts';

/** Of a shorter time than a morning nobody speaks by its day: "an hour ago" is about when it was written. */
const SHORTEST_SPOKEN_HOURS = 4;

export class TimeCloseness {
  readonly spokenDays: SpokenDays;
  readonly #mentions: readonly TimeMention[];
  readonly #days: readonly Days[];
  readonly #writtenShare: number;
  /** Part → how surely its documents speak of these times; only of the parts that were asked for. */
  readonly #spoken = new Map<Part, ReadonlyMap<number, number>>();
  readonly hasMentions: boolean;

  /** @param calendar of the place where it is asked */
  constructor({ mentions, isOfPlans }: AskedTimes, calendar: Calendar) {
    this.#mentions = mentions;
    this.#writtenShare = isOfPlans ? WRITTEN_OF_PLANS : 1;
    this.spokenDays = new SpokenDays(calendar);
    this.#days = mentions.flatMap((mention) => daysOf(mention, calendar));
    this.hasMentions = mentions.length > 0;
  }

  /** 1 for what is of such a time, 0 where none is named. */
  of(part: Part, document: number): number {
    if (!this.hasMentions) return 0;
    const spoken = this.#spokenIn(part).get(document) ?? 0;
    return Math.max(spoken, this.#writtenShare * closestMention(this.#mentions, part.time[document]!));
  }

  #spokenIn(part: Part): ReadonlyMap<number, number> {
    let spoken = this.#spoken.get(part);
    if (spoken === undefined) {
      const all = new Map<number, number>();
      for (const days of this.#days) {
        for (const [document, surely] of this.spokenDays.of(part, days)) {
          all.set(document, Math.max(surely, all.get(document) ?? 0));
        }
      }
      spoken = all;
      this.#spoken.set(part, spoken);
    }
    return spoken;
  }
}

/** The days of a time; none of one that is too short or too long. A night is of the day on which it begins. */
function daysOf({ startMs, endMs }: TimeMention, calendar: Calendar): readonly Days[] {
  const lengthMs = endMs + 1 - startMs;
  if (lengthMs < SHORTEST_SPOKEN_HOURS * HOUR || lengthMs > MAX_STATED_DAYS * DAY) return [];
  const first = calendar.dayOf(startMs);
  const isPartOfDay = lengthMs <= DAY / 2;
  return [{ first, last: isPartOfDay ? first : calendar.dayOf(endMs) }];
}
