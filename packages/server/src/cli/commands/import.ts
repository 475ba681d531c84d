import { hash } from 'node:crypto';
import {
  type JsonObject,
  LonghandError,
  type Message,
  type NewMemory,
  type Provenance,
  type ScopedMemory,
} from 'longhand';
import { ensureSession } from '../../daily-session.ts';
import { type CommandCall, type CommandRun, UsageError } from '../command.ts';
import { EXIT } from '../exit-codes.ts';
import { type ImportItem, parseImport } from '../import-source.ts';
import { counted, plain } from '../output.ts';
import { ProgressBar } from '../progress-bar.ts';
import { contentOf } from '../read-input.ts';

/** One write for so many: fast, and the bar still moves. */
const BATCH = 500;

interface Taken {
  sessions: number;
  memories: number;
  messages: number;
  notes: number;
  details: number;
  /** With `--skip-deleted`: memories that were deleted here since, and stay so. */
  skipped_deleted: number;
  passed_over: number;
  /** What was passed over, and how many of each. */
  passed_over_kinds: Readonly<Record<string, number>>;
}

export const importMemories: CommandRun = async (call) => {
  const { positionals, values, output } = call;
  const items = parseImport(await contentOf(positionals[0]!), (text) => hash('sha256', text));
  const taken = countOf(items);
  const isRehearsal = values.isOn('dry-run');
  if (!isRehearsal) taken.skipped_deleted = await takeIn(call, items);
  taken.memories -= taken.skipped_deleted;
  if (output.isJson) {
    output.json(taken);
    return EXIT.done;
  }
  const parts = [
    ...(taken.sessions === 0 ? [] : [counted(taken.sessions, 'session')]),
    counted(taken.memories, 'memory', 'memories'),
    ...(taken.messages === 0 ? [] : [counted(taken.messages, 'message')]),
    ...(taken.notes === 0 ? [] : [counted(taken.notes, 'document of notes', 'documents of notes')]),
    ...(taken.details === 0 ? [] : [counted(taken.details, 'kept value')]),
  ];
  output.line(`${isRehearsal ? 'Would import' : 'Imported'} ${parts.join(', ')}.`);
  if (taken.skipped_deleted > 0)
    output.line(`Left out, deleted here before: ${counted(taken.skipped_deleted, 'memory', 'memories')}.`);
  const passedOver = Object.entries(taken.passed_over_kinds).map(
    ([what, count]) => `${count} × ${plain(what)}`,
  );
  if (passedOver.length > 0) output.line(`Passed over: ${passedOver.join(', ')}.`);
  return EXIT.done;
};

function countOf(items: readonly ImportItem[]): Taken {
  const kinds = new Map<string, number>();
  for (const item of items)
    if (item.kind === 'passed-over') kinds.set(item.what, (kinds.get(item.what) ?? 0) + 1);
  const count = (kind: ImportItem['kind']) => items.filter((item) => item.kind === kind).length;
  return {
    sessions: count('session'),
    memories: count('memory'),
    messages: count('message'),
    notes: count('notes'),
    details: count('detail'),
    skipped_deleted: 0,
    passed_over: count('passed-over'),
    passed_over_kinds: Object.fromEntries(kinds),
  };
}

/**
 * Sessions are made as they are named; those that are there already must be this user's. Gives how many memories
 * were left out because they were deleted here.
 */
async function takeIn(call: CommandCall, items: readonly ImportItem[]): Promise<number> {
  const { workplace, output, signal, values } = call;
  const addBatch = values.isOn('skip-deleted') ? addLiving : addAll;
  let leftOut = 0;
  const memory = await workplace.memory();
  const { session_id: named } = workplace.identity;
  const fallback =
    named ??
    (items.some((item) => item.kind === 'memory' && item.sessionId === undefined)
      ? await workplace.session('import')
      : '');
  using bar = new ProgressBar(output, 'Importing', 'pieces');
  let done = 0;
  const step = (count: number): void => {
    done += count;
    bar.update(done, items.length);
    signal.throwIfAborted();
  };
  try {
    for (const item of items) {
      if (item.kind !== 'session') continue;
      // What many sessions held goes into one that is named, and has settings of its own.
      if (named === undefined) await makeSession(memory, item);
      step(1);
    }
    for (const [sessionId, group] of bySession(items, named, fallback)) {
      await ensureSession(memory, sessionId);
      leftOut += await takeSession(memory, sessionId, group, { step, addBatch });
    }
    for (const item of items) {
      if (item.kind === 'notes') await takeNotes(memory, item.agentId, item.text);
      if (item.kind === 'notes' || item.kind === 'passed-over') step(1);
    }
  } finally {
    bar.end();
  }
  return leftOut;
}

/** Gives how many were left out. */
type AddBatch = (memory: ScopedMemory, sessionId: string, batch: readonly NewMemory[]) => Promise<number>;

const addAll: AddBatch = async (memory, sessionId, batch) => {
  try {
    await memory.addMemories(sessionId, batch);
    return 0;
  } catch (error) {
    if (deletedIdOf(error) === undefined) throw error;
    const { message } = error as LonghandError;
    const hint = message.replace('Leave the id out.', 'With --skip-deleted the rest is taken in.');
    throw new UsageError(hint);
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
  return batch.length - living.length;
};

function deletedIdOf(error: unknown): string | undefined {
  if (!LonghandError.isInstance(error) || error.code !== 'ID_DELETED') return undefined;
  return String(error.details.memory_id);
}

/** As it was. A session that is there already keeps its settings. */
async function makeSession(
  memory: ScopedMemory,
  { sessionId, settings }: Extract<ImportItem, { kind: 'session' }>,
): Promise<void> {
  try {
    await memory.createSession({ session_id: sessionId, ...settings });
  } catch (error) {
    if (!LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
    // Somebody else's session is none: nothing of it may be mixed with this.
    await memory.loadSession(sessionId);
  }
}

type Stored = Extract<ImportItem, { kind: 'memory' | 'message' | 'detail' }>;

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

async function takeSession(
  memory: ScopedMemory,
  sessionId: string,
  items: readonly Stored[],
  { step, addBatch }: { readonly step: (count: number) => void; readonly addBatch: AddBatch },
): Promise<number> {
  let leftOut = 0;
  const memories: NewMemory[] = [];
  const messages: Message[] = [];
  for (const item of items) {
    if (item.kind === 'memory') memories.push(item.memory);
    else if (item.kind === 'message') messages.push(item.message);
  }
  for (let i = 0; i < memories.length; i += BATCH) {
    const batch = memories.slice(i, i + BATCH);
    leftOut += await addBatch(memory, sessionId, batch);
    step(batch.length);
  }
  for (let i = 0; i < messages.length; i += BATCH) {
    const batch = messages.slice(i, i + BATCH);
    await memory.archiveMessages(sessionId, batch);
    step(batch.length);
  }
  for (const item of items) {
    if (item.kind !== 'detail') continue;
    await takeDetail(memory, sessionId, item);
    step(1);
  }
  return leftOut;
}

async function takeDetail(
  memory: ScopedMemory,
  sessionId: string,
  { detail, content }: Extract<ImportItem, { kind: 'detail' }>,
): Promise<void> {
  const { memory_key, memory_type, summary, agent_id, content_metadata, provenance } = detail;
  await memory.storeDetail(sessionId, {
    content: [content],
    key: String(memory_key),
    type: String(memory_type),
    description: String(summary),
    ...(typeof agent_id === 'string' ? { agentId: agent_id } : {}),
    ...(content_metadata === undefined ? {} : { metadata: content_metadata as JsonObject }),
    ...(provenance === undefined ? {} : { provenance: provenance as Provenance }),
  });
}

/** Notes that say the same already stay as they are. */
async function takeNotes(memory: ScopedMemory, agentId: string, text: string): Promise<void> {
  await (await memory.agent(agentId)).ensure();
  const notes = await memory.notesOf(agentId);
  const present = (await notes.read()).text.trim();
  if (present === text.trim()) return;
  const operation = present === '' ? 'overwrite' : 'append';
  await notes.apply(
    { operation, content: text },
    { author: { author: 'import', trust: 'owner', source: 'import' } },
  );
}
