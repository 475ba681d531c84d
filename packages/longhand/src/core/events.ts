import type { ErrorCode } from './errors.ts';

/**
 * What the library tells its owner. It never prints: a server writes these to its log, a test collects
 * them, a terminal shows them. No event holds memory text.
 */
export type LonghandEvent =
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
  | { readonly kind: 'memories-added'; readonly session_id: string; readonly ids: readonly string[] }
  | {
      readonly kind: 'memories-deleted';
      readonly session_id: string;
      readonly ids: readonly string[];
      readonly reason: string;
    }
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
      readonly kind: 'write-pending';
      readonly log: string;
      readonly records: number;
      readonly reason: string;
    }
  | { readonly kind: 'write-recovered'; readonly log: string; readonly records: number }
  | { readonly kind: 'io-failed'; readonly log: string; readonly operation: string; readonly reason: string }
  | { readonly kind: 'log-read-only'; readonly log: string; readonly reason: string }
  | { readonly kind: 'log-rescued'; readonly log: string }
  | { readonly kind: 'agent-created'; readonly agent_id: string }
  | { readonly kind: 'agent-updated'; readonly agent_id: string }
  | { readonly kind: 'agent-deleted'; readonly agent_id: string }
  | { readonly kind: 'agent-memories-changed'; readonly agent_id: string; readonly ids: readonly string[] }
  | {
      readonly kind: 'notes-changed';
      readonly user_id: string;
      readonly agent_id: string;
      readonly version: number;
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
  | { readonly kind: 'summary-updated'; readonly session_id: string; readonly summarized_count: number }
  | { readonly kind: 'summary-failed'; readonly session_id: string; readonly reason: string }
  | { readonly kind: 'forgotten'; readonly receipt_id: string; readonly pieces: number };

export type EventKind = LonghandEvent['kind'];
export type EventListener = (event: LonghandEvent) => void;

/** Hands events to whoever listens. A listener that throws disturbs neither the others nor the work. */
export class EventHub {
  readonly #listeners = new Set<EventListener>();

  /** Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  readonly emit: EventListener = (event) => {
    for (const listener of this.#listeners) {
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
