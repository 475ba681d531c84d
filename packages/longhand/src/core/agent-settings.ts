import { ValidationError } from './errors.ts';
import { LIMITS } from './limits.ts';
import { findTextFault, isLongerThan } from './text.ts';
import { isMemoryTool, OPTIONAL_TOOL_NAMES, TOOL_NAMES } from './tool-names.ts';

/** The settings of an agent, all of them. */
export interface CheckedAgentSettings {
  readonly system_prompt: string | null;
  readonly model_id: string | null;
  readonly model_label: string | null;
  /** Exactly those that the agent has. `*` stands for all tools of other programs that the host knows. */
  readonly enabled_tools: readonly string[];
  /** True when left out. */
  readonly active: boolean;
  /** Whether every user's prompt shows what it saves from now on. False when left out. */
  readonly share_memory: boolean;
  readonly colour: string | null;
  readonly icon: string | null;
}

/** What an agent can be given, and changed in later. `null` takes a text away. */
export type AgentChanges = Partial<CheckedAgentSettings>;

/** In `enabled_tools`: every tool of other programs, also those that there will be. */
export const ALL_EXTRA_TOOLS = '*';

/** An agent has a memory unless it is told otherwise: that is what it is made here for. */
export const DEFAULT_AGENT_SETTINGS: CheckedAgentSettings = {
  system_prompt: null,
  model_id: null,
  model_label: null,
  enabled_tools: [...TOOL_NAMES, ALL_EXTRA_TOOLS],
  active: true,
  share_memory: false,
  colour: null,
  icon: null,
};

const TEXT_LIMITS = {
  system_prompt: LIMITS.systemPromptCharacters,
  model_id: LIMITS.modelNameCharacters,
  model_label: LIMITS.modelNameCharacters,
  colour: LIMITS.colourCharacters,
  icon: LIMITS.iconCharacters,
} as const;
type TextField = keyof typeof TEXT_LIMITS;

/** Whether a name is that of a tool which does not belong to the memory, as the host of the agents knows them. */
export type IsExtraTool = (name: string) => boolean;

/** Only the fields that are given. @throws ValidationError INVALID_OPTION, INVALID_TEXT */
export function parseAgentChanges(
  input: unknown,
  isExtraTool: IsExtraTool = () => false,
): Partial<CheckedAgentSettings> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw option('The settings of an agent must be an object');
  }
  const changes: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (value === undefined) continue;
    if (!Object.hasOwn(DEFAULT_AGENT_SETTINGS, key)) {
      const known = ['name', ...Object.keys(DEFAULT_AGENT_SETTINGS)].join(', ');
      throw option(`An agent has no ${JSON.stringify(key.slice(0, 40))}; there are: ${known}`);
    }
    if (key === 'enabled_tools') changes[key] = parseTools(value, isExtraTool);
    else if (key === 'active' || key === 'share_memory') changes[key] = parseFlag(value, key);
    else changes[key] = parseText(value, key as TextField);
  }
  return changes;
}

function parseTools(value: unknown, isExtraTool: IsExtraTool): readonly string[] {
  if (!Array.isArray(value)) throw option('enabled_tools must be a list of names of tools');
  const isKnown = (name: unknown) =>
    isMemoryTool(name) || name === ALL_EXTRA_TOOLS || (typeof name === 'string' && isExtraTool(name));
  const unknown = value.find((name) => !isKnown(name));
  if (unknown === undefined) return [...new Set<string>(value)];
  const known = [...TOOL_NAMES, ...OPTIONAL_TOOL_NAMES].join(', ');
  throw option(
    `enabled_tools names ${JSON.stringify(unknown)?.slice(0, 80)}, and there is no such tool; there are: ${known}, those that the host adds (of an MCP server: SERVER_TOOL), and * for all of these`,
  );
}

function parseFlag(value: unknown, key: string): boolean {
  if (typeof value !== 'boolean') throw option(`${key} must be true or false`);
  return value;
}

function parseText(value: unknown, key: TextField): string | null {
  if (value === null) return null;
  const limit = TEXT_LIMITS[key];
  if (typeof value !== 'string' || isLongerThan(value, limit)) {
    throw option(`${key} must be null or a text of at most ${limit} characters`);
  }
  const fault = findTextFault(value);
  if (fault !== undefined) throw new ValidationError('INVALID_TEXT', `${key} ${fault}.`);
  return value;
}

function option(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `${reason}.`);
}
