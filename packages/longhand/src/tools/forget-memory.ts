import { z } from 'zod';
import { CorruptionError, NotFoundError, ValidationError } from '../core/errors.ts';
import { isMemoryId } from '../core/ids.ts';
import { findMemoryRefs, keyNamedBy } from '../core/memory-ref.ts';
import { memoryText } from '../core/memory-text.ts';
import type { FoundMemory } from '../core/query.ts';
import type { JsonObject, MemoryEntry } from '../core/records.ts';
import { isAgentMemoryId, MAX_LIMIT, summarise } from './shown-memory.ts';
import { defineTool, type Tool } from './tool.ts';
import { requireUser, type ToolScope } from './tool-scope.ts';

const NEAREST = 5;

export const forgetMemory: Tool = defineTool({
  name: 'forget_memory',
  title: 'Forget a memory',
  description:
    'Delete for good, only when the user asks: one memory by key, or all memories that hold a text. With preview it ' +
    'lists what would go and why, and deletes nothing.',
  input: z.strictObject({
    memory_key: z.string().min(1).optional(),
    text: z.string().min(1).optional().describe('Words as they stand in the memories'),
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
    const keys =
      memory_key === undefined
        ? await keysHolding(text!, scope)
        : await withCompanions(keyNamedBy(memory_key), scope);
    if (keys.length === 0) return nothingHolds(text!, scope);
    const { agentId } = scope;
    const report = await scope.layers.forget({ userId, agentId }, keys, { dryRun: preview });
    if (report.pieces === 0) {
      const [key] = keys;
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

/**
 * The memories that hold the words as they are, and the long texts that they are the way to. What is merely alike is for
 * the user to name.
 */
export async function keysHolding(text: string, scope: ToolScope): Promise<readonly string[]> {
  const wanted = plainly(text);
  const found = await memoriesWith(scope, ({ content }) => plainly(memoryText(content)).includes(wanted));
  return [...new Set(found.flatMap((memory) => [memory.id, ...detailOf(memory)]))];
}

/** A long text that is a memory as well is kept twice, as a detail and as the memory that leads to it: both go. */
async function withCompanions(key: string, scope: ToolScope): Promise<readonly string[]> {
  if (isAgentMemoryId(key)) return [key];
  const memory = isMemoryId(key)
    ? await scope.layers.memories.get(requireUser(scope), key).catch(ifDamaged)
    : undefined;
  if (memory !== undefined) return [key, ...detailOf(memory)];
  const leading = await memoriesWith(scope, (one) => detailOf(one).includes(key));
  return [key, ...leading.map(({ id }) => id)];
}

/** A damaged memory can be forgotten, and leads nowhere. */
function ifDamaged(error: unknown): undefined {
  if (!(error instanceof CorruptionError)) throw error;
}

/** The key of the detail that a memory is nothing but the placeholder of. */
function detailOf({ content }: Pick<MemoryEntry, 'content'>): readonly string[] {
  const text = memoryText(content);
  return findMemoryRefs(text).flatMap(({ key, start, end }) => (end - start === text.length ? [key] : []));
}

async function memoriesWith(
  scope: ToolScope,
  isWanted: (memory: FoundMemory) => boolean,
): Promise<readonly FoundMemory[]> {
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
    found.push(...page.memories.filter(isWanted));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return found;
}

function plainly(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll(/\s+/g, ' ').trim();
}

async function nothingHolds(text: string, scope: ToolScope): Promise<JsonObject> {
  const { memories } = await scope.layers.memories.search(requireUser(scope), { text, limit: NEAREST });
  const code = 'MEMORY_NOT_FOUND';
  if (memories.length === 0)
    return { error: 'No memory holds these words, and none comes close. Nothing was forgotten.', code };
  return {
    error:
      'No memory holds these words as they are. Nothing was forgotten: name one of the nearest by its key.',
    code,
    nearest: memories.map((memory) => {
      const { memory_key, summary } = summarise(memory);
      return { memory_key: memory_key!, summary: summary! };
    }),
  };
}
