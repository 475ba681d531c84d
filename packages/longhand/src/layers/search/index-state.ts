import { isCurrent } from '../../core/read-log.ts';
import type { LogStore } from '../../core/store.ts';
import { addressOf } from '../memories/sessions.ts';
import { isOutdated, parseManifest } from './index-manifest.ts';

/** How far the stored search index of a user has come. Searches take in the rest themselves, and give the same answers. */
export interface IndexState {
  /**
   * `none`: too little to be stored, or never searched. `sealed`: all that is written is in it. `behind`: it lacks
   * something. `outdated`: of another version. `damaged`: cannot be read. The next search mends the last two.
   */
  readonly state: 'none' | 'sealed' | 'behind' | 'outdated' | 'damaged';
  /** Sessions of which it lacks something. */
  readonly sessions_behind: number;
}

export async function indexState(store: LogStore, userId: string): Promise<IndexState> {
  const is = (state: IndexState['state'], sessions_behind = 0): IndexState => ({ state, sessions_behind });
  const stored = await Promise.resolve(store.loadIndex(userId, 'index', () => [])).catch(() => null);
  if (stored === null) return is('damaged');
  if (stored?.manifest === undefined) return is('none');
  const manifest = parseManifest(stored.manifest, userId);
  if (manifest === undefined) return is(isOutdated(stored.manifest) ? 'outdated' : 'damaged');
  const { sessionIds, mark } = await store.follow(userId, manifest.mark);
  let behind = 0;
  // The one that was written to last may be named without news.
  for (const id of new Set([...sessionIds, mark.lastId].filter((id) => id !== ''))) {
    const covered = manifest.sessions[id];
    const isKnown = covered !== undefined && (await isCurrent(store, addressOf(id), covered.position));
    if (!isKnown) behind++;
  }
  return is(behind === 0 ? 'sealed' : 'behind', behind);
}
