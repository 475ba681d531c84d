import { type FoundMemory, LIMITS, type MemoryPage, type NewMemory, type RememberOptions } from 'longhand';
import { z } from 'zod';
import * as field from './fields.ts';
import { rounded, roundedScores } from './rounded.ts';

/** What memories look like in requests and answers, and the query that finds them. */

export const newMemoryFields = {
  type: field.memoryType.exactOptional().describe('What it is; a finding when this is left out.'),
  content: z
    .union([field.jsonObject, z.string()], {
      error: ({ input }) => (input === undefined ? 'is missing' : 'must be an object or a text'),
    })
    .refine((content) => typeof content !== 'string' || content.trim() !== '', 'must not be blank')
    .describe('A text, or any JSON object; `text` in it is what people read.'),
  id: field.memoryId.exactOptional().describe('Adding the same memory again is then a no-op.'),
  timestamp: field.timestamp.exactOptional(),
  importance: field.share('How important it is, from 0 to 1; 0.5 when left out.').exactOptional(),
  tags: field.tags.exactOptional(),
  references: z.array(field.memoryId).exactOptional().describe('The ids of memories that it refers to.'),
  replaces: z.array(field.memoryId).exactOptional().describe('Memories that are no longer recalled for it.'),
  provenance: field.provenanceHint.exactOptional(),
};
export const newMemory = z.strictObject(newMemoryFields);

/** What can be put right afterwards. */
export const memoryChanges = {
  content: newMemoryFields.content.exactOptional(),
  type: field.memoryType.exactOptional(),
  timestamp: newMemoryFields.timestamp,
  importance: newMemoryFields.importance,
  tags: newMemoryFields.tags,
  references: newMemoryFields.references,
  replaces: newMemoryFields.replaces,
};

/** A memory whose type may be any word that the tool `store_memory` takes. @throws ValidationError INVALID_OPTION */
export async function ofAnyType(text: string, fields: RememberOptions): Promise<NewMemory> {
  return (await import('longhand/tools')).memoryOfAnyType(text, fields);
}

export const memoryEntry = z.object({
  schema_version: field.integer('The version of the record’s shape.'),
  id: field.text('Names it.'),
  session_id: field.sessionName,
  timestamp: field.text('When it was, ISO 8601.'),
  type: field.memoryType,
  content: field.jsonObject.describe('Any JSON object; `text` in it is what people read.'),
  importance: field.number('How important it is, from 0 to 1.'),
  decay_factor: field.number('How much of it time had left when it was written.'),
  tags: field.texts('What it is about: up to 32 tags, with levels between dots.'),
  references: field.texts('The ids of memories that it refers to.'),
  replaces: field.texts('Memories that are no longer recalled for it.').exactOptional(),
  provenance: field.provenance,
  confirmed_at: field.text('When it was last said again, ISO 8601; never when left out.').exactOptional(),
  updated_at: field.updatedAt.exactOptional(),
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
  relevance: field.relevance,
  match: field.match.exactOptional(),
  duplicates: field.integer('Memories that say the same, for which this one stands.').exactOptional(),
  explanation: z
    .object({
      importance: field.number('How important the memory is.'),
      decay: field.number('How much of it time has left, from 0 to 1.'),
      recency: field.number('How lately it was written or used, from 1 to 1.5.'),
      match_quality: field.number('How good the match is beside the best one found, 0 to 1.'),
      match_parts: field.record(z.unknown(), 'What the match is made of.').exactOptional(),
      matched_words: field.texts('Words of the text that the memory holds.').exactOptional(),
      matched_by_date: field.texts('Words that only the day of the memory holds.').exactOptional(),
      taken_for: field
        .record(z.array(z.string()).readonly(), 'Words that no memory holds, with those they were taken for.')
        .exactOptional(),
    })
    .exactOptional()
    .describe('The parts of the relevance; with `explain`.'),
});

const queryText = z
  .string()
  .max(LIMITS.queryCharacters)
  .describe('Words, "phrases" and wild*cards; * alone lists the newest.');
export const sortBy = field.choice(
  ['relevance', 'match', 'time', 'importance'],
  'What comes first: the most relevant, the best match, the newest, or the most important.',
);

export const queryFields = {
  text: queryText.exactOptional(),
  types: z.array(field.memoryType).exactOptional().describe('Only memories of these kinds.'),
  tags: z
    .strictObject({
      include: z.array(z.string()).exactOptional().describe('These tags, and those below them.'),
      exclude: z.array(z.string()).exactOptional().describe('None of these tags.'),
      mode: z.enum(['all', 'any']).exactOptional().describe('Every tag has to be there, or one of them.'),
      exact: field.flag('Only these tags themselves, not those below them.').exactOptional(),
    })
    .exactOptional()
    .describe('Only memories with these tags.'),
  time_range: z
    .strictObject({ start: field.rangeStart.exactOptional(), end: field.rangeEnd.exactOptional() })
    .exactOptional()
    .describe('Only what is dated from start to end, both included.'),
  within: field.text('A range in words: last week, 24h, P7D.').exactOptional(),
  min_importance: field.share('Only memories at least so important.').exactOptional(),
  min_match: field.share('Only what holds at least so much of the text, 0 to 1.').exactOptional(),
  collapse: field.flag('False lists memories that say the same separately.').exactOptional(),
  references: z.array(field.memoryId).exactOptional().describe('Only what refers to these, or to what does.'),
  max_depth: z.int().min(0).exactOptional().describe('How many references away; 1 when left out.'),
  sort_by: sortBy.exactOptional(),
  limit: field.limit.default(10),
  cursor: field.memoryCursor.exactOptional(),
  explain: field.flag('Give the parts of each score.').exactOptional(),
  as_of: field.timestamp.exactOptional().describe('Answer from what was known then.'),
  include_replaced: field.flag('Also give memories that others have replaced.').exactOptional(),
  now: field.timestamp.exactOptional().describe('The moment of asking, when it is not now.'),
  time_zone: field.timeZone.exactOptional(),
};
export const queryInput = z.strictObject(queryFields);

export const memoryPage = z.object({
  memories: field.list(foundMemory, 'The memories, best or newest first.'),
  next_cursor: field.nextCursor,
  semantic: z
    .object({
      used: field.flag('Whether what is near in meaning was found and weighed too.'),
      reason: z
        .enum(['late', 'failed', 'pending', 'words'])
        .exactOptional()
        .describe(
          'Why not: the embedder was too `late` or has `failed`; no memory has a vector yet (`pending`); the query asks for letters, or for no text (`words`).',
        ),
    })
    .exactOptional()
    .describe('With an embedder: whether the meaning of the text had a say.'),
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
