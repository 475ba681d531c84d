import type { ArchivedMessage } from '../../core/messages.ts';
import type { TrustTier } from '../../core/records.ts';

/**
 * The records of a transcript's log.
 *
 *     batch            messages that were archived together; a large batch takes several records (`part`, `parts`)
 *     summary          a synopsis of the messages before `summarized_count`
 *     summary-failed   an attempt that came to nothing: keeps all processes from trying again at once
 *     summary-dropped  stands where a summary stood that knew of messages that are forgotten now
 *     erasure          closes a rewrite that took texts away because they are to be forgotten
 *     prune            closes a rewrite that took texts away because of their age
 *
 * Every message has an index: its place in the order in which messages were archived, from 0. A message that was
 * forgotten or has passed its retention leaves its id in its place, so indexes stay true, a message that a client
 * sends again stays gone, and `summarized_count` is an index too. `first_index` is the index of a batch's first
 * message: what a damaged line held keeps its numbers.
 *
 * A batch of several records counts when its last one is there. They are written in one go, so after a crash a
 * batch is whole or not there at all.
 */
export interface BatchRecord {
  readonly schema_version: number;
  readonly record: 'batch';
  readonly session_id: string;
  /** When it was archived. */
  readonly timestamp: string;
  readonly batch_id: string;
  readonly first_index: number;
  /** The earliest and the latest of the batch as it was given. */
  readonly start_timestamp: string;
  readonly end_timestamp: string;
  readonly duplicates: number;
  readonly left_out: number;
  readonly part?: number;
  readonly parts?: number;
  /** When retention took the messages away. */
  readonly pruned_at?: string;
  /** Ids of messages that were forgotten by request. */
  readonly forgotten?: readonly string[];
  /** A message that is gone is its id alone. */
  readonly messages: readonly (ArchivedMessage | string)[];
}

export interface SummaryRecord {
  readonly schema_version: number;
  readonly record: 'summary';
  readonly session_id: string;
  readonly timestamp: string;
  readonly summarized_count: number;
  readonly first_id: string;
  readonly last_id: string;
  /** The name of the summariser. */
  readonly method: string;
  readonly trust: TrustTier;
  readonly text: string;
  /** Messages that were covered before and had passed their retention when the summary was rebuilt. */
  readonly missing?: number;
}

export interface SummaryFailedRecord {
  readonly schema_version: number;
  readonly record: 'summary-failed';
  readonly session_id: string;
  readonly timestamp: string;
  /** The index that the next message would have got. */
  readonly next_index: number;
  /** In a row. */
  readonly attempts: number;
  readonly reason: string;
}

export interface SummaryDroppedRecord {
  readonly schema_version: number;
  readonly record: 'summary-dropped';
  readonly session_id: string;
  readonly timestamp: string;
  readonly summarized_count: number;
  readonly reason: 'forgotten' | 'retention';
  /** Nothing is left to make it from again. */
  readonly final?: boolean;
  readonly missing?: number;
}

export interface ErasureRecord {
  readonly schema_version: number;
  readonly record: 'erasure';
  readonly session_id: string;
  readonly timestamp: string;
  /** Tells erasures apart: a process that read a text before this one must not write it down after it. */
  readonly erasure_id: string;
  /** As in a prune: ids that were named by lines which could not be read and went. */
  readonly lost_ids?: readonly string[];
}
