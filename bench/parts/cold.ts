import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { LIMIT_RAISED } from '../contenders/longhand.ts';
import { entityName, type OpenServerMemory, openServerMemory } from '../contenders/server-memory.ts';
import { makeEntries } from '../entries.ts';
import { type FullSession, makeFullSession } from '../full-session.ts';
import { interleave, type Turn } from '../interleave.ts';
import { goal, type Part } from '../result.ts';
import { median, ratioOverRounds, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const COLD = 'Longhand, from the start of a process to the entry';
const COLD_SERVER = 'MCP server-memory, from the start of its process to the entry';
const BARE_START = 'Node alone, from the start of a process to its end';
const OPEN = 'Longhand, open and read in a running process';
const ASK = 'MCP server-memory, read from a running server, which opens its file each time';
const VERIFY = 'Longhand, verify all of it (getSessionStats)';
const REBUILD = 'Longhand, rebuild all of it (rebuildIndex)';

/** A full session that no process has open. */
export const cold: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const full = await makeFullSession(folder);
    const logBytes = statSync(join(full.storageRoot, 'sessions', full.sessionId, 'memory.jsonl')).size;
    await fillServerMemory(folder, logBytes);
    const idAt = (index: number): string => full.ids[(index * 617) % full.ids.length]!;
    const use = async (work: (manager: MemoryManager) => Promise<unknown>): Promise<void> => {
      const manager = new MemoryManager({ storageRoot: full.storageRoot, config: LIMIT_RAISED });
      await work(manager);
      await manager.close();
    };
    const runningServer = await openServerMemory(folder);
    const times = await interleave(
      [
        { name: COLD, operations: 1, ...readInNewProcess(full, idAt) },
        { name: COLD_SERVER, operations: 1, ...readFromNewServer(folder) },
        { name: BARE_START, operations: 1, operation: startNode },
        {
          name: OPEN,
          operations: 3,
          operation: (index) => use((manager) => manager.getMemory(full.sessionId, idAt(index))),
        },
        {
          name: ASK,
          operations: 3,
          operation: (index) => runningServer.openNode(entityName(index % 1_000)),
        },
        {
          name: VERIFY,
          operations: 2,
          operation: () => use((manager) => manager.getSessionStats(full.sessionId)),
        },
        {
          name: REBUILD,
          operations: 2,
          operation: () => use((manager) => manager.rebuildIndex(full.sessionId)),
        },
      ],
      { rounds: isQuick ? 4 : 20, warmUpRounds: 2 },
    );
    await runningServer.close();
    const slower = Math.max(median(times.get(VERIFY)!.flat()), median(times.get(REBUILD)!.flat()));
    return {
      title: 'A full session of 10 MB, cold',
      method: `A session with ${full.ids.length} entries in a log of ${(logBytes / 1e6).toFixed(1)} MB. A new process opens it and prints one entry; server-memory is started on a file of the same size that it wrote itself, is initialized and asked for one entity. Both are timed from the start of their process to the answer. The files are in the page cache for both. Verifying checks every checksum; rebuilding also writes \`index.json\` and \`metadata.json\`.`,
      measurements: [...times].map(([name, rounds]) => ({
        name,
        unit: 'ms',
        value: summarise(rounds.flat()),
      })),
      goals: [
        goal({
          what: 'open a full session cold and read one entry, against server-memory',
          bound: 'at most',
          limit: 1 / 4,
          unit: '×',
          measured: ratioOverRounds(times.get(COLD)!, times.get(COLD_SERVER)!),
        }),
        goal({
          what: 'verify or rebuild all of a full session, the slower of the two',
          bound: 'at most',
          limit: 300,
          unit: 'ms',
          measured: slower,
        }),
        goal({
          what: 'rebuild the index of a full session',
          bound: 'at most',
          limit: 1_000,
          unit: 'ms',
          measured: median(times.get(REBUILD)!.flat()),
          isFloor: true,
        }),
      ],
    };
  });

type Cold = Pick<Turn, 'operation' | 'settle'>;

/** Both are timed from the start of their process to their answer, without their end. */
function readInNewProcess({ storageRoot, sessionId }: FullSession, idAt: (index: number) => string): Cold {
  const reader = join(import.meta.dirname, '../workers/cold-reader.js');
  let ended: Promise<unknown>;
  return {
    operation: async (index) => {
      const id = idAt(index);
      const child = spawn(process.execPath, [reader, storageRoot, sessionId, id], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      ended = once(child, 'exit');
      const [answer] = (await once(child.stdout, 'data')) as [Buffer];
      if (!answer.includes(id)) throw new Error(`The new process did not find ${id}.`);
    },
    settle: () => ended,
  };
}

function readFromNewServer(folder: string): Cold {
  let server: OpenServerMemory | undefined;
  return {
    operation: async (index) => {
      server = await openServerMemory(folder);
      const name = entityName((index * 617) % 1_000);
      const answer = await server.openNode(name);
      if (!JSON.stringify(answer).includes(name)) throw new Error(`server-memory did not find ${name}.`);
    },
    settle: () => server?.close(),
  };
}

async function startNode(): Promise<void> {
  await once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'exit');
}

/** Through the server's own tool, until its file is as large as ours. */
async function fillServerMemory(folder: string, bytes: number): Promise<void> {
  const entries = makeEntries(1_000);
  const file = join(folder, 'server-memory.jsonl');
  const server = await openServerMemory(folder);
  do await server.addMany(entries);
  while (statSync(file).size < bytes);
  await server.close();
}
