import type { VectorBlock } from '../../../recall/vectors/index.ts';
import type { LayerContext } from '../../layer-context.ts';
import type { UserIndex } from '../user-index.ts';
import { findOtherTexts } from './living-rows.ts';

/**
 * Which logs hold the texts that their vectors were made from.
 *
 * A log that only grew since it was indexed does, but for memories that were put right, which the index knows. One that this process had to read as a whole may have been changed by
 * a person, in place, so that it is still the same file: its memories have the same ids, and other texts. Until its
 * texts were compared with the vectors, by their hashes, these do not count. A log is compared once for each reading.
 */
export class ComparedLogs {
  readonly #context: LayerContext;
  readonly #index: UserIndex;
  /** Session → the reading of its log that was compared. */
  readonly #compared = new Map<string, number>();
  /** All readings up to this one were. */
  #comparedUpTo = 0;

  constructor(context: LayerContext, index: UserIndex) {
    this.#context = context;
    this.#index = index;
  }

  has(sessionId: string): boolean {
    return this.#compared.get(sessionId) === this.#index.logs.readings.get(sessionId);
  }

  /** Session → reading, of all logs that are still to be compared. The index must be current. */
  missing(): ReadonlyMap<string, number> {
    const { lastReading, readings } = this.#index.logs;
    if (lastReading === this.#comparedUpTo) return NONE;
    const missing = new Map([...readings].filter(([id]) => !this.has(id)));
    if (missing.size === 0) this.#comparedUpTo = lastReading;
    return missing;
  }

  /** These were compared, and only vectors of their own texts are left. */
  note(compared: ReadonlyMap<string, number>): void {
    for (const [id, reading] of compared) this.#compared.set(id, reading);
  }

  /** Compares those that are missing. False when there are vectors of other texts; their logs stay uncompared. */
  async compare(blocks: readonly VectorBlock[]): Promise<boolean> {
    const index = this.#index;
    const { missing, indexed } = await index.use(() => {
      const found = this.missing();
      return { missing: found, indexed: new Map(Array.from(found.keys(), (id) => [id, index.textsOf(id)])) };
    });
    if (missing.size === 0) return true;
    const others = await findOtherTexts(this.#context, indexed, blocks);
    for (const [id, reading] of missing) if (!others.has(id)) this.#compared.set(id, reading);
    return others.size === 0;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();
