import { ValidationError } from '../core/errors.ts';
import { MESSAGE_ROLES, type Message } from '../core/messages.ts';
import type { FoundMemory } from '../core/query.ts';
import type { ShareOptions } from '../core/shares.ts';
import { logNotFound } from '../core/store.ts';
import { parseTimeZone } from '../core/time-zone.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import { LeastRecentlyUsed } from '../layers/least-recently-used.ts';
import { type Assembled, type AssembleOptions, assemble } from './assemble.ts';
import type { Beside } from './beside.ts';
import { parseBudget, resolveShares } from './budget.ts';
import { gatherConversation } from './gather-conversation.ts';
import { keepCaptures } from './keep-captures.ts';
import type { Manifest } from './manifest.ts';
import type { ContextNeeds } from './needs.ts';
import { recallQuery } from './recall-query.ts';
import type { ContextSources, RecalledMemory, StoredMessage } from './sources.ts';
import { gatherStanding } from './standing.ts';

export interface ContextRequest extends Beside {
  readonly session: string;
  /** Whose prompt it is. Without one there is no system prompt, private memory or notes. */
  readonly agent?: string;
  /** Must own the session. */
  readonly user: string;
  /** This turn: the user's new message, and the tool calls and results since. */
  readonly messages: readonly StoredMessage[];
  /** With no words to go by, recall the memories that matter most. None of them when left out. */
  readonly recallWithoutWords?: boolean;
  /** Tokens, for the messages, the tools and the images; `context.budget_tokens` of the configuration when left out. */
  readonly budget?: number;
  /** The moment of asking, when it is not now. Memories are then not noted as used. */
  readonly now?: Date | string;
  /** Where the days begin and end that the messages speak of. That of the configuration when left out. */
  readonly timeZone?: string;
  /** The others in a group conversation; the session's other agents and its user when left out. */
  readonly participants?: readonly string[];
  /** Floors and ceilings other than those of the configuration. */
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
/** A large text holds some word of nearly every message: less than this of it says nothing. */
const RECALLED_MATCH = 0.3;
const LISTED_DETAILS = 50;
/** Twice does, and once more when what was kept has changed what fits. */
const MOST_ROUNDS = 4;

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/** Per facade, so that two of them in one process do not compare their prompts. */
const manifests = new WeakMap<ContextNeeds, LeastRecentlyUsed<Pick<Manifest, 'segments'>>>();
const REMEMBERED_SESSIONS = 256;

/**
 * What the model should see this turn, from all layers, under a hard budget, with the reasons.
 * @throws ValidationError BUDGET_TOO_SMALL, INVALID_OPTION, SCOPE_MISSING, CONTENT_TOO_DEEP
 * @throws NotFoundError SESSION_NOT_FOUND also for a session of another user, AGENT_NOT_FOUND
 */
export async function assembleContext(needs: ContextNeeds, request: ContextRequest): Promise<Context> {
  const { session, agent, user, messages } = request;
  if (!session || !user) {
    throw new ValidationError('SCOPE_MISSING', 'A context needs the session and the user that it is for.');
  }
  checkMessages(messages);
  const nowMs = request.now === undefined ? needs.clock.now() : parseTimestamp(request.now);
  if (request.timeZone !== undefined) parseTimeZone(request.timeZone, 'timeZone', 'INVALID_OPTION');
  const budget = parseBudget(request.budget ?? needs.config.context.budget_tokens);
  const { sections, standing_tokens: standingTokens } = needs.config.context;
  const shares = resolveShares(sections, request.sections);
  const counter = await needs.counter();

  const { user_id, agents, preferences } = (await needs.sessions.current(session)).session;
  if (user_id !== user) throw logNotFound({ kind: 'session', id: session });
  const summary = await needs.summaries.inUse(session);
  const isSummarising = needs.config.summary.enabled;
  const forStanding = Math.min(standingTokens, Math.floor(budget * shares.standing.ceiling));
  const [conversation, owner, standing] = await Promise.all([
    gatherConversation(needs, session, summary, isSummarising ? Number.POSITIVE_INFINITY : budget, counter),
    agent === undefined ? undefined : gatherAgent(needs, agent, user, nowMs),
    gatherStanding(needs, session, forStanding, counter),
  ]);
  const wanted = {
    text: recallQuery(conversation.messages, messages),
    memories: Math.ceil(budget / TOKENS_PER_MEMORY),
    standing,
  };
  const gathered: Omit<ContextSources, keyof RecalledSources> = {
    session,
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
    preferences,
    conversation: conversation.messages,
    earlierMessages: conversation.earlierMessages,
    newMessages: messages,
  };

  const key = JSON.stringify([user, session, agent ?? null]);
  const remembered = manifests.get(needs) ?? new LeastRecentlyUsed(REMEMBERED_SESSIONS);
  manifests.set(needs, remembered);
  const previous = request.previous ?? remembered.get(key);
  const { tools, images } = request;
  const extracting = isSummarising ? { extracts: needs.extracts } : {};
  const options = { budget, counter, tools, images, shares, standingTokens, previous, ...extracting };
  const recall = () => gatherRecalled(needs, request, nowMs, wanted);
  const { sources, made } = await assembleKept(needs, request, { gathered, recall, options });
  remembered.set(key, { segments: made.manifest.segments });
  if (request.now === undefined) noteUses(needs, user, sources, made.manifest);
  const scope = {
    session_id: session,
    agent_id: agent ?? null,
    user_id: user,
    now: new Date(nowMs).toISOString(),
    notes_version: owner !== undefined && showsNotes(sources, made.manifest) ? owner.notesVersion : null,
  };
  return { messages: made.messages, manifest: { ...scope, ...made.manifest } };
}

/**
 * What is kept because it is too long can be found from then on, and what cannot be kept must not be referred to. So
 * after either the prompt is made again: it is then what the next call with the same request gives.
 */
async function assembleKept(
  needs: ContextNeeds,
  request: ContextRequest,
  {
    gathered,
    recall,
    options,
  }: {
    readonly gathered: Omit<ContextSources, keyof RecalledSources>;
    readonly recall: () => Promise<RecalledSources>;
    readonly options: AssembleOptions;
  },
): Promise<{ readonly sources: ContextSources; readonly made: Assembled }> {
  const unkept = new Map<string, string>();
  for (let round = 1; ; round++) {
    const sources = { ...gathered, ...(await recall()) };
    const made = assemble(sources, { ...options, unkept });
    const { hasKept, hasFailed } = await keepCaptures(needs, request, made.captures, unkept);
    if (!hasFailed && (!hasKept || round >= MOST_ROUNDS)) return { sources, made };
  }
}

async function gatherAgent(
  needs: ContextNeeds,
  agentId: string,
  userId: string,
  nowMs: number,
): Promise<{
  readonly sources: Pick<ContextSources, 'agent' | 'privateMemory' | 'notes' | 'misses'>;
  readonly notesVersion: number;
}> {
  const [agent, privateMemory, { text, version, trust, fault }] = await Promise.all([
    needs.agents.get(agentId),
    needs.journal.forPrompt(agentId, nowMs, userId),
    needs.notes.readForPrompt(userId, agentId),
  ]);
  const why = `${fault}: the file cannot be read as notes; version ${version} stands for it`;
  const source = { layer: 'notes' as const, id: `${agentId}, as it was saved by hand` };
  const sources: Pick<ContextSources, 'agent' | 'privateMemory' | 'notes' | 'misses'> = {
    agent: { id: agent.id, name: agent.name, systemPrompt: agent.system_prompt },
    privateMemory,
    ...(text.trim() === '' ? {} : { notes: { id: `${agentId} v${version}`, text, trust } }),
    ...(fault === undefined ? {} : { misses: [{ section: 'notes', source, why }] }),
  };
  return { sources, notesVersion: version };
}

/** Whether the model sees all of its notes. */
function showsNotes({ notes }: ContextSources, { pieces }: Manifest): boolean {
  return notes === undefined || pieces.some(({ section, is_cut }) => section === 'notes' && !is_cut);
}

/** @throws ValidationError INVALID_OPTION */
function checkMessages(messages: unknown): void {
  const isMessage = (message: unknown): boolean =>
    typeof message === 'object' &&
    message !== null &&
    'role' in message &&
    (MESSAGE_ROLES as readonly unknown[]).includes(message.role) &&
    'content' in message &&
    typeof message.content === 'string';
  if (Array.isArray(messages) && messages.every(isMessage)) return;
  throw new ValidationError(
    'INVALID_OPTION',
    `messages must be a list of this turn’s messages, each with a role (${MESSAGE_ROLES.join(', ')}) and a text as content.`,
    { details: { field: 'messages' } },
  );
}

type RecalledSources = Pick<ContextSources, 'today' | 'standing' | 'memories' | 'details' | 'placeholders'>;

async function gatherRecalled(
  needs: ContextNeeds,
  { session, user, timeZone, recallWithoutWords = false }: ContextRequest,
  nowMs: number,
  {
    text,
    memories: wanted,
    standing,
  }: { readonly text: string; readonly memories: number; readonly standing: readonly FoundMemory[] },
): Promise<RecalledSources> {
  // Standing memories that are found are not shown twice, and must not take the place of others.
  const limit =
    Math.min(MOST_MEMORIES, Math.max(FEWEST_MEMORIES, wanted)) + Math.min(MOST_MEMORIES, standing.length);
  const asked = timeZone === undefined ? {} : { timeZone };
  const query = {
    ...(text === '' ? {} : { text }),
    ...asked,
    scope: 'user' as const,
    limit,
    explain: 'factors' as const,
    nowMs,
  };
  const isAsked = text !== '' || recallWithoutWords;
  const [found, details, listed] = await Promise.all([
    isAsked ? needs.search.page(session, query).then(({ memories }) => memories) : [],
    text === ''
      ? []
      : needs.details.search(user, text, { limit: RECALLED_DETAILS, minMatch: RECALLED_MATCH, ...asked }),
    needs.details.list(user, { sessionId: session, isActive: true, limit: LISTED_DETAILS }),
  ]);
  // With the search, which needs it as well.
  const { calendarOf } = await import('../time/index.ts');
  const calendar = calendarOf(timeZone ?? needs.config.time_zone);
  const today = calendar.isoDate(nowMs);
  const dated = (memories: readonly FoundMemory[]): readonly RecalledMemory[] =>
    memories.map((memory) => ({ ...memory, day: calendar.isoDate(Date.parse(memory.timestamp)) }));
  return {
    today: `${WEEKDAYS[new Date(today).getUTCDay()]}, ${today}`,
    standing: dated(standing),
    memories: dated(found),
    details: details.map(({ memory_key: key, summary: description, relevance, trust }) => ({
      key,
      description,
      relevance,
      trust,
    })),
    placeholders: listed.map(({ memory_key: key, summary: description, provenance }) => ({
      key,
      description,
      // A record that a person has cut short says nothing of its trust.
      trust: provenance?.trust ?? 'untrusted',
    })),
  };
}

function participantsOf(
  { agent, user, participants }: ContextRequest,
  agents: readonly string[],
): Pick<ContextSources, 'participants'> {
  if (participants !== undefined) return { participants };
  const others = agents.filter((name) => name !== agent);
  return agent === undefined || others.length === 0 ? {} : { participants: [...others, user] };
}

/** Only what the model gets to see has been used. */
function noteUses(
  { accesses }: ContextNeeds,
  user: string,
  { memories }: ContextSources,
  { pieces }: Manifest,
): void {
  const shown = new Set(pieces.flatMap(({ section, source }) => (section === 'memories' ? [source.id] : [])));
  for (const { id, session_id } of memories) if (shown.has(id)) accesses?.note(session_id, id, user);
}
