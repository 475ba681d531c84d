import type { AgentMemoryType } from '../../core/agent-memory.ts';
import type { Provenance } from '../../core/records.ts';
import type { FoldedMemory, WrittenMemory } from './agent-records.ts';

/** How long a journal entry that is not pinned stays in the prompt. */
export const JOURNAL_WINDOW_MS = 7 * 86_400_000;

export interface AgentMemory {
  readonly id: string;
  readonly agent_id: string;
  readonly memory_type: AgentMemoryType;
  readonly content: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  /** When it was last edited, pinned or moved. */
  readonly updated_at: string;
  readonly pinned: boolean;
  /** No longer in the prompt. */
  readonly expired: boolean;
  /** Whether it is agent-wide: every user's prompt shows it. */
  readonly share_memory: boolean;
  readonly provenance: Provenance;
}

/** A memory as it is shown at a time: whether it has expired depends on it. */
export function showMemory(agentId: string, memory: WrittenMemory, nowMs: number): AgentMemory {
  const { id, memory_type, content, created_at, updated_at, pinned, provenance } = memory;
  const isOld = Date.parse(created_at) < nowMs - JOURNAL_WINDOW_MS;
  const expired = memory_type === 'journal' && !pinned && isOld;
  const said = { id, agent_id: agentId, memory_type, content, created_at, updated_at, pinned };
  return { ...said, expired, share_memory: memory.share_memory ?? false, provenance };
}

/** By the time they were made, and within one moment in the order of the log. */
export function oldestFirst(memories: readonly FoldedMemory[]): FoldedMemory[] {
  const times = new Map(memories.map((memory) => [memory, Date.parse(memory.created_at)]));
  return memories.toSorted((a, b) => times.get(a)! - times.get(b)!);
}
