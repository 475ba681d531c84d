import {
  type FoundMemory,
  memoryText,
  NotFoundError,
  type ProposalRecord,
  type ScopedMemory,
  TRUST_TIERS,
  ValidationError,
} from 'longhand';
import { findProposals, sectionOf } from 'longhand/tools';
import { z } from 'zod';
import { DEFAULT_AGENT } from '../conversation/participants.ts';
import { newestMemories } from './analytics.ts';
import * as field from './fields.ts';
import { defineOperation, type OperationContext } from './operation.ts';

/** Tidying up that only proposes. The list names memories and holds no text: what is shown is read when it is asked for. */
const LIST = '/api/proposals';
const ONE = `${LIST}/{proposal_id}`;
/** What was decided is kept, so that it is not proposed again; the oldest of it leaves. */
const MOST_KEPT = 2_000;

const proposal = z.object({
  id: field.text('Names it.'),
  kind: field.choice(
    ['merge', 'replace', 'core', 'notes'],
    '`merge`: they say the same. `replace`: the first looks like a newer version of the second. `core`: a journal ' +
      'entry worth keeping. `notes`: several on one subject, as a section of the notes.',
  ),
  why: field.text('In a sentence.'),
  memories: field.rows('What it is about, newest first.', {
    id: field.text('Names it.'),
    text: field.text('The text.'),
    timestamp: field.createdAt,
  }),
  text: field.text('What would be kept; another text can be given when it is accepted.'),
  agent_id: field.agentName.exactOptional(),
  section: field.text('The section of the notes that would be written.').exactOptional(),
  proposed_at: field.text('When it was proposed, ISO 8601.'),
});
const oneProposal = z.strictObject({ proposal_id: field.word('Names a proposal.', 64) });
const decided = z.object({
  id: field.text('Names it.'),
  state: field.choice(['accepted', 'dismissed'], 'What was decided.'),
});

const twins = (content: string, id: string) => [
  { operation: 'remember', request: { content, id } },
  { operation: 'remember', request: { content: `${content}.`, id: `${id}_again` } },
  { operation: 'findProposals', request: {} },
];

export const proposalOperations = {
  findProposals: defineOperation({
    summary:
      'Look for memories to merge, facts that look replaced, journal entries worth keeping, subjects for the notes; list them for review.',
    input: z.strictObject({
      agent_id: field.agentId
        .exactOptional()
        .describe('Whose notes sections are for; `default` when left out.'),
    }),
    output: z.object({
      found: field.integer('How many were found that were not listed before.'),
      open: field.integer('How many wait for a decision.'),
    }),
    http: { method: 'POST', path: LIST },
    example: { request: {} },
    access: 'write',
    run: async ({ agent_id = DEFAULT_AGENT }, { memory }) => proposeFor(memory, agent_id),
  }),
  listProposals: defineOperation({
    summary: 'What waits for review. Nothing happens before it is accepted.',
    input: z.strictObject({}),
    output: z.object({ proposals: z.array(proposal).describe('Newest first.') }),
    http: { method: 'GET', path: LIST },
    example: { request: {} },
    access: 'read',
    run: async (_, { memory }) => {
      const waiting = (await (await memory.reviewList()).read()).filter(({ state }) => state === 'open');
      const known = waiting.length === 0 ? new Map() : await currentMemories(memory);
      const proposals = await Promise.all(waiting.map((one) => shownProposal(memory, one, known)));
      return { proposals: proposals.flatMap((one) => one ?? []).reverse() };
    },
  }),
  acceptProposal: defineOperation({
    summary: 'Do what a proposal says, with its own text or another.',
    input: oneProposal.extend({ text: field.word('To keep instead of the proposed text.').exactOptional() }),
    output: decided,
    http: { method: 'POST', path: `${ONE}/accept` },
    example: {
      request: { proposal_id: 'prop_f7cc0644f83e5be89a3e9b0f' },
      first: twins('The office opens at nine', 'mem_nine'),
      answer: { id: 'prop_f7cc0644f83e5be89a3e9b0f', state: 'accepted' },
    },
    access: 'write',
    run: async ({ proposal_id, text }, context) => {
      const { memory } = context;
      const list = await memory.reviewList();
      const found = openProposal(await list.read(), proposal_id);
      const known = await currentMemories(memory);
      const shown = await shownProposal(memory, found, known);
      if (shown === undefined) {
        await settle(memory, proposal_id, 'dismissed');
        throw new ValidationError(
          'INVALID_OPTION',
          'What the proposal is about has changed since, so it was taken off the list. Look for proposals again.',
        );
      }
      await carryOut(context, found, shown.section, known, text ?? shown.text, text !== undefined);
      await settle(memory, proposal_id, 'accepted');
      return { id: proposal_id, state: 'accepted' as const };
    },
  }),
  dismissProposal: defineOperation({
    summary: 'Take a proposal off the list. It is not made again.',
    input: oneProposal,
    output: decided,
    http: { method: 'POST', path: `${ONE}/dismiss` },
    example: {
      request: { proposal_id: 'prop_a736a0650e339dc456da2512' },
      first: twins('The office closes at five', 'mem_five'),
      answer: { id: 'prop_a736a0650e339dc456da2512', state: 'dismissed' },
    },
    access: 'write',
    run: async ({ proposal_id }, { memory }) => {
      openProposal(await (await memory.reviewList()).read(), proposal_id);
      await settle(memory, proposal_id, 'dismissed');
      return { id: proposal_id, state: 'dismissed' as const };
    },
  }),
};

/** Looks for proposals and lists those that are new. */
async function proposeFor(memory: ScopedMemory, notesAgent: string) {
  const { memories } = await newestMemories(memory);
  const agents = (await (await memory.agents()).list()).map(({ id }) => id);
  const found = await findProposals(memory, memories, agents, notesAgent);
  const proposed_at = new Date().toISOString();
  let added = 0;
  const list = await (await memory.reviewList()).change((before) => {
    const known = new Set(before.map(({ id }) => id));
    const fresh = found.filter(({ id }) => !known.has(id));
    added = fresh.length;
    const open = before.filter(({ state }) => state === 'open');
    const settled = before.filter(({ state }) => state !== 'open').slice(-MOST_KEPT);
    return [...settled, ...open, ...fresh.map((one) => ({ ...one, proposed_at, state: 'open' as const }))];
  });
  return { found: added, open: list.filter(({ state }) => state === 'open').length };
}

type Known = ReadonlyMap<string, FoundMemory>;

async function currentMemories(memory: ScopedMemory): Promise<Known> {
  return new Map((await newestMemories(memory)).memories.map((one) => [one.id, one]));
}

/** With its texts as they are now; `undefined` when something of it is gone, replaced or no longer in the journal. */
async function shownProposal(
  memory: ScopedMemory,
  { state: _, ...record }: ProposalRecord,
  known: Known,
): Promise<z.input<typeof proposal> | undefined> {
  const { kind, agent_id, memories: ids } = record;
  if (kind === 'core') {
    const entry = await (await memory.journalOf(agent_id!)).find(ids[0]!).catch(ifMissing);
    if (entry === undefined || entry.memory_type !== 'journal') return undefined;
    const { id, content: text, created_at: timestamp } = entry;
    return { ...record, why: WHY.core, text, memories: [{ id, text, timestamp }] };
  }
  const found = ids.flatMap((id) => known.get(id) ?? []);
  const section = kind === 'notes' ? sectionOf(record, found) : '';
  if (section === undefined || found.length < (kind === 'notes' ? 2 : ids.length)) return undefined;
  const memories = found.map(({ id, content, timestamp }) => ({ id, text: memoryText(content), timestamp }));
  const text =
    kind === 'notes'
      ? `## ${section}\n${memories
          .toReversed()
          .map((one) => `- ${one.text.replaceAll(/\s+/g, ' ')} [${one.id}]`)
          .join('\n')}`
      : memories[0]!.text;
  return { ...record, ...(section && { section }), why: WHY[kind], text, memories };
}

const WHY = {
  merge: 'These say the same. One is kept, with the tags of both; the other leaves recall.',
  replace: 'The first looks like a newer version of the second, which would leave recall.',
  core: 'The agent has written this more than once, or it is pinned: as a core memory it does not fade.',
  notes: 'Several memories are about this subject: a section of the notes would name them all.',
} as const;

async function carryOut(
  { memory }: OperationContext,
  { kind, agent_id, memories: ids }: ProposalRecord,
  section: string | undefined,
  known: Known,
  text: string,
  isEdited: boolean,
): Promise<void> {
  if (kind === 'core') {
    const journal = await memory.journalOf(agent_id!);
    if (isEdited) await journal.edit(ids[0]!, text);
    await journal.moveToCore(ids[0]!);
    return;
  }
  if (kind === 'notes') {
    await (await memory.agent(agent_id!)).ensure();
    const notes = await memory.notesOf(agent_id!);
    // Said again in the notes, a text is trusted no further than it was.
    const tiers = ids.map((id) => TRUST_TIERS.indexOf(known.get(id)?.provenance.trust ?? 'owner'));
    const by = { author: { author: 'user', trust: TRUST_TIERS[Math.max(...tiers)]! } } as const;
    try {
      const operation = 'replace_section_by_header';
      await notes.apply({ operation, section_header: section!, content: text }, by);
    } catch (error) {
      if (!(error instanceof NotFoundError)) throw error;
      await notes.apply({ operation: 'append', content: text }, by);
    }
    return;
  }
  const [kept, ...others] = ids.map((id) => known.get(id)!) as [FoundMemory, ...FoundMemory[]];
  const tags = [...new Set([kept, ...others].flatMap((one) => one.tags))].slice(0, 32);
  await memory.updateMemory(kept.session_id, kept.id, {
    replaces: [...new Set([...(kept.replaces ?? []), ...others.map(({ id }) => id)])],
    ...(kind === 'merge'
      ? { tags, importance: Math.max(...[kept, ...others].map((one) => one.importance)) }
      : {}),
    ...(isEdited ? { content: { ...kept.content, text } } : {}),
  });
}

function openProposal(list: readonly ProposalRecord[], id: string): ProposalRecord {
  const found = list.find((one) => one.id === id && one.state === 'open');
  if (found !== undefined) return found;
  throw new NotFoundError('PROPOSAL_NOT_FOUND', 'There is no such proposal that waits for a decision.');
}

async function settle(memory: ScopedMemory, id: string, state: 'accepted' | 'dismissed'): Promise<void> {
  const list = await memory.reviewList();
  await list.change((before) => before.map((one) => (one.id === id ? { ...one, state } : one)));
}

function ifMissing(error: unknown): undefined {
  if (error instanceof NotFoundError) return undefined;
  throw error;
}
