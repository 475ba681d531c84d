import { type FoundMemory, MemoryManager, type MemoryManagerOptions, MemoryStore } from 'longhand';
import type { Haystack, Hit, Question, View } from '../haystack.ts';
import { DEPTH, type OpenOptions, type OpenRanker, type Ranker } from './ranker.ts';

/**
 * The columns of Longhand. A column is a name and a factory: words alone, and with the meaning that `longhand-vectors`
 * adds. Everything else is at its default, decay and importance included.
 */
export interface Column extends Ranker {
  readonly openManager: () => MemoryManager;
}

/** To be `true` as soon as the library knows the option `semantic`. Before that, all it can do is words alone. */
const KNOWS_SEMANTIC = true;

const WORDS_ALONE: Partial<Record<string, unknown>> = KNOWS_SEMANTIC ? { semantic: false } : {};

export const WORDS = column('words alone', WORDS_ALONE);
export const VECTORS = column('with vectors', {});
export const COLUMNS: readonly Column[] = KNOWS_SEMANTIC ? [WORDS, VECTORS] : [WORDS];

const USER = 'user';

function column(name: string, options: MemoryManagerOptions): Column {
  const openManager = (): MemoryManager => new MemoryManager({ store: new MemoryStore(), ...options });
  return {
    name,
    openManager,
    open: (haystack, options) => openRanker(openManager(), haystack, options),
  };
}

async function openRanker(
  manager: MemoryManager,
  haystack: Haystack,
  { needsMatch }: OpenOptions,
): Promise<OpenRanker> {
  const { turnOf, sessionOf, lastSessionId } = await storeHaystack(manager, haystack, USER);

  const rankTurns = async ({ text, now }: Question, sortBy: 'relevance' | 'match'): Promise<Hit[]> => {
    const query = { text, now, sortBy, scope: 'user', limit: DEPTH, explain: needsMatch } as const;
    const found = await manager.queryMemories(lastSessionId, query);
    return found.map((memory) => ({ name: turnOf.get(memory.id)!, ...matchOf(memory) }));
  };
  const rankSessions = async ({ text, now }: Question): Promise<Hit[]> => {
    const found = await manager.searchSessions(USER, text, { limit: DEPTH, now });
    return found.map(({ session_id }) => ({ name: sessionOf.get(session_id)! }));
  };
  const rank = (question: Question, view: View): Promise<Hit[]> => {
    if (view === 'sessions') return rankSessions(question);
    return rankTurns(question, view === 'turns' ? 'relevance' : 'match');
  };
  return { rank, close: () => manager.close() };
}

/** How well a memory matches, as the public API tells it. */
function matchOf({ match }: FoundMemory): Pick<Hit, 'match'> {
  return match === undefined ? {} : { match };
}

/** Which turn a memory is, by its id, and which session. */
export interface StoredHaystack {
  readonly turnOf: ReadonlyMap<string, string>;
  readonly sessionOf: ReadonlyMap<string, string>;
  readonly lastSessionId: string;
}

/** All sessions of a haystack, as the sessions of one user. */
export async function storeHaystack(
  manager: MemoryManager,
  { sessions }: Haystack,
  userId: string,
): Promise<StoredHaystack> {
  const turnOf = new Map<string, string>();
  const sessionOf = new Map<string, string>();
  let lastSessionId = '';
  for (const { name, turns } of sessions) {
    lastSessionId = (await manager.createSession(userId)).id;
    sessionOf.set(lastSessionId, name);
    const ids = await manager.addMemories(
      lastSessionId,
      turns.map(({ memory }) => memory),
    );
    for (const [position, id] of ids.entries()) turnOf.set(id, turns[position]!.name);
  }
  return { turnOf, sessionOf, lastSessionId };
}
