import { ValidationError } from './errors.ts';
import { type CheckedMemory, type MemoryDefaults, parseNewMemory } from './new-memory.ts';
import type { MemoryEntry, NewMemory } from './records.ts';

/** What can be corrected of a memory afterwards. Its id and where it comes from stay. */
export type MemoryChanges = Partial<
  Pick<NewMemory, 'type' | 'content' | 'timestamp' | 'importance' | 'tags' | 'references' | 'replaces'>
>;

const CHANGEABLE: ReadonlySet<string> = new Set<keyof MemoryChanges>([
  ...(['type', 'content', 'timestamp', 'importance', 'tags', 'references', 'replaces'] as const),
]);

/** The fields that are named. Their values are checked with the memory they go into. @throws ValidationError */
export function parseMemoryChanges(input: unknown): MemoryChanges {
  const named = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const changes = named.filter(([, value]) => value !== undefined);
  const unknown = changes.find(([key]) => !CHANGEABLE.has(key));
  if (unknown !== undefined || changes.length === 0) {
    const reason =
      unknown === undefined
        ? 'Nothing is named that is to be changed.'
        : `A memory's ${JSON.stringify(unknown[0].slice(0, 40))} cannot be changed.`;
    throw new ValidationError('INVALID_ENTRY', `${reason} What can be: ${[...CHANGEABLE].join(', ')}.`);
  }
  return Object.fromEntries(changes) as MemoryChanges;
}

/** A memory with changes, checked like a new one, with the time of the change. @throws ValidationError */
export function changeMemory(
  entry: MemoryEntry,
  changes: MemoryChanges & Pick<MemoryEntry, 'confirmed_at'>,
  defaults: MemoryDefaults,
): CheckedMemory {
  const { schema_version: _, session_id: __, decay_factor, ...kept } = entry;
  // A content that was kept before is taken as it is, which the factor tells; a new one must hold something.
  const asKept = changes.content === undefined ? { decay_factor } : undefined;
  const changed = changes.confirmed_at === undefined ? { updated_at: new Date(defaults.nowMs) } : undefined;
  return parseNewMemory({ ...kept, ...asKept, ...changed, ...changes }, defaults);
}
