import type { JsonObject, Provenance } from './records.ts';

export interface Message {
  /** Names the message once and for all: archiving it twice keeps it once. */
  readonly id?: string;
  readonly role: MessageRole;
  readonly content: string;
  /** Who speaks, in a conversation of several. */
  readonly name?: string;
  /** ISO 8601, UTC. */
  readonly timestamp?: string;
  /** Of an assistant that asks for tools; each is answered by a message of the role `tool`. */
  readonly tool_calls?: readonly ToolCall[];
  /** Of a `tool` message: which call it answers. */
  readonly tool_call_id?: string;
}

export const MESSAGE_ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type MessageRole = (typeof MESSAGE_ROLES)[number];

/** Whether a value can be a message of a prompt. */
export function isMessage(value: unknown): value is Pick<Message, 'role' | 'content'> {
  const { role, content } = (value ?? {}) as Record<string, unknown>;
  return (MESSAGE_ROLES as readonly unknown[]).includes(role) && typeof content === 'string';
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: JsonObject;
}

export interface ArchivedMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
  readonly name?: string;
  readonly timestamp: string;
  readonly provenance?: Provenance;
  /** Why an answer is not whole: `length`, `content-filter`, … Left out when the model had said what it wanted to. */
  readonly cut_off?: string;
}
