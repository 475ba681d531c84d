import type { JsonObject, Provenance } from './records.ts';

/** One message of a conversation, as models take them and as transcripts keep them. */
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

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
}

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of its arguments. */
  readonly input_schema?: JsonObject;
}

/** A message that was archived: a user's prompt or a final answer. */
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
