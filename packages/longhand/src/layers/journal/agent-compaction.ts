import type { JsonObject } from '../../core/records.ts';
import type { Rewriting } from '../followed-log.ts';
import { type AgentState, agentRecord, type FoldedMemory, wholeMemoryRecord } from './agent-records.ts';

/**
 * What a rewrite of an agent's log keeps: one line for the settings, one for each memory with its earlier
 * texts, in the place of its first line, and whatever means nothing here. Deleted memories go, with every
 * byte of theirs, and so does what is to be forgotten.
 */
export interface Erasure {
  /** Whether a memory is to be forgotten, deleted or not. */
  readonly forgets: (id: string) => boolean;
  /** Takes something out of a memory, and of its earlier texts. */
  readonly redacts?: (id: string, text: string) => string;
  /** What means nothing here may hold what is to be forgotten, and goes too. */
  readonly forgetsUnknown?: boolean;
}

/** Below this a rewrite costs more than the lines it saves. */
const MIN_USELESS_LINES = 64;

/** More than half of the lines, and enough of them, say nothing that others do not say again. */
export function isWorthCompacting({ lines, settings, memories, leftAlone }: AgentState): boolean {
  const useful = (settings === undefined ? 0 : 1) + memories.size + leftAlone.size;
  const useless = lines - useful;
  return useless > MIN_USELESS_LINES && useless > useful;
}

export function planAgentRewrite(
  agentId: string,
  { forgets, redacts, forgetsUnknown }: Erasure = { forgets: () => false },
): Rewriting<AgentState> {
  const keepMemory = (id: string, offset: number, state: AgentState): 'keep' | 'drop' | JsonObject => {
    // Asked first, so that a preview counts deleted ones too.
    if (forgets(id)) return 'drop';
    const memory = state.memories.get(id);
    if (memory?.offset !== offset) return 'drop';
    const redacted = redacts === undefined ? memory : redactMemory(memory, (text) => redacts(id, text));
    return redacted === memory && memory.lines === 1 ? 'keep' : wholeMemoryRecord(agentId, redacted);
  };

  return ({ fields, line: { offset } }, state) => {
    if (state.leftAlone.has(offset)) return forgetsUnknown || forgets(String(fields.id)) ? 'drop' : 'keep';
    if (fields.record === 'agent_memory') return keepMemory(String(fields.id), offset, state);
    return offset === state.settingsOffset ? wholeAgentRecord(agentId, state) : 'drop';
  };
}

/** The same object when there is nothing to take out. */
function redactMemory(memory: FoldedMemory, redact: (text: string) => string): FoldedMemory {
  const content = redact(memory.content);
  const history = memory.history.map((earlier) => ({ ...earlier, content: redact(earlier.content) }));
  const isSame =
    content === memory.content &&
    history.every((earlier, i) => earlier.content === memory.history[i]!.content);
  return isSame ? memory : { ...memory, content, history };
}

/** Where there is a line of settings, all of this is known. */
function wholeAgentRecord(agentId: string, { settings, created_at, updated_at }: AgentState): JsonObject {
  return agentRecord(agentId, updated_at!, { created_at: created_at!, ...settings! });
}
