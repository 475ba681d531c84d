import { ValidationError } from './errors.ts';

/**
 * Names of time zones: those of the IANA, `UTC`, and `system` for the zone of the machine. In which zone a person lives
 * decides when their days begin, and nothing else: moments are the same everywhere.
 */

export const UTC = 'UTC';
export const SYSTEM_TIME_ZONE = 'system';

/** What can be given, in words for messages. */
export const TIME_ZONE_FORMS =
  'the IANA name of a time zone such as "Europe/Berlin", or "UTC", or "system" for that of the machine';

/** Names that have been looked up and are ones. Every query brings its own, and looking one up takes long. */
const known = new Set<string>();
/** There are some 600, and case does not matter. */
const MOST_KNOWN = 2_000;

/** The first of them that is no UTC loads the tables of the runtime. */
export function isTimeZone(name: unknown): name is string {
  if (name === UTC || name === SYSTEM_TIME_ZONE) return true;
  if (typeof name !== 'string' || name === '') return false;
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
  if (known.size === MOST_KNOWN) known.clear();
  known.add(name);
  return true;
}

/** @throws ValidationError with the code, naming the field */
export function parseTimeZone(
  value: unknown,
  field: string,
  code: 'INVALID_QUERY' | 'INVALID_OPTION',
): string {
  if (isTimeZone(value)) return value;
  throw new ValidationError(code, `${field} must be ${TIME_ZONE_FORMS}.`, { details: { field } });
}
