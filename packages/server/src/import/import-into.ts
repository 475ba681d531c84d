import { hash } from 'node:crypto';
import {
  type AgentMemory,
  type DetailOrigins,
  type JsonObject,
  memoryText,
  type NewMemory,
  type Provenance,
  type ScopedMemory,
} from 'longhand';
import { ensureSession } from '../daily-session.ts';
import { hasCode } from '../has-code.ts';
import type { ImportItem } from './source.ts';
import { takeMemories } from './take-memories.ts';

const MOST_SAMPLES = 20;
const SAMPLE_CHARACTERS = 300;
/** One write for so many: fast, and the bar still moves. */
const BATCH = 500;

interface PieceCounts {
  sessions: number;
  memories: number;
  messages: number;
  notes: number;
  details: number;
  /** Of the journals and cores of agents. */
  agent_memories: number;
}

/** What became of the pieces of a file. */
export interface Imported {
  /** What was not there before. */
  readonly fresh: PieceCounts;
  /** What was, and stays as it is: also messages that were archived once and are gone. */
  readonly known: PieceCounts;
  /** Memories that were deleted here, and stay so. */
  readonly skippedDeleted: number;
  /** Messages that no transcript keeps: those of tools, for instance. */
  readonly unkeptMessages: number;
  /** Details whose time has come since they were exported. */
  readonly expiredDetails: number;
  /** The beginnings of the first that were not there. */
  readonly samples: { readonly kind: keyof PieceCounts; readonly text: string }[];
}

export interface ImportOptions {
  /** Where everything goes; the sessions that the file names when left out. */
  readonly named: string | undefined;
  /** Where memories go that name no session. */
  readonly fallback: string;
  /** Makes that one; as any other when left out. */
  readonly makeFallback?: () => Promise<unknown>;
  /** Leave out memories that were deleted here, in place of ending with an error. */
  readonly skipsDeleted: boolean;
  /** Called after so many pieces; may throw to end it. */
  readonly step: (count: number) => void;
  /** How many are written at once; 500 when left out. */
  readonly batch?: number;
}

function noPieces(): PieceCounts {
  return { sessions: 0, memories: 0, messages: 0, notes: 0, details: 0, agent_memories: 0 };
}

/**
 * Brings the pieces of a file into the store, and tells which of them are new to it. Sessions are made as they are named;
 * those that are there already must be this user's. One that the file names without a word about it began with the
 * first thing that the file has of it.
 * @throws ValidationError for a memory that was deleted here, unless those are to be left out
 */
export async function importInto(
  memory: ScopedMemory,
  items: readonly ImportItem[],
  options: ImportOptions,
): Promise<Imported> {
  const counts = { skippedDeleted: 0, unkeptMessages: 0, expiredDetails: 0 };
  const tally: Tally = { fresh: noPieces(), known: noPieces(), ...counts, samples: [] };
  const { named, fallback, step } = options;
  for (const item of items) {
    if (item.kind !== 'session') continue;
    // What many sessions held goes into one that is named, and has settings of its own.
    if (named === undefined) note(tally, 'sessions', await makeSession(memory, item));
    step(1);
  }
  for (const [sessionId, group] of bySession(items, named, fallback)) {
    let isMade = false;
    const ensure = async (): Promise<void> => {
      if (!isMade) await makeIfMissing(memory, sessionId, group, options);
      isMade = true;
    };
    const memories = group.flatMap((item) => (item.kind === 'memory' ? [item.memory] : []));
    await takeMemories(memory, sessionId, memories, {
      ensure,
      skipsDeleted: options.skipsDeleted,
      batch: options.batch ?? BATCH,
      onTaken: (taken, isFresh) => note(tally, 'memories', isFresh, taken),
      onSkipped: (count) => {
        tally.skippedDeleted += count;
      },
      step,
    });
    // What is there already may be in another one, but these are the session's own.
    if (group.some((item) => item.kind === 'message' || (item.kind === 'detail' && !hasExpired(item.detail))))
      await ensure();
    await takeMessages(memory, sessionId, group, options, tally);
    for (const item of group) {
      if (item.kind !== 'detail') continue;
      if (hasExpired(item.detail)) tally.expiredDetails++;
      else
        note(tally, 'details', await takeDetail(memory, sessionId, item), [
          { content: String(item.detail.summary) },
        ]);
      step(1);
    }
  }
  for (const item of items) {
    if (item.kind === 'replaced') await takeReplaced(memory, named ?? item.sessionId, item.memories);
    if (item.kind === 'notes') note(tally, 'notes', await takeNotes(memory, item), [{ content: item.text }]);
    if (item.kind === 'agent_memory') await takeAgentMemory(memory, item, options, tally);
    if (OF_NO_SESSION.includes(item.kind)) step(1);
  }
  return tally;
}

const OF_NO_SESSION: readonly ImportItem['kind'][] = ['notes', 'agent_memory', 'replaced', 'passed-over'];

/** An account of an import, which is filled in as it goes on. */
type Tally = { -readonly [Field in keyof Imported]: Imported[Field] };

function note(
  tally: Tally,
  kind: keyof PieceCounts,
  isFresh: boolean,
  pieces: readonly Pick<NewMemory, 'content'>[] = NAMELESS,
): void {
  tally[isFresh ? 'fresh' : 'known'][kind] += pieces.length;
  if (!isFresh || pieces === NAMELESS) return;
  for (const { content } of pieces.slice(0, MOST_SAMPLES - tally.samples.length)) {
    const text = typeof content === 'string' ? content : memoryText(content);
    tally.samples.push({ kind, text: text.slice(0, SAMPLE_CHARACTERS) });
  }
}

/** A piece that says nothing itself. */
const NAMELESS = [{ content: '' }];

/** As it was. A session that is there already keeps its settings. Whether it was made. */
async function makeSession(
  memory: ScopedMemory,
  { sessionId, settings }: Extract<ImportItem, { kind: 'session' }>,
): Promise<boolean> {
  try {
    await memory.createSession({ session_id: sessionId, ...settings });
    return true;
  } catch (error) {
    if (!hasCode(error, 'SESSION_EXISTS')) throw error;
    // Throws for another user's session: the two must not be mixed.
    await memory.loadSession(sessionId);
    return false;
  }
}

/** A session that only the file names began at the time of the earliest item that the file has of it. */
async function makeIfMissing(
  memory: ScopedMemory,
  sessionId: string,
  group: readonly Stored[],
  { named, fallback, makeFallback }: ImportOptions,
): Promise<void> {
  const isFallback = named === undefined && sessionId === fallback;
  if (isFallback && makeFallback !== undefined) await makeFallback();
  else
    await ensureSession(memory, sessionId, sessionId === (named ?? fallback) ? undefined : earliestOf(group));
}

type Stored = Extract<ImportItem, { kind: 'memory' | 'message' | 'detail' }>;

/** The time of the first of them that has one. */
function earliestOf(items: readonly Stored[]): string | undefined {
  const times = items.flatMap((item) => {
    const given = item.kind === 'memory' ? item.memory.timestamp : undefined;
    const ms = Date.parse(String(item.kind === 'message' ? item.message.timestamp : given));
    return Number.isNaN(ms) ? [] : [ms];
  });
  return times.length === 0 ? undefined : new Date(times.reduce((a, b) => Math.min(a, b))).toISOString();
}

/** By the session that they are for. */
export function bySession(
  items: readonly ImportItem[],
  named: string | undefined,
  fallback: string,
): ReadonlyMap<string, readonly Stored[]> {
  const groups = new Map<string, Stored[]>();
  for (const item of items) {
    if (item.kind !== 'memory' && item.kind !== 'message' && item.kind !== 'detail') continue;
    const id = named ?? item.sessionId ?? fallback;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [item]);
    else group.push(item);
  }
  return groups;
}

async function takeMessages(
  memory: ScopedMemory,
  sessionId: string,
  items: readonly Stored[],
  { step, batch: size = BATCH }: ImportOptions,
  tally: Tally,
): Promise<void> {
  const messages = items.flatMap((item) => (item.kind === 'message' ? [item.message] : []));
  for (let i = 0; i < messages.length; i += size) {
    const batch = messages.slice(i, i + size);
    const { archived, duplicates, left_out } = await memory.archiveMessages(sessionId, batch);
    note(tally, 'messages', true, batch.slice(0, archived));
    note(tally, 'messages', false, batch.slice(0, duplicates));
    tally.unkeptMessages += left_out;
    step(batch.length);
  }
}

/** Whether it was not there. As it was: when it was made, how long it is kept, whether it is searched. */
async function takeDetail(
  memory: ScopedMemory,
  sessionId: string,
  { detail, content }: Extract<ImportItem, { kind: 'detail' }>,
): Promise<boolean> {
  const { memory_key, memory_type, summary, agent_id, content_metadata, provenance } = detail;
  const { created_at, expires_at, is_active, summary_method } = detail;
  const given = { created_at, expires_at, is_active, summary_method };
  const origins = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const key = String(memory_key);
  const isFresh = !(await hasDetail(memory, key));
  await memory.keepDetail(sessionId, {
    content: [content],
    key,
    type: String(memory_type),
    description: String(summary),
    origins: origins as DetailOrigins,
    ...(typeof agent_id === 'string' ? { agentId: agent_id } : {}),
    ...(content_metadata === undefined ? {} : { metadata: content_metadata as JsonObject }),
    ...(provenance === undefined ? {} : { provenance: provenance as Provenance }),
  });
  return isFresh;
}

/** It has expired since it was exported: no search would find it. */
function hasExpired({ expires_at }: Extract<ImportItem, { kind: 'detail' }>['detail']): boolean {
  return typeof expires_at === 'string' && Date.parse(expires_at) <= Date.now();
}

async function hasDetail(memory: ScopedMemory, key: string): Promise<boolean> {
  try {
    await (await memory.details()).get(key);
    return true;
  } catch (error) {
    if (hasCode(error, 'DETAIL_NOT_FOUND')) return false;
    throw error;
  }
}

/** Notes that say the same already stay as they are. Whether there was something to write. */
async function takeNotes(
  memory: ScopedMemory,
  { agentId, text, author }: Extract<ImportItem, { kind: 'notes' }>,
): Promise<boolean> {
  await (await memory.agent(agentId)).ensure();
  const notes = await memory.notesOf(agentId);
  const present = (await notes.read()).text.trim();
  if (present === text.trim()) return false;
  const operation = present === '' ? 'overwrite' : 'append';
  await notes.apply({ operation, content: text }, { author });
  return true;
}

/** As it was: whose it is, who sees it, how far it is trusted, when it was made, and its earlier texts. */
async function takeAgentMemory(
  memory: ScopedMemory,
  { agentId, memory: given }: Extract<ImportItem, { kind: 'agent_memory' }>,
  { skipsDeleted }: ImportOptions,
  tally: Tally,
): Promise<void> {
  const { id, memory_type, content, created_at, share_memory, provenance, updated_at, pinned, history } =
    given as unknown as AgentMemory & {
      readonly history?: readonly { readonly content: string; readonly replaced_at: string }[];
    };
  await (await memory.agent(agentId)).ensure();
  const journal = await memory.journalOf(agentId);
  const isFresh = (await journal.find(id)) === undefined;
  try {
    await journal.save(memory_type, content, {
      id,
      timestamp: created_at,
      // Only an admin shares what an agent keeps with all its users.
      shareMemory: share_memory === true && memory.principal.role === 'admin',
      provenance: { ...provenance, user_id: memory.principal.user_id! },
      origins: { updated_at, pinned, ...(history === undefined ? {} : { history }) },
    });
    note(tally, 'agent_memories', isFresh, [{ content }]);
  } catch (error) {
    if (!(skipsDeleted && hasCode(error, 'ID_DELETED'))) throw error;
    tally.skippedDeleted++;
  }
}

/**
 * Memories that were replaced by one which is deleted now stay replaced: one is put in its place and deleted again. Those
 * that are not here need nothing.
 */
async function takeReplaced(
  memory: ScopedMemory,
  sessionId: string,
  memories: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [replaced, timestamp] of Object.entries(memories)) {
    const id = `mem_${hash('sha256', `replaced ${replaced}`).slice(0, 26)}`;
    const stand = { id, type: 'finding', content: { text: 'replaced' }, replaces: [replaced] } as const;
    try {
      await memory.addMemory(sessionId, { ...stand, timestamp });
      await memory.deleteMemory(sessionId, id);
    } catch (error) {
      if (!(hasCode(error, 'ID_DELETED') || hasCode(error, 'INVALID_ENTRY'))) throw error;
    }
  }
}
