import './dom.ts';
import { type LonghandClient, ProblemError } from './http-client.ts';
import { type OutboxMessage, type OutboxRow, type OutboxRows, openRows } from './outbox-rows.ts';

/**
 * The outbox of a browser: it keeps messages until the server has them.
 *
 * `add` ends when the message is on the disk. One tab sends at a time, under a Web Lock; a row is deleted only after the
 * server's answer, and the server keeps a message id once, so a lost answer costs a second request and no message. What
 * leaves with the page (`fetchLater`, a beacon) deletes nothing: the rows are sent again, and change nothing.
 */
export interface OutboxOptions {
  readonly client: LonghandClient;
  /** Tells apart whose messages these are: the server's address and the user. */
  readonly scope: string;
  /** Send after so many messages. Default 10. */
  readonly everyMessages?: number;
  /** Send no later than after this time. Default five minutes. */
  readonly everyMs?: number;
  readonly onState?: (state: ArchiveState) => void;
  /** A message that another tab has added. */
  readonly onMessage?: (sessionId: string, message: OutboxMessage) => void;
  /** Messages that the server will not take: a person has to know. */
  readonly onArchiveError?: (error: ArchiveError) => void;
}

export interface ArchiveState {
  /** Messages that are not archived yet, without those that failed. */
  readonly waiting: number;
  readonly isSending: boolean;
  /** When the next try is due, in milliseconds; while the server cannot be reached or refuses for the time being. */
  readonly retryAt?: number | undefined;
  /** Why it waits, for people. */
  readonly reason?: string | undefined;
  readonly failed: ReadonlyArray<{ readonly id: string; readonly text: string; readonly reason: string }>;
  /** False: the browser keeps nothing, or not all, and what waits ends with this page. */
  readonly isPersistent: boolean;
}

export interface ArchiveError {
  readonly code: string;
  readonly reason: string;
  readonly messageIds: readonly string[];
}

/** Below the 64 KiB that all requests which outlive a page share. */
const BATCH_BYTES = 48 * 1_024;
/** Of these, what stands around the messages: the session's id, and a ticket. */
const AROUND_BYTES = 1_024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A request that takes longer has lost its connection, and would keep the other tabs waiting. */
const LONGEST_SENDING_MS = 120_000;
/** Tickets live for 15 minutes by the server's clock, which need not be ours. */
const TICKET_FRESH_MS = 10 * 60_000;
/** What is wrong with a message, and stays so. Everything else may pass: another server, another key, another day. */
const ABOUT_MESSAGES = new Set([400, 413, 422]);
/** What is wrong with a whole session. */
const ABOUT_SESSIONS = new Set(['SESSION_NOT_FOUND', 'FORBIDDEN']);

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #rows: OutboxRows;
  readonly #channel: BroadcastChannel | undefined;
  /** The rows as last known: when a page is left, the database cannot be waited for. */
  #known: readonly OutboxRow[] = [];
  #changes = 0;
  #state: ArchiveState;
  readonly #tickets = new Map<string, { readonly ticket: string; readonly madeMs: number }>();
  #later: AbortController | undefined;
  /** Which rows the browser is armed with. */
  #armed = '';
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  /** Up to which row the page has sent what it holds because it was hidden or left; 0 when nothing is on its way. */
  #leavingUpTo = 0;
  #isClosed = false;

  static async open(options: OutboxOptions): Promise<Outbox> {
    let look = async (): Promise<void> => undefined;
    const rows = await openRows(options.scope, () => void look());
    const outbox = new Outbox(options, rows);
    look = () => outbox.#look();
    await look();
    if (outbox.#unsent.length > 0) outbox.#schedule(0);
    return outbox;
  }

  private constructor(options: OutboxOptions, rows: OutboxRows) {
    this.#options = options;
    this.#rows = rows;
    this.#state = { waiting: 0, isSending: false, failed: [], isPersistent: rows.isPersistent };
    if (typeof BroadcastChannel !== 'undefined') {
      this.#channel = new BroadcastChannel(this.#name);
      this.#channel.onmessage = ({ data }: MessageEvent<OutboxNews>) => {
        if (data === null) return void this.#look();
        this.#show([...this.#known, data]);
        options.onMessage?.(data.sessionId, data.message);
      };
    }
    globalThis.addEventListener?.('pagehide', this.#onLeave);
    globalThis.addEventListener?.('pageshow', this.#onBack);
    globalThis.addEventListener?.('online', this.#onBack);
    globalThis.document?.addEventListener('visibilitychange', this.#onVisibility);
  }

  get state(): ArchiveState {
    return this.#state;
  }

  /** Ends when the message is kept: on the disk, or, where that is full or refused, in this page, which the state says. */
  async add(sessionId: string, message: OutboxMessage): Promise<void> {
    const row = await this.#rows.add(sessionId, message);
    await this.#changed([...this.#known, row], row);
    // The next try is due at its time.
    if (this.#state.retryAt !== undefined) return;
    const { everyMessages = 10, everyMs = 300_000 } = this.#options;
    if (this.#unsent.length >= everyMessages || !this.#rows.isPersistent) void this.flush();
    else if (this.#timer === undefined) this.#schedule(everyMs);
  }

  /** The unarchived messages of a session, oldest first. */
  messagesOf(sessionId: string): readonly OutboxMessage[] {
    return this.#unsent.filter((row) => row.sessionId === sessionId).map(({ message }) => message);
  }

  get #unsent(): readonly OutboxRow[] {
    return this.#known.filter(({ failed }) => failed === undefined);
  }

  /** The session that all tabs go on in, kept across reloads; another one when it is given. */
  session(another?: string): Promise<string> {
    return this.#rows.session(another ?? crypto.randomUUID(), another !== undefined);
  }

  /** Sends what waits. Ends when nothing waits, or the next try is due later; never throws. */
  flush(): Promise<void> {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    return this.#sending;
  }

  /** Tries everything again, what failed too. */
  async retry(): Promise<void> {
    for (const { seq, failed } of await this.#rows.list())
      if (failed !== undefined) await this.#rows.fail(seq, undefined);
    this.#pauses = 0;
    await this.#changed(await this.#rows.list());
    await this.flush();
  }

  /** All that is not archived, for a person to keep. */
  async download(): Promise<string> {
    return JSON.stringify(await this.#rows.list(), null, 2);
  }

  /** Gives up on a message that failed. */
  async discard(messageId: string): Promise<void> {
    const rows = await this.#rows.list();
    await this.#remove(
      rows.filter(({ message, failed }) => message.id === messageId && failed !== undefined),
    );
  }

  /** Sends what waits as when the page is left, and lets go. */
  close(): void {
    const left = this.#leave();
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#later?.abort();
    this.#channel?.close();
    globalThis.removeEventListener?.('pagehide', this.#onLeave);
    globalThis.removeEventListener?.('pageshow', this.#onBack);
    globalThis.removeEventListener?.('online', this.#onBack);
    globalThis.document?.removeEventListener('visibilitychange', this.#onVisibility);
    void left.finally(() => this.#rows.close());
  }

  get #name(): string {
    return `longhand-outbox ${this.#options.scope}`;
  }

  readonly #onBack = (): void => {
    this.#pauses = 0;
    void this.#look().then(() => this.flush());
  };

  readonly #onVisibility = (): void => {
    if (globalThis.document?.visibilityState === 'hidden') void this.#leave();
  };

  readonly #onLeave = (): void => {
    const batch = batchOf(this.#unsent);
    if (batch.length > 0 && !this.#sendBeacon(inputOf(batch))) void this.#leave();
  };

  /**
   * The page may be gone after this: what is sent now is not waited for, but an answer that does come counts. It is sent without
   * the Web Lock, which another tab may hold for longer than this page lives. That doubles nothing, because the server keeps an
   * id once. It can only bring messages before those that another tab said in the last moments, of which this one has not heard.
   */
  async #leave(): Promise<void> {
    const batch = batchOf(this.#unsent);
    const upTo = batch.at(-1)?.seq ?? 0;
    // A page that is left is hidden too.
    if (upTo <= this.#leavingUpTo) return;
    this.#leavingUpTo = upTo;
    try {
      // A batch is of one session: another one may have said something after it.
      for (let next = batch; next.length > 0 && (await this.#send(next)); next = batchOf(this.#unsent))
        if (!this.#isClosed) return await this.flush();
    } catch {
      // The database is closed: the rows stay, and are sent again.
    } finally {
      this.#leavingUpTo = 0;
    }
  }

  /** A ticket in the body takes the place of a key, which no beacon can send. False when it was not sent. */
  #sendBeacon(input: ArchiveInput): boolean {
    const held = this.#tickets.get(input.session_id);
    if (held === undefined || performance.now() - held.madeMs > TICKET_FRESH_MS) return false;
    const body = new Blob([JSON.stringify({ ...input, ticket: held.ticket })], { type: 'text/plain' });
    return navigator.sendBeacon(this.#options.client.addressOf('archiveMessages'), body);
  }

  /** What is unsent is armed with the browser, for a page that crashes; where that cannot be, a ticket is had in hand. */
  async #prepareForTheEnd(): Promise<void> {
    const batch = batchOf(this.#unsent);
    const armed = `${batch[0]?.seq} ${batch.at(-1)?.seq}`;
    if (armed === this.#armed) return;
    this.#armed = armed;
    this.#later?.abort();
    if (batch.length === 0 || this.#isClosed) return;
    const input = inputOf(batch);
    const { client } = this.#options;
    if (typeof globalThis.fetchLater === 'function') {
      const later = new AbortController();
      this.#later = later;
      try {
        const { address, init } = await client.prepared('archiveMessages', input);
        if (!later.signal.aborted) globalThis.fetchLater(address, { ...init, signal: later.signal });
      } catch {
        // More than may be armed, or no key at the moment: the rows stay and are sent by the next page.
      }
      return;
    }
    const { session_id } = input;
    const held = this.#tickets.get(session_id);
    if (!globalThis.navigator?.sendBeacon || (held && performance.now() - held.madeMs < TICKET_FRESH_MS / 2))
      return;
    const madeMs = performance.now();
    await client.call('makeArchiveTicket', { session_id }).then(
      ({ ticket }) => this.#tickets.set(session_id, { ticket, madeMs }),
      // Without a ticket the rows are sent with a key, or wait for the next page.
      () => undefined,
    );
  }

  async #sendAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const work = async (): Promise<void> => {
      this.#change({ isSending: true, retryAt: undefined, reason: undefined });
      try {
        await this.#look();
        for (;;) {
          const batch = batchOf(this.#unsent);
          if (batch.length === 0 || this.#isClosed || !(await this.#send(batch))) break;
          this.#pauses = 0;
        }
      } catch (error) {
        this.#wait(`The outbox cannot be changed: ${String(error)}`);
      } finally {
        this.#change({ isSending: false });
      }
    };
    const { locks } = globalThis.navigator ?? {};
    // While another tab is sending, this one waits: what is left then is its own.
    // Where a browser keeps nothing it may refuse locks too.
    await (locks === undefined ? work() : locks.request(this.#name, work).catch(work));
    if (this.#unsent.length > 0 && this.#timer === undefined && !this.#isClosed) this.#schedule(0);
  }

  /** False when it is to be tried later. */
  async #send(batch: readonly OutboxRow[]): Promise<boolean> {
    // The second time without: requests that outlive the page share 64 KiB, which others may have taken.
    const keepalive = this.#pauses === 0 && sizeOf(batch) + AROUND_BYTES <= BATCH_BYTES;
    const signal = AbortSignal.timeout(LONGEST_SENDING_MS);
    let taken: readonly string[];
    try {
      const options = { keepalive, signal };
      ({ conflicts: taken = [] } = await this.#options.client.call(
        'archiveMessages',
        inputOf(batch),
        options,
      ));
    } catch (error) {
      return this.#onRefused(batch, error);
    }
    const others = batch.filter(({ message }) => taken.includes(message.id));
    if (others.length > 0) await this.#fail(others, 'ID_TAKEN', 'Another message has the same id.');
    await this.#remove(batch.filter((row) => !others.includes(row)));
    return true;
  }

  async #onRefused(batch: readonly OutboxRow[], error: unknown): Promise<boolean> {
    if (!(error instanceof ProblemError)) return this.#wait(this.#options.client.mismatch ?? 'Offline');
    const { code, message, status } = error;
    if (code === 'SESSION_DELETED') {
      // What was deleted or forgotten stays gone: a late message must not bring it back.
      await this.#remove(batch);
      this.#report(batch, code, message);
    } else if (ABOUT_SESSIONS.has(code) || (ABOUT_MESSAGES.has(status) && batch.length === 1)) {
      await this.#fail(batch, code, message);
    } else if (ABOUT_MESSAGES.has(status)) {
      // One bad message must not condemn the others.
      const half = Math.ceil(batch.length / 2);
      return (await this.#send(batch.slice(0, half))) && this.#send(batch.slice(half));
    } else return this.#wait(message, error.retryAfter);
    return true;
  }

  async #fail(rows: readonly OutboxRow[], code: string, reason: string): Promise<void> {
    for (const { seq } of rows) await this.#rows.fail(seq, reason);
    await this.#changed(this.#known.map((row) => (rows.includes(row) ? { ...row, failed: reason } : row)));
    this.#report(rows, code, reason);
  }

  async #remove(rows: readonly OutboxRow[]): Promise<void> {
    const seqs = rows.map(({ seq }) => seq);
    await this.#rows.remove(seqs);
    await this.#changed(this.#known.filter(({ seq }) => !seqs.includes(seq)));
  }

  #report(rows: readonly OutboxRow[], code: string, reason: string): void {
    this.#options.onArchiveError?.({ code, reason, messageIds: rows.map(({ message }) => message.id) });
  }

  #wait(reason: string, seconds = 0): false {
    const pause =
      Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses++) * (0.75 + Math.random() / 2);
    const ms = Math.max(pause, seconds * 1_000);
    this.#schedule(ms);
    this.#change({ retryAt: Date.now() + ms, reason });
    return false;
  }

  /** @param news a row that is new; `null`: the other tabs look for themselves */
  async #changed(rows: readonly OutboxRow[], news: OutboxNews = null): Promise<void> {
    if (!this.#isClosed) this.#channel?.postMessage(news);
    this.#show(rows);
    await this.#prepareForTheEnd();
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    const before = this.#changes;
    try {
      const rows = await this.#rows.list();
      // What has changed meanwhile may not be in it.
      if (before !== this.#changes) return this.#look();
      this.#show(rows);
    } catch (error) {
      this.#change({ reason: `The outbox cannot be read: ${String(error)}` });
    }
  }

  #show(rows: readonly OutboxRow[]): void {
    this.#known = rows;
    this.#changes += 1;
    const failed = rows.flatMap(({ message: { id, text }, failed: reason }) =>
      reason === undefined ? [] : [{ id, text, reason }],
    );
    this.#change({ waiting: rows.length - failed.length, failed, isPersistent: this.#rows.isPersistent });
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, ms);
  }

  #change(change: Partial<ArchiveState>): void {
    const { reason = this.#rows.trouble, ...state } = { ...this.#state, ...change };
    this.#state = { ...state, reason };
    this.#options.onState?.(this.#state);
  }
}

type OutboxNews = OutboxRow | null;

interface ArchiveInput {
  readonly session_id: string;
  readonly messages_batch: readonly OutboxMessage[];
}

function inputOf(batch: readonly OutboxRow[]): ArchiveInput {
  return { session_id: batch[0]!.sessionId, messages_batch: batch.map(({ message }) => message) };
}

/** The oldest rows of one session, in their order: as much as a request that outlives the page may hold, one row at least. */
function batchOf(rows: readonly OutboxRow[]): readonly OutboxRow[] {
  const batch: OutboxRow[] = [];
  let bytes = AROUND_BYTES;
  for (const row of rows) {
    if (row.sessionId !== rows[0]!.sessionId) continue;
    bytes += sizeOf([row]);
    if (bytes > BATCH_BYTES && batch.length > 0) break;
    batch.push(row);
  }
  return batch;
}

const encoder = new TextEncoder();

function sizeOf(rows: readonly OutboxRow[]): number {
  return encoder.encode(JSON.stringify(rows.map(({ message }) => message))).length;
}
