import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { MemoryManager } from 'longhand';
import { AccountFiles } from './access/account-files.ts';
import type { AccountStore } from './access/account-store.ts';
import { AccountTables } from './access/account-tables.ts';
import { CachedAccounts } from './access/cached-accounts.ts';
import { Gate } from './access/gate.ts';
import { type ServerConfig, usesTokens } from './config/server-config.ts';
import type { CloseOptions, Conversations } from './conversation/conversations.ts';
import { ACCOUNTS_FOLDER, accountsWithSpool } from './conversation/copy-spool.ts';
import { openConversations } from './conversation/open-conversations.ts';
import { logConversationEvent } from './log/log-conversations.ts';
import { logEvent } from './log/log-events.ts';
import { type Logger, loggerOf } from './log/logger.ts';
import {
  type Database,
  type OpeningOptions,
  type OpenRedis,
  openDatabase,
  openManager,
  openRedis,
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
  /** The same for an account that the gate has let in, opened when it is first asked for, until the answer is given. */
  use(accountId: string): Promise<UsedServices>;
  /** `undefined` when none is named. */
  readonly redis: OpenRedis | undefined;
  /** Writes what waits, gives work under way some time to end, and closes the store. */
  close(options?: CloseOptions): Promise<void>;
}

export interface UsedServices {
  readonly services: Services;
  readonly release: () => void;
}

/** @throws IOError when the store cannot be opened */
export async function openServices(
  config: ServerConfig,
  logger: Logger = loggerOf(config.log),
  { accountId = config.auth.account, ...options }: OpeningOptions = {},
): Promise<Services> {
  refuseFileAsRoot(config);
  const database = await openDatabase(config, options.schema);
  if (database !== undefined) {
    const { place, role, applied } = database;
    const metadata = { database: place, role, applied };
    logger.log('info', 'Serving from Postgres', { component: 'Database', metadata });
  }
  const gates = new OpenGates(config, accountId, database);
  const open = async (id: string): Promise<Services> => {
    const isOwn = id === accountId;
    const account = isOwn ? config : { ...config, stateFolder: folderOfAccount(config, id) };
    const calls = database?.calls(id);
    const redis = await openRedis(config, id, (...news) => logRedis(logger, ...news), isOwn);
    if (isOwn && redis?.isThere) {
      const metadata = { redis: redis.place };
      logger.log('info', 'Sharing windows, limits and news through Redis', { component: 'Redis', metadata });
    }
    const conversations = openConversations(account, {
      ...{ calls, news: redis?.news },
      onEvent: (event) => logConversationEvent(logger, event),
    });
    const cacheBytes = isOwn ? undefined : CACHE_BYTES_OF_OTHERS;
    const opening = { ...options, ...conversations.layerOptions, accountId: id, database, cacheBytes, redis };
    const manager = await openManager(account, opening);
    manager.subscribe((event) => logEvent(logger, event), { frequent: logger.isOn('debug') });
    await conversations.start(manager);
    const services: Services = {
      ...{ config, manager, conversations, logger, database, calls, redis, gate: gates.of(id)! },
      use: async (wanted) => (wanted === id ? { services, release: () => undefined } : others.use(wanted)),
      close: async (how) => {
        if (isOwn) await others.close();
        try {
          await conversations.close({ graceMs: config.limits.shutdownSeconds * 1_000, ...how });
        } finally {
          await manager.close();
        }
      },
    };
    return services;
  };
  const others = new OtherAccounts(open, config.limits.openAccounts);
  const services = await open(accountId);
  // What waits in the spool of a killed server is archived without waiting for a caller of its account.
  for (const id of accountsWithSpool(config.stateFolder))
    if (gates.of(id) !== undefined)
      others.use(id).then(
        ({ release }) => release(),
        () => undefined,
      );
  return services;
}

/** Bytes of search indexes that are kept in memory, of each account beside the server's own. */
const CACHE_BYTES_OF_OTHERS = 8 * 1024 * 1024;

/** Accounts beside the server's own. When too many are open, those close first that were not used for longest. */
class OtherAccounts {
  readonly #start: (id: string) => Promise<Services>;
  readonly #most: number;
  /** In the order of their last use. */
  readonly #open = new Map<string, { readonly services: Promise<Services>; uses: number }>();
  readonly #closing = new Map<string, Promise<void>>();

  constructor(start: (id: string) => Promise<Services>, most: number) {
    this.#start = start;
    this.#most = most;
  }

  async use(id: string): Promise<UsedServices> {
    const account = this.#open.get(id) ?? { services: this.#opened(id), uses: 0 };
    this.#open.delete(id);
    this.#open.set(id, account);
    account.uses++;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      account.uses--;
      this.#closeSome();
    };
    try {
      return { services: await account.services, release };
    } catch (error) {
      if (this.#open.get(id) === account) this.#open.delete(id);
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const id of [...this.#open.keys()]) this.#close(id);
    await Promise.all(this.#closing.values());
  }

  async #opened(id: string): Promise<Services> {
    await this.#closing.get(id);
    return this.#start(id);
  }

  #closeSome(): void {
    for (const [id, { uses }] of [...this.#open]) {
      if (this.#open.size <= this.#most) return;
      if (uses === 0) this.#close(id);
    }
  }

  #close(id: string): void {
    const closed = this.#open
      .get(id)!
      .services.then((services) => services.close())
      .catch(() => undefined)
      .finally(() => this.#closing.delete(id));
    this.#open.delete(id);
    this.#closing.set(id, closed);
  }
}

/** A gate for each account that is asked for: it holds no store, and a caller who is refused opens none. */
class OpenGates {
  readonly #config: ServerConfig;
  readonly #own: Gate;
  readonly #database: Database | undefined;
  readonly #others = new Map<string, Gate>();

  constructor(config: ServerConfig, accountId: string, database: Database | undefined) {
    this.#config = config;
    this.#database = database;
    this.#own = this.#make(accountId);
  }

  of(accountId: string): Gate | undefined {
    if (accountId === this.#own.accountId) return this.#own;
    const { accounts } = this.#config.auth;
    if (!accounts.includes(accountId) && !accounts.includes('*')) return undefined;
    const gate = this.#others.get(accountId) ?? this.#make(accountId, this.#own);
    this.#others.delete(accountId);
    this.#others.set(accountId, gate);
    if (this.#others.size > MOST_GATES) this.#others.delete(this.#others.keys().next().value!);
    return gate;
  }

  #make(accountId: string, own?: Gate): Gate {
    const { auth, jwt } = this.#config;
    return new Gate(new CachedAccounts(accountsOf(this.#config, this.#database?.calls(accountId))), {
      accountId,
      sessionMinutes: auth.sessionMinutes,
      ...(usesTokens(this.#config) ? { jwt } : {}),
      ...(own === undefined ? { other: (id: string) => this.of(id) } : { own }),
    });
  }
}

const MOST_GATES = 1_000;

/** Names of accounts hold any character. */
function folderOfAccount({ stateFolder }: ServerConfig, accountId: string): string {
  const name = createHash('sha256').update(accountId).digest('hex').slice(0, 32);
  return join(stateFolder, ACCOUNTS_FOLDER, name);
}

function logRedis(logger: Logger, isThere: boolean, reason: string): void {
  const component = 'Redis';
  if (isThere) logger.log('info', 'Redis is back', { component });
  else logger.log('warn', 'Redis is gone: serving goes on without it', { component, metadata: { reason } });
}

/** API keys and members are kept where the memory is. */
export function accountsOf({ stateFolder }: ServerConfig, calls: Services['calls']): AccountStore {
  return calls === undefined ? new AccountFiles(stateFolder) : new AccountTables(calls);
}
