import { ifGone, LonghandError, NotFoundError } from '../core/errors.ts';
import { placeOfJsonFault } from '../core/json-fault.ts';
import type { LogLine } from '../core/line.ts';
import type { Damage, DamageKind } from '../core/log-decoder.ts';
import { parseJson } from '../core/parse-json.ts';
import { readLog } from '../core/read-log.ts';
import { liftRecord, type RawRecord, type Schema } from '../core/schema.ts';
import { LOCAL_ACCOUNT } from '../core/scopes.ts';
import { RunningDigest } from '../core/sha256.ts';
import type { LogAddress, LogSlice, LogStore } from '../core/store.ts';
import { type DetailState, detailFold } from './details/detail-records.ts';
import { STRETCH_BYTES } from './details/detail-scan.ts';
import { withReadingBuffer } from './details/reading-buffer.ts';
import { FollowedLog, problemOfFollowedRecord } from './followed-log.ts';
import type { LayerContext } from './layer-context.ts';
import { EPOCH, problemOfRecord } from './memories/stored-record.ts';
import { NamedSessions, problemsOfSession, readIndexOf } from './session-soundness.ts';
import { placeOf, type UnfinishedLine, UnfinishedLines } from './unfinished-lines.ts';
import { checkIndex, checkVectors } from './verification-of-indexes.ts';

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
   * How a line is damaged; that a line is of a later `version`, which leaves out all of its log; that nobody can tell the
   * `owner` of a session, which leaves it out too; that a session is `unnamed` in the list of its user's; that memories of a session are `lost`, with their lines; that a large
   * value or the log of a session or agent is `missing`, that a large value has another `digest`, that the `index` or
   * `vectors` cannot be used (they are made again by themselves), or that the file is `unreadable`. A line of kind
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

export async function verifyStore(
  context: Pick<LayerContext, 'store' | 'schema'>,
  onProgress: (done: number, total: number) => void = () => undefined,
): Promise<VerifyReport> {
  const { store } = context;
  const [sessions, agents, users] = await Promise.all([
    store.list('session'),
    store.list('agent'),
    store.list('user'),
  ]);
  const check = new Verification(context);
  const total = sessions.length + agents.length + users.length + 1;
  let done = 0;
  const step = (): void => onProgress(++done, total);
  for (const id of sessions) {
    await check.session(id);
    await check.log({ kind: 'transcript', id });
    await check.details(id);
    step();
  }
  for (const id of agents) {
    await check.log({ kind: 'agent', id });
    step();
  }
  let notes = 0;
  for (const userId of users) {
    for (const id of await store.list('notes', userId)) {
      notes++;
      await check.log({ kind: 'notes', id, userId });
    }
    await check.index(userId);
    await check.vectors(userId);
    step();
  }
  await check.log({ kind: 'ledger', id: LOCAL_ACCOUNT });
  for (const kind of ['session', 'agent'] as const) await check.missingLogs(kind);
  step();
  return { sessions: sessions.length, agents: agents.length, notes, ...(await check.report()) };
}

class Verification {
  readonly #store: LogStore;
  readonly #schema: Schema;
  readonly #damage: DamagedPlace[] = [];
  #logs = 0;
  #lines = 0;
  #unverified = 0;
  readonly #unfinished: UnfinishedLines;
  readonly #named: NamedSessions;
  #details = 0;
  #segments = 0;
  #blocks = 0;

  constructor({ store, schema }: Pick<LayerContext, 'store' | 'schema'>) {
    this.#store = store;
    this.#schema = schema;
    this.#unfinished = new UnfinishedLines(store);
    this.#named = new NamedSessions(store);
  }

  async report(): Promise<Omit<VerifyReport, 'sessions' | 'agents' | 'notes'>> {
    const unfinished = await this.#unfinished.still();
    return {
      logs: this.#logs,
      lines: this.#lines,
      unverified_lines: this.#unverified,
      unfinished_bytes: unfinished.reduce((sum, { bytes }) => sum + bytes, 0),
      unfinished,
      details: this.#details,
      index_segments: this.#segments,
      vector_blocks: this.#blocks,
      damage: this.#damage,
    };
  }

  async session(sessionId: string): Promise<void> {
    const address: LogAddress = { kind: 'session', id: sessionId };
    const context = { store: this.#store, schema: this.#schema };
    const index = await readIndexOf(this.#store, sessionId);
    const slice = await this.#read(address);
    if (slice === undefined) return;
    const place = placeOf(this.#store, address);
    const problems = await problemsOfSession(context, this.#named, sessionId, index, slice).catch(ifGone);
    for (const problem of problems ?? []) this.#damage.push({ place, offset: 0, ...problem });
    this.#checkLines(address, slice);
  }

  /** Whether it is there and can be read. */
  async log(address: LogAddress): Promise<boolean> {
    const slice = await this.#read(address);
    if (slice !== undefined) this.#checkLines(address, slice);
    return slice !== undefined;
  }

  async #read(address: LogAddress): Promise<LogSlice | undefined> {
    try {
      return await readLog(this.#store, address, { check: 'full' });
    } catch (error) {
      // Many sessions have no transcript, and one may have gone since it was listed.
      if (error instanceof NotFoundError) return undefined;
      if (!LonghandError.isInstance(error)) throw error;
      this.#damage.push({ place: placeOf(this.#store, address), offset: 0, kind: 'unreadable' });
      return undefined;
    }
  }

  #checkLines(address: LogAddress, slice: LogSlice): void {
    this.#logs++;
    this.#lines += slice.lines.length + slice.damage.filter(({ kind }) => kind !== 'sequence').length;
    this.#unfinished.note(address, slice);
    const found: (LineProblem & { readonly line: LogLine })[] = slice.damage.map((damage) => ({
      ...problemOfDamage(damage),
      line: damage.line,
    }));
    for (const line of slice.lines) {
      const problem = this.#problemOf(address, line);
      if (problem !== undefined) found.push({ ...problem, line });
      else if (!line.hasChecksumField) this.#unverified++;
    }
    const place = placeOf(this.#store, address);
    found.sort((left, right) => left.line.offset - right.line.offset);
    for (const { line, ...problem } of found)
      this.#damage.push({ place, offset: line.offset, line: line.lineNumber, ...problem });
  }

  /** A line that is what was written may still be nothing that a reader takes in: a person may have written it. */
  #problemOf({ kind, id }: LogAddress, line: LogLine): LineProblem | undefined {
    const schema = this.#schema;
    const reason =
      kind === 'session'
        ? problemOfRecord(line, { sessionId: id, schema, createdAt: EPOCH })
        : problemOfFollowedRecord(line, schema);
    if (reason === undefined) return undefined;
    return { kind: isOfOtherVersion(line, schema) ? 'version' : 'schema', reason };
  }

  async missingLogs(kind: 'session' | 'agent'): Promise<void> {
    for (const id of (await this.#store.folder?.listWithoutLog(kind)) ?? []) {
      const reason = `Other files of the ${kind} are there, its log is not.`;
      this.#damage.push({ place: placeOf(this.#store, { kind, id }), offset: 0, kind: 'missing', reason });
    }
  }

  async details(sessionId: string): Promise<void> {
    const address: LogAddress = { kind: 'details', id: sessionId };
    if (!(await this.log(address))) return;
    const context = { store: this.#store, schema: this.#schema };
    const log = new FollowedLog<DetailState>(context, address, detailFold);
    for (const { memory_key, blob, digest } of (await log.find())?.byKey.values() ?? []) {
      this.#details++;
      const found = await this.#digestOf(sessionId, blob);
      if (found === digest) continue;
      // Another process may have removed it since.
      if ((await log.find())?.byKey.get(memory_key)?.blob !== blob) continue;
      const place = `${placeOf(this.#store, { kind: 'session', id: sessionId })}: ${blob}`;
      this.#damage.push({ place, offset: 0, kind: found === undefined ? 'missing' : 'digest' });
    }
  }

  /** `undefined` when the value is not there. */
  async #digestOf(sessionId: string, name: string): Promise<string | undefined> {
    const blob = await this.#store.openBlob({ kind: 'session', id: sessionId }, name);
    if (blob === undefined) return undefined;
    try {
      const digest = new RunningDigest();
      await withReadingBuffer(async (buffer) => {
        for (let offset = 0; offset < blob.size; offset += STRETCH_BYTES) {
          digest.add(await blob.read(offset, STRETCH_BYTES, buffer));
        }
      });
      return digest.hex();
    } finally {
      blob.close();
    }
  }

  async index(userId: string): Promise<void> {
    const { checked, broken } = await checkIndex(this.#store, userId);
    this.#segments += checked;
    for (const what of broken)
      this.#damage.push({ place: `search index of ${userId}: ${what}`, offset: 0, kind: 'index' });
  }

  async vectors(userId: string): Promise<void> {
    const { checked, broken } = await checkVectors(this.#store, userId);
    this.#blocks += checked;
    for (const what of broken)
      this.#damage.push({ place: `vectors of ${userId}: ${what}`, offset: 0, kind: 'vectors' });
  }
}

type LineProblem = Pick<DamagedPlace, 'kind' | 'reason'>;

/** What the decoder tells by the end of a line alone: a person's line never had a checksum that could be wrong. */
function problemOfDamage({ kind, line }: Damage): LineProblem {
  if (kind === 'sequence' || line.closesWithChecksum) return { kind };
  const at = placeOfJsonFault(line.text);
  if (at !== undefined) return { kind: 'torn', reason: `It is not valid JSON, from character ${at + 1} on.` };
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
