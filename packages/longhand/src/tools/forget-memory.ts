import { z } from 'zod';
import { NotFoundError, ValidationError } from '../core/errors.ts';
import { keyNamedBy } from '../core/memory-ref.ts';
import type { JsonObject } from '../core/records.ts';
import { summarise } from './shown-memory.ts';
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
    const what = memory_key === undefined ? { text: text! } : { keys: [keyNamedBy(memory_key)] };
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

async function nothingHolds(text: string, scope: ToolScope): Promise<JsonObject> {
  const { memories } = await scope.layers.memories.search(requireUser(scope), { text, limit: NEAREST });
  return {
    error:
      'Nothing holds these words as they are. Nothing was forgotten: name one of the nearest by its key.',
    code: 'MEMORY_NOT_FOUND',
    nearest: memories.map((memory) => {
      const { memory_key, summary } = summarise(memory);
      return { memory_key: memory_key!, summary: summary! };
    }),
  };
}
