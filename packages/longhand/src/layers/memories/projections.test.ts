import { expect, test } from 'vitest';
import { readLog } from '../../core/read-log.ts';
import { MemoryManager, MemoryStore } from '../../index.ts';
import { FakeClock } from '../../testing/index.ts';

const SESSION = 'sess_20260110_user123';
const address = { kind: 'session', id: SESSION } as const;
const START = '2026-01-10T14:00:00.000Z';

async function open(): Promise<{ manager: MemoryManager; store: MemoryStore; clock: FakeClock }> {
  const clock = new FakeClock(Date.parse(START));
  const store = new MemoryStore();
  const manager = new MemoryManager({ store, clock });
  await manager.createSession('user123', { session_id: SESSION, agents: ['ann'] });
  return { manager, store, clock };
}

test('metadata.json has the requirement’s fields, and what Longhand adds to them', async () => {
  const { manager, store, clock } = await open();
  await manager.addMemories(SESSION, [
    { type: 'decision', content: { text: 'x' } },
    { type: 'preference', content: { text: 'x' } },
    { type: 'preference', content: { text: 'x' } },
  ]);
  await manager.updateSession(SESSION, {
    preferences: { verbosity: 'high' },
    decay_config: { half_life_hours: 336 },
    compaction_config: { threshold: 0.95 },
  });
  clock.advance(1_800_000);
  await manager.rebuildIndex(SESSION);
  const metadata = JSON.parse((await store.readDocument(address, 'metadata.json'))!) as Record<
    string,
    unknown
  >;
  const size = (await manager.getSessionStats(SESSION)).total_size_bytes;
  expect(metadata).toEqual({
    version: 1,
    session_id: SESSION,
    user_id: 'user123',
    account_id: 'local',
    created_at: START,
    last_accessed: '2026-01-10T14:30:00.000Z',
    agents: ['ann'],
    total_entries: 3,
    total_size_bytes: size,
    decay_config: { enabled: true, half_life_hours: 336, min_decay_factor: 0.1 },
    compaction_config: { threshold: 0.95 },
    preferences: { language: 'en', verbosity: 'high', custom: {} },
    statistics: { conversations: 0, decisions: 1, findings: 0, preferences: 2 },
    last_decay_update: '2026-01-10T14:30:00.000Z',
  });
  await manager.compactSession(SESSION);
  const compacted = JSON.parse((await store.readDocument(address, 'metadata.json'))!) as Record<
    string,
    unknown
  >;
  expect(compacted.last_compaction).toBe('2026-01-10T14:30:00.000Z');
});

test('index.json has the requirement’s fields, and its offsets lead to the lines', async () => {
  const { manager, store, clock } = await open();
  await manager.addMemories(SESSION, [
    {
      type: 'decision',
      id: 'mem_1',
      content: { text: 'ü' },
      tags: ['security', 'authentication'],
      importance: 0.8,
    },
    { type: 'conversation', id: 'mem_2', content: { text: 'b' }, tags: ['security'] },
    { type: 'decision', id: '__proto__', content: { text: 'c' } },
    { type: 'finding', id: 'gone', content: { text: 'x' } },
  ]);
  await manager.deleteMemory(SESSION, 'gone');
  clock.advance(720 * 3_600_000);
  await manager.rebuildIndex(SESSION);
  const text = (await store.readDocument(address, 'index.json'))!;
  const index = JSON.parse(text) as { entries: Record<string, { line_number: number; byte_offset: number }> };
  expect(index).toMatchObject({ version: 1, last_updated: '2026-02-09T14:00:00.000Z' });
  expect(Object.keys(index.entries)).toEqual(['mem_1', 'mem_2', '__proto__']);
  expect(index.entries.mem_1).toEqual({
    line_number: 2,
    byte_offset: index.entries.mem_1!.byte_offset,
    type: 'decision',
    timestamp: START,
    tags: ['security', 'authentication'],
    importance: 0.8,
    current_relevance: 0.4,
  });
  expect(index).toMatchObject({
    tags: { authentication: ['mem_1'], security: ['mem_1', 'mem_2'] },
    types: { conversation: ['mem_2'], decision: ['mem_1', '__proto__'] },
  });
  const { lines } = await readLog(store, address);
  for (const [id, { byte_offset, line_number }] of Object.entries(index.entries)) {
    const line = lines.find(({ offset }) => offset === byte_offset)!;
    expect([line.memoryId, line.lineNumber]).toEqual([id, line_number]);
  }
});

test('an empty session has empty projections', async () => {
  const { manager, store } = await open();
  await manager.closeSession(SESSION);
  expect(JSON.parse((await store.readDocument(address, 'index.json'))!)).toEqual({
    version: 1,
    last_updated: START,
    entries: {},
    tags: {},
    types: {},
  });
});

test('exports hold the live memories; json the settings and the deletions too', async () => {
  const { manager } = await open();
  await manager.addMemories(SESSION, [
    { type: 'decision', id: 'mem_1', content: { text: 'line one\nline two' } },
    { type: 'finding', id: 'mem_2', content: { text: 'secret' } },
  ]);
  await manager.deleteMemory(SESSION, 'mem_2', { reason: 'asked for' });
  const jsonl = await manager.exportSession(SESSION, 'jsonl');
  expect(jsonl.endsWith('\n')).toBe(true);
  const entry = await manager.getMemory(SESSION, 'mem_1');
  expect(
    jsonl
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([entry]);
  const json = await manager.exportSession(SESSION);
  expect(json).not.toContain('"text": "secret"');
  expect(JSON.parse(json)).toEqual({
    version: 1,
    damaged_lines: 0,
    replaced: {},
    exported_at: START,
    session: await manager.loadSession(SESSION),
    memories: [entry],
    deletions: [{ id: 'mem_2', timestamp: START, reason: 'asked for' }],
  });
});
