import { SYSTEM_TIME_ZONE } from 'longhand';
import { hasCode } from '../has-code.ts';
import { UsageError } from './command.ts';
import type { CommandContext } from './command-context.ts';

/** Times of options, in the words that --within takes, or exact. Days are those of where the command runs. */

interface NamedTime {
  readonly start: string;
  readonly end: string;
  /** A length of time, or one that is open to now: it has no end of its own. */
  readonly isUntilNow: boolean;
}

async function timeOf(option: string, words: string, context: CommandContext): Promise<NamedTime> {
  const now = new Date();
  try {
    const range = await (await context.manager()).timeRangeOf(words, { now });
    return { ...range, isUntilNow: range.end === now.toISOString() };
  } catch (error) {
    if (!hasCode(error, 'INVALID_QUERY')) throw error;
    throw new UsageError(`--${option} ${JSON.stringify(words)}: ${error.message}`, { cause: error });
  }
}

/**
 * A moment as the clocks of a zone show it, with how far they are from UTC: `2026-05-14 00:00:00 UTC+2`.
 * @param timeZone that of the machine when left out
 */
export function onTheClock(moment: string, timeZone?: string): string {
  const zone = timeZone === undefined || timeZone === SYSTEM_TIME_ZONE ? {} : { timeZone };
  const format = new Intl.DateTimeFormat('sv-SE', { ...zone, dateStyle: 'short', timeStyle: 'medium' });
  const offset = new Intl.DateTimeFormat('en', { ...zone, timeZoneName: 'shortOffset' });
  const date = new Date(moment);
  const { value } = offset.formatToParts(date).find(({ type }) => type === 'timeZoneName')!;
  return `${format.format(date)} ${value.replace('GMT', 'UTC')}`;
}

/** @throws UsageError */
export async function beginningOf(option: string, words: string, context: CommandContext): Promise<string> {
  return (await timeOf(option, words, context)).start;
}

/** @throws UsageError, also for what has no end of its own: `24h` may mean that it ends then, or now */
export async function endOf(option: string, words: string, context: CommandContext): Promise<string> {
  const { end, isUntilNow } = await timeOf(option, words, context);
  if (!isUntilNow) return end;
  throw new UsageError(
    `--${option} ${JSON.stringify(words)} names no end. Say a day, such as today, yesterday or 2026-01-10, or a time, such as 2026-01-10T14:30:00Z.`,
  );
}

/** The moment that is meant by an earlier time: the end of a day, and a day ago for `24h`. @throws UsageError */
export async function momentOf(option: string, words: string, context: CommandContext): Promise<string> {
  const { start, end, isUntilNow } = await timeOf(option, words, context);
  return isUntilNow ? start : end;
}
