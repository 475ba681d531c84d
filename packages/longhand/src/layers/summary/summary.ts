import type { ArchivedMessage } from '../../core/messages.ts';
import { type JsonObject, TRUST_TIERS, type TrustTier } from '../../core/records.ts';
import type { Summariser } from '../../core/summariser.ts';
import type { LayerContext } from '../layer-context.ts';
import { opening } from '../session-ref.ts';
import {
  countIn,
  presentIn,
  type SummaryDroppedRecord,
  type SummaryFailedRecord,
  type SummaryRecord,
  type TranscriptState,
  type Transcripts,
  trustOfMessage,
} from '../transcript/index.ts';
import { askSummariser } from './ask-summariser.ts';

export interface Summary {
  readonly text: string;
  /** The index of the first message that it does not know of. */
  readonly summarized_count: number;
  readonly covers: { readonly first_id: string; readonly last_id: string };
  /** The name of the summariser: `extractive` is the built-in one. */
  readonly method: string;
  /** The lowest of the messages that it covers. */
  readonly trust: TrustTier;
  readonly updated_at: string;
}

interface WorkingContext {
  readonly summary?: Summary;
  /** Every message after those that the summary covers, oldest first. */
  readonly messages: readonly ArchivedMessage[];
  /** Messages between the summary and these, when only the newest were asked for. */
  readonly omitted: number;
}

const DEFAULT_TIMEOUT_MS = 120_000;
/** What a summariser gets at once, so that a long past fits into a model; the rest comes the next time. */
const FOLD_CHARACTERS = 200_000;
/** After a failure: so many new messages, or so much time and at least one, before the next attempt. */
const RETRY_AFTER_MESSAGES = 8;
const RETRY_AFTER_MS = 300_000;
const RETRY_AFTER_MS_AT_MOST = 3_600_000;

/**
 * The rolling synopsis of what was said.
 *
 * A summary covers the messages 1 to n of a transcript; the messages after n stand for themselves. When more than
 * `summary.threshold` of them have come together, all but the last `summary.keep_last` are folded in, with one
 * call of the summariser. Summaries are records of the transcript's log, written in a transaction that makes sure
 * that the summary it started from is still the newest and that nothing was forgotten meanwhile: of two processes
 * that fold at once one wins, and the other's text is thrown away.
 *
 * When the summariser fails, the old summary stays and the messages stay verbatim, so nothing is missing. The
 * failure is a record too: no process tries again before something has changed.
 */
export class Summaries {
  readonly #context: LayerContext;
  readonly #transcripts: Transcripts;
  readonly #summariser: Summariser;
  readonly #timeoutMs: number;
  readonly #updates = new Map<string, Promise<Summary | undefined>>();

  /** @param timeoutMs how long the summariser may take */
  constructor(
    context: LayerContext,
    transcripts: Transcripts,
    summariser: Summariser,
    timeoutMs = DEFAULT_TIMEOUT_MS,
  ) {
    this.#context = context;
    this.#transcripts = transcripts;
    this.#summariser = summariser;
    this.#timeoutMs = timeoutMs;
  }

  /** @throws NotFoundError SESSION_NOT_FOUND */
  async current(sessionId: string): Promise<Summary | undefined> {
    return summaryOf(await this.#transcripts.state(sessionId));
  }

  /** The summary that stands for messages: none while summaries are off. @throws NotFoundError SESSION_NOT_FOUND */
  async inUse(sessionId: string): Promise<Summary | undefined> {
    return this.#inUse(await this.#transcripts.state(sessionId));
  }

  #inUse(state: TranscriptState): Summary | undefined {
    return this.#context.config.summary.enabled ? summaryOf(state) : undefined;
  }

  /** What a session's metadata says of its summary. */
  async summaryFields(
    sessionId: string,
  ): Promise<{ readonly summary: string | null; readonly summarized_count: number }> {
    const summary = await this.current(sessionId);
    return { summary: summary?.text ?? null, summarized_count: summary?.summarized_count ?? 0 };
  }

  /**
   * The summary and every message after it; all messages when summaries are off. Calls no model and writes nothing.
   * @param options.newest at most so many messages, for a caller that has no room for more
   */
  async workingContext(
    sessionId: string,
    options: { readonly newest?: number } = {},
  ): Promise<WorkingContext> {
    const state = await this.#transcripts.state(sessionId);
    const summary = this.#inUse(state);
    const from = summary?.summarized_count ?? 0;
    const unsummarised = state.presentFrom(from);
    const newest = Math.min(options.newest ?? unsummarised, unsummarised);
    const messages =
      newest === unsummarised
        ? await this.#transcripts.messages(sessionId, { from })
        : await this.#transcripts.latest(sessionId, newest);
    return { ...(summary === undefined ? {} : { summary }), messages, omitted: unsummarised - newest };
  }

  /** Whether there are too many messages that no summary covers, with those that are not archived yet. */
  async isDue(sessionId: string, waitingMessages = 0): Promise<boolean> {
    const { enabled, threshold } = this.#context.config.summary;
    if (!enabled) return false;
    const state = await this.#transcripts.state(sessionId);
    return state.presentFrom(countOf(state)) + waitingMessages > threshold;
  }

  /**
   * Folds old messages in when there are too many. Calls the summariser at most once, and never because it has
   * just failed. Gives the summary as it is then.
   */
  update(sessionId: string): Promise<Summary | undefined> {
    const running = this.#updates.get(sessionId);
    // Looked up again: it may have begun in an earlier session of this id.
    if (running !== undefined) return running.then(() => this.current(sessionId));
    const update = this.#update(sessionId).finally(() => this.#updates.delete(sessionId));
    this.#updates.set(sessionId, update);
    return update;
  }

  async #update(sessionId: string): Promise<Summary | undefined> {
    const { enabled, threshold, keep_last } = this.#context.config.summary;
    const state = await this.#transcripts.state(sessionId);
    const from = countOf(state);
    if (!enabled || state.presentFrom(from) <= threshold || this.#isHeldBack(state)) return summaryOf(state);
    const start = this.#startFrom(sessionId, state);
    const messages = await this.#transcripts.messages(sessionId, { from });
    const old = atMost(FOLD_CHARACTERS, messages.slice(0, Math.max(0, messages.length - keep_last)));
    if (old.length > 0) await this.#fold(sessionId, old, start);
    return this.current(sessionId);
  }

  /**
   * Rebuilds a summary that was dropped because messages that it covered are forgotten: from the newest one that did
   * not cover them, and from the messages that are left.
   */
  async recompute(sessionId: string): Promise<Summary | undefined> {
    await this.#updates.get(sessionId);
    for (;;) {
      const state = await this.#transcripts.state(sessionId);
      const { droppedCount: to } = state;
      const start = this.#startFrom(sessionId, state);
      const from = countOf(state);
      if (to === undefined || from >= to || !this.#context.config.summary.enabled) break;
      const messages = await this.#transcripts.messages(sessionId, { from, to });
      const missing = prunedBetween(state, from, to);
      if (messages.length === 0) {
        await this.#noteNothingLeft(sessionId, start, to, missing);
        break;
      }
      const next = atMost(FOLD_CHARACTERS, messages);
      const until = next.length === messages.length ? to : undefined;
      if (!(await this.#fold(sessionId, next, { ...start, missing, until }))) break;
    }
    return this.current(sessionId);
  }

  #startFrom(sessionId: string, state: TranscriptState): FoldStart {
    const { erasureId, summary } = state;
    return { erasureId, summary, incarnation: this.#transcripts.log(sessionId).incarnationOf(state) };
  }

  /** Whether a summary was written. */
  async #fold(sessionId: string, messages: readonly ArchivedMessage[], start: FoldStart): Promise<boolean> {
    const { clock, emit } = this.#context;
    const { summary: previous, erasureId, incarnation, missing = 0 } = start;
    const request = { previous: previous?.text, messages };
    const { text, reason } = await askSummariser(this.#summariser, request, this.#timeoutMs);
    if (text === undefined) {
      await this.#noteFailure(sessionId, reason, start);
      return false;
    }
    let summarized_count: number | undefined;
    await this.#transcripts.log(sessionId).change(
      (state) => {
        summarized_count = undefined;
        const isOvertaken =
          countOf(state) !== (previous?.summarized_count ?? 0) || state.erasureId !== erasureId;
        if (isOvertaken) return [];
        summarized_count = start.until ?? state.indexOf(messages.at(-1)!.id)! + 1;
        const record: SummaryRecord = {
          ...opening('summary', sessionId, clock.now()),
          summarized_count,
          first_id: previous?.first_id ?? messages[0]!.id,
          last_id: messages.at(-1)!.id,
          method: this.#summariser.name,
          trust: lowestTrust(messages, previous?.trust),
          text,
          ...(missing === 0 ? {} : { missing }),
        };
        return [record as unknown as JsonObject];
      },
      { create: false, incarnation },
    );
    if (summarized_count === undefined) return false;
    emit({ kind: 'summary-updated', session_id: sessionId, summarized_count });
    return true;
  }

  /** Whether an attempt failed, and too little has happened since. */
  #isHeldBack({ failure, nextIndex }: TranscriptState): boolean {
    if (failure === undefined) return false;
    const newMessages = nextIndex - failure.nextIndex;
    const enough = Math.max(this.#context.config.summary.keep_last, RETRY_AFTER_MESSAGES);
    if (newMessages <= 0 || newMessages >= enough) return newMessages <= 0;
    const waitMs = Math.min(RETRY_AFTER_MS * 2 ** (failure.attempts - 1), RETRY_AFTER_MS_AT_MOST);
    return this.#context.clock.now() - failure.atMs < waitMs;
  }

  async #noteFailure(
    sessionId: string,
    reason: string,
    { summary: previous, incarnation }: FoldStart,
  ): Promise<void> {
    const { clock, emit } = this.#context;
    emit({ kind: 'summary-failed', session_id: sessionId, reason });
    await this.#transcripts.log(sessionId).change(
      (state) => {
        if (countOf(state) !== (previous?.summarized_count ?? 0)) return [];
        const record: SummaryFailedRecord = {
          ...opening('summary-failed', sessionId, clock.now()),
          next_index: state.nextIndex,
          attempts: (state.failure?.attempts ?? 0) + 1,
          reason,
        };
        return [record as unknown as JsonObject];
      },
      { create: false, incarnation },
    );
  }

  async #noteNothingLeft(
    sessionId: string,
    { incarnation }: FoldStart,
    summarized_count: number,
    missing: number,
  ): Promise<void> {
    const record: SummaryDroppedRecord = {
      ...opening('summary-dropped', sessionId, this.#context.clock.now()),
      summarized_count,
      reason: missing > 0 ? 'retention' : 'forgotten',
      final: true,
      ...(missing === 0 ? {} : { missing }),
    };
    await this.#transcripts
      .log(sessionId)
      .change((state) => (state.droppedCount === undefined ? [] : [record as unknown as JsonObject]), {
        create: false,
        incarnation,
      });
  }
}

/** What a fold starts from; it counts only if this is still so when it is done. */
interface FoldStart {
  readonly summary: SummaryRecord | undefined;
  readonly erasureId: string | undefined;
  /** Of the transcript: a summary takes its time, and must not land in another session that got the same id. */
  readonly incarnation: string | undefined;
  readonly missing?: number;
  /** The count to write when it is not that of the last message. */
  readonly until?: number | undefined;
}

function summaryOf({ summary }: TranscriptState): Summary | undefined {
  if (summary === undefined) return undefined;
  const { text, summarized_count, first_id, last_id, method, trust, timestamp } = summary;
  return { text, summarized_count, covers: { first_id, last_id }, method, trust, updated_at: timestamp };
}

function countOf({ summary }: TranscriptState): number {
  return summary?.summarized_count ?? 0;
}

function lowestTrust(messages: readonly ArchivedMessage[], previous: TrustTier | undefined): TrustTier {
  const tiers = messages.map((message) => TRUST_TIERS.indexOf(trustOfMessage(message)));
  if (previous !== undefined) tiers.push(TRUST_TIERS.indexOf(previous));
  return TRUST_TIERS[Math.max(...tiers)]!;
}

/** The first messages that have so many characters together; always one. */
function atMost(characters: number, messages: readonly ArchivedMessage[]): readonly ArchivedMessage[] {
  let left = characters;
  const end = messages.findIndex(({ content }, i) => {
    left -= content.length;
    return left < 0 && i > 0;
  });
  return end < 0 ? messages : messages.slice(0, end);
}

/** Messages that have passed their retention. */
function prunedBetween(state: TranscriptState, from: number, to: number): number {
  return state
    .partsFrom(from)
    .filter(({ isPruned, isExpired }) => isPruned || isExpired)
    .reduce((sum, part) => sum + countIn(part, from, to) - presentIn(part, from, to), 0);
}
