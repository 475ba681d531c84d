/**
 * Time in words: what a question, a filter and a memory say of times and days. A week begins on Monday, seasons are the northern
 * ones, and ranges include both ends. Everything takes linear time.
 */

export { type Calendar, calendarOf, DAY, HOUR, UTC_CALENDAR } from './calendar.ts';
export { SAYS_TIME } from './day-terms.ts';
export { asksForPlans, asksWhen, closeness, MAX_MENTIONS, type TimeMention, timesIn } from './mentions.ts';
export { daysIn, MAX_ASKED_DAYS, type SpokenTerm, spokenOf } from './spoken-days.ts';
export { parseWithin, type WithinProblem, type WithinResult } from './within.ts';
