import type { TimeRange } from '../src/time/calendar.ts';

/** A range in short, for tests: whole days as dates, anything finer with its time. */
export function showRange({ startMs, endMs }: TimeRange): string {
  const start = new Date(startMs).toISOString();
  const end = new Date(endMs).toISOString();
  const isWholeDays = start.endsWith('T00:00:00.000Z') && end.endsWith('T23:59:59.999Z');
  const short = (text: string): string => (isWholeDays ? text.slice(0, 10) : text.slice(0, 16));
  return short(start) === short(end) ? short(start) : `${short(start)}/${short(end)}`;
}
