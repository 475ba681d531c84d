import { LIMITS, memoryText, type ScopedMemory } from 'longhand';
import { z } from 'zod';
import { agentIdsOf } from './access.ts';
import { beginningOf } from './analytics.ts';
import * as field from './fields.ts';
import { defineOperation } from './operation.ts';
import { rounded } from './rounded.ts';

/**
 * One search over all layers, for a page that shows what each of them has: the searches that each has of its own. To look is
 * no use of a memory: a moment is named, which keeps it from being counted.
 */
const LAYERS = ['memories', 'details', 'journal', 'core', 'notes', 'transcript'] as const;
/** Counted in each layer, and in each journal and document of notes. */
const MOST_COUNTED = 100;

const hit = z.object({
  id: field.text('Names the memory, detail or message; of notes, the header of the section.'),
  text: field.text('The beginning of its text; of a detail its description.'),
  match: field.match,
  timestamp: field.text('When it was, ISO 8601.').exactOptional(),
  session_id: field.sessionName.exactOptional(),
  agent_id: field.agentName.exactOptional(),
  type: field.text('Of a memory its type, of a message its role.').exactOptional(),
  trust: field.provenance.shape.trust.exactOptional(),
});
type Hit = z.input<typeof hit>;

interface Found {
  readonly hits: readonly Hit[];
  /** Of how many details or sessions not all was searched. */
  readonly partly?: number | undefined;
}

export const searchLayersOperations = {
  searchLayers: defineOperation({
    summary:
      'One search over memories, details, journal, core, notes and transcripts of the user: what each layer has, with counts.',
    input: z.strictObject({
      text: field.word('What to look for, in words.', LIMITS.queryCharacters),
      layers: z.array(z.enum(LAYERS)).min(1).exactOptional().describe('Only these; all when left out.'),
      limit: z.int().min(0).max(MOST_COUNTED).default(5).describe('How many hits of each layer.'),
    }),
    output: z.object({
      layers: field.rows('Each layer that was searched.', {
        layer: field.choice(LAYERS, 'The layer.'),
        found: field.integer(
          `How many were found; ${MOST_COUNTED} are counted, of each agent in its layers.`,
        ),
        is_complete: field.flag('False when there may be more.'),
        partly_searched: field
          .integer(
            'Of how many details, or sessions with a transcript, not all was searched; none when left out.',
          )
          .exactOptional(),
        hits: z.array(hit).describe('The best, in the order of the layer’s own search.'),
      }),
    }),
    http: { method: 'POST', path: '/api/search/layers' },
    example: {
      request: { text: 'How do we deploy?', limit: 3 },
      after: ['createSession', 'addMemory', 'storeDetail'],
    },
    access: 'read',
    run: async ({ text, layers = LAYERS, limit }, { memory }) => {
      const searched = [...new Set(layers)].map(async (layer) => {
        const { hits, partly = 0 } = await SEARCHES[layer](memory, text);
        return {
          ...{ layer, found: hits.length, is_complete: hits.length < MOST_COUNTED && partly === 0 },
          ...(partly === 0 ? {} : { partly_searched: partly }),
          hits: hits.slice(0, limit).map((one) => ({ ...one, match: rounded(one.match) })),
        };
      });
      return { layers: await Promise.all(searched) };
    },
  }),
};

const limit = MOST_COUNTED;

const SEARCHES: Readonly<
  Record<(typeof LAYERS)[number], (memory: ScopedMemory, text: string) => Promise<Found>>
> = {
  memories: async (memory, text) => {
    const { memories } = await memory.search({ text, limit, now: new Date() });
    return {
      hits: memories.map(({ id, content, match = 0, timestamp, session_id, type, provenance }) => {
        const beginning = beginningOf(memoryText(content));
        return { id, text: beginning, match, timestamp, session_id, type, trust: provenance.trust };
      }),
    };
  },
  details: async (memory, text) => {
    const found = await memory.searchWithDetails({ text, limit, now: new Date() });
    const hits = (found.details ?? []).map(({ memory_key, summary, match, session_id, trust }) => {
      return { id: memory_key, text: beginningOf(summary), match, session_id, trust };
    });
    return { hits, partly: found.partlySearched };
  },
  journal: (memory, text) => searchPrivate(memory, text, 'journal'),
  core: (memory, text) => searchPrivate(memory, text, 'core'),
  notes: (memory, text) =>
    ofAgents(memory, async (agent_id) => {
      const sections = await (await memory.notesOf(agent_id)).search(text, limit);
      return sections.map(({ title, match, ...section }) => {
        return { id: title, text: beginningOf(section.text), match, agent_id };
      });
    }),
  transcript: async (memory, text) => {
    const { messages, partlySearched } = await memory.searchMessages(text, limit);
    const hits = messages.map(({ sessionId, message: { id, role, content, timestamp }, match }) => {
      return { id, text: beginningOf(content), match, timestamp, session_id: sessionId, type: role };
    });
    return { hits, partly: partlySearched };
  },
};

function searchPrivate(memory: ScopedMemory, text: string, type: 'journal' | 'core'): Promise<Found> {
  return ofAgents(memory, async (agent_id) => {
    const found = await (await memory.journalOf(agent_id)).search(text, { type, limit });
    return found.map(({ id, content, match, created_at, provenance }) => {
      const of = { timestamp: created_at, agent_id, trust: provenance.trust };
      return { id, text: beginningOf(content), match, ...of };
    });
  });
}

/** Of every agent that the caller reaches. Searches of different agents have their match in common. */
async function ofAgents(
  memory: ScopedMemory,
  search: (agentId: string) => Promise<readonly Hit[]>,
): Promise<Found> {
  const hits = (await Promise.all((await agentIdsOf(memory)).map(search))).flat();
  return { hits: hits.sort((a, b) => b.match - a.match) };
}
