import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StdioClient } from '../contenders/mcp-client.ts';
import { openServerMemory, SERVER_MEMORY } from '../contenders/server-memory.ts';
import { makeEntries, textOf } from '../entries.ts';
import { interleave } from '../interleave.ts';
import { goal, type Part } from '../result.ts';
import { median, summarise } from '../statistics.ts';
import { withTemporaryFolder } from '../temporary-folder.ts';

const ENTRIES = 5_000;
/** As many answers as the tool gives by default. */
const LIMIT = 10;
const ALLOWED_MS = 2;

const PING = 'ping';
const SEARCH = 'Longhand search_memory';

/** What a search costs that a model asks for over MCP, on top of the wire. */
export const mcp: Part = ({ isQuick }) =>
  withTemporaryFolder(async (folder) => {
    const { MemoryManager } = await import('longhand');
    const entries = makeEntries(ENTRIES);
    const root = join(folder, 'store');
    const manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('me', { session_id: 'bench', account_id: 'local' });
    await manager.addMemories('bench', entries);
    await manager.close();
    const peer = await openServerMemory(folder);
    for (let i = 0; i < entries.length; i += 500) await peer.addMany(entries.slice(i, i + 500));

    const command = fileURLToPath(new URL('../../packages/server/dist/longhand.js', import.meta.url));
    const client = new StdioClient([command, 'mcp', '--storage-root', root]);
    await client.initialize();
    // Words that are in some memories and not in most: the third and fourth of one.
    const queryOf = (index: number): string =>
      textOf(entries[(index * 37) % ENTRIES]!)
        .split(' ')
        .slice(2, 4)
        .join(' ');
    const times = await interleave(
      [
        { name: PING, operations: 20, operation: () => client.request('ping', {}) },
        {
          name: SEARCH,
          operations: 20,
          operation: (i) => client.callTool('search_memory', { query: queryOf(i), limit: LIMIT }),
        },
        { name: SERVER_MEMORY, operations: 5, operation: (i) => peer.searchNodes(queryOf(i)) },
      ],
      { rounds: isQuick ? 5 : 30, warmUpRounds: 3 },
    );
    await client.close();
    await peer.close();
    const [pings, searches] = [times.get(PING)!, times.get(SEARCH)!];
    const added = median(searches.map((samples, round) => median(samples) - median(pings[round]!)));
    return {
      title: 'A search over MCP',
      method: `${ENTRIES.toLocaleString('en')} memories of 1 KB. One client over standard input and output asks Longhand for pings and for search_memory with two words each, ${LIMIT} results; server-memory, with the same texts, is asked for search_nodes with the same words. All take turns in each round. What a search adds to a ping is the median over the rounds of the difference of their medians.`,
      measurements: [PING, SEARCH, SERVER_MEMORY].map((name) => ({
        name: name === SERVER_MEMORY ? `${SERVER_MEMORY} search_nodes` : name,
        unit: 'ms' as const,
        value: summarise(times.get(name)!.flat()),
      })),
      goals: [
        goal({
          what: `search_memory at ${ENTRIES.toLocaleString('en')} entries over an MCP ping`,
          bound: 'at most',
          limit: ALLOWED_MS,
          unit: 'ms',
          measured: added,
        }),
      ],
    };
  });
