import { LIMITS } from '../../core/limits.ts';
import type { ArchivedMessage } from '../../core/messages.ts';
import { type JsonObject, SCHEMA_VERSION } from '../../core/records.ts';
import type { ParsedBatch } from './transcript-input.ts';
import type { BatchRecord } from './transcript-records.ts';
import type { Part, TranscriptState } from './transcript-state.ts';

export interface ArchiveResult {
  readonly batch_id: string;
  /** Messages that were not there before. */
  readonly archived: number;
  /** Messages that were archived before, or twice in the batch, or that have been forgotten since. */
  readonly duplicates: number;
  /** Tool and system messages, calls of tools, and messages without text. */
  readonly left_out: number;
  /** The earliest and the latest of the prompts and answers that were given; null when there were none. */
  readonly start_timestamp: string | null;
  readonly end_timestamp: string | null;
}

/** What a batch adds to a transcript. A batch without anything new leaves no trace. */
export function decideBatch(
  state: TranscriptState,
  { messages, leftOut }: ParsedBatch,
  batch: { readonly sessionId: string; readonly batchId: string; readonly nowMs: number },
): { readonly result: ArchiveResult; readonly records: readonly JsonObject[] } {
  const fresh = new Map<string, ArchivedMessage>();
  for (const message of messages)
    if (!state.has(message.id) && !fresh.has(message.id)) fresh.set(message.id, message);
  const times = messages.map(({ timestamp }) => timestamp).sort();
  const result: ArchiveResult = {
    batch_id: batch.batchId,
    archived: fresh.size,
    duplicates: messages.length - fresh.size,
    left_out: leftOut,
    start_timestamp: times[0] ?? null,
    end_timestamp: times.at(-1) ?? null,
  };
  const pieces = cut([...fresh.values()]);
  let index = state.nextIndex;
  const records = pieces.map((piece, i): BatchRecord => {
    const first_index = index;
    index += piece.length;
    return {
      schema_version: SCHEMA_VERSION,
      record: 'batch',
      session_id: batch.sessionId,
      timestamp: new Date(batch.nowMs).toISOString(),
      batch_id: batch.batchId,
      first_index,
      start_timestamp: times[0]!,
      end_timestamp: times.at(-1)!,
      duplicates: result.duplicates,
      left_out: leftOut,
      ...(pieces.length === 1 ? {} : { part: i + 1, parts: pieces.length }),
      messages: piece,
    };
  });
  return { result, records: records as unknown as JsonObject[] };
}

/** What `decideBatch` answered when the batch was archived, and what was added under its id since. */
export function resultOf(batchId: string, parts: readonly Part[]): ArchiveResult {
  const { duplicates, leftOut } = parts[0]!;
  return {
    batch_id: batchId,
    archived: parts.reduce((sum, { count }) => sum + count, 0),
    duplicates,
    left_out: leftOut,
    start_timestamp: parts.map(({ startTimestamp }) => startTimestamp).sort()[0]!,
    end_timestamp: parts
      .map(({ endTimestamp }) => endTimestamp)
      .sort()
      .at(-1)!,
  };
}

function cut(messages: readonly ArchivedMessage[]): ArchivedMessage[][] {
  const pieces: ArchivedMessage[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const message of messages) {
    const size = Buffer.byteLength(JSON.stringify(message));
    if (bytes + size > LIMITS.batchRecordBytes) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(message);
    bytes += size;
  }
  return pieces;
}
