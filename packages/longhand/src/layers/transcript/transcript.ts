import type { ArchivedMessage, Message } from '../../core/messages.ts';
import type { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { REDACTED, TextRedaction } from '../redacted.ts';
import { type AnySession, refOf, requireMeant } from '../session-ref.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import { type Erasure, eraseMessages, prunable, pruneBatches } from './transcript-erasure.ts';
import {
  type ArchiveResult,
  type ClientMessage,
  decideBatch,
  derivedMessageId,
  type ParsedBatch,
  parseBatch,
  parseMessageId,
  resultOf,
} from './transcript-input.ts';
import { type ReadMessagesOptions, TranscriptReader } from './transcript-reader.ts';
import { presentIn, type TranscriptState } from './transcript-state.ts';

interface ArchivedBatch {
  readonly batch_id: string;
  readonly archived_at: string;
  readonly start_timestamp: string;
  readonly end_timestamp: string;
  readonly first_index: number;
  /** Messages that can be read. */
  readonly messages: number;
  /** Messages that were forgotten, or have passed their retention. */
  readonly removed: number;
}

/** @param session that they are going from */
type BeforePruning = (session: AnySession, messages: readonly ArchivedMessage[]) => Promise<unknown>;

/**
 * What was said: user prompts and final answers, archived in batches and read message by message.
 *
 * The id of a message says whether it is new. It is decided under the store's lock, so it makes no difference
 * whether a client sends its whole state again, a batch is repeated after a lost answer, or client and server
 * archive the same turn at the same time: each message is kept once, as it first came. Replay is the order of
 * archiving, which never changes; the timestamps are those of the messages, and order nothing.
 */
export class Transcripts {
  readonly #context: LayerContext;
  readonly #reader: TranscriptReader;
  readonly #beforePruning: BeforePruning;

  /** @param beforePruning gets the messages that are about to go, while they can still be read */
  constructor(context: LayerContext, beforePruning: BeforePruning = async () => undefined) {
    this.#context = context;
    this.#beforePruning = beforePruning;
    this.#reader = new TranscriptReader(context);
  }

  /**
   * Keeps the prompts and final answers that are not there yet. All of the batch is checked first; it is
   * written as a whole or not at all.
   * @param options.batchId a repeat of the batch changes nothing, and gives the result of the first time. Messages
   * that were not archived under it before are kept all the same: nothing is lost because an id is used twice
   * @throws NotFoundError SESSION_NOT_FOUND, ValidationError naming the message
   */
  async archive(
    session: AnySession,
    messages: readonly (Message | ArchivedMessage | ClientMessage)[],
    options: { readonly batchId?: string } = {},
  ): Promise<ArchiveResult> {
    const { sessionId, incarnation } = refOf(session);
    const { clock, makeId, emit } = this.#context;
    const nowMs = clock.now();
    const log = this.log(sessionId);
    const given = options.batchId === undefined ? undefined : parseMessageId(options.batchId, 'batch id');
    const batchId = given ?? makeId('batch_', nowMs);
    const attempts = new Map<number, number>();
    let archived = 0;
    let result: ArchiveResult | undefined;
    for (;;) {
      const batch = parseBatch(messages, {
        nowMs,
        makeMessageId: (position) =>
          given === undefined
            ? makeId('msg_', nowMs)
            : derivedMessageId(sessionId, given, position, attempts.get(position) ?? 0),
      });
      let added = 0;
      await log.change(
        (state) => {
          const decided = decideBatch(state, batch, { sessionId, batchId, nowMs });
          const before = state.partsOf(batchId);
          added = decided.result.archived;
          result = added === 0 && before.length > 0 ? resultOf(batchId, before) : decided.result;
          return decided.records;
        },
        { incarnation },
      );
      archived += added;
      const others = added === batch.messages.length ? [] : await this.#othersUnderTheirIds(sessionId, batch);
      const clashing = others.flatMap((id) => batch.named.get(id) ?? []);
      result = { ...result!, conflicts: others };
      if (clashing.length === 0) break;
      for (const position of clashing) attempts.set(position, (attempts.get(position) ?? 0) + 1);
    }
    this.#reader.reportDamage(log);
    if (archived > 0)
      emit({ kind: 'transcript-archived', session_id: sessionId, batch_id: batchId, messages: archived });
    return result!;
  }

  /** Whether `archive` would take them. @throws ValidationError naming the message */
  check(messages: readonly Message[], { batchId }: { readonly batchId?: string }): void {
    if (batchId !== undefined) parseMessageId(batchId, 'batch id');
    parseBatch(messages, { nowMs: this.#context.clock.now(), makeMessageId: (position) => `m${position}` });
  }

  /** Ids that stand for another text already. */
  async #othersUnderTheirIds(sessionId: string, { messages }: ParsedBatch): Promise<string[]> {
    const state = await this.state(sessionId);
    const indexes = messages.map(({ id }) => state.indexOf(id)).filter((index) => index !== undefined);
    if (indexes.length === 0) return [];
    // Read in one go: a client that sends its state again names messages that stand together.
    const found = await this.messages(sessionId, {
      from: Math.min(...indexes),
      to: Math.max(...indexes) + 1,
    });
    const kept = new Map(found.map((message) => [message.id, message]));
    const others = messages.filter(({ id, role, content }) => {
      const same = kept.get(id);
      // What was forgotten is not found, and what was redacted cannot be compared: neither comes back.
      return same && !same.content.includes(REDACTED) && (same.content !== content || same.role !== role);
    });
    return [...new Set(others.map(({ id }) => id))];
  }

  /**
   * In the order in which they were archived. Costs what it gives, whatever the length of the transcript.
   * @throws NotFoundError SESSION_NOT_FOUND, ValidationError INVALID_OPTION
   */
  messages(sessionId: string, options: ReadMessagesOptions = {}): Promise<ArchivedMessage[]> {
    return this.#reader.messages(sessionId, options);
  }

  /** The newest messages, oldest of them first; those before an index when one is given. */
  latest(sessionId: string, count: number, before?: number): Promise<ArchivedMessage[]> {
    return this.#reader.latest(sessionId, count, before);
  }

  /** Messages that can be read. */
  async count(sessionId: string): Promise<number> {
    return (await this.state(sessionId)).present;
  }

  /** In the order in which they were archived. */
  async batches(sessionId: string): Promise<readonly ArchivedBatch[]> {
    const { parts } = await this.state(sessionId);
    const batches = new Map<string, ArchivedBatch>();
    for (const part of parts) {
      const same = batches.get(part.batchId);
      batches.set(part.batchId, {
        batch_id: part.batchId,
        archived_at: same?.archived_at ?? part.archivedAt,
        start_timestamp: [part.startTimestamp, same?.start_timestamp ?? part.startTimestamp].sort()[0]!,
        end_timestamp: [part.endTimestamp, same?.end_timestamp ?? part.endTimestamp].sort()[1]!,
        first_index: same?.first_index ?? part.firstIndex,
        messages: (same?.messages ?? 0) + presentIn(part),
        removed: (same?.removed ?? 0) + part.count - presentIn(part),
      });
    }
    return [...batches.values()];
  }

  /**
   * Takes away the messages of batches that were archived before a time. Our clock counts, not the timestamps
   * of clients. Ids and indexes stay. Gives the number of messages.
   */
  async prune(sessionId: string, beforeMs: number): Promise<number> {
    const erasure = await this.#erasure(sessionId);
    const going = await this.archivedBefore(sessionId, beforeMs);
    // First: what was made of them is found by them.
    if (going.length > 0) await this.#beforePruning(erasure, going);
    const removed = await pruneBatches(erasure, beforeMs);
    if (removed > 0)
      this.#context.emit({ kind: 'transcript-pruned', session_id: sessionId, messages: removed });
    return removed;
  }

  /** The messages that `prune` would take away, in the order in which they were archived. */
  async archivedBefore(sessionId: string, beforeMs: number): Promise<readonly ArchivedMessage[]> {
    const going: ArchivedMessage[] = [];
    for (const { firstIndex: from, count } of prunable(await this.state(sessionId), beforeMs))
      going.push(...(await this.messages(sessionId, { from, to: from + count, withExpired: true })));
    return going;
  }

  /** The time before which messages have passed their retention. */
  get expiredBeforeMs(): number {
    return this.#reader.expiredBeforeMs;
  }

  /**
   * Takes the texts of messages out of every file, and the summaries that knew of them; the ids stay, so that
   * a client that sends them again does not bring them back. What cannot be read goes with them, for it may be
   * theirs. Gives the number of messages that went.
   * @param options.unreadable what of it goes when none of the messages is there; all when left out
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async forget(
    session: AnySession,
    ids: readonly string[] | 'all',
    { unreadable = 'all' }: { readonly unreadable?: Unreadable } = {},
  ): Promise<number> {
    const chosen = ids === 'all' ? ids : new Set(ids.map((id) => parseMessageId(id)));
    return eraseMessages(await this.#erasure(session), {
      ids: chosen,
      replace: ({ id }) => id,
      unreadable,
    });
  }

  /**
   * Replaces a text wherever it stands in a message, in every file. The summaries that knew of the message go. Two at
   * the same time do both: each works on the message as it is under the lock.
   * @returns how many times it was there
   */
  async redactText(session: AnySession, messageId: string, text: string): Promise<number> {
    const id = parseMessageId(messageId);
    const erasure = await this.#erasure(session);
    const { sessionId } = erasure;
    const index = erasure.state.indexOf(id);
    const [message] =
      index === undefined
        ? []
        : await this.messages(sessionId, { from: index, to: index + 1, withExpired: true });
    // No rewrite without a reason. What does not count may say something else under the same id.
    if (!message?.content.includes(text) && !erasure.state.isStray(id)) return 0;
    let count = 0;
    const replace = (found: ArchivedMessage): ArchivedMessage => {
      const redaction = new TextRedaction(text);
      const content = redaction.inText(found.content);
      count = Math.max(count, redaction.count);
      return redaction.count === 0 ? found : { ...found, content };
    };
    await eraseMessages(erasure, { ids: new Set([id]), replace });
    return count;
  }

  /** The log that summaries are written to as well. @throws ValidationError INVALID_ID */
  log(sessionId: string): FollowedLog<TranscriptState> {
    return this.#reader.log(sessionId);
  }

  /** As `state`, for callers that look at many in passing. Empty when there is none. */
  glance(sessionId: string): Promise<TranscriptState> {
    return this.#reader.glance(sessionId);
  }

  /** As of now, for the layers beside this one, which do not change it. @throws NotFoundError SESSION_NOT_FOUND */
  state(sessionId: string): Promise<TranscriptState> {
    return this.#reader.state(sessionId);
  }

  async #erasure(session: AnySession): Promise<Erasure> {
    const { clock, makeId } = this.#context;
    const { sessionId, incarnation: meant } = refOf(session);
    const state = await this.state(sessionId);
    const log = this.log(sessionId);
    const incarnation = log.incarnationOf(state);
    // Without a transcript, there is nothing to compare.
    if (incarnation !== undefined) requireMeant(session, incarnation);
    return { sessionId, log, state, incarnation: meant ?? incarnation, nowMs: clock.now(), makeId };
  }
}
