import { memoryText } from '../core/memory-text.ts';
import { LeastRecentlyUsed } from '../layers/least-recently-used.ts';
import { missed } from './manifest.ts';
import { byCreation, memoryLine } from './memory-line.ts';
import { onceFor } from './message-tokens.ts';
import type { ContextNeeds } from './needs.ts';
import { type Front, fitInto, type Room } from './part.ts';
import type { RecalledMemory } from './sources.ts';
import { maySpeakAsSystem } from './units.ts';

/**
 * Standing memories: what the user prefers, has decided and has told, in every prompt. Neither time nor the new message
 * has a say in the choice, only the memories as they are now and the limit. So unchanged memories give the same bytes
 * turn after turn, in every process, and a choice is kept until one of them changes only because choosing takes time.
 */
const HEADING =
  'From your memory: what this user prefers, has decided and has told you, oldest first, each with its date, type and ' +
  'key. Rely on it; where two disagree, the later one counts.';

/** When not all fit, one memory above this share of the section is shown as its beginning. */
const LARGEST_SHARE = 0.25;
const GROUPS = [['preference'], ['decision', 'finding']] as const;
const PAGE = 128;
/** So many of a group are tried in the gap that the others leave, which takes the time of reading them. */
const MOST_TRIED = 256;
/** Keys differ by so many tokens in length. */
const KEY_TOKENS = 4;

export interface StandingRequest extends Room {
  readonly user: string;
  /** The day of a time, in the time zone of the request. */
  readonly dayOf: (timestampMs: number) => string;
  readonly timeZone: string;
}

type Choice = { readonly lastChange: object; readonly memories: readonly RecalledMemory[] };
const KEPT_CHOICES = 256;
const choicesOf = onceFor((_: ContextNeeds) => new LeastRecentlyUsed<Choice>(KEPT_CHOICES));

/** Preferences, then decisions and findings, by importance and then the newest: all, or what fits and somewhat more. */
export async function gatherStanding(
  needs: ContextNeeds,
  request: StandingRequest,
): Promise<readonly RecalledMemory[]> {
  const { user, timeZone, limit } = request;
  const key = JSON.stringify([user, timeZone, limit]);
  const search = await needs.search();
  // Before the choice is made: a change in between makes it stale.
  const lastChange = await search.lastChange(user);
  const kept = choicesOf(needs).get(key);
  if (kept?.lastChange === lastChange) return kept.memories;
  const memories = await choose(search, request);
  choicesOf(needs).set(key, { lastChange, memories });
  return memories;
}

async function choose(
  search: Awaited<ReturnType<ContextNeeds['search']>>,
  { user, dayOf, limit, counter }: StandingRequest,
): Promise<readonly RecalledMemory[]> {
  const chosen: RecalledMemory[] = [];
  const room = limit - counter.count(HEADING) - 1;
  const largest = Math.floor(room * LARGEST_SHARE);
  let gap = room;
  // Twice as much as fits: where the prompt has less room for them, others fit.
  let spare = 2 * room;
  let smallest = 0;
  for (const types of room > 0 ? GROUPS : []) {
    let cursor: string | undefined;
    let tried = 0;
    do {
      const next = cursor === undefined ? {} : { cursor };
      const query = { types, sortBy: 'importance', limit: PAGE, ...next } as const;
      const { memories, nextCursor } = await search.pageOfUser(user, query);
      for (const memory of memories.filter(({ provenance }) => maySpeakAsSystem(provenance.trust))) {
        const body = memoryText(memory.content);
        if (spare <= 0) {
          if (gap < smallest) return chosen;
          tried++;
          if (Math.min(counter.count(body), largest) + smallest > gap) continue;
        }
        const dated = { ...memory, day: dayOf(Date.parse(memory.timestamp)) };
        const { tokens } = memoryLine(dated, body, largest, counter);
        smallest ||= memoryLine(dated, '', largest, counter).tokens - KEY_TOKENS;
        spare -= tokens;
        if (tokens <= gap) gap -= tokens;
        chosen.push(dated);
      }
      cursor = nextCursor;
    } while (cursor !== undefined && tried < MOST_TRIED);
  }
  return chosen;
}

/** The prompt is fitted in steps, which differ in the limit, on every turn. */
const KEPT_FRONTS = 16;
const frontsOf = onceFor((_: readonly RecalledMemory[]) => new LeastRecentlyUsed<Front>(KEPT_FRONTS));

export function standingParts(memories: readonly RecalledMemory[] = [], room: Room): Front {
  const key = `${room.counter.name} ${room.limit}`;
  const front = frontsOf(memories).get(key) ?? makeParts(memories, room);
  frontsOf(memories).set(key, front);
  return front;
}

/** All of them, or as many as fit, in the order in which they come; printed by creation. */
function makeParts(memories: readonly RecalledMemory[], { limit, counter }: Room): Front {
  const room = limit - counter.count(HEADING) - 1;
  const lineWithin = (memory: RecalledMemory, largest: number) => ({
    memory,
    ...memoryLine(memory, memoryText(memory.content), largest, counter),
  });
  let lines = memories.map((memory) => lineWithin(memory, Number.POSITIVE_INFINITY));
  const largest = Math.floor(room * LARGEST_SHARE);
  if (lines.reduce((sum, { tokens }) => sum + tokens, 0) > room)
    lines = lines.map((line) => (line.tokens > largest ? lineWithin(line.memory, largest) : line));
  const fitting = fitInto(lines, room, ({ tokens }) => tokens);
  const misses = lines
    .filter((line) => !fitting.has(line))
    .map(({ memory: { id }, tokens }) => {
      const source = { layer: 'memories', id } as const;
      return missed({ section: 'standing', source, tokens }, 'no room among the standing memories');
    });
  const kept = [...fitting].sort((a, b) => byCreation(a.memory, b.memory));
  if (kept.length === 0) return { parts: [], misses };
  const text = [HEADING, ...kept.map((line) => line.text), ''].join('\n');
  const pieces = kept.map(({ memory: { id, type, importance, provenance }, tokens, isCut }) => ({
    section: 'standing' as const,
    role: 'user' as const,
    source: { layer: 'memories' as const, id },
    reason: `a ${type} of this user, in every prompt`,
    tokens,
    trust: provenance.trust,
    score: { importance },
    ...(isCut ? { is_cut: true as const } : {}),
  }));
  return { parts: [{ section: 'standing', role: 'user', text, pieces }], misses };
}
