import type { MemoryManager } from 'longhand';
import { ApiKeys } from './access/api-keys.ts';
import type { ServerConfig } from './config/server-config.ts';
import type { CloseOptions, Conversations } from './conversation/conversations.ts';
import { openConversations } from './conversation/open-conversations.ts';
import { logConversationEvent } from './log/log-conversations.ts';
import { logEvent } from './log/log-events.ts';
import { type Logger, loggerOf } from './log/logger.ts';
import { type OpeningOptions, openManager, refuseFileAsRoot } from './open-store.ts';

/** What every skin of the server works with, opened once. */
export interface Services {
  readonly config: ServerConfig;
  readonly manager: MemoryManager;
  readonly conversations: Conversations;
  /** Who may call, when `auth.enabled`. */
  readonly keys: ApiKeys;
  readonly logger: Logger;
  /** Writes what waits, gives what is under way some time to end, and lets go of the store. */
  close(options?: CloseOptions): Promise<void>;
}

/** @throws IOError when the store cannot be opened */
export async function openServices(
  config: ServerConfig,
  logger: Logger = loggerOf(config.log),
  options: OpeningOptions = {},
): Promise<Services> {
  refuseFileAsRoot(config);
  const conversations = openConversations(config, (event) => logConversationEvent(logger, event));
  const manager = await openManager(config, { ...options, ...conversations.rooms });
  manager.subscribe((event) => logEvent(logger, event), { frequent: logger.isOn('debug') });
  await conversations.start(manager);
  return {
    config,
    manager,
    conversations,
    logger,
    keys: new ApiKeys(config.stateFolder),
    close: async (options) => {
      try {
        await conversations.close({ graceMs: config.limits.shutdownSeconds * 1_000, ...options });
      } finally {
        await manager.close();
      }
    },
  };
}
