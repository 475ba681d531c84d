import {
  type JsonObject,
  LonghandError,
  type Message,
  type NewMemory,
  type Provenance,
  type ScopedMemory,
} from 'longhand';
import { ensureSession } from '../daily-session.ts';
import { UsageError } from './command.ts';
import type { ImportItem } from './import-source.ts';

/** One write for so many: fast, and the bar still moves. */
const BATCH = 500;

export interface PieceCounts {
  sessions: number;
  memories: number;
  messages: number;
  notes: number;
  details: number;
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
}

export interface ImportOptions {
  /** Where everything goes; the sessions that the file names when left out. */
  readonly named: string | undefined;
  /** Where memories go that name no session. */
  readonly fallback: string;
  /** Leave out memories that were deleted here, in place of ending with an error. */
  readonly skipsDeleted: boolean;
  /** Called after so many pieces; may throw to end it. */
  readonly step: (count: number) => void;
  /** How many are written at once; 500 when left out. */
  readonly batch?: number;
}

export function newTally(): Tally {
  return { fresh: noPieces(), known: noPieces(), skippedDeleted: 0, unkeptMessages: 0 };
}

export function noPieces(): PieceCounts {
  return { sessions: 0, memories: 0, messages: 0, notes: 0, details: 0 };
}

/**
 * Brings the pieces of a file into the store, and tells which of them are new to it. Sessions are made as they are named;
 * those that are there already must be this user's. One that the file names without a word about it began with the
 * first thing that the file has of it.
 * @param tally says how far it came, also when it ends with an error
 * @throws UsageError for a memory that was deleted here, unless those are to be left out
 */
export async function importInto(
  memory: ScopedMemory,
  items: readonly ImportItem[],
  options: ImportOptions,
  tally: Tally = newTally(),
): Promise<Imported> {
  const { named, fallback, step } = options;
  for (const item of items) {
    if (item.kind !== 'session') continue;
    // What many sessions held goes into one that is named, and has settings of its own.
    if (named === undefined) note(tally, 'sessions', await makeSession(memory, item));
    step(1);
  }
  for (const [sessionId, group] of bySession(items, named, fallback)) {
    const isOwn = sessionId === (named ?? fallback);
    await ensureSession(memory, sessionId, isOwn ? undefined : earliestOf(group));
    await takeMemories(memory, sessionId, group, options, tally);
    await takeMessages(memory, sessionId, group, options, tally);
    for (const item of group) {
      if (item.kind !== 'detail') continue;
      note(tally, 'details', await takeDetail(memory, sessionId, item));
      step(1);
    }
  }
  for (const item of items) {
    if (item.kind === 'notes') note(tally, 'notes', await takeNotes(memory, item.agentId, item.text));
    if (item.kind === 'notes' || item.kind === 'passed-over') step(1);
  }
  return tally;
}

/** An account of an import, which is filled in as it goes on. */
export type Tally = { -readonly [Field in keyof Imported]: Imported[Field] };

function note({ fresh, known }: Tally, kind: keyof PieceCounts, isFresh: boolean, count = 1): void {
  if (isFresh) fresh[kind] += count;
  else known[kind] += count;
}

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
    // Somebody else's session is none: nothing of it may be mixed with this.
    await memory.loadSession(sessionId);
    return false;
  }
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

function bySession(
  items: readonly ImportItem[],
  named: string | undefined,
  fallback: string,
): ReadonlyMap<string, readonly Stored[]> {
  const groups = new Map<string, Stored[]>();
  for (const item of items) {
    if (item.kind === 'notes' || item.kind === 'passed-over' || item.kind === 'session') continue;
    const id = named ?? item.sessionId ?? fallback;
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [item]);
    else group.push(item);
  }
  return groups;
}

async function takeMemories(
  memory: ScopedMemory,
  sessionId: string,
  items: readonly Stored[],
  { skipsDeleted, step, batch: size = BATCH }: ImportOptions,
  tally: Tally,
): Promise<void> {
  const memories = items.flatMap((item) => (item.kind === 'memory' ? [item.memory] : []));
  const added = new Set<string>();
  for (let i = 0; i < memories.length; i += size) {
    const batch = memories.slice(i, i + size);
    const known = new Set<NewMemory>();
    for (const one of batch) {
      if (one.id === undefined) continue;
      if (added.has(one.id) || (await isThere(memory, sessionId, one.id))) known.add(one);
      added.add(one.id);
    }
    const taken = await (skipsDeleted ? addLiving : addAll)(memory, sessionId, batch);
    for (const one of taken) note(tally, 'memories', !known.has(one));
    tally.skippedDeleted += batch.length - taken.length;
    step(batch.length);
  }
}

async function isThere(memory: ScopedMemory, sessionId: string, id: string): Promise<boolean> {
  try {
    return (await memory.getMemory(sessionId, id)) !== null;
  } catch (error) {
    // One that cannot be read any more is written anew.
    if (hasCode(error, 'CORRUPT_ENTRY')) return false;
    throw error;
  }
}

/** Gives those that were taken in. */
type AddBatch = (
  memory: ScopedMemory,
  sessionId: string,
  batch: readonly NewMemory[],
) => Promise<readonly NewMemory[]>;

const addAll: AddBatch = async (memory, sessionId, batch) => {
  try {
    await memory.addMemories(sessionId, batch);
    return batch;
  } catch (error) {
    if (deletedIdOf(error) === undefined) throw error;
    const { message, code } = error as LonghandError;
    const hint = message.replace('Leave the id out.', 'With --skip-deleted the rest is taken in.');
    throw new UsageError(hint, { cause: error }, code);
  }
};

/** A batch is taken in whole or not at all, and each refusal names one memory. */
const addLiving: AddBatch = async (memory, sessionId, batch) => {
  let living = batch;
  while (living.length > 0) {
    try {
      await memory.addMemories(sessionId, living);
      break;
    } catch (error) {
      const deleted = deletedIdOf(error);
      if (deleted === undefined) throw error;
      living = living.filter(({ id }) => id !== deleted);
    }
  }
  return living;
};

function deletedIdOf(error: unknown): string | undefined {
  return hasCode(error, 'ID_DELETED') ? String(error.details.memory_id) : undefined;
}

async function takeMessages(
  memory: ScopedMemory,
  sessionId: string,
  items: readonly Stored[],
  { step, batch: size = BATCH }: ImportOptions,
  tally: Tally,
): Promise<void> {
  const messages: readonly Message[] = items.flatMap((item) =>
    item.kind === 'message' ? [item.message] : [],
  );
  for (let i = 0; i < messages.length; i += size) {
    const batch = messages.slice(i, i + size);
    const { archived, duplicates, left_out } = await memory.archiveMessages(sessionId, batch);
    note(tally, 'messages', true, archived);
    note(tally, 'messages', false, duplicates);
    tally.unkeptMessages += left_out;
    step(batch.length);
  }
}

/** Whether it was not there. */
async function takeDetail(
  memory: ScopedMemory,
  sessionId: string,
  { detail, content }: Extract<ImportItem, { kind: 'detail' }>,
): Promise<boolean> {
  const { memory_key, memory_type, summary, agent_id, content_metadata, provenance } = detail;
  const key = String(memory_key);
  const isFresh = !(await hasDetail(memory, key));
  await memory.storeDetail(sessionId, {
    content: [content],
    key,
    type: String(memory_type),
    description: String(summary),
    ...(typeof agent_id === 'string' ? { agentId: agent_id } : {}),
    ...(content_metadata === undefined ? {} : { metadata: content_metadata as JsonObject }),
    ...(provenance === undefined ? {} : { provenance: provenance as Provenance }),
  });
  return isFresh;
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
async function takeNotes(memory: ScopedMemory, agentId: string, text: string): Promise<boolean> {
  await (await memory.agent(agentId)).ensure();
  const notes = await memory.notesOf(agentId);
  const present = (await notes.read()).text.trim();
  if (present === text.trim()) return false;
  const operation = present === '' ? 'overwrite' : 'append';
  await notes.apply(
    { operation, content: text },
    { author: { author: 'import', trust: 'owner', source: 'import' } },
  );
  return true;
}

function hasCode(error: unknown, code: string): error is LonghandError {
  return LonghandError.isInstance(error) && error.code === code;
}
