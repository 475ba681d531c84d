import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  FileStore,
  IOError,
  type LayerOptions,
  type LogStore,
  MemoryManager,
  MemoryStore,
  type PartialConfig,
  refuseOthersFolder,
  SYSTEM_TIME_ZONE,
} from 'longhand';
import type { Embedder } from 'longhand/embedders';
import { LOCAL_DEFAULTS } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { SETTINGS } from './config/settings.ts';
import type { Database, SchemaWish } from './open-database.ts';
import type { OpenRedis } from './open-redis.ts';

export type { Database } from './open-database.ts';
export type { OpenRedis } from './open-redis.ts';

/** Where one person asks, on their own machine, days are those of the machine. A server's answers do not depend on where it runs. */
export const OF_ONE_PERSON: OpeningOptions = { defaultTimeZone: SYSTEM_TIME_ZONE };

export interface OpeningOptions extends LayerOptions {
  /** Where neither the configuration nor the store names one. */
  readonly defaultTimeZone?: string;
  /** The account that is served; `local` when left out. */
  readonly accountId?: string;
  /** What is done about the tables of a database; `make` when left out. */
  readonly schema?: SchemaWish;
  /** One that is open already. */
  readonly database?: Database | undefined;
  /** Of search indexes that a database keeps in memory. */
  readonly cacheBytes?: number | undefined;
  /** The same, closed with the store. */
  readonly redis?: OpenRedis | undefined;
}

/**
 * The store that the configuration names: a folder is opened at its first use, a database now. Only here is a store chosen.
 * @throws IOError, ValidationError SCHEMA_TOO_NEW when the database cannot be used
 */
export async function openManager(
  config: ServerConfig,
  {
    accountId = LOCAL_DEFAULTS.account_id,
    schema,
    database: open,
    cacheBytes,
    redis: shared,
    ...options
  }: OpeningOptions = {},
): Promise<MemoryManager> {
  const embedder = await embedderOf(config);
  const database = open ?? (await openDatabase(config, schema));
  const redis = shared ?? (await openRedis(config, accountId, () => undefined, true));
  return new MemoryManager({
    ...(database === undefined
      ? { storageRoot: config.storageRoot }
      : { store: database.store(accountId, cacheBytes, redis) }),
    ...(redis === undefined ? {} : { windowStore: redis.windows }),
    account: accountId,
    config: storeConfig(config),
    ...(embedder === undefined ? {} : { embedder, embedderWaitMs: config.embedder.waitMs }),
    ...options,
  });
}

/** `undefined` when the store is a folder. @throws as `openManager` */
export async function openDatabase(
  { databaseUrl, ...config }: ServerConfig,
  schema: SchemaWish = 'make',
): Promise<Database | undefined> {
  if (databaseUrl === undefined) return undefined;
  const { Database } = await import('./open-database.ts');
  return Database.open({ ...config, databaseUrl }, schema);
}

/**
 * `undefined` when none is named.
 * @param onChange told when it is gone, and why, and when it is back
 * @param waits for the connection, but not for long
 */
export async function openRedis(
  { redisUrl }: ServerConfig,
  accountId: string,
  onChange: (isThere: boolean, reason: string) => void,
  waits: boolean,
): Promise<OpenRedis | undefined> {
  if (redisUrl === undefined) return undefined;
  const { OpenRedis } = await import('./open-redis.ts');
  return OpenRedis.open(redisUrl, accountId, onChange, waits);
}

/**
 * The same for commands that maintain a store: they must not create a missing one and then report it as sound.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export async function openExisting(
  config: ServerConfig,
  options: OpeningOptions = {},
): Promise<MemoryManager> {
  await refuseMissingStore(config);
  return openManager(config, { ...options, schema: 'need' });
}

/**
 * For callers that work on an existing store: a mistyped folder must not become a store.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export async function refuseMissingStore(config: ServerConfig): Promise<void> {
  const { storageRoot, stateFolder } = config;
  if (config.databaseUrl !== undefined) return (await openDatabase(config, 'need'))!.store('').close();
  refuseFile(storageRoot);
  // One that was only set up, or has given out API keys, has no sessions yet.
  const signs = [join(storageRoot, 'sessions'), join(storageRoot, 'config.json'), stateFolder];
  if (signs.some((path) => existsSync(path))) return;
  throw new IOError(
    'STORAGE_ROOT_UNUSABLE',
    `There is no store in ${storageRoot}. Check --storage-root; longhand remember, add, import, chat, serve and mcp make one.`,
    { details: { root: storageRoot } },
  );
}

/**
 * Called before anything is read or written there: a later error would say less, and a folder of other files must stay
 * as it is.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export function refuseFileAsRoot({ storageRoot, databaseUrl }: ServerConfig): void {
  if (databaseUrl !== undefined) return;
  refuseFile(storageRoot);
  refuseOthersFolder(storageRoot);
}

function refuseFile(storageRoot: string): void {
  const status = statSync(storageRoot, { throwIfNoEntry: false });
  if (status === undefined || status.isDirectory()) return;
  throw new IOError(
    'STORAGE_ROOT_UNUSABLE',
    `${storageRoot} cannot be a storage root: it is not a folder. Name another with --storage-root.`,
    { details: { root: storageRoot } },
  );
}

/** The embedder that the configuration names; nothing is loaded unless it does. */
async function embedderOf({ embedder, semantic }: ServerConfig): Promise<Embedder | undefined> {
  const { model, dimensions, onnxModel, waitMs: _, baseURL, apiKey, ...prefixes } = embedder;
  if (semantic === false || (model === undefined && onnxModel === undefined)) return undefined;
  const { onnxEmbedder, openAIEmbedder } = await import('longhand/embedders');
  if (onnxModel !== undefined)
    return onnxEmbedder({ model: onnxModel, vocabulary: join(dirname(onnxModel), 'vocab.txt'), ...prefixes });
  return openAIEmbedder({
    model: model!,
    dimensions: dimensions!,
    baseURL,
    ...(apiKey === undefined ? {} : { apiKey }),
    ...prefixes,
  });
}

/** The bare stores of a place, to copy into: a folder has one for all accounts, a database one for each. */
export async function openTarget(config: ServerConfig): Promise<{
  readonly of: (accountId: string) => LogStore;
  readonly close: () => Promise<void>;
}> {
  const database = await openDatabase(config);
  const stores = new Map<string, LogStore>();
  const of = (accountId: string): LogStore => {
    const key = database === undefined ? '' : accountId;
    const store =
      stores.get(key) ?? database?.store(accountId) ?? new FileStore({ root: config.storageRoot });
    stores.set(key, store);
    return store;
  };
  return {
    of,
    close: async () => void (await Promise.all([...stores.values()].map((store) => store.close()))),
  };
}

/** A store in memory, which ends with its disposal: to rank texts, or to try out what the real one would refuse. */
interface Scratch extends AsyncDisposable {
  /** With the limits of the real one. */
  readonly manager: MemoryManager;
  /** The same store without limits, to put into it what the real one holds. */
  readonly unlimited: MemoryManager;
}

/**
 * @param config of the real one, whose limits hold; the defaults when left out
 * @throws as the real store does when its `config.json` makes no sense
 */
export async function openScratch(config?: ServerConfig): Promise<Scratch> {
  const store = new MemoryStore();
  const unlimited = new MemoryManager({
    store,
    config: {
      storage: { max_session_size_mb: 100_000, auto_compact: false },
      details: { quota_mb: 1_000_000 },
      notes: { max_kb: 10_240 },
    },
  });
  // Opened before the settings of the real store are there.
  await unlimited.listSessions();
  const settings = config && (await settingsOf(config));
  if (settings !== undefined) await store.writeDocument(undefined, 'config.json', settings);
  const told = config === undefined ? {} : storeConfig(config);
  const manager = new MemoryManager({
    store,
    config: { ...told, storage: { ...told.storage, auto_compact: false } },
  });
  return {
    manager,
    unlimited,
    [Symbol.asyncDispose]: async () => {
      await manager.close();
      await unlimited.close();
    },
  };
}

/** The store's own `config.json`. */
async function settingsOf(config: ServerConfig): Promise<string | undefined> {
  const path = join(config.storageRoot, 'config.json');
  if (config.databaseUrl === undefined) return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  const store = (await openDatabase(config))!.store(LOCAL_DEFAULTS.account_id);
  try {
    return await store.readDocument(undefined, 'config.json');
  } finally {
    await store.close();
  }
}

/** The server's settings of the store; the store's own `config.json` has the rest. */
function storeConfig(config: ServerConfig): PartialConfig {
  const settings: Record<string, unknown> = {};
  for (const { path, storeKey } of SETTINGS) {
    const value = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], config);
    if (storeKey === undefined || value === undefined) continue;
    const [section, key] = storeKey.split('.') as [string, string | undefined];
    if (key === undefined) settings[section] = value;
    else settings[section] = { ...(settings[section] as object | undefined), [key]: value };
  }
  return settings;
}
