import { IOError, LonghandError, type SizeLimitError } from '../../core/errors.ts';
import { parseMemoryKey } from '../../core/memory-ref.ts';
import type { Message } from '../../core/messages.ts';
import { RunningDigest, sha256Hex } from '../../core/sha256.ts';
import type { OpenBlob } from '../../core/store.ts';
import type { Summariser } from '../../core/summariser.ts';
import type { TokenCounter } from '../../core/token-counter.ts';
import type { UnreadablePart } from '../followed-log.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import { continues, idsContinuing, SessionRollover, takenFrom } from '../memories/session-rollover.ts';
import { refuseUnknownOptions, type Sessions } from '../memories/sessions.ts';
import { type AnySession, refOf, type SessionOwner } from '../session-ref.ts';
import type { Unreadable } from '../unreadable-lines.ts';
import { piecesOf } from '../value-pieces.ts';
import type { Extract } from './detail-description.ts';
import { type CheckedValue, type NewDetailValue, parseDetailValue } from './detail-input.ts';
import { DetailLookup, detailNotFound } from './detail-lookup.ts';
import {
  checkRetrieveOptions,
  damaged,
  type RetrievedDetail,
  type RetrieveOptions,
  readDetail,
  readsAPart,
} from './detail-reader.ts';
import { activeRecord, type Detail, type KeptDetail, toDetail } from './detail-records.ts';
import { expiring, forgetting, type Removal, removeDetails } from './detail-removal.ts';
import { withReadingBuffer } from './detail-scan.ts';
import type { DetailPage, DetailSearchOptions, FoundDetail } from './detail-search.ts';
import { DetailWriter, isSweptAway } from './detail-writer.ts';
import {
  type CapturedOutput,
  capturesOf,
  isWorthKeeping,
  renderCapture,
  type ToolOutput,
  toDetailValue,
} from './tool-capture.ts';
import { type IsGone, type ListDetailsOptions, listDetails, type UserDetails } from './user-details.ts';

/**
 * Details: large values kept out of the prompt, behind placeholders.
 *
 * A value is stored in a session and found again by its user: the caller names the user, and a key of another
 * user is a key that does not exist. What is known of each value is a record in the session's log of details
 * (detail-records.ts); the value lies beside it in a file of its own and is never held in memory whole
 * (detail-writer.ts, detail-reader.ts).
 */
interface DetailsNeeds {
  readonly sessions: Sessions;
  readonly isGone?: IsGone;
  /** Decides whether a tool's output is long. Loaded when a text is neither plainly short nor plainly long. */
  readonly tokens: () => TokenCounter | Promise<TokenCounter>;
  /** Writes descriptions without a model. */
  readonly extract: Extract;
  /** Writes them in place of that, when it can. */
  readonly summariser?: Summariser | undefined;
  /** How long it may take for a description; 10,000 when left out. */
  readonly describeTimeoutMs?: number;
}

const DEFAULT_DESCRIBE_TIMEOUT_MS = 10_000;
/** Of keeping a value that another process keeps at the same time. */
const MAX_TRIES = 3;
const CAPTURE_FIELDS = 'output command toolName agentId messageId status callId always'.split(' ');

export class Details {
  readonly #context: LayerContext;
  readonly #sessions: Sessions;
  readonly #tokens: DetailsNeeds['tokens'];
  readonly #extract: Extract;
  readonly #writer: DetailWriter;
  readonly #rollover: SessionRollover;
  readonly #verified = new VerifiedValues();
  readonly #lookup: DetailLookup;

  constructor(context: LayerContext, needs: DetailsNeeds) {
    const { sessions, tokens, summariser, extract } = needs;
    const { describeTimeoutMs: timeoutMs = DEFAULT_DESCRIBE_TIMEOUT_MS } = needs;
    this.#context = context;
    this.#sessions = sessions;
    this.#lookup = new DetailLookup(context, sessions, needs.isGone);
    this.#tokens = tokens;
    this.#rollover = new SessionRollover(sessions);
    this.#extract = extract;
    this.#writer = new DetailWriter(context, { summariser, timeoutMs, extract });
  }

  /** For callers that may only read: keeping is refused. */
  forReaders(): Pick<Details, 'search' | 'list' | 'holds' | 'keep'> {
    return {
      search: (...asked) => this.search(...asked),
      list: (...asked) => this.list(...asked),
      holds: (...asked) => this.holds(...asked),
      keep: async () => {
        throw new IOError('READ_ONLY', 'A caller that may only read cannot store anything.');
      },
    };
  }

  /**
   * Keeps a value in a session of the owner. With a key of the caller's own, the same value again is a no-op.
   * @throws ValidationError ID_TAKEN (the user has another value under this key), INVALID_OPTION (among others for the
   * types of other layers: `journal`, `core`, and those of memories), SizeLimitError DETAIL_QUOTA, NotFoundError SESSION_NOT_FOUND
   */
  async store(sessionId: string, value: NewDetailValue, owner?: SessionOwner): Promise<Detail> {
    return this.#store(sessionId, parseDetailValue(value), owner);
  }

  async #store(sessionId: string, value: CheckedValue, owner: SessionOwner | undefined): Promise<Detail> {
    for (let tries = 1; ; tries++) {
      const opened = await this.#sessions.open(sessionId, owner);
      const details = this.#lookup.ofUser(opened.session.user_id);
      try {
        return toDetail(await this.#writer.store(details, opened, value));
      } catch (error) {
        // Another process forgot something here and took the value for a leftover: it is still at hand.
        if (!isSweptAway(error) || !Array.isArray(value.chunks) || tries >= MAX_TRIES) throw error;
      }
    }
  }

  /**
   * As `store`, for a caller that cannot stop at a full session: the value then goes to another session of the same
   * user, `chat--2` after `chat`, and is found by its key all the same. One that any of these has under its key is taken
   * for a retry.
   * @throws SizeLimitError DETAIL_QUOTA only for a value that no session has room for
   */
  async keep(
    sessionId: string,
    value: NewDetailValue & { readonly content: string | readonly Uint8Array[] },
    owner?: SessionOwner,
  ): Promise<Detail> {
    const userId = owner?.user_id ?? (await this.#lookup.ofSession(sessionId)).userId;
    const canGoOn = ({ details: { used_bytes, wanted_bytes, quota_bytes } }: SizeLimitError): boolean =>
      used_bytes !== 0 && Number(wanted_bytes) <= Number(quota_bytes);
    for (let tries = 1; ; tries++) {
      try {
        return await this.#rollover.withRoom(
          userId,
          sessionId,
          (id) =>
            this.#store(id, parseDetailValue(takenFrom(sessionId, id, value)), { ...owner, user_id: userId }),
          canGoOn,
        );
      } catch (error) {
        if (!LonghandError.isInstance(error) || error.code !== 'ID_TAKEN') throw error;
        const present = await this.#lookup.ofUser(userId).find(value.key!, this.#context.clock.now());
        // Two who kept it at once have both given way.
        if (present === undefined && tries < MAX_TRIES) continue;
        const isRetry =
          present !== undefined && (await isKeptFor(sessionId, present, parseDetailValue(value)));
        if (!isRetry) throw error;
        return toDetail(present);
      }
    }
  }

  /**
   * Keeps a tool's output that is longer than `details.capture_above_tokens`, as `keep` does, and gives the line that
   * stands for it; a shorter one, and whatever `retrieve_memory` returns, comes back as it is.
   * @throws as `keep`: the caller still has the output
   */
  async captureToolOutput(
    sessionId: string,
    output: ToolOutput,
    owner?: SessionOwner,
  ): Promise<CapturedOutput> {
    refuseUnknownOptions(output, CAPTURE_FIELDS);
    const threshold = this.#context.config.details.capture_above_tokens;
    if (!(await isWorthKeeping(output, threshold, this.#tokens))) return { text: output.output };
    const value = toDetailValue(sessionId, output);
    const userId = owner?.user_id ?? (await this.#lookup.ofSession(sessionId)).userId;
    // One that is kept already is not described again.
    const isKept = value.key !== undefined && (await this.holds(userId, value.key, value.content));
    const detail = await (isKept ? this.get(userId, value.key!) : this.keep(sessionId, value, owner));
    return { text: renderCapture(output, detail), detail };
  }

  /** Whether a text is longer than `details.capture_above_tokens`. */
  isLarge(text: string): Promise<boolean> {
    return isWorthKeeping({ output: text }, this.#context.config.details.capture_above_tokens, this.#tokens);
  }

  /** @throws NotFoundError DETAIL_NOT_FOUND also for a key of another user, and for one that has expired */
  async get(userId: string, key: string): Promise<Detail> {
    return toDetail(await this.#lookup.find(userId, key));
  }

  /** Whether the user has this very text under this key, in whatever session. Reads no value. */
  async holds(userId: string, key: string, text: string): Promise<boolean> {
    const detail = await this.#lookup.ofUser(userId).find(parseMemoryKey(key), this.#context.clock.now());
    return detail?.digest === sha256Hex(text);
  }

  /**
   * A value, or a part of it: see `RetrieveOptions`. Without options all of it, or, when it is over a megabyte, its
   * first page with the number of pages and `is_truncated`.
   * @throws NotFoundError DETAIL_NOT_FOUND, ValidationError INVALID_OPTION, CorruptionError CORRUPT_ENTRY
   */
  async retrieve(userId: string, key: string, options: RetrieveOptions = {}): Promise<RetrievedDetail> {
    checkRetrieveOptions(options);
    const { detail, blob } = await this.#lookup.open(await this.#lookup.find(userId, key));
    try {
      if (readsAPart(detail, options)) await this.#verified.check(blob, detail);
      return await readDetail(blob, detail, options);
    } finally {
      blob.close();
    }
  }

  /**
   * The bytes of a value, a piece at a time, compared with their checksum at the end.
   * @throws NotFoundError DETAIL_NOT_FOUND, CorruptionError CORRUPT_ENTRY, possibly after the last piece
   */
  async *stream(userId: string, key: string): AsyncGenerator<Uint8Array, void> {
    yield* this.#streamOf(await this.#lookup.find(userId, key));
  }

  async *#streamOf(found: KeptDetail): AsyncGenerator<Uint8Array, void> {
    const { detail, blob } = await this.#lookup.open(found);
    try {
      yield* this.#verified.stream(blob, detail);
    } finally {
      blob.close();
    }
  }

  /** Newest first. */
  async list(userId: string, options: ListDetailsOptions = {}): Promise<readonly Detail[]> {
    const { clock, config } = this.#context;
    const details = this.#lookup.ofUser(userId);
    return (await listDetails(details, options, clock.now(), config.time_zone)).map(toDetail);
  }

  /** Inactive details are not found by `search`; they can still be retrieved. @throws NotFoundError */
  async setActive(userId: string, key: string, isActive: boolean): Promise<Detail> {
    const { session_id, blob } = await this.#lookup.find(userId, key);
    const details = this.#lookup.ofUser(userId);
    const timestamp = new Date(this.#context.clock.now()).toISOString();
    const { byKey } = await details.logOf(session_id).change(
      (state) => {
        const present = state.byKey.get(key);
        if (present?.blob !== blob) throw detailNotFound(key);
        return present.is_active === isActive ? [] : [activeRecord(present, isActive, timestamp)];
      },
      { userId, create: false },
    );
    return toDetail(byKey.get(key)!);
  }

  /** Best first, active ones only. @throws ValidationError INVALID_QUERY */
  async search(
    userId: string,
    text: string,
    options: DetailSearchOptions = {},
  ): Promise<readonly FoundDetail[]> {
    return (await this.page(userId, text, options)).details;
  }

  /** The same with the strength that they are relative to, for a list of memories and details. */
  async page(userId: string, text: string, options: DetailSearchOptions = {}): Promise<DetailPage> {
    const page = await (await this.#lookup.searchOf(userId)).search(text, options);
    const [user, nowMs] = [this.#lookup.ofUser(userId), this.#context.clock.now()];
    const kept = await Promise.all(page.details.map(({ memory_key }) => user.find(memory_key, nowMs)));
    return { ...page, details: page.details.filter((_, at) => kept[at] !== undefined) };
  }

  /** Removes a detail for good: `forget` of one key. @throws NotFoundError DETAIL_NOT_FOUND */
  async remove(userId: string, key: string): Promise<void> {
    const { session } = await this.#lookup.findKept(userId, key);
    await this.#remove(this.#lookup.ofUser(userId), session, forgetting([key]));
  }

  /** Removes the details of a session whose time has come, and values that a crash has left over. Gives the details. */
  async expire(sessionId: string, nowMs: number, dryRun = false): Promise<readonly KeptDetail[]> {
    return this.#remove(await this.#lookup.ofSession(sessionId), sessionId, expiring(nowMs), dryRun);
  }

  /**
   * Removes details of a session, by key or all of them: afterwards no file of the store holds their values, their
   * descriptions or their keys. What cannot be read goes with them, for it may be theirs. Says how many there were; a
   * key that is not there is no error.
   * @param options what goes beside them: values that no record names, besides old ones, and lines that cannot be read
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async forget(
    session: AnySession,
    keys: readonly string[] | 'all',
    options: Partial<Omit<Removal, 'isChosen'>> = {},
  ): Promise<number> {
    const details = await this.#lookup.ofSession(refOf(session).sessionId);
    return (await this.#remove(details, session, forgetting(keys, options))).length;
  }

  /**
   * Removes what was captured automatically from messages that are going, in this session and in those that continue it:
   * what a caller stored explicitly stays. A placeholder of what went then refers to nothing.
   * @param options.isGone whether a further message, by its id, is going too
   * @param options.dryRun only finds them
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async forgetCaptures(
    session: AnySession,
    messages: readonly Pick<Message, 'id' | 'role' | 'content'>[],
    { isGone = () => false, dryRun = false }: CaptureOptions = {},
  ): Promise<readonly KeptDetail[]> {
    const { sessionId } = refOf(session);
    const details = await this.#lookup.ofSession(session);
    const isCapture = capturesOf(sessionId, messages, isGone);
    const others = await idsContinuing(this.#sessions, details.userId, sessionId);
    const removed: KeptDetail[] = [];
    for (const id of [sessionId, ...others]) {
      // One that continues it may be another user's by now.
      const isChosen = (detail: KeptDetail): boolean =>
        detail.user_id === details.userId && isCapture(detail, id);
      const removal = { isChosen, leftovers: 'old', unreadable: 'none' } as const;
      removed.push(...(await this.#remove(details, id === sessionId ? session : id, removal, dryRun)));
    }
    return removed;
  }

  /**
   * Takes a text out of a value, its description and what is noted of it; the rest stays, under the same key.
   * @returns how many times it was there
   * @throws NotFoundError DETAIL_NOT_FOUND, CorruptionError CORRUPT_ENTRY: what is damaged can only be forgotten
   */
  async redact(userId: string, key: string, text: string): Promise<number> {
    const { redactDetail } = await import('./detail-redaction.ts');
    const { underWay } = this.#writer;
    for (;;) {
      const { detail, session } = await this.#lookup.findKept(userId, key);
      const count = await redactDetail(
        this.#context,
        this.#lookup,
        detail,
        this.#streamOf(detail),
        { text, session, extract: this.#extract },
        underWay,
      );
      // The process that redacted it before may have been killed before the old value was gone.
      if (count === 0) await this.forget(session, [], { unreadable: 'none' });
      if (count !== undefined) return count;
    }
  }

  /** What of a session's records of details cannot be read and may be meant. @throws NotFoundError */
  async unreadable(sessionId: string, unreadable: Unreadable): Promise<UnreadablePart> {
    return (await this.#lookup.ofSession(sessionId)).logOf(sessionId).unreadable(unreadable);
  }

  /**
   * All that a session keeps, expired ones that are not removed yet too: for forgetting.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  async keptInSession(sessionId: string, owner?: string): Promise<readonly KeptDetail[]> {
    const details =
      owner === undefined ? await this.#lookup.ofSession(sessionId) : this.#lookup.ofUser(owner);
    return [...(await details.stateOf(sessionId)).byKey.values()];
  }

  /** @param dryRun only finds what would go */
  async #remove(
    details: UserDetails,
    session: AnySession,
    removal: Removal,
    dryRun = false,
  ): Promise<readonly KeptDetail[]> {
    if (!dryRun) return removeDetails(this.#context, details, session, removal, this.#writer.underWay);
    return [...(await details.logOf(refOf(session).sessionId).current()).byKey.values()].filter(
      removal.isChosen,
    );
  }
}

interface CaptureOptions {
  readonly isGone?: (messageId: string) => boolean;
  readonly dryRun?: boolean;
}

/** Whether it is this value, in the session or in one that continues it. */
async function isKeptFor(
  sessionId: string,
  { session_id, digest }: KeptDetail,
  { chunks }: CheckedValue,
): Promise<boolean> {
  if (session_id !== sessionId && !continues(sessionId, session_id)) return false;
  const own = new RunningDigest();
  for await (const chunk of chunks) own.add(chunk);
  return digest === own.hex();
}

/**
 * Values whose bytes were compared with their checksum. A page says nothing of the rest of a value, so before a part is
 * read, the whole is compared: once in each process, because a value never changes under its name, and reading
 * all of it for every page would make paging through it a matter of its size squared.
 */
const VALUES_REMEMBERED = 4_096;

class VerifiedValues {
  readonly #known = new LeastRecentlyUsed<true>(VALUES_REMEMBERED);

  /** @throws CorruptionError CORRUPT_ENTRY */
  async check(blob: OpenBlob, detail: KeptDetail): Promise<void> {
    if (this.#known.get(nameOf(detail)) !== undefined) return;
    await withReadingBuffer(async (buffer) => {
      for await (const _piece of this.stream(blob, detail, buffer));
    });
  }

  /**
   * The bytes, in pieces that the caller may keep unless `into` holds them. What is wrong with them shows at the end.
   * @throws CorruptionError CORRUPT_ENTRY
   */
  async *stream(blob: OpenBlob, detail: KeptDetail, into?: Uint8Array): AsyncGenerator<Uint8Array, void> {
    const digest = new RunningDigest();
    for await (const bytes of piecesOf(blob, into)) {
      digest.add(bytes);
      yield bytes;
    }
    if (blob.size !== detail.size_bytes || digest.hex() !== detail.digest) throw damaged(detail);
    this.#known.set(nameOf(detail), true);
  }
}

function nameOf({ session_id, blob }: KeptDetail): string {
  return `${session_id}/${blob}`;
}
