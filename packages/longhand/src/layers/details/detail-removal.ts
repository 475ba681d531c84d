import { timeOfId } from '../../core/ids.ts';
import type { LogLine } from '../../core/line.ts';
import type { LayerContext } from '../layer-context.ts';
import { addressOf } from '../memories/sessions.ts';
import { type AnySession, refOf } from '../session-ref.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import {
  blobsNamedIn,
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
 * Taking details away, in an order that a crash at any point leaves repairable: the log says that they are gone, the
 * values go, the log is rewritten without their records. Whatever a crash left undone, the next removal in the
 * session does. Values that no record names go too, when they are old enough that no writer can still be at work on them.
 */
export interface Removal {
  /** Which details. */
  readonly isChosen: (detail: KeptDetail) => boolean;
  /** Values that no record names: those that are old, those begun in a time, or all of them. */
  readonly leftovers: 'old' | 'all' | { readonly startMs: number; readonly endMs: number };
  /**
   * Lines that cannot be read and may hold what is to be forgotten, so that they go too, with the values that they
   * name; all of them when a chosen detail is there. With `none`, a log that has them is not rewritten and nothing
   * is swept: a value whose record is damaged can still be saved by hand.
   */
  readonly unreadable: Unreadable;
}

/**
 * @param underWay names of values that this process is storing at the moment
 * @returns what was removed
 * @throws NotFoundError SESSION_NOT_FOUND when the incarnation is over that it was decided for
 */
export async function removeDetails(
  context: LayerContext,
  details: UserDetails,
  session: AnySession,
  { isChosen, leftovers, unreadable }: Removal,
  underWay: ReadonlySet<string>,
): Promise<readonly KeptDetail[]> {
  const { store, clock, emit } = context;
  const { sessionId, incarnation: meant } = refOf(session);
  const nowMs = clock.now();
  const timestamp = new Date(nowMs).toISOString();
  const orphanBefore = nowMs - ORPHAN_AFTER_MS;
  const log = details.logOf(sessionId);
  // Before the records are looked at: a value that is listed now and has no record then is left over, or new.
  const blobs = await store.list('blob', sessionId);
  const before = await log.current();
  // What is decided from this state is decided for no other session of the same id.
  const incarnation = meant ?? log.incarnationOf(before);
  const isFound = unreadable !== 'none' && [...before.byKey.values()].some(isChosen);
  const goes: Unreadable = isFound ? 'all' : unreadable;
  const lost = await log.unreadable(goes);
  const lostBlobs = new Set(lost.lines.flatMap(blobsNamedIn));
  // The name of its value was hit as well: then it may be any that no record names.
  const hidesValue = lost.lines.some((line) => mayHideValue(line, blobs));
  const plan = (state: DetailState): Plan => {
    const isWhole = log.damagedLines === 0 && state.unreadable === 0;
    const chosen = [...state.byKey.values()].filter(isChosen);
    const isLeftOver = (blob: string): boolean => {
      const begunMs = timeOfId(blob, BLOB_PREFIX) ?? nowMs;
      // A writer that was killed before it recorded its value may have left the same one that is forgotten now.
      if (leftovers === 'all' || isFound || begunMs < orphanBefore) return true;
      return leftovers !== 'old' && begunMs >= leftovers.startMs && begunMs <= leftovers.endMs;
    };
    const named = new Set(Array.from(state.byKey.values(), ({ blob }) => blob));
    const isLeft = (blob: string): boolean =>
      !named.has(blob) &&
      !state.condemned.has(blob) &&
      !underWay.has(blob) &&
      (hidesValue || lostBlobs.has(blob) || ((goes === 'all' || isWhole) && isLeftOver(blob)));
    return { chosen, orphans: blobs.filter(isLeft), isSafe: goes !== 'none' || isWhole };
  };
  const first = plan(before);
  const isIdle = first.chosen.length === 0 && first.orphans.length === 0 && before.stale === 0;
  if (isIdle && !blobs.some((blob) => before.condemned.has(blob)) && !lost.isThere) return [];
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
    { userId: details.userId, incarnation },
  );
  const gone = new Set(state.condemned);
  if (gone.size > 0) await store.removeBlobs(addressOf(sessionId), [...gone]);
  if (decided.isSafe && (state.stale > 0 || lost.isThere)) {
    const sweptBefore = new Date(orphanBefore).toISOString();
    const closing = rewriteRecord(sessionId, state.stale, timestamp);
    await log.rewrite(leavingOut(gone, sweptBefore), [closing], { unreadable: goes, incarnation });
  }
  const memory_keys = decided.chosen.map(({ memory_key }) => memory_key);
  if (memory_keys.length > 0) emit({ kind: 'details-removed', session_id: sessionId, memory_keys });
  return decided.chosen;
}

/** A record that says that it is one of these brings no value. */
const NO_DETAIL = /^\{"schema_version":\d+,"record":"(?:active|remove|sweep|rewrite)"/;

function mayHideValue(line: LogLine, blobs: readonly string[]): boolean {
  return !NO_DETAIL.test(line.text) && !blobsNamedIn(line).some((blob) => blobs.includes(blob));
}

interface Plan {
  readonly chosen: readonly KeptDetail[];
  readonly orphans: readonly string[];
  /** Whether every record could be read, or what could not is to be forgotten. */
  readonly isSafe: boolean;
}

/** The details whose time has come. */
export function expiring(nowMs: number): Removal {
  const isChosen = (detail: KeptDetail): boolean => isExpired(detail, nowMs);
  return { isChosen, leftovers: 'old', unreadable: 'none' };
}

export function forgetting(
  keys: readonly string[] | 'all',
  { leftovers = 'old', unreadable = 'all' }: Partial<Omit<Removal, 'isChosen'>> = {},
): Removal {
  if (keys === 'all') return { isChosen: () => true, leftovers: 'all', unreadable: 'all' };
  const wanted = new Set(keys);
  return { isChosen: ({ memory_key }) => wanted.has(memory_key), leftovers, unreadable };
}
