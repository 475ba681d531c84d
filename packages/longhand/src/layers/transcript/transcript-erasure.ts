import type { IdMaker } from '../../core/ids.ts';
import type { ArchivedMessage } from '../../core/messages.ts';
import type { JsonObject } from '../../core/records.ts';
import type { Closing, FollowedLog, LostLine, StoredRecord } from '../followed-log.ts';
import { opening } from '../session-ref.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import { isMessageId } from './transcript-input.ts';
import type {
  BatchRecord,
  ErasureRecord,
  SummaryDroppedRecord,
  SummaryRecord,
} from './transcript-records.ts';
import { type Entry, forgottenIn, type Part, parseEntry, type TranscriptState } from './transcript-state.ts';

/**
 * How text leaves a transcript.
 *
 * The log is rewritten. A message that goes leaves its id in its place. A summary that covered it may repeat
 * what it said, so its text goes in the same rewrite; the summaries before it stay true, because a summary knows
 * nothing of what came later, and the newest of them is where the next one starts from. A message that has passed its
 * retention is its id alone, and may still be in a summary: the batch notes that it was forgotten too, so that asking
 * again finds nothing. A process that was writing a summary at that moment finds another erasure in the log than the one
 * it started from, and throws its text away.
 *
 * Where a line goes that cannot be read, the summaries behind it go too: they may repeat what it said. The ids that it
 * names stay, in the record that closes the rewrite: what was taken from those messages, and is kept elsewhere, was said
 * here.
 */
export interface Erasure {
  readonly sessionId: string;
  readonly log: FollowedLog<TranscriptState>;
  readonly state: TranscriptState;
  /** Of the transcript: what the state says of places is true of no other. */
  readonly incarnation: string | undefined;
  readonly nowMs: number;
  readonly makeId: IdMaker;
}

interface ErasedMessages {
  readonly ids: ReadonlySet<string> | 'all';
  /** What takes its place: its id, or the message as it may be read from now on. */
  readonly replace: (message: ArchivedMessage) => Entry;
  /** What cannot be read and may be meant, when none of the messages is there. With one of them, all of it goes. */
  readonly unreadable?: Unreadable;
}

/** What a damaged line said, and how old it is, is unknown: a copy set aside might outlive what was forgotten. */
const DAMAGED_GOES_TOO = 'all';

/** The number of messages that were replaced. */
export async function eraseMessages(
  erasure: Erasure,
  { ids, replace, unreadable = 'all' }: ErasedMessages,
): Promise<number> {
  const { sessionId, log, state, incarnation, nowMs, makeId } = erasure;
  const timestamp = new Date(nowMs).toISOString();
  const isFound = mayHold(erasure, ids);
  if (!isFound && !(await log.unreadable(unreadable)).isThere) return 0;
  // Indexes never change within an incarnation, so what is known of them now holds under the lock too.
  const indexes =
    ids === 'all' ? [0] : [...ids].map((id) => state.indexOf(id)).filter((at) => at !== undefined);
  const firstIndex = Math.min(...indexes);
  const replaced = new Set<string>();
  const closing: Omit<ErasureRecord, 'lost_ids'> = {
    ...opening('erasure', sessionId, nowMs),
    erasure_id: makeId('erasure_', nowMs),
  };
  await log.rewrite(
    ({ fields, line }, _state, lost) => {
      switch (fields.record) {
        case 'batch':
          return noteForgotten(
            fields,
            replaceIn(fields, (message) => {
              if (ids !== 'all' && !ids.has(message.id)) return message;
              replaced.add(message.id);
              return replace(message);
            }),
            ids,
          );
        case 'summary':
          if (Number(fields.summarized_count) <= firstIndex && !mayRepeat(line, lost)) return 'keep';
          return droppedSummary(fields, timestamp, 'forgotten');
        case 'erasure':
          return 'drop';
        case 'prune':
          return withoutLostIds(fields);
        default:
          return 'keep';
      }
    },
    withLostIds(closing as unknown as JsonObject),
    { unreadable: isFound ? DAMAGED_GOES_TOO : unreadable, incarnation },
  );
  return replaced.size;
}

/** The log is not rewritten when there is nothing to take away. */
function mayHold({ state }: Erasure, ids: ReadonlySet<string> | 'all'): boolean {
  if (ids === 'all') return state.nextIndex > 0 || state.hasStrays;
  return [...ids].some((id) => state.mayHold(id));
}

/** Which of the chosen ones are their ids alone by now. */
function noteForgotten(
  fields: StoredRecord['fields'],
  replaced: 'keep' | JsonObject,
  ids: ReadonlySet<string> | 'all',
): 'keep' | JsonObject {
  const { messages } = (replaced === 'keep' ? fields : replaced) as unknown as BatchRecord;
  if (!Array.isArray(messages)) return replaced;
  const before = forgottenIn(fields);
  const forgotten = [...new Set([...before, ...messages.filter((entry) => isIdOf(entry, ids))])];
  if (forgotten.length === before.length) return replaced;
  return { ...(replaced === 'keep' ? fields : replaced), forgotten };
}

function isIdOf(entry: Entry, ids: ReadonlySet<string> | 'all'): entry is string {
  return typeof entry === 'string' && entry !== '' && (ids === 'all' || ids.has(entry));
}

function replaceIn(
  fields: StoredRecord['fields'],
  replace: (message: ArchivedMessage) => Entry,
  changes: JsonObject = {},
): 'keep' | JsonObject {
  const { messages } = fields as unknown as BatchRecord;
  if (!Array.isArray(messages)) return 'keep';
  let isChanged = false;
  const entries = messages.map((value) => {
    const entry = parseEntry(value);
    const left = typeof entry === 'string' ? entry : replace(entry);
    if (left !== value) isChanged = true;
    return left;
  });
  return isChanged ? ({ ...fields, ...changes, messages: entries } as unknown as JsonObject) : 'keep';
}

/** A record that says that it is one of these has no message in it. */
const NO_BATCH =
  /^\{"schema_version":\d+,"record":"(?:summary|summary-failed|summary-dropped|erasure|prune)"/;

/** Whether a summary may know what a line said that goes unread. */
function mayRepeat({ offset: at }: StoredRecord['line'], lost: readonly LostLine[]): boolean {
  return lost.some(({ offset = -1, text }) => offset < at && !NO_BATCH.test(text));
}

/** Texts of their own in a list, or by the name of `id`. Those in a message are escaped, and so are none. */
const NAMED_IDS = /(?:"id":|[[,])("(?:[^"\\]|\\.)+")(?=[,\]}])/g;

/** The ids that a line of a transcript names. */
function idsIn({ text }: LostLine): readonly string[] {
  return Array.from(text.matchAll(NAMED_IDS), ([, quoted]) => textOf(quoted!)).filter(isMessageId);
}

/** Blank when its escapes were hit. */
function textOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return '';
  }
}

/** Closes a rewrite with the ids of all lines that went unread, in this one and before. */
function withLostIds(closing: JsonObject): Closing<TranscriptState> {
  return ({ lostIds }, lost) => {
    const ids = [...new Set([...lostIds, ...lost.flatMap(idsIn)])];
    return [ids.length === 0 ? closing : { ...closing, lost_ids: ids }];
  };
}

/** The newest record that closes a rewrite has them all. */
function withoutLostIds({ lost_ids, ...fields }: StoredRecord['fields']): 'keep' | JsonObject {
  return lost_ids === undefined ? 'keep' : fields;
}

function droppedSummary(
  fields: StoredRecord['fields'],
  timestamp: string,
  reason: SummaryDroppedRecord['reason'],
): JsonObject {
  const { schema_version, session_id, summarized_count } = fields as unknown as SummaryRecord;
  const dropped: SummaryDroppedRecord = {
    schema_version,
    record: 'summary-dropped',
    session_id,
    timestamp,
    summarized_count,
    reason,
  };
  return dropped as unknown as JsonObject;
}

/** Batches that were archived before a time, and have messages left. */
export function prunable({ parts }: TranscriptState, beforeMs: number): readonly Part[] {
  return parts.filter(({ archivedMs, count, goneAt }) => archivedMs < beforeMs && count > goneAt.length);
}

/** Takes the messages of old batches away, and the summaries of that time that a later one has replaced. */
export async function pruneBatches(erasure: Erasure, beforeMs: number): Promise<number> {
  const { sessionId, log, state, incarnation, nowMs, makeId } = erasure;
  const isOld = (timestamp: string): boolean => Date.parse(timestamp) < beforeMs;
  if (prunable(state, beforeMs).length === 0) return 0;
  const newestCount = state.summary?.summarized_count ?? 0;
  const timestamp = new Date(nowMs).toISOString();
  const removed = new Set<string>();
  const closing = {
    ...opening('prune', sessionId, nowMs),
    prune_id: makeId('prune_', nowMs),
  };
  await log.rewrite(
    ({ fields, line }, _state, lost) => {
      const isOlder = isOld(fields.timestamp);
      if (fields.record === 'batch' && isOlder) {
        const remove = (message: ArchivedMessage): string => {
          removed.add(message.id);
          return message.id;
        };
        return replaceIn(fields, remove, { pruned_at: timestamp });
      }
      if (fields.record === 'prune') return 'drop';
      if (fields.record === 'erasure') return withoutLostIds(fields);
      const isReplaced = fields.record === 'summary' && Number(fields.summarized_count) < newestCount;
      const isPast = isReplaced || fields.record === 'summary-failed';
      if (isPast && isOlder) return 'drop';
      const isOfLost = fields.record === 'summary' && mayRepeat(line, lost);
      return isOfLost ? droppedSummary(fields, timestamp, 'retention') : 'keep';
    },
    withLostIds(closing),
    { unreadable: DAMAGED_GOES_TOO, incarnation },
  );
  return removed.size;
}
