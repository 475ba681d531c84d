import { ValidationError } from './errors.ts';
import { parseName } from './ids.ts';
import { LIMITS } from './limits.ts';
import type { Changed, CompactionOverride, DecayOverride, Preferences, SessionRecord } from './records.ts';
import { checkJson, findTextFault } from './text.ts';

/** What a session can be given at its creation and changed in later. `null` takes a setting back to its default. */
export interface SessionSettings
  extends Pick<SessionRecord, 'agents' | 'preferences' | 'decay_config' | 'compaction_config'> {}

const PARSERS = {
  agents: parseAgents,
  preferences: parsePreferences,
  decay_config: parseDecay,
  compaction_config: parseCompaction,
} as const;

/**
 * @param beside what else the caller takes, for the sentence that says what there is
 * @throws ValidationError INVALID_OPTION, INVALID_NAME, INVALID_TEXT, INVALID_CONTENT
 */
export function parseSessionSettings(input: unknown, beside: readonly string[] = []): SessionSettings {
  const given = parseObject(input, 'The session’s settings');
  refuseOthers(given, [...beside, ...Object.keys(PARSERS)], 'A session');
  const settings = Object.entries(PARSERS)
    .filter(([name]) => given[name] !== undefined)
    .map(([name, parse]) => [name, given[name] === null ? null : parse(given[name])]);
  return Object.fromEntries(settings) as SessionSettings;
}

function parseAgents(value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length > LIMITS.agentsPerSession) {
    throw option(`agents must be a list of at most ${LIMITS.agentsPerSession} names`);
  }
  return [...new Set(value.map((name) => parseName(name, 'agent id')))];
}

function parsePreferences(value: unknown): Changed<Preferences> {
  const given = parseObject(value, 'preferences');
  refuseOthers(given, ['language', 'verbosity', 'custom'], 'preferences');
  for (const key of ['language', 'verbosity'] as const) {
    const text = given[key];
    if (text === undefined || text === null) continue;
    if (typeof text !== 'string' || text.length > 64 || findTextFault(text) !== undefined) {
      throw option(`preferences.${key} must be a text of at most 64 characters`);
    }
  }
  if (given.custom !== undefined && given.custom !== null) {
    checkJson(parseObject(given.custom, 'preferences.custom'), 'preferences.custom');
    if (JSON.stringify(given.custom).length > LIMITS.customPreferenceCharacters) {
      throw option(
        `preferences.custom must be at most ${LIMITS.customPreferenceCharacters} characters of JSON`,
      );
    }
  }
  return given as Changed<Preferences>;
}

function parseDecay(value: unknown): Changed<DecayOverride> {
  const given = parseObject(value, 'decay_config');
  refuseOthers(given, ['enabled', 'half_life_hours', 'min_decay_factor'], 'decay_config');
  flag(given.enabled, 'decay_config.enabled');
  range(given.half_life_hours, 'decay_config.half_life_hours', 0.001, Number.MAX_VALUE);
  range(given.min_decay_factor, 'decay_config.min_decay_factor', 0, 1);
  return given as Changed<DecayOverride>;
}

function parseCompaction(value: unknown): Changed<CompactionOverride> {
  const given = parseObject(value, 'compaction_config');
  refuseOthers(given, ['auto_compact', 'threshold'], 'compaction_config');
  flag(given.auto_compact, 'compaction_config.auto_compact');
  range(given.threshold, 'compaction_config.threshold', 0.1, 1);
  return given as Changed<CompactionOverride>;
}

function parseObject(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw option(`${name} must be an object`);
}

function refuseOthers(given: Record<string, unknown>, known: readonly string[], owner: string): void {
  const other = Object.keys(given).find((key) => !known.includes(key));
  if (other !== undefined) {
    throw option(`${owner} has no ${JSON.stringify(other.slice(0, 40))}; there are: ${known.join(', ')}`);
  }
}

function flag(value: unknown, name: string): void {
  if (value === undefined || value === null || typeof value === 'boolean') return;
  throw option(`${name} must be true or false`);
}

function range(value: unknown, name: string, min: number, max: number): void {
  if (value === undefined || value === null) return;
  if (typeof value === 'number' && value >= min && value <= max) return;
  throw option(
    `${name} must be a number ${max === Number.MAX_VALUE ? `above ${min}` : `from ${min} to ${max}`}`,
  );
}

function option(reason: string): ValidationError {
  return new ValidationError('INVALID_OPTION', `${reason}.`);
}
