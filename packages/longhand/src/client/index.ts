export {
  type ChatMessage,
  type ChatState,
  type ChatStoreOptions,
  createChatStore,
  type Detail,
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
export type { ArchiveError, ArchiveState } from './outbox.ts';
export type { ServerEvent } from './read-events.ts';
export type { RememberedPiece, ToolCall, UndoStep } from './tool-events.ts';
