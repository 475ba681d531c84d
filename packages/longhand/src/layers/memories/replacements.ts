import { ValidationError } from '../../core/errors.ts';
import { isMemoryEntry, type MemoryEntry } from '../../core/records.ts';
import type { RecallIndex } from '../../recall/index/index.ts';
import type { FoldedEntry, SessionFold } from './session-fold.ts';

/**
 * Memory → those that it replaces. What a deleted memory had replaced stays replaced, and stands under `DELETED`: an old
 * text must not come back because the newer one was deleted or forgotten.
 */
export type Replacements = ReadonlyMap<string, readonly string[]>;

/** In place of the ids of deleted memories. No memory has it. */
const DELETED = '';

export function withReplaced(
  replacements: Replacements,
  { id, replaces }: Pick<MemoryEntry, 'id' | 'replaces'>,
): Replacements {
  if (replaces === undefined && !replacements.has(id)) return replacements;
  const others = [...replacements].filter(([other]) => other !== id);
  return new Map(replaces === undefined ? others : [...others, [id, replaces]]);
}

/** The same after a deletion. */
export function withDeleted(
  replacements: Replacements,
  ids: readonly string[],
  replaced: readonly string[],
): Replacements {
  if (replaced.length === 0 && !ids.some((id) => replacements.has(id))) return replacements;
  const left = new Map([...replacements].filter(([id]) => !ids.includes(id)));
  const all = [...(left.get(DELETED) ?? []), ...replaced];
  return all.length === 0 ? left : left.set(DELETED, [...new Set(all)]);
}

/** @param asOfMs only what had been replaced by then */
export function replacementsIn(
  entries: readonly FoldedEntry[],
  fold: SessionFold,
  asOfMs = Number.POSITIVE_INFINITY,
): Replacements {
  const replacements = new Map<string, readonly string[]>();
  for (const { entry } of entries) {
    if (entry.replaces !== undefined) replacements.set(entry.id, entry.replaces);
  }
  const until = Object.entries(replacedByDeleted(fold))
    .filter(([, since]) => Date.parse(since) <= asOfMs)
    .map(([id]) => id);
  return withDeleted(replacements, [], until);
}

/** What memories that are deleted now had replaced, and since when, by id. */
export function replacedByDeleted({ deletes }: SessionFold): Readonly<Record<string, string>> {
  const replaced = deletes.flatMap(({ record }) => Object.entries(record.replaced ?? {}));
  return Object.fromEntries(replaced.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** What deleted memories had replaced, and since when. */
export function replacedBy(deleted: readonly MemoryEntry[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    deleted.flatMap(({ replaces = [], timestamp }) => replaces.map((id) => [id, timestamp])),
  );
}

/**
 * The live memories of a session as they were at a moment: in the words of then, as far as the log still has them. Their
 * importance is today's.
 */
export function entriesAsOf({ entries, records }: SessionFold, asOfMs: number): readonly FoldedEntry[] {
  const then = new Map<string, MemoryEntry>();
  for (const { record } of records) {
    if (isMemoryEntry(record) && writtenMs(record) <= asOfMs) then.set(record.id, record);
  }
  return entries
    .map((folded) => {
      const { entry } = folded;
      const past = then.get(entry.id);
      return past === undefined ? folded : { ...folded, entry: { ...past, importance: entry.importance } };
    })
    .filter(({ entry }) => Date.parse(entry.timestamp) <= asOfMs);
}

/** When a line of a memory was written, of one that was written again; else it has always been so. */
function writtenMs({ confirmed_at, updated_at }: MemoryEntry): number {
  return Math.max(
    ...[confirmed_at, updated_at].map((time) =>
      time === undefined ? Number.NEGATIVE_INFINITY : Date.parse(time),
    ),
  );
}

/**
 * Refuses memories that replace what their user does not have, or what replaces them in turn.
 * @param index of the user: the memories of others are not there
 * @param session the number of the session that the memories go to
 * @throws ValidationError INVALID_ENTRY
 */
export function checkReplaces(
  index: RecallIndex,
  replacements: Iterable<Replacements>,
  session: number,
  entries: readonly Pick<MemoryEntry, 'id' | 'replaces'>[],
): void {
  const replacedBy = new Map<string, string[]>();
  const note = (id: string, replaces: readonly string[]): void => {
    replacedBy.set(id, [...(replacedBy.get(id) ?? []), ...replaces]);
  };
  for (const known of replacements) for (const [id, replaces] of known) note(id, replaces);
  const added = new Set<string>();
  for (const { id, replaces = [] } of entries) {
    for (const other of replaces) {
      if (added.has(other) || index.referred(session, other).length > 0) continue;
      throw refusal(`There is no memory ${other} of this user, so it cannot be replaced.`, other);
    }
    added.add(id);
    note(id, replaces);
    const reached = new Set(replaces);
    // A set gives what is added to it while it is walked.
    for (const other of reached) for (const next of replacedBy.get(other) ?? []) reached.add(next);
    if (reached.has(id)) {
      throw refusal(`Memory ${id} cannot replace ${replaces.join(', ')}, which replaces it already.`, id);
    }
  }
}

function refusal(message: string, id: string): ValidationError {
  return new ValidationError('INVALID_ENTRY', message, { details: { field: 'replaces', memory_id: id } });
}
