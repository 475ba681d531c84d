import { LogLine } from '../../core/line.ts';
import type { Damage } from '../../core/log-decoder.ts';
import {
  incarnationIn,
  type LogAddress,
  type LogSize,
  type LogSlice,
  type QuarantinedLine,
  type ReadAnswer,
  UNCHANGED,
  type WantedLog,
} from '../../core/store.ts';
import type { Row } from './client.ts';

/** What the row of a log says, as of one moment. */
export interface Head {
  readonly userId: string;
  readonly incarnation: string;
  readonly generation: string;
  readonly lastSeq: number;
  readonly lines: number;
  readonly size: LogSize;
  /** The owner's change number at that moment. */
  readonly change: number;
}

export interface ReadLog {
  readonly head: Head;
  readonly rows: readonly Row[];
  readonly aside: readonly QuarantinedLine[];
  /** The list of deletions, when it was wanted. */
  readonly listed: string;
}

/** The address as the functions of the database take it. */
export function namedIn(log: LogAddress): Record<string, unknown> {
  const user = 'userId' in log ? log.userId : undefined;
  return { kind: log.kind, id: log.id, user, incarnation: incarnationIn(log) };
}

/** About as many bytes as a line has, at least, where it is the number of bytes that is limited. */
const SHORT_LINE_BYTES = 200;

/** A place of a line is its number less one, so that the first is 0 and a position is the place of the next. */
export function toQuestion(wanted: WantedLog, withList = false): Record<string, unknown> {
  const { log, after, places, holding, maxBytes, aside } = wanted;
  return {
    ...namedIn(log),
    generation: after?.generation,
    at: holding === undefined ? after?.at : -1,
    seqs: places?.map(({ offset }) => offset + 1),
    holding,
    most: maxBytes === undefined ? undefined : Math.ceil(maxBytes / SHORT_LINE_BYTES),
    aside,
    listed: withList,
  };
}

/** The rows of one answer, sorted by the logs that were wanted. */
export function sortRows(rows: readonly Row[], count: number): (ReadLog | undefined)[] {
  const found = Array.from(
    { length: count },
    () => undefined as (ReadLog & { rows: Row[]; aside: QuarantinedLine[]; listed: string }) | undefined,
  );
  for (const row of rows) {
    const i = Number(row.i);
    if (row.what === 'head') {
      found[i] = { head: toHead(row.head), rows: [], aside: [], listed: '' };
      continue;
    }
    if (row.what === 'none') continue;
    const log = found[i]!;
    if (row.what === 'line') log.rows.push(row);
    else if (row.what === 'listed') log.listed = row.line;
    else {
      const bytes = Buffer.from(row.raw);
      log.aside.push({ name: row.line, line: new LogLine(bytes, 0, bytes.length, 0, 0) });
    }
  }
  return found;
}

export function toHead(head: Row): Head {
  const [log, index, tombstones] = [Number(head.log), Number(head.index), Number(head.tombstones)];
  return {
    userId: head.user,
    incarnation: head.incarnation,
    generation: head.generation,
    lastSeq: Number(head.lastSeq),
    lines: Number(head.lines),
    size: { log, index, tombstones, total: log + index + tombstones },
    change: Number(head.change),
  };
}

export function toAnswer(wanted: WantedLog, read: ReadLog): ReadAnswer {
  const { after, places, holding, aside } = wanted;
  const { head } = read;
  const isPlain = places === undefined && holding === undefined;
  if (isPlain && !aside && isAt(head, after)) return UNCHANGED;
  const slice = isPlain ? decodeRows(read, wanted) : chosenLines(read, wanted);
  return aside ? { ...slice, aside: read.aside } : slice;
}

/** Whether a log is where a reader left it. */
export function isAt(head: Head, after: WantedLog['after']): boolean {
  return after?.generation === head.generation && after.at === head.lastSeq;
}

function chosenLines({ head, rows }: ReadLog, { after, places, holding }: WantedLog): LogSlice {
  const reset = after?.generation !== head.generation;
  const bySeq = new Map(rows.map((row) => [Number(row.seq), row]));
  const chosen =
    holding === undefined
      ? places!.map(({ offset, lineNumber }) => ({ row: bySeq.get(offset + 1), lineNumber }))
      : rows.map((row) => ({ row, lineNumber: 0 }));
  const lines = chosen.flatMap(({ row, lineNumber }) => (row === undefined ? [] : toLine(row, lineNumber)));
  const position = reset ? { generation: head.generation, at: 0, lastSeq: 0, token: 0 } : after;
  return { incarnation: head.incarnation, reset, lines, damage: [], position, unfinishedBytes: 0 };
}

/** Every row after a position as a line, with the same rules as `core/log-decoder.ts` has for bytes. */
export function decodeRows(
  { head, rows }: ReadLog,
  { after, check = 'full' }: Pick<WantedLog, 'after' | 'check'>,
): LogSlice {
  const reset = after?.generation !== head.generation;
  const lines: LogLine[] = [];
  const damage: Damage[] = [];
  let { at, lastSeq } = reset ? { at: 0, lastSeq: 0 } : after;
  let lineNumber = reset ? 0 : Number(after.token);
  for (const row of rows) {
    const line = toLine(row, ++lineNumber);
    at = Number(row.seq);
    const isTrusted = check === 'light' && line.hasChecksumField && line.memoryId !== undefined;
    if (!isTrusted && line.check() === 'damaged') {
      damage.push({ kind: line.text.endsWith('}') ? 'checksum' : 'torn', line });
      continue;
    }
    lines.push(line);
    const seq = line.seq ?? at;
    if (check === 'full' && seq <= lastSeq) damage.push({ kind: 'sequence', line });
    lastSeq = Math.max(lastSeq, seq);
  }
  // Lines of which the end was damaged have their numbers all the same.
  const position = { generation: head.generation, at, lastSeq: Math.max(lastSeq, at), token: lineNumber };
  return { incarnation: head.incarnation, reset, lines, damage, position, unfinishedBytes: 0 };
}

function toLine({ seq, line }: Row, lineNumber: number): LogLine {
  const bytes = Buffer.from(line as string);
  return new LogLine(bytes, 0, bytes.length, Number(seq) - 1, lineNumber);
}
