import type { ErrorCode } from '../../core/errors.ts';
import type { Damage } from '../../core/log-decoder.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';

const REPORTS_REMEMBERED = 10_000;

/** What is told of a damaged line. */
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
    this.#tell(
      'sequence-broken',
      sessionId,
      fresh.filter(({ kind }) => kind === 'sequence'),
    );
  }

  #tell(
    kind: 'corruption-found' | 'sequence-broken',
    sessionId: string,
    [first, ...others]: readonly DamagedLine[],
  ): void {
    if (first === undefined) return;
    const { offset } = first.line;
    this.#context.emit({
      kind,
      log: `session ${sessionId}`,
      lines: others.length + 1,
      first_offset: offset,
    });
  }

  #isNews(trouble: string): boolean {
    if (this.#told.get(trouble) !== undefined) return false;
    this.#told.set(trouble, true);
    return true;
  }
}
