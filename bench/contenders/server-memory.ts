import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import type { Contender } from './contender.ts';
import { StdioClient } from './mcp-client.ts';

export const SERVER_MEMORY = 'MCP server-memory';

export interface OpenServerMemory extends Contender {
  /** The entry of this name, through the server's own tool. */
  openNode(name: string): Promise<unknown>;
  searchNodes(query: string): Promise<unknown>;
}

export function entityName(number: number): string {
  return `memory ${number}`;
}

/** Starts the server on its file and speaks its protocol over standard input and output. */
export async function openServerMemory(folder: string, firstNumber = 0): Promise<OpenServerMemory> {
  const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
  const client = new StdioClient([server], { MEMORY_FILE_PATH: join(folder, 'server-memory.jsonl') });
  await client.initialize();
  let number = firstNumber;
  const addMany = (entries: readonly NewMemory[]): Promise<unknown> =>
    client.callTool('create_entities', {
      entities: entries.map((entry) => ({
        name: entityName(number++),
        entityType: entry.type,
        observations: [textOf(entry), ...(entry.tags ?? [])],
      })),
    });
  return {
    name: SERVER_MEMORY,
    add: (entry) => addMany([entry]),
    addMany,
    openNode: (name) => client.callTool('open_nodes', { names: [name] }),
    searchNodes: (query) => client.callTool('search_nodes', { query }),
    close: () => client.close(),
  };
}
