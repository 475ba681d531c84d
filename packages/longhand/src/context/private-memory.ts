import { renderMemoryContext } from '../layers/journal/memory-context.ts';
import { fence } from './fence.ts';
import type { ManifestPiece, NearMiss } from './manifest.ts';
import type { Part, Room } from './pieces.ts';
import type { PrivateEntry } from './sources.ts';
import { lowestTrust, maySpeakAsSystem } from './units.ts';

type Entry = PrivateEntry & { readonly type: 'core' | 'journal' };
type Rendered = { readonly parts: Part[]; readonly misses: NearMiss[] };

/**
 * The block whole, or without its oldest entries when it is over the limit: journal goes before core, pinned goes
 * last. Entries that came from outside are shown apart, as data.
 */
export function privateMemoryParts(
  memory: { readonly core: readonly PrivateEntry[]; readonly journal: readonly PrivateEntry[] } | undefined,
  agentId: string,
  { limit, counter }: Room,
): Rendered {
  const all: Entry[] = [
    ...(memory?.core ?? []).map((entry) => ({ ...entry, type: 'core' as const })),
    ...(memory?.journal ?? []).map((entry) => ({ ...entry, type: 'journal' as const })),
  ];
  const tokensOf = (entry: Entry): number =>
    counter.count(`- ${entry.content}`) + (entry.type === 'core' ? 0 : 6);
  let kept = all;
  let parts = partsOf(kept, agentId);
  const size = (): number => parts.reduce((sum, { text }) => sum + counter.count(text), 0);
  const leaving = [...all].sort((a, b) => leavesLater(a) - leavesLater(b));
  const misses: NearMiss[] = [];
  for (let over = size() - limit; over > 0 && leaving.length > 0; over = size() - limit) {
    // Several at once: counting the block again for each would cost the square of their number.
    const gone = new Set<Entry>();
    for (let freed = 0; freed < over && leaving.length > 0; ) {
      const entry = leaving.shift()!;
      gone.add(entry);
      const tokens = tokensOf(entry);
      freed += tokens;
      const source = { layer: entry.type, id: entry.id };
      misses.push({ section: 'private-memory', source, why: 'older than the section has room for', tokens });
    }
    kept = kept.filter((entry) => !gone.has(entry));
    parts = partsOf(kept, agentId);
  }
  const pieces = new Map(kept.map((entry) => [entry.id, pieceOf(entry, tokensOf(entry))]));
  return {
    parts: parts.map((part) => ({ ...part, pieces: part.pieces.map((p) => pieces.get(p.source.id)!) })),
    misses,
  };
}

/** A stable sort keeps the oldest first within each group. */
function leavesLater({ type, pinned }: Entry): number {
  return (type === 'core' ? 1 : 0) + (pinned === true ? 2 : 0);
}

function partsOf(entries: readonly Entry[], agentId: string): Part[] {
  const parts: Part[] = [];
  for (const role of ['system', 'user'] as const) {
    const wanted = entries.filter((entry) => maySpeakAsSystem(trustOf(entry)) === (role === 'system'));
    const text = renderMemoryContext({
      core: wanted.filter(({ type }) => type === 'core'),
      journal: wanted.filter(({ type }) => type === 'journal'),
    });
    if (text === null) continue;
    const trust = lowestTrust(wanted.map(trustOf))!;
    const fenced = fence({ kind: 'private-memory', agent: agentId, trust }, text);
    parts.push({ section: 'private-memory', role, text: fenced, pieces: wanted.map((e) => pieceOf(e, 0)) });
  }
  return parts;
}

function trustOf({ provenance }: PrivateEntry): NonNullable<PrivateEntry['provenance']>['trust'] {
  return provenance?.trust ?? 'agent';
}

function pieceOf(entry: Entry, tokens: number): ManifestPiece {
  const trust = trustOf(entry);
  return {
    section: 'private-memory',
    role: maySpeakAsSystem(trust) ? 'system' : 'user',
    source: { layer: entry.type, id: entry.id },
    reason: entry.type === 'core' ? 'a permanent core memory' : 'a journal entry that has not faded',
    tokens,
    trust,
  };
}
