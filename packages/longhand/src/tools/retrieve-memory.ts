import { z } from 'zod';
import { ifGone, NotFoundError } from '../core/errors.ts';
import { isMemoryId } from '../core/ids.ts';
import { keyNamedBy } from '../core/memory-ref.ts';
import type { JsonObject } from '../core/records.ts';
import { describeMemory, isAgentMemoryId, KEY_MISSING, textOf } from './shown-memory.ts';
import { defineTool, type Tool } from './tool.ts';
import { requireUser, type ToolScope } from './tool-scope.ts';

export const retrieveMemory: Tool = defineTool({
  name: 'retrieve_memory',
  title: 'Retrieve a memory',
  description:
    'Get the whole text behind a key or placeholder [MemoryRef: key - description]. Long texts come in pages; or ask ' +
    'for lines, for the lines that hold a text, or for a part of a JSON value.',
  input: z.strictObject({
    memory_key: z.string().min(1).optional(),
    id: z.string().optional().describe('Same as memory_key'),
    page: z.int().min(1).optional(),
    // Not a tuple: its JSON Schema (`prefixItems`, `items: false`) is refused by some clients.
    lines: z.array(z.int().min(1)).length(2).optional().describe('First and last'),
    search: z.string().min(1).optional().describe('Only lines with this text'),
    pointer: z.string().optional().describe('JSON pointer: /items/0/name'),
  }),
  output: { memory_key: z.string(), content: z.string(), total_pages: z.int(), page: z.int() },
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
  run: async ({ memory_key, id, page, lines, search, pointer }, scope) => {
    const userId = requireUser(scope);
    const named = memory_key ?? id;
    if (named === undefined) return KEY_MISSING;
    const key = keyNamedBy(named);
    const own = await ownMemory(key, scope);
    if (own !== undefined) return own;
    if (key.startsWith('mem_')) {
      const memory = await memoryNamed(key, scope);
      if (memory !== undefined) return memory;
    }
    const { pageBytes } = scope.layers;
    try {
      const retrieved = await scope.layers.details.retrieve(userId, key, {
        // What comes back has to fit into the prompt that it is asked for.
        ...(page === undefined ? { wholeUpTo: pageBytes } : { page, pageSize: pageBytes }),
        ...(lines === undefined ? {} : { lines: [lines[0]!, lines[1]!] as const }),
        ...(search === undefined ? {} : { search }),
        ...(pointer === undefined ? {} : { pointer }),
      });
      return { ...retrieved } as unknown as JsonObject;
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      // Programs may give a memory an id of their own, which looks like the key of a detail.
      const memory = isMemoryId(key) ? await memoryNamed(key, scope) : undefined;
      if (memory === undefined) throw nothingBehind(key, error);
      return memory;
    }
  },
});

function nothingBehind(key: string, { code }: NotFoundError): NotFoundError {
  const what = `There is no memory or detail with the key ${key}, or it has expired.`;
  return new NotFoundError(code, `${what} Look for it with search_memory.`, { details: { memory_key: key } });
}

async function memoryNamed(key: string, scope: ToolScope): Promise<JsonObject | undefined> {
  const memory = await scope.layers.memories.get(requireUser(scope), key);
  return memory && { memory_key: key, ...describeMemory(memory), content: textOf(memory) };
}

/** Of the agent's journal or core. */
async function ownMemory(key: string, { agentId, layers }: ToolScope): Promise<JsonObject | undefined> {
  if (agentId === undefined || !isAgentMemoryId(key)) return undefined;
  const memory = await layers.journal.find(agentId, key).catch(ifGone);
  return (
    memory && {
      memory_key: key,
      memory_type: memory.memory_type,
      timestamp: memory.created_at,
      content: memory.content,
    }
  );
}

/** An agent that was never made has saved nothing. */
