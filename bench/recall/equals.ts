import type { MemoryManager } from 'longhand';

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
