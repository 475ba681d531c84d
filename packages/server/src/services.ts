import type { MemoryManager } from 'longhand';
import type { ServerConfig } from './config/server-config.ts';
import type { Conversations } from './conversation/conversations.ts';

/** What every skin of the server works with, opened once. */
export interface Services {
  readonly config: ServerConfig;
  readonly manager: MemoryManager;
  /** Answers messages: the agent loop, with its window, spool and write-behind. */
  readonly conversations: Conversations;
}
