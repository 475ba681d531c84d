import {
  type AgentMemory,
  type ArchivedMessage,
  type Detail,
  LonghandError,
  type Notes,
  type ScopedMemory,
} from 'longhand';
import { ensureSession } from '../daily-session.ts';
import { bySession, type ImportOptions } from './import-into.ts';
import { contentsOf, familyOf, type SessionContents } from './session-contents.ts';
import type { ImportItem } from './source.ts';

/**
 * What a file meets in the store: the pieces that are there under the same ids, keys and names. They are read from the
 * real store and planted in one in memory, so that a rehearsal sees what the import will see.
 */
interface MetPieces {
  readonly sessions: readonly (SessionContents & { readonly messages: readonly ArchivedMessage[] })[];
  readonly details: readonly { readonly detail: Detail; readonly content: readonly Uint8Array[] }[];
  readonly notes: readonly { readonly agentId: string; readonly notes: Notes }[];
  readonly agentMemories: readonly AgentMemory[];
  /** Those of the file that are there: not every caller may make one. */
  readonly agents: readonly string[];
}

/** Marks memories that were deleted, to be deleted again. */
const DELETED_TAG = 'deleted';

export async function readMet(
  memory: ScopedMemory,
  items: readonly ImportItem[],
  { named, fallback }: Pick<ImportOptions, 'named' | 'fallback'>,
): Promise<MetPieces> {
  const ids = namesIn(items);
  const wanted = new Set<string>();
  for (const item of items) if (item.kind === 'session' && named === undefined) wanted.add(item.sessionId);
  for (const id of bySession(items, named, fallback).keys())
    for (const member of await familyOf(memory, id)) wanted.add(member);
  const sessions: MetPieces['sessions'][number][] = [];
  for (const id of wanted) {
    const contents = await contentsOf(memory, id);
    if (contents === undefined) continue;
    const messages = ids.messages.size === 0 ? [] : await memory.messages(id);
    sessions.push({
      session: contents.session,
      memories: contents.memories.filter((one) => ids.memories.has(one.id)),
      deletedIds: contents.deletedIds.filter((one) => ids.memories.has(one)),
      messages: messages.filter((one) => ids.messages.has(one.id)),
    });
  }
  return {
    sessions,
    details: await readDetails(memory, ids.keys),
    notes: await readNotes(memory, ids.agents),
    agentMemories: await readAgentMemories(memory, items),
    agents: await allThere([...ids.agents], async (id) => (await (await memory.agent(id)).find()) && id),
  };
}

function namesIn(items: readonly ImportItem[]) {
  const found = {
    memories: new Set<string>(),
    messages: new Set<string>(),
    keys: new Set<string>(),
    agents: new Set<string>(),
  };
  for (const item of items) {
    if (item.kind === 'memory' && item.memory.id !== undefined) found.memories.add(item.memory.id);
    if (item.kind === 'message' && item.message.id !== undefined) found.messages.add(item.message.id);
    if (item.kind === 'detail') found.keys.add(String(item.detail.memory_key));
    if (item.kind === 'notes' || item.kind === 'agent_memory') found.agents.add(item.agentId);
  }
  return found;
}

async function readDetails(memory: ScopedMemory, keys: ReadonlySet<string>): Promise<MetPieces['details']> {
  const details = await memory.details();
  return allThere([...keys], async (key) => {
    const content: Uint8Array[] = [];
    const detail = await details.get(key);
    for await (const chunk of details.stream(key)) content.push(chunk);
    return { detail, content };
  });
}

function readNotes(memory: ScopedMemory, agents: ReadonlySet<string>): Promise<MetPieces['notes']> {
  return allThere([...agents], async (agentId) => {
    const notes = await (await memory.notesOf(agentId)).read();
    return notes.version > 0 ? { agentId, notes } : undefined;
  });
}

function readAgentMemories(
  memory: ScopedMemory,
  items: readonly ImportItem[],
): Promise<MetPieces['agentMemories']> {
  const wanted = items.flatMap((item) => (item.kind === 'agent_memory' ? [item] : []));
  return allThere(wanted, async ({ agentId, memory: { id } }) =>
    (await memory.journalOf(agentId)).find(String(id)),
  );
}

/** Those that are there. What is not, or has a name that nothing can have, is for the rehearsal to refuse. */
async function allThere<Name, Piece>(
  names: readonly Name[],
  read: (name: Name) => Promise<Piece | undefined>,
): Promise<readonly Piece[]> {
  const found: Piece[] = [];
  for (const name of names) {
    const piece = await read(name).catch((error: unknown) => {
      if (!LonghandError.isInstance(error)) throw error;
    });
    if (piece !== undefined) found.push(piece);
  }
  return found;
}

export async function plantMet(
  memory: ScopedMemory,
  { sessions, details, notes, agentMemories, agents }: MetPieces,
): Promise<void> {
  for (const { session, memories, deletedIds, messages } of sessions) {
    const { id, created_at, agents, preferences, decay_config, compaction_config } = session;
    const settings = { created_at, agents, preferences, decay_config, compaction_config };
    await memory.createSession({ session_id: id, ...settings });
    const planted = memories.map(({ schema_version: _version, session_id: _session, ...rest }) => rest);
    await memory.addMemories(
      id,
      deletedIds.map((deleted) => ({ id: deleted, type: 'finding', content: 'gone', tags: [DELETED_TAG] })),
    );
    // All of them with one write, before anything else can have the tag.
    await memory.deleteMemoriesByTopic(id, DELETED_TAG);
    await memory.addMemories(id, planted);
    await memory.archiveMessages(id, messages);
  }
  for (const { detail, content } of details) {
    await ensureSession(memory, detail.session_id);
    await memory.storeDetail(detail.session_id, {
      content,
      key: detail.memory_key,
      description: detail.summary,
    });
  }
  for (const agentId of agents) await (await memory.agent(agentId)).ensure();
  for (const { agentId, notes: met } of notes) {
    const author = { author: 'import', trust: met.trust } as const;
    await (await memory.notesOf(agentId)).apply({ operation: 'overwrite', content: met.text }, { author });
  }
  for (const { agent_id, id, memory_type, content } of agentMemories)
    await (await memory.journalOf(agent_id)).save(memory_type, content, { id });
}
