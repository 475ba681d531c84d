import type { LogLine } from '../../core/line.ts';
import { BEFORE_FIRST_LINE, orderAfter } from '../../core/line-order.ts';
import { type JsonObject, type Provenance, SCHEMA_VERSION } from '../../core/records.ts';
import type { Fold, Rewriting, StoredRecord } from '../followed-log.ts';
import type { LineMarks } from './detail-scan.ts';

/**
 * The log of a session's details: what is known of each value. The values themselves lie beside the log, each in
 * a file of its own.
 *
 *     {"record":"detail", "memory_key":"command_output_7k2m9x4qpa", "blob":"detail_01J…", …}
 *     {"record":"active", "memory_key":…, "blob":…, "is_active":false}
 *     {"record":"remove", "blobs":[…]}     the details with these values are gone
 *     {"record":"sweep",  "blobs":[…]}     values that no record names, found left over, are gone
 *     {"record":"rewrite","dropped":2}     closes a rewriting of the log
 *
 * A value is written first and recorded second, so a crash in between leaves a value that no record names. A value's
 * name is new each time and holds the time at which it was begun; sweeping removes old unnamed ones, and says so in
 * the log first. The writer that records a value checks, under the same lock, whether it was swept: so a value that
 * is recorded is never swept, and one that was swept is never recorded.
 */

/** A stored value, as callers see it. */
export interface Detail {
  /** What a placeholder names it by: unique within the user. */
  readonly memory_key: string;
  readonly session_id: string;
  readonly agent_id: string | null;
  readonly user_id: string;
  readonly memory_type: string;
  /** The description in its placeholder. */
  readonly summary: string;
  /** `extractive`, `caller`, or the name of the summariser that wrote it. */
  readonly summary_method: string;
  /** Anything that is known of it: the command, the tool, its status. */
  readonly content_metadata: JsonObject;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** Inactive ones are not searched and not recalled automatically, and can still be retrieved. */
  readonly is_active: boolean;
  readonly size_bytes: number;
  readonly lines: number;
  /** False when the bytes are not valid UTF-8: they are shown with replacement characters. */
  readonly is_utf8: boolean;
  readonly provenance: Provenance;
}

/** What the layer knows beyond that. */
export interface KeptDetail extends Detail {
  readonly blob: string;
  /** SHA-256 of the value, in hex. */
  readonly digest: string;
  readonly line_marks?: LineMarks;
  /** The record's place in the order of the log. */
  readonly order: number;
}

export interface DetailState {
  readonly byKey: Map<string, KeptDetail>;
  /** Values that were taken away, or are about to be: none of them may be recorded again. */
  readonly condemned: Set<string>;
  /** All bytes of the details that are there. */
  sizeBytes: number;
  /** Records of details that are gone: a rewriting drops them. */
  stale: number;
  /** Records that lack what they cannot do without. */
  unreadable: number;
  /** The place of the last detail that was recorded. */
  lastOrder: number;
  /** Rises with every record. */
  revision: number;
}

export const detailFold: Fold<DetailState> = {
  start: () => ({
    byKey: new Map(),
    condemned: new Set(),
    sizeBytes: 0,
    stale: 0,
    unreadable: 0,
    lastOrder: BEFORE_FIRST_LINE,
    revision: 0,
  }),
  apply: (state, record) => {
    state.revision++;
    switch (record.fields.record) {
      case 'detail':
        return add(state, record);
      case 'active':
        return setActive(state, record.fields);
      case 'remove':
      case 'sweep':
        return condemn(state, blobsOf(record.fields));
    }
  },
};

/** A person may have taken out of a record what it cannot do without: it then says nothing. */
function isWhole({ memory_key, blob, size_bytes, user_id, summary }: JsonObject): boolean {
  const texts = [memory_key, blob, user_id, summary];
  return texts.every((text) => typeof text === 'string') && typeof size_bytes === 'number';
}

function blobsOf({ blobs }: JsonObject): readonly string[] {
  return Array.isArray(blobs) ? blobs.filter((blob) => typeof blob === 'string') : [];
}

function add(state: DetailState, { fields, line }: StoredRecord): void {
  if (!isWhole(fields)) {
    state.unreadable++;
    return;
  }
  const { schema_version: _version, record: _record, timestamp, ...rest } = fields;
  const order = orderAfter(state.lastOrder, line.seq);
  const detail = { ...rest, created_at: timestamp, is_active: true, order };
  const kept = detail as unknown as KeptDetail;
  const before = state.byKey.get(kept.memory_key);
  if (before !== undefined) {
    state.sizeBytes -= before.size_bytes;
    state.stale++;
  }
  state.byKey.set(kept.memory_key, kept);
  state.lastOrder = order;
  state.sizeBytes += kept.size_bytes;
}

function setActive(state: DetailState, { memory_key, blob, is_active }: JsonObject): void {
  const detail = state.byKey.get(memory_key as string);
  if (detail === undefined || detail.blob !== blob) return;
  state.byKey.set(detail.memory_key, { ...detail, is_active: is_active === true });
}

function condemn(state: DetailState, blobs: readonly string[]): void {
  const gone = new Set(blobs);
  for (const detail of state.byKey.values()) {
    if (!gone.has(detail.blob)) continue;
    state.byKey.delete(detail.memory_key);
    state.sizeBytes -= detail.size_bytes;
    state.stale++;
  }
  for (const blob of blobs) state.condemned.add(blob);
}

/** The values that a line names which cannot be read. */
export function blobsNamedIn({ text }: LogLine): readonly string[] {
  return Array.from(text.matchAll(/"blob":"([A-Za-z0-9_.-]+)"/g), ([, blob]) => blob!);
}

export type NewDetail = Omit<KeptDetail, 'created_at' | 'is_active' | 'order'>;

export function detailRecord(detail: NewDetail, timestamp: string): JsonObject {
  const { memory_key, blob, session_id, user_id, ...rest } = detail;
  const head = { schema_version: SCHEMA_VERSION, record: 'detail', memory_key, session_id, user_id };
  return { ...head, timestamp, blob, ...rest } as unknown as JsonObject;
}

export function activeRecord(detail: NewDetail, isActive: boolean, timestamp: string): JsonObject {
  const { memory_key, session_id, blob } = detail;
  const head = { schema_version: SCHEMA_VERSION, record: 'active', memory_key, session_id };
  return { ...head, timestamp, blob, is_active: isActive };
}

export function goneRecord(
  kind: 'remove' | 'sweep',
  sessionId: string,
  blobs: readonly string[],
  timestamp: string,
): JsonObject {
  return { schema_version: SCHEMA_VERSION, record: kind, session_id: sessionId, timestamp, blobs };
}

export function rewriteRecord(sessionId: string, dropped: number, timestamp: string): JsonObject {
  return { schema_version: SCHEMA_VERSION, record: 'rewrite', session_id: sessionId, timestamp, dropped };
}

/**
 * Leaves out what concerns these values, which are gone from the store. Records of a sweep stay as long as
 * a writer may still be writing a value that was swept; they hold no content.
 */
export function leavingOut(gone: ReadonlySet<string>, sweptBefore: string): Rewriting {
  return ({ fields }) => {
    switch (fields.record) {
      case 'detail':
      case 'active':
        return gone.has(fields.blob as string) ? 'drop' : 'keep';
      case 'remove': {
        const left = blobsOf(fields).filter((blob) => !gone.has(blob));
        return left.length === 0 ? 'drop' : { ...fields, blobs: left };
      }
      case 'sweep':
        return fields.timestamp < sweptBefore ? 'drop' : 'keep';
      case 'rewrite':
        return 'drop';
      default:
        return 'keep';
    }
  };
}

/** The detail without what is the layer's own. */
export function toDetail(kept: KeptDetail): Detail {
  const { blob: _blob, digest: _digest, line_marks: _marks, order: _order, ...detail } = kept;
  return detail;
}

export function isExpired({ expires_at }: Detail, nowMs: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= nowMs;
}
