import { refuseUnknownOptions } from '../memories/sessions.ts';
import { timeInWords } from '../search/time-in-words.ts';
import type { KeptDetail } from './detail-records.ts';
import type { UserDetails } from './user-details.ts';

export interface ListDetailsOptions {
  readonly sessionId?: string;
  readonly type?: string;
  /** Only of this time in words. */
  readonly within?: string | undefined;
  readonly timeZone?: string | undefined;
  /** Only active, or only inactive ones; both when left out. */
  readonly isActive?: boolean;
  /** All when left out. */
  readonly limit?: number;
}

const LIST_OPTIONS = ['sessionId', 'type', 'within', 'timeZone', 'isActive', 'limit'];

/** Whether a detail was kept at a time in words; any when left out. @throws ValidationError INVALID_QUERY */
export function keptWithin(within: string | undefined, nowMs: number, timeZone: string) {
  const { startMs, endMs } =
    within === undefined ? { startMs: -Infinity, endMs: Infinity } : timeInWords(within, nowMs, timeZone);
  return ({ created_at }: KeptDetail): boolean =>
    Date.parse(created_at) >= startMs && Date.parse(created_at) <= endMs;
}

/** Newest first. @throws ValidationError INVALID_OPTION */
export async function listDetails(
  details: UserDetails,
  options: ListDetailsOptions,
  nowMs: number,
  zone: string,
): Promise<readonly KeptDetail[]> {
  refuseUnknownOptions(options, LIST_OPTIONS);
  const { sessionId, type, isActive, limit = Number.POSITIVE_INFINITY } = options;
  const isInTime = keptWithin(options.within, nowMs, options.timeZone ?? zone);
  const found: KeptDetail[] = [];
  for (const [id, { byKey }] of await details.states()) {
    if (sessionId !== undefined && id !== sessionId) continue;
    for (const detail of byKey.values()) {
      const isWanted =
        (type === undefined || detail.memory_type === type) &&
        (isActive === undefined || detail.is_active === isActive);
      const isShown = isWanted && isInTime(detail) && details.isShown(detail, nowMs);
      if (isShown && !(await details.isPast(detail))) found.push(detail);
    }
  }
  return found.sort(newestFirst).slice(0, limit);
}

function newestFirst(left: KeptDetail, right: KeptDetail): number {
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? 1 : -1;
  if (left.session_id !== right.session_id) return left.session_id < right.session_id ? -1 : 1;
  return right.order - left.order;
}
