export {
  type ChatMessage,
  type ChatState,
  type ChatStoreOptions,
  createChatStore,
  type Detail,
  type RememberedPiece,
  type ToolCall,
} from './chat-store.ts';
export {
  type CallOptions,
  type ClientOptions,
  type InputOf,
  LonghandClient,
  type OperationName,
  type OutputOf,
  ProblemError,
} from './http-client.ts';
export type { Operations } from './operations.generated.ts';
export { type ArchiveError, type ArchiveState, Outbox, type OutboxOptions } from './outbox.ts';
export type { OutboxMessage } from './outbox-rows.ts';
export { readEvents, type ServerEvent } from './read-events.ts';
