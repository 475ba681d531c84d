/** Longhand: a memory for AI agents that outlives the conversation, written where people can read it. */

export type { Context, ContextManifest, ContextRequest } from './context/assemble-context.ts';
export { WHITEBOARD } from './core/agent-memory.ts';
export { type AgentChanges, ALL_EXTRA_TOOLS } from './core/agent-settings.ts';
export { type Clock, systemClock } from './core/clock.ts';
export { DEFAULT_CONFIG, type PartialConfig, type StoreConfig } from './core/config.ts';
export type { TimeRange } from './core/day-range.ts';
export type { Embedder, EmbedOptions } from './core/embedder.ts';
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
export {
  EVENT_LEVELS,
  type EventFacts,
  type EventKind,
  type EventLevel,
  type EventListener,
  type LonghandEvent,
  type SubscribeOptions,
} from './core/events.ts';
export { LIMITS } from './core/limits.ts';
export type { MemoryChanges } from './core/memory-changes.ts';
export { findMemoryRefs, formatMemoryRef, teachMemoryRefs } from './core/memory-ref.ts';
export { memoryText } from './core/memory-text.ts';
export type { ArchivedMessage, Message, MessageRole, ToolCall, ToolDefinition } from './core/messages.ts';
export { type MetricsSnapshot, TIMING_BUCKETS_MS } from './core/metrics.ts';
export { parseJson } from './core/parse-json.ts';
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
export { AUTHORS, TRUST_TIERS } from './core/records.ts';
export type { Schema } from './core/schema.ts';
export type { Principal, ScopeOptions } from './core/scopes.ts';
export type { SessionSettings } from './core/session-options.ts';
export { DEFAULT_SHARES, overDefaults } from './core/shares.ts';
export type { Durability, LogAddress, LogPosition, LogStore, OpenBlob } from './core/store.ts';
export type { Summariser, SummaryRequest } from './core/summariser.ts';
export { isTimeZone, SYSTEM_TIME_ZONE, TIME_ZONE_FORMS } from './core/time-zone.ts';
export type { TokenCounter } from './core/token-counter.ts';
export { isMemoryTool, OPTIONAL_TOOL_NAMES, TOOL_NAMES, type ToolName } from './core/tool-names.ts';
export type { DetailOrigins, NewDetailValue } from './layers/details/detail-input.ts';
export type { Detail } from './layers/details/detail-records.ts';
export type { FoundDetail } from './layers/details/detail-search.ts';
export type { CapturedOutput, ToolOutput } from './layers/details/tool-capture.ts';
export type { Agent, AgentSettings } from './layers/journal/agents.ts';
export type { AgentMemory } from './layers/journal/shown-memory.ts';
export type { ChangedSessions, SessionsMark } from './layers/memories/changed-sessions.ts';
export type { DroppedEntry } from './layers/memories/compaction.ts';
export type { FadingMemory, FadingOptions } from './layers/memories/fading.ts';
export type {
  CompactionOptions,
  CompactionReport,
  IndexReport,
  MigrationReport,
  SessionStats,
} from './layers/memories/maintenance.ts';
export type { DeleteByTimeOptions, DeleteByTopicOptions, DeleteOptions } from './layers/memories/memories.ts';
export type { Session } from './layers/memories/session.ts';
export type { ExportFormat } from './layers/memories/session-export.ts';
export type { CreateSessionOptions } from './layers/memories/sessions.ts';
export type { UnreadableSession } from './layers/memories/unreadable-sessions.ts';
export type { Notes } from './layers/notes/notes.ts';
export type { NotesChange } from './layers/notes/notes-change.ts';
export type { ProposalRecord } from './layers/proposals/review-list.ts';
export type { PrunedSession, PruneOptions, PruneReport } from './layers/retention.ts';
export type { MemoryPage } from './layers/search/memory-search.ts';
export type { Semantic } from './layers/search/vectors/meaning-search.ts';
export type { VectorUpdate } from './layers/search/vectors/user-vectors.ts';
export type { CopyReport } from './layers/store-copy.ts';
export type { Summary } from './layers/summary/summary.ts';
export type { ArchiveResult } from './layers/transcript/transcript-input.ts';
export { type ClientMessage, type ParsedBatch, parseBatch } from './layers/transcript/transcript-input.ts';
export type { UnfinishedLine } from './layers/unfinished-lines.ts';
export type { Remembered, SimilarMemory } from './layers/users/remember.ts';
export type { DamagedPlace, VerifyReport } from './layers/verification.ts';
export { InProcessWindows, type WindowStore } from './layers/window/window.ts';
export type { LayerOptions, Layers } from './layers.ts';
export type { MemoryManagerOptions } from './manager-options.ts';
export { MemoryManager } from './memory-manager.ts';
export type { ExternalCopies, ExternalHold, ExternalScope } from './privacy/external-copies.ts';
export type { ForgetRequest, ForgetWhat } from './privacy/forget-request.ts';
export type { ForgetPreview, PieceCounts } from './privacy/piece-counts.ts';
export type { Receipt } from './privacy/receipts.ts';
export type { RedactionRequest } from './privacy/redaction.ts';
export type { ErasureCheck } from './privacy/verify-erased.ts';
export type {
  ContextOptions,
  RecallOptions,
  RememberedMemory,
  RememberOptions,
  ScopedConversation,
  ScopedMemory,
} from './scoped-memory.ts';
export { FileStore } from './stores/file/file-store.ts';
export type { FileStoreOptions } from './stores/file/file-store-options.ts';
export { type KernelLocks, loadKernelLocks } from './stores/file/kernel-locks.ts';
export { refuseOthersFolder } from './stores/file/others-folder.ts';
export { MemoryStore } from './stores/memory/memory-store.ts';
export { type FieldProblem, fieldProblemOf } from './tools/field-of-error.ts';
export { type InputIssue, issuesOf, problemOfIssue, sentenceOfIssue } from './tools/issue-words.ts';
