import type { MemoryManager, MemoryType, NewMemory } from 'longhand';
import { createRandom } from '../random.ts';

const DAY_MS = 86_400_000;
const SUBJECTS = 'harbour bicycle piano garden museum recipe lantern marathon telescope orchard'.split(' ');
const VERBS = 'repaired painted measured borrowed photographed described cleaned sold'.split(' ');
const PLACES = 'Lisbon Oslo Kyoto Quito Tunis'.split(' ');

/**
 * Decay still decides among equals: the same sentence twice, 60 days apart, the older one added before or
 * after, among a hundred other memories. How often does the newer one come first?
 */
export async function measureEquals(
  openManager: () => MemoryManager,
): Promise<{ pairs: number; newerFirst: number; share: number }> {
  const manager = openManager();
  const { id: sessionId } = await manager.createSession('user');
  const nowMs = Date.UTC(2026, 0, 1);
  let pairs = 0;
  let newerFirst = 0;
  for (const [i, subject] of SUBJECTS.entries()) {
    for (const [j, verb] of VERBS.entries()) {
      const message = `I ${verb} the ${subject} in ${PLACES[(i + j) % PLACES.length]} with a friend.`;
      const newerMs = nowMs - ((i * 7 + j * 3) % 40) * DAY_MS;
      const times = [newerMs, newerMs - 60 * DAY_MS];
      const order = (i + j) % 2 === 0 ? times : times.toReversed();
      for (const ms of order) {
        await manager.addMemory(sessionId, {
          type: 'finding',
          content: { message },
          timestamp: new Date(ms),
        });
      }
      const found = await manager.queryMemories(sessionId, { text: message, limit: 2, now: new Date(nowMs) });
      pairs++;
      if (found[0]?.timestamp === new Date(newerMs).toISOString()) newerFirst++;
    }
  }
  await manager.close();
  return { pairs, newerFirst, share: Math.round((1000 * newerFirst) / pairs) / 10 };
}

const TYPES = ['conversation', 'finding', 'decision', 'preference'] as const;
/** Ages in days, the newer first: of the newest and of those that have faded as far as they do. */
const AGES = [
  [1, 31],
  [10, 70],
  [30, 120],
  [60, 180],
  [120, 240],
  [150, 400],
] as const;
const SESSIONS = 12;

export interface NewerFact {
  readonly type: MemoryType;
  readonly pairs: number;
  readonly newerFirst: number;
  /** In percent. */
  readonly share: number;
}

/**
 * Two facts that contradict each other, said in two sessions, the older one first, among other memories of those and
 * ten more sessions that share words with them. How often does the newer one come first, by type?
 */
export async function measureNewerFacts(openManager: () => MemoryManager): Promise<NewerFact[]> {
  const results: NewerFact[] = [];
  for (const type of TYPES) {
    let newerFirst = 0;
    for (const ages of AGES) newerFirst += await countNewerFirst(openManager(), type, ages);
    const pairs = AGES.length * SUBJECTS.length;
    results.push({ type, pairs, newerFirst, share: Math.round((1000 * newerFirst) / pairs) / 10 });
  }
  return results;
}

async function countNewerFirst(
  manager: MemoryManager,
  type: MemoryType,
  [newerDays, olderDays]: readonly [number, number],
): Promise<number> {
  const nowMs = Date.UTC(2026, 0, 1);
  const random = createRandom(newerDays);
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(random() * values.length)]!;
  const sessions: string[] = [];
  for (let number = 0; number < SESSIONS; number++) {
    const session = await manager.createSession('user');
    const timestamp = new Date(nowMs - Math.floor(random() * 500) * DAY_MS);
    const others = Array.from({ length: 2 + Math.floor(random() * 10) }, (): NewMemory => {
      const message = `I ${pick(VERBS)} the ${pick(SUBJECTS)} in ${pick(PLACES)} with a friend.`;
      return { type: 'finding', content: { message }, timestamp };
    });
    await manager.addMemories(session.id, others);
    sessions.push(session.id);
  }
  let newerFirst = 0;
  for (const [number, subject] of SUBJECTS.entries()) {
    const fact = (id: string, hour: number, days: number): NewMemory => ({
      id: `${subject}_${id}`,
      type,
      content: { message: `The ${subject} opens at ${hour} on weekdays.` },
      timestamp: new Date(nowMs - days * DAY_MS),
    });
    const [older, newer] = [sessions[number]!, sessions[(number + 5) % SESSIONS]!];
    await manager.addMemory(older, fact('older', 41, olderDays));
    await manager.addMemory(newer, fact('newer', 43, newerDays));
  }
  for (const subject of SUBJECTS) {
    const text = `When does the ${subject} open?`;
    const query = { text, scope: 'user', limit: 100, now: new Date(nowMs) } as const;
    const found = await manager.queryMemories(sessions[0]!, query);
    const first = found.find(({ id }) => id.startsWith(`${subject}_`));
    if (first?.id === `${subject}_newer`) newerFirst++;
  }
  await manager.close();
  return newerFirst;
}
