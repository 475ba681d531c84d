/**
 * The vocabulary of the log.
 *
 * Everything Longhand knows about a session is a record in that session's log: memories, the session's own
 * settings, deletions, uses, corrections. A record is a flat JSON object. A memory is written with exactly
 * the fields a person expects to read; every other record carries a `record` field that says what it is.
 */

export const MEMORY_TYPES = ['conversation', 'decision', 'finding', 'preference'] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

/** The version written into every new record; older ones are lifted by `core/schema.ts`. */
export const SCHEMA_VERSION = 1;

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };
export type JsonObject = { readonly [key: string]: JsonValue };

/** Who wrote a memory. */
export const AUTHORS = ['user', 'assistant', 'tool', 'import', 'system'] as const;
export type Author = (typeof AUTHORS)[number];

/**
 * How far a memory's text may be trusted when it is shown to a model again, best first. Derived text takes
 * the lowest tier of its sources.
 */
export const TRUST_TIERS = ['owner', 'agent', 'external', 'untrusted'] as const;
export type TrustTier = (typeof TRUST_TIERS)[number];

export interface Provenance {
  readonly author: Author;
  readonly trust: TrustTier;
  readonly agent_id?: string;
  /** The message it was taken from, when it was taken from one. */
  readonly message_id?: string;
  /** The session it was taken from, when it is kept elsewhere: in one that continues it, or with an agent. */
  readonly session_id?: string;
  /** Whose session that was, of what is kept with an agent: a session and its id may be gone, or be another's. */
  readonly user_id?: string;
  /** The tool, importer or file it came through. */
  readonly source?: string;
}

export interface MemoryEntry {
  readonly schema_version: number;
  readonly id: string;
  readonly session_id: string;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  readonly type: MemoryType;
  readonly content: JsonObject;
  /** 0 to 1. */
  readonly importance: number;
  /** The decay factor when the line was written; the current one is derived at query time. */
  readonly decay_factor: number;
  readonly tags: readonly string[];
  readonly references: readonly string[];
  /** Memories of the same user that this one takes the place of: they are no longer recalled. None when left out. */
  readonly replaces?: readonly string[];
  readonly provenance: Provenance;
  /** When it was last said again, ISO 8601; never when left out. */
  readonly confirmed_at?: string;
  /** When it was last corrected, ISO 8601; never when left out. */
  readonly updated_at?: string;
}

/** What a caller hands to `addMemory`. Everything but the content has a default. */
export interface NewMemory {
  /** `finding` when left out. */
  readonly type?: MemoryType;
  /** A plain text is kept as `{ text }`. */
  readonly content: JsonObject | string;
  /** Brings its own id: adding the same memory again is then a no-op. */
  readonly id?: string;
  /** A date or an ISO 8601 string; now when left out. */
  readonly timestamp?: string | Date;
  /** 0 to 1; 0.5 when left out. */
  readonly importance?: number;
  readonly tags?: readonly string[];
  readonly references?: readonly string[];
  /** Ids of memories of the same user that this one takes the place of. */
  readonly replaces?: readonly string[];
  readonly provenance?: Partial<Provenance>;
  /** What an export says of when it was last said again, or corrected. */
  readonly confirmed_at?: string | Date;
  readonly updated_at?: string | Date;
  /** 0 to 1: what an export says of when it was first written. Worked out when left out; no ranking asks for it. */
  readonly decay_factor?: number;
}

export interface DecayOverride {
  readonly enabled?: boolean;
  readonly half_life_hours?: number;
  readonly min_decay_factor?: number;
}

export interface CompactionOverride {
  readonly auto_compact?: boolean;
  /** Share of the size limit, 0 to 1, at which compaction starts automatically. */
  readonly threshold?: number;
}

export interface Preferences {
  readonly language?: string;
  readonly verbosity?: string;
  readonly custom?: JsonObject;
}

/** Settings as they are given: `null` takes one back to its default. */
export type Changed<Settings> = { readonly [Name in keyof Settings]?: Settings[Name] | null };

/** Whose session it is, and since when. One incarnation of a session never changes hands. */
export interface SessionOrigin {
  readonly user_id: string;
  readonly account_id: string;
  /** ISO 8601, UTC. */
  readonly created_at: string;
}

interface RecordOfSession {
  readonly schema_version: number;
  readonly session_id: string;
  readonly timestamp: string;
}

/**
 * The settings of a session. The first record of a log sets them; later ones change what they name. Each repeats
 * the owner, so that a damaged first record does not leave the session without one.
 */
export interface SessionRecord extends RecordOfSession, Partial<SessionOrigin> {
  readonly record: 'session';
  /** In a record without `created_at`, the first of most logs, also when the session was created. */
  readonly timestamp: string;
  readonly agents?: readonly string[] | null;
  readonly preferences?: Changed<Preferences> | null;
  readonly decay_config?: Changed<DecayOverride> | null;
  readonly compaction_config?: Changed<CompactionOverride> | null;
}

/** Takes memories out of the live set. Holds no content, and stays in the log when they leave it. */
export interface DeleteRecord extends RecordOfSession {
  readonly record: 'delete';
  readonly ids: readonly string[];
  readonly reason: string;
  /**
   * Damaged lines that go too, by the SHA-256 of their bytes: the deletion asked for a topic or a time, by which
   * they cannot be judged.
   */
  readonly damaged?: readonly string[];
  /** Memories that the deleted ones had replaced, and since when: they stay replaced. */
  readonly replaced?: Readonly<Record<string, string>>;
}

/**
 * Closes every rewrite of a log, so that sequence numbers go on rising whatever was dropped. Repeats the owner,
 * as far from the first record as can be.
 */
export interface CompactionRecord extends RecordOfSession, Partial<SessionOrigin> {
  readonly record: 'compaction';
  readonly dropped: number;
  readonly migrated_from?: number;
  /** When the log was last upgraded to a later schema, if that was before this rewrite. */
  readonly migrated_at?: string;
}

/** Memories that were used, many uses in one record: a read never writes one. */
export interface AccessRecord extends RecordOfSession {
  readonly record: 'access';
  /** When they were last used. */
  readonly timestamp: string;
  /** How often each was used since the record before. */
  readonly uses: Readonly<Record<string, number>>;
}

/** The user changed how important a memory is. */
export interface ImportanceRecord extends RecordOfSession {
  readonly record: 'importance';
  readonly id: string;
  readonly importance: number;
}

export type LogRecord =
  | MemoryEntry
  | SessionRecord
  | DeleteRecord
  | CompactionRecord
  | AccessRecord
  | ImportanceRecord;

export function isMemoryEntry(record: LogRecord): record is MemoryEntry {
  return !('record' in record);
}
