/** The tools that an agent can be offered. The names are a contract: models, clients and settings use them. */
export const TOOL_NAMES = [
  'manage_long_term_memory',
  'save_to_journal',
  'save_to_core',
  'store_memory',
  ...(['retrieve_memory', 'search_memory', 'update_memory', 'list_memories'] as const),
  'forget_memory',
] as const;
/** Tools that an agent is offered only when its `enabled_tools` name them. */
export const OPTIONAL_TOOL_NAMES = ['save_to_whiteboard'] as const;
export type ToolName = (typeof TOOL_NAMES)[number] | (typeof OPTIONAL_TOOL_NAMES)[number];

const ALL_NAMES: readonly unknown[] = [...TOOL_NAMES, ...OPTIONAL_TOOL_NAMES];

export function isMemoryTool(name: unknown): name is ToolName {
  return ALL_NAMES.includes(name);
}
