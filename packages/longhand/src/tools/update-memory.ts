import { z } from 'zod';
import { NotFoundError, ValidationError } from '../core/errors.ts';
import type { MemoryChanges } from '../core/memory-changes.ts';
import { keyNamedBy } from '../core/memory-ref.ts';
import { normaliseType } from '../layers/details/index.ts';
import { describeMemory, isAgentMemoryId, isKindTag, kindTag, textOf, typeToKeep } from './shown-memory.ts';
import { defineTool, type Tool } from './tool.ts';
import { requireUser } from './tool-scope.ts';

export const updateMemory: Tool = defineTool({
  name: 'update_memory',
  title: 'Update a memory',
  description:
    'Correct a memory in place: only what is given changes. For news that replaces it, use store_memory.',
  input: z.strictObject({
    memory_key: z.string().min(1),
    content: z
      .string()
      .refine((text) => text.trim() !== '', 'must not be blank')
      .optional(),
    type: z.string().optional(),
    importance: z.number().min(0).max(1).optional(),
    tags: z.array(z.string()).optional().describe('All its topics'),
  }),
  output: { memory_key: z.string(), memory_type: z.string(), content: z.string() },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  run: async ({ memory_key, content, type, importance, tags }, scope) => {
    const userId = requireUser(scope);
    const key = keyNamedBy(memory_key);
    if ([content, type, importance, tags].every((given) => given === undefined)) throw nothingToChange();
    const { agentId, layers } = scope;
    if (agentId !== undefined && isAgentMemoryId(key)) {
      if (content === undefined) throw nothingToChange();
      const { memory_type, content: text } = await layers.journal.edit(agentId, key, content);
      return { memory_key: key, memory_type, content: text };
    }
    const memory = await layers.memories.get(userId, key);
    if (memory === undefined) {
      throw new NotFoundError(
        'MEMORY_NOT_FOUND',
        `There is no memory ${key} to change. To change a long text, store it again and forget the old one.`,
        { details: { memory_key: key } },
      );
    }
    const named = type === undefined ? undefined : typeToKeep(normaliseType(type));
    const kinds =
      named === undefined
        ? memory.tags.filter(isKindTag)
        : named.kind === undefined
          ? []
          : [kindTag(named.kind)];
    const topics = tags ?? memory.tags.filter((tag) => !isKindTag(tag));
    const { text: _old, ...others } = memory.content;
    const changes: MemoryChanges = {
      ...(content === undefined ? {} : { content: { ...others, text: content } }),
      ...(named === undefined ? {} : { type: named.type }),
      ...(importance === undefined ? {} : { importance }),
      ...(tags === undefined && named === undefined ? {} : { tags: [...topics, ...kinds] }),
    };
    const updated = await layers.memories.update(userId, memory, changes);
    return { memory_key: key, ...describeMemory(updated), content: textOf(updated) };
  },
});

function nothingToChange(): ValidationError {
  return new ValidationError('INVALID_OPTION', 'Say what to change: content, type, importance or tags.');
}
