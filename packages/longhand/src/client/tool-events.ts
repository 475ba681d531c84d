import type { InputOf, OperationName } from './http-client.ts';

/** A tool that was called on the way to an answer, and what came of it. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly output: string;
  readonly error?: string | undefined;
  /** The key under which a large output was kept. */
  readonly memoryKey?: string | undefined;
  readonly durationMs?: number | undefined;
}

/** What was changed in the memory on the way to an answer. */
export interface RememberedPiece {
  /** Tells it apart from the other pieces of its answer; of a memory or a detail its own key. */
  readonly key: string;
  readonly text: string;
  /** `known`: the user had it already, and it was confirmed. `noted`: in the agent's notes on the user. */
  readonly change: 'remembered' | 'known' | 'noted' | 'changed' | 'forgotten';
  /** The operations that take it back, in their order. Without them it cannot be taken back here. */
  readonly undo?: readonly UndoStep[];
  readonly isUndone?: true;
}

export type UndoStep = { [Name in OperationName]: readonly [Name, InputOf<Name>] }[OperationName];

export interface ToolEvent {
  readonly type: 'tool';
  readonly message_id: string;
  readonly agent_id: string;
  readonly name: string;
  readonly input: unknown;
  readonly output: string;
  readonly error?: string;
  readonly memory_key?: string;
  readonly duration_ms?: number;
}

export function toolCallOf({ name, input, output, error, memory_key, duration_ms }: ToolEvent): ToolCall {
  return { name, input, output, error, memoryKey: memory_key, durationMs: duration_ms };
}

/** What a tool has changed in the memory; `undefined` when it has changed nothing. */
export function changeBy({ name, input, output, error, agent_id }: ToolEvent): RememberedPiece | undefined {
  if (error !== undefined) return undefined;
  let made: Made;
  try {
    made = { ...(JSON.parse(output) as Made) };
  } catch {
    // A tool that is not one of the memory's.
    return undefined;
  }
  const { content: text = '', ...given } = { ...(input as Given) };
  const { memory_key: key = '', memory_id = '' } = made;
  switch (name) {
    case 'store_memory':
      if (made.confirmed) return { key, text, change: 'known' };
      return { key, text, change: 'remembered', undo: undoOfMemory(made, given.replaces ?? []) };
    case 'save_to_journal':
    case 'save_to_core':
    case 'save_to_whiteboard': {
      const owner = name === 'save_to_whiteboard' ? 'whiteboard' : agent_id;
      const undo: UndoStep = ['deleteAgentMemory', { agent_id: owner, memory_id }];
      return { key: memory_id, text, change: 'remembered', undo: [undo] };
    }
    case 'manage_long_term_memory': {
      const { operation = 'read', version = 0, unchanged } = made;
      if (operation === 'read' || unchanged) return undefined;
      const deleted = `deleted: ${given.section_header ?? 'everything'}`;
      const shown = operation.startsWith('delete') ? deleted : text;
      const undo = undoOfNotes(agent_id, version);
      return { key: `${agent_id} ${version}`, text: shown, change: 'noted', undo: [undo] };
    }
    case 'update_memory':
      return { key, text: made.content ?? text, change: 'changed' };
    case 'forget_memory': {
      const { forgotten, pieces, receipt_id } = made;
      if (!forgotten) return undefined;
      const count = pieces === 1 ? '1 piece' : `${pieces} pieces`;
      return { key: receipt_id ?? '', text: count, change: 'forgotten' };
    }
    default:
      return undefined;
  }
}

/** What the tools of the memory are given, and what they answer, as far as it matters here. */
type Given = Partial<Record<'content' | 'section_header', string>> & {
  readonly replaces?: readonly string[];
};
type Made = Partial<Record<'memory_key' | 'memory_id' | 'session_id' | 'content' | 'operation', string>> &
  Partial<Record<'confirmed' | 'unchanged' | 'forgotten', boolean>> &
  Partial<Record<'version' | 'pieces', number>> & { readonly receipt_id?: string | null };

/**
 * Deleting, not forgetting: the messages that a memory was taken from go with one that is forgotten, and the conversation is not
 * what is taken back.
 */
function undoOfMemory({ memory_key = '', memory_id, session_id = '' }: Made, replaces: readonly string[]) {
  const undo: UndoStep[] = [];
  const isMemory = memory_key.startsWith('mem_');
  const id = isMemory ? memory_key : memory_id;
  if (id !== undefined) {
    const place = { session_id, memory_id: id };
    // What a deleted memory had replaced stays replaced: first it must replace nothing.
    if (replaces.length > 0) undo.push(['updateMemory', { ...place, replaces: [] }]);
    undo.push(['deleteMemory', place]);
  }
  if (!isMemory) undo.push(['deleteDetail', { memory_key }]);
  return undo;
}

/** Takes a change of notes back, unless they were changed since. */
function undoOfNotes(agent_id: string, version: number): UndoStep {
  const place = { agent_id, expected_version: version };
  return version > 1
    ? ['restoreNotes', { ...place, version: version - 1 }]
    : ['changeNotes', { ...place, operation: 'delete_all_notes' }];
}
