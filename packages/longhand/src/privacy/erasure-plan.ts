import { NotFoundError } from '../core/errors.ts';
import type { ArchivedMessage, Message } from '../core/messages.ts';
import { isMemoryEntry, type MemoryEntry, type Provenance } from '../core/records.ts';
import { capturedMessageKey, sourceMessageId } from '../layers/details/captured-message.ts';
import type { KeptDetail } from '../layers/details/detail-records.ts';
import { damagedLines } from '../layers/memories/damaged-lines.ts';
import type { Session } from '../layers/memories/session.ts';
import type { SessionFold } from '../layers/memories/session-fold.ts';
import { addressOf } from '../layers/memories/sessions.ts';
import { namesAny, type Unreadable } from '../layers/unreadable-lines.ts';
import { tagCovers } from '../recall/tag-match.ts';
import type { CheckedRequest, Selection } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/**
 * What a request to forget comes to, before anything is touched: the preview shows it, and the erasure carries
 * it out. It holds ids, never text.
 *
 * A memory that was taken from a message takes the message with it: otherwise the transcript would go on saying
 * what the memory no longer does. So does a detail that is named by its key and was made from a message; and a
 * message takes the details that were made from it. What was deleted before and still stands in the log goes at last.
 *
 * What cannot be read may be what is meant: a topic and a time take it along in every session that they reach; ids in
 * those where something of theirs was found, and wherever it names them (layers/unreadable-lines.ts). What writers
 * that died have left behind goes from every session in the scope.
 */
export interface ErasurePlan {
  /** Sessions that go as a whole. */
  readonly wholeSessions: readonly string[];
  readonly sessions: readonly SessionErasure[];
  /** The others in the scope: nothing of theirs is meant, and nothing that was never finished may stay. */
  readonly otherSessions: readonly string[];
  readonly leftovers: Leftovers;
  readonly notes: readonly NotesErasure[];
  /** Agents that go as a whole, with journal and core. */
  readonly agents: readonly string[];
  /** A user of whom nothing is to remain. */
  readonly user: string | undefined;
}

/** Values whose writers died before they were recorded: those that are old, or begun in the time that is meant too. */
type Leftovers = 'old' | { readonly startMs: number; readonly endMs: number };

export interface SessionErasure {
  readonly sessionId: string;
  readonly memories: readonly string[];
  readonly messages: readonly string[];
  readonly details: readonly string[];
  /** What cannot be read and may be meant. */
  readonly unreadable: Unreadable;
  /** Whether there is any, in the log or set aside. */
  readonly hasDamage: boolean;
}

/** Lines that were first noted in the selected time, perhaps none but what cannot be read; all when `undefined`. */
export interface NotesErasure {
  readonly userId: string;
  readonly agentId: string;
  readonly lines: ReadonlySet<string> | undefined;
}

const NOTHING: ErasurePlan = {
  wholeSessions: [],
  sessions: [],
  otherSessions: [],
  leftovers: 'old',
  notes: [],
  agents: [],
  user: undefined,
};

export async function planErasure(layers: PrivacyLayers, request: CheckedRequest): Promise<ErasurePlan> {
  const { what } = request;
  switch (request.scope) {
    case 'agent':
      return planAgent(layers, request.agentId);
    case 'session':
      if (what.by === 'everything') return { ...NOTHING, wholeSessions: [request.sessionId] };
      return { ...NOTHING, ...(await planSessions(layers, [request.sessionId], what)) };
    case 'user': {
      const ids = await layers.workshop.store.listOfUser(request.userId);
      const notes = await planNotes(layers, request.userId, what);
      if (what.by === 'everything') return { ...NOTHING, wholeSessions: ids, notes, user: request.userId };
      return { ...NOTHING, ...(await planSessions(layers, ids, what)), notes };
    }
  }
}

/** Its journal and core, its notes on everybody, and what it wrote into sessions. */
async function planAgent(layers: PrivacyLayers, agentId: string): Promise<ErasurePlan> {
  const { store } = layers.workshop;
  const notes: NotesErasure[] = [];
  for (const userId of await store.listUsers()) {
    const agents = await store.listNotes(userId);
    if (agents.includes(agentId)) notes.push({ userId, agentId, lines: undefined });
  }
  const isOwn = ({ provenance }: { readonly provenance?: Provenance }): boolean =>
    provenance?.agent_id === agentId;
  const planned = await planEach(layers, await store.list('session'), {
    memory: isOwn,
    message: (message, session) => saidBy(message, agentId, session),
    detail: ({ agent_id }) => agent_id === agentId,
    isNamed: () => false,
    takesSources: false,
    unreadable: new Set([agentId]),
  });
  const agent = await layers.agents.find(agentId).catch(() => ({}));
  return { ...NOTHING, ...planned, notes, agents: agent === undefined ? [] : [agentId] };
}

/** Clients that archive an answer need not say who gave it: then it is that of the session's only agent. */
function saidBy(
  { role, name, provenance }: ChosenMessage,
  agentId: string,
  session: Session | undefined,
): boolean {
  const [first, ...others] = session?.agents ?? [];
  const speaker = provenance?.agent_id ?? name ?? (others.length === 0 ? first : undefined);
  return role === 'assistant' && speaker === agentId;
}

async function planSessions(
  layers: PrivacyLayers,
  sessionIds: readonly string[],
  what: Exclude<Selection, { readonly by: 'everything' }>,
): Promise<Pick<ErasurePlan, 'sessions' | 'otherSessions' | 'leftovers'>> {
  const planned = await planEach(layers, sessionIds, {
    memory: ({ id, timestamp, tags }) =>
      what.by === 'topic'
        ? tags.some((own) => tagCovers(what.tag, own, false))
        : isChosen(what, id, timestamp),
    message: ({ id, timestamp }) => isChosen(what, id, timestamp),
    detail: ({ memory_key, created_at }) => isChosen(what, memory_key, created_at),
    isNamed: (id) => what.by === 'ids' && what.ids.has(id),
    takesSources: what.by === 'ids',
    unreadable: what.by === 'ids' ? what.ids : 'all',
  });
  const leftovers = what.by === 'time' ? { startMs: what.startMs, endMs: what.endMs } : 'old';
  return { ...planned, leftovers };
}

function isChosen(what: Selection, id: string, timestamp: string): boolean {
  if (what.by === 'ids') return what.ids.has(id);
  if (what.by !== 'time') return false;
  const ms = Date.parse(timestamp);
  return ms >= what.startMs && ms <= what.endMs;
}

interface Choice {
  readonly memory: (entry: MemoryEntry) => boolean;
  readonly message: (message: ChosenMessage, session: Session | undefined) => boolean;
  readonly detail: (detail: KeptDetail) => boolean;
  /** By its id alone: a memory that was deleted, or cannot be read, or a message that is nowhere but in a detail. */
  readonly isNamed: (id: string) => boolean;
  /** Whether a chosen detail takes the message with it that it was made from. */
  readonly takesSources: boolean;
  /** What of the unreadable may be meant: all of it, or what names one of these. */
  readonly unreadable: ReadonlySet<string> | 'all';
}

type ChosenMessage = Pick<ArchivedMessage, 'id' | 'timestamp' | 'provenance' | 'name'> &
  Pick<Message, 'role'>;

async function planEach(
  layers: PrivacyLayers,
  sessionIds: readonly string[],
  choice: Choice,
): Promise<Pick<ErasurePlan, 'sessions' | 'otherSessions'>> {
  const sessions: SessionErasure[] = [];
  const otherSessions: string[] = [];
  for (const sessionId of sessionIds) {
    const planned = await planSession(layers, sessionId, choice);
    if (planned === undefined) otherSessions.push(sessionId);
    else sessions.push(planned);
  }
  return { sessions, otherSessions };
}

async function planSession(
  layers: PrivacyLayers,
  sessionId: string,
  choice: Choice,
): Promise<SessionErasure | undefined> {
  const fold = await layers.maintenance.fold(sessionId);
  const kept = await layers.details.keptInSession(sessionId);
  const chosen = fold.entries.map(({ entry }) => entry).filter(choice.memory);
  const named = kept.filter(choice.detail);
  const sources = new Set([
    ...chosen.flatMap(({ provenance }) => provenance.message_id ?? []),
    ...(choice.takesSources ? named.flatMap((detail) => sourceMessageId(detail) ?? []) : []),
  ]);
  const session = await layers.sessions.sessionIfReadable(sessionId);
  const isMeant = (message: ChosenMessage): boolean =>
    sources.has(message.id) || choice.message(message, session);
  const archived = (await layers.transcripts.messages(sessionId)).filter(isMeant);
  const inWindow = await findInWindow(layers, sessionId, isMeant);
  const details = [...named, ...madeFrom(sessionId, kept, [...archived, ...inWindow], sources, choice)];
  const memories = new Set([...chosen.map(({ id }) => id), ...remaindersOf(fold).filter(choice.isNamed)]);
  const found = memories.size + archived.length + inWindow.length + details.length > 0;
  const unreadable: Unreadable =
    choice.unreadable === 'all'
      ? 'all'
      : { names: new Set([...choice.unreadable, ...sources]), takesTorn: found };
  const hasDamage = await mayHoldMore(layers, sessionId, fold, unreadable);
  if (!found && !hasDamage) return undefined;
  return {
    sessionId,
    memories: [...memories],
    messages: archived.map(({ id }) => id),
    details: [...new Set(details.map(({ memory_key }) => memory_key))],
    unreadable,
    hasDamage,
  };
}

/** The details that hold one of the messages, or one that is gone from everywhere else. */
function madeFrom(
  sessionId: string,
  kept: readonly KeptDetail[],
  messages: readonly Message[],
  sources: ReadonlySet<string>,
  { message, isNamed }: Choice,
): readonly KeptDetail[] {
  const ids = new Set([...sources, ...messages.flatMap(({ id }) => id ?? [])]);
  const keys = new Set(messages.map(({ role, content }) => capturedMessageKey(sessionId, role, content)));
  return kept.filter((detail) => {
    if (keys.has(detail.memory_key)) return true;
    const id = sourceMessageId(detail);
    if (id === undefined) return false;
    const { message_timestamp: timestamp } = detail.content_metadata;
    const isOfTime = typeof timestamp === 'string' && message({ id, timestamp, role: 'user' }, undefined);
    return ids.has(id) || isNamed(id) || isOfTime;
  });
}

/** Memories that nobody can read any more and that still stand in the log. */
function remaindersOf({ records, damage, deletedIds }: SessionFold): string[] {
  const deleted = records.flatMap(({ record }) =>
    isMemoryEntry(record) && deletedIds.has(record.id) ? [record.id] : [],
  );
  return [
    ...deleted,
    ...damage.flatMap(({ kind, line }) => (kind === 'sequence' ? [] : (line.memoryId ?? []))),
  ];
}

async function mayHoldMore(
  layers: PrivacyLayers,
  sessionId: string,
  fold: SessionFold,
  unreadable: Unreadable,
): Promise<boolean> {
  const { transcripts, details } = layers;
  return (
    (unreadable === 'all' && remaindersOf(fold).length > 0) ||
    (await hasUnreadableMemory(layers, sessionId, fold, unreadable)) ||
    (await transcripts.log(sessionId).unreadable(unreadable)).isThere ||
    (await details.unreadable(sessionId, unreadable)).isThere
  );
}

/** The session's own log. Where something was found, it is written anew without anything that cannot be read. */
async function hasUnreadableMemory(
  { workshop: { store } }: PrivacyLayers,
  sessionId: string,
  fold: SessionFold,
  unreadable: Unreadable,
): Promise<boolean> {
  const address = addressOf(sessionId);
  const lines = [...damagedLines(fold.damage), ...(await store.quarantined(address)).map(({ line }) => line)];
  // Bytes behind the last whole line: of a write that a crash cut off, as far as anybody can tell.
  const isTorn = (await store.size(address)).log > fold.endOffset;
  if (typeof unreadable === 'string') return unreadable === 'all' && (lines.length > 0 || isTorn);
  if (lines.some((line) => namesAny(line, unreadable.names))) return true;
  if (!isTorn) return false;
  const tail = (await store.linesWith(address, '"')).filter(({ offset }) => offset >= fold.endOffset);
  return tail.some((line) => namesAny(line, unreadable.names));
}

/** Messages that are meant and in the window, perhaps nowhere else. */
async function findInWindow(
  { windows }: PrivacyLayers,
  sessionId: string,
  isMeant: (message: ChosenMessage) => boolean,
): Promise<readonly Message[]> {
  const latest = await windows.read(sessionId);
  return latest.filter(({ id = '', timestamp = '', ...said }) => isMeant({ ...said, id, timestamp }));
}

async function planNotes(
  { notes }: PrivacyLayers,
  userId: string,
  what: Selection,
): Promise<readonly NotesErasure[]> {
  const agents = await notes.list(userId);
  if (what.by === 'everything') return agents.map((agentId) => ({ userId, agentId, lines: undefined }));
  if (what.by !== 'time') return [];
  const planned: NotesErasure[] = [];
  for (const agentId of agents) {
    const lines = await linesOfTime(notes, userId, agentId, what.startMs, what.endMs);
    if (lines.size > 0 || (await notes.isDamaged(userId, agentId))) planned.push({ userId, agentId, lines });
  }
  return planned;
}

/** Lines that no version before the time had, and one of the time has. Blank ones hold nothing. */
async function linesOfTime(
  notes: PrivacyLayers['notes'],
  userId: string,
  agentId: string,
  startMs: number,
  endMs: number,
): Promise<ReadonlySet<string>> {
  const before = new Set<string>();
  const during = new Set<string>();
  for (const { version, timestamp } of await notes.versions(userId, agentId)) {
    const ms = Date.parse(timestamp);
    if (ms > endMs) continue;
    const lines = (await notes.readVersion(userId, agentId, version)).split(/\r?\n/);
    for (const line of lines) if (line.trim() !== '') (ms < startMs ? before : during).add(line);
  }
  for (const line of before) during.delete(line);
  return during;
}

/** How many pieces of each kind: all that a preview or a receipt needs to say. */
export async function countPieces(layers: PrivacyLayers, plan: ErasurePlan): Promise<PieceCounts> {
  const counts = {
    sessions: plan.wholeSessions.length,
    memories: 0,
    messages: 0,
    details: 0,
    notes: 0,
    agents: 0,
  };
  for (const { memories, messages, details } of plan.sessions) {
    counts.memories += memories.length;
    counts.messages += messages.length;
    counts.details += details.length;
  }
  for (const sessionId of plan.wholeSessions) {
    try {
      counts.memories += (await layers.maintenance.fold(sessionId)).entries.length;
      counts.messages += await layers.transcripts.count(sessionId);
      counts.details += (await layers.details.keptInSession(sessionId)).length;
    } catch (error) {
      // Gone since it was listed, or never there.
      if (!(error instanceof NotFoundError)) throw error;
      counts.sessions--;
    }
  }
  const notes = plan.notes.filter(({ lines }) => lines === undefined || lines.size > 0).length;
  return { ...counts, notes, agents: plan.agents.length };
}

export interface PieceCounts {
  readonly sessions: number;
  readonly memories: number;
  readonly messages: number;
  readonly details: number;
  /** Documents of notes. */
  readonly notes: number;
  readonly agents: number;
}
