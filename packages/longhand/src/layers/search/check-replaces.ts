import { ValidationError } from '../../core/errors.ts';
import type { MemoryEntry } from '../../core/records.ts';
import type { RecallIndex } from '../../recall/index/index.ts';
import type { Replacements } from '../memories/replacements.ts';

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
