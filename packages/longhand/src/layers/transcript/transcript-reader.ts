import { ValidationError } from '../../core/errors.ts';
import { parseSessionId } from '../../core/ids.ts';
import type { ArchivedMessage } from '../../core/messages.ts';
import { FollowedLog } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import {
  type Entry,
  type Part,
  parseEntry,
  type TranscriptState,
  transcriptFold,
} from './transcript-state.ts';

/** Transcripts that are followed at once; beyond it, the one used longest ago is read again when needed. */
const LOGS_IN_MEMORY = 64;

export interface ReadMessagesOptions {
  /** The index of the first message; 0 when left out. Messages that are gone have kept theirs. */
  readonly from?: number;
  /** Begins after the message of this id, which may be gone by now. */
  readonly after?: string;
  /** The index to stop before. */
  readonly to?: number;
  readonly limit?: number;
  /** Also those that have passed their retention and are still in the log: for erasure. */
  readonly withExpired?: boolean;
}

const MS_PER_DAY = 86_400_000;

/** Follows the logs of transcripts, and reads what of them is not in memory. */
export class TranscriptReader {
  readonly #context: LayerContext;
  readonly #logs = new LeastRecentlyUsed<FollowedLog<TranscriptState>>(LOGS_IN_MEMORY);
  /** A caller that pages through an old batch asks for it again and again. */
  readonly #lastRead = new WeakMap<
    TranscriptState,
    { readonly part: Part; readonly entries: readonly Entry[] }
  >();
  readonly #reportedLines = new WeakMap<FollowedLog<TranscriptState>, number>();

  constructor(context: LayerContext) {
    this.#context = context;
  }

  /** @throws ValidationError INVALID_ID */
  log(sessionId: string): FollowedLog<TranscriptState> {
    const log = this.#logs.get(parseSessionId(sessionId)) ?? this.#follow(sessionId);
    this.#logs.set(sessionId, log);
    return log;
  }

  #follow(id: string): FollowedLog<TranscriptState> {
    return new FollowedLog(this.#context, { kind: 'transcript', id }, transcriptFold);
  }

  /** As `state`, in passing: a transcript that is not in use takes the place of none that is. */
  async glance(sessionId: string): Promise<TranscriptState> {
    const log = this.#logs.get(sessionId) ?? this.#follow(sessionId);
    return this.#withoutExpired(await log.current());
  }

  /** The time before which messages have passed their retention. */
  get expiredBeforeMs(): number {
    const { clock, config } = this.#context;
    const days = config.transcript.retain_days;
    return days === 0 ? Number.NEGATIVE_INFINITY : clock.now() - days * MS_PER_DAY;
  }

  #withoutExpired(state: TranscriptState): TranscriptState {
    state.expire(this.expiredBeforeMs);
    return state;
  }

  /** As of now. Callers do not change it. @throws NotFoundError SESSION_NOT_FOUND */
  async state(sessionId: string): Promise<TranscriptState> {
    const log = this.log(sessionId);
    const state = await log.current();
    this.reportDamage(log);
    // A session without a transcript and no session at all look the same from here.
    if (state.nextIndex === 0) await this.#context.store.size({ kind: 'session', id: sessionId });
    return this.#withoutExpired(state);
  }

  /** @throws NotFoundError SESSION_NOT_FOUND, ValidationError INVALID_OPTION */
  async messages(sessionId: string, options: ReadMessagesOptions): Promise<ArchivedMessage[]> {
    const limit = parseCount(options.limit, 'limit') ?? Number.POSITIVE_INFINITY;
    const to = parseCount(options.to, 'to') ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const state = await this.state(sessionId);
      const from = startOf(state, options);
      const found = await this.#collect(sessionId, state, from, to, limit, options.withExpired);
      if (found !== undefined) return found;
    }
  }

  /** The newest messages before an index, oldest of them first. */
  async latest(sessionId: string, count: number, before?: number): Promise<ArchivedMessage[]> {
    const wanted = parseCount(count, 'count')!;
    const end = parseCount(before, 'before') ?? Number.POSITIVE_INFINITY;
    for (;;) {
      const state = await this.state(sessionId);
      const to = Math.min(end, state.nextIndex);
      const from = state.startOfLatest(wanted, to);
      const found = await this.#collect(sessionId, state, from, to, Number.POSITIVE_INFINITY);
      if (found !== undefined) return found.slice(Math.max(0, found.length - wanted));
    }
  }

  /** Tells of damaged lines when there are more than last time. */
  reportDamage(log: FollowedLog<TranscriptState>): void {
    const { damagedLines, firstDamagedOffset } = log;
    if (this.#reportedLines.get(log) === damagedLines) return;
    this.#reportedLines.set(log, damagedLines);
    if (firstDamagedOffset !== undefined)
      this.#tellOfDamage(log.address.id, damagedLines, firstDamagedOffset);
  }

  /** `undefined` when the log was rewritten in the meantime. */
  async #collect(
    sessionId: string,
    state: TranscriptState,
    from: number,
    to: number,
    limit: number,
    withExpired = false,
  ): Promise<ArchivedMessage[] | undefined> {
    const found: ArchivedMessage[] = [];
    for (const part of state.partsFrom(from)) {
      if (part.firstIndex >= to || found.length >= limit) break;
      if (part.goneAt.length === part.count || (part.isExpired && !withExpired)) continue;
      const entries = part.entries ?? (await this.#reread(sessionId, state, part));
      if (entries === undefined) return undefined;
      const end = Math.min(entries.length, to - part.firstIndex);
      for (let at = Math.max(0, from - part.firstIndex); at < end && found.length < limit; at++) {
        const message = state.messageAt(entries[at]!, part.firstIndex + at);
        if (message !== undefined) found.push(message);
      }
    }
    return found;
  }

  async #reread(
    sessionId: string,
    state: TranscriptState,
    part: Part,
  ): Promise<readonly Entry[] | undefined> {
    const last = this.#lastRead.get(state);
    if (last?.part === part) return last.entries;
    const log = this.log(sessionId);
    const messages = (await log.recordAt(state, part.place))?.fields.messages;
    if (!Array.isArray(messages)) {
      if ((await log.current()) !== state) return undefined;
      // The line was whole when the log was read, and is no longer: what else is there can still be read.
      this.#tellOfDamage(sessionId, 1, part.place.offset);
      return [];
    }
    const entries = messages.map(parseEntry);
    this.#lastRead.set(state, { part, entries });
    return entries;
  }

  #tellOfDamage(sessionId: string, lines: number, first_offset: number): void {
    const { emit, metrics } = this.#context;
    metrics.count('memory.errors.corruption.count', lines);
    emit({ kind: 'corruption-found', log: `transcript ${sessionId}`, lines, first_offset });
  }
}

function startOf(state: TranscriptState, { from, after }: ReadMessagesOptions): number {
  const start = parseCount(from, 'from') ?? 0;
  if (after === undefined) return start;
  const index = state.indexOf(after);
  if (index === undefined)
    throw new ValidationError('INVALID_OPTION', 'No message here has ever had the id in “after”.');
  return Math.max(start, index + 1);
}

function parseCount(value: number | undefined, name: string): number | undefined {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return value;
  throw new ValidationError('INVALID_OPTION', `“${name}” must be a whole number of at least 0.`);
}
