import { z } from 'zod';
import { ValidationError } from '../core/errors.ts';
import { formatMemoryRef, keyNamedBy } from '../core/memory-ref.ts';
import type { JsonObject, MemoryType, NewMemory } from '../core/records.ts';
import { isMemoryType, normaliseType } from '../layers/details/index.ts';
import { ALWAYS_DETAILS, kindTag, shortened, typeToKeep } from './shown-memory.ts';
import { defineTool, type Tool } from './tool.ts';
import { requireSession, requireUser, type ToolScope } from './tool-scope.ts';

/** Outputs and files are never memories, however short. */
const SIMILAR_CHARACTERS = 200;

export const storeMemory: Tool = defineTool({
  name: 'store_memory',
  title: 'Store a memory',
  description:
    'Remember something. Short text becomes a memory; long text, command_output and file_content are kept whole ' +
    'behind a placeholder [MemoryRef: key - description]. Saying the same again confirms it. similar lists close ' +
    'memories: if the new one makes one of them untrue, store it again with replaces.',
  input: z.strictObject({
    content: z.string().refine((text) => text.trim() !== '', 'must not be blank'),
    description: z.string().default('').describe('What it is, in a few words'),
    type: z
      .string()
      .optional()
      .describe(
        'preference, decision, finding (default), conversation, command_output, file_content, or your own word',
      ),
    importance: z.number().min(0).max(1).optional().describe('0 to 1; 0.5 if omitted'),
    tags: z.array(z.string()).optional().describe('Topics: work, work.release'),
    replaces: z.array(z.string()).optional().describe('Keys of memories that are no longer true'),
  }),
  output: {
    memory_key: z.string(),
    memory_type: z.string(),
    kind: z.string(),
    session_id: z.string(),
    placeholder: z.string(),
    memory_id: z.string(),
    confirmed: z.boolean(),
    similar: z.array(z.object({ memory_key: z.string(), text: z.string() })),
  },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  run: async ({ content, description, type: given, importance, tags, replaces }, scope) => {
    requireUser(scope);
    const word = given === undefined ? undefined : normaliseType(given);
    const { type, kind } = typeToKeep(word ?? 'finding');
    const fields: MemoryFields = {
      type,
      tags: [...(tags ?? []), ...(kind === undefined ? [] : [kindTag(kind)])],
      ...(importance === undefined ? {} : { importance }),
      ...(replaces === undefined ? {} : { replaces: replaces.map(keyNamedBy) }),
    };
    const isOutput = word !== undefined && ALWAYS_DETAILS.includes(word);
    if (!isOutput && !(await scope.layers.details.isLarge(content))) {
      const text = { text: content, ...(description === '' ? {} : { description }) };
      return remembered(await remember(scope, text, fields), type, kind, description || content);
    }
    const isMarked = (importance ?? tags ?? replaces) !== undefined;
    if (isOutput && isMarked) throw onlyOfMemories(word);
    const detail = await keepDetail(scope, content, description, word);
    const isMemory = isMarked || (word !== undefined && kind === undefined);
    if (!isMemory) return detail;
    // The text itself would crowd a prompt: what is recalled is the line that leads to it.
    const memory = await remember(scope, { text: detail.placeholder }, fields);
    return { ...detail, memory_type: type, memory_id: memory.id };
  },
});

type MemoryFields = Pick<NewMemory, 'type' | 'tags' | 'importance' | 'replaces'>;

function remember(scope: ToolScope, content: JsonObject, fields: MemoryFields) {
  const memory = { ...fields, content, provenance: provenanceOf(scope) };
  const owner = { user_id: requireUser(scope) };
  return scope.layers.memories.remember(owner, memory, { sessionId: requireSession(scope) });
}

function remembered(
  kept: Awaited<ReturnType<typeof remember>>,
  memory_type: MemoryType,
  kind: string | undefined,
  shown: string,
): JsonObject {
  const { id, session_id, confirmed, similar } = kept;
  return {
    memory_key: id,
    memory_type,
    ...(kind === undefined ? {} : { kind }),
    session_id,
    placeholder: formatMemoryRef(id, shown),
    ...(confirmed ? { confirmed } : {}),
    ...(similar.length === 0
      ? {}
      : {
          similar: similar.map((one) => ({
            memory_key: one.id,
            text: shortened(one.text, SIMILAR_CHARACTERS),
          })),
        }),
  };
}

async function keepDetail(scope: ToolScope, content: string, description: string, word: string | undefined) {
  const isOwn = word !== undefined && !isMemoryType(word);
  const value = {
    content,
    provenance: provenanceOf(scope),
    type: isOwn ? word : 'note',
    ...(description === '' ? {} : { description }),
    ...(scope.agentId === undefined ? {} : { agentId: scope.agentId }),
  };
  const owner = { user_id: requireUser(scope) };
  const { memory_key, memory_type, session_id, summary } = await scope.layers.details.keep(
    requireSession(scope),
    value,
    owner,
  );
  return { memory_key, memory_type, session_id, placeholder: formatMemoryRef(memory_key, summary) };
}

function provenanceOf({ agentId, messageId }: ToolScope) {
  return {
    author: 'tool',
    trust: 'agent',
    source: 'store_memory',
    ...(agentId === undefined ? {} : { agent_id: agentId }),
    ...(messageId === undefined ? {} : { message_id: messageId }),
  } as const;
}

/** What could not be kept with it is not passed over. */
function onlyOfMemories(type: string): ValidationError {
  return new ValidationError(
    'INVALID_OPTION',
    `importance, tags and replaces are for memories, and ${type} is kept as a detail. Nothing was stored: leave them out, ` +
      'or give another type.',
  );
}
