import { DAY, lengthOf } from './calendar.ts';
import { inEnglishFrom } from './languages.ts';
import { distanceFrom } from './relative.ts';
import { type Found, type Scan, skip, skipPossessive, wordAt } from './scan.ts';
import { matchSpans, rolling, type Span } from './spans.ts';
import { AHEAD_LEADS } from './vocabulary.ts';

/**
 * Times to come by their distance from now: "in two days", "within a week", "in zwei Tagen", "dans deux jours".
 *
 * Whoever asks for plans means them so. To all others they are lengths of time: "What did we ship in two weeks?"
 */

export function matchAhead(scan: Scan, at: number): Found | undefined {
  const lead = AHEAD_LEADS.get(wordAt(scan, at));
  if (lead === undefined) return undefined;
  const { spans, next } = spansAt(scan, skip(scan, at + 1, 'von'));
  const last = spans.at(-1);
  // Of hours nobody speaks by their day, and "in two weeks of rain" is a length for everybody.
  if (!last || lengthOf(last.unit) < DAY || wordAt(scan, next) === 'of') return undefined;
  const found = lead === 'stretch' ? rolling(scan, spans, 1) : distanceTo(scan, spans, next);
  return { ...found, next, isOfPlans: true };
}

interface Spans {
  readonly spans: readonly Span[];
  readonly next: number;
}

/** "Two days", "two days' time", "zwei Tagen". */
function spansAt(scan: Scan, at: number): Spans {
  const spans = matchSpans(scan, at);
  if (spans.length > 0) return { spans, next: skip(scan, skipPossessive(scan, spans.at(-1)!.next), 'time') };
  const { english, nextOf } = inEnglishFrom(scan, at);
  const translated = matchSpans(english, 0);
  return { spans: translated, next: nextOf(translated.at(-1)?.next ?? 0) };
}

/** A time to come has hard edges: "in a few days" takes its softness in. */
function distanceTo({ calendar, nowMs }: Scan, spans: readonly Span[], next: number): Found {
  const found = distanceFrom(calendar, nowMs, spans, 1, next);
  if (!spans.some(({ isVague }) => isVague)) return found;
  const first = calendar.dayOf(found.startMs - found.softnessMs);
  const last = calendar.dayOf(found.endMs + found.softnessMs);
  return { ...found, ...calendar.days(first, last - first + 1) };
}
