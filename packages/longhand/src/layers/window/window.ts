import type { Clock } from '../../core/clock.ts';
import type { Message } from '../../core/messages.ts';
import type { LayerContext } from '../layer-context.ts';
import { LeastRecentlyUsed } from '../least-recently-used.ts';
import type { Session } from '../memories/session.ts';
import { type AnySession, refOf, requireMeant } from '../session-ref.ts';
import type { TranscriptState, Transcripts } from '../transcript/index.ts';

const MS_PER_MINUTE = 60_000;

export interface WindowsOptions {
  /** In this process when left out. */
  readonly store?: WindowStore;
  /** The messages of a session that are not archived yet, oldest first. */
  readonly spool?: (sessionId: string, session: Session) => readonly Message[] | Promise<readonly Message[]>;
  readonly sessionOf: (sessionId: string) => Promise<FoundSession>;
}

/** The session of an id as it is now, and its incarnation; no session when its owner cannot be determined. */
interface FoundSession {
  readonly incarnation: string;
  readonly session: Session | undefined;
}

/**
 * The last messages of a conversation, verbatim and with the tool traffic that transcripts leave out: what an agent
 * needs for its next turn, without a look into the past.
 *
 * A window slides by messages or by turns. It never parts a tool call from its results, it never drops a
 * message that is not archived yet, and, while summaries are on, of none that no summary covers: what has left the
 * window is in the summary or can be read in the transcript. One that was idle for too long, or that was kept
 * before something was forgotten, is made again from the transcript and the spool. So is one of another session that
 * had the same id: a process learns only here that others have deleted it. One that was kept before other processes
 * archived something is filled up from the transcript.
 */
export class Windows {
  readonly #context: LayerContext;
  readonly #transcripts: Transcripts;
  readonly #store: WindowStore;
  readonly #spool: NonNullable<WindowsOptions['spool']>;
  readonly #sessionOf: WindowsOptions['sessionOf'];
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(context: LayerContext, transcripts: Transcripts, options: WindowsOptions) {
    this.#context = context;
    this.#transcripts = transcripts;
    this.#store = options.store ?? new InProcessWindows(context.clock);
    this.#spool = options.spool ?? (() => []);
    this.#sessionOf = options.sessionOf;
  }

  /**
   * Adds messages in the order given: at the end, or before the next of them that is there already. One whose id is
   * there is not added again. Gives the window as it is then.
   * @throws NotFoundError SESSION_NOT_FOUND
   */
  append(session: AnySession, messages: readonly Message[]): Promise<readonly Message[]> {
    return this.#inTurn(session, async (sessionId) => {
      const present = await this.#look(session);
      return this.#keep(sessionId, present, messages);
    });
  }

  /** @throws NotFoundError SESSION_NOT_FOUND */
  read(session: AnySession): Promise<readonly Message[]> {
    return this.#inTurn(session, async (sessionId) => {
      const present = await this.#look(session);
      return this.#keep(sessionId, present, []);
    });
  }

  /** Forgets it; the next look makes it again. */
  drop(session: AnySession): Promise<void> {
    return this.#inTurn(session, async (sessionId) => {
      if (typeof session !== 'string') await this.#see(session);
      await this.#store.delete(sessionId);
    });
  }

  /** In its turn, after whatever was waited for. What is kept is marked with the session that was seen here. */
  async #see(session: AnySession): Promise<FoundSession> {
    const seen = await this.#sessionOf(refOf(session).sessionId);
    requireMeant(session, seen.incarnation);
    return seen;
  }

  async #look(asked: AnySession): Promise<Present> {
    const { sessionId } = refOf(asked);
    const { session, incarnation } = await this.#see(asked);
    const state = await this.#transcripts.state(sessionId);
    const spooled = session === undefined ? [] : await this.#spool(sessionId, session);
    const owner = session === undefined ? '' : windowOwner(session, incarnation);
    return { state, mark: { erasure_id: state.erasureId ?? null, session: owner }, spooled };
  }

  /** As it was kept, if that still counts, with what has been archived since. */
  async #load(sessionId: string, { messages, archived }: StoredWindow, state: TranscriptState) {
    // Retention takes messages and leaves the rest of a window as it is.
    const left = messages.filter(({ id }) => id === undefined || !state.isGone(id));
    if (archived >= state.nextIndex) return left;
    return merge(left, await this.#transcripts.messages(sessionId, { from: archived }));
  }

  /** What a window holds of a transcript: enough messages, or turns, and everything that no summary covers. */
  async #archived(sessionId: string, state: TranscriptState): Promise<readonly Message[]> {
    const { max_messages, max_turns } = this.#context.config.window;
    const unsummarised = state.presentFrom(this.#coveredCount(state));
    const total = state.present;
    let wanted = Math.max(unsummarised, max_turns > 0 ? max_turns * 2 : max_messages);
    for (;;) {
      const messages = await this.#transcripts.latest(sessionId, wanted);
      const isEnough = max_turns === 0 || userMessages(messages).length >= max_turns;
      if (isEnough || wanted >= total) return messages;
      wanted *= 2;
    }
  }

  async #keep(
    sessionId: string,
    { state, mark, spooled }: Present,
    messages: readonly Message[],
  ): Promise<readonly Message[]> {
    const { config } = this.#context;
    const kept = await this.#store.get(sessionId);
    const isValid = kept?.erasure_id === mark.erasure_id && kept.session === mark.session;
    const before = isValid
      ? await this.#load(sessionId, kept, state)
      : await this.#archived(sessionId, state);
    const whole = withoutOrphans(merge(merge(before, spooled), messages));
    const waiting = [...((isValid && kept.waiting) || []), ...spooled.flatMap(({ id }) => id ?? [])];
    const unarchived = new Set(waiting.filter((id) => !state.has(id)));
    const needed = whole.findIndex(this.#isNeeded(state, unarchived));
    const start = chooseCut(whole, {
      wanted: startOfWindow(whole, config.window),
      needed: needed < 0 ? whole.length : needed,
    });
    const window = whole.slice(start);
    const expiresInMs = config.window.idle_minutes * MS_PER_MINUTE;
    const facts = { archived: state.nextIndex, waiting: [...unarchived], version: (kept?.version ?? 0) + 1 };
    await this.#store.set(sessionId, { messages: window, ...mark, ...facts }, expiresInMs);
    return window;
  }

  /** Whether a message can be had from nowhere else, or is one that no summary covers. */
  #isNeeded(state: TranscriptState, unarchived: ReadonlySet<string>): (message: Message) => boolean {
    const covered = this.#coveredCount(state);
    return ({ id }) => {
      if (id === undefined) return false;
      const index = state.indexOf(id);
      return index === undefined ? unarchived.has(id) : index >= covered;
    };
  }

  /** The index from which on messages must be there verbatim. None must when summaries are off. */
  #coveredCount({ summary, nextIndex }: TranscriptState): number {
    return this.#context.config.summary.enabled ? (summary?.summarized_count ?? 0) : nextIndex;
  }

  /** Two appends to one window must not start from the same past. */
  #inTurn<Result>(session: AnySession, work: (sessionId: string) => Promise<Result>): Promise<Result> {
    const { sessionId } = refOf(session);
    const result = (this.#turns.get(sessionId) ?? Promise.resolve()).then(() => work(sessionId));
    const turn = result
      .catch(() => undefined)
      .then(() => {
        if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
      });
    this.#turns.set(sessionId, turn);
    return result;
  }
}

/** What a window is made from, at one moment. */
interface Present {
  readonly state: TranscriptState;
  /** A window that was kept under another mark is void. */
  readonly mark: Required<Pick<StoredWindow, 'erasure_id' | 'session'>>;
  readonly spooled: readonly Message[];
}

/**
 * Each message once, and new ones at the end; but those that are given before one that is known already come before it.
 * An answer may be known from the spool before the tool calls that led to it are.
 */
function merge(before: readonly Message[], more: readonly Message[]): readonly Message[] {
  const placeOf = new Map(before.flatMap(({ id }, at) => (id === undefined ? [] : [[id, at] as const])));
  const merged: Message[] = [];
  let taken = 0;
  let waiting: Message[] = [];
  const seen = new Set<string>();
  for (const message of more) {
    const { id } = message;
    const place = id === undefined ? undefined : placeOf.get(id);
    if (place === undefined) {
      if (id !== undefined && seen.has(id)) continue;
      if (id !== undefined) seen.add(id);
      waiting.push(message);
    } else if (place >= taken) {
      merged.push(...before.slice(taken, place), ...waiting, before[place]!);
      taken = place + 1;
      waiting = [];
    }
  }
  return [...merged, ...before.slice(taken), ...waiting];
}

function userMessages(messages: readonly Message[]): number[] {
  return [...messages.keys()].filter((at) => messages[at]!.role === 'user');
}

function startOfWindow(
  messages: readonly Message[],
  { max_messages, max_turns }: { readonly max_messages: number; readonly max_turns: number },
): number {
  if (max_turns > 0) return userMessages(messages).at(-max_turns) ?? 0;
  return Math.max(0, messages.length - max_messages);
}

/**
 * Where a window begins: as near after the wanted place as a cut is possible, but before what is needed, and never
 * so that nothing is left. A call with more results than a window has room for therefore stays, whole.
 */
function chooseCut(
  messages: readonly Message[],
  { wanted, needed }: { readonly wanted: number; readonly needed: number },
): number {
  const places = cutPlaces(messages);
  const latest = Math.min(needed, messages.length - 1);
  const after = places.find((at) => at >= wanted && at <= latest);
  return after ?? places.findLast((at) => at <= Math.min(wanted, latest)) ?? 0;
}

/**
 * One that was brought back from an export began when the first one did: its incarnation tells them apart. What an agent
 * did with its memory is not for those that come to the session later.
 */
function windowOwner({ account_id, user_id, created_at, agents }: Session, incarnation: string): string {
  return [account_id, user_id, created_at, incarnation, ...agents].join('\n');
}

/** What is kept of a session's latest messages. Plain JSON, so that it can lie in another process. */
export interface StoredWindow {
  readonly messages: readonly Message[];
  /** The transcript's last erasure when it was stored: a window from before another one is void. */
  readonly erasure_id: string | null;
  /** Whose session it was, and since when: a later incarnation under the same id begins with nothing. */
  readonly session?: string;
  /** How many messages the transcript had then, with those that are gone. */
  readonly archived: number;
  /** The ids of messages that waited in a spool then. */
  readonly waiting: readonly string[];
  /** Of two copies the one with the higher number is newer. */
  readonly version: number;
}

/**
 * Where windows are kept: a cache, which may evict any of them at any time. A store for several processes keeps
 * the last one that was set; a session is served by one turn at a time.
 */
export interface WindowStore {
  /** `undefined` when there is none, or its time has passed. */
  get(sessionId: string): Promise<StoredWindow | undefined>;
  /** @param expiresInMs counted from now */
  set(sessionId: string, window: StoredWindow, expiresInMs: number): Promise<void>;
  delete(sessionId: string): Promise<void>;
}

const WINDOWS_IN_MEMORY = 1_000;

/** In this process, for the sessions used last. */
export class InProcessWindows implements WindowStore {
  readonly #clock: Clock;
  readonly #windows: LeastRecentlyUsed<{ readonly window: StoredWindow; readonly expiresAtMs: number }>;

  /** @param capacity sessions; 1,000 when left out */
  constructor(clock: Clock, capacity = WINDOWS_IN_MEMORY) {
    this.#clock = clock;
    this.#windows = new LeastRecentlyUsed(capacity);
  }

  async get(sessionId: string): Promise<StoredWindow | undefined> {
    const kept = this.#windows.get(sessionId);
    if (kept === undefined || this.#clock.monotonic() < kept.expiresAtMs) return kept?.window;
    this.#windows.delete(sessionId);
    return undefined;
  }

  async set(sessionId: string, window: StoredWindow, expiresInMs: number): Promise<void> {
    this.#windows.set(sessionId, { window, expiresAtMs: this.#clock.monotonic() + expiresInMs });
  }

  async delete(sessionId: string): Promise<void> {
    this.#windows.delete(sessionId);
  }
}

/**
 * Where a conversation may be cut.
 *
 * A model refuses the result of a tool without the call that asked for it, and a call whose results are missing. So
 * a call and all its results stay together or leave together: a cut that would fall between them is no cut.
 */

/** Without the results of tools whose call is not there, or comes later: no model takes those. */
function withoutOrphans(messages: readonly Message[]): readonly Message[] {
  const asked = new Set<string>();
  const kept = messages.filter(({ role, tool_calls, tool_call_id }) => {
    for (const { id } of tool_calls ?? []) asked.add(id);
    return role !== 'tool' || (tool_call_id !== undefined && asked.has(tool_call_id));
  });
  return kept.length === messages.length ? messages : kept;
}

/**
 * The places before which the conversation may be cut, rising; `0` and the end are always among them, except the
 * end while the tools that the last message asked for are still at work.
 */
function cutPlaces(messages: readonly Message[]): number[] {
  const callAt = new Map<string, number>();
  /** For each call, where its last result stands. */
  const lastResultAt = new Map<number, number>();
  messages.forEach(({ role, tool_calls, tool_call_id }, at) => {
    for (const { id } of tool_calls ?? []) callAt.set(id, at);
    if (role !== 'tool' || tool_call_id === undefined) return;
    const asked = callAt.get(tool_call_id);
    if (asked !== undefined) lastResultAt.set(asked, at);
  });
  const working = workingCallAt(messages);
  if (working !== undefined) lastResultAt.set(working, messages.length);
  const places: number[] = [];
  let blockedUntil = -1;
  for (let at = 0; at <= messages.length; at++) {
    if (at > blockedUntil) places.push(at);
    blockedUntil = Math.max(blockedUntil, lastResultAt.get(at) ?? -1);
  }
  return places;
}

/** The call at the end of the conversation that nothing but results of tools has followed, and not yet all. */
function workingCallAt(messages: readonly Message[]): number | undefined {
  let at = messages.length - 1;
  const answered = new Set<string | undefined>();
  for (; at >= 0 && messages[at]!.role === 'tool'; at--) answered.add(messages[at]!.tool_call_id);
  const isWorking = messages[at]?.tool_calls?.some(({ id }) => !answered.has(id)) ?? false;
  return isWorking ? at : undefined;
}
