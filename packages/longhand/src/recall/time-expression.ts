/**
 * Time in words.
 *
 * Two readers share one grammar. `parseWithin` reads a filter that a program or a person typed (`last week`,
 * `24h`, `since 2026-01-01`): the whole text must be understood, and what is not is an error value that says
 * what would be. `findTimeMentions` looks into a question ("what did I plant two weeks ago?") and takes what it
 * understands, each mention with a softness, because people count roughly.
 *
 * The same words mean a little different things to the two. As a filter, `last week` is the seven days up to
 * now: nothing recent is left out. In a question it is the calendar week before this one, softly. What has a name
 * in the calendar and is no length of time (`last quarter`, `last weekend`, `last summer`) is the same to both.
 *
 * Days begin and end where the calendar is at home, which is UTC unless somebody says otherwise; what comes out are moments. A
 * week begins on Monday, seasons are the northern ones, and a month, a quarter, a holiday or
 * a day without its year or month is the latest one that has begun: questions to a memory look back. Ranges include
 * both ends.
 *
 * The text is cut into words once; from each word a fixed set of rules looks ahead over a few words. No rule
 * looks back further than two words and none repeats without bound, so the time is linear in the length of the text, whatever it says.
 */

export { type Calendar, EARLIEST_MS, LATEST_MS, type TimeRange } from './time/calendar.ts';
export {
  closestMention,
  findTimeMentions,
  MAX_MENTIONS,
  mentionCloseness,
  type TimeMention,
} from './time/mentions.ts';
export { parseWithin, type WithinProblem, type WithinResult } from './time/within.ts';
export { calendarOf } from './time/zones.ts';
