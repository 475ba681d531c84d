import { ValidationError } from './errors.ts';
import { LIMITS } from './limits.ts';
import { findTextFault, isLongerThan } from './text.ts';
import { TOOL_NAMES, type ToolName } from './tool-names.ts';

/** What an agent can be given, and changed in later. `null` takes a text away. */
export interface AgentChanges {
  readonly system_prompt?: string | null;
  readonly model_id?: string | null;
  readonly model_label?: string | null;
  /** All tools when left out. */
  readonly enabled_tools?: readonly string[];
  /** True when left out. */
  readonly active?: boolean;
  /** Whether every user's prompt shows what it saves from now on. False when left out. */
  readonly share_memory?: boolean;
  readonly colour?: string | null;
  readonly icon?: string | null;
}

/** The settings of an agent, all of them. */
export interface CheckedAgentSettings {
  readonly system_prompt: string | null;
  readonly model_id: string | null;
  readonly model_label: string | null;
  readonly enabled_tools: readonly ToolName[];
  readonly active: boolean;
  readonly share_memory: boolean;
  readonly colour: string | null;
  readonly icon: string | null;
}

/** An agent has a memory unless it is told otherwise: that is what it is made here for. */
export const DEFAULT_AGENT_SETTINGS: CheckedAgentSettings = {
  system_prompt: null,
  model_id: null,
  model_label: null,
  enabled_tools: TOOL_NAMES,
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

/** Only the fields that are given. @throws ValidationError INVALID_OPTION, INVALID_TEXT */
export function parseAgentChanges(input: unknown): Partial<CheckedAgentSettings> {
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
    if (key === 'enabled_tools') changes[key] = parseTools(value);
    else if (key === 'active' || key === 'share_memory') changes[key] = parseFlag(value, key);
    else changes[key] = parseText(value, key as TextField);
  }
  return changes;
}

function parseTools(value: unknown): readonly ToolName[] {
  if (!Array.isArray(value)) throw option('enabled_tools must be a list of names of tools');
  const isKnown = (name: unknown): name is ToolName => TOOL_NAMES.includes(name as ToolName);
  if (!value.every(isKnown)) {
    throw option(`enabled_tools names a tool that there is not; there are: ${TOOL_NAMES.join(', ')}`);
  }
  return [...new Set(value)];
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
