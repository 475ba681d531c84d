import type { Clock } from './clock.ts';
import type { ErrorCode } from './errors.ts';
import { formatTimestamp } from './timestamps.ts';

/**
 * What the library reports to its owner. It never prints: a server writes these to its log, a test collects
 * them, a terminal shows them. No event holds memory text. `docs/events.md` lists them.
 *
 * The part that reports an event gives the facts; the hub adds the time and the severity.
 */
export type EventFacts = Readonly<
  | { kind: 'session-created'; session_id: string; user_id: string }
  | { kind: 'session-loaded' | 'session-updated' | 'session-closed'; session_id: string }
  | {
      kind: 'session-deleted';
      session_id: string;
      /** `undefined` when the record that named the owner was damaged. */
      user_id: string | undefined;
    }
  /**
   * It is left out of lists and searches: its owner cannot be told, its log is lost, a later version wrote it, or something
   * else stands in its place.
   */
  | { kind: 'session-unreadable'; session_id: string; code: ErrorCode }
  | { kind: 'memories-added'; session_id: string; ids: readonly string[] }
  | { kind: 'memory-updated'; session_id: string; id: string }
  | { kind: 'memories-deleted'; session_id: string; ids: readonly string[] }
  /** Whether a memory that was asked for, or found, was in memory, or had to be read from its log. */
  | { kind: 'cache-hit' | 'cache-miss'; id: string }
  | { kind: 'compaction-started'; session_id: string }
  | {
      kind: 'compaction-finished';
      session_id: string;
      entries_before: number;
      entries_after: number;
      bytes_before: number;
      bytes_after: number;
      /** Damaged lines that were moved to `corrupt/`: memories that can no longer be read. */
      quarantined: number;
      /** Damaged lines that went for good, because they could hold what was deleted. */
      discarded: number;
      duration_ms: number;
    }
  /** An export had to leave out lines that cannot be read. */
  | { kind: 'export-incomplete'; session_id: string; damaged_lines: number }
  | { kind: 'compaction-failed'; session_id: string; code: ErrorCode | 'UNKNOWN' }
  | { kind: 'schema-migrated'; session_id: string; from: number; to: number }
  | { kind: 'size-warning'; session_id: string; size_bytes: number; limit_bytes: number }
  | { kind: 'lock-acquired' | 'lock-released'; log: string }
  | { kind: 'lock-waited'; log: string; waited_ms: number }
  | { kind: 'lock-timeout'; log: string; holder: string }
  | { kind: 'lock-taken-over'; log: string; from_pid: number | undefined }
  | { kind: 'tail-healed'; log: string; torn_bytes: number }
  | { kind: 'corruption-found'; log: string; lines: number; first_offset: number }
  /**
   * Lines whose numbers do not rise: a writer ignored the lock, or a person copied lines. Every line is in use; what comes
   * after them is not sure to be in its order.
   */
  | { kind: 'sequence-broken'; log: string; lines: number; first_offset: number }
  | { kind: 'write-pending'; log: string; records: number; reason: string }
  | { kind: 'write-recovered'; log: string; records: number }
  | { kind: 'io-failed'; log: string; operation: string; reason: string }
  | { kind: 'log-read-only'; log: string; reason: string }
  | { kind: 'log-rescued'; log: string }
  | {
      /** Others can read a file or folder of the store, and it could not be taken from them. */
      kind: 'permissions-too-wide';
      path: string;
      /** As in `chmod`: `644`. */
      mode: string;
    }
  | { kind: 'agent-created' | 'agent-updated' | 'agent-deleted'; agent_id: string }
  | {
      kind: 'agent-memories-changed';
      agent_id: string;
      ids: readonly string[];
      /** Whose they are; left out for agent-wide ones, and `null` for those that only admins see. */
      user_id?: string | null;
    }
  | { kind: 'notes-changed'; user_id: string; agent_id: string; version: number }
  /** A person has saved what cannot be notes; prompts show the version before it. */
  | { kind: 'notes-unreadable'; user_id: string; agent_id: string; code: ErrorCode }
  | { kind: 'detail-stored'; session_id: string; memory_key: string }
  | { kind: 'details-removed'; session_id: string; memory_keys: readonly string[] }
  /** With the number of messages that were not there before. */
  | { kind: 'transcript-archived'; session_id: string; batch_id: string; messages: number }
  | { kind: 'transcript-pruned'; session_id: string; messages: number }
  | {
      /** What had been kept for its time was removed, from every session. */
      kind: 'retention-finished';
      /** Those that something went from. */
      sessions: number;
      messages: number;
      details: number;
      /** Sessions that could not be pruned. */
      failed: number;
      duration_ms: number;
    }
  | { kind: 'summary-updated'; session_id: string; summarized_count: number }
  | { kind: 'summary-failed'; session_id: string; reason: string }
  /** Queries are answered by words alone, and memories wait for their vectors, until it answers again. */
  | { kind: 'embedder-failed'; operation: 'query' | 'document'; reason: string }
  | { kind: 'embedder-recovered' }
  /** The table of `longhand-vectors` is damaged, cut short or of another format: words alone answer. */
  | { kind: 'vectors-unusable'; reason: string }
  /** With the number of vectors that were made. */
  | { kind: 'memories-embedded'; user_id: string; count: number }
  | { kind: 'forgotten'; receipt_id: string; pieces: number }
>;

export type EventKind = EventFacts['kind'];
/** For those inside who have something to tell. */
export type Emit = (facts: EventFacts) => void;

/** `ERROR`: data is damaged, or the disk refused. `WARN`: it may come to that, or a caller waits in vain. */
export type EventLevel = 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';

/** The one table of levels: a log that takes events takes these. */
export const EVENT_LEVELS: Readonly<Record<EventKind, EventLevel>> = {
  'session-created': 'INFO',
  'session-loaded': 'INFO',
  'session-closed': 'INFO',
  'session-deleted': 'INFO',
  'session-updated': 'INFO',
  'session-unreadable': 'ERROR',
  'memories-added': 'DEBUG',
  'memory-updated': 'INFO',
  'memories-deleted': 'INFO',
  'compaction-started': 'INFO',
  'compaction-finished': 'INFO',
  'compaction-failed': 'ERROR',
  'export-incomplete': 'WARN',
  'schema-migrated': 'INFO',
  'size-warning': 'WARN',
  'cache-hit': 'DEBUG',
  'cache-miss': 'DEBUG',
  'lock-acquired': 'DEBUG',
  'lock-released': 'DEBUG',
  'lock-waited': 'DEBUG',
  'lock-timeout': 'WARN',
  'lock-taken-over': 'WARN',
  'tail-healed': 'WARN',
  'corruption-found': 'ERROR',
  'sequence-broken': 'WARN',
  'write-pending': 'ERROR',
  'write-recovered': 'INFO',
  'io-failed': 'ERROR',
  'log-read-only': 'ERROR',
  'log-rescued': 'WARN',
  'permissions-too-wide': 'WARN',
  'agent-created': 'INFO',
  'agent-updated': 'INFO',
  'agent-deleted': 'INFO',
  'agent-memories-changed': 'DEBUG',
  'notes-changed': 'DEBUG',
  'notes-unreadable': 'WARN',
  'detail-stored': 'DEBUG',
  'details-removed': 'INFO',
  'transcript-archived': 'DEBUG',
  'transcript-pruned': 'INFO',
  'retention-finished': 'INFO',
  'summary-updated': 'INFO',
  'summary-failed': 'WARN',
  'embedder-failed': 'WARN',
  'embedder-recovered': 'INFO',
  'vectors-unusable': 'WARN',
  'memories-embedded': 'DEBUG',
  forgotten: 'INFO',
};

/** They come with nearly every call: only listeners that ask for them get them. */
const FREQUENT: ReadonlySet<EventKind> = new Set([
  'cache-hit',
  'cache-miss',
  'lock-acquired',
  'lock-released',
]);

export interface SubscribeOptions {
  /** Also events that come with nearly every call: those of locks and caches. Default false. */
  readonly frequent?: boolean;
}

export type LonghandEvent = EventFacts & {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly level: EventLevel;
};
export type EventListener = (event: LonghandEvent) => void;

/** Hands events to its listeners. A listener that throws disturbs neither the others nor the work. */
export class EventHub {
  readonly #listeners = new Set<EventListener>();
  readonly #ofFrequent = new Set<EventListener>();
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener, { frequent = false }: SubscribeOptions = {}): () => void {
    this.#listeners.add(listener);
    if (frequent) this.#ofFrequent.add(listener);
    return () => {
      this.#listeners.delete(listener);
      this.#ofFrequent.delete(listener);
    };
  }

  readonly emit: Emit = (facts) => {
    const listeners = FREQUENT.has(facts.kind) ? this.#ofFrequent : this.#listeners;
    // Nearly every write tells of itself: without a listener there is nothing to make.
    if (listeners.size === 0) return;
    const time = formatTimestamp(this.#clock.now());
    const event: LonghandEvent = { ...facts, time, level: EVENT_LEVELS[facts.kind] };
    for (const listener of listeners) {
      try {
        listener(event);
      } catch (error) {
        // The listener's bug belongs to its owner: surface it as an uncaught error, outside of our work.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  };
}
