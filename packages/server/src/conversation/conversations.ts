import {
  type ArchivedMessage,
  type ArchiveResult,
  IOError,
  type LayerOptions,
  type Layers,
  type MemoryManager,
  type Message,
  type ScopedMemory,
  type Session,
  type Summariser,
} from 'longhand';
import { hasCode } from '../has-code.ts';
import { Answering, type AnsweringOptions, type Turn } from './answering.ts';
import { atMost } from './at-most.ts';
import type { ChatEvent, ChatRequest } from './chat.ts';
import { parseImages, parseNewMessages } from './chat-input.ts';
import { codeOf } from './conversation-event.ts';
import { KnownMessages } from './known-messages.ts';
import type { ExtraTool } from './model-tools.ts';
import { findParticipants } from './participants.ts';
import { ForgottenMeanwhile, type RunningTurn, RunningTurns } from './running-turns.ts';
import type { SharedTurns } from './shared-turns.ts';
import type { Spool } from './spool.ts';
import { FolderGate } from './turn-gate.ts';
import { TurnLocks } from './turn-lock.ts';
import { TurnLook, type TurnNews } from './turn-look.ts';
import { type Backlog, WaitingMessages } from './waiting-messages.ts';
import type { WriteBehindOptions } from './write-behind.ts';

export type { ChatEvent } from './chat.ts';

export interface ConversationsOptions
  extends AnsweringOptions,
    Pick<WriteBehindOptions, 'everyMessages' | 'everySeconds'> {
  readonly spool: Spool;
  /** With other servers on one database; processes on one folder find each other there. */
  readonly shared?: SharedTurns | undefined;
  /** What other servers announce. */
  readonly news?: TurnNews | undefined;
  /** Whether a turn is done only when it is in the transcript. */
  readonly archivesEachTurn?: boolean;
  /** Writes summaries; the built-in extractive one when left out. */
  readonly summariser?: Summariser;
  /** Whether an agent's settings may name a tool of `toolsFor`. */
  readonly isExtraTool?: LayerOptions['isExtraTool'];
  /** Releases what the options hold. */
  readonly onClose?: () => Promise<void>;
}

interface AnswerOptions {
  /** Calls the answer off. What the user said is kept. */
  readonly signal?: AbortSignal;
}

const DEFAULT_GRACE_MS = 8_000;
/** What was said last is worth a try, however long the turns have taken. */
const LAST_TRY_MS = 1_000;

/**
 * Answers messages. The life of a turn:
 *
 * 1. The request is checked; what is wrong with it is thrown, and nothing has happened.
 * 2. The new messages go to the spool. From here on they are safe, `start` says so, and whatever fails is an event.
 * 3. Each agent that is asked answers: context, model, tools, model, … (`answering.ts`). One that has answered these
 *    messages before, because the request came again, is not asked again: its answer is given once more.
 * 4. Its answer goes to the spool, its tool traffic to the window. When all have answered, `done`.
 * 5. Later, and not on this path: the transcript takes what the spool holds (`write-behind.ts`), and old messages are
 *    folded into the summary.
 *
 * It is opened in three steps, because the manager must know the spool and the write-behind must know the manager:
 * `new Conversations(…)`, `new MemoryManager({ …, ...conversations.layerOptions })`, `conversations.start(manager)`.
 */
export class Conversations {
  /** What the manager is opened with, so that windows know of messages that are not archived yet. */
  readonly layerOptions: LayerOptions;
  readonly #options: ConversationsOptions;
  readonly #waiting: WaitingMessages;
  readonly #turns = new TurnLocks();
  readonly #running: RunningTurns;
  readonly #answering: Answering;
  readonly #background = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  #manager: MemoryManager | undefined;
  #unsubscribe: () => void = () => undefined;

  constructor(options: ConversationsOptions) {
    const { spool, shared, summariser, everyMessages, everySeconds, onEvent, isExtraTool } = options;
    this.#options = options;
    this.#running = new RunningTurns(shared ?? new FolderGate(spool.directory));
    this.#waiting = new WaitingMessages({
      ...{ spool, shared },
      onArchived: (sessionId) => this.#inBackground(this.#updateSummary(sessionId)),
      ...(everyMessages === undefined ? {} : { everyMessages }),
      ...(everySeconds === undefined ? {} : { everySeconds }),
      ...(onEvent === undefined ? {} : { onEvent }),
    });
    this.#answering = new Answering(options, this.#running, this.#waiting);
    this.layerOptions = {
      spool: (_sessionId, session) => this.#waiting.unarchived(session),
      externalCopies: {
        hold: (scope) => this.#running.hold(scope),
        gather: (scope, how) => this.#waiting.gather(scope, how),
        erased: (scope) => this.#waiting.erased(scope),
      },
      ...(summariser === undefined ? {} : { summariser }),
      ...(isExtraTool === undefined ? {} : { isExtraTool }),
    };
  }

  /** Called once. What an earlier process left in the spool is archived in the background; windows show it already. */
  async start(manager: MemoryManager): Promise<void> {
    this.#manager = manager;
    this.#unsubscribe = manager.subscribe((event) => {
      if (event.kind === 'session-deleted') this.#running.sessionDeleted(event.session_id);
    });
    const { shared, spool } = this.#options;
    await shared?.start(
      {
        callOff: (sessionId, reason) => this.#running.callOff(sessionId, reason),
        archive: (sessionId) => this.flush(sessionId),
        count: (sessionId) => this.#waiting.count(sessionId),
      },
      spool.goneOwners,
      spool.waiting().map(({ session }) => session),
    );
    this.#inBackground(this.#waiting.start(manager));
  }

  /** What an agent could use beside the tools of the memory. */
  async extraTools(agentId: string): Promise<readonly Pick<ExtraTool, 'name' | 'description'>[]> {
    return (await this.#options.toolsFor?.(agentId)) ?? [];
  }

  /**
   * The answer, as it comes. What is wrong with the request is thrown before the first event.
   * @throws ValidationError, NotFoundError for a session or agent that the principal does not reach, IOError
   */
  async *answer(
    request: ChatRequest,
    ofCaller: ScopedMemory,
    options: AnswerOptions = {},
  ): AsyncGenerator<ChatEvent, void> {
    const memory = ofCaller.inTimeZone(request.time_zone);
    const images = parseImages(request.images);
    const messages = parseNewMessages(request);
    const look = new TurnLook(await this.#layers(), memory.principal.user_id, this.#options.news);
    const signal = AbortSignal.any([this.#ending.signal, ...(options.signal ? [options.signal] : [])]);
    const begin = async () => {
      const found = await look.run(() => findParticipants(request, memory));
      // A turn before this one takes its time.
      if (this.#turns.has(found.session.id)) look.end();
      return { ...found, endTurn: await this.#takeTurn(found.session.id, signal) };
    };
    const { session, agents, endTurn } = await begin().catch((error: unknown) => {
      look.end();
      throw error;
    });
    let running: RunningTurn | undefined;
    try {
      const { transcripts } = await this.#layers();
      let known: KnownMessages | undefined;
      const start = async (): Promise<void> => {
        known = new KnownMessages(session.id, transcripts, await this.#waiting.unarchived(session));
        await this.#waiting.append(session, await known.newOf(messages));
      };
      const check = () => this.#refuseForgotten(session, messages);
      const parties = { session, signal, agents: agents.map(({ id }) => id) };
      running = await this.#running.begin({ ...parties, look, start, check });
      const { budget, sections } = request;
      const facts = { memory, images, agents, messages, session, budget, sections, look };
      const turn: Turn = { ...facts, known: known!, running, signal: running.signal };
      yield {
        type: 'start',
        session_id: session.id,
        new_message_ids: messages.map(({ id }) => id),
        agent_ids: agents.map(({ id }) => id),
      };
      for await (const event of this.#answering.answerAll(turn)) {
        const isLast = event.type === 'done' || event.type === 'error';
        if (isLast && this.#options.archivesEachTurn) await this.#waiting.archive(session.id);
        yield event;
      }
    } finally {
      if (running !== undefined) this.#running.end(running);
      endTurn();
      this.#waiting.note(session.id);
      this.#inBackground(this.#foldIfDue(session.id, look));
    }
  }

  /**
   * A client hands in what it holds. What else is waiting of the session is archived first, to keep the order. A session
   * that there has never been is made for the caller.
   * @throws NotFoundError SESSION_NOT_FOUND for another user's, SESSION_DELETED
   */
  async archive(
    sessionId: string,
    messages: readonly Message[],
    memory: ScopedMemory,
    options: { readonly batchId?: string } = {},
  ): Promise<ArchiveResult> {
    const session = await memory.loadSession(sessionId).catch((error) => {
      if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
    });
    // Nothing can be waiting of a session that there is not.
    if (session === undefined) return memory.archiveMessages(sessionId, messages, options);
    await this.#options.shared?.gather({ session: sessionId });
    const given = new Set(messages.map(({ id }) => id));
    const waiting = new Map((await this.unarchived(session)).map((message) => [message.id, message]));
    const sameAs = (message: Message): Message | undefined => {
      const known = waiting.get(message.id ?? '');
      return known?.content === message.content ? known : undefined;
    };
    const isOther = (message: Message): boolean => waiting.has(message.id ?? '') && !sameAs(message);
    if ([...waiting.keys()].some((id) => !given.has(id)) || messages.some(isOther))
      await this.#waiting.archive(sessionId);
    // A client need not say which agent gave an answer; here it is known.
    const whole = messages.map((message) => sameAs(message) ?? message);
    const result = await memory.archiveMessages(sessionId, whole, options);
    // With a batch id that was used before nothing is archived: then the messages have to wait for their turn.
    const state = await (await this.#layers()).transcripts.state(sessionId);
    this.#waiting.settle(
      session,
      messages.flatMap(({ id }) => (id !== undefined && state.has(id) ? [id] : [])),
    );
    this.#inBackground(this.#updateSummary(sessionId));
    return result;
  }

  /** Brings what a session has waiting into the transcript, and leaves nothing of it in the spool. @throws what the store throws */
  async flush(sessionId: string): Promise<void> {
    await this.#waiting.archive(sessionId);
    this.#waiting.compact();
  }

  /** The same for all sessions; what the store does not take, or not within this time, is left in the spool for the next time. */
  archiveAll(withinMs?: number): Promise<void> {
    return this.#waiting.archiveAll(withinMs);
  }

  /** Messages of this session that are acknowledged and not in the transcript yet, oldest first. */
  unarchived(session: Session): Promise<readonly ArchivedMessage[]> {
    return this.#waiting.unarchived(session);
  }

  /** What waits of a user, or of all, and what could not be archived. */
  backlog(userId?: string): Backlog {
    return this.#waiting.backlog(userId);
  }

  /** Another text after each forgetting, by any process, that may concern this user; any user when none is named. */
  forgettings(userId: string | undefined): Promise<string> {
    return this.#waiting.forgettings(userId);
  }

  /**
   * Archives, gives the turns under way some time to end, calls off those that do not, and lets go. To be called
   * before the manager is closed. Takes the time of grace and a little more, whatever the store does: everything that was
   * acknowledged and is not archived by then is in the spool, where the next start finds it.
   */
  async close({ graceMs = DEFAULT_GRACE_MS }: CloseOptions = {}): Promise<void> {
    const endMs = performance.now() + graceMs;
    const leftMs = (): number => Math.max(0, endMs - performance.now());
    if (this.#manager !== undefined) await this.#waiting.archiveAll(leftMs());
    const isOver = await atMost(leftMs(), this.#settle());
    this.#ending.abort();
    if (!isOver) await atMost(LAST_TRY_MS, this.#turns.settle());
    this.#unsubscribe();
    await this.#waiting.close(Math.max(LAST_TRY_MS, leftMs()));
    await atMost(LAST_TRY_MS, this.#options.shared?.end() ?? Promise.resolve());
    await atMost(LAST_TRY_MS, this.#options.onClose?.() ?? Promise.resolve());
  }

  /** @throws IOError STORE_CLOSED when the server ends first, or the reason of the caller's signal */
  async #takeTurn(sessionId: string, signal: AbortSignal): Promise<() => void> {
    try {
      signal.throwIfAborted();
      return await this.#turns.take(sessionId, signal);
    } catch (error) {
      if (!this.#ending.signal.aborted) throw error;
      throw new IOError('STORE_CLOSED', 'The server is ending. Send the message again in a moment.');
    }
  }

  /** @throws NotFoundError SESSION_NOT_FOUND, ForgottenMeanwhile */
  async #refuseForgotten(session: Session, asked: readonly ArchivedMessage[]): Promise<void> {
    await this.#waiting.refuseOther(session);
    const state = await (await this.#layers()).transcripts.state(session.id);
    if (asked.some(({ id }) => state.isGone(id))) throw new ForgottenMeanwhile();
  }

  /** What is to be summarised must be in the transcript first; the summary follows automatically. */
  #foldIfDue(sessionId: string, look: TurnLook): Promise<void> {
    return this.#orReport(sessionId, async ({ summaries }) => {
      const waiting = this.#waiting.count(sessionId);
      const isDue = waiting > 0 && (await look.keep(() => summaries.isDue(sessionId, waiting)));
      if (isDue) await this.#waiting.archive(sessionId);
    }).finally(() => look.end());
  }

  #updateSummary(sessionId: string): Promise<void> {
    return this.#orReport(sessionId, ({ summaries }) => summaries.update(sessionId));
  }

  async #orReport(sessionId: string, work: (layers: Layers) => Promise<unknown>): Promise<void> {
    try {
      await work(await this.#layers());
    } catch (error) {
      // Deleted in the meantime: there is nothing left to summarise.
      if (hasCode(error, 'SESSION_NOT_FOUND')) return;
      this.#options.onEvent?.({ kind: 'summary-update-failed', session_id: sessionId, code: codeOf(error) });
    }
  }

  #layers(): Promise<Layers> {
    if (this.#manager === undefined) throw new Error('Conversations are used before start(manager).');
    return this.#manager.layers();
  }

  /** Work that has an owner: `close` waits for it. */
  #inBackground(work: Promise<void>): void {
    const tracked = work.finally(() => this.#background.delete(tracked));
    this.#background.add(tracked);
  }

  async #settle(): Promise<void> {
    await this.#turns.settle();
    while (this.#background.size > 0) await Promise.all(this.#background);
  }
}

export interface CloseOptions {
  /** How long what is under way may take. 8,000 when left out. */
  readonly graceMs?: number;
}
