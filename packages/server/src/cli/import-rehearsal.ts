import { LonghandError, type Principal, type ScopedMemory } from 'longhand';
import type { ServerConfig } from '../config/server-config.ts';
import { openScratch } from '../open-store.ts';
import { UsageError } from './command.ts';
import { type Imported, type ImportOptions, importInto } from './import-into.ts';
import { type ImportItem, ImportRefusal } from './import-source.ts';
import { plantMet, readMet } from './met-pieces.ts';

interface Rehearsal extends Omit<ImportOptions, 'step' | 'makeFallback' | 'batch'> {
  readonly principal: Principal;
  /** For the limits of the store. */
  readonly config: ServerConfig;
  /** The real store; `undefined` when there is none yet. Only read. */
  readonly present: ScopedMemory | undefined;
}

/**
 * Brings all pieces of a file into a store in memory that has the limits of the real one, and all that the file meets in
 * it: what that refuses, the real one would, when some of it was there already. The first piece that it refuses is the
 * last one of the shortest beginning of the file that it does not take.
 * @returns what the real one would take
 * @throws ImportRefusal naming the piece and the reason
 */
export async function rehearseImport(items: readonly ImportItem[], rehearsal: Rehearsal): Promise<Imported> {
  const { principal, config, present, ...options } = rehearsal;
  const met = present === undefined ? undefined : await readMet(present, items, options);
  const attempt = async (some: readonly ImportItem[]): Promise<Imported | Trouble> => {
    await using scratch = await openScratch(config);
    try {
      if (met !== undefined) await plantMet(scratch.unlimited.as(principal), met);
      // All at once: a store in memory reads the whole session again for each write.
      const all = { ...options, batch: Number.POSITIVE_INFINITY, step: () => undefined };
      return await importInto(scratch.manager.as(principal), some, all);
    } catch (error) {
      if (isTrouble(error)) return error;
      throw error;
    }
  };
  const outcome = await attempt(items);
  if (!isTrouble(outcome)) return outcome;
  let trouble = outcome;
  let [taken, refused] = [0, items.length];
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const found = await attempt(items.slice(0, middle));
    if (isTrouble(found)) [refused, trouble] = [middle, found];
    else taken = middle;
  }
  throw new ImportRefusal(items[refused - 1]!.place, trouble.message, trouble.code, { cause: trouble });
}

type Trouble = LonghandError | UsageError;

function isTrouble(value: unknown): value is Trouble {
  return LonghandError.isInstance(value) || value instanceof UsageError;
}
