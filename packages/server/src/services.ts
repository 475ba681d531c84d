import type { MemoryManager } from 'longhand';
import { AccountFiles } from './access/account-files.ts';
import type { AccountStore } from './access/account-store.ts';
import { AccountTables } from './access/account-tables.ts';
import { CachedAccounts } from './access/cached-accounts.ts';
import { Gate } from './access/gate.ts';
import { type ServerConfig, usesTokens } from './config/server-config.ts';
import type { CloseOptions, Conversations } from './conversation/conversations.ts';
import { openConversations } from './conversation/open-conversations.ts';
import { logConversationEvent } from './log/log-conversations.ts';
import { logEvent } from './log/log-events.ts';
import { type Logger, loggerOf } from './log/logger.ts';
import {
  type Database,
  type OpeningOptions,
  openDatabase,
  openManager,
  refuseFileAsRoot,
} from './open-store.ts';

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
  /** What the servers of the account share in the database. */
  readonly calls: ReturnType<Database['calls']> | undefined;
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
  const { accountId = config.auth.account } = options;
  const database = await openDatabase(config, options.schema);
  if (database !== undefined) {
    const { place, role, applied } = database;
    const metadata = { database: place, role, applied };
    logger.log('info', 'Serving from Postgres', { component: 'Database', metadata });
  }
  const calls = database?.calls(accountId);
  const conversations = openConversations(config, {
    calls,
    onEvent: (event) => logConversationEvent(logger, event),
  });
  const manager = await openManager(config, { ...options, ...conversations.rooms, accountId, database });
  manager.subscribe((event) => logEvent(logger, event), { frequent: logger.isOn('debug') });
  await conversations.start(manager);
  return {
    config,
    manager,
    conversations,
    logger,
    database,
    calls,
    gate: openGate(config, accountId, calls),
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
export function accountsOf({ stateFolder }: ServerConfig, calls: Services['calls']): AccountStore {
  return calls === undefined ? new AccountFiles(stateFolder) : new AccountTables(calls);
}

function openGate(config: ServerConfig, accountId: string, calls: Services['calls']): Gate {
  const { auth, jwt } = config;
  return new Gate(new CachedAccounts(accountsOf(config, calls)), {
    accountId,
    sessionMinutes: auth.sessionMinutes,
    ...(usesTokens(config) ? { jwt } : {}),
  });
}
