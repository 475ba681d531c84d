/**
 * What `indices/global_index.json` and `indices/topic_index.json` hold after every step of random lives, against maps: of each
 * session what it held when it was last written up, by whichever of two managers, and nothing of a session that is gone.
 */

import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileStore, type LogStore, MemoryManager, MemoryStore, type NewMemory } from '../src/index.ts';
import { FakeClock } from '../src/testing/index.ts';
import { lasting } from '../src/testing/lasting-store.ts';
import { sized, temporaryFolder, withSeed } from './campaign.ts';

const RUNS = sized(60, 2_000);
const START_MS = Date.UTC(2026, 0, 10, 14);
const SESSIONS = ['one', 'two', '__proto__', '7'];

const session = fc.constantFrom(...SESSIONS);
const id = fc.nat(9).map((number) => `m${number}`);
const tags = fc.uniqueArray(
  fc.constantFrom('plan', 'Plan', 'security.oauth2', '__proto__', 'constructor', '旅行', '10'),
  { maxLength: 3 },
);
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('add' as const), session, id, tags }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('correct' as const), session, id, tags }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('delete' as const), session, id }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rebuild' as const), session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('compact' as const), session }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('end' as const), session }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), session }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      session,
      user: fc.constantFrom('ada', 'bob'),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A session's part of both lists. */
interface Part {
  readonly summary: { user_id: string; entries: number; last_updated: string; size_bytes: number };
  readonly tags: ReadonlyMap<string, number>;
}

interface ModelSession {
  readonly user: string;
  readonly memories: Map<string, string[]>;
  /** Ids are never used again. */
  readonly deleted: Set<string>;
}

class ModelStore {
  readonly sessions = new Map<string, ModelSession>();
  readonly parts = new Map<string, Part>();

  /** What the step does to the memories; whether the session is written up by it. */
  take(step: Step): boolean {
    const live = this.sessions.get(step.session);
    if (step.do === 'create') {
      if (live === undefined)
        this.sessions.set(step.session, { user: step.user, memories: new Map(), deleted: new Set() });
      return false;
    }
    if (live === undefined) return false;
    switch (step.do) {
      case 'add':
        if (!live.memories.has(step.id) && !live.deleted.has(step.id)) live.memories.set(step.id, step.tags);
        return false;
      case 'correct':
        if (live.memories.has(step.id)) live.memories.set(step.id, step.tags);
        return false;
      case 'delete':
        if (live.memories.delete(step.id)) live.deleted.add(step.id);
        return false;
      case 'remove':
        this.sessions.delete(step.session);
        this.parts.delete(step.session);
        return false;
      case 'rebuild':
      case 'compact':
      case 'end':
        return true;
    }
  }

  writeUp(sessionId: string, nowMs: number, sizeBytes: number): void {
    const { user, memories } = this.sessions.get(sessionId)!;
    const counts = new Map<string, number>();
    for (const tag of [...memories.values()].flat()) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    const summary = {
      user_id: user,
      entries: memories.size,
      last_updated: new Date(nowMs).toISOString(),
      size_bytes: sizeBytes,
    };
    this.parts.set(sessionId, { summary, tags: counts });
  }

  listed(): unknown {
    return [...this.parts].map(([key, { summary }]) => [key, summary]).sort(byName);
  }

  topics(): unknown {
    const names = new Set([...this.parts.values()].flatMap(({ tags }) => [...tags.keys()]));
    return [...names]
      .map((name) => {
        const holders = [...this.parts].filter(([, { tags }]) => tags.has(name));
        return [name, holders.map(([key, part]) => [key, part.tags.get(name)]).sort(byName)];
      })
      .sort(byName);
  }
}

const byName = ([one]: unknown[], [other]: unknown[]): number => (String(one) < String(other) ? -1 : 1);

/** The entries of a list, as pairs: a name may mean something to an object. */
async function listIn(store: LogStore, file: string, list: string): Promise<[string, unknown][]> {
  const text = await store.readDocument(undefined, file);
  if (text === undefined) return [];
  const document = JSON.parse(text) as Record<string, object>;
  expect(Object.keys(document).sort()).toEqual(['last_updated', list, 'version'].sort());
  expect(document.version).toBe(1);
  return Object.entries(document[list]!).sort(byName);
}

async function take(manager: MemoryManager, step: Step): Promise<void> {
  const memory = (each: { id: string; tags: string[] }): NewMemory => ({
    id: each.id,
    type: 'finding',
    content: { text: 'x' },
    tags: each.tags,
  });
  switch (step.do) {
    case 'create':
      await manager.createSession(step.user, { session_id: step.session });
      break;
    case 'add':
      await manager.addMemory(step.session, memory(step));
      break;
    case 'correct':
      await manager.updateMemory(step.session, step.id, { tags: step.tags });
      break;
    case 'delete':
      await manager.deleteMemory(step.session, step.id);
      break;
    case 'rebuild':
      await manager.rebuildIndex(step.session);
      break;
    case 'compact':
      await manager.compactSession(step.session);
      break;
    case 'end':
      await manager.closeSession(step.session);
      break;
    case 'remove':
      await manager.deleteSession(step.session);
      break;
  }
}

const life = fc.array(
  fc.record({ step, which: fc.nat(1), isReopened: fc.constantFrom(false, false, true) }),
  {
    minLength: 5,
    maxLength: 30,
    size: 'max',
  },
);

test.each(['files', 'memory'])('the lists of a store in %s', async (kind) => {
  const folder = temporaryFolder(false);
  let runs = 0;
  const property = fc.asyncProperty(life, async (moves) => {
    const root = join(folder, String(++runs));
    const inMemory = lasting(new MemoryStore());
    const clock = new FakeClock(START_MS);
    const newStore = (): LogStore => (kind === 'files' ? new FileStore({ root }) : inMemory);
    const newManager = (): MemoryManager => new MemoryManager({ store: newStore(), clock });
    const managers = [newManager(), newManager()];
    const reader = newStore();
    const model = new ModelStore();
    try {
      for (const each of SESSIONS.slice(0, 3)) {
        const creation = { do: 'create', session: each, user: 'ada' } as const;
        await take(managers[0]!, creation);
        model.take(creation);
      }
      for (const { step, which, isReopened } of moves) {
        if (isReopened) {
          await managers[which]!.close();
          managers[which] = newManager();
        }
        clock.advance(60_000);
        // What cannot be done is refused, and changes nothing.
        await take(managers[which]!, step).catch(() => undefined);
        if (model.take(step)) {
          const { total_size_bytes: sizeBytes } = await managers[which]!.getSessionStats(step.session);
          model.writeUp(step.session, clock.now(), sizeBytes);
        }
        expect(await listIn(reader, 'indices/global_index.json', 'sessions')).toEqual(model.listed());
        const topics = await listIn(reader, 'indices/topic_index.json', 'topics');
        expect(topics.map(([name, counts]) => [name, Object.entries(counts as object).sort(byName)])).toEqual(
          model.topics(),
        );
      }
    } finally {
      for (const manager of managers) await manager.close();
      await reader.close();
    }
  });
  await withSeed(async (seed) => fc.assert(property, { numRuns: RUNS, seed }));
});
