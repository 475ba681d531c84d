import { LonghandError, type Principal } from 'longhand';
import { openScratch } from '../open-store.ts';
import { UsageError } from './command.ts';
import { type ImportOptions, importInto } from './import-into.ts';
import { type ImportItem, ImportRefusal } from './import-source.ts';

type Options = Omit<ImportOptions, 'step'>;

/**
 * Brings all pieces of a file into a store in memory: what that refuses, the real one would, when some of it was there
 * already. The first piece that it refuses is the last one of the shortest beginning of the file that it does not take.
 * @throws ImportRefusal naming the piece and the reason
 */
export async function rehearseImport(
  principal: Principal,
  items: readonly ImportItem[],
  options: Options,
): Promise<void> {
  let trouble = await troubleWith(principal, items, options);
  if (trouble === undefined) return;
  let [taken, refused] = [0, items.length];
  while (refused - taken > 1) {
    const middle = Math.floor((taken + refused) / 2);
    const found = await troubleWith(principal, items.slice(0, middle), options);
    if (found === undefined) taken = middle;
    else [refused, trouble] = [middle, found];
  }
  throw new ImportRefusal(items[refused - 1]!.place, trouble.message, trouble.code, { cause: trouble });
}

async function troubleWith(
  principal: Principal,
  items: readonly ImportItem[],
  options: Options,
): Promise<LonghandError | UsageError | undefined> {
  await using scratch = openScratch();
  try {
    const memory = scratch.as(principal);
    // All at once: a store in memory reads a session anew for each write.
    await importInto(memory, items, { ...options, batch: Number.POSITIVE_INFINITY, step: () => undefined });
    return undefined;
  } catch (error) {
    if (LonghandError.isInstance(error) || error instanceof UsageError) return error;
    throw error;
  }
}
