import { encodeLine, recordIn } from './line.ts';
import { decodeLog, START } from './log-decoder.ts';
import { type LogSize, type LogSlice, mendedTombstones, type Rehearsal, type RewritePlan } from './store.ts';

const NEWLINE = Buffer.from('\n');

/**
 * The lines of the log that a plan makes. A line that has no number yet, because a person wrote it, or whose number would
 * not rise, gets the next one; the appended records end above every number that the old log gave out.
 */
export function* rewrittenLines(plan: RewritePlan, lastSeq: number, checksums: boolean): Generator<Buffer> {
  let seq = 0;
  for (const body of plan.prepend ?? []) yield Buffer.from(encodeLine(body, ++seq, checksums));
  for (const { line, body, seq: given } of plan.keep) {
    const wanted = (body === undefined ? undefined : given) ?? line.seq;
    const keepsSeq = wanted !== undefined && wanted > seq;
    seq = keepsSeq ? wanted : seq + 1;
    const staysAsIs = body === undefined && keepsSeq && (line.hasChecksumField || !checksums);
    yield staysAsIs
      ? Buffer.concat([line.bytes, NEWLINE])
      : Buffer.from(encodeLine(body ?? JSON.stringify(recordIn(line.text)), seq, checksums));
  }
  seq = Math.max(seq, lastSeq);
  for (const body of plan.append) yield Buffer.from(encodeLine(body, ++seq, checksums));
}

/**
 * The log and its list of deletions as a plan would leave them.
 * @param slice of the whole log as it is
 * @param listed the list of deletions as it is
 */
export function rehearseRewrite(
  plan: RewritePlan,
  slice: LogSlice,
  { index }: LogSize,
  listed: string,
  checksums: boolean,
): Rehearsal {
  const bytes = Buffer.concat([...rewrittenLines(plan, slice.position.lastSeq, checksums)]);
  const { lines, damage, position, unfinishedBytes } = decodeLog(bytes, START, { check: 'light' });
  const { incarnation } = slice;
  const end = { generation: slice.position.generation, at: position.offset, lastSeq: position.lastSeq };
  const deletions = mendedTombstones(listed.split('\n'), plan.tombstones).filter((line) => line !== '');
  const tombstones = deletions.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
  return {
    slice: { incarnation, reset: true, lines, damage, position: end, unfinishedBytes },
    size: { log: bytes.length, index, tombstones, total: bytes.length + index + tombstones },
  };
}
