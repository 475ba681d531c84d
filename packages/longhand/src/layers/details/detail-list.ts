import { refuseUnknownOptions } from '../memories/sessions.ts';
import type { KeptDetail } from './detail-records.ts';
import type { UserDetails } from './user-details.ts';

export interface ListDetailsOptions {
  readonly sessionId?: string;
  readonly type?: string;
  /** Only active, or only inactive ones; both when left out. */
  readonly isActive?: boolean;
  /** All when left out. */
  readonly limit?: number;
}

const LIST_OPTIONS = ['sessionId', 'type', 'isActive', 'limit'];

/** @throws ValidationError INVALID_OPTION */
export function checkListOptions(options: ListDetailsOptions): void {
  refuseUnknownOptions(options, LIST_OPTIONS);
}

/** Newest first. */
export async function listDetails(
  details: UserDetails,
  { sessionId, type, isActive, limit = Number.POSITIVE_INFINITY }: ListDetailsOptions,
  nowMs: number,
): Promise<readonly KeptDetail[]> {
  const found: KeptDetail[] = [];
  for (const [id, { byKey }] of await details.states()) {
    if (sessionId !== undefined && id !== sessionId) continue;
    for (const detail of byKey.values()) {
      const isWanted =
        (type === undefined || detail.memory_type === type) &&
        (isActive === undefined || detail.is_active === isActive);
      if (isWanted && details.isShown(detail, nowMs) && !(await details.isPast(detail))) found.push(detail);
    }
  }
  return found.sort(newestFirst).slice(0, limit);
}

function newestFirst(left: KeptDetail, right: KeptDetail): number {
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? 1 : -1;
  if (left.session_id !== right.session_id) return left.session_id < right.session_id ? -1 : 1;
  return right.order - left.order;
}
