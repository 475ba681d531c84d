import { type JsonObject, type Provenance, SCHEMA_VERSION, type TrustTier } from '../../core/records.ts';
import type { Fold, StoredRecord } from '../followed-log.ts';
import type { TimedVersion } from './line-times.ts';

/**
 * The log of one document of notes. Two kinds of record:
 *
 * - `version`: the whole text after a change, numbered from 1, with who made it and how; the oldest one that is left
 *   also tells when its lines were first noted (line-times.ts).
 * - `written`: the text of that version has been in the document.
 *
 * The document is written after its version, so the two can differ for a moment, or for longer after a crash.
 * `written` tells a document that was left behind from one that a person has edited.
 */
export interface NotesVersion {
  readonly version: number;
  /** ISO 8601, UTC. */
  readonly timestamp: string;
  /** Who made this change. */
  readonly author: Provenance;
  /** How far the whole text may be trusted: as far as the least trusted of those it came from. */
  readonly trust: TrustTier;
  /** The text's size in UTF-8. */
  readonly bytes: number;
  /** Compared with the version before it, as far as that is kept; a line that moved counts as neither. */
  readonly lines_added: number;
  readonly lines_removed: number;
  /** An operation, `edited by hand`, `restored version 3` or `forgotten`. */
  readonly operation: string;
}

export interface NotesState {
  /** Oldest first. */
  versions: NotesVersion[];
  /** Of the last version; older texts stay in the log. */
  text: string;
  /** Of the version before it. */
  previousText: string | undefined;
  /** The versions whose text has been in the document. */
  written: Set<number>;
  /** The highest number that was ever given, also to versions that cannot be read any more. */
  highestVersion: number;
}

export const notesFold: Fold<NotesState> = {
  start: () => ({ versions: [], text: '', previousText: undefined, written: new Set(), highestVersion: 0 }),
  apply(state, { fields }) {
    const { version } = fields;
    if (typeof version !== 'number') return;
    if (fields.record === 'written') state.written.add(version);
    else if (fields.record === 'version' && typeof fields.text === 'string') {
      state.previousText = state.versions.length === 0 ? undefined : state.text;
      state.text = fields.text;
      state.versions.push(describeVersion(version, fields, fields.text, state.previousText));
    } else return;
    state.highestVersion = Math.max(state.highestVersion, version);
  },
};

/** The texts of all versions, for the few who want more than the last. */
export const textsFold: Fold<Map<number, string>> = {
  start: () => new Map(),
  apply(texts, { fields: { record, version, text } }) {
    if (record === 'version' && typeof version === 'number' && typeof text === 'string')
      texts.set(version, text);
  },
};

/** All versions with all that is known of their lines, oldest first. */
export const timedFold: Fold<TimedVersion[]> = {
  start: () => [],
  apply(versions, { fields: { record, version, timestamp, text, noted_at } }) {
    if (record === 'version' && typeof version === 'number' && typeof text === 'string')
      versions.push({ version, timestamp, text, noted_at });
  },
};

export function lastVersion(state: NotesState): NotesVersion | undefined {
  return state.versions.at(-1);
}

/** Whether the text of the last version has been in the document. */
export function isWritten(state: NotesState): boolean {
  const last = lastVersion(state);
  return last === undefined || state.written.has(last.version);
}

const UNKNOWN_AUTHOR: Provenance = { author: 'import', trust: 'external' };

function describeVersion(
  version: number,
  fields: StoredRecord['fields'],
  text: string,
  before = '',
): NotesVersion {
  // A person may have taken it out of the line.
  const author = (fields.provenance ?? UNKNOWN_AUTHOR) as unknown as Provenance;
  return {
    version,
    timestamp: fields.timestamp,
    author,
    trust: (fields.trust as TrustTier | undefined) ?? author.trust,
    bytes: Buffer.byteLength(text),
    lines_added: linesBeyond(before, text),
    lines_removed: linesBeyond(text, before),
    operation: String(fields.operation),
  };
}

/** How many lines of a text another has not. */
function linesBeyond(other: string, text: string): number {
  const linesOf = (one: string): string[] => (one === '' ? [] : one.replace(/\n$/, '').split('\n'));
  const known = new Map<string, number>();
  for (const line of linesOf(other)) known.set(line, (known.get(line) ?? 0) + 1);
  return linesOf(text).filter((line) => {
    const left = known.get(line) ?? 0;
    known.set(line, left - 1);
    return left <= 0;
  }).length;
}

export interface NewVersion {
  readonly version: number;
  readonly text: string;
  readonly operation: string;
  readonly author: Provenance;
  readonly trust: TrustTier;
}

export interface NotesOwner {
  readonly userId: string;
  readonly agentId: string;
}

export function versionRecord(owner: NotesOwner, timestamp: string, entry: NewVersion): JsonObject {
  return {
    ...opening('version', owner, entry.version, timestamp),
    operation: entry.operation,
    provenance: { ...entry.author },
    trust: entry.trust,
    text: entry.text,
  };
}

export function writtenRecord(owner: NotesOwner, timestamp: string, version: number): JsonObject {
  return opening('written', owner, version, timestamp);
}

function opening(record: string, owner: NotesOwner, version: number, timestamp: string): JsonObject {
  return {
    schema_version: SCHEMA_VERSION,
    record,
    user_id: owner.userId,
    agent_id: owner.agentId,
    version,
    timestamp,
  };
}
