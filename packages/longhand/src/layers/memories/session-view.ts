import { CorruptionError } from '../../core/errors.ts';
import type { LogLine } from '../../core/line.ts';
import type { Damage } from '../../core/log-decoder.ts';
import type { SessionOwnerRecord } from '../../core/owner-in-metadata.ts';
import { parseJson } from '../../core/parse-json.ts';
import { isMemoryEntry, type LogRecord } from '../../core/records.ts';
import { type Schema, versionOf } from '../../core/schema.ts';
import type { LinePlace, LogPosition, LogSlice } from '../../core/store.ts';
import { damagedId } from './damaged-lines.ts';
import { applyOwner, applySessionRecord, type Session } from './session.ts';
import type { SessionFold } from './session-fold.ts';
import { EPOCH, parseStoredRecord } from './stored-record.ts';

let revisions = 0;

/**
 * Where each memory of a session stands in its log, and what the session's own records say. Follows the log
 * slice by slice, without parsing or checking the memories: those are checked when they are used.
 */
export class SessionView {
  readonly sessionId: string;
  readonly #schema: Schema;
  readonly #places = new Map<string, LinePlace>();
  readonly #deleted = new Set<string>();
  readonly #importances = new Map<string, number>();
  /** Memories whose line is damaged, as far as it still tells which one it was. */
  readonly #damaged = new Set<string>();
  /** The same for lines that a compaction has set aside. Known when every line has been checked. */
  #aside: ReadonlySet<string> = new Set();
  #session: Session | undefined;
  #owner: SessionOwnerRecord | undefined;
  #position: LogPosition | undefined;
  #incarnation = '';
  #oldestVersion: number;
  #verifiedTo = -1;
  /** Whole lines that are no records, until they are reported. */
  #unreadable: Damage[] = [];
  #revision = 0;
  #looseRecords = 0;

  constructor(sessionId: string, schema: Schema) {
    this.sessionId = sessionId;
    this.#schema = schema;
    this.#oldestVersion = schema.version;
  }

  /** Which incarnation of the log this is of: a write names it, so that it cannot land in another. */
  get incarnation(): string {
    return this.#incarnation;
  }

  get position(): LogPosition | undefined {
    return this.#position;
  }

  /** Another number, in the whole process, whenever the places of before are void. */
  get revision(): number {
    return this.#revision;
  }

  /** @throws CorruptionError CORRUPT_SESSION when the record that names the owner cannot be read */
  get session(): Session {
    if (this.#owner !== undefined && !this.#hasOwner) {
      this.#session = applyOwner(this.#session, this.sessionId, this.#owner);
    }
    if (this.#hasOwner) return this.#session!;
    throw new CorruptionError(
      'CORRUPT_SESSION',
      `The first record of session ${this.sessionId}, which names its owner, is damaged or missing, and neither a ` +
        'later record nor metadata.json names one. Restore the first line of its memory.jsonl; longhand verify gives ' +
        'one that will do. The memories below it are untouched: longhand export --session still gives them, and so ' +
        'does exportSession of the memory manager.',
      { details: { session_id: this.sessionId } },
    );
  }

  /** Whether it is known whose session it is. */
  get hasSession(): boolean {
    return this.#hasOwner || this.#owner !== undefined;
  }

  get #hasOwner(): boolean {
    return this.#session !== undefined && this.#session.user_id !== '';
  }

  /** For a log whose own records do not tell whose session it is. */
  adoptOwner(owner: SessionOwnerRecord): void {
    this.#owner = owner;
    // Settings that only metadata.json holds are brought into the log before it is written to.
    if (owner.preferences ?? owner.decay_config ?? owner.compaction_config) this.#oldestVersion = 0;
  }

  /** The log holds records of an earlier schema. */
  get needsMigration(): boolean {
    return this.#oldestVersion < this.#schema.version;
  }

  get oldestVersion(): number {
    return this.#oldestVersion;
  }

  /** How many records have come that a compaction can take out, or that make another one needless. */
  get looseRecords(): number {
    return this.#looseRecords;
  }

  /** Gives out, once, the lines that are whole but no records. */
  takeUnreadable(): readonly Damage[] {
    const unreadable = this.#unreadable;
    this.#unreadable = [];
    return unreadable;
  }

  get liveIds(): Iterable<string> {
    return this.#places.keys();
  }

  placeOf(id: string): LinePlace | undefined {
    return this.#places.get(id);
  }

  /** What the user changed a memory's importance to, if so. */
  importanceOf(id: string): number | undefined {
    return this.#importances.get(id);
  }

  /** Whether every line up to the position has been checked against its checksum. */
  get isVerified(): boolean {
    return this.#verifiedTo === this.#position?.at;
  }

  /**
   * Takes in what a checked reading of the whole log found that this one passed over: memories behind a damaged
   * newline, which look like the end of the line before, and those that were set aside.
   */
  adopt(fold: SessionFold, position: LogPosition, aside: ReadonlySet<string>): void {
    if (position.generation !== this.#position?.generation) return;
    this.#aside = aside;
    for (const { entry, line } of fold.entries) if (!this.#places.has(entry.id)) this.#place(entry.id, line);
    this.#verifiedTo = position.at;
  }

  isDeleted(id: string): boolean {
    return this.#deleted.has(id);
  }

  isDamaged(id: string): boolean {
    if (this.#places.has(id) || this.#deleted.has(id)) return false;
    return this.#damaged.has(id) || this.#aside.has(id);
  }

  /** Takes in what `read` gave after `position`. */
  apply(slice: LogSlice): void {
    if (slice.reset) this.#clear();
    for (const line of slice.lines) this.#applyLine(line);
    for (const { kind, line } of slice.damage) {
      if (kind === 'sequence') continue;
      const id = damagedId(line);
      if (id !== undefined) this.#damaged.add(id);
    }
    this.#position = slice.position;
    this.#incarnation = slice.incarnation;
  }

  #clear(): void {
    this.#revision = ++revisions;
    this.#places.clear();
    this.#deleted.clear();
    this.#damaged.clear();
    this.#importances.clear();
    this.#verifiedTo = -1;
    this.#session = undefined;
    this.#oldestVersion = this.#schema.version;
    this.#unreadable = [];
  }

  #applyLine(line: LogLine): void {
    const id = line.hasChecksumField ? line.memoryId : undefined;
    if (id !== undefined) {
      this.#place(id, line);
      return;
    }
    const raw = parseJson(line.text) as Record<string, unknown>;
    this.#oldestVersion = Math.min(this.#oldestVersion, versionOf(raw, this.#schema));
    const record = parseStoredRecord(line, {
      sessionId: this.sessionId,
      schema: this.#schema,
      createdAt: this.#session?.created_at ?? EPOCH,
    });
    if (record === undefined) this.#unreadable.push({ kind: 'schema', line });
    else this.#applyRecord(record, line);
  }

  #applyRecord(record: LogRecord, line: LogLine): void {
    if (isMemoryEntry(record)) {
      this.#place(record.id, line);
      return;
    }
    if (record.record !== 'compaction') this.#looseRecords++;
    switch (record.record) {
      case 'session':
        this.#session = applySessionRecord(this.#session, record);
        return;
      case 'delete':
        for (const id of record.ids) {
          this.#deleted.add(id);
          this.#places.delete(id);
          this.#importances.delete(id);
        }
        return;
      case 'importance':
        if (this.#places.has(record.id)) this.#importances.set(record.id, record.importance);
        return;
      case 'compaction':
        this.#session = applyOwner(this.#session, this.sessionId, record);
        return;
      case 'access':
        return;
    }
  }

  #place(id: string, { offset, length, lineNumber }: LogLine): void {
    if (this.#deleted.has(id)) return;
    if (this.#places.has(id)) this.#looseRecords++;
    this.#places.set(id, { offset, length, lineNumber });
    // Written again over a damaged line, it counts as it was written.
    this.#importances.delete(id);
  }
}
