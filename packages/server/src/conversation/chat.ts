import type { ContextManifest, ContextRequest, Message } from 'longhand';

/** What a client asks: its new messages, and where the conversation takes place. */
export interface ChatRequest {
  /**
   * What was said since the last answer, oldest first; the last one is the user's. Ids and timestamps are made where
   * they are missing. Only users and assistants speak here.
   */
  readonly new_messages: readonly Message[];
  /** Made when it is left out, and when there is none of this id. */
  readonly session_id?: string;
  /** Who answers. When left out: the principal's agent, else every agent of the session in turn, else `default`. */
  readonly agent_id?: string;
  /** Where the user's days begin and end, for this turn; that of the caller's memory when left out. */
  readonly time_zone?: string;
  /** Pictures that belong to the last message. They are shown to the model and not kept. */
  readonly images?: readonly ChatImage[];
  /** Tokens for the prompt; that of the configuration when left out. */
  readonly budget?: number;
  /** Floors and ceilings of sections of the prompt, other than those of the configuration. */
  readonly sections?: ContextRequest['sections'];
}

export interface ChatImage {
  /** Base64, or the bytes. Addresses are not taken: a server must not fetch what a stranger names. */
  readonly data: string | Uint8Array;
  /** `image/png`, `image/jpeg`, … */
  readonly media_type: string;
}

/** Who speaks, and the id of the answer in the making. */
interface Speaker {
  readonly agent_id: string;
  readonly message_id: string;
}

/** What happens while an answer is made, in order. */
export type ChatEvent = ChatStart | ChatRecalled | ChatText | ChatTool | ChatDone | ChatFailure;

/** What the user said is safe from here on, whatever becomes of the answer. */
interface ChatStart {
  readonly type: 'start';
  readonly session_id: string;
  /** The ids of the new messages, in their order. */
  readonly new_message_ids: readonly string[];
  readonly agent_ids: readonly string[];
}

/** The memories that the message called up, sent before the model answers; not sent when there are none. */
export interface ChatRecalled extends Speaker {
  readonly type: 'recalled';
  readonly memories: readonly { readonly id: string; readonly relevance: number }[];
}

/** A piece of what the model says. */
export interface ChatText extends Speaker {
  readonly type: 'text';
  readonly text: string;
  /** From 1. What a model says before it calls a tool is no part of its answer: the last step is the answer. */
  readonly step: number;
}

/** A tool was called, and what came of it. */
export interface ChatTool extends Speaker {
  readonly type: 'tool';
  readonly name: string;
  readonly input: unknown;
  /** As the model sees it. */
  readonly output: string;
  /** The same, when it says what went wrong. */
  readonly error?: string;
  /** The key under which a large output was kept. */
  readonly memory_key?: string;
  /** From the call to what came of it. */
  readonly duration_ms: number;
}

export interface ChatAnswer extends Speaker {
  readonly answer: string;
  /** `demo`, or the name of the model. */
  readonly model: string;
  /** `stop` when the model had said what it wanted to; `length`, `content-filter`, … when it was cut off. */
  readonly finish_reason: string;
  /** It was given before, to the same message; the model was not asked again. */
  readonly is_repeated?: true;
  /** Why the prompt looked as it did: every piece, what it cost, and what did not fit. Not with a repeated answer. */
  readonly manifest?: AnswerManifest;
  readonly usage: { readonly input_tokens: number | null; readonly output_tokens: number | null };
}

/** What went into an answer, and how it ended. */
export type AnswerManifest = ContextManifest & { readonly finish_reason: string };

/**
 * All answers are given and safe. In a group, `agent_id`, `message_id`, `answer` and `manifest` are those of the last,
 * and among the `answers` the last one leaves its manifest out: it is long.
 */
export interface ChatDone extends ChatAnswer {
  readonly type: 'done';
  readonly session_id: string;
  readonly new_message_ids: readonly string[];
  readonly answers: readonly ChatAnswer[];
}

/** There is no answer. What the user said, and what agents before this one answered, is kept. */
export interface ChatFailure {
  readonly type: 'error';
  readonly code: string;
  /** For people. Holds nothing of the conversation, and nothing that a provider answered. */
  readonly message: string;
  readonly session_id: string;
  readonly new_message_ids: readonly string[];
  readonly agent_id: string;
  readonly is_retryable: boolean;
  /** The provider's HTTP status, when it gave one. */
  readonly status?: number;
  readonly answers: readonly ChatAnswer[];
}
