import { randomName } from '../../core/ids.ts';
import { LogLine } from '../../core/line.ts';
import { rehearseRewrite, rewrittenLines } from '../../core/rewritten-lines.ts';
import {
  type Appended,
  type AppendOptions,
  type Decide,
  type Decided,
  type DecideRewrite,
  isMeant,
  isOfSession,
  type LogAddress,
  logKey,
  logNotFound,
  mendedTombstones,
  type ReadAnswer,
  type Rewritten,
  sliceOfNoLog,
  toDecided,
  type WantedLog,
} from '../../core/store.ts';
import type { Ask, Calls } from './calls.ts';
import type { Row } from './client.ts';
import { isLostConnection } from './failures.ts';
import {
  decodeRows,
  type Head,
  isAt,
  namedIn,
  type ReadLog,
  sortRows,
  toAnswer,
  toQuestion,
} from './log-lines.ts';
import type { Mirror } from './look.ts';
import { appendArgs, type Expected, newItem, type Outcome, toOutcome, Writes } from './writes.ts';

/** One try of a write that was decided from what was read; `undefined` when the log had moved on. */
type Try<Result> = (ask: Ask, remember: (last: Last<Result>) => void) => Promise<Result | undefined>;

/** Asks again for a write of which the answer was lost, outside of the transaction that it was in. */
type Last<Result> = () => Promise<Result | undefined>;

interface Change {
  readonly name: string;
  readonly log: LogAddress;
  readonly args: (isAgain: boolean) => unknown[];
  readonly limit?: number | undefined;
}

/** The logs of one account: reading, appending, rewriting. */
export class Logs {
  readonly #calls: Calls;
  readonly #mirror: Mirror;
  readonly #writes: Writes;

  constructor(calls: Calls, mirror: Mirror) {
    this.#calls = calls;
    this.#mirror = mirror;
    this.#writes = new Writes(calls);
  }

  settle(): Promise<void> {
    return this.#writes.settle();
  }

  async read(wanted: readonly WantedLog[]): Promise<readonly ReadAnswer[]> {
    const known = wanted.map((each) => this.#mirror.answer(each));
    const asked = wanted.filter((_, i) => known[i] === undefined);
    const found = asked.length === 0 ? [] : await this.#read(this.#ask, asked);
    let next = 0;
    return wanted.map((each, i) => {
      const one = known[i];
      if (one !== undefined) return one.answer;
      const log = found[next++];
      return log === undefined ? undefined : toAnswer(each, log);
    });
  }

  async head(log: LogAddress): Promise<Head> {
    const known = this.#mirror.head(log);
    if (known !== undefined && isMeant(log, known.incarnation)) return known;
    const [found] = await this.#read(this.#ask, [{ log, places: [] }]);
    if (found === undefined) throw logNotFound(log);
    return found.head;
  }

  async append(
    log: LogAddress,
    records: readonly string[] | Decide,
    options: AppendOptions,
  ): Promise<Appended> {
    if (typeof records === 'function') {
      return this.#writes.turn(log, () => this.#appendDecided(log, records, options));
    }
    const row = await this.#writes.append(newItem(log, records, options));
    const { head, appended } = toOutcome(row, log, options.maxBytes);
    this.#mirror.noteWrite(log, head);
    return appended;
  }

  rewrite(log: LogAddress, decide: DecideRewrite): Promise<Rewritten> {
    return this.#writes.turn(log, () =>
      this.#compareThenLock(log, (ask, remember) => this.#tryRewrite(ask, remember, log, decide)),
    );
  }

  /** After the writes of this process to the log that are under way. */
  remove(log: LogAddress): Promise<boolean> {
    return this.#writes.turn(log, async () => {
      const { kind, id, user, incarnation } = namedIn(log);
      let wasLost = false;
      const isGone = await this.#calls.value<boolean>('remove', (isAgain) => {
        wasLost = isAgain;
        return [kind, id, user, incarnation];
      });
      this.#mirror.forget('userId' in log ? log.userId : undefined);
      return isGone || wasLost;
    });
  }

  async #appendDecided(log: LogAddress, decide: Decide, options: AppendOptions): Promise<Appended> {
    // Nothing has happened since the caller's position, as far as this look knows: the store compares when it writes.
    const head = this.#mirror.head(log);
    if (head !== undefined && isAt(head, options.after)) {
      const slice = decodeRows({ head, rows: [], aside: [], listed: '' }, options);
      const appended = await this.#write(this.#ask, log, decide(slice), options, head);
      if (appended !== undefined) return appended;
    }
    return this.#compareThenLock(log, async (ask, remember) => {
      const wanted: WantedLog[] = [{ log, after: options.after }];
      const isBeside = options.create !== undefined && isOfSession(log) && log.kind !== 'session';
      if (isBeside) wanted.push({ log: { ...log, kind: 'session' }, places: [] });
      const [found, session] = await this.#read(ask, wanted);
      if (found === undefined && (options.create === undefined || (isBeside && session === undefined)))
        throw logNotFound(log);
      const slice = found
        ? decodeRows(found, { ...options, check: 'light' })
        : sliceOfNoLog(session?.head.incarnation);
      return this.#write(ask, log, decide(slice), options, found?.head, remember);
    });
  }

  /** `undefined` when the log is not what it was when this was decided. */
  async #write(
    ask: Ask,
    log: LogAddress,
    given: readonly string[] | Decided,
    options: AppendOptions,
    head: Head | undefined,
    remember: (last: Last<Appended>) => void = () => undefined,
  ): Promise<Appended | undefined> {
    const { bodies, tombstones } = toDecided(given, options.tombstones);
    if (head !== undefined && bodies.length + tombstones.length === 0)
      return { firstSeq: head.lastSeq + 1, lastSeq: head.lastSeq, sizeBytes: head.size.total };
    const item = newItem(log, bodies, { ...options, tombstones }, expectedOf(head));
    const change = {
      name: 'append',
      log,
      args: (isAgain: boolean) => appendArgs([item], isAgain),
      limit: options.maxBytes,
    };
    return this.#change(ask, remember, change, ({ appended }) => appended);
  }

  async #tryRewrite(
    ask: Ask,
    remember: (last: Last<Rewritten>) => void,
    log: LogAddress,
    decide: DecideRewrite,
  ): Promise<Rewritten | undefined> {
    const [found] = await this.#read(ask, [{ log, aside: true }], true);
    if (found === undefined) throw logNotFound(log);
    const { head, aside, listed } = found;
    const slice = decodeRows(found, {});
    const plan = decide(slice, aside);
    const sizeBefore = head.size;
    if (plan.dryRun) {
      const rehearsal = rehearseRewrite(plan, slice, sizeBefore, listed, true);
      return { sizeBefore, sizeAfter: sizeBefore, rehearsal };
    }
    const next = nextLines(found, rewrittenLines(plan, slice.position.lastSeq, true));
    const generation = randomName();
    const deletions = mendedTombstones(listed.split('\n').filter(Boolean), plan.tombstones);
    const listedNext = deletions.map((line) => `${line}\n`).join('');
    const args = [
      JSON.stringify(namedIn(log)),
      JSON.stringify(expectedOf(head)),
      JSON.stringify({ generation, lastSeq: next.lastSeq, lines: next.count, bytes: next.bytes }),
      next.drops,
      next.seqs,
      next.lines,
      listedNext === listed ? null : listedNext,
      (plan.quarantine ?? []).map(({ offset }) => `${generation}-${offset}`),
      (plan.quarantine ?? []).map(({ bytes }) => bytes),
      plan.forget ?? [],
    ];
    const change = { name: 'rewrite', log, args: () => args };
    return this.#change(ask, remember, change, (outcome) => ({ sizeBefore, sizeAfter: outcome.head.size }));
  }

  async #change<Result>(
    ask: Ask,
    remember: (last: Last<Result>) => void,
    { name, log, args, limit }: Change,
    finish: (outcome: Outcome) => Result,
  ): Promise<Result | undefined> {
    const settle = (rows: readonly Row[]): Result | undefined => {
      const outcome = toOutcome(rows[0]!, log, limit);
      if (outcome.status === 'conflict') return undefined;
      if (ask === this.#ask) this.#mirror.noteWrite(log, outcome.head);
      return finish(outcome);
    };
    if (ask === this.#ask) return settle(await this.#calls.rows(name, args));
    remember(async () => settle(await this.#calls.rows(name, () => args(true))));
    return settle(await ask(name, args(false)));
  }

  /**
   * Writes if the log is still what it was when it was read. If not, other processes write to it at the same time: those
   * who come this far queue up for a lock that no plain writer waits for, and a second conflict leaves the owner's row in
   * the hands of this transaction, so that the third try succeeds.
   */
  async #compareThenLock<Result>(log: LogAddress, tryOnce: Try<Result>): Promise<Result> {
    const first = await tryOnce(this.#ask, () => undefined);
    if (first !== undefined) return first;
    const lockName = JSON.stringify([this.#calls.claims, logKey(log)]);
    for (;;) {
      let last: Last<Result> | undefined;
      const locked = this.#calls.inTransaction(async (ask, client) => {
        await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName]);
        for (;;) {
          const next = await tryOnce(ask, (call) => (last = call));
          if (next !== undefined) return next;
        }
      });
      try {
        return await locked;
      } catch (error) {
        if (!isLostConnection(error)) throw error;
        // The transaction may have been committed. Waits for the server to be there again.
        const done = await (
          last ?? (() => this.#calls.rows('look', [[], [], [], [], []]).then(() => undefined))
        )();
        if (done !== undefined) return done;
      } finally {
        this.#mirror.forget('userId' in log ? log.userId : undefined);
      }
    }
  }

  async #read(ask: Ask, wanted: readonly WantedLog[], withList = false): Promise<(ReadLog | undefined)[]> {
    const { epoch } = this.#mirror;
    const rows = await ask('read', [JSON.stringify(wanted.map((each) => toQuestion(each, withList)))]);
    const found = sortRows(rows, wanted.length);
    // What a transaction reads of its own is not true yet.
    if (ask !== this.#ask) return found;
    for (const { i, what, head } of rows) {
      const { log } = wanted[i]!;
      if (what === 'head') this.#mirror.noteRead(log, Number(head.change), head.user, found[i]!.head, epoch);
      if (what === 'none') this.#mirror.noteRead(log, Number(head.change), head.user, undefined, epoch);
    }
    return found;
  }

  readonly #ask: Ask = (name, args) => this.#calls.rows(name, args);
}

/** Of a log that is not there: that it is not there. */
function expectedOf(head: Head | undefined): Expected {
  if (head === undefined) return { generation: '', lastSeq: 0, tombstones: 0 };
  return { generation: head.generation, lastSeq: head.lastSeq, tombstones: head.size.tombstones };
}

/** What becomes of the rows of a log: those that stay byte for byte are not sent. */
function nextLines({ rows }: ReadLog, next: Iterable<Buffer>) {
  const before = new Map(rows.map(({ seq, line }) => [Number(seq), line as string]));
  const left = new Set(before.keys());
  const [seqs, lines]: [number[], string[]] = [[], []];
  let [lastSeq, bytes, count] = [0, 0, 0];
  for (const each of next) {
    const line = new LogLine(each, 0, each.length - 1, 0, 0);
    lastSeq = line.seq ?? lastSeq + 1;
    bytes += each.length;
    count++;
    if (before.get(lastSeq) === line.text) left.delete(lastSeq);
    else {
      seqs.push(lastSeq);
      lines.push(line.text);
    }
  }
  return { drops: [...left], seqs, lines, lastSeq, bytes, count };
}
