import type { ErrorCode } from '../../core/errors.ts';
import type { Damage } from '../../core/log-decoder.ts';
import { METADATA_DOCUMENT, parseOwner } from '../../core/owner-in-metadata.ts';
import type { LogStore } from '../../core/store.ts';
import { ifRefused } from '../failures.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';

const REPORTS_REMEMBERED = 10_000;

/** What is reported of a damaged line. */
export interface DamagedLine {
  readonly kind: Damage['kind'];
  readonly line: { readonly offset: number };
}

/** Tells of each trouble with a session once, however often it is read. */
export class TroubleReports {
  readonly #context: Pick<LayerContext, 'emit' | 'metrics'>;
  readonly #told = new LeastRecentlyUsed<true>(REPORTS_REMEMBERED);

  constructor(context: Pick<LayerContext, 'emit' | 'metrics'>) {
    this.#context = context;
  }

  unreadable(sessionId: string, code: ErrorCode): void {
    if (!this.#isNews(`${sessionId}/${code}`)) return;
    this.#context.emit({ kind: 'session-unreadable', session_id: sessionId, code });
  }

  damage(sessionId: string, generation: string, damage: readonly DamagedLine[]): void {
    const fresh = damage.filter(({ kind, line }) =>
      this.#isNews(`${sessionId}/${generation}/${line.offset}/${kind === 'sequence'}`),
    );
    const lost = fresh.filter(({ kind }) => kind !== 'sequence');
    this.#tell('corruption-found', sessionId, lost);
    if (lost.length > 0) this.#context.metrics.count('memory.errors.corruption.count', lost.length);
    const misnumbered = fresh.filter(({ kind }) => kind === 'sequence');
    this.#tell('sequence-broken', sessionId, misnumbered);
  }

  #tell(
    kind: 'corruption-found' | 'sequence-broken',
    sessionId: string,
    [first, ...others]: readonly DamagedLine[],
  ): void {
    if (first === undefined) return;
    const found = { lines: others.length + 1, first_offset: first.line.offset };
    this.#context.emit({ kind, log: `session ${sessionId}`, ...found });
  }

  #isNews(trouble: string): boolean {
    if (this.#told.get(trouble) !== undefined) return false;
    this.#told.set(trouble, true);
    return true;
  }
}

/**
 * The sessions of a user, or of all users, whose log is gone while other files of theirs are there. Whose one was,
 * `metadata.json` tells, and without it the user's change file: another's session of this id may have been there before.
 */
export async function sessionsWithoutLog(store: LogStore, userId?: string): Promise<readonly string[]> {
  const ids = (await store.folder?.listWithoutLog('session')) ?? [];
  if (userId === undefined || ids.length === 0) return ids;
  const named = new Set((await store.follow(userId)).sessionIds);
  const found: string[] = [];
  for (const id of ids) {
    const owner = await ownerBeside(store, id);
    if (owner === userId || (owner === undefined && named.has(id))) found.push(id);
  }
  return found;
}

/** Whose session it is, as `metadata.json` says; `undefined` when that tells nothing. */
export async function ownerBeside(store: LogStore, id: string): Promise<string | undefined> {
  // Something else in its place tells nothing.
  const metadata = await store.readDocument({ kind: 'session', id }, METADATA_DOCUMENT).catch(ifRefused);
  return parseOwner(id, metadata)?.user_id;
}
