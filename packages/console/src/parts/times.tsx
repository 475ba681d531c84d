import { type ReactNode, useEffect, useState } from 'react';

const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'long' });
const EXACT = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'long' });
const UNITS: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** "3 days ago", "in 2 hours", "just now" */
export function relativeTime(time: string | number | Date, now = Date.now()): string {
  const seconds = (new Date(time).getTime() - now) / 1_000;
  if (Number.isNaN(seconds)) return '';
  for (const [unit, size] of UNITS)
    if (Math.abs(seconds) >= size) return RELATIVE.format(Math.trunc(seconds / size), unit);
  return seconds > 5 ? 'in a moment' : 'just now';
}

export function exactTime(time: string | number | Date): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : EXACT.format(date);
}

/** `2026-11-17 14:00`, where the reader is. */
export function minuteOf(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** How long ago, and exactly when on hover. */
export function RelativeTime({ time }: { readonly time: string }): ReactNode {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), 60_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={time} title={exactTime(time)}>
      {relativeTime(time)}
    </time>
  );
}
