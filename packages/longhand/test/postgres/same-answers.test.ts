import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { MemoryManager } from '../../src/index.ts';
import { openFiles } from '../open-stores.ts';
import { EVERYDAY } from '../questions/everyday.ts';
import { newMemoriesOf, type World } from '../questions/world.ts';
import { usePostgres } from './open-postgres.ts';

const database = usePostgres();
const USER = 'ada';

async function fill(manager: MemoryManager, { sessions }: World): Promise<void> {
  for (const [i, session] of sessions.entries()) {
    await manager.createSession(USER, { session_id: `s${i}` });
    await manager.addMemories(`s${i}`, newMemoriesOf(session));
  }
}

async function answers(manager: MemoryManager, text: string, now: Date): Promise<unknown> {
  const asked = { text, now, scope: 'user', limit: 50 } as const;
  const found = [
    await manager.queryMemories('s0', asked),
    await manager.queryMemories('s0', { ...asked, sortBy: 'match' }),
    await manager.recall(USER, text, { now }),
  ];
  const sessions = await manager.searchSessions(USER, text, { now });
  return [
    found.map((hits) => hits.map(({ id, relevance, match }) => [id, relevance, match])),
    sessions.map(({ session_id }) => session_id),
  ];
}

it('gives the same memories in the same order with the same numbers as files', async () => {
  let asked = 0;
  for (const semantic of [false, undefined]) {
    const options = semantic === false ? { semantic } : {};
    for (const world of EVERYDAY) {
      const account = randomUUID();
      const files = new MemoryManager({ store: openFiles(), ...options });
      const first = new MemoryManager({ store: database.store(account), ...options });
      for (const manager of [files, first]) await fill(manager, world);
      await first.close();
      // A server that has just started, with segments from the database.
      const started = new MemoryManager({ store: database.store(account), ...options });
      const now = new Date(world.now);
      for (const text of [...world.questions.map(({ question }) => question), ...world.unanswerable]) {
        expect(await answers(started, text, now), text).toEqual(await answers(files, text, now));
        asked++;
      }
      await Promise.all([files.close(), started.close()]);
    }
  }
  expect(asked).toBe(300);
});
