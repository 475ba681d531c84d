import { type FoundMemory, LIMITS, type MemoryPage, type MemoryQuery, type NewMemory } from 'longhand';
import { z } from 'zod';
import {
  inZone,
  jsonObject,
  limit,
  memoryCursor,
  memoryId,
  memoryType,
  provenance,
  provenanceHint,
  rangeEnd,
  rangeStart,
  tags,
  timestamp,
  timeZone,
} from './fields.ts';
import { rounded, roundedScores } from './rounded.ts';

/** What memories look like in requests and answers, and the query that finds them. */

export const newMemoryFields = {
  type: memoryType.exactOptional().describe('What it is; a finding when this is left out.'),
  content: z
    .union([jsonObject, z.string()], {
      error: ({ input }) => (input === undefined ? 'is missing' : 'must be an object or a text'),
    })
    .refine((content) => typeof content !== 'string' || content.trim() !== '', 'must not be blank')
    .describe('A text, or any JSON object; `text` in it is what people read.'),
  id: memoryId.exactOptional().describe('Adding the same memory again is then a no-op.'),
  timestamp: timestamp.exactOptional(),
  importance: z.number().min(0).max(1).exactOptional(),
  tags: tags.exactOptional(),
  references: z.array(memoryId).exactOptional(),
  replaces: z.array(memoryId).exactOptional(),
  provenance: provenanceHint.exactOptional(),
};
export const newMemory = z.strictObject(newMemoryFields);

/** What can be put right afterwards. */
export const memoryChanges = {
  content: newMemoryFields.content.exactOptional(),
  type: memoryType.exactOptional(),
  timestamp: newMemoryFields.timestamp,
  importance: newMemoryFields.importance,
  tags: newMemoryFields.tags,
  references: newMemoryFields.references,
  replaces: newMemoryFields.replaces,
};

/** What a plain text becomes, and which type it has when none is named, is the library's to say. */
export function toNewMemory(input: z.output<typeof newMemory>): NewMemory {
  return input as NewMemory;
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
  replaces: z.array(z.string()).readonly().exactOptional(),
  provenance,
  confirmed_at: z.string().exactOptional(),
  updated_at: z.string().exactOptional(),
});

/** Of examples: what those of `createSession` and `addMemory` leave behind. */
export const EXAMPLE_ENTRY: z.input<typeof memoryEntry> = {
  schema_version: 1,
  id: 'mem_deploy',
  session_id: 'demo',
  timestamp: '2026-11-16T09:30:00.000Z',
  type: 'decision',
  content: { text: 'We deploy blue green' },
  importance: 0.9,
  decay_factor: 1,
  tags: ['ops.deploy'],
  references: [],
  provenance: { author: 'user', trust: 'owner' },
};

export const foundMemory = memoryEntry.extend({
  relevance: z.number(),
  match: z.number().exactOptional(),
  duplicates: z.int().exactOptional(),
  explanation: z
    .object({
      importance: z.number(),
      decay: z.number(),
      recency: z.number(),
      match_quality: z.number(),
      match_parts: z.record(z.string(), z.unknown()).readonly().exactOptional(),
      matched_words: z.array(z.string()).readonly().exactOptional(),
      matched_by_date: z.array(z.string()).readonly().exactOptional(),
      taken_for: z.record(z.string(), z.array(z.string()).readonly()).readonly().exactOptional(),
    })
    .exactOptional(),
});

export const queryFields = {
  text: z
    .string()
    .max(LIMITS.queryCharacters)
    .exactOptional()
    .describe('Words, "phrases" and wild*cards; * alone lists the newest.'),
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
    .strictObject({ start: rangeStart.exactOptional(), end: rangeEnd.exactOptional() })
    .exactOptional(),
  within: z.string().exactOptional().describe('A range in words: last week, 24h, P7D.'),
  min_importance: z.number().min(0).max(1).exactOptional(),
  min_match: z.number().min(0).max(1).exactOptional(),
  collapse: z.boolean().exactOptional(),
  references: z.array(memoryId).exactOptional(),
  max_depth: z.int().min(0).exactOptional(),
  sort_by: z.enum(['relevance', 'match', 'time', 'importance']).exactOptional(),
  limit: limit.default(10),
  cursor: memoryCursor.exactOptional(),
  explain: z.boolean().exactOptional().describe('Give the parts of each score.'),
  as_of: timestamp.exactOptional().describe('Answer from what was known then.'),
  include_replaced: z.boolean().exactOptional().describe('Also give memories that others have replaced.'),
  now: timestamp.exactOptional().describe('The moment of asking, when it is not now.'),
  time_zone: timeZone.exactOptional(),
};
export const queryInput = z.strictObject(queryFields);

/** The library's query has camelCase names. */
export function toQuery(input: z.output<typeof queryInput>): Omit<MemoryQuery, 'scope'> {
  const { time_range, min_importance, min_match, max_depth, sort_by, as_of, ...others } = input;
  const { include_replaced, time_zone, ...rest } = others;
  return {
    ...rest,
    ...(time_range === undefined ? {} : { timeRange: time_range }),
    ...(min_importance === undefined ? {} : { minImportance: min_importance }),
    ...(min_match === undefined ? {} : { minMatch: min_match }),
    ...(max_depth === undefined ? {} : { maxDepth: max_depth }),
    ...(sort_by === undefined ? {} : { sortBy: sort_by }),
    ...(as_of === undefined ? {} : { asOf: as_of }),
    ...(include_replaced === undefined ? {} : { includeReplaced: include_replaced }),
    ...inZone(time_zone),
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

export function toAnswer(memory: FoundMemory): FoundMemory {
  const { explanation, match } = memory;
  return {
    ...memory,
    relevance: rounded(memory.relevance),
    ...(match === undefined ? {} : { match: rounded(match) }),
    ...(explanation === undefined ? {} : { explanation: roundedScores(explanation) }),
  };
}
