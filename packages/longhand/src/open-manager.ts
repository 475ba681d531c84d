import { type Clock, systemClock } from './core/clock.ts';
import { resolveConfig, type StoreConfig } from './core/config.ts';
import { NotFoundError } from './core/errors.ts';
import type { Emit } from './core/events.ts';
import { createIdMaker } from './core/ids.ts';
import type { Metrics } from './core/metrics.ts';
import { currentSchema } from './core/schema.ts';
import { LOCAL_ACCOUNT } from './core/scopes.ts';
import { DEFAULT_INDEX_LIMITS, type Embedding, type LayerContext } from './layers/layer-context.ts';
import { Accesses } from './layers/memories/accesses.ts';
import { GoneSessions } from './layers/memories/gone-sessions.ts';
import { Maintenance } from './layers/memories/maintenance.ts';
import { Memories } from './layers/memories/memories.ts';
import type { SummaryFields } from './layers/memories/projections.ts';
import { Sessions } from './layers/memories/sessions.ts';
import { Snapshots } from './layers/memories/snapshots.ts';
import type { MemorySearch } from './layers/search/memory-search.ts';
import type { UserParts } from './layers/users/user-parts.ts';
import type { Layers } from './layers.ts';
import { configOf, type MemoryManagerOptions } from './manager-options.ts';
import type { WordVectors } from './recall/vectors/index.ts';
import { FileStore } from './stores/file/file-store.ts';
import { CONFIG_FILE, parseConfigText, readRootConfig } from './stores/file/root-config.ts';

const DEFAULT_ROOT = './memory';
/** Longer than a model on this machine takes, and most of those behind an endpoint. */
const DEFAULT_EMBEDDER_WAIT_MS = 1_000;

/** What a memory manager works with once its store is open. */
export interface Opened extends UserParts {
  readonly search: LazySearch;
}

/** What the manager gives to those who work for it. */
export interface OpeningNeeds {
  readonly emit: Emit;
  readonly metrics: Metrics;
  readonly layers: () => Promise<Layers>;
}

/** @throws ValidationError INVALID_CONFIG, IOError when the store cannot be opened */
export async function openManager(options: MemoryManagerOptions, needs: OpeningNeeds): Promise<Opened> {
  const { clock = systemClock, schema = currentSchema } = options;
  const { emit, metrics } = needs;
  const given = configOf(options);
  const root = options.storageRoot ?? given.storage?.root_directory ?? DEFAULT_ROOT;
  const { defaultTimeZone } = options;
  const config = resolveConfig([
    { name: 'defaultTimeZone', value: { time_zone: defaultTimeZone } },
    { name: CONFIG_FILE, value: await readStoredConfig(options, root) },
    { name: 'the constructor’s options', value: given },
  ]);
  const loadTable = tableLoader(options, emit);
  const context: LayerContext = {
    store: options.store ?? openFiles(root, config, clock, emit),
    config,
    clock,
    makeId: createIdMaker(),
    emit,
    metrics,
    schema,
    embedding: config.semantic ? embeddingOf(options) : undefined,
    loadWords: async () => (config.semantic ? loadTable() : undefined),
    loadTable,
    indexLimits: { ...DEFAULT_INDEX_LIMITS, ...options.indexLimits },
  };
  const sessions = new Sessions(context);
  const memories = new Memories(context, sessions, async (...asked) =>
    (await search.load()).checkReplaces(...asked),
  );
  const accesses = new Accesses(context, sessions);
  const snapshots = new Snapshots(context);
  const search: LazySearch = new LazySearch(context, sessions, memories, accesses);
  const purge = async (userId: string): Promise<void> => (await search.load()).purge(userId);
  const summaryOf = async (sessionId: string): Promise<SummaryFields | undefined> =>
    (await hasTranscript(context, sessionId))
      ? (await needs.layers()).summaries.summaryFields(sessionId)
      : undefined;
  const maintenance = new Maintenance(context, sessions, snapshots, purge, summaryOf);
  const gone = new GoneSessions(context, sessions, options.account ?? LOCAL_ACCOUNT);
  return { context, sessions, memories, maintenance, snapshots, gone, accesses, search };
}

/** Searching is more than half of the code: it is loaded at the first search. */
class LazySearch {
  readonly #make: () => Promise<MemorySearch>;
  #search: Promise<MemorySearch> | undefined;
  /** Once it is loaded. */
  loaded: MemorySearch | undefined;

  constructor(context: LayerContext, sessions: Sessions, memories: Memories, accesses: Accesses) {
    this.#make = async () => {
      const [{ MemorySearch }, words] = await Promise.all([
        import('./layers/search/memory-search.ts'),
        // Memories are compared by one measure: with an embedder, by its vectors alone.
        context.embedding === undefined ? context.loadWords() : undefined,
      ]);
      this.loaded = new MemorySearch(context, sessions, memories, accesses, words);
      return this.loaded;
    };
  }

  load(): Promise<MemorySearch> {
    this.#search ??= this.#make();
    return this.#search;
  }

  async close(): Promise<void> {
    await (await this.#search)?.close();
  }
}

function embeddingOf({
  embedder,
  embedderWaitMs = DEFAULT_EMBEDDER_WAIT_MS,
}: MemoryManagerOptions): Embedding | undefined {
  return embedder && { embedder, waitMs: embedderWaitMs };
}

function tableLoader({ readTable }: MemoryManagerOptions, emit: Emit): LayerContext['loadTable'] {
  let words: Promise<WordVectors | undefined> | undefined;
  return () => {
    words ??= import('./adapters/word-table.ts').then(({ loadWordTable }) => loadWordTable(emit, readTable));
    return words;
  };
}

/** For a session without one, the layers are not even loaded. */
async function hasTranscript({ store }: LayerContext, sessionId: string): Promise<boolean> {
  try {
    await store.size({ kind: 'transcript', id: sessionId });
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
}

async function readStoredConfig({ store }: MemoryManagerOptions, root: string): Promise<unknown> {
  if (store === undefined) return readRootConfig(root);
  const text = await store.readDocument(undefined, CONFIG_FILE);
  return text === undefined ? undefined : parseConfigText(text, `The store’s ${CONFIG_FILE}`);
}

function openFiles(root: string, config: StoreConfig, clock: Clock, emit: Emit): FileStore {
  const { storage, concurrency, performance, integrity } = config;
  return new FileStore({
    root,
    clock,
    emit,
    durability: storage.durability,
    allowNetworkFileSystem: storage.allow_network_file_system,
    syncIntervalMs: performance.batch_write_interval_ms,
    checksums: integrity.enable_checksums,
    lockTimes: {
      lockTimeoutMs: concurrency.lock_timeout_ms,
      maxRetries: concurrency.max_retries,
      retryBackoffMs: concurrency.retry_backoff_ms,
    },
  });
}
