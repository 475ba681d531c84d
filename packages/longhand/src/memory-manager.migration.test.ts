import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeLine } from './core/line.ts';
import { type LonghandEvent, MemoryManager, type Schema } from './index.ts';

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

const finding = { type: 'finding', content: { text: 'x' } } as const;

describe('an earlier schema', () => {
  /** In a made-up version 0 the importance was a whole number of percent, and there was no provenance. */
  const schema: Schema = {
    version: 1,
    steps: {
      0: (record) =>
        'record' in record
          ? record
          : {
              schema_version: 1,
              id: record.id,
              ...record,
              importance: Number(record.importance) / 100,
              provenance: { author: 'import', trust: 'external' },
            },
    },
  };

  function writeOld(root: string, session: string): void {
    const folder = join(root, 'sessions', session);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const records = [
      {
        schema_version: 0,
        record: 'session',
        session_id: session,
        timestamp: '2025-01-01T00:00:00.000Z',
        user_id: 'ada',
        account_id: 'local',
      },
      ...[10, 55, 100].map((importance, i) => ({
        schema_version: 0,
        id: `mem_${i}`,
        session_id: session,
        timestamp: `2025-01-0${i + 2}T00:00:00.000Z`,
        type: 'finding',
        content: { text: `old ${i}` },
        importance,
        decay_factor: 1,
        tags: [],
        references: [],
      })),
      {
        schema_version: 0,
        record: 'delete',
        session_id: session,
        timestamp: '2025-02-01T00:00:00.000Z',
        ids: ['mem_2'],
        reason: 'x',
      },
    ];
    writeFileSync(
      join(folder, 'memory.jsonl'),
      records.map((record, i) => encodeLine(JSON.stringify(record), i + 1, true)).join(''),
    );
  }

  const open = (root: string, events: LonghandEvent[] = []) =>
    new MemoryManager({ storageRoot: root, schema, onEvent: (event) => events.push(event) });
  const logOf = (root: string, session: string) =>
    readFileSync(join(root, 'sessions', session, 'memory.jsonl'), 'utf8');

  test('is read as if it were the current one, and stays as it is', async () => {
    const root = temporaryRoot();
    writeOld(root, 's');
    const before = logOf(root, 's');
    await using manager = open(root);
    expect(await manager.getMemory('s', 'mem_1')).toMatchObject({
      schema_version: 1,
      importance: 0.55,
      provenance: { author: 'import' },
    });
    expect(await manager.getMemory('s', 'mem_2')).toBeNull();
    expect(await manager.getSessionStats('s')).toMatchObject({
      total_entries: 2,
      schema_version: 0,
      corruption: { checksum: 0, schema: 0 },
    });
    expect((await manager.exportSession('s', 'jsonl')).split('\n')[0]).toContain('"importance":0.1');
    expect((await manager.loadSession('s')).user_id).toBe('ada');
    expect(logOf(root, 's')).toBe(before);
  });

  test.each([
    [
      'an add',
      (manager: MemoryManager) =>
        manager.addMemory('s', { type: 'finding', id: 'mem_new', content: { text: 'x' } }),
    ],
    ['a deletion', (manager: MemoryManager) => manager.deleteMemory('s', 'mem_0')],
    ['a change of settings', (manager: MemoryManager) => manager.updateSession('s', { agents: ['ann'] })],
  ])('is lifted as a whole by the first write: %s', async (name, write) => {
    const root = temporaryRoot();
    writeOld(root, 's');
    const events: LonghandEvent[] = [];
    await using manager = open(root, events);
    await manager.getMemory('s', 'mem_0');
    await write(manager);
    expect(events).toContainEqual(
      expect.objectContaining({ kind: 'schema-migrated', session_id: 's', from: 0, to: 1 }),
    );
    expect(logOf(root, 's')).not.toContain('"schema_version":0');
    const { total_entries, schema_version, corruption } = await manager.getSessionStats('s');
    const expected = { 'an add': 3, 'a deletion': 1, 'a change of settings': 2 }[name];
    expect([total_entries, schema_version, corruption.sequence]).toEqual([expected, 1, 0]);
    expect(await manager.getMemory('s', 'mem_1')).toMatchObject({
      importance: 0.55,
      content: { text: 'old 1' },
      timestamp: '2025-01-03T00:00:00.000Z',
    });
    await expect(
      manager.addMemory('s', { type: 'finding', id: 'mem_2', content: { text: 'x' } }),
    ).rejects.toMatchObject({ code: 'ID_DELETED' });
    // Now a reader that knows nothing of version 0 can read it.
    await using plain = new MemoryManager({ storageRoot: root });
    expect((await plain.getMemory('s', 'mem_1'))!.importance).toBe(0.55);
    await manager.rebuildIndex('s');
    const metadata = JSON.parse(readFileSync(join(root, 'sessions', 's', 'metadata.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    expect(metadata.schema_migrated_at).toBe(metadata.last_compaction);
  });

  test('is lifted everywhere by migrateSessions, which tells how far it is', async () => {
    const root = temporaryRoot();
    for (const session of ['a', 'b', 'c']) writeOld(root, session);
    await using manager = open(root);
    await manager.createSession('bob', { session_id: 'new' });
    const progress: string[] = [];
    expect(await manager.migrateSessions((done, total) => progress.push(`${done}/${total}`))).toEqual({
      migrated: ['a', 'b', 'c'],
      failed: [],
    });
    expect(progress).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(await manager.migrateSessions()).toEqual({ migrated: [], failed: [] });
    for (const session of ['a', 'b', 'c']) {
      expect(logOf(root, session)).not.toContain('"schema_version":0');
      expect((await manager.getSessionStats(session)).total_entries).toBe(2);
    }
  });

  test('one that cannot be lifted keeps no other from its turn, and is named', async () => {
    const root = temporaryRoot();
    for (const session of ['a', 'b', 'c', 'd']) writeOld(root, session);
    const pathOf = (session: string): string => join(root, 'sessions', session, 'memory.jsonl');
    writeFileSync(pathOf('b'), logOf(root, 'b').replace('"record":"session"', '"record":"sexxion"'));
    await using manager = open(root);
    const progress: string[] = [];
    const report = await manager.migrateSessions((done, total) => {
      progress.push(`${done}/${total}`);
      if (done === 2) rmSync(join(root, 'sessions', 'c'), { recursive: true });
    });
    expect(report).toEqual({
      migrated: ['a', 'd'],
      failed: [{ session_id: 'b', code: 'CORRUPT_SESSION' }],
    });
    expect(progress.at(-1)).toBe('4/4');
  });

  test('closing ends it', async () => {
    const root = temporaryRoot();
    for (const session of ['a', 'b']) writeOld(root, session);
    const manager = open(root);
    const migrating = manager.migrateSessions(() => void manager.close());
    await expect(migrating).rejects.toMatchObject({ code: 'STORE_CLOSED' });
    await manager.close();
  });

  test('two processes may lift the same session at the same time', async () => {
    const root = temporaryRoot();
    writeOld(root, 's');
    await using one = open(root);
    await using two = open(root);
    await Promise.all(
      [one, two, one, two].map((manager, i) =>
        manager.addMemory('s', { type: 'finding', id: `new_${i}`, content: { text: 'x' } }),
      ),
    );
    expect(await one.getSessionStats('s')).toMatchObject({
      total_entries: 6,
      schema_version: 1,
      corruption: { sequence: 0 },
    });
  });

  test('a later one is refused, for reading and writing, and not a byte is changed', async () => {
    const root = temporaryRoot();
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: 's' });
    await manager.addMemory('s', finding);
    await manager.close();
    const path = join(root, 'sessions', 's', 'memory.jsonl');
    writeFileSync(
      path,
      `${logOf(root, 's')}${encodeLine('{"schema_version":2,"id":"mem_later","session_id":"s","type":"dream"}', 3, true)}`,
    );
    const before = logOf(root, 's');
    await using again = new MemoryManager({ storageRoot: root });
    const refused = {
      name: 'ValidationError',
      code: 'SCHEMA_TOO_NEW',
      details: { version: 2, supported: 1 },
    };
    await expect(again.loadSession('s')).rejects.toMatchObject(refused);
    await expect(again.addMemory('s', finding)).rejects.toMatchObject(refused);
    await expect(again.exportSession('s')).rejects.toMatchObject(refused);
    await expect(again.compactSession('s')).rejects.toMatchObject(refused);
    expect(await again.migrateSessions()).toEqual({
      migrated: [],
      failed: [{ session_id: 's', code: 'SCHEMA_TOO_NEW' }],
    });
    expect(logOf(root, 's')).toBe(before);
  });
});
