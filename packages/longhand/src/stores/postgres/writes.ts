import { ValidationError } from '../../core/errors.ts';
import { randomName } from '../../core/ids.ts';
import {
  type Appended,
  type AppendOptions,
  describeLog,
  type LogAddress,
  logKey,
  logNotFound,
  sessionFull,
} from '../../core/store.ts';
import type { Calls } from './calls.ts';
import type { Row } from './client.ts';
import { isRefusal } from './failures.ts';
import { type Head, namedIn } from './log-lines.ts';

/** The state that a log must be in, when records were decided from it. */
export interface Expected {
  readonly generation: string;
  readonly lastSeq: number;
  readonly tombstones: number;
}

interface AppendItem {
  readonly log: LogAddress;
  readonly bodies: readonly string[];
  readonly tombstones: readonly string[];
  readonly create?: AppendOptions['create'];
  readonly maxBytes?: number | undefined;
  readonly expected?: Expected | undefined;
  /** Names this append: when its answer is lost, its lines are found by it. */
  readonly token: string;
}

export function newItem(
  log: LogAddress,
  bodies: readonly string[],
  { create, maxBytes, tombstones = [] }: AppendOptions,
  expected?: Expected,
): AppendItem {
  const most = maxBytes === Number.POSITIVE_INFINITY ? undefined : maxBytes;
  return { log, bodies, tombstones, create, maxBytes: most, expected, token: randomName() };
}

/** The arguments of `longhand.append`. */
export function appendArgs(items: readonly AppendItem[], isAgain = false): unknown[] {
  let at = 0;
  const told = items.map((item) => {
    const { log, bodies, tombstones, ...rest } = item;
    const counts = { at, bodies: bodies.length, tombstones: tombstones.length };
    at += bodies.length;
    const octets = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
    const is_plain = !isAgain && addsMemories(item);
    return { ...namedIn(log), ...rest, ...counts, octets, again: isAgain, is_plain };
  });
  return [
    JSON.stringify(told),
    items.flatMap(({ bodies }) => bodies).join('\n'),
    items.flatMap(({ tombstones }) => tombstones),
  ];
}

/** To the session of a user that is named, and nothing else: most appends do that. */
function addsMemories({ log, bodies, tombstones, create }: AppendItem): boolean {
  const isNamed = log.kind === 'session' && Boolean(log.userId);
  return isNamed && create !== 'new' && bodies.length > 0 && tombstones.length === 0;
}

export interface Outcome {
  readonly status: 'done' | 'conflict';
  readonly appended: Appended;
  readonly head: Head;
}

/** @throws NotFoundError SESSION_NOT_FOUND, ValidationError SESSION_EXISTS, SizeLimitError */
export function toOutcome(row: Row, log: LogAddress, limit = 0): Outcome {
  const { status } = row;
  if (status === 'missing') throw logNotFound(log);
  if (status === 'exists')
    throw new ValidationError('SESSION_EXISTS', `There is a ${describeLog(log)} already.`);
  const [logBytes, index, tombstones] = [row.log_bytes, row.index_bytes, row.tombstone_bytes].map(Number);
  const size = {
    log: logBytes!,
    index: index!,
    tombstones: tombstones!,
    total: logBytes! + index! + tombstones!,
  };
  if (status === 'full') throw sessionFull(log, size, Number(row.wanted), limit);
  const lastSeq = Number(row.last_seq);
  const head = {
    userId: row.user_id,
    incarnation: row.incarnation,
    generation: row.generation,
    lastSeq,
    lines: Number(row.line_count),
    size,
    change: Number(row.change),
  };
  return { status, appended: { firstSeq: Number(row.first_seq), lastSeq, sizeBytes: size.total }, head };
}

interface Waiting {
  readonly item: AppendItem;
  readonly resolve: (row: Row) => void;
  readonly reject: (error: unknown) => void;
}

type Job = { readonly waiting: Waiting } | { readonly turn: () => Promise<void> };

interface Lane {
  readonly key: string;
  readonly jobs: Job[];
  isBusy: boolean;
}

/** Groups under way at a time: they share evenly what waits, and one is written while the answer of the other travels. */
const GROUPS = 2;
const MOST_ITEMS = 500;
const MOST_CHARACTERS = 4_000_000;

/**
 * The writes of this process. Those to one log keep their order; appends that wait, also to different logs, are sent
 * together in one statement.
 */
export class Writes {
  readonly #calls: Calls;
  readonly #lanes = new Map<string, Lane>();
  #ready: { readonly lane: Lane; readonly waiting: Waiting }[] = [];
  #groups = 0;
  #isScheduled = false;

  constructor(calls: Calls) {
    this.#calls = calls;
  }

  append(item: AppendItem): Promise<Row> {
    return new Promise((resolve, reject) => {
      this.#add(item.log, { waiting: { item, resolve, reject } });
    });
  }

  /** Runs work that no other write of this process to the log runs beside. */
  turn<Result>(log: LogAddress, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#add(log, { turn: () => work().then(resolve, reject) });
    });
  }

  /** When all that is accepted so far is done. */
  async settle(): Promise<void> {
    const ends = [...this.#lanes.values()].map(
      (lane) => new Promise<void>((resolve) => lane.jobs.push({ turn: async () => resolve() })),
    );
    await Promise.all(ends);
  }

  #add(log: LogAddress, job: Job): void {
    const key = logKey(log);
    const lane = this.#lanes.get(key) ?? { key, jobs: [], isBusy: false };
    this.#lanes.set(key, lane);
    lane.jobs.push(job);
    this.#pump(lane);
  }

  #pump(lane: Lane): void {
    if (lane.isBusy) return;
    const [next] = lane.jobs;
    if (next === undefined) {
      this.#lanes.delete(lane.key);
      return;
    }
    lane.isBusy = true;
    if ('turn' in next) {
      lane.jobs.shift();
      void next.turn().then(() => this.#free(lane));
      return;
    }
    // Taken when the group is sent, with those that have come until then.
    this.#schedule();
    this.#ready.push({ lane, waiting: next.waiting });
  }

  #free(lane: Lane): void {
    lane.isBusy = false;
    this.#pump(lane);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    queueMicrotask(() => {
      this.#isScheduled = false;
      while (this.#groups < GROUPS && this.#ready.length > 0) {
        void this.#sendGroup(Math.ceil(this.#ready.length / (GROUPS - this.#groups)));
      }
    });
  }

  async #sendGroup(mostLogs: number): Promise<void> {
    this.#groups++;
    const group: Waiting[] = [];
    const lanes: Lane[] = [];
    let characters = 0;
    const hasRoom = (): boolean => group.length < MOST_ITEMS && characters < MOST_CHARACTERS;
    while (this.#ready.length > 0 && lanes.length < mostLogs && hasRoom()) {
      const { lane } = this.#ready.shift()!;
      lanes.push(lane);
      for (let job = lane.jobs[0]; job !== undefined && 'waiting' in job && hasRoom(); job = lane.jobs[0]) {
        lane.jobs.shift();
        group.push(job.waiting);
        for (const body of job.waiting.item.bodies) characters += body.length;
      }
    }
    await this.#send(group);
    this.#groups--;
    for (const lane of lanes) this.#free(lane);
    this.#schedule();
  }

  async #rows(items: readonly AppendItem[]): Promise<Row[]> {
    const [{ log, token, maxBytes, bodies, expected }] = items as readonly [AppendItem];
    let wasLost = false;
    if (items.length === 1 && bodies.length === 1 && expected === undefined && addsMemories(items[0]!)) {
      const { id, user, incarnation } = namedIn(log);
      const rows = await this.#calls.rows('add', (isAgain) => {
        wasLost = isAgain;
        // Whether it was carried out, `append` finds out: of no user nothing is added.
        return [isAgain ? null : user, id, incarnation, token, maxBytes, bodies[0]];
      });
      if (rows[0]?.status === 'done') return rows;
    }
    return this.#calls.rows('append', (isAgain) => appendArgs(items, isAgain || wasLost));
  }

  /** Never rejects. */
  async #send(group: readonly Waiting[]): Promise<void> {
    try {
      const rows = await this.#rows(group.map(({ item }) => item));
      for (const [i, { resolve }] of group.entries()) resolve(rows[i]!);
    } catch (error) {
      // When one was refused for what it holds, the others must not pay for it.
      const isRefused = group.length > 1 && isRefusal(error);
      for (const one of group) await (isRefused ? this.#send([one]) : one.reject(error));
    }
  }
}
