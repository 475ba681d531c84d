import type { ContextManifest, MemoryManager, Message, RoomOptions, ScopedMemory } from 'longhand';
import type { ServerConfig } from '../config/server-config.ts';

export interface ChatImage {
  /** `image/png`. */
  readonly media_type: string;
  /** Base64. */
  readonly data: string;
}

export interface ChatRequest {
  readonly new_messages: readonly Message[];
  /** A new session when left out. */
  readonly session_id?: string;
  /** `default` when left out. */
  readonly agent_id?: string;
  /** Shown to the model with the last of the new messages. */
  readonly images?: readonly ChatImage[];
}

export type ChatEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool'; readonly name: string; readonly input?: unknown; readonly error?: string }
  | {
      readonly type: 'done';
      readonly session_id: string;
      readonly agent_id: string;
      /** The ids of the new messages, in their order. */
      readonly new_message_ids: readonly string[];
      /** The id of the answer. */
      readonly message_id: string;
      readonly answer: string;
      /** `demo`, or the name of the model. */
      readonly model: string;
      readonly manifest?: ContextManifest;
    }
  | { readonly type: 'error'; readonly code: string; readonly message: string };

/** Answers messages: the agent loop, with its window, spool and write-behind. */
export interface Conversations {
  /** What the manager is opened with, so that windows know of messages that are not archived yet. */
  readonly rooms: RoomOptions;
  /** Called once, when the manager is there: archives what an earlier process left in the spool. */
  start(manager: MemoryManager): Promise<void>;
  answer(
    request: ChatRequest,
    memory: ScopedMemory,
    options?: { readonly signal?: AbortSignal },
  ): AsyncIterable<ChatEvent>;
  /** Writes everything that waits to the store; one session's when it is named. */
  flush(sessionId?: string): Promise<void>;
  /** Flushes, and ends what is under way. */
  close(): Promise<void>;
}

export function openConversations(_config: ServerConfig): Conversations {
  return {
    rooms: {},
    start: () => Promise.resolve(),
    // biome-ignore lint/correctness/useYield: there is nobody to answer yet.
    answer: async function* () {
      throw new Error('There is nobody to answer yet.');
    },
    flush: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
