import './dom.ts';
import { type LonghandClient, ProblemError } from './http-client.ts';
import { type OutboxMessage, type OutboxRow, type OutboxRows, openRows } from './outbox-rows.ts';

/**
 * The outbox of a browser: what was said is kept here until the server has it.
 *
 * `add` ends when the message is on the disk. One tab sends at a time, under a Web Lock; a row is deleted only after the
 * server's answer, and the server keeps a message id once, so a lost answer costs a second request and no message. What
 * leaves with the page (keepalive, `fetchLater`, a beacon) deletes nothing: the rows are sent again, and change nothing.
 */
export interface OutboxOptions {
  readonly client: LonghandClient;
  /** Tells apart whose messages these are: the server's address and the user. */
  readonly scope: string;
  /** Send after so many messages. Default 10. */
  readonly everyMessages?: number;
  /** Send after this time at the latest. Default five minutes. */
  readonly everyMs?: number;
  readonly onState?: (state: ArchiveState) => void;
  /** A message that the server will not take, or a session that is gone: a person has to know. */
  readonly onArchiveError?: (error: ArchiveError) => void;
}

export interface ArchiveState {
  /** Rows that are not archived yet, without those that failed. */
  readonly waiting: number;
  readonly isSending: boolean;
  /** When the next try is due, in milliseconds; while the server cannot be reached or does not let us in. */
  readonly retryAt?: number;
  /** Why it waits, for people. */
  readonly reason?: string;
  readonly failed: ReadonlyArray<{ readonly id: string; readonly text: string; readonly reason: string }>;
  /** False: the messages end with this page, for the browser keeps nothing. */
  readonly isPersistent: boolean;
}

export interface ArchiveError {
  readonly code: string;
  readonly reason: string;
  readonly messageIds: readonly string[];
}

/** Below the 64 KiB that all requests which outlive a page share. */
const BATCH_BYTES = 48 * 1_024;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const TICKET_LEFT_MS = 60_000;
/** Worth another try as they are; 401 waits for a key. */
const PASSING = new Set([401, 408, 409, 425, 429]);

export class Outbox {
  readonly #options: OutboxOptions;
  readonly #rows: OutboxRows;
  readonly #channel: BroadcastChannel | undefined;
  /** What is unsent, for the moment in which a page is left: the database cannot be waited for then. */
  #mirror: readonly OutboxRow[] = [];
  #state: ArchiveState;
  #tickets = new Map<string, { readonly ticket: string; readonly endsMs: number }>();
  #later: AbortController | undefined;
  #pauses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;

  static async open(options: OutboxOptions): Promise<Outbox> {
    let tellBlocked: (why: string) => void = () => undefined;
    const rows = await openRows(options.scope, (why) => tellBlocked(why));
    const outbox = new Outbox(options, rows);
    tellBlocked = (reason) => outbox.#change({ reason });
    await outbox.#look();
    if (outbox.#mirror.length > 0) outbox.#schedule(0);
    return outbox;
  }

  private constructor(options: OutboxOptions, rows: OutboxRows) {
    this.#options = options;
    this.#rows = rows;
    this.#state = { waiting: 0, isSending: false, failed: [], isPersistent: rows.isPersistent };
    if (typeof BroadcastChannel !== 'undefined') {
      this.#channel = new BroadcastChannel(this.#name);
      this.#channel.onmessage = () => void this.#look();
    }
    globalThis.addEventListener?.('pagehide', this.#onLeave);
    globalThis.addEventListener?.('pageshow', this.#onBack);
    globalThis.addEventListener?.('online', this.#onBack);
    globalThis.document?.addEventListener('visibilitychange', this.#onVisibility);
  }

  get state(): ArchiveState {
    return this.#state;
  }

  /** Ends when the message is kept. @throws DOMException QuotaExceededError when the disk is full */
  async add(sessionId: string, message: OutboxMessage): Promise<void> {
    await this.#rows.add(sessionId, message);
    await this.#changed();
    const { everyMessages = 10, everyMs = 300_000 } = this.#options;
    if (this.#mirror.length >= everyMessages) void this.flush();
    else if (this.#timer === undefined) this.#schedule(everyMs);
  }

  /** The unarchived messages of a session, oldest first. */
  messagesOf(sessionId: string): readonly OutboxMessage[] {
    return this.#mirror.filter((row) => row.sessionId === sessionId).map(({ message }) => message);
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
    await this.#changed();
    await this.flush();
  }

  /** All that is not archived, for a person to keep. */
  async download(): Promise<string> {
    return JSON.stringify(await this.#rows.list(), null, 2);
  }

  /** Gives up on a message that failed. */
  async discard(messageId: string): Promise<void> {
    const rows = await this.#rows.list();
    await this.#rows.remove(rows.filter(({ message }) => message.id === messageId).map(({ seq }) => seq));
    await this.#changed();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#later?.abort();
    this.#channel?.close();
    globalThis.removeEventListener?.('pagehide', this.#onLeave);
    globalThis.removeEventListener?.('pageshow', this.#onBack);
    globalThis.removeEventListener?.('online', this.#onBack);
    globalThis.document?.removeEventListener('visibilitychange', this.#onVisibility);
    this.#rows.close();
  }

  get #name(): string {
    return `longhand-outbox ${this.#options.scope}`;
  }

  readonly #onBack = (): void => {
    this.#pauses = 0;
    void this.#look().then(() => this.flush());
  };

  readonly #onVisibility = (): void => {
    if (globalThis.document?.visibilityState === 'hidden') this.#onLeave();
  };

  /** The page may be gone after this. Nothing can be waited for, and nothing is deleted. */
  readonly #onLeave = (): void => {
    const [batch] = batchesOf(this.#mirror);
    if (batch === undefined) return;
    const input = { session_id: batch[0]!.sessionId, messages_batch: batch.map(({ message }) => message) };
    const sent = this.#options.client.call('archiveMessages', input, { keepalive: true });
    sent.then(
      () => void this.flush(),
      () => this.#sendBeacon(input),
    );
  };

  /** Where a request that outlives the page could not be sent: the key's place is taken by a ticket in the body. */
  #sendBeacon(input: {
    readonly session_id: string;
    readonly messages_batch: readonly OutboxMessage[];
  }): void {
    const held = this.#tickets.get(input.session_id);
    if (held === undefined || held.endsMs < Date.now() || !globalThis.navigator?.sendBeacon) return;
    const body = JSON.stringify({ ...input, ticket: held.ticket });
    navigator.sendBeacon(
      this.#options.client.addressOf('archiveMessages'),
      new Blob([body], { type: 'text/plain' }),
    );
  }

  /** A ticket in hand, and what is unsent armed with the browser, for a page that crashes. */
  async #prepareForTheEnd(): Promise<void> {
    const [batch] = batchesOf(this.#mirror);
    this.#later?.abort();
    if (batch === undefined) return;
    const sessionId = batch[0]!.sessionId;
    const { client } = this.#options;
    const input = { session_id: sessionId, messages_batch: batch.map(({ message }) => message) };
    if (typeof globalThis.fetchLater === 'function') {
      this.#later = new AbortController();
      const { address, init } = await client.prepared('archiveMessages', input);
      try {
        globalThis.fetchLater(address, { ...init, signal: this.#later.signal });
      } catch {
        // The quota is used up: the rows stay and are sent by the next page.
      }
      return;
    }
    const held = this.#tickets.get(sessionId);
    if (held !== undefined && held.endsMs > Date.now() + TICKET_LEFT_MS) return;
    await client.call('makeArchiveTicket', { session_id: sessionId }).then(
      ({ ticket, expires_at }) => this.#tickets.set(sessionId, { ticket, endsMs: Date.parse(expires_at) }),
      // Without a ticket the rows wait for the next page.
      () => undefined,
    );
  }

  async #sendAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const work = async (): Promise<void> => {
      this.#change({ isSending: true, retryAt: undefined, reason: undefined });
      try {
        for (;;) {
          await this.#look();
          const [batch] = batchesOf(this.#mirror);
          if (batch === undefined || this.#isClosed) break;
          if (!(await this.#send(batch))) break;
          this.#pauses = 0;
        }
      } finally {
        this.#change({ isSending: false });
      }
    };
    const { locks } = globalThis.navigator ?? {};
    // Another tab is sending: it takes these rows along, and tells when they are gone.
    if (locks === undefined) await work();
    else
      await locks.request(this.#name, { ifAvailable: true }, (lock) => (lock === null ? undefined : work()));
    if (this.#mirror.length > 0 && this.#timer === undefined && !this.#isClosed)
      this.#schedule(this.#options.everyMs ?? 300_000);
  }

  /** False when it is to be tried later. */
  async #send(batch: readonly OutboxRow[]): Promise<boolean> {
    const { client } = this.#options;
    const input = { session_id: batch[0]!.sessionId, messages_batch: batch.map(({ message }) => message) };
    const isSmall = sizeOf(batch) <= BATCH_BYTES;
    try {
      await client.call('archiveMessages', input, { keepalive: isSmall });
    } catch (error) {
      return this.#onRefused(batch, error);
    }
    await this.#rows.remove(batch.map(({ seq }) => seq));
    await this.#changed();
    return true;
  }

  async #onRefused(batch: readonly OutboxRow[], error: unknown): Promise<boolean> {
    const isProblem = error instanceof ProblemError;
    const reason = error instanceof Error ? error.message : String(error);
    if (!isProblem || error.status >= 500 || PASSING.has(error.status)) {
      const pause =
        Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#pauses++) * (0.75 + Math.random() / 2);
      const ms = Math.max(pause, isProblem ? (error.retryAfter ?? 0) * 1_000 : 0);
      this.#schedule(ms);
      const why = isProblem ? reason : 'The server cannot be reached.';
      this.#change({ retryAt: Date.now() + ms, reason: why });
      return false;
    }
    const messageIds = batch.map(({ message }) => message.id);
    if (error.status === 410) {
      // The session was deleted or forgotten, and stays gone: a late message must not bring it back.
      await this.#rows.remove(batch.map(({ seq }) => seq));
      await this.#changed();
      this.#options.onArchiveError?.({ code: error.code, reason, messageIds });
      return true;
    }
    if (batch.length > 1) {
      // One bad message must not condemn the others.
      const half = Math.ceil(batch.length / 2);
      return (await this.#send(batch.slice(0, half))) && this.#send(batch.slice(half));
    }
    await this.#rows.fail(batch[0]!.seq, reason);
    await this.#changed();
    this.#options.onArchiveError?.({ code: error.code, reason, messageIds });
    return true;
  }

  async #changed(): Promise<void> {
    this.#channel?.postMessage('changed');
    await this.#look();
    await this.#prepareForTheEnd();
  }

  async #look(): Promise<void> {
    if (this.#isClosed) return;
    const rows = await this.#rows.list();
    this.#mirror = rows.filter(({ failed }) => failed === undefined);
    const failed = rows.flatMap(({ message: { id, text }, failed: reason }) =>
      reason === undefined ? [] : [{ id, text, reason }],
    );
    this.#change({ waiting: this.#mirror.length, failed });
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, ms);
  }

  #change(change: { readonly [Name in keyof ArchiveState]?: ArchiveState[Name] | undefined }): void {
    const { retryAt, reason, ...rest } = { ...this.#state, ...change } as ArchiveState;
    this.#state = {
      ...rest,
      ...(retryAt === undefined ? {} : { retryAt }),
      ...(reason === undefined ? {} : { reason }),
    };
    this.#options.onState?.(this.#state);
  }
}

/** The rows of one session each, in their order, as much as a request that outlives the page may hold. */
function batchesOf(rows: readonly OutboxRow[]): readonly (readonly OutboxRow[])[] {
  const batches: OutboxRow[][] = [];
  for (const row of rows) {
    const last = batches.at(-1);
    const fits =
      last !== undefined && last[0]!.sessionId === row.sessionId && sizeOf([...last, row]) <= BATCH_BYTES;
    if (fits) last.push(row);
    else batches.push([row]);
  }
  return batches;
}

const encoder = new TextEncoder();

function sizeOf(rows: readonly OutboxRow[]): number {
  return encoder.encode(JSON.stringify(rows.map(({ message }) => message))).length + 512;
}
