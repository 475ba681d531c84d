import { memoryText } from '../core/memory-text.ts';
import type { FoundMemory } from '../core/query.ts';
import type { TokenCounter } from '../core/token-counter.ts';
import { byCreation, memoryLine } from './memory-line.ts';
import type { ContextNeeds } from './needs.ts';
import { type Front, fitInto, type Room } from './part.ts';
import type { RecalledMemory } from './sources.ts';
import { maySpeakAsSystem } from './units.ts';

/**
 * Standing memories: what the user prefers, has decided and has told, in every prompt. Neither time nor the new message
 * has a say in the choice, only the memories as they are now and the limit. So unchanged memories give the same bytes
 * turn after turn, in every process, and nothing has to be remembered about an earlier choice.
 */
const HEADING =
  'From your memory: what this user prefers, has decided and has told you, oldest first, each with its date, type and ' +
  'key. Rely on it; where two disagree, the later one counts.';

/** When not all fit, one memory above this share of the section is shown as its beginning. */
const LARGEST_SHARE = 0.25;
const GROUPS = [['preference'], ['decision', 'finding']] as const;
const PAGE = 32;
/** Imports, which are left out, may come before what the user said: so many pages of a group are looked at. */
const MOST_PAGES = 32;

/** Preferences, then decisions and findings, by importance and then the newest. Of each all, or somewhat more than fit. */
export async function gatherStanding(
  { search }: Pick<ContextNeeds, 'search'>,
  session: string,
  limitTokens: number,
  counter: TokenCounter,
): Promise<readonly FoundMemory[]> {
  const standing: FoundMemory[] = [];
  for (const types of limitTokens > 0 ? GROUPS : []) {
    const query = { types, scope: 'user', sortBy: 'importance', limit: PAGE } as const;
    let next: { readonly cursor?: string } | undefined = {};
    let tokens = 0;
    for (let page = 0; page < MOST_PAGES && next !== undefined && tokens <= limitTokens; page++) {
      const { memories, nextCursor } = await search.page(session, { ...query, ...next });
      for (const memory of memories.filter(({ provenance }) => maySpeakAsSystem(provenance.trust))) {
        // Twice as much as fits: small ones may go in behind large ones, which count no more than they can take.
        if (tokens > 2 * limitTokens) break;
        tokens += Math.min(counter.count(memoryText(memory.content)), LARGEST_SHARE * limitTokens);
        standing.push(memory);
      }
      next = nextCursor === undefined ? undefined : { cursor: nextCursor };
    }
  }
  return standing;
}

/** All of them, or as many as fit, in the order in which they come; printed by creation. */
export function standingParts(memories: readonly RecalledMemory[] = [], { limit, counter }: Room): Front {
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
      const source = { layer: 'memories' as const, id };
      return { section: 'standing' as const, source, why: 'no room among the standing memories', tokens };
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
