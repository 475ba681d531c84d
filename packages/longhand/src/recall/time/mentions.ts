import { matchAhead } from './ahead.ts';
import { bounded, type Calendar, EARLIEST_MS, type TimeRange, UTC_CALENDAR } from './calendar.ts';
import { matchPeriod } from './periods.ts';
import { nearest } from './recurrence.ts';
import { type Found, isNumber, type Scan, scanWords, wordAt } from './scan.ts';
import { DATE_SOFTNESS, VAGUE_SOFTNESS_FACTOR } from './spans.ts';
import {
  BETWEEN_ENDS,
  BETWEENS,
  EDGES,
  MENTION_WORDS,
  PLACES,
  SPAN_ENDS,
  VAGUE_PLACES,
} from './vocabulary.ts';

/** A time that a question speaks of. */
export interface TimeMention extends TimeRange {
  /** How far outside the range a memory may lie and still be half as likely meant; see `mentionCloseness`. */
  readonly softnessMs: number;
  /** Where in the question it stands: `question.slice(from, to)`. */
  readonly from: number;
  readonly to: number;
  /** Where it means a time only when nothing else is asked for: "What is new lately?", but not "Who did she meet lately?". */
  readonly isLoose?: true;
  /** Where it is a time to those alone who ask for plans: to others, "in two days" is a length. */
  readonly isOfPlans?: true;
  /** What it is in a question for what is to come, where it is named without its year, month or week. */
  readonly ahead?: TimeRange;
}

/** A question that names more times than this singles out none of them. */
export const MAX_MENTIONS = 16;

/**
 * The times that a question speaks of, in the order of the text, at most `MAX_MENTIONS`.
 *
 * @param nowMs when the question is asked: what "ten days ago" counts from
 * @param calendar where it is asked: when "yesterday" began
 */
export function findTimeMentions(
  question: string,
  nowMs: number,
  calendar: Calendar = UTC_CALENDAR,
): TimeMention[] {
  const scan = scanWords(question, nowMs, calendar);
  const mentions: TimeMention[] = [];
  let at = 0;
  while (at < scan.words.length && mentions.length < MAX_MENTIONS) {
    const found = matchMention(scan, at) ?? matchAhead(scan, at);
    const range = found && bounded(found);
    // "After May", asked in May, names no time that has been.
    if (!range || range.startMs > range.endMs) {
      at++;
      continue;
    }
    const from = scan.from[at] ?? 0;
    const to = scan.to[found.next - 1] ?? question.length;
    const { softnessMs, other } = found;
    const ahead = aheadOf(scan, found);
    mentions.push({
      ...range,
      softnessMs,
      from,
      to,
      ...(found.isLoose ? { isLoose: true } : {}),
      ...(found.isOfPlans ? { isOfPlans: true } : {}),
      ...(ahead ? { ahead } : {}),
    });
    if (other && mentions.length < MAX_MENTIONS) mentions.push({ ...bounded(other), softnessMs, from, to });
    at = found.next;
  }
  return mentions;
}

/** What comes back is the next one, today's included: "on Friday", "in January", "before Christmas". */
function aheadOf({ calendar, nowMs }: Scan, { recurrence, isUntil }: Found): TimeRange | undefined {
  const next = recurrence && nearest(recurrence, calendar.days(calendar.dayOf(nowMs), 1).startMs, 1);
  if (!next || !isUntil) return next;
  return next.startMs > nowMs ? { startMs: nowMs, endMs: next.startMs - 1 } : undefined;
}

/** How well a moment fits a mention: 1 inside the range, half for each softness of distance outside it. */
export function mentionCloseness(mention: TimeMention, timestampMs: number): number {
  const distanceMs = Math.max(mention.startMs - timestampMs, timestampMs - mention.endMs, 0);
  return 2 ** (-distanceMs / mention.softnessMs);
}

/** The same for the one of several that it fits best; 0 for none. */
export function closestMention(mentions: readonly TimeMention[], timestampMs: number): number {
  let closeness = 0;
  for (const mention of mentions) closeness = Math.max(closeness, mentionCloseness(mention, timestampMs));
  return closeness;
}

/** A period, or a range between periods, with the words before it that say how it is meant. */
export function matchMention(scan: Scan, at: number): Found | undefined {
  const word = wordAt(scan, at);
  if (!MENTION_WORDS.has(word) && !isNumber(scan, at)) return undefined;
  const between = BETWEENS.has(word) ? matchRange(scan, at + 1, BETWEEN_ENDS) : undefined;
  if (between) return between;
  // "Between 5 and 7 May" is one period already.
  const days = word === 'between' ? matchPeriod(scan, at + 1, true) : undefined;
  if (days && hasAnd(scan, at + 1, days.next)) return days;
  const edge = EDGES.get(word);
  if (edge) return matchEdge(scan, at + 1, edge);
  const placed = PLACES.has(word) ? matchPeriod(scan, at + 1, true) : undefined;
  const period = placed ?? matchPeriod(scan, at, false);
  if (!period) return undefined;
  const range = matchRangeEnd(scan, period, SPAN_ENDS) ?? period;
  return placed && VAGUE_PLACES.has(word)
    ? { ...range, softnessMs: range.softnessMs * VAGUE_SOFTNESS_FACTOR }
    : range;
}

function hasAnd(scan: Scan, from: number, to: number): boolean {
  return scan.words.slice(from, to).includes('and');
}

/** "March and May", "Monday to Wednesday", after a word that says that times follow. */
export function matchRange(scan: Scan, at: number, ends: ReadonlySet<string>): Found | undefined {
  const first = matchPeriod(scan, at, true);
  return first && matchRangeEnd(scan, first, ends);
}

/** The rest of a range: the year, month or week that one end lacks follows from the other. */
function matchRangeEnd(scan: Scan, first: Found, ends: ReadonlySet<string>): Found | undefined {
  const second = ends.has(wordAt(scan, first.next)) ? matchEnd(scan, first.next + 1) : undefined;
  if (!second) return undefined;
  const isOpen = second.recurrence && !first.recurrence;
  const end = (isOpen && nearest(second.recurrence, first.startMs, 1)) || second;
  const start = (first.recurrence && nearest(first.recurrence, end.startMs, -1)) || first;
  const isReversed = SPAN_ENDS.has(wordAt(scan, first.next)) && end.startMs < start.startMs;
  return {
    ...(isReversed ? { isReversed } : {}),
    // Two bounds have no direction: "between 2024 and 2022" is three years like any other.
    startMs: Math.min(start.startMs, end.startMs, first.other?.startMs ?? start.startMs),
    endMs: Math.max(start.endMs, end.endMs, second.other?.endMs ?? end.endMs),
    softnessMs: Math.max(first.softnessMs, second.softnessMs),
    next: second.next,
  };
}

/** On which side of what it names a time lies; `from` and `through` take that in. */
export type Edge = 'from' | 'after' | 'before' | 'through';

/** A period, or the present moment, which is none by itself. */
function matchEnd(scan: Scan, at: number): Found | undefined {
  if (wordAt(scan, at) !== 'now') return matchPeriod(scan, at, true);
  return { startMs: scan.nowMs, endMs: scan.nowMs, softnessMs: DATE_SOFTNESS, next: at + 1 };
}

/** "Since May", "after 2020", "before last week". A range that would be empty is no mention but reversed. */
export function matchEdge(scan: Scan, at: number, edge: Edge): Found | undefined {
  const isEnd = edge === 'before' || edge === 'through';
  const period = isEnd ? matchEnd(scan, at) : matchPeriod(scan, at, true);
  if (!period) return undefined;
  // Of two readings the one that takes in more: a question is not to miss what was meant.
  const { softnessMs, next, other = period } = period;
  if (edge === 'through') return { startMs: EARLIEST_MS, endMs: period.endMs, softnessMs, next };
  if (edge === 'before') {
    const { recurrence } = period;
    const ahead = recurrence ? { recurrence, isUntil: true } : {};
    const endMs = Math.max(period.startMs, other.startMs) - 1;
    return { startMs: EARLIEST_MS, endMs, softnessMs, next, ...ahead };
  }
  return {
    startMs:
      edge === 'from' ? Math.min(period.startMs, other.startMs) : Math.min(period.endMs, other.endMs) + 1,
    endMs: scan.nowMs,
    softnessMs,
    next,
  };
}
