import {
  type AgentChanges,
  type CheckedAgentSettings,
  DEFAULT_AGENT_SETTINGS,
  type IsExtraTool,
  parseAgentChanges,
} from '../../core/agent-settings.ts';
import { CorruptionError, LonghandError, ValidationError } from '../../core/errors.ts';
import { parseName } from '../../core/ids.ts';
import type { LayerContext } from '../layer-context.ts';
import { EPOCH } from '../memories/stored-record.ts';
import { type AgentLogs, agentAddress, agentNotFound } from './agent-logs.ts';
import { type AgentState, agentRecord, type FoldedMemory } from './agent-records.ts';
import type { Viewer } from './audience.ts';

export interface AgentSettings extends AgentChanges {
  /** Unique in the account, and the agent's id from then on. */
  readonly name: string;
}

export interface Agent extends CheckedAgentSettings {
  /** The name. */
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  /** When the settings were last changed. */
  readonly updated_at: string;
  /** All there are, expired ones too. */
  readonly memories_count: { readonly core: number; readonly journal: number };
}

type NotesForgetter = (userId: string, agentId: string) => Promise<unknown>;

/**
 * The agents of an account. An agent is a log: it exists as soon as the log does, settings and private memories
 * are records in it, and deleting the agent takes the log away with all of them.
 */
export class Agents {
  readonly #context: LayerContext;
  readonly #logs: AgentLogs;
  readonly #forgetNotes: NotesForgetter;
  readonly #isExtraTool: IsExtraTool | undefined;

  /** @param forgetNotes takes the notes of an agent on one user away */
  constructor(
    context: LayerContext,
    logs: AgentLogs,
    forgetNotes: NotesForgetter = async () => 0,
    isExtraTool?: IsExtraTool,
  ) {
    this.#context = context;
    this.#logs = logs;
    this.#forgetNotes = forgetNotes;
    this.#isExtraTool = isExtraTool;
  }

  /** The same agents, with the memories counted that a viewer sees. */
  as(viewer: Viewer): Agents {
    return new Agents(this.#context, this.#logs.as(viewer), this.#forgetNotes, this.#isExtraTool);
  }

  /** @throws ValidationError AGENT_EXISTS, INVALID_NAME, INVALID_OPTION, INVALID_TEXT */
  async create(settings: AgentSettings): Promise<Agent> {
    const { store, emit } = this.#context;
    const { name, ...given } = parseObject(settings);
    const id = parseName(name, 'agent id');
    const timestamp = this.#logs.now();
    const record = agentRecord(id, timestamp, {
      created_at: timestamp,
      ...DEFAULT_AGENT_SETTINGS,
      ...parseAgentChanges(given, this.#isExtraTool),
    });
    try {
      await store.append(agentAddress(id), [JSON.stringify(record)], { create: 'new' });
    } catch (error) {
      if (!(error instanceof ValidationError) || error.code !== 'SESSION_EXISTS') throw error;
      throw new ValidationError(
        'AGENT_EXISTS',
        `There is an agent ${id} already. Choose another name, or use it.`,
        { details: { agent_id: id } },
      );
    }
    emit({ kind: 'agent-created', agent_id: id });
    return this.get(id);
  }

  /** The agent of this name, made with defaults when there is none. */
  async ensure(agentId: string): Promise<Agent> {
    const found = await this.find(agentId);
    if (found !== undefined) return found;
    try {
      return await this.create({ name: agentId });
    } catch (error) {
      // Another process was faster.
      if (LonghandError.isInstance(error) && error.code === 'AGENT_EXISTS') return this.get(agentId);
      throw error;
    }
  }

  /** @throws NotFoundError AGENT_NOT_FOUND, CorruptionError CORRUPT_ENTRY when the settings cannot be read */
  async get(agentId: string): Promise<Agent> {
    const agent = await this.find(agentId);
    if (agent === undefined) throw agentNotFound(agentId);
    return agent;
  }

  /** `undefined` when there is none. @throws CorruptionError CORRUPT_ENTRY when the settings cannot be read */
  async find(agentId: string): Promise<Agent | undefined> {
    const state = await this.#logs.find(agentId);
    if (state === undefined) return undefined;
    if (state.settings === undefined && this.#logs.damagedLines(agentId) > 0) throw unreadable(agentId);
    return this.#toAgent(agentId, state);
  }

  async #toAgent(agentId: string, state: AgentState): Promise<Agent> {
    return toAgent(agentId, state, await this.#logs.audience.seenIn(state));
  }

  /**
   * Sorted by name. Those whose settings cannot be read are left out: an event reports them, and asking for
   * one by its name says what is wrong.
   */
  async list(): Promise<readonly Agent[]> {
    const agents: Agent[] = [];
    for (const id of await this.#context.store.list('agent')) {
      const agent = await this.find(id).catch((error: unknown) => {
        if (error instanceof CorruptionError) return undefined;
        throw error;
      });
      if (agent !== undefined) agents.push(agent);
    }
    return agents;
  }

  /**
   * Changes what is named and leaves the rest; `null` takes a text away. The name stays: it is the id.
   * @throws NotFoundError AGENT_NOT_FOUND, ValidationError INVALID_OPTION, INVALID_TEXT
   */
  async update(agentId: string, changes: Partial<AgentSettings>): Promise<Agent> {
    const { name, ...given } = parseObject(changes);
    if (name !== undefined && name !== agentId) {
      throw new ValidationError(
        'INVALID_OPTION',
        'An agent’s name is its id and cannot be changed. Create another agent.',
      );
    }
    const settings = parseAgentChanges(given, this.#isExtraTool);
    let isChanged = false;
    const state = await this.#logs.change(agentId, (current) => {
      const before = current.settings;
      const after = { ...(before ?? DEFAULT_AGENT_SETTINGS), ...settings };
      isChanged = before === undefined || JSON.stringify(after) !== JSON.stringify(before);
      const now = this.#logs.now();
      return isChanged
        ? [agentRecord(agentId, now, { created_at: current.created_at ?? now, ...after })]
        : [];
    });
    if (isChanged) this.#context.emit({ kind: 'agent-updated', agent_id: agentId });
    return this.#toAgent(agentId, state);
  }

  /**
   * Removes the agent with all its memories and its notes on all users; nothing of them is left in a file. False when
   * there was none.
   */
  async delete(agentId: string): Promise<boolean> {
    const { store, emit } = this.#context;
    const address = agentAddress(parseName(agentId, 'agent id'));
    // The agent last: as long as it is there, an interrupted deletion can be repeated.
    for (const userId of await store.list('user')) {
      if ((await store.list('notes', userId)).includes(agentId)) await this.#forgetNotes(userId, agentId);
    }
    const isRemoved = await store.remove(address);
    if (isRemoved) emit({ kind: 'agent-deleted', agent_id: agentId });
    return isRemoved;
  }
}

function parseObject(value: unknown): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new ValidationError('INVALID_OPTION', 'The settings of an agent must be an object.');
}

function toAgent(id: string, state: AgentState, memories: readonly FoldedMemory[]): Agent {
  const created_at = state.created_at ?? EPOCH;
  const { enabled_tools, ...settings } = state.settings ?? DEFAULT_AGENT_SETTINGS;
  const core = memories.filter(({ memory_type }) => memory_type === 'core').length;
  const times = { created_at, updated_at: state.updated_at ?? created_at };
  const memories_count = { core, journal: memories.length - core };
  return { id, name: id, ...settings, enabled_tools: [...enabled_tools], ...times, memories_count };
}

function unreadable(agentId: string): CorruptionError {
  return new CorruptionError(
    'CORRUPT_ENTRY',
    `The settings of the agent ${agentId} are damaged. Its memories are intact. Update the agent to give it new settings.`,
    { details: { agent_id: agentId } },
  );
}
