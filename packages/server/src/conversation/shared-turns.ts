import { randomUUID } from 'node:crypto';
import { ConcurrencyError, type ExternalScope } from 'longhand';
import type { PostgresCalls } from 'longhand/postgres';
import type { SpooledSession } from './spooled-session.ts';
import { nameOf, namesOf, type TurnGate, type TurnParties } from './turn-gate.ts';

/**
 * Turns and forgettings of several servers on one database, in its tables and without a word of what was said.
 *
 * A server makes turns of a session while it has the lease of that session. It keeps the lease between turns, so that a
 * conversation that stays on one server costs one write. Once in a quarter of a second it asks what others want of it:
 *
 * - `turn`: another server has a message for the session. When the turn under way has ended, what waits in the spool is
 *   archived, and the lease goes.
 * - `forget`: something is being forgotten that turns of the session may have in hand. They are called off, what waits is
 *   archived, and the lease goes. No server gets it again before the forgetting is over.
 * - `gather …`: what waits is archived.
 *
 * With Redis the server that wants something announces it, and the others ask at once, and otherwise every two seconds.
 *
 * A server that is killed holds its leases until another one needs them, and for `LEASE_MS` at most. The next one on its disk
 * has those of the sessions of which messages wait there, and archives these before it lets go. One that was stopped
 * for longer learns of it before it writes again, and calls its turns off.
 */
interface SharedTurnsHooks {
  /** Calls off the turns of a session. @param reason because something was forgotten, when left out */
  callOff(sessionId: string, reason?: Error): void;
  /** Archives what waits of a session, and leaves nothing of it in the spool. */
  archive(sessionId: string): Promise<void>;
  /** How many messages of a session wait. */
  count(sessionId: string): number;
}

/** How servers tell each other that one wants something of another. May be lost. */
interface SharedNews {
  readonly areHeard: boolean;
  announce(news: { readonly isWanted: true }): void;
  listen(listener: (news: { readonly isWanted?: true }) => void): () => void;
}

interface Held {
  readonly key: string;
  readonly sessionId: string;
  readonly names: readonly string[];
  turns: number;
  wanted: string | undefined;
  isAnswering: boolean;
  usedAtMs: number;
}

const LEASE_MS = 6_000;
const PULSE_MS = 250;
const RETRY_MS = 100;
/** For so long after it has released a session, a server leaves it to the others. */
const COOLING_MS = 4 * RETRY_MS;
/** A session without a turn for so long is released. */
const IDLE_MS = 15 * 60_000;
/** Turns that are called off end soon, and then their messages are archived. */
const OTHERS_WAIT_MS = 30_000;

export class SharedTurns implements TurnGate {
  readonly #calls: PostgresCalls;
  readonly #server: string;
  readonly #held = new Map<string, Held>();
  readonly #cooling = new Set<string>();
  /** Sessions whose leases are being asked for. */
  readonly #taking = new Set<string>();
  /** What this process writes for turns at the moment. */
  readonly #writes = new Set<readonly string[]>();
  /** What this process forgets at the moment, by the names of the forgettings. */
  readonly #closed = new Map<string, string>();
  /** Forgettings of this process that are over, and of which the database does not know yet. */
  readonly #ended = new Set<string>();
  readonly #forgotten = new Map<string, number>();
  readonly #news: SharedNews | undefined;
  #hooks: SharedTurnsHooks | undefined;
  #isJoined = false;
  #renewedAtMs = Number.NEGATIVE_INFINITY;
  #pulsing: Promise<void> | undefined;
  #parting: Promise<unknown> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #pulsedAtMs = 0;
  #stopHearing: (() => void) | undefined;

  /**
   * @param server names this process, and no process after it
   * @param news while it is heard, servers ask less often what others want
   */
  constructor(calls: PostgresCalls, server: string, news?: SharedNews) {
    this.#calls = calls;
    this.#server = server;
    this.#news = news;
  }

  /**
   * @param gone processes that are known to have ended
   * @param waiting sessions of which they have left messages: this server has their leases. What else they held is free
   */
  async start(
    hooks: SharedTurnsHooks,
    gone: readonly string[],
    waiting: readonly SpooledSession[],
  ): Promise<void> {
    this.#hooks = hooks;
    this.#stopHearing = this.#news?.listen(({ isWanted }) => {
      if (isWanted && this.#isJoined) void this.#pulse().catch(() => undefined);
    });
    if (gone.length === 0) return;
    const sentAtMs = performance.now();
    const turns = new Map(
      waiting.map(({ id: session, user_id: user }) => [nameOf({ session }), { session, user, agents: [] }]),
    );
    const rows = await this.#calls.rows('inherit', [gone, [...turns.keys()], this.#server, LEASE_MS]);
    this.#noteStay(true, sentAtMs);
    for (const { inherit: key } of rows) this.#hold(key, turns.get(key)!, 0);
  }

  async enter(turn: TurnParties, signal?: AbortSignal): Promise<boolean> {
    const key = nameOf({ session: turn.session });
    for (;;) {
      signal?.throwIfAborted();
      const held = this.#held.get(key);
      const names = [...new Set([...(held?.names ?? []), ...namesOf(turn)])];
      const isOurs = held !== undefined && held.wanted === undefined;
      if (isOurs && names.length === held.names.length) {
        held.turns++;
        return false;
      }
      if (isOurs || (held === undefined && !this.#cooling.has(key))) {
        const isTaken = (await this.#take(key, names)) === 'taken';
        const now = this.#held.get(key);
        if (isTaken && now?.wanted === undefined) {
          this.#hold(key, turn, (now?.turns ?? 0) + 1, names);
          return true;
        }
      }
      await pause(RETRY_MS);
    }
  }

  /**
   * Runs work while no other server makes a turn of the session: what another one has answered meanwhile is in the
   * transcript before that.
   */
  async holding<Result>(turn: TurnParties, work: () => Promise<Result>): Promise<Result> {
    if (this.#held.has(nameOf({ session: turn.session }))) return work();
    await this.enter(turn);
    try {
      return await work();
    } finally {
      this.leave(turn);
    }
  }

  leave(turn: TurnParties): void {
    const held = this.#held.get(nameOf({ session: turn.session }));
    if (held === undefined) return;
    held.turns--;
    held.usedAtMs = performance.now();
    void this.#answer(held);
  }

  async write<Result>(turn: TurnParties, work: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    const names = namesOf(turn);
    for (;;) {
      await this.#confirm(turn);
      if (![...this.#closed.values()].some((name) => names.includes(name))) break;
      await pause(PULSE_MS / 10);
      signal?.throwIfAborted();
    }
    this.#writes.add(names);
    try {
      const result = await work();
      // Stopped in the middle of it, it may have written what others forgot meanwhile.
      await this.#confirm(turn);
      return result;
    } finally {
      this.#writes.delete(names);
    }
  }

  async close(scope: ExternalScope): Promise<() => void> {
    const [id, name] = [randomUUID(), nameOf(scope)];
    this.#closed.set(id, name);
    const open = (): void => {
      this.#closed.delete(id);
      this.#ended.add(id);
      void this.#endForgettings();
    };
    try {
      const own = [...this.#writes].filter((names) => names.includes(name));
      const others = await this.#beginForgetting(id, name);
      await this.#until(async () => !own.some((names) => this.#writes.has(names)));
      if (others > 0) await this.#until(async () => (await this.#heldElsewhere(name, false)) === 0);
      return open;
    } catch (error) {
      open();
      throw error;
    }
  }

  noteForgotten(scope: ExternalScope): void {
    for (const name of [nameOf(scope), '']) this.#forgotten.set(name, (this.#forgotten.get(name) ?? 0) + 1);
  }

  forgettings(turn?: TurnParties): string {
    return (turn === undefined ? [''] : namesOf(turn))
      .map((name) => this.#forgotten.get(name) ?? 0)
      .join(' ');
  }

  /** Asks the servers that hold sessions in the scope to archive what waits there, and waits until they have. */
  async gather(scope: ExternalScope): Promise<void> {
    const name = nameOf(scope);
    const asked = `gather ${randomUUID()}`;
    if ((await this.#calls.value<number>('gather', [name, asked, this.#server])) === 0) return;
    this.#news?.announce({ isWanted: true });
    await this.#until(async () => (await this.#heldElsewhere(name, true)) === 0);
  }

  /** Tells all servers that something of a user was forgotten, or of a user who is not known. */
  async leaveNotice(userId: string | undefined): Promise<void> {
    await this.#calls.rows('leave_notice', [
      nameOf(userId === undefined ? {} : { user: userId }),
      randomUUID(),
    ]);
  }

  /** Another text after each notice that may concern the user; after each one when none is named. */
  async notices(userId: string | undefined): Promise<string> {
    const names = userId === undefined ? null : [nameOf({ user: userId }), nameOf({})];
    return this.#calls.value<string>('notices', [names]);
  }

  /** Releases everything. What waits must have been archived. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopHearing?.();
    await this.#pulsing;
    this.#held.clear();
    if (this.#isJoined) await this.#calls.rows('bury', [[this.#server]]).catch(() => undefined);
  }

  #hold(key: string, turn: TurnParties, turns: number, names = namesOf(turn)): void {
    const facts = { key, sessionId: turn.session, names, turns, usedAtMs: performance.now() };
    this.#held.set(key, { ...facts, wanted: undefined, isAnswering: false });
    this.#keepPulse();
  }

  async #take(key: string, names: readonly string[]): Promise<string> {
    this.#taking.add(key);
    try {
      await this.#parting;
      const sentAtMs = performance.now();
      const args = [key, names, this.#server, !this.#isJoined, LEASE_MS];
      const taken = await this.#calls.value<string>('take_turns', args);
      this.#noteStay(taken !== 'lost', sentAtMs);
      if (taken === 'held') this.#news?.announce({ isWanted: true });
      return taken;
    } finally {
      this.#taking.delete(key);
    }
  }

  async #beginForgetting(id: string, name: string): Promise<number> {
    for (;;) {
      await this.#parting;
      const sentAtMs = performance.now();
      const args = [id, name, this.#server, !this.#isJoined, LEASE_MS];
      const others = await this.#calls.value<number | null>('begin_forgetting', args);
      this.#noteStay(others !== null, sentAtMs);
      if ((others ?? 0) > 0) this.#news?.announce({ isWanted: true });
      if (others !== null) return others;
    }
  }

  #heldElsewhere(name: string, isUnanswered: boolean): Promise<number> {
    return this.#calls.value<number>('held_elsewhere', [name, this.#server, isUnanswered]);
  }

  #noteStay(isAlive: boolean, sentAtMs: number): void {
    if (isAlive) {
      this.#isJoined = true;
      this.#renewedAtMs = Math.max(this.#renewedAtMs, sentAtMs);
      this.#keepPulse();
    } else this.#lose();
  }

  /** Another server has taken this one for dead, and may have what it held. */
  #lose(): void {
    this.#isJoined = false;
    const lost = [...this.#held.values()];
    this.#held.clear();
    for (const { sessionId } of lost) {
      this.#hooks?.callOff(sessionId, cutOff());
      void this.#hooks?.archive(sessionId).catch(() => undefined);
    }
  }

  /** @throws ConcurrencyError LOCK_TIMEOUT when the session is another server's by now */
  async #confirm({ session }: TurnParties): Promise<void> {
    if (performance.now() - this.#renewedAtMs > LEASE_MS / 2) await this.#pulse();
    if (!this.#held.has(nameOf({ session }))) throw cutOff();
  }

  #keepPulse(): void {
    this.#timer ??= setInterval(() => {
      const isEarly = this.#news?.areHeard && performance.now() - this.#pulsedAtMs < LEASE_MS / 3;
      if (!isEarly || this.#ended.size > 0) void this.#pulse().catch(() => undefined);
    }, PULSE_MS).unref();
  }

  #pulse(): Promise<void> {
    this.#pulsing ??= this.#ask().finally(() => (this.#pulsing = undefined));
    return this.#pulsing;
  }

  async #ask(): Promise<void> {
    if (this.#ended.size > 0) await this.#endForgettings();
    await this.#letIdleGo();
    if (!this.#isJoined) return;
    const sentAtMs = performance.now();
    this.#pulsedAtMs = sentAtMs;
    const renews = sentAtMs - this.#renewedAtMs > LEASE_MS / 4;
    const rows = await this.#calls.rows('pulse', [this.#server, renews, LEASE_MS]);
    if (rows[0]?.wanted === 'lost') return this.#lose();
    if (renews) this.#renewedAtMs = sentAtMs;
    for (const { session, wanted } of rows) {
      const held = this.#held.get(session);
      // Taken with an answer that was lost.
      if (held === undefined && !this.#taking.has(session)) await this.#letGo([session]);
      if (held !== undefined) {
        held.wanted = wanted;
        void this.#answer(held);
      }
    }
  }

  /** Does what others want of the holder of a session, once the turn under way has ended. */
  async #answer(held: Held): Promise<void> {
    const { key, sessionId, wanted } = held;
    if (wanted === undefined || held.isAnswering || this.#held.get(key) !== held) return;
    if (wanted === 'forget') this.#hooks!.callOff(sessionId);
    const isGathering = wanted.startsWith('gather');
    if (held.turns > 0 && !isGathering) return;
    held.isAnswering = true;
    try {
      await this.#hooks!.archive(sessionId);
      if (isGathering) {
        await this.#calls.rows('have_gathered', [key, wanted, this.#server]);
        held.wanted = undefined;
      } else await this.#letGo([key]);
    } catch {
      // It is asked again with the next pulse.
    } finally {
      held.isAnswering = false;
    }
  }

  async #letIdleGo(): Promise<void> {
    const beforeMs = performance.now() - IDLE_MS;
    const idle = [...this.#held.values()].filter(
      ({ turns, usedAtMs, sessionId }) =>
        turns === 0 && usedAtMs < beforeMs && this.#hooks!.count(sessionId) === 0,
    );
    if (idle.length > 0) await this.#letGo(idle.map(({ key }) => key));
    const inUse = [this.#held, this.#taking, this.#cooling, this.#closed, this.#ended];
    if (!this.#isJoined || inUse.some(({ size }) => size > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#isJoined = false;
    this.#parting = this.#calls.rows('bury', [[this.#server]]).catch(() => undefined);
    await this.#parting;
  }

  async #letGo(keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      this.#held.delete(key);
      this.#cooling.add(key);
      setTimeout(() => this.#cooling.delete(key), COOLING_MS).unref();
    }
    await this.#calls.rows('let_go', [keys, this.#server]);
  }

  async #endForgettings(): Promise<void> {
    for (const id of this.#ended) {
      const isEnded = await this.#calls.rows('end_forgetting', [id]).then(
        () => true,
        // The next pulse tries again.
        () => false,
      );
      if (isEnded) this.#ended.delete(id);
    }
  }

  /** @throws ConcurrencyError LOCK_TIMEOUT */
  async #until(isDone: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + OTHERS_WAIT_MS;
    while (!(await isDone())) {
      if (performance.now() > endMs)
        throw new ConcurrencyError(
          'LOCK_TIMEOUT',
          'Another server holds messages or answers that this concerns, and has not released them. Nothing was done. Try again.',
        );
      await pause(RETRY_MS / 2);
    }
  }
}

function cutOff(): ConcurrencyError {
  return new ConcurrencyError(
    'LOCK_TIMEOUT',
    'This server was out of touch with the database for too long, and the turn was called off. Send the message again.',
  );
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
