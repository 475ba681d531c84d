import { timeOfId } from '../../core/ids.ts';
import type { Workshop } from '../workshop.ts';
import {
  type DetailState,
  goneRecord,
  isExpired,
  type KeptDetail,
  leavingOut,
  rewriteRecord,
} from './detail-records.ts';
import type { UserDetails } from './user-details.ts';

/** How the name of a value begins; the time at which it was begun follows. */
export const BLOB_PREFIX = 'detail_';
/** A value that no record names and that was begun longer ago than this is left over from a crash. */
const ORPHAN_AFTER_MS = 24 * 3_600_000;

/**
 * Taking details away, in an order that a crash at any point leaves repairable: the log says that they are gone,
 * the values go, the log is written anew without their records. Whatever a crash left undone, the next removal in
 * the session does. Values that nobody names go too, when they are old enough that nobody can still be at work on
 * them.
 */
export interface Removal {
  /** Which details. */
  readonly isChosen: (detail: KeptDetail) => boolean;
  /** Values that no record names: those that are old, or all of them. */
  readonly leftovers: 'old' | 'all';
  /**
   * Damaged lines may hold what is to be forgotten, so they go too. When false, a log that has them is not written
   * anew and nothing is swept: a value whose record is damaged can still be saved by hand.
   */
  readonly forgetsDamaged: boolean;
}

/**
 * @param underWay names of values that this process is storing at the moment
 * @returns what was removed
 */
export async function removeDetails(
  workshop: Workshop,
  details: UserDetails,
  sessionId: string,
  { isChosen, leftovers, forgetsDamaged }: Removal,
  underWay: ReadonlySet<string>,
): Promise<readonly KeptDetail[]> {
  const { store, clock, emit } = workshop;
  const nowMs = clock.now();
  const timestamp = new Date(nowMs).toISOString();
  const orphanBefore = nowMs - ORPHAN_AFTER_MS;
  const log = details.logOf(sessionId);
  // Before the records are looked at: a value that is listed now and has no record then is left over, or new.
  const blobs = await store.listBlobs(sessionId);
  const plan = (state: DetailState): Plan => {
    const isSafe = forgetsDamaged || (log.damagedLines === 0 && state.unreadable === 0);
    const chosen = [...state.byKey.values()].filter(isChosen);
    const isOld = (blob: string): boolean => (timeOfId(blob, BLOB_PREFIX) ?? nowMs) < orphanBefore;
    const named = new Set(Array.from(state.byKey.values(), ({ blob }) => blob));
    const isLeft = (blob: string): boolean =>
      !named.has(blob) &&
      !state.condemned.has(blob) &&
      !underWay.has(blob) &&
      (leftovers === 'all' || isOld(blob));
    return { chosen, orphans: isSafe ? blobs.filter(isLeft) : [], isSafe };
  };
  const before = await log.current();
  const first = plan(before);
  const isIdle = first.chosen.length === 0 && first.orphans.length === 0 && before.stale === 0;
  if (
    isIdle &&
    !blobs.some((blob) => before.condemned.has(blob)) &&
    !(forgetsDamaged && log.damagedLines > 0)
  )
    return [];
  let decided = first;
  const state = await log.change(
    (current) => {
      decided = plan(current);
      const { chosen, orphans } = decided;
      const gone = chosen.map(({ blob }) => blob);
      return [
        ...(gone.length === 0 ? [] : [goneRecord('remove', sessionId, gone, timestamp)]),
        ...(orphans.length === 0 ? [] : [goneRecord('sweep', sessionId, orphans, timestamp)]),
      ];
    },
    { userId: details.userId },
  );
  const gone = new Set(state.condemned);
  for (const blob of gone) await store.removeBlob(sessionId, blob);
  if (decided.isSafe && (state.stale > 0 || (forgetsDamaged && log.damagedLines > 0))) {
    const sweptBefore = new Date(orphanBefore).toISOString();
    const closing = rewriteRecord(sessionId, state.stale, timestamp);
    await log.rewrite(leavingOut(gone, sweptBefore), [closing], { forgetDamaged: forgetsDamaged });
  }
  const memory_keys = decided.chosen.map(({ memory_key }) => memory_key);
  if (memory_keys.length > 0) emit({ kind: 'details-removed', session_id: sessionId, memory_keys });
  return decided.chosen;
}

interface Plan {
  readonly chosen: readonly KeptDetail[];
  readonly orphans: readonly string[];
  /** Whether every record could be read, or what could not is to be forgotten. */
  readonly isSafe: boolean;
}

/** The details whose time has come. */
export function expiring(nowMs: number): Removal {
  return { isChosen: (detail) => isExpired(detail, nowMs), leftovers: 'old', forgetsDamaged: false };
}

export function forgetting(keys: readonly string[] | 'all'): Removal {
  if (keys === 'all') return { isChosen: () => true, leftovers: 'all', forgetsDamaged: true };
  const wanted = new Set(keys);
  return { isChosen: ({ memory_key }) => wanted.has(memory_key), leftovers: 'old', forgetsDamaged: true };
}
