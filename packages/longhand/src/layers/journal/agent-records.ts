import { AGENT_MEMORY_TYPES, type AgentMemoryType } from '../../core/agent-memory.ts';
import {
  ALL_EXTRA_TOOLS,
  type CheckedAgentSettings,
  DEFAULT_AGENT_SETTINGS,
  parseAgentChanges,
} from '../../core/agent-settings.ts';
import { LIMITS } from '../../core/limits.ts';
import { type JsonObject, type Provenance, SCHEMA_VERSION } from '../../core/records.ts';
import type { RawRecord } from '../../core/schema.ts';
import { findTextFault } from '../../core/text.ts';
import { parseTimestamp } from '../../core/timestamps.ts';
import { isMemoryTool } from '../../core/tool-names.ts';
import { unlessRefused } from '../failures.ts';
import type { Fold } from '../followed-log.ts';

/**
 * What the records of an agent's log add up to.
 *
 *     agent         the settings
 *     agent_memory  a journal or core memory
 *     delete        the memories of these ids are gone
 *     compaction    closes a rewrite
 *
 * Each change of settings or of a memory writes all of them or of it again: a damaged line then costs one change,
 * and what it changed only when it was the only line. A line of settings that names less, which a person may
 * write, changes what it names.
 *
 * An earlier text is the text of the line before. A compaction leaves one line a memory, which then carries
 * the earlier texts itself. As many are kept either way: what a reader sees does not depend on compactions.
 */

/** A text that a memory had before. */
export interface EarlierContent {
  readonly content: string;
  /** ISO 8601, UTC. */
  readonly replaced_at: string;
}

/** What a line says of a memory. */
export interface WrittenMemory {
  readonly id: string;
  readonly memory_type: AgentMemoryType;
  readonly content: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly pinned: boolean;
  /** Whether it is agent-wide, as of when it was written; `undefined` in lines from before there was a stamp. */
  readonly share_memory: boolean | undefined;
  readonly provenance: Provenance;
}

export interface WholeMemory extends WrittenMemory {
  /** Oldest first. */
  readonly history: readonly EarlierContent[];
}

export interface FoldedMemory extends WholeMemory {
  /** How many lines of the log it takes. */
  readonly lines: number;
  /** Where the first of them begins. */
  readonly offset: number;
}

export interface AgentState {
  /** `undefined` when no line tells: they are damaged, or a person made the log. */
  settings: CheckedAgentSettings | undefined;
  created_at: string | undefined;
  updated_at: string | undefined;
  /** Where the first line of settings begins. */
  settingsOffset: number | undefined;
  /** In the order of their first lines. */
  readonly memories: Map<string, FoldedMemory>;
  lines: number;
  /** Where lines begin that a person wrote, or a later version, and that mean nothing here. They are kept. */
  readonly leftAlone: Set<number>;
  /** Ids of memories that no reader gets any more and that still stand in the log, with their provenance. */
  readonly remainders: Map<string, Provenance | undefined>;
}

export const agentFold: Fold<AgentState> = {
  start: () => ({
    settings: undefined,
    created_at: undefined,
    updated_at: undefined,
    settingsOffset: undefined,
    memories: new Map(),
    lines: 0,
    leftAlone: new Set(),
    remainders: new Map(),
  }),
  apply: (state, { fields, line }) => {
    state.lines++;
    if (applyRecord(state, fields, line.offset)) return;
    state.leftAlone.add(line.offset);
    if (typeof fields.id === 'string') noteRemainder(state, fields.id, fields.provenance);
  },
};

function noteRemainder({ remainders }: AgentState, id: string, provenance: unknown): void {
  remainders.set(id, isProvenance(provenance) ? provenance : remainders.get(id));
}

/** False when it means nothing. */
function applyRecord(state: AgentState, record: RawRecord, offset: number): boolean {
  state.created_at ??= parseTime(record.timestamp);
  switch (record.record) {
    case 'agent':
      return applySettings(state, record, offset);
    case 'agent_memory': {
      const memory = parseMemory(record, offset, state.memories);
      if (memory !== undefined) state.memories.set(memory.id, memory);
      return memory !== undefined;
    }
    case 'delete':
      if (!Array.isArray(record.ids)) return false;
      for (const id of record.ids.map(String)) {
        const memory = state.memories.get(id);
        if (state.memories.delete(id)) noteRemainder(state, id, memory?.provenance);
      }
      return true;
    default:
      return record.record === 'compaction';
  }
}

function applySettings(state: AgentState, record: RawRecord, offset: number): boolean {
  const named = Object.keys(DEFAULT_AGENT_SETTINGS).filter((key) => Object.hasOwn(record, key));
  const given = Object.fromEntries(named.map((key) => [key, record[key]]));
  // Which tools of other programs there are was checked when it was written, and may have changed since.
  const changes = unlessRefused(() => parseAgentChanges(given, () => true));
  if (changes === undefined) return false;
  const { enabled_tools: tools } = changes;
  // Until a list was exact, one that named no tool of another program left the agent all of these.
  if (tools?.every(isMemoryTool) && record.exact_tools !== true)
    Object.assign(changes, { enabled_tools: [...tools, ALL_EXTRA_TOOLS] });
  state.settings = { ...(state.settings ?? DEFAULT_AGENT_SETTINGS), ...changes };
  state.settingsOffset ??= offset;
  state.created_at = parseTime(record.created_at) ?? state.created_at;
  state.updated_at = parseTime(record.timestamp) ?? state.updated_at ?? state.created_at;
  return true;
}

/** `undefined` for a line that a person wrote, and that is no memory. */
function parseMemory(
  record: RawRecord,
  offset: number,
  memories: ReadonlyMap<string, FoldedMemory>,
): FoldedMemory | undefined {
  const { id, memory_type, content, provenance } = record;
  const updated_at = parseTime(record.timestamp);
  const isMemory =
    typeof id === 'string' &&
    AGENT_MEMORY_TYPES.includes(memory_type as AgentMemoryType) &&
    typeof content === 'string' &&
    content.trim() !== '' &&
    findTextFault(content) === undefined;
  if (!isMemory || updated_at === undefined) return undefined;
  const before = memories.get(id);
  const inherited = before?.history ?? [];
  const history =
    before === undefined || before.content === content
      ? inherited
      : [...inherited, { content: before.content, replaced_at: updated_at }];
  return {
    id,
    memory_type: memory_type as AgentMemoryType,
    content,
    created_at: parseTime(record.created_at) ?? before?.created_at ?? updated_at,
    updated_at,
    pinned: record.pinned === true,
    share_memory: typeof record.share_memory === 'boolean' ? record.share_memory : before?.share_memory,
    provenance: isProvenance(provenance) ? provenance : (before?.provenance ?? WRITTEN_BY_A_PERSON),
    history: (parseHistory(record.history) ?? history).slice(-LIMITS.agentMemoryVersions),
    lines: (before?.lines ?? 0) + 1,
    offset: before?.offset ?? offset,
  };
}

const WRITTEN_BY_A_PERSON: Provenance = { author: 'user', trust: 'owner' };

function isProvenance(value: unknown): value is Provenance {
  if (typeof value !== 'object' || value === null) return false;
  const { author, trust } = value as Record<string, unknown>;
  return typeof author === 'string' && typeof trust === 'string';
}

function parseHistory(value: unknown): readonly EarlierContent[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter(
    (entry: unknown): entry is EarlierContent =>
      typeof entry === 'object' &&
      entry !== null &&
      typeof (entry as Partial<EarlierContent>).content === 'string' &&
      typeof (entry as Partial<EarlierContent>).replaced_at === 'string',
  );
}

function parseTime(value: unknown): string | undefined {
  return unlessRefused(() => new Date(parseTimestamp(value)).toISOString());
}

export function agentRecord(agentId: string, timestamp: string, fields: JsonObject): JsonObject {
  const head = { schema_version: SCHEMA_VERSION, record: 'agent', agent_id: agentId, timestamp };
  return { ...head, exact_tools: true, ...fields };
}

/** A memory as its line says it, without its earlier texts: the lines before have them. */
export function memoryRecord(agentId: string, memory: WrittenMemory): JsonObject {
  const { id, updated_at, created_at, memory_type, content, pinned, share_memory, provenance } = memory;
  const head = { schema_version: SCHEMA_VERSION, record: 'agent_memory', agent_id: agentId, id };
  const shared = share_memory === undefined ? {} : { share_memory };
  const said = { timestamp: updated_at, created_at, memory_type, content, pinned, ...shared };
  return { ...head, ...said, provenance: provenance as unknown as JsonObject };
}

/** The same with its earlier texts, for the one line that a rewrite leaves. */
export function wholeMemoryRecord(agentId: string, memory: WholeMemory): JsonObject {
  const history = memory.history.map(({ content, replaced_at }) => ({ content, replaced_at }));
  return { ...memoryRecord(agentId, memory), ...(history.length === 0 ? {} : { history }) };
}

export function deleteRecord(agentId: string, timestamp: string, ids: readonly string[]): JsonObject {
  return { schema_version: SCHEMA_VERSION, record: 'delete', agent_id: agentId, timestamp, ids };
}

export function compactionRecord(agentId: string, timestamp: string): JsonObject {
  return { schema_version: SCHEMA_VERSION, record: 'compaction', agent_id: agentId, timestamp };
}
