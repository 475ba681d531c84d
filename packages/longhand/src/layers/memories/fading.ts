import { ValidationError } from '../../core/errors.ts';
import type { MemoryEntry, MemoryType } from '../../core/records.ts';
import { parseTimeZone } from '../../core/time-zone.ts';
import {
  COMPACTION_RELEVANCE_THRESHOLD,
  type DecayPolicy,
  type FadingInput,
  lastTouchedMs,
  previewFading as previewOf,
} from '../../recall/ranking/index.ts';
import { calendarOf, parseWithin } from '../../time/index.ts';
import type { SessionFold } from './session-fold.ts';
import type { SessionParts } from './session-parts.ts';
import { refuseUnknownOptions } from './sessions.ts';
import { freshestRelatives, gatherUses, type Use } from './uses.ts';

export interface FadingOptions {
  /** 0 to 1. Default 0.05: below it, compaction under size pressure drops a memory. */
  readonly threshold?: number;
  /** Only what fades until then: `30 days`, `P7D`, `next month`. Default: whenever. */
  readonly within?: string;
  /** Where its days begin and end. That of the configuration when left out. */
  readonly timeZone?: string;
  /** Default: all of them. */
  readonly limit?: number;
  /** Also those that never fall below the threshold, last. Default false. */
  readonly includeLasting?: boolean;
}

/** When a memory falls below the threshold, if it is left alone. A use or a change of settings moves the time. */
export interface FadingMemory {
  readonly id: string;
  readonly type: MemoryType;
  readonly importance: number;
  /** importance × decay × recency, at the moment of asking. */
  readonly relevance: number;
  /** The same a week later, when it is left alone. */
  readonly relevance_next_week: number;
  /** ISO 8601; the moment of asking when it is below already, `null` for never. */
  readonly fades_at: string | null;
  /** How often it was given to a caller, or stood in a prompt. */
  readonly uses: number;
}

export async function previewFading(
  needs: SessionParts,
  sessionId: string,
  options: FadingOptions,
): Promise<readonly FadingMemory[]> {
  refuseUnknownOptions(options, ['threshold', 'within', 'timeZone', 'limit', 'includeLasting']);
  const { sessions, maintenance, context } = needs;
  const fold = await maintenance.fold(sessionId);
  const policy = sessions.policyOf((await sessions.view(sessionId)).session);
  const inZone = { timeZone: context.config.time_zone, ...options };
  return forecastFading(fold, policy, context.clock.now(), inZone);
}

/**
 * The live memories of a session that fade, first those that fade first, then by id. Relatives count as far as
 * they are in the same session.
 *
 * @throws ValidationError INVALID_OPTION
 */
function forecastFading(
  { entries, records }: SessionFold,
  policy: DecayPolicy,
  nowMs: number,
  options: FadingOptions,
): readonly FadingMemory[] {
  const { threshold = COMPACTION_RELEVANCE_THRESHOLD, limit, includeLasting = false } = options;
  if (!(threshold >= 0 && threshold <= 1)) refuse('threshold must be a number from 0 to 1.', 'threshold');
  if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0))
    refuse('limit must be a whole number, 0 or more.', 'limit');
  const untilMs = horizonMs(options, nowMs);
  const memories = new Map(entries.map(({ entry }) => [entry.id, entry]));
  const uses = gatherUses(records);
  const inputs = fadingInputs(memories, uses, policy);
  return previewOf(inputs, policy, threshold, nowMs)
    .filter(({ fadesAtMs }) => (fadesAtMs === undefined ? includeLasting : fadesAtMs <= untilMs))
    .slice(0, limit)
    .map(({ id, relevance, nextWeek, fadesAtMs }) => {
      const { type, importance } = memories.get(id)!;
      const fades_at = fadesAtMs === undefined ? null : new Date(fadesAtMs).toISOString();
      const facts = { type, importance, relevance, relevance_next_week: nextWeek, fades_at };
      return { id, ...facts, uses: uses.get(id)?.accessCount ?? 0 };
    });
}

function fadingInputs(
  memories: ReadonlyMap<string, MemoryEntry>,
  uses: ReadonlyMap<string, Use>,
  policy: DecayPolicy,
): FadingInput[] {
  const freshestRelatedMsOf = freshestRelatives(memories.values(), policy);
  return [...memories.values()].map((memory) => {
    const { id, type, importance } = memory;
    const use = uses.get(id);
    const timestampMs = Date.parse(memory.timestamp);
    return {
      id,
      type,
      importance,
      timestampMs,
      lastTouchedMs: lastTouchedMs(timestampMs, use),
      accessCount: use?.accessCount ?? 0,
      freshestRelatedMs: freshestRelatedMsOf(memory),
    };
  });
}

const ADVICE = "Use one that lies ahead, like '30 days', 'P7D', 'next month' or '2030-01-31'";
/** What may stand before a length of time that lies ahead. */
const AHEAD = /^\s*(?:(?:in|within|during|over)\s+)?(?:the\s+)?(?:next\s+)?/i;

/** A length of time counts from now on; a named time is meant to its end. */
function horizonMs({ within, timeZone }: FadingOptions, nowMs: number): number {
  if (timeZone !== undefined) parseTimeZone(timeZone, 'timeZone', 'INVALID_OPTION');
  if (within === undefined) return Number.POSITIVE_INFINITY;
  const calendar = calendarOf(timeZone);
  const parsed = parseWithin(within, nowMs, calendar);
  if (!parsed.ok) {
    const isAmbiguous = parsed.problem === 'ambiguous';
    return refuse(isAmbiguous ? parsed.message : `within is not understood as a time. ${ADVICE}.`, 'within');
  }
  const { startMs, endMs } = parsed.range;
  if (endMs > nowMs) return endMs;
  // Filters look back, so that a length of time ends now to them; "last week" and "since Monday" do so too, and are none.
  const last = parseWithin(`last ${within.replace(AHEAD, '')}`, nowMs, calendar);
  const isLength = (last.ok && !/\bp(?:ast|revious)\b/i.test(within)) || /^\s*P\w*\d/i.test(within);
  if (endMs < nowMs || !isLength) return refuse(`within lies in the past. ${ADVICE}.`, 'within');
  return nowMs + (nowMs - startMs);
}

function refuse(message: string, field: string): never {
  throw new ValidationError('INVALID_OPTION', message, { details: { field } });
}
