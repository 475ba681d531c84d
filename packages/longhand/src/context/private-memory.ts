import { renderMemoryContext } from '../layers/journal/memory-context.ts';
import { defuse, fence } from './fence.ts';
import type { NearMiss } from './manifest.ts';
import { type Front, fitInto, type Part, type Room } from './part.ts';
import type { PrivateEntry } from './sources.ts';
import { lowestTrust, maySpeakAsSystem } from './units.ts';

type Entry = PrivateEntry & { readonly type: 'core' | 'journal' };

/** The headings of the block, and the fence that it may stand in. */
const FRAME_TOKENS = 48;

/**
 * The block whole, or as many entries as fit: pinned ones first, then core, then journal, the newest first. A small one
 * goes in behind a large one that does not fit. Entries that came from outside are shown apart, as data.
 */
export function privateMemoryParts(
  memory: { readonly core: readonly PrivateEntry[]; readonly journal: readonly PrivateEntry[] } | undefined,
  agentId: string,
  { limit, counter }: Room,
): Front {
  const all: Entry[] = [
    ...(memory?.core ?? []).map((entry) => ({ ...entry, type: 'core' as const })),
    ...(memory?.journal ?? []).map((entry) => ({ ...entry, type: 'journal' as const })),
  ];
  const tokensOf = (entry: Entry): number =>
    counter.count(`- ${entry.content}\n`) + (entry.type === 'core' ? 0 : 6);
  const rank = ({ type, pinned }: Entry): number => (type === 'core' ? 1 : 0) + (pinned === true ? 2 : 0);
  const wanted = all.toReversed().sort((a, b) => rank(b) - rank(a));
  let kept: readonly Entry[] = all;
  let parts = partsOf(kept, agentId, tokensOf);
  const size = (): number => parts.reduce((sum, { text }) => sum + counter.count(text), 0);
  for (let room = limit - FRAME_TOKENS; kept.length > 0 && size() > limit; room -= FRAME_TOKENS) {
    const chosen = fitInto(wanted, room, tokensOf);
    kept = all.filter((entry) => chosen.has(entry));
    parts = partsOf(kept, agentId, tokensOf);
  }
  const misses = wanted
    .filter((entry) => !kept.includes(entry))
    .map((entry): NearMiss => {
      const source = { layer: entry.type, id: entry.id };
      const why = 'no room in the private memory';
      return { section: 'private-memory', source, why, tokens: tokensOf(entry) };
    });
  return { parts, misses };
}

function partsOf(
  entries: readonly Entry[],
  agentId: string,
  tokensOf: (entry: Entry) => number,
): readonly Part[] {
  const parts: Part[] = [];
  for (const role of ['system', 'user'] as const) {
    const shown = entries.filter((entry) => maySpeakAsSystem(trustOf(entry)) === (role === 'system'));
    const text = renderMemoryContext({
      core: shown.filter(({ type }) => type === 'core'),
      journal: shown.filter(({ type }) => type === 'journal'),
    });
    if (text === null) continue;
    const label = { kind: 'private-memory', agent: agentId, trust: lowestTrust(shown.map(trustOf))! };
    const pieces = shown.map((entry) => ({
      section: 'private-memory' as const,
      role,
      source: { layer: entry.type, id: entry.id },
      reason: entry.type === 'core' ? 'a permanent core memory' : 'a journal entry that has not faded',
      tokens: tokensOf(entry),
      trust: trustOf(entry),
    }));
    const fenced = role === 'system' ? defuse(text) : fence(label, text);
    parts.push({ section: 'private-memory', role, text: fenced, pieces });
  }
  return parts;
}

function trustOf({ provenance }: PrivateEntry): NonNullable<PrivateEntry['provenance']>['trust'] {
  return provenance?.trust ?? 'agent';
}
