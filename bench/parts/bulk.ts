import { BARE, openBareAppend } from '../contenders/bare-append.ts';
import { LIMIT_RAISED, LONGHAND, openLonghand } from '../contenders/longhand.ts';
import { openSqlite, SQLITE } from '../contenders/sqlite.ts';
import { makeEntries } from '../entries.ts';
import { interleave } from '../interleave.ts';
import { goal, type Part } from '../result.ts';
import { median, ratioOverRounds } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const BATCH = 1_000;
const BATCHES_PER_ROUND = 5;

/** Many entries at once. */
export const bulk: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const entries = makeEntries(BATCH);
    const contenders = [await openLonghand(folder, LIMIT_RAISED), openSqlite(folder), openBareAppend(folder)];
    const times = await interleave(
      contenders.map((contender) => ({
        name: contender.name,
        operations: BATCHES_PER_ROUND,
        operation: () => contender.addMany(entries),
      })),
      { rounds: isQuick ? 6 : 30, warmUpRounds: 5 },
    );
    for (const contender of contenders) await contender.close();

    const rateOf = (name: string): number => (BATCH * 1000) / median(times.get(name)!.flat());
    return {
      title: 'Bulk add',
      method: `Batches of ${BATCH} entries of 1 KB: \`addMemories\` against one SQLite transaction for each batch, into a table and its FTS5 index, and against one \`writeSync\` of all the text.`,
      measurements: [LONGHAND, SQLITE, BARE].map((name) => ({ name, unit: 'adds/s', value: rateOf(name) })),
      goals: [
        goal({
          what: 'bulk add, rate, against SQLite + FTS5',
          bound: 'at least',
          limit: 8,
          unit: '×',
          // Time for time: SQLite's time above ours is our rate above SQLite's.
          measured: ratioOverRounds(times.get(SQLITE)!, times.get(LONGHAND)!),
        }),
      ],
    };
  });
