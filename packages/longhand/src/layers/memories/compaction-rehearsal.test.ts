import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FileStore, MemoryManager, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const DAY_MS = 86_400_000;
const SESSION = 's';
const BY_HAND = '{"type":"finding","content":{"text":"by hand"},"importance":0.4,"tags":["a"]}';

const id = fc.integer({ min: 0, max: 9 }).map((n) => `m${n}`);
const action = fc.oneof(
  fc.record({
    do: fc.constant('add' as const),
    text: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }),
    type: fc.constantFrom('conversation', 'finding', 'preference'),
    importance: fc.double({ min: 0, max: 1, noNaN: true }),
    tags: fc.uniqueArray(fc.constantFrom('a', 'b.c', 'd'), { maxLength: 2 }),
    withMetadata: fc.boolean(),
  }),
  fc.record({ do: fc.constant('delete' as const), id, reason: fc.constantFrom(undefined, 'asked', 'grün') }),
  fc.record({
    do: fc.constant('weigh' as const),
    id,
    importance: fc.double({ min: 0, max: 1, noNaN: true }),
  }),
  fc.record({ do: fc.constant('correct' as const), id, text: fc.string({ minLength: 1, maxLength: 20 }) }),
  fc.record({ do: fc.constant('use' as const), id }),
  fc.record({ do: fc.constant('set' as const), agents: fc.constantFrom(['ann'], ['ann', 'bob']) }),
  fc.record({ do: fc.constant('wait' as const), days: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ do: fc.constant('compact' as const) }),
  fc.record({ do: fc.constant('reindex' as const) }),
  fc.record({ do: fc.constant('by hand' as const), line: fc.constantFrom('{"oops"', BY_HAND) }),
);

test.each(['memory', 'file'])('a rehearsal tells what the compaction then does: %s', async (kind) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  let runs = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        fc.array(action, { maxLength: 25 }),
        fc.boolean(),
        fc.boolean(),
        async (actions, dropFaded, isSmall) => {
          const root = join(folder, String(runs++));
          const clock = new FakeClock();
          const store = kind === 'memory' ? new MemoryStore() : new FileStore({ root, clock });
          const storage = {
            trim_metadata_after_days: 100,
            ...(isSmall ? { max_session_size_mb: 0.01 } : {}),
          };
          await using manager = new MemoryManager({
            store,
            clock,
            config: { storage: { ...storage, auto_compact: false } },
          });
          await manager.createSession('ada', { session_id: SESSION });
          let added = 0;
          for (const one of actions) {
            if (one.do === 'add') {
              const content = { text: one.text, ...(one.withMetadata ? { metadata: { from: 'here' } } : {}) };
              const { type, importance, tags } = one;
              await manager.addMemory(SESSION, {
                type: type as 'finding',
                id: `m${added++}`,
                content,
                importance,
                tags,
              });
            }
            if (one.do === 'delete')
              await manager.deleteMemory(SESSION, one.id, { ...(one.reason && { reason: one.reason }) });
            if (one.do === 'weigh')
              await manager.setImportance(SESSION, one.id, one.importance).catch(() => undefined);
            if (one.do === 'correct')
              await manager
                .updateMemory(SESSION, one.id, { content: { text: one.text } })
                .catch(() => undefined);
            if (one.do === 'use') await manager.getMemory(SESSION, one.id);
            if (one.do === 'set') await manager.updateSession(SESSION, { agents: one.agents });
            if (one.do === 'wait') clock.advance(one.days * DAY_MS);
            if (one.do === 'compact') await manager.compactSession(SESSION);
            if (one.do === 'reindex') await manager.rebuildIndex(SESSION);
            if (one.do === 'by hand' && kind === 'file')
              appendFileSync(join(root, 'sessions', SESSION, 'memory.jsonl'), `${one.line}\n`);
          }
          const rehearsed = await manager.compactSession(SESSION, { dropFaded, dryRun: true });
          const { total_size_bytes } = await manager.getSessionStats(SESSION);
          expect(rehearsed.bytes_before).toBe(total_size_bytes);
          expect({ ...rehearsed, duration_ms: 0 }).toEqual({
            ...(await manager.compactSession(SESSION, { dropFaded })),
            duration_ms: 0,
          });
        },
      ),
      { numRuns: kind === 'memory' ? 100 : 40 },
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
