import {
  type FoundMemory,
  type MemoryPage,
  type MemoryQuery,
  type MemoryType,
  type NewMemory,
  NotFoundError,
} from 'longhand';
import { z } from 'zod';
import {
  cursor,
  jsonObject,
  limit,
  memoryId,
  memoryType,
  provenance,
  provenanceHint,
  reason,
  sessionId,
  tags,
  timestamp,
} from './fields.ts';
import { defineOperation } from './operation.ts';
import { rounded, roundedScores } from './rounded.ts';

/** What a plain text is when nobody says: something that was found out. */
const TYPE_OF_TEXT = 'finding';

const newMemoryFields = {
  type: memoryType.exactOptional().describe('What it is. A plain text is a finding when this is left out.'),
  content: z
    .union([jsonObject, z.string()], {
      error: ({ input }) => (input === undefined ? 'is missing' : 'must be an object or a text'),
    })
    .refine((content) => content !== '', 'must not be empty')
    .describe('A text, or any JSON object; `text` in it is what people read.'),
  id: memoryId.exactOptional().describe('Adding the same memory again is then a no-op.'),
  timestamp: timestamp.exactOptional(),
  importance: z.number().min(0).max(1).exactOptional(),
  tags: tags.exactOptional(),
  references: z.array(memoryId).exactOptional(),
  provenance: provenanceHint.exactOptional(),
};
const NEEDS_TYPE = { path: ['type'], error: 'is missing', when: () => true };
const newMemory = z.strictObject(newMemoryFields).refine(hasTypeOrText, NEEDS_TYPE);

/** An object can be anything: who sends one says what it is. Also asked of what is wrong elsewhere. */
function hasTypeOrText(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return true;
  const { type, content } = input as { readonly type?: unknown; readonly content?: unknown };
  return type !== undefined || typeof content === 'string';
}

/** A plain text becomes what the tool `store_memory` makes of one. */
function toNewMemory({ type, content, ...rest }: z.output<typeof newMemory>): NewMemory {
  return {
    ...rest,
    type: type ?? TYPE_OF_TEXT,
    content: typeof content === 'string' ? { text: content } : content,
  };
}

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

export const foundMemory = memoryEntry.extend({
  relevance: z.number(),
  explanation: z
    .object({
      importance: z.number(),
      decay: z.number(),
      recency: z.number(),
      match: z.number(),
      match_parts: z.record(z.string(), z.unknown()).readonly().exactOptional(),
    })
    .exactOptional(),
});

export const queryFields = {
  text: z.string().max(100_000).exactOptional().describe('Words, "phrases" and wild*cards.'),
  types: z.array(memoryType).exactOptional(),
  tags: z
    .strictObject({
      include: z.array(z.string()).exactOptional(),
      exclude: z.array(z.string()).exactOptional(),
      mode: z.enum(['all', 'any']).exactOptional(),
      exact: z.boolean().exactOptional(),
    })
    .exactOptional(),
  time_range: z
    .strictObject({ start: timestamp.exactOptional(), end: timestamp.exactOptional() })
    .exactOptional(),
  within: z.string().exactOptional().describe('A range in words: last week, 24h, P7D.'),
  min_importance: z.number().min(0).max(1).exactOptional(),
  references: z.array(memoryId).exactOptional(),
  max_depth: z.int().min(0).exactOptional(),
  sort_by: z.enum(['relevance', 'match', 'time', 'importance']).exactOptional(),
  limit: limit.default(10),
  cursor: cursor.exactOptional(),
  explain: z.boolean().exactOptional().describe('Give the parts of each score.'),
  as_of: timestamp.exactOptional().describe('Answer from what was known then.'),
  now: timestamp.exactOptional().describe('The moment of asking, when it is not now.'),
};
const queryInput = z.strictObject(queryFields);

/** The library's query has camelCase names. */
export function toQuery(input: z.output<typeof queryInput>): Omit<MemoryQuery, 'scope'> {
  const { time_range, min_importance, max_depth, sort_by, as_of, ...rest } = input;
  return {
    ...rest,
    ...(time_range === undefined ? {} : { timeRange: time_range }),
    ...(min_importance === undefined ? {} : { minImportance: min_importance }),
    ...(max_depth === undefined ? {} : { maxDepth: max_depth }),
    ...(sort_by === undefined ? {} : { sortBy: sort_by }),
    ...(as_of === undefined ? {} : { asOf: as_of }),
  };
}

export const memoryPage = z.object({
  memories: z.array(foundMemory).readonly(),
  next_cursor: z.string().exactOptional(),
  semantic: z
    .object({
      used: z.boolean(),
      reason: z.enum(['late', 'failed', 'pending', 'words']).exactOptional(),
    })
    .exactOptional(),
});

export function toPage({ memories, nextCursor, semantic }: MemoryPage): z.input<typeof memoryPage> {
  return {
    memories: memories.map(toAnswer),
    ...(nextCursor === undefined ? {} : { next_cursor: nextCursor }),
    ...(semantic === undefined ? {} : { semantic }),
  };
}

function toAnswer(memory: FoundMemory): FoundMemory {
  const relevance = rounded(memory.relevance);
  if (memory.explanation === undefined) return { ...memory, relevance };
  return { ...memory, relevance, explanation: roundedScores(memory.explanation) };
}

const MEMORIES = '/api/sessions/{session_id}/memories';
const ONE = `${MEMORIES}/{memory_id}`;
const oneMemory = z.strictObject({ session_id: sessionId, memory_id: memoryId });
const deletion = { reason: reason.exactOptional(), dry_run: z.boolean().default(false) };
const scope = z.enum(['session', 'user', 'agent']).default('session');
const deleted = z.object({ deleted: z.int().describe('How many; with dry_run, how many would be.') });

function deleteOptions({ reason: why, dry_run }: { readonly reason?: string; readonly dry_run: boolean }) {
  return { dryRun: dry_run, ...(why === undefined ? {} : { reason: why }) };
}

export const memoryOperations = [
  defineOperation({
    name: 'addMemory',
    summary: 'Add a memory to a session.',
    input: z.strictObject({ ...newMemoryFields, session_id: sessionId }).refine(hasTypeOrText, NEEDS_TYPE),
    output: z.object({ id: z.string(), session_id: z.string() }),
    http: { method: 'POST', path: MEMORIES, status: 201 },
    access: 'write',
    named: (input, token) => ({ id: memoryIdFrom(token, 0), ...input }),
    run: async ({ session_id, ...memory }, { memory: scoped }) => ({
      id: await scoped.addMemory(session_id, toNewMemory(memory)),
      session_id,
    }),
  }),
  defineOperation({
    name: 'addMemories',
    summary: 'Add many memories with one write: all of them, or none.',
    input: z.strictObject({ session_id: sessionId, memories: z.array(newMemory).max(10_000) }),
    output: z.object({ ids: z.array(z.string()).readonly(), session_id: z.string() }),
    http: { method: 'POST', path: `${MEMORIES}/batch`, status: 201 },
    access: 'write',
    named: ({ memories, ...input }, token) => ({
      ...input,
      memories: memories.map((memory, place) => ({ id: memoryIdFrom(token, place), ...memory })),
    }),
    run: async ({ session_id, memories }, { memory }) => ({
      ids: await memory.addMemories(session_id, memories.map(toNewMemory)),
      session_id,
    }),
  }),
  defineOperation({
    name: 'listMemories',
    summary: 'The memories of a session, page by page.',
    input: z.strictObject({
      session_id: sessionId,
      text: queryFields.text,
      type: memoryType.exactOptional(),
      tag: z.string().exactOptional(),
      within: queryFields.within,
      sort_by: z.enum(['relevance', 'match', 'time', 'importance']).default('time'),
      limit: limit.default(100),
      cursor: queryFields.cursor,
    }),
    output: memoryPage,
    http: { method: 'GET', path: MEMORIES },
    access: 'read',
    run: async ({ session_id, type, tag, sort_by, ...query }, { memory }) =>
      toPage(
        await memory.pageMemories(session_id, {
          ...query,
          sortBy: sort_by,
          ...narrowing(type, tag),
        }),
      ),
  }),
  defineOperation({
    name: 'queryMemories',
    summary: 'The memories that a query asks for, best first.',
    input: queryInput.extend({
      session_id: sessionId,
      scope,
    }),
    output: memoryPage,
    http: { method: 'POST', path: `${MEMORIES}/query` },
    access: 'read',
    run: async ({ session_id, scope, ...input }, { memory }) =>
      toPage(await memory.pageMemories(session_id, { ...toQuery(input), scope })),
  }),
  defineOperation({
    name: 'getMemory',
    summary: 'Read one memory.',
    input: oneMemory,
    output: memoryEntry,
    http: { method: 'GET', path: ONE },
    access: 'read',
    run: async ({ session_id, memory_id }, { memory }) => {
      const entry = await memory.getMemory(session_id, memory_id);
      if (entry === null) throw memoryNotFound(session_id, memory_id);
      return entry;
    },
  }),
  defineOperation({
    name: 'similarMemories',
    summary: 'The memories that are most like one, best first, without itself.',
    input: oneMemory.extend({
      scope,
      type: memoryType.exactOptional(),
      tag: z.string().exactOptional(),
      within: queryFields.within,
      limit: limit.default(10),
      explain: queryFields.explain,
    }),
    output: z.object({ memories: z.array(foundMemory).readonly() }),
    http: { method: 'GET', path: `${ONE}/similar` },
    access: 'read',
    run: async ({ session_id, memory_id, type, tag, ...query }, { memory }) => {
      const narrowed = { ...query, ...narrowing(type, tag) };
      const memories = await memory.similarMemories(session_id, memory_id, narrowed);
      return { memories: memories.map(toAnswer) };
    },
  }),
  defineOperation({
    name: 'setImportance',
    summary: 'Change how important a memory is.',
    input: oneMemory.extend({ importance: z.number().min(0).max(1) }),
    output: z.object({ id: z.string(), importance: z.number() }),
    http: { method: 'PATCH', path: ONE },
    access: 'write',
    run: async ({ session_id, memory_id, importance }, { memory }) => {
      await memory.setImportance(session_id, memory_id, importance);
      return { id: memory_id, importance };
    },
  }),
  defineOperation({
    name: 'deleteMemory',
    summary: 'Delete one memory.',
    input: oneMemory.extend(deletion),
    output: deleted,
    http: { method: 'DELETE', path: ONE },
    access: 'write',
    run: async ({ session_id, memory_id, ...options }, { memory }) => {
      const isDeleted = await memory.deleteMemory(session_id, memory_id, deleteOptions(options));
      if (!isDeleted) throw memoryNotFound(session_id, memory_id);
      return { deleted: 1 };
    },
  }),
  defineOperation({
    name: 'deleteMemoriesByTopic',
    summary: 'Delete what carries a tag, or one under it.',
    input: z.strictObject({
      session_id: sessionId,
      topic: z.string().min(1),
      exact: z.boolean().default(false).describe('Only the tag itself.'),
      ...deletion,
    }),
    output: deleted,
    http: { method: 'POST', path: `${MEMORIES}/delete_by_topic` },
    access: 'write',
    run: async ({ session_id, topic, exact, ...options }, { memory }) => ({
      deleted: await memory.deleteMemoriesByTopic(session_id, topic, { exact, ...deleteOptions(options) }),
    }),
  }),
  defineOperation({
    name: 'deleteMemoriesByTimeRange',
    summary: 'Delete what is dated from start to end, both included.',
    input: z.strictObject({ session_id: sessionId, start: timestamp, end: timestamp, ...deletion }),
    output: deleted,
    http: { method: 'POST', path: `${MEMORIES}/delete_by_time_range` },
    access: 'write',
    run: async ({ session_id, start, end, ...options }, { memory }) => ({
      deleted: await memory.deleteMemoriesByTimeRange(session_id, start, end, deleteOptions(options)),
    }),
  }),
];

/** In a query string there is one type and one tag. */
function narrowing(
  type: MemoryType | undefined,
  tag: string | undefined,
): Pick<MemoryQuery, 'types' | 'tags'> {
  return {
    ...(type === undefined ? {} : { types: [type] }),
    ...(tag === undefined ? {} : { tags: { include: [tag] } }),
  };
}

function memoryIdFrom(token: string, place: number): string {
  return `mem_${token.slice(0, 22)}_${place}`;
}

function memoryNotFound(sessionId: string, memoryId: string): NotFoundError {
  return new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${memoryId} in this session.`, {
    details: { session_id: sessionId, memory_id: memoryId },
  });
}
