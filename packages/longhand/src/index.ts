/** Longhand: a memory for AI agents that outlives the conversation, written where people can read it. */
export { type Clock, systemClock } from './core/clock.ts';
export type { PartialConfig, StoreConfig } from './core/config.ts';
export {
  ConcurrencyError,
  CorruptionError,
  ERROR_CODES,
  type ErrorCode,
  IOError,
  LonghandError,
  NotFoundError,
  SizeLimitError,
  ValidationError,
} from './core/errors.ts';
export type { EventKind, EventListener, LonghandEvent } from './core/events.ts';
export { LIMITS } from './core/limits.ts';
export type { MetricsSnapshot } from './core/metrics.ts';
export type { Explanation, FoundMemory, MemoryQuery } from './core/query.ts';
export type {
  Author,
  CompactionOverride,
  DecayOverride,
  JsonObject,
  JsonValue,
  MemoryEntry,
  MemoryType,
  NewMemory,
  Preferences,
  Provenance,
  TrustTier,
} from './core/records.ts';
export type { Schema } from './core/schema.ts';
export type { Principal } from './core/scopes.ts';
export type { SessionSettings } from './core/session-options.ts';
export type { Durability, LogStore } from './core/store.ts';
export type { DroppedEntry } from './layers/compaction.ts';
export type { FadingMemory, FadingOptions } from './layers/fading.ts';
export type { CompactionOptions, CompactionReport, IndexReport, SessionStats } from './layers/maintenance.ts';
export type { DeleteByTopicOptions, DeleteOptions } from './layers/memories.ts';
export type { MemoryPage } from './layers/memory-search.ts';
export type { Session } from './layers/session.ts';
export type { ExportFormat } from './layers/session-export.ts';
export type { CreateSessionOptions } from './layers/sessions.ts';
export { MemoryManager, type MemoryManagerOptions } from './memory-manager.ts';
export { FileStore, type FileStoreOptions } from './stores/file/file-store.ts';
export { MemoryStore } from './stores/memory/memory-store.ts';
