import type {
  LinePlace,
  LogAddress,
  LogPosition,
  LogSlice,
  LogStore,
  QuarantinedLine,
  ReadAnswer,
  ReadOptions,
  WantedLog,
} from './store.ts';
import { logNotFound, UNCHANGED } from './store.ts';

/** What layers ask of one log most often, as functions over `LogStore.read`. */

type Reads = Pick<LogStore, 'read'>;

/** Reads a log from its start. @throws NotFoundError SESSION_NOT_FOUND */
export async function readLog(store: Reads, log: LogAddress, options: ReadOptions = {}): Promise<LogSlice> {
  return wholeSlice(await answerOf(store, { log, ...options }), log);
}

/** What came after a position; `UNCHANGED` when that is nothing. @throws NotFoundError SESSION_NOT_FOUND */
export async function readAfter(
  store: Reads,
  log: LogAddress,
  after: LogPosition | undefined,
  options: Omit<WantedLog, 'log' | 'after'> = {},
): Promise<LogSlice | typeof UNCHANGED> {
  const answer = await answerOf(store, { log, after, ...options });
  if (answer === undefined) throw logNotFound(log);
  return answer;
}

/** Whether nothing was added or changed since a position. False when the log is gone. */
export async function isCurrent(store: Reads, log: LogAddress, after: LogPosition): Promise<boolean> {
  const answer = await answerOf(store, { log, after });
  if (answer === undefined || answer === UNCHANGED) return answer === UNCHANGED;
  return !answer.reset && answer.lines.length + answer.damage.length === 0;
}

/** One line again. `undefined` when the log is gone or was rewritten since the position. */
export async function readLine(store: Reads, log: LogAddress, place: LinePlace, after: LogPosition) {
  const answer = await answerOf(store, { log, after, places: [place] });
  return answer === undefined || answer === UNCHANGED ? undefined : answer.lines[0];
}

/** Every line that holds a text, unchecked. @throws NotFoundError SESSION_NOT_FOUND */
export async function linesHolding(store: Reads, log: LogAddress, holding: string) {
  return wholeSlice(await answerOf(store, { log, holding }), log).lines;
}

/** The copies of damaged lines that rewrites have set aside and not forgotten since. @throws as `readLog` */
export async function linesSetAside(store: Reads, log: LogAddress): Promise<readonly QuarantinedLine[]> {
  return wholeSlice(await answerOf(store, { log, places: [], aside: true }), log).aside ?? [];
}

async function answerOf(store: Reads, wanted: WantedLog): Promise<ReadAnswer> {
  return (await store.read([wanted]))[0];
}

function wholeSlice(answer: ReadAnswer, log: LogAddress): LogSlice {
  if (answer === undefined || answer === UNCHANGED) throw logNotFound(log);
  return answer;
}
