import { openSqlite } from '../contenders/sqlite.ts';
import type { Part } from '../result.ts';
import { BANDS, makeRange } from '../search/corpus.ts';
import { measureHard } from '../search/hard-queries.ts';
import { measureIndexing, measureUntilFound } from '../search/indexing.ts';
import { compareMeaning, semanticOption } from '../search/meaning.ts';
import { measureCold, measureMemory } from '../search/processes.ts';
import { makeStore, SESSION_ENTRIES } from '../search/store.ts';
import { type Measured, measureHuge, measureLarge, measureSmall } from '../search/text-queries.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const BATCH = 1_000;

/** Finding memories by their words, beside what else finds texts. */
export const search: Part = async ({ isQuick }) => {
  const large = isQuick ? 20_000 : 100_000;
  const huge = isQuick ? 50_000 : 1_000_000;
  const found: Measured[] = [];
  await withTemporaryFolder(async (folder) => {
    found.push(await measureSmall(folder, `${folder}/longhand`, isQuick));
  });
  await withTemporaryFolder(async (folder) => {
    found.push(await measureHard(await makeStore(folder, SESSION_ENTRIES), SESSION_ENTRIES));
  });
  await withTemporaryFolder(async (folder) => {
    const store = await makeStore(folder, large);
    fillSqlite(folder, large);
    found.push(await measureLarge(folder, store, large, isQuick));
    found.push(await measureHard(store, large));
    found.push(await measureCold(folder, store, large, isQuick));
    found.push(await measureMemory(store, large));
  });
  await withTemporaryFolder(async (folder) => {
    found.push(await measureHuge(await makeStore(folder, huge), huge));
  });
  await withTemporaryFolder(async (folder) => {
    found.push(await measureIndexing(folder, isQuick));
    found.push(await measureUntilFound(folder, isQuick));
  });
  const bands = BANDS.map(([low, high]) => `${low * 100} to ${high * 100} %`).join(', ');
  return {
    title: semanticOption().semantic ? 'Search with vectors' : 'Search by words alone',
    method: `${semanticOption().semantic ? 'With the vectors of `longhand-vectors`, as the library comes' : 'With `semantic: false`'}. Entries of 1 KB of words after Zipf's law. Every query has three words, one of each band of frequency (in ${bands} of the entries), and asks for the texts of the ten best entries that hold any of them. Longhand: one user with conversations of ${SESSION_ENTRIES} memories each, on the disk, with the defaults, \`scope: 'user'\` and its full ranking; SQLite: a table and its FTS5 index on the disk; MiniSearch and Orama with their defaults, in memory. Indexing is, for Longhand, from the logs on the disk to the first answer (the index is written to the disk right after it); for MiniSearch, from texts in memory to an index in memory. Bulk add is timed from the first entry, into sessions that are there and into an empty database, with one transaction for each ${SESSION_ENTRIES} entries. A cold process is timed from its start to its printed answer, with the files in the page cache. Memory is the resident set, garbage included.`,
    measurements: found.flatMap(({ measurements }) => measurements),
    goals: found.flatMap(({ goals }) => goals),
  };
};

/** The same as a store has it by default where `longhand-vectors` is installed. */
export const searchWithVectors: Part = (options) => {
  compareMeaning();
  return search(options);
};

function fillSqlite(folder: string, entries: number): void {
  const sqlite = openSqlite(folder);
  for (let from = 0; from < entries; from += BATCH) sqlite.addMany(makeRange(from, from + BATCH));
  sqlite.close();
}
