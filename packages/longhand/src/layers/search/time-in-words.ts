import type { TimeRange } from '../../core/day-range.ts';
import { ValidationError } from '../../core/errors.ts';
import { type MemoryQuery, parseQuery } from '../../core/query.ts';
import { formatTimestamp } from '../../core/timestamps.ts';
import { calendarOf, parseWithin, timesIn } from '../../time/index.ts';
import type { LayerContext } from '../layer-context.ts';
import { refuseUnknownOptions } from '../memories/sessions.ts';
import { momentsOf } from '../whole-days.ts';

/**
 * The moments that a time in words begins and ends with, both of which belong to it.
 * @throws ValidationError INVALID_QUERY
 */
export function timeInWords(within: string, nowMs: number, timeZone: string) {
  const parsed = parseWithin(within, nowMs, calendarOf(timeZone));
  if (!parsed.ok)
    throw new ValidationError('INVALID_QUERY', parsed.message, { details: { field: 'within' } });
  return parsed.range;
}

/** Whether a question names a time, whichever it is. */
export const namesTime = (text: string): boolean => timesIn(text, 0, calendarOf('UTC')).length > 0;

/**
 * The moments that a time in words or a range with days in it begins and ends with, ISO 8601.
 * @throws ValidationError INVALID_QUERY for words; INVALID_TIMESTAMP, INVALID_OPTION for a range
 */
export function timeRangeOf(
  { clock, config }: Pick<LayerContext, 'clock' | 'config'>,
  time: string | TimeRange,
  options: Pick<MemoryQuery, 'now' | 'timeZone'>,
): { readonly start: string; readonly end: string } {
  refuseUnknownOptions(options, ['now', 'timeZone']);
  const isRange = typeof time === 'object' && time !== null;
  const { nowMs, timeZone } = parseQuery(isRange ? options : { within: time ?? null, ...options });
  const zone = timeZone ?? config.time_zone;
  const { startMs, endMs } = isRange
    ? momentsOf(time, zone, '')
    : timeInWords(time, nowMs ?? clock.now(), zone);
  return { start: formatTimestamp(startMs), end: formatTimestamp(endMs) };
}
