import type { JsonObject, JsonValue } from '../../core/records.ts';

/**
 * When each line of notes was first noted.
 *
 * As long as all versions are kept, they tell: a line is as old as the first version that has it. Old versions leave
 * the log; the oldest one that stays then carries the times of its lines in `noted_at`, as runs: `["2026-01-05T…", 3]`
 * are three lines of that time. A version that should carry them and does not, because a person took them out, has
 * lines whose age is unknown.
 */
const UNKNOWN_MS = 0;

function linesIn(text: string): readonly string[] {
  return text.split(/\r?\n/);
}

export interface TimedVersion {
  readonly version: number;
  readonly timestamp: string;
  readonly text: string;
  readonly noted_at?: JsonValue | undefined;
}

/** @param versions oldest first @returns milliseconds, by line */
export function linesNotedIn(versions: readonly TimedVersion[]): ReadonlyMap<string, number> {
  const noted = new Map<string, number>();
  for (const [position, { version, timestamp, text, noted_at }] of versions.entries()) {
    const times = parseRuns(noted_at);
    const isCut = position === 0 && version > 1;
    for (const [at, line] of linesIn(text).entries()) {
      if (line.trim() === '') continue;
      const ms = times === undefined ? (isCut ? UNKNOWN_MS : Date.parse(timestamp)) : times[at];
      noted.set(line, Math.min(noted.get(line) ?? Number.POSITIVE_INFINITY, ms ?? UNKNOWN_MS));
    }
  }
  return noted;
}

/** The record of a version that becomes the oldest one, with the times of its lines. */
export function withTimes(fields: JsonObject, noted: ReadonlyMap<string, number>): JsonObject {
  const runs: [string, number][] = [];
  for (const line of linesIn(String(fields.text))) {
    const time = new Date(noted.get(line) ?? UNKNOWN_MS).toISOString();
    const last = runs.at(-1);
    // A blank line says nothing: it may stand in any run.
    if (last !== undefined && (last[0] === time || line.trim() === '')) last[1]++;
    else runs.push([time, 1]);
  }
  return { ...fields, noted_at: runs };
}

/** The record of a version with another text, and the times of the lines that are left. */
export function withText(fields: JsonObject, text: string): JsonObject {
  if (fields.noted_at === undefined) return { ...fields, text };
  const [before, after] = [linesIn(String(fields.text)), linesIn(text)];
  if (before.length === after.length) return { ...fields, text };
  const times = parseRuns(fields.noted_at) ?? [];
  const noted = new Map(before.map((line, at) => [line, times[at] ?? UNKNOWN_MS]));
  return withTimes({ ...fields, text }, noted);
}

/** A time for each line; `undefined` when there is nothing that could be read as such. */
function parseRuns(value: JsonValue | undefined): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((run) => {
    const [timestamp, count] = Array.isArray(run) ? run : [];
    const ms = typeof timestamp === 'string' ? Date.parse(timestamp) : Number.NaN;
    const isRun = Number.isFinite(ms) && typeof count === 'number' && count > 0 && count <= MAX_LINES;
    return isRun ? new Array<number>(Math.trunc(count)).fill(ms) : [];
  });
}

/** More than any text can have. */
const MAX_LINES = 10_485_761;
