import { ValidationError } from './errors.ts';

const ISO_8601 = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;
const FORMATTED_CHARACTERS = '2026-01-10T14:23:45.678Z'.length;

const EARLIEST_MS = Date.parse('0000-01-01T00:00:00.000Z');
const LATEST_MS = Date.parse('9999-12-31T23:59:59.999Z');

/** The nearest moment that can be written as text and read again. */
export function clampTimestamp(ms: number): number {
  return Math.min(Math.max(ms, EARLIEST_MS), LATEST_MS);
}

/**
 * A date, or ISO 8601 text with its zone (a date alone is midnight UTC), in milliseconds.
 * @throws ValidationError INVALID_TIMESTAMP
 */
export function parseTimestamp(value: unknown, name = 'timestamp'): number {
  // As text alone they must be readable again, and a year of five digits is not.
  if (value instanceof Date && EARLIEST_MS <= value.getTime() && value.getTime() <= LATEST_MS) {
    return value.getTime();
  }
  if (typeof value === 'string' && ISO_8601.test(value) && isDayOfMonth(value)) {
    const ms = Date.parse(value);
    if (isAsFormatted(value)) lastFormatted = { ms, text: value };
    if (Number.isFinite(ms)) return ms;
  }
  throw new ValidationError(
    'INVALID_TIMESTAMP',
    `The ${name} must be a Date of the years 0 to 9999 or ISO 8601 text with a time zone, such as 2026-01-10T14:23:45.678Z.`,
    // One of many is named in words ("timestamp of message 3"), and is no field.
    name.includes(' ') ? {} : { details: { field: name } },
  );
}

/** The engine takes 30 February for 2 March. */
function isDayOfMonth(text: string): boolean {
  const day = Number(text.slice(8, 10));
  if (day <= 28) return true;
  const [year, month] = [Number(text.slice(0, 4)), Number(text.slice(5, 7))];
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}

/** Whether ISO 8601 is written as `formatTimestamp` does. The engine takes hour 24 for the next day. */
function isAsFormatted(text: string): boolean {
  return text.length === FORMATTED_CHARACTERS && text.endsWith('Z') && !text.startsWith('24', 11);
}

let lastFormatted = { ms: Number.NaN, text: '' };

/** ISO 8601, UTC. What happens together, or was just read in this form, need not be written again. */
export function formatTimestamp(ms: number): string {
  if (ms !== lastFormatted.ms) lastFormatted = { ms, text: new Date(ms).toISOString() };
  return lastFormatted.text;
}
