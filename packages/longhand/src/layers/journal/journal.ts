import {
  type AgentMemoryType,
  parseAgentMemoryContent,
  parseAgentMemoryType,
  parseCreationTime,
  WHITEBOARD,
} from '../../core/agent-memory.ts';
import { NotFoundError, ValidationError } from '../../core/errors.ts';
import { parseMemoryId } from '../../core/ids.ts';
import { parseProvenance } from '../../core/new-memory.ts';
import type { Provenance } from '../../core/records.ts';
import type { UnreadablePart } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { refuseUnknownOptions } from '../memories/sessions.ts';
import { REDACTED } from '../redacted.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import type { AgentLogs } from './agent-logs.ts';
import {
  type AgentState,
  deleteRecord,
  type EarlierContent,
  type FoldedMemory,
  memoryRecord,
  type WholeMemory,
  type WrittenMemory,
  wholeMemoryRecord,
} from './agent-records.ts';
import type { Audience, Audienced, Viewer } from './audience.ts';
import { renderMemoryContext } from './memory-context.ts';
import { type AgentMemory, oldestFirst, showMemory } from './shown-memory.ts';

/**
 * An agent's private memories: the journal, which fades from the prompt, and the core, which stays.
 *
 * Fading is a question of reading, not of storing: a journal entry is expired when it was made more than seven
 * days ago, it stays readable, and nothing is written when its time comes. A pinned entry does not expire as
 * long as it is pinned. An entry that is moved to the core keeps its id, its time and its earlier texts.
 *
 * Every method names the agent and sees the log of that agent alone. An id of another agent's memory, or of one that
 * the viewer may not see, is unknown here, as if it did not exist.
 */

export interface SaveOptions {
  /** The agent itself when left out. */
  readonly provenance?: Partial<Provenance>;
  /** When it happened; now when left out. */
  readonly timestamp?: string | Date;
  /** Made when left out. Saving under an id that is there already changes nothing, and gives what is there. */
  readonly id?: string;
  /**
   * Whether it is agent-wide, for admins to say. When left out, what is written outside a conversation is, and what is
   * written in one is as the agent's `share_memory` says.
   */
  readonly shareMemory?: boolean;
  /** Of one that comes from an export: as it was there. */
  readonly origins?: Partial<Pick<ExportedMemory, 'updated_at' | 'pinned' | 'history'>>;
}

export interface ListOptions {
  readonly type?: AgentMemoryType;
  /** All when left out. */
  readonly limit?: number;
  /** True when left out. */
  readonly includeExpired?: boolean;
}

interface FoundAgentMemory extends AgentMemory {
  /** How much of what was asked for it holds, as that of memories: 0 to 1. */
  readonly match: number;
}

interface ExportedMemory extends AgentMemory {
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
  readonly #context: LayerContext;
  readonly #logs: AgentLogs;
  readonly #audience: Audience;

  constructor(context: LayerContext, logs: AgentLogs) {
    this.#context = context;
    this.#logs = logs;
    this.#audience = logs.audience;
  }

  /** The same memories as a viewer sees them. What a member saves is theirs. */
  as(viewer: Viewer): Journal {
    return new Journal(this.#context, this.#logs.as(viewer));
  }

  /**
   * The content is trimmed. Messages about it are those that the tools give to a model.
   * @throws NotFoundError AGENT_NOT_FOUND
   * @throws ValidationError INVALID_CONTENT, CONTENT_TOO_LARGE, INVALID_TEXT, INVALID_ENTRY, INVALID_TIMESTAMP,
   * INVALID_ID, ID_TAKEN, FORBIDDEN, and with `origins` ID_DELETED for one that was deleted here
   */
  async save(
    agentId: string,
    type: AgentMemoryType,
    content: string,
    options: SaveOptions = {},
  ): Promise<AgentMemory> {
    refuseUnknownOptions(options, ['provenance', 'timestamp', 'id', 'shareMemory', 'origins']);
    const { shareMemory, origins } = options;
    if (shareMemory !== undefined && (shareMemory || origins === undefined)) this.#checkSharing(shareMemory);
    const { clock, makeId } = this.#context;
    const nowMs = clock.now();
    const updated_at = new Date(nowMs).toISOString();
    const given = {
      id: options.id === undefined ? makeId('amem_', nowMs) : parseMemoryId(options.id),
      memory_type: parseAgentMemoryType(type),
      content: parseAgentMemoryContent(content),
      created_at: options.timestamp === undefined ? updated_at : parseCreationTime(options.timestamp),
      updated_at: parseCreationTime(origins?.updated_at ?? updated_at),
      pinned: origins?.pinned === true,
      history: (origins?.history ?? []).map(({ content, replaced_at }) => ({
        content: parseAgentMemoryContent(content),
        replaced_at: parseCreationTime(replaced_at),
      })),
      share_memory: shareMemory,
      provenance: parseProvenance(withWriter(this.#withOwner(options.provenance), agentId), 'assistant'),
    };
    const user_id = await this.#audience.ownerOf({ ...given, created_at: updated_at });
    const provenance = { ...given.provenance, ...(user_id === undefined ? {} : { user_id }) };
    const isOutside = (user_id ?? provenance.session_id) === undefined;
    const decide = ({ memories, remainders, settings }: AgentState) => {
      if (memories.has(given.id)) return undefined;
      if (origins !== undefined && remainders.has(given.id))
        throw new ValidationError('ID_DELETED', `The memory ${given.id} was deleted. Leave the id out.`);
      const share_memory = shareMemory ?? (isOutside || settings?.share_memory === true);
      return { ...given, share_memory, provenance };
    };
    const saved = await this.#write(agentId, given.id, decide, wholeMemoryRecord);
    if (this.#audience.isMember && (await this.find(agentId, given.id)) === undefined)
      throw new ValidationError('ID_TAKEN', 'There is another memory with this id. Choose another id.');
    return saved;
  }

  /** Newest first. @throws NotFoundError AGENT_NOT_FOUND, ValidationError INVALID_OPTION, INVALID_ENTRY */
  async list(agentId: string, options: ListOptions = {}): Promise<readonly AgentMemory[]> {
    refuseUnknownOptions(options, ['type', 'limit', 'includeExpired']);
    const { type, limit, includeExpired = true } = options;
    if (type !== undefined) parseAgentMemoryType(type);
    if (limit !== undefined && !(Number.isInteger(limit) && limit >= 0)) {
      throw new ValidationError('INVALID_OPTION', 'The limit must be a whole number, 0 or more.');
    }
    return (await this.#seen(agentId))
      .toReversed()
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
    const found = await searchTexts(this.#context, text, texts, limit);
    return found.map(({ memory, match }) => ({ ...memory, match }));
  }

  /** @throws NotFoundError AGENT_NOT_FOUND, MEMORY_NOT_FOUND */
  async get(agentId: string, id: string): Promise<AgentMemory> {
    return this.#toMemory(agentId, await this.#memoryOf(agentId, id));
  }

  /** `undefined` when the agent has no such memory. @throws NotFoundError AGENT_NOT_FOUND */
  async find(agentId: string, id: string): Promise<AgentMemory | undefined> {
    const memory = (await this.#seen(agentId)).find((one) => one.id === id);
    return memory && this.#toMemory(agentId, memory);
  }

  /** The text before is kept in the history. @throws as `get`, and as `save` for the content */
  async edit(agentId: string, id: string, content: string): Promise<AgentMemory> {
    const text = parseAgentMemoryContent(content);
    return this.#alter(agentId, id, (memory) => (memory.content === text ? {} : { content: text }));
  }

  /** Earlier texts, oldest first; as many as `LIMITS.agentMemoryVersions`. @throws as `get` */
  async history(agentId: string, id: string): Promise<readonly EarlierContent[]> {
    return [...(await this.#memoryOf(agentId, id)).history];
  }

  /** A pinned journal entry stays in the prompt; unpinned, it is as old as it is. @throws as `get` */
  async pin(agentId: string, id: string, pinned: boolean): Promise<AgentMemory> {
    if (typeof pinned !== 'boolean') {
      throw new ValidationError('INVALID_OPTION', 'pinned must be true or false.');
    }
    return this.#alter(agentId, id, (memory) => (memory.pinned === pinned ? {} : { pinned }));
  }

  /** Makes an entry agent-wide, or its user's alone again: for admins. @throws as `get`, ValidationError FORBIDDEN */
  async share(agentId: string, id: string, share_memory: boolean): Promise<AgentMemory> {
    this.#checkSharing(share_memory);
    return this.#alter(agentId, id, (memory) =>
      memory.share_memory === share_memory ? {} : { share_memory },
    );
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
   * @throws NotFoundError AGENT_NOT_FOUND, ValidationError FORBIDDEN
   */
  async delete(agentId: string, id: string): Promise<boolean> {
    if ((await this.find(agentId, id)) === undefined) return false;
    await this.refuseChange(agentId, [id]);
    let deleted: FoldedMemory | undefined;
    await this.#logs.change(agentId, ({ memories }) => {
      deleted = memories.get(id);
      return deleted === undefined ? [] : [deleteRecord(agentId, this.#logs.now(), [id])];
    });
    if (deleted !== undefined) await this.#announce(agentId, [deleted]);
    return deleted !== undefined;
  }

  /**
   * What belongs into the prompt of a conversation with a user, also for an admin: core, pinned and unexpired journal,
   * each oldest first. Without a user, the agent-wide ones.
   */
  async forPrompt(
    agentId: string,
    nowMs: number,
    userId?: string,
  ): Promise<{ readonly core: readonly AgentMemory[]; readonly journal: readonly AgentMemory[] }> {
    const { viewer, isMember } = this.#audience;
    const user = isMember ? viewer?.userId : (userId ?? viewer?.userId);
    const concerned = this.#audience.as({ userId: user, isAdmin: false });
    const memories = oldestFirst(await concerned.seenIn(await this.#logs.read(agentId)))
      .map((memory) => this.#toMemory(agentId, memory, nowMs))
      .filter(({ expired }) => !expired);
    return {
      core: memories.filter(({ memory_type }) => memory_type === 'core'),
      journal: memories.filter(({ memory_type }) => memory_type === 'journal'),
    };
  }

  /** What an agent sees on the whiteboard in a conversation with a user, oldest first. The whiteboard's own sees it as its core. */
  async whiteboard(agentId: string, nowMs: number, userId?: string): Promise<readonly AgentMemory[]> {
    if (agentId === WHITEBOARD || (await this.#logs.find(WHITEBOARD)) === undefined) return [];
    return (await this.forPrompt(WHITEBOARD, nowMs, userId)).core;
  }

  /** The block for the prompt; `null` when there is nothing in it. @throws NotFoundError AGENT_NOT_FOUND */
  async memoryContext(agentId: string, nowMs: number, userId?: string): Promise<string | null> {
    return renderMemoryContext(await this.forPrompt(agentId, nowMs, userId));
  }

  /**
   * All memories with their earlier texts, oldest first; those that belong to a user when one is named, shared ones too.
   * @throws NotFoundError AGENT_NOT_FOUND
   */
  async export(agentId: string, ofUser?: string): Promise<readonly ExportedMemory[]> {
    const seen = await this.#seen(agentId);
    const owners = await Promise.all(seen.map((memory) => ofUser && this.#audience.ownerOf(memory)));
    return seen
      .filter((_, i) => owners[i] === ofUser)
      .map((memory) => ({ ...this.#toMemory(agentId, memory), history: [...memory.history] }));
  }

  /**
   * Takes memories out of every file, with their earlier texts, also those that were deleted before. What cannot
   * be read in the log goes with them, for it may be theirs.
   * @param unreadable what of it goes; all of it when left out
   * @returns how many memories the log held of those that were named
   * @throws NotFoundError AGENT_NOT_FOUND, ValidationError FORBIDDEN
   */
  async forget(
    agentId: string,
    ids: readonly string[] | 'all',
    unreadable: Unreadable = 'all',
  ): Promise<number> {
    if (ids === 'all') this.#audience.refuseMember('forgets all of them');
    else if (this.#audience.isMember) await this.refuseChange(agentId, ids);
    const named = new Set(ids === 'all' ? [] : ids);
    const forgotten = new Map<string, Audienced>();
    const { memories, remainders } = await this.#logs.read(agentId);
    const [kept, deleted] = [new Map(memories), new Map(remainders)];
    const erasure = {
      forgetsUnknown: ids === 'all',
      forgets: (id: string) => {
        const isNamed = ids === 'all' || named.has(id);
        const unseen = { share_memory: false, created_at: '', provenance: deleted.get(id) };
        if (isNamed) forgotten.set(id, kept.get(id) ?? unseen);
        return isNamed;
      },
    };
    await this.#logs.erase(agentId, erasure, unreadable);
    await this.#announce(
      agentId,
      Array.from(forgotten, ([id, memory]) => ({ ...memory, id })),
    );
    return forgotten.size;
  }

  /**
   * Takes a text out of a memory and of its earlier texts, in every file.
   * @returns how many times it was there
   * @throws as `get`
   */
  async redact(agentId: string, id: string, text: string): Promise<number> {
    const memory = await this.#memoryOf(agentId, id);
    const count = [memory, ...memory.history].reduce(
      (sum, { content }) => sum + content.split(text).length - 1,
      0,
    );
    if (count === 0) return 0;
    await this.#logs.erase(agentId, {
      forgets: () => false,
      redacts: (other, each) => (other === id ? each.replaceAll(text, REDACTED) : each),
    });
    await this.#announce(agentId, [memory]);
    return count;
  }

  /** Ids of all memories that the log holds, deleted ones that still stand in it too. @throws as `list` */
  async keptIds(agentId: string): Promise<ReadonlySet<string>> {
    return new Set((await this.sources(agentId)).map(({ id }) => id));
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

  /** @param isDeletion which users may do to what is theirs and shared, too @throws as `get`, ValidationError FORBIDDEN */
  async refuseChange(agentId: string, ids: readonly string[], isDeletion = true): Promise<void> {
    for (const id of ids) await this.#audience.refuseChange(await this.#memoryOf(agentId, id), isDeletion);
  }

  /** Oldest first. */
  async #seen(agentId: string): Promise<readonly FoldedMemory[]> {
    return oldestFirst(await this.#audience.seenIn(await this.#logs.read(agentId)));
  }

  async #memoryOf(agentId: string, id: string): Promise<FoldedMemory> {
    return (await this.#seen(agentId)).find((one) => one.id === id) ?? memoryMissing(agentId);
  }

  /** Writes the memory with changes; without any, nothing. */
  async #alter(
    agentId: string,
    id: string,
    changesOf: (memory: FoldedMemory) => Partial<FoldedMemory>,
  ): Promise<AgentMemory> {
    await this.refuseChange(agentId, [id], false);
    return this.#write(agentId, id, ({ memories }) => {
      const memory = memories.get(id) ?? memoryMissing(agentId);
      const changes = changesOf(memory);
      if (Object.keys(changes).length === 0) return undefined;
      return { ...memory, ...changes, updated_at: this.#logs.now() };
    });
  }

  async #write(
    agentId: string,
    id: string,
    decide: (state: AgentState) => WholeMemory | undefined,
    toRecord: typeof wholeMemoryRecord = memoryRecord,
  ): Promise<AgentMemory> {
    let written: WholeMemory | undefined;
    let unchanged: FoldedMemory | undefined;
    await this.#logs.change(agentId, (state) => {
      written = decide(state);
      unchanged = state.memories.get(id);
      return written === undefined ? [] : [toRecord(agentId, written)];
    });
    if (written !== undefined) await this.#announce(agentId, [written]);
    return this.#toMemory(agentId, (written ?? unchanged)!);
  }

  /** Notifies each user of their own memories, and all users of the agent-wide ones. */
  async #announce(
    agent_id: string,
    memories: readonly (Audienced & { readonly id: string })[],
  ): Promise<void> {
    const idsOf = new Map<string | null | undefined, string[]>();
    for (const memory of memories) {
      const owner = memory.share_memory ? undefined : ((await this.#audience.ownerOf(memory)) ?? null);
      idsOf.set(owner, [...(idsOf.get(owner) ?? []), memory.id]);
    }
    for (const [user_id, ids] of idsOf) {
      const event = { kind: 'agent-memories-changed', agent_id, ids } as const;
      this.#context.emit(user_id === undefined ? event : { ...event, user_id });
    }
  }

  /** A member is not told whose conversation a shared memory comes from. */
  #toMemory(agentId: string, memory: WrittenMemory, nowMs = this.#context.clock.now()): AgentMemory {
    const shown = showMemory(agentId, memory, nowMs);
    const { user_id, session_id, message_id, ...provenance } = shown.provenance;
    const { isMember, viewer } = this.#audience;
    return isMember && user_id !== viewer?.userId ? { ...shown, provenance } : shown;
  }

  /** What a member saves is theirs, whatever else it is said to come from. @throws ValidationError SCOPE_MISSING */
  #withOwner(provenance: Partial<Provenance> = {}): Partial<Provenance> {
    if (!this.#audience.isMember) return provenance;
    const user_id = this.#audience.viewer?.userId;
    if (user_id !== undefined) return { ...provenance, user_id };
    throw new ValidationError('SCOPE_MISSING', 'Saving this needs a user, and the principal names none.');
  }

  #checkSharing(shareMemory: boolean): void {
    this.#audience.refuseMember('shares one');
    if (typeof shareMemory !== 'boolean')
      throw new ValidationError('INVALID_OPTION', 'share_memory must be true or false.');
  }
}

/** The agent is the author when none is named. */
function withWriter(provenance: Partial<Provenance>, agentId: string): Partial<Provenance> {
  const isOwn = provenance.author === undefined || provenance.author === 'assistant';
  return isOwn && provenance.agent_id === undefined ? { ...provenance, agent_id: agentId } : provenance;
}

function memoryMissing(agentId: string): never {
  throw new NotFoundError('MEMORY_NOT_FOUND', `The agent ${agentId} has no memory with this id.`, {
    details: { agent_id: agentId },
  });
}
