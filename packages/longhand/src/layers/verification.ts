import { LonghandError, NotFoundError } from '../core/errors.ts';
import type { LogLine } from '../core/line.ts';
import type { Damage, DamageKind } from '../core/log-decoder.ts';
import { parseJson } from '../core/parse-json.ts';
import { readLog } from '../core/read-log.ts';
import { liftRecord, type RawRecord, type Schema } from '../core/schema.ts';
import type { LogAddress, LogSlice, LogStore } from '../core/store.ts';
import { problemOfFollowedRecord } from './followed-log.ts';
import type { LayerContext } from './layer-context.ts';
import { placeOf, type UnfinishedLine, UnfinishedLines } from './unfinished-lines.ts';
import { damagedLines } from './unreadable-lines.ts';

/**
 * Checking a whole store: every line of every log against its checksum and its schema, every large value against its
 * digest, every part of every search index, every block of vectors. Reads only, takes no lock, and trusts nothing that
 * was read before.
 */

export interface DamagedPlace {
  /** For people: a path within the store. */
  readonly place: string;
  /** Where in it, in bytes. */
  readonly offset: number;
  /** Counts from 1; for lines of logs. */
  readonly line?: number;
  /**
   * How a line is damaged; that a line is of a later `version`, which leaves out all of its log; that a session's
   * `owner` is unknown, which leaves it out too; that a session is `unnamed` in its user's list; that memories of a session are `lost`, with their lines; that a large
   * value or the log of a session or agent is `missing`, that a large value has another `digest`, that the `index` or
   * `vectors` cannot be used (they are rebuilt automatically), or that the file is `unreadable`. A line of kind
   * `sequence` is in use.
   */
  readonly kind:
    | DamageKind
    | 'version'
    | 'owner'
    | 'unnamed'
    | 'lost'
    | 'missing'
    | 'digest'
    | 'index'
    | 'vectors'
    | 'unreadable';
  /** What is wrong, where the kind does not say it all: a sentence for people. */
  readonly reason?: string;
}

export interface VerifyReport {
  readonly sessions: number;
  readonly agents: number;
  readonly notes: number;
  readonly logs: number;
  readonly lines: number;
  /** Lines without a checksum, which a person may have written: used, not checked. */
  readonly unverified_lines: number;
  /** The sum of `unfinished`. */
  readonly unfinished_bytes: number;
  /**
   * Lines without an end, the last of their logs, that stayed so for a moment: writes that were cut off and never
   * acknowledged, or lines that lost their end. The next write to the log closes them off.
   */
  readonly unfinished: readonly UnfinishedLine[];
  readonly details: number;
  readonly index_segments: number;
  readonly vector_blocks: number;
  readonly damage: readonly DamagedPlace[];
}

/** A layer, as far as it is checked. */
export interface VerifiedLayer {
  /** Checks what it keeps in one scope, and adds what it finds to the report. */
  verify?(scope: StoreScope, report: Verification): Promise<void>;
}

/** A part of a store: all of it is in one of them, but for what belongs to the store as a whole. */
export interface StoreScope {
  readonly kind: 'session' | 'agent' | 'user';
  readonly id: string;
}

const SCOPES = ['session', 'agent', 'user'] as const;

/** Sessions first. */
export async function scopesOf(store: LogStore): Promise<readonly StoreScope[]> {
  const lists = SCOPES.map(async (kind) => (await store.list(kind)).map((id) => ({ kind, id })));
  return (await Promise.all(lists)).flat();
}

export async function verifyStore(
  context: Pick<LayerContext, 'store' | 'schema'>,
  layers: readonly VerifiedLayer[],
  account: string,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<VerifyReport> {
  const { store } = context;
  const check = new Verification(context);
  const scopes = await scopesOf(store);
  const counted = (kind: StoreScope['kind']): number => scopes.filter((scope) => scope.kind === kind).length;
  for (const [done, scope] of scopes.entries()) {
    for (const layer of layers) await layer.verify?.(scope, check);
    onProgress(done + 1, scopes.length + 1);
  }
  await check.log({ kind: 'ledger', id: account });
  for (const kind of ['session', 'agent'] as const) await check.missingLogs(kind);
  onProgress(scopes.length + 1, scopes.length + 1);
  return { sessions: counted('session'), agents: counted('agent'), ...(await check.report()) };
}

/** What is wrong with a log beside what every log can have: with all of it, and with a line that is what was written. */
interface LogChecks {
  readonly ofLog?: (slice: LogSlice) => Promise<readonly Pick<DamagedPlace, 'kind' | 'reason'>[]>;
  readonly ofLine?: (line: LogLine) => string | undefined;
}

/** What the layers have found so far. */
export class Verification {
  readonly counts = {
    notes: 0,
    logs: 0,
    lines: 0,
    unverified_lines: 0,
    details: 0,
    index_segments: 0,
    vector_blocks: 0,
  };
  readonly damage: DamagedPlace[] = [];
  readonly #store: LogStore;
  readonly #schema: Schema;
  readonly #unfinished: UnfinishedLines;
  readonly #listed = new Map<string, ReadonlySet<string>>();

  constructor({ store, schema }: Pick<LayerContext, 'store' | 'schema'>) {
    this.#store = store;
    this.#schema = schema;
    this.#unfinished = new UnfinishedLines(store);
  }

  async report(): Promise<Omit<VerifyReport, 'sessions' | 'agents'>> {
    const unfinished = await this.#unfinished.still();
    const unfinished_bytes = unfinished.reduce((sum, { bytes }) => sum + bytes, 0);
    const { notes, logs, lines, unverified_lines, ...others } = this.counts;
    const { damage } = this;
    return { notes, logs, lines, unverified_lines, unfinished_bytes, unfinished, ...others, damage };
  }

  /** Every line of a log. `undefined` when it is not there or cannot be read. */
  async log(address: LogAddress, { ofLog, ofLine }: LogChecks = {}): Promise<LogSlice | undefined> {
    const slice = await this.#read(address);
    if (slice === undefined) return undefined;
    const place = this.placeOf(address);
    for (const problem of (await ofLog?.(slice)) ?? []) this.damage.push({ place, offset: 0, ...problem });
    this.counts.logs++;
    this.counts.lines += slice.lines.length + damagedLines(slice.damage).length;
    this.#unfinished.note(address, slice);
    const found: (LineProblem & { readonly line: LogLine })[] = slice.damage.map((damage) => ({
      ...problemOfDamage(damage),
      line: damage.line,
    }));
    const schema = this.#schema;
    for (const line of slice.lines) {
      // A line that is what was written may still be nothing that a reader takes in: a person may have written it.
      const reason = ofLine === undefined ? problemOfFollowedRecord(line, schema) : ofLine(line);
      if (reason !== undefined)
        found.push({ kind: isOfOtherVersion(line, schema) ? 'version' : 'schema', reason, line });
      else if (!line.hasChecksumField) this.counts.unverified_lines++;
    }
    found.sort((left, right) => left.line.offset - right.line.offset);
    for (const { line, ...problem } of found)
      this.damage.push({ place, offset: line.offset, line: line.lineNumber, ...problem });
    return slice;
  }

  async #read(address: LogAddress): Promise<LogSlice | undefined> {
    try {
      return await readLog(this.#store, address, { check: 'full' });
    } catch (error) {
      // Many sessions have no transcript, and one may have gone since it was listed.
      if (error instanceof NotFoundError) return undefined;
      if (!LonghandError.isInstance(error)) throw error;
      this.damage.push({ place: this.placeOf(address), offset: 0, kind: 'unreadable' });
      return undefined;
    }
  }

  async missingLogs(kind: 'session' | 'agent'): Promise<void> {
    for (const id of (await this.#store.folder?.listWithoutLog(kind)) ?? []) {
      const reason = `Other files of the ${kind} are there, its log is not.`;
      this.damage.push({ place: this.placeOf({ kind, id }), offset: 0, kind: 'missing', reason });
    }
  }

  placeOf(address: LogAddress): string {
    return placeOf(this.#store, address);
  }

  /** Whether the user's list of sessions names a session. Each list is read once, and again when it does not. */
  readonly isListed = async (userId: string, sessionId: string): Promise<boolean> => {
    if (this.#listed.get(userId)?.has(sessionId)) return true;
    // It may have been made since the list was read.
    const listed = new Set(await this.#store.list('session', userId));
    this.#listed.set(userId, listed);
    return listed.has(sessionId);
  };
}

type LineProblem = Pick<DamagedPlace, 'kind' | 'reason'>;

/** What the decoder tells by the end of a line alone: a person's line never had a checksum that could be wrong. */
function problemOfDamage({ kind, line }: Damage): LineProblem {
  if (kind === 'sequence' || line.closesWithChecksum) return { kind };
  try {
    parseJson(line.text);
  } catch {
    return { kind: 'torn', reason: 'It is not valid JSON.' };
  }
  const isObject = line.text.trim().startsWith('{');
  return isObject ? { kind: 'checksum' } : { kind: 'torn', reason: 'It is no JSON object.' };
}

function isOfOtherVersion(line: LogLine, schema: Schema): boolean {
  try {
    liftRecord(parseJson(line.text) as RawRecord, schema);
    return false;
  } catch (error) {
    return LonghandError.isInstance(error) && error.code === 'SCHEMA_TOO_NEW';
  }
}
