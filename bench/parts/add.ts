import { BARE, openBareAppend } from '../contenders/bare-append.ts';
import { LIMIT_RAISED, LONGHAND, openLonghand } from '../contenders/longhand.ts';
import { MASTRA, openMastra } from '../contenders/mastra.ts';
import { openServerMemory, SERVER_MEMORY } from '../contenders/server-memory.ts';
import { openSqlite, SQLITE } from '../contenders/sqlite.ts';
import { makeEntries } from '../entries.ts';
import { interleave } from '../interleave.ts';
import { goal, type Part } from '../result.ts';
import { ratioOverRounds, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const ENTRIES_BEFORE = 1_000;
/**
 * Until the compiler has come to rest: the three lines of a bare append are compiled at once, and all that an add goes
 * through after some 12,000 of them. A process that serves an agent runs for hours.
 */
const WARM_UP_ROUNDS = 80;
/** The slow ones get fewer operations in each round. */
const OPERATIONS: Readonly<Record<string, number>> = {
  [LONGHAND]: 200,
  [SQLITE]: 200,
  [BARE]: 200,
  [MASTRA]: 40,
  [SERVER_MEMORY]: 1,
};

/** One entry of 1 KB, awaited. */
export const add: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const entries = makeEntries(ENTRIES_BEFORE);
    const contenders = [
      await openLonghand(folder, LIMIT_RAISED),
      openSqlite(folder),
      openBareAppend(folder),
      await openMastra(folder),
      await openServerMemory(folder),
    ];
    for (const contender of contenders) await contender.addMany(entries);
    const times = await interleave(
      contenders.map((contender) => ({
        name: contender.name,
        operations: OPERATIONS[contender.name]!,
        operation: (index) => contender.add(entries[index % entries.length]!),
      })),
      { rounds: isQuick ? 10 : 40, warmUpRounds: WARM_UP_ROUNDS },
    );
    for (const contender of contenders) await contender.close();

    const longhand = times.get(LONGHAND)!;
    const all = summarise(longhand.flat());
    return {
      title: 'Add one entry of 1 KB, awaited',
      method: `Each store holds ${ENTRIES_BEFORE} entries before the first round, and every contender adds in every round; the first ${WARM_UP_ROUNDS} rounds, in which code is still being compiled, are not counted. Longhand with its defaults, except that the session may grow beyond 10 MB; SQLite in WAL mode with \`synchronous = NORMAL\`, one transaction an entry into a table and its FTS5 index; bare append is \`JSON.stringify\` and one \`writeSync\`.`,
      measurements: [...times].map(([name, rounds]) => ({
        name,
        unit: 'ms',
        value: summarise(rounds.flat()),
      })),
      goals: [
        goal({
          what: 'add one, p50, against SQLite + FTS5',
          bound: 'at most',
          limit: 1 / 3,
          unit: '×',
          measured: ratioOverRounds(longhand, times.get(SQLITE)!),
        }),
        goal({
          what: 'add one, p50, against bare append',
          bound: 'at most',
          limit: 4,
          unit: '×',
          measured: ratioOverRounds(longhand, times.get(BARE)!),
        }),
        goal({
          what: 'add one, p95',
          bound: 'at most',
          limit: 50,
          unit: 'ms',
          measured: all.p95,
          isFloor: true,
        }),
      ],
    };
  });
