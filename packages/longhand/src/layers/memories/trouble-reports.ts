import type { ErrorCode } from '../../core/errors.ts';
import type { Damage } from '../../core/log-decoder.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import type { Workshop } from '../workshop.ts';

const REPORTS_REMEMBERED = 10_000;

/** What is told of a damaged line. */
export interface DamagedLine {
  readonly kind: Damage['kind'];
  readonly line: { readonly offset: number };
}

/** Tells of each trouble with a session once, however often it is read. */
export class TroubleReports {
  readonly #workshop: Pick<Workshop, 'emit' | 'metrics'>;
  readonly #told = new LeastRecentlyUsed<true>(REPORTS_REMEMBERED);

  constructor(workshop: Pick<Workshop, 'emit' | 'metrics'>) {
    this.#workshop = workshop;
  }

  unreadable(sessionId: string, code: ErrorCode): void {
    if (!this.#isNews(`${sessionId}/${code}`)) return;
    this.#workshop.emit({ kind: 'session-unreadable', session_id: sessionId, code });
  }

  damage(sessionId: string, generation: string, damage: readonly DamagedLine[]): void {
    const fresh = damage.filter(
      ({ kind, line }) => kind !== 'sequence' && this.#isNews(`${sessionId}/${generation}/${line.offset}`),
    );
    if (fresh.length === 0) return;
    const { emit, metrics } = this.#workshop;
    metrics.count('memory.errors.corruption.count', fresh.length);
    const first_offset = fresh[0]!.line.offset;
    emit({ kind: 'corruption-found', log: `session ${sessionId}`, lines: fresh.length, first_offset });
  }

  #isNews(trouble: string): boolean {
    if (this.#told.get(trouble) !== undefined) return false;
    this.#told.set(trouble, true);
    return true;
  }
}
