import { type ScopedMemory, type Session, ValidationError } from 'longhand';

interface PageRequest {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const DEFAULT_PAGE_ITEMS = 100;

/**
 * One page of a list, under its name. The cursor names the last item of the page before and its place: the next page begins behind
 * the item, or, when it is gone, at its place.
 */
export function pageOf<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
  idOf: (item: Item) => string,
  { limit = DEFAULT_PAGE_ITEMS, cursor }: PageRequest,
): Record<Name, Item[]> & { readonly next_cursor?: string } {
  const start = cursor === undefined ? 0 : startBehind(items, idOf, cursor);
  const page = items.slice(start, start + limit);
  const end = start + page.length;
  const isLast = end >= items.length || page.length === 0;
  const next = isLast ? {} : { next_cursor: encodeCursor(end, idOf(page.at(-1)!)) };
  return { [name]: page, ...next } as Record<Name, Item[]>;
}

/** One page of the user's sessions, by id. The store is asked for no more. */
export async function pageOfSessions(
  memory: Pick<ScopedMemory, 'listSessions'>,
  { limit = DEFAULT_PAGE_ITEMS, cursor }: PageRequest,
): Promise<{ sessions: Session[]; next_cursor?: string }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor).id;
  const found = await memory.listSessions({ after, limit: limit + 1 });
  const sessions = found.slice(0, limit);
  const next = found.length > limit ? { next_cursor: encodeCursor(limit, sessions.at(-1)!.id) } : {};
  return { sessions, ...next };
}

function startBehind<Item>(items: readonly Item[], idOf: (item: Item) => string, cursor: string): number {
  const { place, id } = decodeCursor(cursor);
  const index = items.findIndex((item) => idOf(item) === id);
  return index < 0 ? Math.max(0, place - 1) : index + 1;
}

function encodeCursor(place: number, id: string): string {
  return Buffer.from(JSON.stringify([place, id])).toString('base64url');
}

function decodeCursor(cursor: string): { readonly place: number; readonly id: string } {
  try {
    const [place, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as [unknown, unknown];
    if (Number.isSafeInteger(place) && typeof id === 'string') return { place: place as number, id };
  } catch {
    // Said below.
  }
  throw new ValidationError('INVALID_QUERY', 'The cursor is none that a page before has given.');
}
