/** The tools that an agent can be offered. The names are a contract: models, clients and settings use them. */
export const TOOL_NAMES = [
  'manage_long_term_memory',
  'save_to_journal',
  'save_to_core',
  'store_memory',
  ...(['retrieve_memory', 'search_memory', 'update_memory', 'list_memories'] as const),
  'forget_memory',
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];
