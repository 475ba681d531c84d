import { NotFoundError } from 'longhand';
import { z } from 'zod';
import {
  jsonObject,
  memoryId,
  memoryType,
  provenance,
  provenanceHint,
  sessionId,
  tags,
  timestamp,
} from './fields.ts';
import { defineOperation } from './operation.ts';

export const newMemory = z.strictObject({
  type: memoryType,
  content: jsonObject,
  id: memoryId.exactOptional().describe('Adding the same memory again is then a no-op.'),
  timestamp: timestamp.exactOptional(),
  importance: z.number().min(0).max(1).exactOptional(),
  tags: tags.exactOptional(),
  references: z.array(memoryId).exactOptional(),
  provenance: provenanceHint.exactOptional(),
});

export const memoryEntry = z.object({
  schema_version: z.int(),
  id: z.string(),
  session_id: z.string(),
  timestamp: z.string(),
  type: memoryType,
  content: jsonObject,
  importance: z.number(),
  decay_factor: z.number(),
  tags: z.array(z.string()).readonly(),
  references: z.array(z.string()).readonly(),
  provenance,
});

const MEMORIES = '/api/sessions/{session_id}/memories';

export const addMemory = defineOperation({
  name: 'addMemory',
  summary: 'Add a memory to a session.',
  input: newMemory.extend({ session_id: sessionId }),
  output: z.object({ id: z.string(), session_id: z.string() }),
  http: { method: 'POST', path: MEMORIES, status: 201 },
  access: 'write',
  run: async ({ session_id, ...memory }, { memory: scoped }) => ({
    id: await scoped.addMemory(session_id, memory),
    session_id,
  }),
});

export const getMemory = defineOperation({
  name: 'getMemory',
  summary: 'Read one memory.',
  input: z.strictObject({ session_id: sessionId, memory_id: memoryId }),
  output: memoryEntry,
  http: { method: 'GET', path: `${MEMORIES}/{memory_id}` },
  access: 'read',
  run: async ({ session_id, memory_id }, { memory }) => {
    const entry = await memory.getMemory(session_id, memory_id);
    if (entry === null) throw new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${memory_id}.`);
    return entry;
  },
});

export const memoryOperations = [addMemory, getMemory];
