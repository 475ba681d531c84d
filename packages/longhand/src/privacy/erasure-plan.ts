import { NotFoundError } from '../core/errors.ts';
import type { ArchivedMessage } from '../core/messages.ts';
import { isMemoryEntry, type MemoryEntry, type Provenance } from '../core/records.ts';
import type { SessionFold } from '../layers/memories/session-fold.ts';
import { addressOf } from '../layers/memories/sessions.ts';
import { tagCovers } from '../recall/tag-match.ts';
import type { CheckedRequest, Selection } from './forget-request.ts';
import type { PrivacyLayers } from './privacy-layers.ts';

/**
 * What a request to forget comes to, before anything is touched: the preview shows it, and the erasure carries
 * it out. It holds ids, never text.
 *
 * A memory that was taken from a message takes the message with it: otherwise the transcript would go on saying
 * what the memory no longer does. What was deleted before and still stands in the log goes at last. What cannot be
 * read may be what is meant: a topic and a time take it along in every session that they reach, and ids in those where
 * something of theirs was found.
 */
export interface ErasurePlan {
  /** Sessions that go as a whole. */
  readonly wholeSessions: readonly string[];
  readonly sessions: readonly SessionErasure[];
  readonly notes: readonly NotesErasure[];
  /** Agents that go as a whole, with journal and core. */
  readonly agents: readonly string[];
  /** A user of whom nothing is to remain. */
  readonly user: string | undefined;
}

export interface SessionErasure {
  readonly sessionId: string;
  readonly memories: readonly string[];
  readonly messages: readonly string[];
  readonly details: readonly string[];
  /** Something cannot be read, or was set aside when it could not, and may be what is meant. */
  readonly hasDamage: boolean;
}

/** Lines that were first noted in the selected time; all of it when `undefined`. */
export interface NotesErasure {
  readonly userId: string;
  readonly agentId: string;
  readonly lines: ReadonlySet<string> | undefined;
}

const NOTHING: ErasurePlan = { wholeSessions: [], sessions: [], notes: [], agents: [], user: undefined };

export async function planErasure(layers: PrivacyLayers, request: CheckedRequest): Promise<ErasurePlan> {
  const { what } = request;
  switch (request.scope) {
    case 'agent':
      return planAgent(layers, request.agentId);
    case 'session':
      if (what.by === 'everything') return { ...NOTHING, wholeSessions: [request.sessionId] };
      return { ...NOTHING, sessions: await planSessions(layers, [request.sessionId], what) };
    case 'user': {
      const ids = await layers.workshop.store.listOfUser(request.userId);
      const notes = await planNotes(layers, request.userId, what);
      if (what.by === 'everything') return { ...NOTHING, wholeSessions: ids, notes, user: request.userId };
      return { ...NOTHING, sessions: await planSessions(layers, ids, what), notes };
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
  const sessions: SessionErasure[] = [];
  for (const sessionId of await store.list('session')) {
    const isOwn = ({ provenance }: { readonly provenance?: Provenance }): boolean =>
      provenance?.agent_id === agentId;
    const details = (await layers.details.listOfSession(sessionId)).filter(
      ({ agent_id }) => agent_id === agentId,
    );
    const planned = await planSession(layers, sessionId, {
      memory: isOwn,
      message: isOwn,
      isRemainder: () => false,
      takesDamage: false,
      detailKeys: details.map(({ memory_key }) => memory_key),
    });
    if (planned !== undefined) sessions.push(planned);
  }
  const agent = await layers.agents.find(agentId).catch(() => ({}));
  return { ...NOTHING, notes, sessions, agents: agent === undefined ? [] : [agentId] };
}

async function planSessions(
  layers: PrivacyLayers,
  sessionIds: readonly string[],
  what: Selection,
): Promise<readonly SessionErasure[]> {
  const planned: SessionErasure[] = [];
  for (const sessionId of sessionIds) {
    const details = await layers.details.listOfSession(sessionId);
    const chosen = details.filter(({ memory_key, created_at }) => isChosen(what, memory_key, created_at));
    const erasure = await planSession(layers, sessionId, {
      memory: ({ id, timestamp, tags }) =>
        what.by === 'topic'
          ? tags.some((own) => tagCovers(what.tag, own, false))
          : isChosen(what, id, timestamp),
      message: ({ id, timestamp }) => isChosen(what, id, timestamp),
      isRemainder: (id) => what.by === 'ids' && what.ids.has(id),
      takesDamage: what.by !== 'ids',
      detailKeys: chosen.map(({ memory_key }) => memory_key),
    });
    if (erasure !== undefined) planned.push(erasure);
  }
  return planned;
}

function isChosen(what: Selection, id: string, timestamp: string): boolean {
  if (what.by === 'ids') return what.ids.has(id);
  if (what.by !== 'time') return false;
  const ms = Date.parse(timestamp);
  return ms >= what.startMs && ms <= what.endMs;
}

interface Choice {
  readonly memory: (entry: MemoryEntry) => boolean;
  readonly message: (message: ChosenMessage) => boolean;
  /** By its id alone: a memory that was deleted, or cannot be read, and still stands in the log. */
  readonly isRemainder: (id: string) => boolean;
  /** Whether what cannot be read is reason enough to write the session's files anew. */
  readonly takesDamage: boolean;
  readonly detailKeys: readonly string[];
}

type ChosenMessage = Pick<ArchivedMessage, 'id' | 'timestamp' | 'provenance'>;

async function planSession(
  layers: PrivacyLayers,
  sessionId: string,
  { memory, message, isRemainder, takesDamage, detailKeys }: Choice,
): Promise<SessionErasure | undefined> {
  const fold = await layers.maintenance.fold(sessionId);
  const chosen = fold.entries.map(({ entry }) => entry).filter(memory);
  const sources = new Set(chosen.flatMap(({ provenance }) => provenance.message_id ?? []));
  const archived = (await layers.transcripts.messages(sessionId)).filter(
    (each) => sources.has(each.id) || message(each),
  );
  const memories = new Set([...chosen.map(({ id }) => id), ...remaindersOf(fold).filter(isRemainder)]);
  const messages = archived.map(({ id }) => id);
  const hasDamage = takesDamage && (await mayHoldMore(layers, sessionId, fold));
  const inWindow = await findInWindow(layers, sessionId, message);
  if (memories.size + messages.length + detailKeys.length === 0 && !hasDamage && !inWindow) return undefined;
  return { sessionId, memories: [...memories], messages, details: detailKeys, hasDamage };
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

async function mayHoldMore(layers: PrivacyLayers, sessionId: string, fold: SessionFold): Promise<boolean> {
  const { transcripts, details, workshop } = layers;
  return (
    remaindersOf(fold).length > 0 ||
    fold.damage.some(({ kind }) => kind !== 'sequence') ||
    (await workshop.store.quarantined(addressOf(sessionId))).length > 0 ||
    // Bytes behind the last whole line: of a write that a crash cut off, as far as anybody can tell.
    (await workshop.store.size(addressOf(sessionId))).log > fold.endOffset ||
    transcripts.log(sessionId).damagedLines > 0 ||
    (await details.damagedRecords(sessionId)) > 0
  );
}

/** Whether a message that is in the window, and perhaps nowhere else, is meant. */
async function findInWindow(
  { windows }: PrivacyLayers,
  sessionId: string,
  message: Choice['message'],
): Promise<boolean> {
  const latest = await windows.read(sessionId);
  return latest.some(({ id = '', timestamp = '' }) => message({ id, timestamp }));
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
    if (lines.size > 0) planned.push({ userId, agentId, lines });
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
      counts.details += (await layers.details.listOfSession(sessionId)).length;
    } catch (error) {
      // Gone since it was listed, or never there.
      if (!(error instanceof NotFoundError)) throw error;
      counts.sessions--;
    }
  }
  return { ...counts, notes: plan.notes.length, agents: plan.agents.length };
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
