import { renderMemoryContext } from '../layers/journal/memory-context.ts';
import { defuse, fence } from './fence.ts';
import { type ManifestPiece, missed } from './manifest.ts';
import { type Front, fitInto, type Part, type Room } from './part.ts';
import type { ContextSources, PrivateEntry } from './sources.ts';
import { lowestTrust, maySpeakAsSystem } from './units.ts';

type Entry = PrivateEntry & { readonly type: 'core' | 'journal'; readonly piece: ManifestPiece };

/** The headings of the block, and the fence that it may stand in. */
const FRAME_TOKENS = 48;

/**
 * The block whole, or as many entries as fit: pinned ones first, then core, then journal, the newest first. A small one
 * goes in behind a large one that does not fit. Entries that came from outside are shown apart, as data.
 */
export function privateMemoryParts(
  { privateMemory, agent }: Pick<ContextSources, 'privateMemory' | 'agent'>,
  { limit, counter }: Room,
): Front {
  const entriesOf = (type: Entry['type'], reason: string, frame: number): readonly Entry[] =>
    (privateMemory?.[type] ?? []).map((entry) => {
      const trust = entry.provenance?.trust ?? 'agent';
      const role = maySpeakAsSystem(trust) ? 'system' : 'user';
      const tokens = counter.count(`- ${entry.content}\n`) + frame;
      const source = { layer: type, id: entry.id };
      return { ...entry, type, piece: { section: 'private-memory', role, source, reason, tokens, trust } };
    });
  const all = [
    ...entriesOf('core', 'a permanent core memory', 0),
    ...entriesOf('journal', 'a journal entry that has not faded', 6),
  ];
  const rank = ({ type, pinned }: Entry): number => (type === 'core' ? 1 : 0) + (pinned === true ? 2 : 0);
  const wanted = all.toReversed().sort((a, b) => rank(b) - rank(a));
  let kept: ReadonlySet<Entry> = new Set(all);
  let parts = partsOf(all, agent?.id ?? '');
  const size = (): number => parts.reduce((sum, { text }) => sum + counter.count(text), 0);
  for (let room = limit - FRAME_TOKENS; kept.size > 0 && size() > limit; room -= FRAME_TOKENS) {
    kept = fitInto(wanted, room, ({ piece }) => piece.tokens);
    parts = partsOf(
      all.filter((entry) => kept.has(entry)),
      agent?.id ?? '',
    );
  }
  const misses = wanted
    .filter((entry) => !kept.has(entry))
    .map(({ piece }) => missed(piece, 'no room in the private memory'));
  return { parts, misses };
}

function partsOf(entries: readonly Entry[], agentId: string): readonly Part[] {
  return (['system', 'user'] as const).flatMap((role) => {
    const shown = entries.filter(({ piece }) => piece.role === role);
    const text = renderMemoryContext({
      core: shown.filter(({ type }) => type === 'core'),
      journal: shown.filter(({ type }) => type === 'journal'),
    });
    if (text === null) return [];
    const pieces = shown.map(({ piece }) => piece);
    const trust = lowestTrust(pieces.map((piece) => piece.trust!))!;
    const label = { kind: 'private-memory', agent: agentId, trust };
    const fenced = role === 'system' ? defuse(text) : fence(label, text);
    return [{ section: 'private-memory' as const, role, text: fenced, pieces }];
  });
}
