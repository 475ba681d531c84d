import { renderMemoryContext, renderWhiteboard } from '../layers/journal/index.ts';
import { defuse, fence } from './fence.ts';
import { type ManifestPiece, missed } from './manifest.ts';
import { type Front, fitInto, type Part, type Room } from './part.ts';
import type { ContextSources, PrivateEntry } from './sources.ts';
import { lowestTrust, maySpeakAsSystem } from './units.ts';

type BlockSection = 'private-memory' | 'whiteboard';
type Entry = PrivateEntry & { readonly type: 'core' | 'journal'; readonly piece: ManifestPiece };

/** The headings of the block, and the fence that it may stand in. */
const FRAME_TOKENS = 48;

/**
 * The block whole, or as many entries as fit: pinned ones first, then core, then journal, the newest first. A small one
 * goes in behind a large one that does not fit. Entries that came from outside are shown apart, as data.
 */
export function privateMemoryParts(
  { privateMemory, whiteboard = [], agent }: Pick<ContextSources, 'privateMemory' | 'whiteboard' | 'agent'>,
  { limit, counter }: Room,
  section: BlockSection = 'private-memory',
): Front {
  const shown = section === 'whiteboard' ? { core: whiteboard, journal: [] } : privateMemory;
  const entriesOf = (type: Entry['type'], reason: string, frame: number): readonly Entry[] =>
    (shown?.[type] ?? []).map((entry) => {
      const trust = entry.provenance?.trust ?? 'agent';
      const role = maySpeakAsSystem(trust) ? 'system' : 'user';
      const tokens = counter.count(`- ${entry.content}\n`) + frame;
      const source = { layer: type, id: entry.id };
      return { ...entry, type, piece: { section, role, source, reason, tokens, trust } };
    });
  const all = [
    ...entriesOf('core', section === 'whiteboard' ? 'shared by all agents' : 'a permanent core memory', 0),
    ...entriesOf('journal', 'a journal entry that has not faded', 6),
  ];
  const rank = ({ type, pinned }: Entry): number => (type === 'core' ? 1 : 0) + (pinned === true ? 2 : 0);
  const wanted = all.toReversed().sort((a, b) => rank(b) - rank(a));
  let kept: ReadonlySet<Entry> = new Set(all);
  const render = (entries: readonly Entry[]) => partsOf(entries, section, agent?.id ?? '');
  let parts = render(all);
  const size = (): number => parts.reduce((sum, { text }) => sum + counter.count(text), 0);
  for (let room = limit - FRAME_TOKENS; kept.size > 0 && size() > limit; room -= FRAME_TOKENS) {
    kept = fitInto(wanted, room, ({ piece }) => piece.tokens);
    parts = render(all.filter((entry) => kept.has(entry)));
  }
  const misses = wanted
    .filter((entry) => !kept.has(entry))
    .map(({ piece }) => missed(piece, `no room in the ${section.replace('-', ' ')}`));
  return { parts, misses };
}

function partsOf(entries: readonly Entry[], section: BlockSection, agentId: string): readonly Part[] {
  return (['system', 'user'] as const).flatMap((role) => {
    const shown = entries.filter(({ piece }) => piece.role === role);
    const core = shown.filter(({ type }) => type === 'core');
    const journal = shown.filter(({ type }) => type === 'journal');
    const text = section === 'whiteboard' ? renderWhiteboard(core) : renderMemoryContext({ core, journal });
    if (text === null) return [];
    const pieces = shown.map(({ piece }) => piece);
    const trust = lowestTrust(pieces.map((piece) => piece.trust!))!;
    const label = { kind: section, agent: agentId, trust };
    const fenced = role === 'system' ? defuse(text) : fence(label, text);
    return [{ section, role, text: fenced, pieces }];
  });
}
