import type { Clock } from './clock.ts';
import type { ErrorCode } from './errors.ts';
import { formatTimestamp } from './timestamps.ts';

/**
 * What the library tells its owner. It never prints: a server writes these to its log, a test collects
 * them, a terminal shows them. No event holds memory text. `docs/events.md` lists them.
 *
 * Whoever has something to tell gives the facts; the hub adds when, and how grave it is.
 */
export type EventFacts =
  | { readonly kind: 'session-created'; readonly session_id: string; readonly user_id: string }
  | { readonly kind: 'session-loaded'; readonly session_id: string }
  | { readonly kind: 'session-closed'; readonly session_id: string }
  | {
      readonly kind: 'session-deleted';
      readonly session_id: string;
      /** `undefined` when the record that named the owner was damaged. */
      readonly user_id: string | undefined;
    }
  | { readonly kind: 'session-updated'; readonly session_id: string }
  | {
      /**
       * It is left out of lists and searches: nobody can tell whose it is, its log is lost, a later version wrote it, or
       * something else stands in its place.
       */
      readonly kind: 'session-unreadable';
      readonly session_id: string;
      readonly code: ErrorCode;
    }
  | { readonly kind: 'memories-added'; readonly session_id: string; readonly ids: readonly string[] }
  | { readonly kind: 'memory-updated'; readonly session_id: string; readonly id: string }
  | { readonly kind: 'memories-deleted'; readonly session_id: string; readonly ids: readonly string[] }
  /** Whether a memory that was asked for, or found, was in memory, or had to be read from its log. */
  | { readonly kind: 'cache-hit' | 'cache-miss'; readonly id: string }
  | { readonly kind: 'compaction-started'; readonly session_id: string }
  | {
      readonly kind: 'compaction-finished';
      readonly session_id: string;
      readonly entries_before: number;
      readonly entries_after: number;
      readonly bytes_before: number;
      readonly bytes_after: number;
      /** Damaged lines that were moved to `corrupt/`: memories that can no longer be read. */
      readonly quarantined: number;
      /** Damaged lines that went for good, because they could hold what was deleted. */
      readonly discarded: number;
      readonly duration_ms: number;
    }
  | {
      /** An export had to leave out lines that cannot be read. */
      readonly kind: 'export-incomplete';
      readonly session_id: string;
      readonly damaged_lines: number;
    }
  | { readonly kind: 'compaction-failed'; readonly session_id: string; readonly code: ErrorCode | 'UNKNOWN' }
  | {
      readonly kind: 'schema-migrated';
      readonly session_id: string;
      readonly from: number;
      readonly to: number;
    }
  | {
      readonly kind: 'size-warning';
      readonly session_id: string;
      readonly size_bytes: number;
      readonly limit_bytes: number;
    }
  | { readonly kind: 'lock-acquired' | 'lock-released'; readonly log: string }
  | { readonly kind: 'lock-waited'; readonly log: string; readonly waited_ms: number }
  | { readonly kind: 'lock-timeout'; readonly log: string; readonly holder: string }
  | { readonly kind: 'lock-taken-over'; readonly log: string; readonly from_pid: number | undefined }
  | { readonly kind: 'tail-healed'; readonly log: string; readonly torn_bytes: number }
  | {
      readonly kind: 'corruption-found';
      readonly log: string;
      readonly lines: number;
      readonly first_offset: number;
    }
  | {
      /**
       * Lines whose numbers do not rise: somebody wrote past the lock, or copied lines by hand. Every line is in use;
       * what comes after them is not sure to be in its order.
       */
      readonly kind: 'sequence-broken';
      readonly log: string;
      readonly lines: number;
      readonly first_offset: number;
    }
  | {
      readonly kind: 'write-pending';
      readonly log: string;
      readonly records: number;
      readonly reason: string;
    }
  | { readonly kind: 'write-recovered'; readonly log: string; readonly records: number }
  | { readonly kind: 'io-failed'; readonly log: string; readonly operation: string; readonly reason: string }
  | { readonly kind: 'log-read-only'; readonly log: string; readonly reason: string }
  | { readonly kind: 'log-rescued'; readonly log: string }
  | {
      /** Others can read a file or folder of the store, and it could not be taken from them. */
      readonly kind: 'permissions-too-wide';
      readonly path: string;
      /** As in `chmod`: `644`. */
      readonly mode: string;
    }
  | { readonly kind: 'agent-created'; readonly agent_id: string }
  | { readonly kind: 'agent-updated'; readonly agent_id: string }
  | { readonly kind: 'agent-deleted'; readonly agent_id: string }
  | {
      readonly kind: 'agent-memories-changed';
      readonly agent_id: string;
      readonly ids: readonly string[];
      /** Whose they are; left out for agent-wide ones, and `null` for those that only admins see. */
      readonly user_id?: string | null;
    }
  | {
      readonly kind: 'notes-changed';
      readonly user_id: string;
      readonly agent_id: string;
      readonly version: number;
    }
  | {
      /** A person has saved what cannot be notes; prompts show the version before it. */
      readonly kind: 'notes-unreadable';
      readonly user_id: string;
      readonly agent_id: string;
      readonly code: ErrorCode;
    }
  | { readonly kind: 'detail-stored'; readonly session_id: string; readonly memory_key: string }
  | { readonly kind: 'details-removed'; readonly session_id: string; readonly memory_keys: readonly string[] }
  | {
      readonly kind: 'transcript-archived';
      readonly session_id: string;
      readonly batch_id: string;
      /** Messages that were not there before. */
      readonly messages: number;
    }
  | { readonly kind: 'transcript-pruned'; readonly session_id: string; readonly messages: number }
  | {
      /** What had been kept for its time was removed, from every session. */
      readonly kind: 'retention-finished';
      /** Those that something went from. */
      readonly sessions: number;
      readonly messages: number;
      readonly details: number;
      /** Sessions that could not be pruned. */
      readonly failed: number;
      readonly duration_ms: number;
    }
  | { readonly kind: 'summary-updated'; readonly session_id: string; readonly summarized_count: number }
  | { readonly kind: 'summary-failed'; readonly session_id: string; readonly reason: string }
  | {
      /** Queries are answered by words alone, and memories wait for their vectors, until it answers again. */
      readonly kind: 'embedder-failed';
      readonly operation: 'query' | 'document';
      readonly reason: string;
    }
  | { readonly kind: 'embedder-recovered' }
  /** The table of `longhand-vectors` is damaged, cut short or of another format: words alone answer. */
  | { readonly kind: 'vectors-unusable'; readonly reason: string }
  | {
      readonly kind: 'memories-embedded';
      readonly user_id: string;
      /** Vectors that were made. */
      readonly count: number;
    }
  | { readonly kind: 'forgotten'; readonly receipt_id: string; readonly pieces: number };

export type EventKind = EventFacts['kind'];
/** For those inside who have something to tell. */
export type Emit = (facts: EventFacts) => void;

/** `ERROR`: data is damaged, or the disk refused. `WARN`: it may come to that, or somebody waits in vain. */
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
