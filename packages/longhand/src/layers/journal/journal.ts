import {
  type AgentMemoryType,
  parseAgentMemoryContent,
  parseAgentMemoryType,
  parseCreationTime,
} from '../../core/agent-memory.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { parseMemoryId } from '../../core/ids.ts';
import { parseProvenance } from '../../core/new-memory.ts';
import type { Provenance } from '../../core/records.ts';
import type { UnreadablePart } from '../followed-log.ts';
import { refuseUnknownOptions } from '../memories/sessions.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import type { Workshop } from '../workshop.ts';
import type { AgentLogs } from './agent-logs.ts';
import {
  type AgentState,
  deleteRecord,
  type EarlierContent,
  type FoldedMemory,
  memoryRecord,
  type WrittenMemory,
} from './agent-records.ts';
import { renderMemoryContext } from './memory-context.ts';
import { type AgentMemory, oldestFirst, showMemory } from './shown-memory.ts';

/**
 * An agent's private memories: the journal, which fades from the prompt, and the core, which stays.
 *
 * Fading is a question of reading, not of storing: a journal entry is expired when it was made more than seven
 * days ago, it stays readable, and nothing is written when its time comes. A pinned entry does not expire as
 * long as it is pinned. An entry that is moved to the core keeps its id, its time and its earlier texts.
 *
 * Every method names the agent and sees the log of that agent alone. An id of another agent's memory is
 * unknown here, as if it did not exist.
 */

export interface SaveOptions {
  /** The agent itself when left out. */
  readonly provenance?: Partial<Provenance>;
  /** When it happened; now when left out. */
  readonly timestamp?: string | Date;
  /** Made when left out. Saving under an id that is there already changes nothing, and gives what is there. */
  readonly id?: string;
}

export interface ListOptions {
  readonly type?: AgentMemoryType;
  /** All when left out. */
  readonly limit?: number;
  /** True when left out. */
  readonly includeExpired?: boolean;
}

export interface FoundAgentMemory extends AgentMemory {
  /** How much of what was asked for it holds, as that of memories: 0 to 1. */
  readonly match: number;
}

export interface ExportedMemory extends AgentMemory {
  readonly history: readonly EarlierContent[];
}

/** A memory that the log holds, deleted or not. */
export interface AgentMemorySource {
  readonly id: string;
  readonly provenance: Provenance | undefined;
  /** `undefined` for a deleted one. */
  readonly created_at: string | undefined;
}

export class Journal {
  readonly #workshop: Workshop;
  readonly #logs: AgentLogs;

  constructor(workshop: Workshop, logs: AgentLogs) {
    this.#workshop = workshop;
    this.#logs = logs;
  }

  /**
   * The content is trimmed. Messages about it are those that the tools give to a model.
   * @throws NotFoundError AGENT_NOT_FOUND
   * @throws ValidationError INVALID_CONTENT, CONTENT_TOO_LARGE, INVALID_TEXT, INVALID_ENTRY, INVALID_TIMESTAMP,
   * INVALID_ID
   */
  async save(
    agentId: string,
    type: AgentMemoryType,
    content: string,
    options: SaveOptions = {},
  ): Promise<AgentMemory> {
    refuseUnknownOptions(options, ['provenance', 'timestamp', 'id']);
    const { clock, makeId } = this.#workshop;
    const nowMs = clock.now();
    const updated_at = new Date(nowMs).toISOString();
    const memory = {
      id: options.id === undefined ? makeId('amem_', nowMs) : parseMemoryId(options.id),
      memory_type: parseAgentMemoryType(type),
      content: parseAgentMemoryContent(content),
      created_at: options.timestamp === undefined ? updated_at : parseCreationTime(options.timestamp),
      updated_at,
      pinned: false,
      provenance: parseProvenance(withWriter(options.provenance, agentId), 'assistant'),
    };
    return this.#write(agentId, memory.id, ({ memories }) => (memories.has(memory.id) ? undefined : memory));
  }

  /** Newest first. @throws NotFoundError AGENT_NOT_FOUND, ValidationError INVALID_OPTION, INVALID_ENTRY */
  async list(agentId: string, options: ListOptions = {}): Promise<readonly AgentMemory[]> {
    refuseUnknownOptions(options, ['type', 'limit', 'includeExpired']);
    const { type, limit, includeExpired = true } = options;
    if (type !== undefined) parseAgentMemoryType(type);
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) {
      throw new ValidationError('INVALID_OPTION', 'The limit must be a whole number, 0 or more.');
    }
    const memories = oldestFirst(await this.#logs.read(agentId)).reverse();
    return memories
      .map((memory) => this.#toMemory(agentId, memory))
      .filter(({ memory_type }) => type === undefined || memory_type === type)
      .filter(({ expired }) => includeExpired || !expired)
      .slice(0, limit);
  }

  /**
   * Those that a text asks for, best first, by words and by meaning; 10 when no limit is named.
   * @throws NotFoundError AGENT_NOT_FOUND, ValidationError INVALID_OPTION, INVALID_ENTRY, INVALID_QUERY
   */
  async search(
    agentId: string,
    text: string,
    options: ListOptions = {},
  ): Promise<readonly FoundAgentMemory[]> {
    const { limit, ...others } = options;
    const listed = await this.list(agentId, others);
    // Loaded with the first search: most processes never search.
    const { searchTexts } = await import('../search/text-search.ts');
    const texts = listed.map((memory) => ({ memory, text: memory.content, timestamp: memory.created_at }));
    const found = await searchTexts(this.#workshop, text, texts, limit);
    return found.map(({ memory, match }) => ({ ...memory, match }));
  }

  /** @throws NotFoundError AGENT_NOT_FOUND, MEMORY_NOT_FOUND */
  async get(agentId: string, id: string): Promise<AgentMemory> {
    return this.#toMemory(agentId, memoryOf(await this.#logs.read(agentId), agentId, id));
  }

  /** `undefined` when the agent has no such memory. @throws NotFoundError AGENT_NOT_FOUND */
  async find(agentId: string, id: string): Promise<AgentMemory | undefined> {
    const memory = (await this.#logs.read(agentId)).memories.get(id);
    return memory && this.#toMemory(agentId, memory);
  }

  /** The text before is kept in the history. @throws as `get`, and as `save` for the content */
  async edit(agentId: string, id: string, content: string): Promise<AgentMemory> {
    const text = parseAgentMemoryContent(content);
    return this.#alter(agentId, id, (memory) => (memory.content === text ? {} : { content: text }));
  }

  /** Earlier texts, oldest first; as many as `LIMITS.agentMemoryVersions`. @throws as `get` */
  async history(agentId: string, id: string): Promise<readonly EarlierContent[]> {
    return [...memoryOf(await this.#logs.read(agentId), agentId, id).history];
  }

  /** A pinned journal entry stays in the prompt; unpinned, it is as old as it is. @throws as `get` */
  async pin(agentId: string, id: string, pinned: boolean): Promise<AgentMemory> {
    if (typeof pinned !== 'boolean') {
      throw new ValidationError('INVALID_OPTION', 'pinned must be true or false.');
    }
    return this.#alter(agentId, id, (memory) => (memory.pinned === pinned ? {} : { pinned }));
  }

  /** Makes a journal entry permanent. @throws as `get` */
  async moveToCore(agentId: string, id: string): Promise<AgentMemory> {
    return this.#alter(agentId, id, ({ memory_type }) =>
      memory_type === 'core' ? {} : { memory_type: 'core' },
    );
  }

  /**
   * Takes a memory away from every reading. Its text leaves the log with the next compaction; `forget` takes it
   * out at once. False when the agent has no such memory.
   * @throws NotFoundError AGENT_NOT_FOUND
   */
  async delete(agentId: string, id: string): Promise<boolean> {
    let isDeleted = false;
    await this.#logs.change(agentId, ({ memories }) => {
      isDeleted = memories.has(id);
      return isDeleted ? [deleteRecord(agentId, this.#logs.now(), [id])] : [];
    });
    if (isDeleted) this.#announce(agentId, [id]);
    return isDeleted;
  }

  /** What belongs into the prompt at a time: core, pinned and unexpired journal, each oldest first. */
  async forPrompt(
    agentId: string,
    nowMs: number,
  ): Promise<{ readonly core: readonly AgentMemory[]; readonly journal: readonly AgentMemory[] }> {
    const memories = oldestFirst(await this.#logs.read(agentId))
      .map((memory) => this.#toMemory(agentId, memory, nowMs))
      .filter(({ expired }) => !expired);
    return {
      core: memories.filter(({ memory_type }) => memory_type === 'core'),
      journal: memories.filter(({ memory_type }) => memory_type === 'journal'),
    };
  }

  /** The block for the prompt; `null` when there is nothing in it. @throws NotFoundError AGENT_NOT_FOUND */
  async memoryContext(agentId: string, nowMs: number): Promise<string | null> {
    return renderMemoryContext(await this.forPrompt(agentId, nowMs));
  }

  /** All memories with their earlier texts, oldest first. @throws NotFoundError AGENT_NOT_FOUND */
  async export(agentId: string): Promise<readonly ExportedMemory[]> {
    return oldestFirst(await this.#logs.read(agentId)).map((memory) => ({
      ...this.#toMemory(agentId, memory),
      history: [...memory.history],
    }));
  }

  /**
   * Takes memories out of every file, with their earlier texts, also those that were deleted before. What cannot
   * be read in the log goes with them, for it may be theirs.
   * @param unreadable what of it goes; all of it when left out
   * @returns how many memories the log held of those that were named
   * @throws NotFoundError AGENT_NOT_FOUND
   */
  async forget(
    agentId: string,
    ids: readonly string[] | 'all',
    unreadable: Unreadable = 'all',
  ): Promise<number> {
    const named = new Set(ids === 'all' ? [] : ids);
    const forgotten = new Set<string>();
    const erasure = {
      forgetsUnknown: ids === 'all',
      forgets: (id: string) => {
        const isNamed = ids === 'all' || named.has(id);
        if (isNamed) forgotten.add(id);
        return isNamed;
      },
    };
    await this.#logs.erase(agentId, erasure, unreadable);
    if (forgotten.size > 0) this.#announce(agentId, [...forgotten]);
    return forgotten.size;
  }

  /**
   * Takes the earlier texts of a memory out of every file, as after a redaction by `edit`.
   * @returns how many there were
   * @throws as `get`
   */
  async forgetHistory(agentId: string, id: string): Promise<number> {
    const { length } = await this.history(agentId, id);
    await this.#logs.erase(agentId, { forgets: () => false, forgetsHistory: (other) => other === id });
    this.#announce(agentId, [id]);
    return length;
  }

  /**
   * Takes a text out of a memory and of its earlier texts, in every file.
   * @returns how many times it was there
   * @throws as `get`
   */
  async redact(agentId: string, id: string, text: string, replacement: string): Promise<number> {
    const { content, history } = memoryOf(await this.#logs.read(agentId), agentId, id);
    const count = [content, ...history.map((earlier) => earlier.content)].reduce(
      (sum, each) => sum + each.split(text).length - 1,
      0,
    );
    if (count === 0) return 0;
    await this.#logs.erase(agentId, {
      forgets: () => false,
      redacts: (other, each) => (other === id ? each.replaceAll(text, () => replacement) : each),
    });
    this.#announce(agentId, [id]);
    return count;
  }

  /** Ids of all memories that the log holds, deleted ones that still stand in it too. @throws as `list` */
  async keptIds(agentId: string): Promise<ReadonlySet<string>> {
    const { memories, remainders } = await this.#logs.read(agentId);
    return new Set([...memories.keys(), ...remainders.keys()]);
  }

  /** Where each of them comes from, as far as it says. @throws as `list` */
  async sources(agentId: string): Promise<readonly AgentMemorySource[]> {
    const { memories, remainders } = await this.#logs.read(agentId);
    return [
      ...Array.from(memories.values(), ({ id, provenance, created_at }) => ({ id, provenance, created_at })),
      ...Array.from(remainders, ([id, provenance]) => ({ id, provenance, created_at: undefined })),
    ];
  }

  /** What of the agent's log cannot be read and may be meant. */
  unreadable(agentId: string, unreadable: Unreadable): Promise<UnreadablePart> {
    return this.#logs.unreadable(agentId, unreadable);
  }

  /** Writes the memory with changes; without any, nothing. */
  #alter(
    agentId: string,
    id: string,
    changesOf: (memory: FoldedMemory) => Partial<FoldedMemory>,
  ): Promise<AgentMemory> {
    return this.#write(agentId, id, (state) => {
      const memory = memoryOf(state, agentId, id);
      const changes = changesOf(memory);
      if (Object.keys(changes).length === 0) return undefined;
      return { ...memory, ...changes, updated_at: this.#logs.now() };
    });
  }

  async #write(
    agentId: string,
    id: string,
    decide: (state: AgentState) => WrittenMemory | undefined,
  ): Promise<AgentMemory> {
    let written: WrittenMemory | undefined;
    let unchanged: FoldedMemory | undefined;
    await this.#logs.change(agentId, (state) => {
      written = decide(state);
      unchanged = state.memories.get(id);
      return written === undefined ? [] : [memoryRecord(agentId, written)];
    });
    if (written !== undefined) this.#announce(agentId, [id]);
    return this.#toMemory(agentId, (written ?? unchanged)!);
  }

  #announce(agentId: string, ids: readonly string[]): void {
    this.#workshop.emit({ kind: 'agent-memories-changed', agent_id: agentId, ids });
  }

  #toMemory(agentId: string, memory: WrittenMemory, nowMs = this.#workshop.clock.now()): AgentMemory {
    return showMemory(agentId, memory, nowMs);
  }
}

/** What nobody else wrote, the agent wrote. */
function withWriter(provenance: Partial<Provenance> = {}, agentId: string): Partial<Provenance> {
  const isOwn = provenance.author === undefined || provenance.author === 'assistant';
  return isOwn && provenance.agent_id === undefined ? { ...provenance, agent_id: agentId } : provenance;
}

function memoryOf({ memories }: AgentState, agentId: string, id: string): FoldedMemory {
  const memory = memories.get(id);
  if (memory !== undefined) return memory;
  throw new NotFoundError('MEMORY_NOT_FOUND', `The agent ${agentId} has no memory with this id.`, {
    details: { agent_id: agentId },
  });
}
