import { type FadingMemory, type FoundMemory, memoryText, NotFoundError, type ScopedMemory } from 'longhand';
import { z } from 'zod';
import * as field from './fields.ts';
import { EXAMPLE_ENTRY } from './memory-fields.ts';
import { defineOperation } from './operation.ts';
import { rounded } from './rounded.ts';

/** Figures and the reference graph count over memories that were read, so there is a limit to them; answers say when it was met. */
const MOST_MEMORIES = 20_000;
const PAGE = 1_000;
/** Sizes, uses and fading cost a look into each session: those with the newest memories. */
const MOST_SESSIONS = 100;
const MOST_TRANSCRIPTS = 500;
const WEEK_MS = 7 * 86_400_000;
const TEXT_CHARACTERS = 240;

const TYPES = ['conversation', 'decision', 'finding', 'preference'] as const;

const shown = z.object({
  id: field.text('Names it.'),
  session_id: field.sessionName,
  type: field.memoryType,
  text: field.text('The beginning of its text.'),
  timestamp: field.text('When it was, ISO 8601.'),
});
const counts = z.object(
  Object.fromEntries(TYPES.map((type) => [type, field.integer(`How many of the type ${type}.`)])) as Record<
    (typeof TYPES)[number],
    z.ZodInt
  >,
);
const isWhole = field.flag('False when there is more than was looked at: the newest are counted.');

export const analyticsOperations = {
  analytics: defineOperation({
    summary:
      'What the memories of the user are made of: types and topics over time, sizes, the most used, decisions, what fades.',
    input: z.strictObject({
      weeks: z.int().min(1).max(104).default(12).describe('How many weeks back; this one counts.'),
      topics: z.int().min(0).max(50).default(8).describe('How many of the commonest tags.'),
      limit: z.int().min(0).max(50).default(5).describe('How many of each list.'),
    }),
    output: z.object({
      total: field.integer('How many memories there are.'),
      is_complete: isWhole,
      types: counts.describe('How many of each type.'),
      weeks: z
        .array(counts.extend({ start: field.text('The Monday that it begins with, UTC.') }))
        .describe('What was remembered in each week, oldest first.'),
      topics: field.rows('The commonest tags.', {
        tag: field.text('The tag.'),
        total: field.integer('How many memories have it.'),
        weeks: z.array(z.int()).describe('How many in each of the weeks.'),
      }),
      sizes: z
        .object({
          sessions: field.integer('How many sessions were looked at, those with the newest memories.'),
          bytes: field.integer('What they take.'),
          largest: field.rows('The largest of them.', {
            session_id: field.sessionName,
            bytes: field.integer('What it takes.'),
            limit_bytes: field.integer('What it may take.'),
          }),
        })
        .describe('Sizes of sessions.'),
      transcript: z
        .object({
          sessions: field.integer('How many sessions have messages.'),
          messages: field.integer('How many messages their transcripts hold.'),
          is_complete: field.flag('False when there are more sessions than were looked at.'),
        })
        .describe('What was said and is archived, in all sessions of the user.'),
      most_used: z
        .array(
          shown.extend({ uses: field.integer('How often it was given to a caller or stood in a prompt.') }),
        )
        .describe('The memories that were used most often.'),
      fading: z
        .array(
          shown.extend({
            relevance: field.number('importance × decay × recency, now.'),
            loss_percent: field.number('How much of that it loses within a week if it is left alone, in %.'),
            fades_at: field.text('When it falls below the threshold if it is left alone, ISO 8601.'),
          }),
        )
        .describe('What fades within a week, soonest first.'),
      decisions: z
        .array(shown.extend({ referred_by: field.texts('The memories that refer to it or replace it.') }))
        .describe('The newest decisions, with what refers to them.'),
    }),
    http: { method: 'GET', path: '/api/analytics' },
    example: { request: { weeks: 4 }, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async ({ weeks, topics, limit }, { memory }) => {
      const { memories, isComplete } = await newestMemories(memory);
      const monday = mondayOf(Date.now());
      const starts = Array.from({ length: weeks }, (_, i) => monday - (weeks - 1 - i) * WEEK_MS);
      const weekOf = ({ timestamp }: FoundMemory): number =>
        starts.findLastIndex((start) => Date.parse(timestamp) >= start);
      const byId = new Map(memories.map((one) => [one.id, one]));
      const { sizes, fading } = await sessionFigures(memory, memories, limit);
      const transcript = await transcriptFigures(memory);
      const known = fading.flatMap((one) => byId.get(one.id) ?? []);
      const facts = new Map(fading.map((one) => [one.id, one]));
      const soon = Date.now() + WEEK_MS;
      const used = known.filter(({ id }) => facts.get(id)!.uses > 0);
      const fadingSoon = known.filter(({ id }) => {
        const { fades_at } = facts.get(id)!;
        return fades_at !== null && Date.parse(fades_at) <= soon;
      });
      const referring = Map.groupBy(
        memories.flatMap((from) =>
          [...from.references, ...(from.replaces ?? [])].map((to) => ({ from: from.id, to })),
        ),
        ({ to }) => to,
      );
      return {
        total: memories.length,
        is_complete: isComplete,
        types: countTypes(memories),
        weeks: starts.map((start, i) => ({
          start: new Date(start).toISOString().slice(0, 10),
          ...countTypes(memories.filter((one) => weekOf(one) === i)),
        })),
        topics: topicsOf(memories, topics).map(({ tag, memories: tagged }) => ({
          tag,
          total: tagged.length,
          weeks: starts.map((_, i) => tagged.filter((one) => weekOf(one) === i).length),
        })),
        sizes,
        transcript,
        most_used: used
          .sort((a, b) => facts.get(b.id)!.uses - facts.get(a.id)!.uses)
          .slice(0, limit)
          .map((one) => ({ ...toShown(one), uses: facts.get(one.id)!.uses })),
        fading: fadingSoon
          .sort((a, b) => (facts.get(a.id)!.fades_at! < facts.get(b.id)!.fades_at! ? -1 : 1))
          .slice(0, limit)
          .map((one) => {
            const { relevance, relevance_next_week, fades_at } = facts.get(one.id)!;
            const loss_percent = relevance && Math.round((1 - relevance_next_week / relevance) * 100);
            return { ...toShown(one), relevance: rounded(relevance), loss_percent, fades_at: fades_at! };
          }),
        decisions: memories
          .filter(({ type }) => type === 'decision')
          .slice(0, limit)
          .map((one) => ({
            ...toShown(one),
            referred_by: (referring.get(one.id) ?? []).map(({ from }) => from),
          })),
      };
    },
  }),
  references: defineOperation({
    summary: 'How the memories of the user refer to one another: a graph of them, or of those around one.',
    input: z.strictObject({
      memory_id: field.memoryId
        .exactOptional()
        .describe('Begin here; all that refer to others when left out.'),
      depth: z.int().min(1).max(20).default(3).describe('How many references away.'),
      limit: z.int().min(1).max(1_000).default(300).describe('How many memories at most, the newest.'),
    }),
    output: z.object({
      nodes: z.array(shown).describe('The memories.'),
      edges: field.rows('The references between them.', {
        from: field.text('The memory that refers.'),
        to: field.text('The memory that it refers to.'),
        kind: field.choice(['references', 'replaces'], 'Whether it refers to it, or takes its place.'),
      }),
      is_complete: isWhole,
    }),
    http: { method: 'GET', path: '/api/references' },
    example: { request: { memory_id: EXAMPLE_ENTRY.id, depth: 2 }, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async ({ memory_id, depth, limit }, { memory }) => {
      const { memories, isComplete } = await newestMemories(memory, true);
      const byId = new Map(memories.map((one) => [one.id, one]));
      if (memory_id !== undefined && !byId.has(memory_id))
        throw new NotFoundError('MEMORY_NOT_FOUND', `There is no memory ${memory_id}.`);
      const edges = memories
        .flatMap((one) => [
          ...one.references.map((to) => ({ from: one.id, to, kind: 'references' as const })),
          ...(one.replaces ?? []).map((to) => ({ from: one.id, to, kind: 'replaces' as const })),
        ])
        .filter(({ to }) => byId.has(to));
      const wanted =
        memory_id === undefined
          ? new Set(edges.flatMap(({ from, to }) => [from, to]))
          : around(memory_id, edges, depth);
      const nodes = memories.filter(({ id }) => wanted.has(id)).slice(0, limit);
      const kept = new Set(nodes.map(({ id }) => id));
      return {
        nodes: nodes.map(toShown),
        edges: edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
        is_complete: isComplete && nodes.length === memories.filter(({ id }) => wanted.has(id)).length,
      };
    },
  }),
};

/** All memories of the user, newest first, up to a limit. */
export async function newestMemories(
  memory: ScopedMemory,
  includeReplaced = false,
): Promise<{ readonly memories: readonly FoundMemory[]; readonly isComplete: boolean }> {
  const memories: FoundMemory[] = [];
  let cursor: string | undefined;
  do {
    const page = await memory.search({
      ...{ sortBy: 'time', limit: PAGE, includeReplaced },
      ...(cursor === undefined ? {} : { cursor }),
    });
    memories.push(...page.memories);
    cursor = page.nextCursor;
  } while (cursor !== undefined && memories.length < MOST_MEMORIES);
  return { memories, isComplete: cursor === undefined };
}

async function sessionFigures(memory: ScopedMemory, memories: readonly FoundMemory[], limit: number) {
  const sessionIds = [...new Set(memories.map(({ session_id }) => session_id))];
  const largest: { session_id: string; bytes: number; limit_bytes: number }[] = [];
  const fading: FadingMemory[] = [];
  for (const session_id of sessionIds.slice(0, MOST_SESSIONS)) {
    // One that was deleted meanwhile, or cannot be read, is left out; the list of unreadable sessions names it.
    const stats = await memory.getSessionStats(session_id).catch(() => undefined);
    if (stats === undefined) continue;
    largest.push({ session_id, bytes: stats.total_size_bytes, limit_bytes: stats.limit_bytes });
    fading.push(...(await memory.previewFading(session_id, { includeLasting: true })));
  }
  const bytes = largest.reduce((sum, one) => sum + one.bytes, 0);
  largest.sort((a, b) => b.bytes - a.bytes);
  return { sizes: { sessions: largest.length, bytes, largest: largest.slice(0, limit) }, fading };
}

/** Counting costs a look into each transcript, so there is a limit. */
async function transcriptFigures(memory: ScopedMemory) {
  const sessions = await memory.listSessions({ limit: MOST_TRANSCRIPTS + 1 });
  const counts: number[] = [];
  for (const { id } of sessions.slice(0, MOST_TRANSCRIPTS)) {
    const count = await memory.conversation(id).then(
      ({ transcript }) => transcript.count(),
      () => 0,
    );
    if (count > 0) counts.push(count);
  }
  const messages = counts.reduce((sum, count) => sum + count, 0);
  return { sessions: counts.length, messages, is_complete: sessions.length <= MOST_TRANSCRIPTS };
}

function countTypes(memories: readonly FoundMemory[]) {
  const found = { conversation: 0, decision: 0, finding: 0, preference: 0 };
  for (const { type } of memories) found[type]++;
  return found;
}

function topicsOf(memories: readonly FoundMemory[], limit: number) {
  const byTag = new Map<string, FoundMemory[]>();
  for (const one of memories) {
    // As tags are matched: without case.
    for (const tag of new Set(one.tags.map((given) => given.toLowerCase()))) {
      const tagged = byTag.get(tag);
      if (tagged === undefined) byTag.set(tag, [one]);
      else tagged.push(one);
    }
  }
  return [...byTag]
    .map(([tag, tagged]) => ({ tag, memories: tagged }))
    .sort((a, b) => b.memories.length - a.memories.length || (a.tag < b.tag ? -1 : 1))
    .slice(0, limit);
}

/** The memories that are at most so many references away, in either direction. */
function around(
  start: string,
  edges: readonly { readonly from: string; readonly to: string }[],
  depth: number,
): ReadonlySet<string> {
  const found = new Set([start]);
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  let border = [start];
  for (let step = 0; step < depth && border.length > 0; step++) {
    border = border.flatMap((id) => neighbours.get(id) ?? []).filter((id) => !found.has(id));
    for (const id of border) found.add(id);
  }
  return found;
}

function mondayOf(nowMs: number): number {
  const day = new Date(nowMs);
  const midnight = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate());
  return midnight - ((day.getUTCDay() + 6) % 7) * 86_400_000;
}

function toShown({ id, session_id, type, content, timestamp }: FoundMemory) {
  return { id, session_id, type, text: beginningOf(memoryText(content)), timestamp };
}

/** What a list shows of a text. */
export function beginningOf(text: string): string {
  return text.length <= TEXT_CHARACTERS ? text : `${text.slice(0, TEXT_CHARACTERS).trimEnd()}…`;
}
