import { z } from 'zod';
import { limit, sessionId, timestamp } from './fields.ts';
import { memoryPage, queryFields, toPage, toQuery } from './memories.ts';
import { defineOperation } from './operation.ts';
import { rounded } from './rounded.ts';

const foundDetail = z.object({
  memory_key: z.string(),
  summary: z.string(),
  relevance: z.number(),
  session_id: z.string(),
});

function withRoundedRelevance<Found extends { readonly relevance: number }>(found: Found): Found {
  return { ...found, relevance: rounded(found.relevance) };
}

export const searchOperations = [
  defineOperation({
    name: 'search',
    summary: 'Search the memories and details of the user, in all sessions or in one.',
    input: z.strictObject({
      ...queryFields,
      session_id: sessionId.exactOptional(),
      details: z.boolean().default(true).describe('Also search details, when there is a text.'),
    }),
    output: memoryPage.extend({ details: z.array(foundDetail).readonly().exactOptional() }),
    http: { method: 'POST', path: '/api/search' },
    access: 'read',
    run: async ({ session_id, details: withDetails, ...input }, { memory }) => {
      const found = memory.search(toQuery(input), session_id);
      // A later page has the details of the first one behind it.
      if (!withDetails || input.text === undefined || input.text.trim() === '' || input.cursor !== undefined)
        return toPage(await found);
      const searchDetails = async (text: string) =>
        (await memory.details()).search(text, {
          limit: input.limit,
          ...(session_id === undefined ? {} : { sessionId: session_id }),
        });
      const [page, details] = await Promise.all([found, searchDetails(input.text)]);
      return { ...toPage(page), details: details.map(withRoundedRelevance) };
    },
  }),
  defineOperation({
    name: 'searchSessions',
    summary: 'Where did we talk about …? The sessions of the user, best first.',
    input: z.strictObject({
      text: z.string().min(1).max(100_000),
      limit: limit.default(10),
      now: timestamp.exactOptional(),
    }),
    output: z.object({
      sessions: z.array(z.object({ session_id: z.string(), relevance: z.number() })).readonly(),
    }),
    http: { method: 'POST', path: '/api/search/sessions' },
    access: 'read',
    run: async ({ text, ...options }, { memory }) => ({
      sessions: (await memory.searchSessions(text, options)).map(withRoundedRelevance),
    }),
  }),
];
