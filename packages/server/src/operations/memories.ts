import {
  type MemoryChanges,
  type MemoryQuery,
  type MemoryType,
  type NewMemory,
  NotFoundError,
  type ScopedMemory,
} from 'longhand';
import { z } from 'zod';
import { camelCased } from './camel-case.ts';
import * as field from './fields.ts';
import {
  EXAMPLE_ENTRY,
  foundMemory,
  memoryChanges,
  memoryEntry,
  memoryPage,
  newMemory,
  newMemoryFields,
  queryFields,
  queryInput,
  sortBy,
  toAnswer,
  toPage,
} from './memory-fields.ts';
import { defineOperation } from './operation.ts';

const MEMORIES = '/api/sessions/{session_id}/memories';
const ONE = `${MEMORIES}/{memory_id}`;
const oneMemory = z.strictObject({ session_id: field.sessionId, memory_id: field.memoryId });
const deletion = {
  reason: field.reason.exactOptional(),
  dry_run: field.flag('Only report what would happen.').default(false),
};
const scope = z
  .enum(['session', 'user', 'agent'])
  .default('session')
  .describe('Where to look: this session, all of its user, or what its agents wrote.');
const deleted = z.object({ deleted: field.integer('How many.') });
/** Of a deletion that was only tried. */
const wouldDelete = z.object({
  would_delete: field.integer('How many would be deleted.'),
  items: z
    .array(z.object({ id: field.text('Names the memory.'), text: field.text('Its beginning.') }))
    .describe('What would be deleted, newest first; at most a hundred of them.'),
});

const MOST_ITEMS = 100;
const TEXT_CHARACTERS = 200;

/** What a deletion would take away, in words: a caller who decides has to see the texts. */
async function toldBeforehand(
  memory: ScopedMemory,
  sessionId: string,
  count: number,
  meant: MemoryQuery,
): Promise<z.output<typeof wouldDelete>> {
  const query = { ...meant, includeReplaced: true, collapse: false, sortBy: 'time' as const };
  const found = count === 0 ? [] : await memory.queryMemories(sessionId, { ...query, limit: MOST_ITEMS });
  const items = found.map(({ id, content }) => {
    const text = typeof content.text === 'string' ? content.text : JSON.stringify(content);
    return { id, text: text.slice(0, TEXT_CHARACTERS) };
  });
  return { would_delete: count, items };
}

export const memoryOperations = {
  addMemory: defineOperation({
    summary: 'Add a memory to a session.',
    input: z.strictObject({ ...newMemoryFields, session_id: field.sessionId }),
    output: z.object({ id: field.text('Names it.'), session_id: field.sessionName }),
    http: { method: 'POST', path: MEMORIES, status: 201 },
    example: {
      request: {
        session_id: 'demo',
        type: 'decision',
        content: 'We deploy blue green',
        importance: 0.9,
        tags: ['ops.deploy'],
        id: 'mem_deploy',
      },
      after: ['createSession'],
      answer: { id: 'mem_deploy', session_id: 'demo' },
    },
    access: 'write',
    named: (input, token) => ({ id: memoryIdFrom(token, 0), ...input }),
    run: async ({ session_id, ...memory }, { memory: scoped }) => ({
      id: await scoped.addMemory(session_id, memory as NewMemory),
      session_id,
    }),
  }),
  addMemories: defineOperation({
    summary: 'Add many memories with one write: all of them, or none.',
    input: z.strictObject({
      session_id: field.sessionId,
      memories: z.array(newMemory).max(10_000).describe('The memories to add.'),
    }),
    output: z.object({ ids: field.texts('The ids, in order.'), session_id: field.sessionName }),
    http: { method: 'POST', path: `${MEMORIES}/batch`, status: 201 },
    example: {
      request: {
        session_id: 'demo',
        memories: [
          { type: 'preference', content: 'Tea, not coffee' },
          {
            type: 'finding',
            content: { text: 'The build takes nine minutes', minutes: 9 },
            tags: ['ops.build'],
          },
        ],
      },
      after: ['createSession'],
      answer: {
        ids: ['mem_01M7HZGWF44X7J7G9MPRSJ4XW1', 'mem_01M7HZGWF44X7J7G9MPRSJ4XW2'],
        session_id: 'demo',
      },
    },
    access: 'write',
    named: ({ memories, ...input }, token) => ({
      ...input,
      memories: memories.map((memory, place) => ({ id: memoryIdFrom(token, place), ...memory })),
    }),
    run: async ({ session_id, memories }, { memory }) => ({
      ids: await memory.addMemories(session_id, memories as NewMemory[]),
      session_id,
    }),
  }),
  listMemories: defineOperation({
    summary: 'The memories of a session, page by page.',
    input: z.strictObject({
      session_id: field.sessionId,
      text: queryFields.text,
      type: field.memoryType.exactOptional(),
      tag: field.text('Only memories with this tag, or one below it.').exactOptional(),
      within: queryFields.within,
      time_zone: queryFields.time_zone,
      include_replaced: queryFields.include_replaced,
      sort_by: sortBy.default('time'),
      limit: field.limit.default(100),
      cursor: queryFields.cursor,
    }),
    output: memoryPage,
    http: { method: 'GET', path: MEMORIES },
    example: {
      request: { session_id: 'demo', type: 'decision', limit: 20 },
      after: ['createSession', 'addMemory'],
      answer: { memories: [{ ...EXAMPLE_ENTRY, relevance: 1.35 }] },
    },
    access: 'read',
    run: async ({ session_id, type, tag, ...query }, { memory }) =>
      toPage(await memory.pageMemories(session_id, { ...camelCased(query), ...narrowing(type, tag) })),
  }),
  queryMemories: defineOperation({
    summary: 'The memories that a query asks for, best first.',
    input: queryInput.extend({ session_id: field.sessionId, scope }),
    output: memoryPage,
    http: { method: 'POST', path: `${MEMORIES}/query` },
    example: {
      request: { session_id: 'demo', text: 'How do we deploy?', scope: 'user', limit: 3, explain: true },
      after: ['createSession', 'addMemory'],
      answer: {
        memories: [
          {
            ...EXAMPLE_ENTRY,
            relevance: 1.35,
            match: 1,
            explanation: {
              importance: 0.9,
              decay: 1,
              recency: 1.5,
              match_quality: 1,
              match_parts: {
                words: 1.235,
                neighbours: 0,
                session: 0.72,
                author: 0,
                time: 0,
                question: 0,
                similarity: 0.31,
              },
              matched_words: ['deploy'],
            },
          },
        ],
      },
    },
    access: 'read',
    run: async ({ session_id, ...query }, { memory }) =>
      toPage(await memory.pageMemories(session_id, camelCased(query))),
  }),
  getMemory: defineOperation({
    summary: 'Read one memory.',
    input: oneMemory,
    output: memoryEntry,
    http: { method: 'GET', path: ONE },
    example: {
      request: { session_id: 'demo', memory_id: 'mem_deploy' },
      after: ['createSession', 'addMemory'],
      answer: EXAMPLE_ENTRY,
    },
    access: 'read',
    run: async ({ session_id, memory_id }, { memory }) => {
      const entry = await memory.getMemory(session_id, memory_id);
      if (entry === null) throw memoryNotFound(session_id, memory_id);
      return entry;
    },
  }),
  similarMemories: defineOperation({
    summary: 'The memories that are most like one, best first, without itself.',
    input: oneMemory.extend({
      scope,
      type: field.memoryType.exactOptional(),
      tag: field.text('Only memories with this tag, or one below it.').exactOptional(),
      within: queryFields.within,
      time_zone: queryFields.time_zone,
      limit: field.limit.default(10),
      explain: queryFields.explain,
    }),
    output: z.object({ memories: field.list(foundMemory, 'The memories, best or newest first.') }),
    http: { method: 'GET', path: `${ONE}/similar` },
    example: {
      request: { session_id: 'demo', memory_id: 'mem_deploy', scope: 'user', limit: 5 },
      after: ['createSession', 'addMemory'],
    },
    access: 'read',
    run: async ({ session_id, memory_id, type, tag, ...query }, { memory }) => {
      const narrowed = { ...camelCased(query), ...narrowing(type, tag) };
      const memories = await memory.similarMemories(session_id, memory_id, narrowed);
      return { memories: memories.map(toAnswer) };
    },
  }),
  updateMemory: defineOperation({
    summary: 'Put a memory right: what is named changes, all else stays, its id included.',
    input: oneMemory.extend(memoryChanges),
    output: memoryEntry,
    http: { method: 'PATCH', path: ONE },
    example: {
      request: { session_id: 'demo', memory_id: 'mem_deploy', content: 'We deploy canaries', importance: 1 },
      after: ['createSession', 'addMemory'],
      answer: {
        ...EXAMPLE_ENTRY,
        content: { text: 'We deploy canaries' },
        importance: 1,
        updated_at: '2026-11-16T09:31:00.000Z',
      },
    },
    access: 'write',
    run: ({ session_id, memory_id, ...changes }, { memory }) =>
      memory.updateMemory(session_id, memory_id, changes as MemoryChanges),
  }),
  deleteMemory: defineOperation({
    summary: 'Delete one memory.',
    input: oneMemory.extend(deletion),
    output: deleted,
    http: { method: 'DELETE', path: ONE },
    example: {
      request: { session_id: 'demo', memory_id: 'mem_old', reason: 'No longer true' },
      after: ['createSession'],
      first: [
        {
          operation: 'addMemory',
          request: { session_id: 'demo', content: 'We deploy on Fridays', id: 'mem_old' },
        },
      ],
      answer: { deleted: 1 },
    },
    access: 'write',
    run: async ({ session_id, memory_id, ...options }, { memory }) => {
      const isDeleted = await memory.deleteMemory(session_id, memory_id, camelCased(options));
      if (!isDeleted) throw memoryNotFound(session_id, memory_id);
      return { deleted: 1 };
    },
  }),
  deleteMemoriesByTopic: defineOperation({
    summary: 'Delete what carries a tag, or one under it.',
    input: z.strictObject({
      session_id: field.sessionId,
      topic: field.word('What carries this tag, or one below it.'),
      exact: field.flag('Only the tag itself.').default(false),
      ...deletion,
    }),
    output: z.union([deleted, wouldDelete]),
    http: { method: 'POST', path: `${MEMORIES}/delete_by_topic` },
    example: {
      request: { session_id: 'demo', topic: 'ops', dry_run: true },
      after: ['createSession', 'addMemory'],
      answer: { would_delete: 1, items: [{ id: 'mem_deploy', text: 'We deploy blue green' }] },
    },
    access: 'write',
    run: async ({ session_id, topic, exact, ...options }, { memory }) => {
      const given = { exact, ...camelCased(options) };
      const count = await memory.deleteMemoriesByTopic(session_id, topic, given);
      if (!options.dry_run) return { deleted: count };
      return toldBeforehand(memory, session_id, count, { tags: { include: [topic], exact } });
    },
  }),
  deleteMemoriesByTimeRange: defineOperation({
    summary: 'Delete what is dated from start to end, both included.',
    input: z.strictObject({
      session_id: field.sessionId,
      start: field.rangeStart,
      end: field.rangeEnd,
      time_zone: queryFields.time_zone,
      ...deletion,
    }),
    output: z.union([
      deleted.extend({ time_range: field.meantRange }),
      wouldDelete.extend({ time_range: field.meantRange }),
    ]),
    http: { method: 'POST', path: `${MEMORIES}/delete_by_time_range` },
    example: {
      request: { session_id: 'demo', start: '2026-01-01', end: '2026-01-31', dry_run: true },
      after: ['createSession', 'addMemory'],
      answer: {
        would_delete: 0,
        items: [],
        time_range: { start: '2026-01-01T00:00:00.000Z', end: '2026-01-31T23:59:59.999Z' },
      },
    },
    access: 'write',
    run: async ({ session_id, start, end, time_zone, ...options }, { memory }) => {
      // Deleted are the very moments that the answer names.
      const zone = time_zone === undefined ? {} : { timeZone: time_zone };
      const meant = await memory.timeRangeOf({ start, end }, zone);
      const range = [meant.start, meant.end] as const;
      const count = await memory.deleteMemoriesByTimeRange(session_id, ...range, camelCased(options));
      if (!options.dry_run) return { deleted: count, time_range: meant };
      const told = await toldBeforehand(memory, session_id, count, { timeRange: meant });
      return { ...told, time_range: meant };
    },
  }),
};

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
