import { type FoundDetail, LIMITS } from 'longhand';
import { z } from 'zod';
import { inZone, limit, provenance, sessionId, timestamp, timeZone } from './fields.ts';
import { EXAMPLE_ENTRY, memoryPage, queryFields, toPage, toQuery } from './memory-fields.ts';
import { defineOperation } from './operation.ts';
import { rounded } from './rounded.ts';

const foundDetail = z.object({
  memory_key: z.string(),
  summary: z.string(),
  relevance: z.number(),
  match: z.number(),
  lines: z.tuple([z.int(), z.int()]).readonly().exactOptional(),
  session_id: z.string(),
  trust: provenance.shape.trust,
});

function toShownDetail(detail: FoundDetail): FoundDetail {
  return { ...detail, relevance: rounded(detail.relevance), match: rounded(detail.match) };
}

function withRoundedRelevance<Found extends { readonly relevance: number }>(found: Found): Found {
  return { ...found, relevance: rounded(found.relevance) };
}

/** What only memories have, or had at the time, is asked for: details would be answers to another question. */
const ONLY_OF_MEMORIES = [
  'types',
  'tags',
  'time_range',
  'within',
  'min_importance',
  'references',
  'as_of',
  'include_replaced',
] as const;

function isNarrowed(query: Readonly<Record<string, unknown>>): boolean {
  return ONLY_OF_MEMORIES.some((field) => query[field] !== undefined);
}

export const searchOperations = [
  defineOperation({
    name: 'search',
    summary: 'Search the memories and details of the user, in all sessions or in one.',
    input: z.strictObject({
      ...queryFields,
      session_id: sessionId.exactOptional(),
      details: z
        .boolean()
        .default(true)
        .describe(
          'Also search details, when there is a text and nothing that only memories have is asked for.',
        ),
    }),
    output: memoryPage.extend({
      details: z.array(foundDetail).readonly().exactOptional(),
      partly_searched: z
        .int()
        .exactOptional()
        .describe('Of how many details only the beginning was searched; none when left out.'),
    }),
    http: { method: 'POST', path: '/api/search' },
    example: {
      request: { text: 'How do we deploy?', limit: 3 },
      after: ['createSession', 'addMemory', 'storeDetail'],
      answer: {
        memories: [{ ...EXAMPLE_ENTRY, relevance: 1.35, match: 1 }],
        details: [
          {
            memory_key: 'deploy_log',
            summary: 'The log of a deployment',
            relevance: 0.75,
            match: 1,
            session_id: 'demo',
            trust: 'untrusted',
          },
        ],
      },
    },
    access: 'read',
    run: async ({ session_id, details: withDetails, ...input }, { memory }) => {
      const query = toQuery(input);
      if (!withDetails || isNarrowed(input)) return toPage(await memory.search(query, session_id));
      const { details, partlySearched, ...page } = await memory.searchWithDetails(query, session_id);
      // A later page is measured beside the same details, which the first one has given.
      if (details === undefined || input.cursor !== undefined) return toPage(page);
      const partly = partlySearched === undefined ? {} : { partly_searched: partlySearched };
      return { ...toPage(page), details: details.map(toShownDetail), ...partly };
    },
  }),
  defineOperation({
    name: 'searchSessions',
    summary: 'Where did we talk about …? The sessions of the user, best first.',
    input: z.strictObject({
      text: z.string().min(1).max(LIMITS.queryCharacters),
      limit: limit.default(10),
      now: timestamp.exactOptional(),
      time_zone: timeZone.exactOptional(),
      include_replaced: z.boolean().default(false).describe('Also count memories that others have replaced.'),
    }),
    output: z.object({
      sessions: z.array(z.object({ session_id: z.string(), relevance: z.number() })).readonly(),
    }),
    http: { method: 'POST', path: '/api/search/sessions' },
    example: {
      request: { text: 'Where did we talk about deploying?', limit: 5 },
      after: ['createSession', 'addMemory'],
      answer: { sessions: [{ session_id: 'demo', relevance: 0.4126 }] },
    },
    access: 'read',
    run: async ({ text, time_zone, include_replaced: includeReplaced, ...options }, { memory }) => {
      const asked = { ...options, includeReplaced, ...inZone(time_zone) };
      return { sessions: (await memory.searchSessions(text, asked)).map(withRoundedRelevance) };
    },
  }),
];
