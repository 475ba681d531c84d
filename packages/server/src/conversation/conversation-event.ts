interface OfAgent {
  readonly session_id: string;
  readonly agent_id: string;
}

interface Failure<Kind> {
  readonly kind: Kind;
  readonly code: string;
}

/** What a conversation tells the server's log. No event holds a word of what was said. */
export type ConversationEvent =
  /** The reason has the address of the model, and what the network says of it. */
  | (OfAgent & Failure<'model-failed'> & { readonly status: number | undefined; readonly reason: string })
  | (OfAgent & Failure<'tool-failed'> & { readonly tool: string })
  /** An MCP server of `agent.mcpServers` cannot be reached: its tools are missing until it can. */
  | { readonly kind: 'mcp-server-failed'; readonly server: string; readonly code: string }
  | { readonly kind: 'turn-finished'; readonly session_id: string; readonly agents: number }
  /** The provider ended an answer before the model did. */
  | (OfAgent & { readonly kind: 'answer-cut-off'; readonly reason: string })
  /** Unarchived messages of a process that has ended were found, and this process has taken them over. */
  | { readonly kind: 'spool-recovered'; readonly messages: number }
  /** Lines that cannot be read; the file was set aside under this name. */
  | { readonly kind: 'spool-damaged'; readonly file: string; readonly lines: number }
  /** The session was deleted: there is nowhere to archive to. */
  | { readonly kind: 'spool-dropped'; readonly session_id: string; readonly messages: number }
  /** The server has ended with messages that are not archived; the next one to start archives them. */
  | { readonly kind: 'spool-left'; readonly messages: number }
  /** Messages that are forgotten are still in the file of another process, which does not look. */
  | { readonly kind: 'spool-not-cleared'; readonly messages: number }
  /** Other processes could not be told that something was forgotten. */
  | { readonly kind: 'notice-failed'; readonly code: string }
  /** Other users of the machine can look into the state folder, and it cannot be changed. */
  | { readonly kind: 'permissions-too-wide'; readonly path: string }
  | { readonly kind: 'spool-compaction-failed'; readonly code: string }
  | { readonly kind: 'spool-sync-failed'; readonly code: string }
  /** The messages stay in the spool, and archiving is tried again. */
  | { readonly kind: 'archive-failed'; readonly session_id: string; readonly code: string }
  | { readonly kind: 'summary-update-failed'; readonly session_id: string; readonly code: string };

export type ConversationListener = (event: ConversationEvent) => void;

/** The code of an error for logs and events: never its message, which may quote what was said. */
export function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'UNKNOWN';
}
