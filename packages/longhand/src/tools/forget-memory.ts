import { z } from 'zod';
import { CorruptionError, NotFoundError, ValidationError } from '../core/errors.ts';
import { isMemoryId } from '../core/ids.ts';
import { keyNamedBy } from '../core/memory-ref.ts';
import type { FoundMemory } from '../core/query.ts';
import type { JsonObject } from '../core/records.ts';
import { detailOf } from '../layers/details/index.ts';
import { isAgentMemoryId, MAX_LIMIT, summarise } from './shown-memory.ts';
import { defineTool, type Tool } from './tool.ts';
import { requireUser, type ToolScope } from './tool-scope.ts';

const NEAREST = 5;

export const forgetMemory: Tool = defineTool({
  name: 'forget_memory',
  title: 'Forget a memory',
  description:
    'Delete for good, only when the user asks: one memory by key, or all that holds a text: memories, details, notes, ' +
    'journal and core. With preview it lists what would go and why, and deletes nothing.',
  input: z.strictObject({
    memory_key: z.string().min(1).optional(),
    text: z.string().min(1).optional().describe('Words as they stand there'),
    preview: z.boolean().default(false),
  }),
  output: {
    success: z.boolean(),
    /** False for a preview. */
    forgotten: z.boolean(),
    pieces: z.int(),
    items: z.array(z.looseObject({ id: z.string(), text: z.string(), reason: z.string() })),
    nearest: z.array(z.looseObject({ memory_key: z.string(), summary: z.string() })),
    receipt_id: z.string().nullable(),
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  run: async ({ memory_key, text, preview }, scope) => {
    const userId = requireUser(scope);
    if ((memory_key === undefined) === (text === undefined)) throw eitherOr();
    const { agentId } = scope;
    const what =
      memory_key === undefined
        ? { text: text! }
        : { keys: await withCompanions(keyNamedBy(memory_key), scope) };
    const report = await scope.layers.forget({ userId, agentId }, what, { dryRun: preview });
    if (report.pieces === 0) {
      if (text !== undefined) return nothingHolds(text, scope);
      const [key] = what.keys!;
      throw new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${key}.`, {
        details: { memory_key: key! },
      });
    }
    return { success: true, forgotten: !preview, ...report } as unknown as JsonObject;
  },
});

function eitherOr(): ValidationError {
  return new ValidationError(
    'INVALID_OPTION',
    'Say what to forget: either memory_key or text. Nothing was forgotten.',
  );
}

/** A long text that is a memory as well is kept twice, as a detail and as the memory that leads to it: both go. */
async function withCompanions(key: string, scope: ToolScope): Promise<readonly string[]> {
  if (isAgentMemoryId(key)) return [key];
  const memory = isMemoryId(key)
    ? await scope.layers.memories.get(requireUser(scope), key).catch(ifDamaged)
    : undefined;
  if (memory !== undefined) return [key, ...detailOf(memory)];
  return [key, ...(await memoriesOf(key, scope)).map(({ id }) => id)];
}

/** A damaged memory can be forgotten, and leads nowhere. */
function ifDamaged(error: unknown): undefined {
  if (!(error instanceof CorruptionError)) throw error;
}

/** The memories that lead to a detail. */
async function memoriesOf(key: string, scope: ToolScope): Promise<readonly FoundMemory[]> {
  const found: FoundMemory[] = [];
  let cursor: string | undefined;
  do {
    const page = await scope.layers.memories.search(requireUser(scope), {
      text: '*',
      limit: MAX_LIMIT,
      includeReplaced: true,
      collapse: false,
      ...(cursor === undefined ? {} : { cursor }),
    });
    found.push(...page.memories.filter((memory) => detailOf(memory).includes(key)));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

async function nothingHolds(text: string, scope: ToolScope): Promise<JsonObject> {
  const { memories } = await scope.layers.memories.search(requireUser(scope), { text, limit: NEAREST });
  const code = 'MEMORY_NOT_FOUND';
  if (memories.length === 0)
    return { error: 'Nothing holds these words, and no memory comes close. Nothing was forgotten.', code };
  return {
    error:
      'Nothing holds these words as they are. Nothing was forgotten: name one of the nearest by its key.',
    code,
    nearest: memories.map((memory) => {
      const { memory_key, summary } = summarise(memory);
      return { memory_key: memory_key!, summary: summary! };
    }),
  };
}
