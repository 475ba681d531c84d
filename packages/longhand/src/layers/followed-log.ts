import { LonghandError } from '../core/errors.ts';
import { type LogLine, recordIn } from '../core/line.ts';
import { linesHolding, linesSetAside, readLine, readLog } from '../core/read-log.ts';
import type { JsonObject } from '../core/records.ts';
import { liftRecord, type RawRecord, type Schema, versionOf } from '../core/schema.ts';
import {
  type DecideRewrite,
  isOfSession,
  type LinePlace,
  type LogAddress,
  type LogPosition,
  type LogSlice,
  type LogStore,
  logNotFound,
  type SessionAddress,
  UNCHANGED,
} from '../core/store.ts';
import type { LayerContext } from './layer-context.ts';
import { isSessionGone } from './session-ref.ts';
import { Turns } from './turns.ts';
import { damagedLines, mayBeMeant, type Unreadable } from './unreadable-lines.ts';

/**
 * A log, and what its records add up to.
 *
 * Agents, notes, details and transcripts are small logs that are read far more often than written. Each is
 * followed the same way: the state is kept in memory, one look tells whether there is news, and only the new
 * lines are read. A change is decided under the store's lock, from a state that is current at that moment, so
 * two processes never decide from the same past.
 *
 * Records of an earlier schema are lifted as they are read, and written in the current one when the log is next
 * rewritten. One of a later schema refuses the whole log: what is not understood must not be passed over.
 *
 * Everything here takes its turn: a state that is shared must not be moved by two readings at once.
 */
export interface Fold<State> {
  start(): State;
  /** Takes in the next record. One that it does not know it leaves alone: a later version may have written it. */
  apply(state: State, record: StoredRecord): void;
}

export interface StoredRecord {
  readonly fields: JsonObject & { readonly record: string; readonly timestamp: string };
  readonly line: LogLine;
  /** The line is of an earlier schema than the fields. */
  readonly isLifted: boolean;
}

/** What of a log cannot be read and may be what is meant. */
export interface UnreadablePart {
  readonly lines: readonly LogLine[];
  /** False when there is nothing to take away. */
  readonly isThere: boolean;
}

const NOTHING_UNREADABLE: UnreadablePart = { lines: [], isThere: false };

/**
 * What becomes of a record when the log is rewritten: kept as it is, changed, or dropped. The state is what all
 * records add up to at that moment, while no other process can write; what goes unread is lost in the same rewrite.
 */
export type Rewriting<State = unknown> = (
  record: StoredRecord,
  state: State,
  lost: readonly LostLine[],
) => 'keep' | 'drop' | JsonObject;

/** Records that close a rewriting, perhaps made from what all records add up to and from what goes unread. */
export type Closing<State = unknown> =
  | readonly JsonObject[]
  | ((state: State, lost: readonly LostLine[]) => readonly JsonObject[]);

/** A line that cannot be read and goes, and where it stood; one that was set aside may have stood anywhere. */
export interface LostLine extends Pick<LogLine, 'text'> {
  readonly offset: number | undefined;
}

/** Of a log beside a session: whose readers are notified, and which incarnation of the session it is meant for. */
type Meant = Pick<SessionAddress, 'userId' | 'incarnation'>;

/** Lines that could not be read, and where the first of them begins. */
type DamageListener = (lines: number, firstOffset: number) => void;

export class FollowedLog<State extends object> {
  readonly #store: LogStore;
  readonly #schema: Schema;
  readonly #fold: Fold<State>;
  readonly #onDamage: DamageListener;
  readonly address: LogAddress;
  #state: State;
  #position: LogPosition | undefined;
  #damagedLines = 0;
  #firstDamagedOffset: number | undefined;
  #unfinishedBytes = 0;
  readonly #turns = new Turns();
  /** A state is never carried over from one incarnation of the session to the next. */
  readonly #incarnations = new WeakMap<State, string>();

  /** @param onDamage called with damaged lines when they are first met, and again when the log was rewritten since */
  constructor(
    { store, schema }: Pick<LayerContext, 'store' | 'schema'>,
    address: LogAddress,
    fold: Fold<State>,
    onDamage: DamageListener = () => undefined,
  ) {
    this.#store = store;
    this.#schema = schema;
    this.address = address;
    this.#fold = fold;
    this.#onDamage = onDamage;
    this.#state = fold.start();
  }

  /** Lines that could not be read, as of the last look. */
  get damagedLines(): number {
    return this.#damagedLines;
  }

  /** Where the first of them stands, in bytes. */
  get firstDamagedOffset(): number | undefined {
    return this.#firstDamagedOffset;
  }

  /**
   * One record again, for folds that keep places and not texts. `undefined` when the log was rewritten
   * since the state was read, or the line can no longer be read: look at `current` again.
   * @param state the one that the place was noted in
   */
  recordAt(state: State, place: LinePlace): Promise<StoredRecord | undefined> {
    return this.#turns.run(async () => {
      if (state !== this.#state || this.#position === undefined) return undefined;
      const line = await readLine(this.#store, this.address, place, this.#position);
      return line === undefined || line.check() === 'damaged' ? undefined : parseRecord(line, this.#schema);
    });
  }

  /** The state as of now; `undefined` when there is no log. Callers do not change it. */
  find(): Promise<State | undefined> {
    return this.#turns.run(async () => ((await this.#isThere()) ? this.#state : undefined));
  }

  /** The same; the fold's start when there is no log. */
  async current(): Promise<State> {
    return (await this.find()) ?? this.#fold.start();
  }

  /**
   * Which incarnation of the log a state is of, as `find` and `current` gave it: a caller that works on it and later
   * writes names it. `undefined` for that of a log which is not there.
   */
  incarnationOf(state: State): string | undefined {
    return this.#incarnations.get(state);
  }

  /** Whether there is a log. */
  async exists(): Promise<boolean> {
    return (await this.find()) !== undefined;
  }

  /**
   * Appends what `decide` makes of the state, possibly nothing, while no other process can write. What it throws
   * comes out, and nothing is written. Makes the log when there is none, except when `create` is false.
   * @throws NotFoundError SESSION_NOT_FOUND when there is no session that the log could lie beside
   */
  change(
    decide: (state: State) => readonly JsonObject[],
    { create = true, ...meant }: Meant & { readonly create?: boolean } = {},
  ): Promise<State> {
    return this.#turns.run(async () => {
      const append = (slice: LogSlice): readonly string[] => {
        this.#take(slice);
        return decide(this.#state).map((record) => JSON.stringify(record));
      };
      // Beside a session it is meant for the one that is there now: a session of the same id may be another's by the time
      // it is written.
      const isForAny = isOfSession(this.address) && meant.incarnation === undefined;
      const isKnown = isForAny && (await this.#isThere());
      const incarnation = isKnown ? this.incarnationOf(this.#state) : meant.incarnation;
      const options = { after: this.#position, create: create ? 'missing' : undefined } as const;
      await this.#store.append(this.#meant({ ...meant, incarnation }), append, options);
      await this.#catchUp();
      return this.#state;
    });
  }

  #meant({ userId, incarnation }: Meant): LogAddress {
    return isOfSession(this.address) ? { ...this.address, userId, incarnation } : this.address;
  }

  /**
   * What of the log cannot be read and may be what is meant: damaged lines, those that were set aside, those that
   * are no records, and bytes behind the last whole line.
   */
  unreadable(unreadable: Unreadable): Promise<UnreadablePart> {
    return this.#turns.run(async () => {
      if (unreadable === 'none') return NOTHING_UNREADABLE;
      try {
        if (!(await this.#isThere())) return NOTHING_UNREADABLE;
        const aside = await linesSetAside(this.#store, this.address);
        if (this.#damagedLines + this.#unfinishedBytes + aside.length === 0) return NOTHING_UNREADABLE;
        const { lines, damage, position, unfinishedBytes } = await readLog(this.#store, this.address);
        const tail = unfinishedBytes === 0 ? [] : await linesHolding(this.#store, this.address, '"');
        const torn = tail.filter(({ offset }) => offset >= position.at);
        const meant = [
          ...damagedLines(damage),
          ...lines.filter((line) => parseRecord(line, this.#schema) === undefined),
          ...aside.map(({ line }) => line),
          ...torn,
        ].filter((line) => mayBeMeant(line, unreadable));
        const takesTorn = typeof unreadable === 'string' ? unreadable === 'all' : unreadable.takesTorn;
        return { lines: meant, isThere: meant.length > 0 || (unfinishedBytes > 0 && takesTorn) };
      } catch (error) {
        if (!isSessionGone(error)) throw error;
        return NOTHING_UNREADABLE;
      }
    });
  }

  /**
   * Rewrites the log: what is dropped or changed is in no file of the store afterwards. Damaged lines are
   * set aside, except those that `unreadable` says may hold what must be forgotten: they are dropped too, and so
   * are those that were set aside before. Bytes after the last whole line are such a line.
   * @param closing records to append, so that sequence numbers go on rising
   * @param options.incarnation of the session, when one is named @throws NotFoundError SESSION_NOT_FOUND when it is over
   */
  rewrite(
    decide: Rewriting<State>,
    closing: Closing<State>,
    { unreadable = 'none', ...meant }: { readonly unreadable?: Unreadable } & Meant = {},
  ): Promise<State> {
    return this.#turns.run(async () => {
      const plan: DecideRewrite = ({ lines, damage }, aside) => {
        const keep: { line: LogLine; body?: string }[] = [];
        const goes = (line: LogLine): boolean => mayBeMeant(line, unreadable);
        const parsed = lines.map((line) => ({ line, record: parseRecord(line, this.#schema) }));
        const state = this.#fold.start();
        for (const { record } of parsed) if (record !== undefined) this.#fold.apply(state, record);
        const unread = [...damagedLines(damage), ...parsed.flatMap((each) => (each.record ? [] : each.line))];
        const forget = aside.filter(({ line }) => goes(line));
        const lost: readonly LostLine[] = [
          ...unread.filter(goes),
          ...forget.map(({ line: { text } }) => ({ text, offset: undefined })),
        ];
        for (const { line, record } of parsed) {
          const verdict = record === undefined ? (goes(line) ? 'drop' : 'keep') : decide(record, state, lost);
          if (verdict === 'drop') continue;
          const body = verdict === 'keep' ? (record?.isLifted ? record.fields : undefined) : verdict;
          keep.push(body === undefined ? { line } : { line, body: JSON.stringify(body) });
        }
        const closed = typeof closing === 'function' ? closing(state, lost) : closing;
        return {
          keep,
          append: closed.map((record) => JSON.stringify(record)),
          quarantine: damagedLines(damage).filter((line) => !goes(line)),
          forget: forget.map(({ name }) => name),
        };
      };
      await this.#store.rewrite(this.#meant(meant), plan);
      await this.#catchUp();
      return this.#state;
    });
  }

  /** @throws NotFoundError SESSION_NOT_FOUND */
  async #catchUp(): Promise<void> {
    if (!(await this.#isThere())) throw logNotFound(this.address);
  }

  /** Takes in what is new, if there is a log. */
  async #isThere(): Promise<boolean> {
    const [slice] = await this.#store.read([{ log: this.address, after: this.#position }]);
    if (slice === undefined) this.#clear();
    else if (slice !== UNCHANGED) this.#take(slice);
    return slice !== undefined;
  }

  #take(slice: LogSlice): void {
    if (slice.reset) this.#clear();
    this.#incarnations.set(this.#state, slice.incarnation);
    this.#unfinishedBytes = slice.unfinishedBytes;
    const damaged = damagedLines(slice.damage).map(({ offset }) => offset);
    for (const line of slice.lines) {
      const record = parseRecord(line, this.#schema);
      if (record === undefined) damaged.push(line.offset);
      else this.#fold.apply(this.#state, record);
    }
    this.#position = slice.position;
    this.#damagedLines += damaged.length;
    if (damaged.length === 0) return;
    const first = Math.min(...damaged);
    this.#firstDamagedOffset = Math.min(first, this.#firstDamagedOffset ?? first);
    this.#onDamage(damaged.length, first);
  }

  #clear(): void {
    this.#state = this.#fold.start();
    this.#position = undefined;
    this.#damagedLines = 0;
    this.#firstDamagedOffset = undefined;
    this.#unfinishedBytes = 0;
  }
}

/** Why a line that is whole cannot be used, as a sentence for people; `undefined` when it can. */
export function problemOfFollowedRecord(line: LogLine, schema: Schema): string | undefined {
  try {
    return parseRecord(line, schema) === undefined ? 'It has no “record” or no “timestamp”.' : undefined;
  } catch (error) {
    if (LonghandError.isInstance(error)) return error.message;
    throw error;
  }
}

/**
 * `undefined` for a line that is whole, and still no record: a person may have written it.
 * @throws ValidationError SCHEMA_TOO_NEW
 */
function parseRecord(line: LogLine, schema: Schema): StoredRecord | undefined {
  const stored = recordIn(line.text);
  const isLifted = versionOf(stored as RawRecord, schema) !== schema.version;
  const fields = liftRecord(stored as RawRecord, schema);
  if (typeof fields.record !== 'string' || typeof fields.timestamp !== 'string') return undefined;
  return { fields: fields as unknown as StoredRecord['fields'], line, isLifted };
}
