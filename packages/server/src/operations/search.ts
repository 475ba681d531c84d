import { type FoundDetail, LIMITS } from 'longhand';
import { z } from 'zod';
import { camelCased } from './camel-case.ts';
import * as field from './fields.ts';
import { EXAMPLE_ENTRY, memoryPage, queryFields, toPage } from './memory-fields.ts';
import { defineOperation } from './operation.ts';
import { rounded } from './rounded.ts';

const foundDetail = z.object({
  memory_key: field.keyOfDetail,
  summary: field.text('What it is about, in short.'),
  relevance: field.relevance,
  match: field.match,
  lines: field.lineRange
    .exactOptional()
    .describe('The first and the last line of the part that matches best.'),
  session_id: field.sessionName,
  trust: field.provenance.shape.trust,
});

function toShownDetail(detail: FoundDetail): FoundDetail {
  return { ...detail, relevance: rounded(detail.relevance), match: rounded(detail.match) };
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

export const searchOperations = {
  search: defineOperation({
    summary: 'Search the memories and details of the user, in all sessions or in one.',
    input: z.strictObject({
      ...queryFields,
      session_id: field.sessionId.exactOptional(),
      details: field
        .flag('Also search details, when there is a text and nothing that only memories have is asked for.')
        .default(true),
    }),
    output: memoryPage.extend({
      details: field.list(foundDetail, 'Large values, best or newest first.').exactOptional(),
      partly_searched: field
        .integer('Of how many details only the beginning was searched; none when left out.')
        .exactOptional(),
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
      const query = camelCased(input);
      if (!withDetails || isNarrowed(input)) return toPage(await memory.search(query, session_id));
      const { details, partlySearched, ...page } = await memory.searchWithDetails(query, session_id);
      // A later page is measured beside the same details, which the first one has given.
      if (details === undefined || input.cursor !== undefined) return toPage(page);
      const partly = partlySearched === undefined ? {} : { partly_searched: partlySearched };
      return { ...toPage(page), details: details.map(toShownDetail), ...partly };
    },
  }),
  searchSessions: defineOperation({
    summary: 'Where did we talk about …? The sessions of the user, best first.',
    input: z.strictObject({
      text: field.word('What to look for, in words.', LIMITS.queryCharacters),
      limit: field.limit.default(10),
      now: field.timestamp.exactOptional(),
      time_zone: field.timeZone.exactOptional(),
      include_replaced: z.boolean().default(false).describe('Also count memories that others have replaced.'),
    }),
    output: z.object({
      sessions: z
        .array(z.object({ session_id: field.sessionName, relevance: field.relevance }))
        .readonly()
        .describe('The sessions.'),
    }),
    http: { method: 'POST', path: '/api/search/sessions' },
    example: {
      request: { text: 'Where did we talk about deploying?', limit: 5 },
      after: ['createSession', 'addMemory'],
      answer: { sessions: [{ session_id: 'demo', relevance: 0.4126 }] },
    },
    access: 'read',
    run: async ({ text, ...options }, { memory }) => {
      const sessions = await memory.searchSessions(text, camelCased(options));
      return { sessions: sessions.map((one) => ({ ...one, relevance: rounded(one.relevance) })) };
    },
  }),
};
