import { ValidationError } from '../core/errors.ts';
import type { Message } from '../core/messages.ts';
import type { TrustTier } from '../core/records.ts';
import { logNotFound } from '../core/store.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import { LeastRecentlyUsed } from '../layers/least-recently-used.ts';
import { assemble } from './assemble.ts';
import { parseBudget, resolveShares, type ShareOptions } from './budget.ts';
import type { Capture } from './fit-messages.ts';
import { gatherConversation } from './gather-conversation.ts';
import type { Manifest } from './manifest.ts';
import type { CapturedValue, ContextNeeds } from './needs.ts';
import { recallQuery } from './recall-query.ts';
import type { ContextSources, StoredMessage } from './sources.ts';

export interface ContextRequest {
  readonly session: string;
  /** Whose prompt it is. Without one there is no system prompt, private memory or notes. */
  readonly agent?: string;
  /** Must own the session. */
  readonly user: string;
  /** This turn: the user's new message, and the tool calls and results since. */
  readonly messages: readonly StoredMessage[];
  /** Tokens; `context.budget_tokens` of the configuration when left out. */
  readonly budget?: number;
  /** The moment of asking, when it is not now. Memories are then not noted as used. */
  readonly now?: Date | string;
  /** The others in a group conversation; the session's other agents when left out. */
  readonly participants?: readonly string[];
  /** Floors and ceilings other than the defaults. */
  readonly sections?: ShareOptions;
  /** The manifest of the turn before; the last one of this process for the session when left out. */
  readonly previous?: Pick<Manifest, 'segments'>;
}

export interface Context {
  readonly messages: readonly Message[];
  readonly manifest: ContextManifest;
}

export interface ContextManifest extends Manifest {
  readonly session_id: string;
  readonly agent_id: string | null;
  readonly user_id: string;
  /** The moment it was assembled for, ISO 8601, UTC. */
  readonly now: string;
  /** The version of the notes that are in the prompt whole; `null` without an agent, or when they did not fit. */
  readonly notes_version: number | null;
}

/** Tokens of a short memory with its label: more candidates than fit need not be read. */
const TOKENS_PER_MEMORY = 40;
const FEWEST_MEMORIES = 8;
const MOST_MEMORIES = 24;
const RECALLED_DETAILS = 8;
const LISTED_DETAILS = 50;

/** Per facade, so that two of them in one process do not compare their prompts. */
const manifests = new WeakMap<ContextNeeds, LeastRecentlyUsed<Pick<Manifest, 'segments'>>>();
const REMEMBERED_SESSIONS = 256;

/**
 * What the model should see this turn, from all layers, under a hard budget, with the reasons.
 * @throws ValidationError BUDGET_TOO_SMALL, INVALID_OPTION, SCOPE_MISSING
 * @throws NotFoundError SESSION_NOT_FOUND also for a session of another user, AGENT_NOT_FOUND
 */
export async function assembleContext(needs: ContextNeeds, request: ContextRequest): Promise<Context> {
  const { session, agent, user, messages } = request;
  if (!session || !user) {
    throw new ValidationError('SCOPE_MISSING', 'A context needs the session and the user that it is for.');
  }
  const nowMs = request.now === undefined ? needs.clock.now() : parseTimestamp(request.now);
  const budget = parseBudget(request.budget ?? needs.config.context.budget_tokens);
  const shares = resolveShares(request.sections);
  const counter = await needs.counter();

  const { user_id, agents } = (await needs.sessions.current(session)).session;
  if (user_id !== user) throw logNotFound({ kind: 'session', id: session });
  const summary = await needs.summaries.current(session);
  const room = Math.ceil(budget * shares.conversation.ceiling);
  const [conversation, owner] = await Promise.all([
    gatherConversation(needs, session, summary, room, counter),
    agent === undefined ? undefined : gatherAgent(needs, agent, user, nowMs),
  ]);
  const recalled = await gatherRecalled(needs, request, nowMs, {
    text: recallQuery(conversation.messages, messages),
    memories: Math.ceil((budget * shares.memories.ceiling) / TOKENS_PER_MEMORY),
  });
  const sources: ContextSources = {
    ...owner?.sources,
    ...(summary === undefined
      ? {}
      : {
          summary: {
            id: `${summary.covers.first_id}…${summary.covers.last_id}`,
            text: summary.text,
            trust: summary.trust,
            count: summary.summarized_count,
          },
        }),
    ...participantsOf(request, agents),
    conversation: conversation.messages,
    earlierMessages: conversation.earlierMessages,
    ...recalled,
    newMessages: messages,
  };

  const key = JSON.stringify([session, agent ?? null]);
  const remembered = manifests.get(needs) ?? new LeastRecentlyUsed(REMEMBERED_SESSIONS);
  manifests.set(needs, remembered);
  const previous = request.previous ?? remembered.get(key);
  const made = assemble(sources, { budget, counter, sections: request.sections, previous });
  await keepCaptures(needs, request, made.captures);
  remembered.set(key, { segments: made.manifest.segments });
  if (request.now === undefined) noteUses(needs, sources, made.manifest);
  const scope = {
    session_id: session,
    agent_id: agent ?? null,
    user_id: user,
    now: new Date(nowMs).toISOString(),
    notes_version: owner !== undefined && showsNotes(sources, made.manifest) ? owner.notesVersion : null,
  };
  return { messages: made.messages, manifest: { ...scope, ...made.manifest } };
}

async function gatherAgent(
  needs: ContextNeeds,
  agentId: string,
  userId: string,
  nowMs: number,
): Promise<{
  readonly sources: Pick<ContextSources, 'agent' | 'privateMemory' | 'notes'>;
  readonly notesVersion: number;
}> {
  const [agent, privateMemory, { text, version, trust }] = await Promise.all([
    needs.agents.get(agentId),
    needs.journal.forPrompt(agentId, nowMs),
    needs.notes.read(userId, agentId),
  ]);
  const sources = {
    agent: { id: agent.id, name: agent.name, systemPrompt: agent.system_prompt },
    privateMemory,
    ...(text.trim() === '' ? {} : { notes: { id: `${agentId} v${version}`, text, trust } }),
  };
  return { sources, notesVersion: version };
}

/** Whether the model sees all of its notes. */
function showsNotes({ notes }: ContextSources, { pieces }: Manifest): boolean {
  return notes === undefined || pieces.some(({ section, is_cut }) => section === 'notes' && !is_cut);
}

/** What is behind a detail's description is a tool's output, unless the store knows better. */
const DETAIL_TRUST: TrustTier = 'external';

async function gatherRecalled(
  needs: ContextNeeds,
  { session, user }: ContextRequest,
  nowMs: number,
  { text, memories: wanted }: { readonly text: string; readonly memories: number },
): Promise<Pick<ContextSources, 'memories' | 'details' | 'placeholders'>> {
  const limit = Math.min(MOST_MEMORIES, Math.max(FEWEST_MEMORIES, wanted));
  const query = { text, scope: 'user' as const, limit, explain: true, nowMs };
  const [found, details, listed] = await Promise.all([
    text === '' ? [] : needs.search.page(session, query).then(({ memories }) => memories),
    text === '' ? [] : needs.details.search(user, text, { limit: RECALLED_DETAILS }),
    needs.details.list(user, { sessionId: session, isActive: true, limit: LISTED_DETAILS }),
  ]);
  const trustOf = new Map(listed.map(({ memory_key, provenance }) => [memory_key, provenance.trust]));
  return {
    memories: found,
    details: details.map(({ memory_key: key, summary: description, relevance }) => ({
      key,
      description,
      relevance,
      trust: trustOf.get(key) ?? DETAIL_TRUST,
    })),
    placeholders: listed.map(({ memory_key: key, summary: description, provenance }) => ({
      key,
      description,
      trust: provenance.trust,
    })),
  };
}

function participantsOf(
  { agent, user, participants }: ContextRequest,
  agents: readonly string[],
): Pick<ContextSources, 'participants'> {
  if (participants !== undefined) return { participants };
  if (agent === undefined || agents.length < 2) return {};
  return { participants: [...agents.filter((name) => name !== agent), user] };
}

/** A placeholder must have something behind it before a model sees it; a text that the user has already is kept once. */
async function keepCaptures(
  needs: ContextNeeds,
  request: ContextRequest,
  captures: readonly Capture[],
): Promise<void> {
  for (const capture of captures) {
    const isKept = (): Promise<boolean> => needs.details.holds(request.user, capture.key, capture.text);
    if (await isKept()) continue;
    try {
      await needs.details.store(request.session, capturedValue(request, capture));
    } catch (error) {
      // Another process kept it in another session of the user in the same moment.
      if (!(error instanceof ValidationError && error.code === 'ID_TAKEN' && (await isKept()))) throw error;
    }
  }
}

function capturedValue(
  { agent }: ContextRequest,
  { key, text, role, message_id, timestamp, name }: Capture,
): CapturedValue {
  const ofMessage = message_id === undefined ? {} : { message_id };
  return {
    content: text,
    key,
    description:
      role === 'tool'
        ? 'tool output that was too long for the prompt'
        : 'message that was too long for the prompt',
    type: role === 'tool' ? 'command_output' : 'message',
    metadata: {
      role,
      ...ofMessage,
      // For whoever forgets a time: when it was said, not when it was kept.
      ...(timestamp === undefined ? {} : { message_timestamp: timestamp }),
      ...(name === undefined ? {} : { name }),
    },
    ...(agent === undefined ? {} : { agentId: agent }),
    provenance: {
      author: role === 'tool' ? 'tool' : role === 'assistant' ? 'assistant' : 'user',
      ...ofMessage,
    },
  };
}
/** Only what the model gets to see has been used. */
function noteUses({ accesses }: ContextNeeds, { memories }: ContextSources, { pieces }: Manifest): void {
  const shown = new Set(pieces.flatMap(({ section, source }) => (section === 'memories' ? [source.id] : [])));
  for (const { id, session_id } of memories) if (shown.has(id)) accesses?.note(session_id, id);
}
