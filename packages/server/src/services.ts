import type { MemoryManager } from 'longhand';
import { AccountFiles } from './access/account-files.ts';
import { CachedAccounts } from './access/cached-accounts.ts';
import { Gate } from './access/gate.ts';
import { type ServerConfig, usesTokens } from './config/server-config.ts';
import type { CloseOptions, Conversations } from './conversation/conversations.ts';
import { openConversations } from './conversation/open-conversations.ts';
import { logConversationEvent } from './log/log-conversations.ts';
import { logEvent } from './log/log-events.ts';
import { type Logger, loggerOf } from './log/logger.ts';
import { type Database, type OpeningOptions, openManager, refuseFileAsRoot } from './open-store.ts';

/** What every skin of the server works with, opened once. */
export interface Services {
  readonly config: ServerConfig;
  readonly manager: MemoryManager;
  readonly conversations: Conversations;
  /** Who may call, when `auth.enabled`. */
  readonly gate: Gate;
  readonly logger: Logger;
  /** `undefined` when the store is a folder. */
  readonly database: Database | undefined;
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
  let database: Database | undefined;
  const onDatabase = (opened: Database): void => {
    database = opened;
    const { place, role, applied } = opened;
    const metadata = { database: place, role, applied };
    logger.log('info', 'Serving from Postgres', { component: 'Database', metadata });
  };
  const manager = await openManager(config, { ...options, ...conversations.rooms, onDatabase });
  manager.subscribe((event) => logEvent(logger, event), { frequent: logger.isOn('debug') });
  await conversations.start(manager);
  return {
    config,
    manager,
    conversations,
    logger,
    database,
    gate: openGate(config),
    close: async (options) => {
      try {
        await conversations.close({ graceMs: config.limits.shutdownSeconds * 1_000, ...options });
      } finally {
        await manager.close();
      }
    },
  };
}

/** API keys and members are kept where the memory is. */
function openGate(config: ServerConfig): Gate {
  const { auth, jwt } = config;
  return new Gate(new CachedAccounts(new AccountFiles(config.stateFolder)), {
    accountId: auth.account,
    sessionMinutes: auth.sessionMinutes,
    ...(usesTokens(config) ? { jwt } : {}),
  });
}
