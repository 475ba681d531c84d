/**
 * What a text says of days, as terms for the index.
 *
 * A term does not depend on when the text was written, nor on where it is read: "tomorrow" is the day after that of writing,
 * wherever that began. `spoken-days.ts` reads them again, together with the time of writing.
 */

export type SpokenWeekday = 'bare' | 'last' | 'coming' | 'next' | 'every';

export const dayAway = (days: number): string => `d${days}`;
/** Days counted from the Monday of the week of writing. */
export const daysFromMonday = (first: number, last = first): string => `w${first}~${last}`;
export const monthAway = (months: number): string => `m${months}`;
export const weekdayTerm = (which: SpokenWeekday, weekday: number): string => `${which} ${weekday}`;
/** @param month 0 for January */
export const dateTerm = (year: number | undefined, month: number, day: number): string =>
  `${year ?? ''}-${month + 1}-${day}`;
export const monthTerm = (year: number | undefined, month: number): string => `${year ?? ''}-${month + 1}`;
/** A day without its month: "on the 18th". */
export const numberedDay = (day: number): string => `${day}.`;
/** "On the 18th of every month". */
export const everyMonth = (day: number): string => `every ${day}.`;
/** A text that says any time at all. */
export const SAYS_TIME = '*';
