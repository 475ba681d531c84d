import { memoryText } from '../core/memory-text.ts';
import type { FoundMemory, MemoryQuery } from '../core/query.ts';
import { sha256Hex } from '../core/sha256.ts';
import type { AgentMemory } from '../layers/journal/index.ts';
import type { ProposalRecord } from '../layers/proposals/review-list.ts';
import { NEGATION, roleOf } from '../recall/analysis/index.ts';

/**
 * What could be tidied up among a user's memories, found by repetition and similarity alone. Nothing is changed here: a
 * person decides. Each proposal is named after what it is about, so that the same one is never listed twice, and one that
 * was dismissed does not come back.
 */
type Proposal = Omit<ProposalRecord, 'state' | 'proposed_at'>;

/** The memory of one user, as far as it is looked at. */
interface LookedAt {
  search(query: MemoryQuery): Promise<{ readonly memories: readonly FoundMemory[] }>;
  journalOf(agentId: string): Promise<{
    list(of: { readonly type: 'journal'; readonly limit: number }): Promise<readonly AgentMemory[]>;
  }>;
}

/** Each is compared with what a search finds for it, so there is a limit to how many. */
const MOST_COMPARED = 400;
const CANDIDATES = 6;
/** Words in common, of all words of both. */
const SAME = 0.8;
const ALIKE = 0.4;
/** So many memories on one subject are worth a section of the notes. */
const SECTION_MEMORIES = 4;
const MOST_IN_SECTION = 20;
/** A journal entry that was written again and again is worth keeping. */
const MOST_JOURNAL = 500;

/** @param memories of the user, newest first */
export async function findProposals(
  memory: LookedAt,
  memories: readonly FoundMemory[],
  agentIds: readonly string[],
  notesAgent: string,
): Promise<readonly Proposal[]> {
  const facts = memories.filter(
    ({ type, provenance }) => type !== 'conversation' && provenance.trust !== 'untrusted',
  );
  const found = await pairs(memory, facts.slice(0, MOST_COMPARED));
  const journals = await Promise.all(agentIds.map((agentId) => repeatedEntries(memory, agentId)));
  return [...found, ...journals.flat(), ...sections(facts, notesAgent)];
}

/** Pairs that say the same, and pairs of which the newer one seems to take the place of the older. */
async function pairs(memory: LookedAt, facts: readonly FoundMemory[]): Promise<readonly Proposal[]> {
  const byId = new Map(facts.map((one) => [one.id, one]));
  const settled = new Set<string>();
  const proposals: Proposal[] = [];
  for (const newer of facts) {
    if (settled.has(newer.id)) continue;
    const text = memoryText(newer.content);
    if (text.trim() === '') continue;
    const page = await memory.search({ text, types: [newer.type], limit: CANDIDATES, collapse: false });
    for (const { id } of page.memories) {
      const older = byId.get(id);
      if (older === undefined || id === newer.id || settled.has(id)) continue;
      if (older.timestamp > newer.timestamp) continue;
      const kind = relation(wordsOf(text), wordsOf(memoryText(older.content)));
      if (kind === undefined) continue;
      proposals.push(named({ kind, memories: [newer.id, id] }));
      settled.add(id);
    }
  }
  return proposals;
}

function relation(newer: ReadonlySet<string>, older: ReadonlySet<string>): 'merge' | 'replace' | undefined {
  const shared = [...newer].filter((word) => older.has(word)).length;
  const all = newer.size + older.size - shared;
  if (all === 0) return undefined;
  // Both say something that the other does not: “the dentist is in Mill Lane”, “the dentist is in Park Street”.
  const differs = newer.size > shared && older.size > shared;
  const own = [...newer, ...older].filter((word) => !(newer.has(word) && older.has(word)));
  const isOtherFact = differs || own.some((word) => /\d/.test(word) || roleOf(word) === NEGATION);
  if (shared / all >= SAME && !isOtherFact) return 'merge';
  return shared / all >= ALIKE && differs ? 'replace' : undefined;
}

/** Journal entries that were pinned, or that say what others have said: they would fade otherwise. */
async function repeatedEntries(memory: LookedAt, agentId: string): Promise<readonly Proposal[]> {
  const journal = await memory.journalOf(agentId);
  const entries = await journal.list({ type: 'journal', limit: MOST_JOURNAL });
  const words = entries.map(({ content }) => wordsOf(content));
  const isKept = new Set<number>();
  return entries.flatMap(({ id, pinned }, i) => {
    const twins = words.flatMap((other, j) => (j > i && relation(words[i]!, other) === 'merge' ? [j] : []));
    for (const j of twins) isKept.add(j);
    const isWorth = !isKept.has(i) && (pinned || twins.length > 0);
    return isWorth ? [named({ kind: 'core', memories: [id], agent_id: agentId })] : [];
  });
}

/** Subjects, by their tags, that have enough memories for a section of the notes. */
function sections(facts: readonly FoundMemory[], agentId: string): readonly Proposal[] {
  const byTag = new Map<string, string[]>();
  for (const { id, tags } of facts) {
    for (const tag of new Set(tags.map((given) => given.toLowerCase())))
      byTag.set(tag, [...(byTag.get(tag) ?? []), id]);
  }
  return [...byTag]
    .filter(([, ids]) => ids.length >= SECTION_MEMORIES)
    .map(([section, ids]) =>
      named({ kind: 'notes', memories: ids.slice(0, MOST_IN_SECTION), agent_id: agentId }, section),
    );
}

/** The subject of a proposal for the notes: the tag that it is named after. The list holds no word of the memories. */
export function sectionOf(proposal: Proposal, memories: readonly FoundMemory[]): string | undefined {
  const tags = new Set(memories.flatMap((one) => one.tags).map((tag) => tag.toLowerCase()));
  return [...tags].find((tag) => named(proposal, tag).id === proposal.id);
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
}

/** @param section of the notes, which is about its subject: one more memory on it makes no other proposal */
function named(proposal: Omit<Proposal, 'id'>, section = ''): Proposal {
  const { kind, memories, agent_id = '' } = proposal;
  const about = kind === 'notes' ? [section] : memories;
  const digest = sha256Hex(JSON.stringify([kind, agent_id, ...about]));
  return { ...proposal, id: `prop_${digest.slice(0, 24)}` };
}
