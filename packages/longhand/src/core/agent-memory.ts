import { ValidationError } from './errors.ts';
import { LIMITS } from './limits.ts';
import { findTextFault, isLongerThan } from './text.ts';
import { parseTimestamp } from './timestamps.ts';

/** The journal fades from the prompt; the core stays. */
export const AGENT_MEMORY_TYPES = ['journal', 'core'] as const;
export type AgentMemoryType = (typeof AGENT_MEMORY_TYPES)[number];

/** The agent whose core is the whiteboard: every agent of the account sees it, as far as it concerns the user. */
export const WHITEBOARD = 'whiteboard';

/** @throws ValidationError INVALID_ENTRY */
export function parseAgentMemoryType(value: unknown): AgentMemoryType {
  if (AGENT_MEMORY_TYPES.includes(value as AgentMemoryType)) return value as AgentMemoryType;
  throw new ValidationError('INVALID_ENTRY', `The type must be ${AGENT_MEMORY_TYPES.join(' or ')}.`);
}

/**
 * The text of a journal or core memory, trimmed. The messages for a blank and for a long one are part of the
 * tools' contract with models, and stand here word for word.
 * @throws ValidationError INVALID_CONTENT, CONTENT_TOO_LARGE, INVALID_TEXT
 */
export function parseAgentMemoryContent(value: unknown): string {
  if (typeof value !== 'string') {
    throw new ValidationError('INVALID_CONTENT', 'The content of a journal or core memory must be a text.');
  }
  const content = value.trim();
  if (content === '') throw new ValidationError('INVALID_CONTENT', 'Content cannot be blank');
  if (isLongerThan(content, LIMITS.agentMemoryCharacters)) {
    const limit = LIMITS.agentMemoryCharacters.toLocaleString('en-US');
    throw new ValidationError('CONTENT_TOO_LARGE', `Content too long (max ${limit} characters)`, {
      details: { limit: LIMITS.agentMemoryCharacters },
    });
  }
  const fault = findTextFault(content);
  if (fault !== undefined) throw new ValidationError('INVALID_TEXT', `The content ${fault}.`);
  return content;
}

/** @throws ValidationError INVALID_TIMESTAMP */
export function parseCreationTime(value: unknown): string {
  const timestamp = new Date(parseTimestamp(value)).toISOString();
  // A date beyond the year 9999 becomes a text that no reader takes for a time.
  parseTimestamp(timestamp);
  return timestamp;
}
