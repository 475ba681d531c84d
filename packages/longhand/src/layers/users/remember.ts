import { NotFoundError, SizeLimitError } from '../../core/errors.ts';
import { memoryText } from '../../core/memory-text.ts';
import type { FoundMemory } from '../../core/query.ts';
import type { JsonObject, MemoryEntry, NewMemory } from '../../core/records.ts';
import type { SessionOwner } from '../session-ref.ts';
import type { UserParts } from './user-parts.ts';

/** A memory that says something close to a new one, which may replace it. */
export interface SimilarMemory {
  readonly id: string;
  readonly session_id: string;
  readonly text: string;
}

export interface Remembered {
  readonly id: string;
  /** Where it is kept. */
  readonly session_id: string;
  /** True when the user had this memory already: it was confirmed, and nothing was added. */
  readonly confirmed: boolean;
  /** Close memories, closest first: the caller may replace them, merge them, or keep both. */
  readonly similar: readonly SimilarMemory[];
}

interface RememberNeeds extends UserParts {
  readonly add: (memory: NewMemory) => Promise<{ readonly id: string; readonly session_id: string }>;
}

const COMPARED = 20;
const MOST_SIMILAR = 3;
/** Less than this of the new text in another one says nothing. */
const SIMILAR_MATCH = 0.15;
const SIMILAR_CHARACTERS = 500;

/**
 * Keeps a memory, unless the user has it already: the same type and trimmed text is confirmed. Two saves at the same
 * moment may both stay.
 * @throws as `addMemory`
 */
export async function remember(
  needs: RememberNeeds,
  owner: SessionOwner,
  sessionId: string,
  memory: NewMemory,
): Promise<Remembered> {
  const { session } = await needs.sessions.open(sessionId, owner);
  const { entry, hasOwnId } = needs.memories.check(sessionId, session, [memory])[0]!;
  const search = await needs.search.load();
  const close =
    entry.type === 'conversation' ? [] : await search.closeTo(owner.user_id, textOf(entry.content), COMPARED);
  const twin = hasOwnId ? undefined : close.find((found) => isSame(found, entry));
  const isOther = ({ id }: FoundMemory): boolean => id !== twin?.id && !entry.replaces?.includes(id);
  const similar = close
    .filter((found) => isOther(found) && (found.match ?? 0) >= SIMILAR_MATCH)
    .slice(0, MOST_SIMILAR)
    .map(({ id, session_id, content }) => ({ id, session_id, text: shortened(memoryText(content)) }));
  if (twin !== undefined && (await confirm(needs, owner, twin, entry))) {
    return { id: twin.id, session_id: twin.session_id, confirmed: true, similar };
  }
  return { ...(await needs.add(memory)), confirmed: false, similar };
}

/** False when its session has no room, or it was deleted in the meantime. */
async function confirm(
  { memories, maintenance, context }: RememberNeeds,
  owner: SessionOwner,
  { id, session_id }: MemoryEntry,
  again: MemoryEntry,
): Promise<boolean> {
  try {
    await maintenance.pressure.withRoom(session_id, owner, (session, maxBytes) =>
      memories.updates.confirm(session, id, again, maxBytes),
    );
  } catch (error) {
    if (error instanceof SizeLimitError || error instanceof NotFoundError) return false;
    throw error;
  }
  context.emit({ kind: 'memory-updated', session_id, id });
  return true;
}

function isSame(found: MemoryEntry, entry: MemoryEntry): boolean {
  return found.type === entry.type && textOf(found.content) === textOf(entry.content);
}

/** Without a description, which is about the text and not part of it. */
function textOf({ description: _, ...content }: JsonObject): string {
  return memoryText(content).trim();
}

function shortened(text: string): string {
  return text.length <= SIMILAR_CHARACTERS ? text : `${text.slice(0, SIMILAR_CHARACTERS).trimEnd()}…`;
}
