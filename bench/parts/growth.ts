import { openLonghand } from '../contenders/longhand.ts';
import { makeEntries } from '../entries.ts';
import { interleave, type Turn } from '../interleave.ts';
import { goal, type Part } from '../result.ts';
import { ratioOverRounds, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const SMALL = 100;
const LARGE = 5_000;
const ADDS = 100;

/** Whether an add costs more in a session that holds more. */
export const growth: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const { manager, close } = await openLonghand(folder);
    const entries = makeEntries(LARGE);
    const turnAt = (size: number): Turn => {
      let sessionId = '';
      return {
        name: `in a session of ${size} entries`,
        operations: ADDS,
        // A new session each round, so that its size is what the name says.
        prepare: async () => {
          if (sessionId !== '') await manager.deleteSession(sessionId);
          sessionId = (await manager.createSession('me')).id;
          await manager.addMemories(sessionId, entries.slice(0, size));
          await manager.addMemory(sessionId, entries[0]!);
        },
        operation: (index) => manager.addMemory(sessionId, entries[index % entries.length]!),
      };
    };
    const turns = [turnAt(SMALL), turnAt(LARGE)];
    const times = await interleave(turns, { rounds: isQuick ? 10 : 40, warmUpRounds: isQuick ? 10 : 20 });
    await close();
    const [small, large] = turns.map(({ name }) => times.get(name)!);
    return {
      title: 'Cost of an add as the session grows',
      method: `In each round a new session of ${SMALL} and one of ${LARGE} entries, and ${ADDS} awaited adds of 1 KB to each.`,
      measurements: [...times].map(([name, rounds]) => ({
        name,
        unit: 'ms',
        value: summarise(rounds.flat()),
      })),
      goals: [
        goal({
          what: `cost of an add at ${LARGE} entries, against at ${SMALL}`,
          bound: 'at most',
          limit: 1.3,
          unit: '×',
          measured: ratioOverRounds(large!, small!),
        }),
      ],
    };
  });
