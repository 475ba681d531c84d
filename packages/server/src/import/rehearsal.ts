import { LonghandError, type MemoryManager, type ScopedMemory } from 'longhand';
import type { ServerConfig } from '../config/server-config.ts';
import { openScratch } from '../open-store.ts';
import { type Imported, type ImportOptions, importInto } from './import-into.ts';
import { plantMet, readMet } from './met-pieces.ts';
import { type ImportItem, ImportRefusal } from './source.ts';

export interface Rehearsal extends Omit<ImportOptions, 'step' | 'makeFallback' | 'batch'> {
  /** The real store. Only read. */
  readonly manager: MemoryManager;
  /** The caller, in a store: with their rights. */
  readonly speaking: (manager: MemoryManager) => ScopedMemory;
  /** For the limits of the store. */
  readonly config: ServerConfig;
}

/**
 * Brings all pieces of a file into a store in memory that has the limits of the real one, and all that the file meets in
 * it: what that refuses, the real one would, when some of it was there already. The first piece that it refuses is the
 * last one of the shortest beginning of the file that it does not take.
 * @returns what the real one would take
 * @throws ImportRefusal naming the piece and the reason
 */
export async function rehearseImport(items: readonly ImportItem[], rehearsal: Rehearsal): Promise<Imported> {
  const { speaking, config, manager, ...options } = rehearsal;
  const present = speaking(manager);
  const met = await readMet(present, items, options);
  const attempt = async (some: readonly ImportItem[]): Promise<Imported | LonghandError> => {
    await using scratch = await openScratch(config);
    try {
      await plantMet(scratch.unlimited.as({ ...present.principal, role: 'admin' }), met);
      // Many at once: a store in memory reads the whole session again for each write.
      const many = { ...options, batch: 2_000, step: () => undefined };
      return await importInto(speaking(scratch.manager), some, many);
    } catch (error) {
      if (LonghandError.isInstance(error)) return error;
      throw error;
    }
  };
  const outcome = await attempt(items);
  if (!LonghandError.isInstance(outcome)) return outcome;
  let trouble = outcome;
  let [taken, refused] = [0, items.length];
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const found = await attempt(items.slice(0, middle));
    if (LonghandError.isInstance(found)) [refused, trouble] = [middle, found];
    else taken = middle;
  }
  throw new ImportRefusal(items[refused - 1]!.place, trouble.message, trouble.code, trouble);
}
