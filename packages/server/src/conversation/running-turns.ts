import { AsyncLocalStorage } from 'node:async_hooks';
import { type ExternalHold, type ExternalScope, NotFoundError, type Session } from 'longhand';
import { isConcerned, type TurnGate, type TurnParties } from './turn-gate.ts';
import type { TurnLook } from './turn-look.ts';

/**
 * The answers that are being made. A forgetting calls off those that may have in hand what goes, and waits for what
 * they are writing at that moment (`turn-gate.ts`): when its receipt is given, nothing of it can come back. Those of
 * other processes are called off when they next write, or soon after the forgetting has ended.
 *
 * An agent may forget in the midst of its own turn, because the user asked for it. That turn goes on: what the user
 * said to be forgotten is before their eyes.
 */
export class RunningTurns {
  readonly #gate: TurnGate;
  readonly #turns = new Set<RunningTurn>();
  readonly #current = new AsyncLocalStorage<RunningTurn>();
  #timer: NodeJS.Timeout | undefined;
  #seen = '';

  constructor(gate: TurnGate) {
    this.#gate = gate;
  }

  /**
   * Begins when nothing that concerns the turn is being forgotten.
   * @param options.start what the turn writes first, before which it cannot be called off
   * @param options.check throws when what was asked is no longer there
   */
  async begin({ session, agents, signal, look, start, check }: TurnOptions): Promise<RunningTurn> {
    const all = [...new Set([...session.agents, ...agents])];
    const parties = { user: session.user_id, session: session.id, agents: all };
    const begin = async (): Promise<RunningTurn> => {
      const seen = this.#gate.forgettings(parties);
      await start();
      const turn = new RunningTurn({ gate: this.#gate, parties, seen, signal, check });
      this.#turns.add(turn);
      this.#watch();
      return turn;
    };
    if (await this.#gate.enter(parties, signal)) look.end();
    try {
      return await look.run(() => this.#gate.write(parties, begin, signal));
    } catch (error) {
      this.#gate.leave(parties);
      throw error;
    }
  }

  end(turn: RunningTurn): void {
    this.#turns.delete(turn);
    this.#gate.leave(turn.parties);
    if (this.#turns.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Work of a turn that may itself forget. */
  within<Result>(turn: RunningTurn, work: () => Promise<Result>): Promise<Result> {
    return this.#current.run(turn, work);
  }

  /** As `ExternalCopies.hold`. @throws ConcurrencyError LOCK_TIMEOUT */
  async hold(scope: ExternalScope): Promise<ExternalHold> {
    const own = this.#current.getStore();
    const closing = this.#gate.close(scope);
    for (const turn of this.#turns) if (turn !== own && isConcerned(turn.parties, scope)) turn.callOff();
    const open = await closing;
    return {
      release: ({ isChanged }) => {
        try {
          if (isChanged) this.#note(scope, own);
        } finally {
          open();
        }
      },
    };
  }

  /** A session is gone: so is what was asked there. */
  sessionDeleted(sessionId: string): void {
    this.callOff(
      sessionId,
      new NotFoundError('SESSION_NOT_FOUND', `There is no session ${sessionId} any more.`),
    );
  }

  /** @param reason because something was forgotten, when left out */
  callOff(sessionId: string, reason?: Error): void {
    for (const turn of this.#turns) if (turn.parties.session === sessionId) turn.callOff(reason);
  }

  #note(scope: ExternalScope, own: RunningTurn | undefined): void {
    const isUpToDate = own?.isUpToDate();
    this.#gate.noteForgotten(scope);
    if (isUpToDate === true) own!.takeNote();
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#seen = this.#gate.forgettings();
    this.#timer = setInterval(() => {
      const now = this.#gate.forgettings();
      if (now === this.#seen) return;
      this.#seen = now;
      for (const turn of this.#turns) if (!turn.isUpToDate()) turn.callOff();
    }, LOOK_INTERVAL_MS).unref();
  }
}

const LOOK_INTERVAL_MS = 250;

interface TurnOptions {
  /** What was seen before the turn began. */
  readonly look: TurnLook;
  readonly session: Session;
  readonly agents: readonly string[];
  readonly signal: AbortSignal;
  readonly start: () => Promise<void>;
  readonly check: () => Promise<void>;
}

/** Why a turn was called off: something was forgotten that it may have in hand. */
export class ForgottenMeanwhile extends Error {
  override readonly name = 'ForgottenMeanwhile';

  constructor() {
    super('Something was forgotten that this answer may hold.');
  }
}

/** One answer in the making, of one agent or of several. */
export class RunningTurn {
  readonly parties: TurnParties;
  /** Aborted when the caller leaves, when the server ends, or with why it was called off. */
  readonly signal: AbortSignal;
  readonly #gate: TurnGate;
  readonly #check: () => Promise<void>;
  readonly #callingOff = new AbortController();
  #seen: string;

  constructor({ gate, parties, seen, signal, check }: RunningTurnOptions) {
    this.parties = parties;
    this.signal = AbortSignal.any([signal, this.#callingOff.signal]);
    this.#gate = gate;
    this.#check = check;
    this.#seen = seen;
  }

  /**
   * Everything that the turn writes goes through here.
   * @throws ForgottenMeanwhile when something was forgotten that it may hold; what `check` throws
   */
  write<Result>(work: () => Promise<Result>): Promise<Result> {
    const ifCurrent = async (): Promise<Result> => {
      if (!this.isUpToDate()) this.callOff();
      this.#callingOff.signal.throwIfAborted();
      await this.#check().catch((error: Error) => {
        this.callOff(error);
        throw error;
      });
      return work();
    };
    return this.#gate.write(this.parties, ifCurrent, this.signal);
  }

  callOff(reason: Error = new ForgottenMeanwhile()): void {
    this.#callingOff.abort(reason);
  }

  isUpToDate(): boolean {
    return this.#gate.forgettings(this.parties) === this.#seen;
  }

  /** What it has forgotten itself is no reason to call it off. */
  takeNote(): void {
    this.#seen = this.#gate.forgettings(this.parties);
  }
}

interface RunningTurnOptions {
  readonly gate: TurnGate;
  readonly parties: TurnParties;
  readonly seen: string;
  readonly signal: AbortSignal;
  readonly check: () => Promise<void>;
}
