import { ValidationError } from '../core/errors.ts';
import { isMessage, MESSAGE_ROLES, type Message } from '../core/messages.ts';
import type { ShareOptions } from '../core/shares.ts';
import { logNotFound } from '../core/store.ts';
import { parseTimeZone } from '../core/time-zone.ts';
import { parseTimestamp } from '../core/timestamps.ts';
import { LeastRecentlyUsed } from '../layers/least-recently-used.ts';
import { type Assembled, type AssembleOptions, assemble } from './assemble.ts';
import type { Beside } from './beside.ts';
import { invalidOption, parseBudget, resolveShares } from './budget.ts';
import { gatherConversation } from './gather-conversation.ts';
import { keepCaptures } from './keep-captures.ts';
import type { Manifest } from './manifest.ts';
import { onceFor } from './message-tokens.ts';
import type { ContextNeeds } from './needs.ts';
import { recallQuery } from './recalled.ts';
import type { ContextSources, StoredMessage } from './sources.ts';
import { gatherStanding, type StandingRequest, standingParts } from './standing.ts';

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
  /** The time zone of the days that the messages refer to. That of the configuration when left out. */
  readonly timeZone?: string;
  /** The others in a group conversation; the session's other agents and its user when left out. */
  readonly participants?: readonly string[];
  /** Floors and ceilings other than those of the configuration. */
  readonly sections?: ShareOptions;
  /** The manifest of the turn before; the last one of this process for the session when left out. */
  readonly previous?: Pick<Manifest, 'segments'>;
}

export interface Context {
  readonly messages: Message[];
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

const REMEMBERED_SESSIONS = 256;
/** Per facade, so that two of them in one process do not compare their prompts. */
const manifestsOf = onceFor(
  (_: ContextNeeds) => new LeastRecentlyUsed<Pick<Manifest, 'segments'>>(REMEMBERED_SESSIONS),
);

/**
 * What the model should see this turn, from all layers, under a hard budget, with the reasons.
 * @throws ValidationError BUDGET_TOO_SMALL, INVALID_OPTION, SCOPE_MISSING, CONTENT_TOO_DEEP
 * @throws NotFoundError SESSION_NOT_FOUND also for a session of another user, AGENT_NOT_FOUND
 */
export async function assembleContext(needs: ContextNeeds, request: ContextRequest): Promise<Context> {
  const { session, agent, user, messages, tools, images } = request;
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
  const limit = Math.min(standingTokens, Math.floor(budget * shares.standing.ceiling));
  const timeZone = request.timeZone ?? needs.config.time_zone;
  // With the search, which needs it as well.
  const { calendarOf } = await import('../time/index.ts');
  const calendar = calendarOf(timeZone);
  const dayOf = (timestampMs: number): string => calendar.isoDate(timestampMs);
  const [conversation, owner, standing] = await Promise.all([
    gatherConversation(needs, session, summary, isSummarising ? Number.POSITIVE_INFINITY : budget, counter),
    agent === undefined ? undefined : gatherAgent(needs, agent, user, nowMs),
    gatherStanding(needs, { user, timeZone, dayOf, limit, counter }),
  ]);
  const others = agent === undefined ? [] : agents.filter((name) => name !== agent);
  const gathered = {
    session,
    ...owner?.sources,
    summary: summary && {
      id: `${summary.covers.first_id}…${summary.covers.last_id}`,
      text: summary.text,
      trust: summary.trust,
      count: summary.summarized_count,
    },
    participants: request.participants ?? (others.length === 0 ? [] : [...others, user]),
    preferences,
    standing,
    ...conversation,
    newMessages: messages,
  };
  const wanted = Math.min(MOST_MEMORIES, Math.max(FEWEST_MEMORIES, Math.ceil(budget / TOKENS_PER_MEMORY)));
  // Standing memories that are found are not shown twice, and must not take the place of others.
  const shownAnyway = standingParts(standing, { limit, counter }).parts.flatMap(({ pieces }) => pieces);
  const text = recallQuery(conversation.conversation, messages);
  const recalling = { text, limit: wanted + shownAnyway.length, nowMs, dayOf };

  const key = JSON.stringify([user, session, agent ?? null]);
  const remembered = manifestsOf(needs);
  const previous = request.previous ?? remembered.get(key);
  const extracts = isSummarising ? needs.extracts : undefined;
  const options = { budget, counter, tools, images, shares, standingTokens, previous, extracts };
  const { sources, made } = await assembleKept(needs, request, options, async () => {
    return { ...gathered, ...(await gatherRecalled(needs, request, recalling)) };
  });
  const { pieces, segments } = made.manifest;
  // A look at another moment is no turn that the next one follows.
  if (request.now === undefined) remembered.set(key, { segments });
  // Only what the model gets to see has been used.
  const shown = new Set(pieces.map(({ section, source }) => `${section} ${source.id}`));
  for (const { id, session_id } of request.now === undefined ? sources.memories : [])
    if (shown.has(`memories ${id}`)) needs.accesses?.note(session_id, id, user);
  const showsNotes =
    sources.notes === undefined || pieces.some(({ section, is_cut }) => section === 'notes' && !is_cut);
  const notes_version = owner !== undefined && showsNotes ? owner.notesVersion : null;
  const scope = { session_id: session, agent_id: agent ?? null, user_id: user };
  const now = new Date(nowMs).toISOString();
  return { messages: made.messages, manifest: { ...scope, now, notes_version, ...made.manifest } };
}

/**
 * What is kept because it is too long can be found from then on, and what cannot be kept must not be referred to. So
 * after either the prompt is made again: it is then what the next call with the same request gives.
 */
async function assembleKept(
  needs: ContextNeeds,
  request: ContextRequest,
  options: AssembleOptions,
  gather: () => Promise<ContextSources>,
): Promise<{ readonly sources: ContextSources; readonly made: Assembled }> {
  const unkept = new Map<string, string>();
  for (let round = 1; ; round++) {
    const sources = await gather();
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
): Promise<{ readonly sources: Partial<ContextSources>; readonly notesVersion: number }> {
  const [agent, privateMemory, whiteboard, { text, version, trust, fault }] = await Promise.all([
    needs.agents.get(agentId),
    needs.journal.forPrompt(agentId, nowMs, userId),
    needs.journal.whiteboard(agentId, nowMs, userId),
    needs.notes.readForPrompt(userId, agentId),
  ]);
  const source = { layer: 'notes', id: `${agentId}, as it was saved by hand` } as const;
  const why = `${fault}: the file cannot be read as notes; version ${version} stands for it`;
  const sources = {
    agent: { id: agent.id, name: agent.name, systemPrompt: agent.system_prompt },
    privateMemory,
    whiteboard,
    notes: text.trim() === '' ? undefined : { id: `${agentId} v${version}`, text, trust },
    misses: fault === undefined ? [] : [{ section: 'notes' as const, source, why }],
  };
  return { sources, notesVersion: version };
}

/** @throws ValidationError INVALID_OPTION */
function checkMessages(messages: unknown): void {
  if (Array.isArray(messages) && messages.every(isMessage)) return;
  throw invalidOption(
    `messages must be a list of this turn’s messages, each with a role (${MESSAGE_ROLES.join(', ')}) and a text as content.`,
    { field: 'messages' },
  );
}

async function gatherRecalled(
  { search, details: kept }: ContextNeeds,
  { session, user, timeZone, recallWithoutWords = false }: ContextRequest,
  recalling: Pick<StandingRequest, 'dayOf' | 'limit'> & { readonly text: string; readonly nowMs: number },
): Promise<Pick<ContextSources, 'today' | 'memories' | 'details' | 'placeholders'>> {
  const { text, limit, nowMs, dayOf } = recalling;
  const hasWords = text !== '';
  const zone = timeZone === undefined ? {} : { timeZone };
  const query = { ...(hasWords ? { text } : {}), ...zone, scope: 'user', limit, explain: 'factors' } as const;
  const [found, details, listed] = await Promise.all([
    hasWords || recallWithoutWords ? (await search()).page(session, { ...query, nowMs }) : { memories: [] },
    hasWords ? kept.search(user, text, { limit: RECALLED_DETAILS, minMatch: RECALLED_MATCH, ...zone }) : [],
    kept.list(user, { sessionId: session, isActive: true, limit: LISTED_DETAILS }),
  ]);
  const today = dayOf(nowMs);
  return {
    today: `${WEEKDAYS[new Date(today).getUTCDay()]}, ${today}`,
    memories: found.memories.map((memory) => ({ ...memory, day: dayOf(Date.parse(memory.timestamp)) })),
    details: details.map(({ memory_key: key, summary: description, relevance, trust }) => {
      return { key, description, relevance, trust };
    }),
    // A record that a person has cut short says nothing of its trust.
    placeholders: listed.map(({ memory_key: key, summary: description, provenance }) => {
      return { key, description, trust: provenance?.trust ?? 'untrusted' };
    }),
  };
}
