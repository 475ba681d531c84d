import type { MemoryManager } from 'longhand';
import type { ServerConfig } from './config/server-config.ts';
import type { Conversations } from './conversation/conversations.ts';
import { openConversations } from './conversation/open-conversations.ts';
import { openManager } from './open-store.ts';

/** What every skin of the server works with, opened once. */
export interface Services {
  readonly config: ServerConfig;
  readonly manager: MemoryManager;
  readonly conversations: Conversations;
  /** Writes what waits, and lets go of the store. */
  close(): Promise<void>;
}

/** @throws IOError when the store cannot be opened */
export async function openServices(config: ServerConfig): Promise<Services> {
  const conversations = openConversations(config);
  const manager = openManager(config, conversations.rooms);
  await conversations.start(manager);
  return {
    config,
    manager,
    conversations,
    close: async () => {
      try {
        await conversations.close();
      } finally {
        await manager.close();
      }
    },
  };
}
