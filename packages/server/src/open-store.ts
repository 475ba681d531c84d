import { existsSync } from 'node:fs';
import {
  FileStore,
  IOError,
  type LogStore,
  MemoryManager,
  MemoryStore,
  type PartialConfig,
  type RoomOptions,
} from 'longhand';
import type { Embedder } from 'longhand/embedders';
import type { ServerConfig } from './config/server-config.ts';

/** The store that the configuration names, opened at its first use. Only here is a store chosen. */
export async function openManager(config: ServerConfig, rooms: RoomOptions = {}): Promise<MemoryManager> {
  const embedder = await embedderOf(config);
  return new MemoryManager({
    storageRoot: config.storageRoot,
    config: storeConfig(config),
    ...(embedder === undefined ? {} : { embedder, embedderWaitMs: config.embedder.waitMs }),
    ...rooms,
  });
}

/**
 * The same for whoever looks after a store: one that is not there must not be made, and called sound.
 * @throws IOError STORAGE_ROOT_UNUSABLE
 */
export async function openExisting(config: ServerConfig): Promise<MemoryManager> {
  if (!existsSync(config.storageRoot)) {
    throw new IOError('STORAGE_ROOT_UNUSABLE', `There is no store in ${config.storageRoot}.`);
  }
  return openManager(config);
}

/** The embedder that the configuration names; nothing is loaded unless it does. */
async function embedderOf({ embedder }: ServerConfig): Promise<Embedder | undefined> {
  const { model, dimensions, waitMs: _, ...others } = embedder;
  if (model === undefined || dimensions === undefined) return undefined;
  const { openAIEmbedder } = await import('longhand/embedders');
  return openAIEmbedder({ model, dimensions, ...others });
}

/** The bare store in a folder, for moving from or to it. */
export function openFolder(root: string): LogStore {
  return new FileStore({ root });
}

/** A store in memory, to try out what a real one would refuse whatever its limits are. */
export function openScratch(): MemoryManager {
  return new MemoryManager({
    store: new MemoryStore(),
    config: {
      storage: { max_session_size_mb: 100_000, auto_compact: false },
      details: { quota_mb: 1_000_000 },
      notes: { max_kb: 10_240 },
    },
  });
}

/** What the server was told about the store; the rest is left to the store's own `config.json`. */
function storeConfig(config: ServerConfig): PartialConfig {
  const { window, context, details, transcript, notes } = config;
  return withoutGaps({
    storage: { durability: config.durability, max_session_size_mb: config.maxSessionSizeMb },
    summary: {
      enabled: config.summaryEnabled,
      threshold: config.summaryThreshold,
      keep_last: config.summaryKeepLast,
    },
    window: {
      max_messages: window.maxMessages,
      max_turns: window.maxTurns,
      idle_minutes: window.idleMinutes,
    },
    context: { budget_tokens: context.budgetTokens },
    details: {
      capture_above_tokens: details.captureAboveTokens,
      quota_mb: details.quotaMb,
      expire_after_days: details.expireAfterDays,
    },
    transcript: { retain_days: transcript.retainDays },
    notes: { keep_versions: notes.keepVersions, max_kb: notes.maxKb },
  });
}

function withoutGaps(sections: Readonly<Record<string, Readonly<Record<string, unknown>>>>): PartialConfig {
  const filled = Object.entries(sections).map(([name, section]) => [
    name,
    Object.fromEntries(Object.entries(section).filter(([, value]) => value !== undefined)),
  ]);
  return Object.fromEntries(filled.filter(([, section]) => Object.keys(section as object).length > 0));
}
