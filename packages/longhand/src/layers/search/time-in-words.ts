import { ValidationError } from '../../core/errors.ts';
import { calendarOf, parseWithin } from '../../time/index.ts';

/**
 * The moments that a time in words begins and ends with, both of which belong to it.
 * @throws ValidationError INVALID_QUERY
 */
export function timeInWords(
  within: string,
  nowMs: number,
  timeZone: string,
): { readonly startMs: number; readonly endMs: number } {
  const parsed = parseWithin(within, nowMs, calendarOf(timeZone));
  if (!parsed.ok)
    throw new ValidationError('INVALID_QUERY', parsed.message, { details: { field: 'within' } });
  return parsed.range;
}
