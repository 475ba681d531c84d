import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeLine } from './core/line.ts';
import {
  FileStore,
  type LonghandEvent,
  MemoryManager,
  type MemoryManagerOptions,
  MemoryStore,
  type Schema,
} from './index.ts';
import { createNodeFileSystem } from './stores/file/file-system.ts';
import { loadKernelLocks } from './stores/file/kernel-locks.ts';
import { createFaultFileSystem, type Fault, type FaultFileSystem } from './testing/index.ts';

function temporaryRoot(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'store');
}

function writeConfig(root: string, config: unknown): void {
  mkdirSync(root, { recursive: true, mode: 0o700 });
  writeFileSync(join(root, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
}

const finding = { type: 'finding', content: { text: 'x' } } as const;

describe('configuration', () => {
  test('config.json in the store counts, and what the constructor is given lies on top', async () => {
    const root = temporaryRoot();
    writeConfig(root, { storage: { max_session_size_mb: 1 } });
    await using manager = new MemoryManager({ storageRoot: root });
    const { id } = await manager.createSession('ada');
    expect((await manager.getSessionStats(id)).limit_bytes).toBe(1_048_576);
    await using other = new MemoryManager({
      storageRoot: root,
      config: { storage: { max_session_size_mb: 2 } },
    });
    expect((await other.getSessionStats(id)).limit_bytes).toBe(2_097_152);
  });

  test('a store that is not of files has a config.json too', async () => {
    const store = new MemoryStore();
    await store.writeDocument(undefined, 'config.json', '{"storage":{"max_session_size_mb":1}}');
    const manager = new MemoryManager({ store });
    const { id } = await manager.createSession('ada');
    expect((await manager.getSessionStats(id)).limit_bytes).toBe(1_048_576);
    await store.writeDocument(undefined, 'config.json', '{');
    await expect(new MemoryManager({ store }).listSessions()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  test.each([
    ['{', 'not valid JSON'],
    ['[]', 'must be an object'],
    [{ storage: { colour: 'red' } }, 'storage.colour'],
    [{ decay: { enabled: 'yes' } }, 'decay.enabled'],
    [{ storage: { root_directory: '/elsewhere' } }, 'storage.root_directory'],
  ])('a config.json with %j stops the start and says why', async (config, reason) => {
    const root = temporaryRoot();
    writeConfig(root, config);
    const starting = new MemoryManager({ storageRoot: root }).listSessions();
    await expect(starting).rejects.toMatchObject({
      name: 'ValidationError',
      code: 'INVALID_CONFIG',
      message: expect.stringContaining(reason),
    });
  });

  test('a config.json that was mended is read at the next call', async () => {
    const root = temporaryRoot();
    writeConfig(root, '{');
    await using manager = new MemoryManager({ storageRoot: root });
    await expect(manager.listSessions()).rejects.toMatchObject({ code: 'INVALID_CONFIG' });
    writeConfig(root, {});
    expect(await manager.listSessions()).toEqual([]);
  });

  test('root_directory says where the store lies', async () => {
    const root = temporaryRoot();
    await using manager = new MemoryManager({ config: { storage: { root_directory: root } } });
    await manager.createSession('ada', { session_id: 's' });
    expect(readdirSync(join(root, 'sessions'))).toEqual(['s']);
    for (const root_directory of ['.', root, './store', 'store']) {
      writeConfig(root, { storage: { root_directory } });
      await using again = new MemoryManager({ storageRoot: root });
      expect(await again.listSessions()).toHaveLength(1);
    }
    const twice = { storageRoot: root, config: { storage: { root_directory: '/elsewhere' } } };
    expect(() => new MemoryManager(twice)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }));
  });

  test.each([
    [{ durability: 'strict' }],
    [{ config: { storage: { durability: 'group' } } }],
    [{ config: { storage: { root_directory: 'x' } } }],
    [{ config: { storage: { allow_network_file_system: true } } }],
    [{ config: { concurrency: { max_retries: 1 } } }],
    [{ config: { performance: { batch_write_interval_ms: 5 } } }],
    [{ config: { integrity: { enable_checksums: false } } }],
    [{ storageRoot: 'x' }],
  ] satisfies [MemoryManagerOptions][])('%j beside a store would be ignored, and is refused', (options) => {
    const refused = expect.objectContaining({ name: 'ValidationError', code: 'INVALID_OPTION' });
    expect(() => new MemoryManager({ store: new MemoryStore(), ...options })).toThrow(refused);
  });

  test('enable_checksums off writes lines without, and reads both kinds', async () => {
    const root = temporaryRoot();
    await using checked = new MemoryManager({ storageRoot: root });
    const { id: session } = await checked.createSession('ada', { session_id: 's' });
    const first = await checked.addMemory(session, finding);
    await using plain = new MemoryManager({
      storageRoot: root,
      config: { integrity: { enable_checksums: false } },
    });
    const second = await plain.addMemory(session, { ...finding, tags: ['a'] });
    const lines = readFileSync(join(root, 'sessions', session, 'memory.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.map((line) => line.includes('"checksum"'))).toEqual([true, true, false]);
    for (const manager of [checked, plain]) {
      expect((await manager.getMemory(session, first))!.id).toBe(first);
      expect(await manager.getMemory(session, second)).toMatchObject({
        id: second,
        tags: ['a'],
        session_id: session,
      });
      expect(await manager.getSessionStats(session)).toMatchObject({
        total_entries: 2,
        unverified: 1,
        corruption: { sequence: 0 },
      });
    }
    await checked.addMemory(session, finding);
    expect((await plain.getSessionStats(session)).corruption).toEqual({
      checksum: 0,
      torn: 0,
      sequence: 0,
      schema: 0,
    });
  });

  test('defaultDecayHalfLife is the half life of conversations', async () => {
    const store = new MemoryStore();
    const manager = new MemoryManager({ store, defaultDecayHalfLife: 24 });
    const { id } = await manager.createSession('ada');
    const yesterday = new Date(Date.now() - 24 * 3_600_000);
    const half = await manager.addMemory(id, { type: 'conversation', content: {}, timestamp: yesterday });
    const more = await manager.addMemory(id, { type: 'finding', content: {}, timestamp: yesterday });
    expect((await manager.getMemory(id, half))!.decay_factor).toBeCloseTo(0.5, 3);
    expect((await manager.getMemory(id, more))!.decay_factor).toBeGreaterThan(0.9);
    await expect(new MemoryManager({ store, defaultDecayHalfLife: 0 }).listSessions()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  test('the readable files are refreshed by themselves after update_interval_minutes', async () => {
    const root = temporaryRoot();
    await using manager = new MemoryManager({
      storageRoot: root,
      config: { decay: { update_interval_minutes: 0.01 } },
    });
    const { id } = await manager.createSession('ada');
    await manager.addMemory(id, finding);
    const path = join(root, 'sessions', id, 'metadata.json');
    while (statSync(path, { throwIfNoEntry: false }) === undefined)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ total_entries: 1 });
  });
});

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
      (manager: MemoryManager) => manager.addMemory('s', { type: 'finding', id: 'mem_new', content: {} }),
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
    expect(events).toContainEqual({ kind: 'schema-migrated', session_id: 's', from: 0, to: 1 });
    expect(logOf(root, 's')).not.toContain('"schema_version":0');
    const { total_entries, schema_version, corruption } = await manager.getSessionStats('s');
    const expected = { 'an add': 3, 'a deletion': 1, 'a change of settings': 2 }[name];
    expect([total_entries, schema_version, corruption.sequence]).toEqual([expected, 1, 0]);
    expect(await manager.getMemory('s', 'mem_1')).toMatchObject({
      importance: 0.55,
      content: { text: 'old 1' },
      timestamp: '2025-01-03T00:00:00.000Z',
    });
    await expect(manager.addMemory('s', { type: 'finding', id: 'mem_2', content: {} })).rejects.toMatchObject(
      { code: 'ID_DELETED' },
    );
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
    expect(await manager.migrateSessions((done, total) => progress.push(`${done}/${total}`))).toEqual([
      'a',
      'b',
      'c',
    ]);
    expect(progress).toEqual(['1/4', '2/4', '3/4', '4/4']);
    expect(await manager.migrateSessions()).toEqual([]);
    for (const session of ['a', 'b', 'c']) {
      expect(logOf(root, session)).not.toContain('"schema_version":0');
      expect((await manager.getSessionStats(session)).total_entries).toBe(2);
    }
  });

  test('two processes may lift the same session at the same time', async () => {
    const root = temporaryRoot();
    writeOld(root, 's');
    await using one = open(root);
    await using two = open(root);
    await Promise.all(
      [one, two, one, two].map((manager, i) =>
        manager.addMemory('s', { type: 'finding', id: `new_${i}`, content: {} }),
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
    await expect(again.migrateSessions()).rejects.toMatchObject(refused);
    expect(logOf(root, 's')).toBe(before);
  });
});

describe('while the disk fails', () => {
  interface Failing {
    readonly manager: MemoryManager;
    readonly root: string;
    readonly session: string;
    readonly events: LonghandEvent[];
    readonly disk: { faults: FaultFileSystem };
    breakDown(code: string): void;
  }

  /** A store whose disk works until it is told to break down. */
  async function open(): Promise<Failing> {
    const root = temporaryRoot();
    const events: LonghandEvent[] = [];
    const real = createNodeFileSystem(loadKernelLocks().locks);
    const disk = { faults: createFaultFileSystem(real) };
    const fileSystem = new Proxy(real, { get: (_, name) => Reflect.get(disk.faults, name) as unknown });
    const onEvent = (event: LonghandEvent): void => void events.push(event);
    const lockTimes = { lockTimeoutMs: 1_000, maxRetries: 2, retryBackoffMs: 1 };
    const store = new FileStore({ root, fileSystem, lockTimes, emit: onEvent });
    const manager = new MemoryManager({ store });
    const { id: session } = await manager.createSession('ada');
    await manager.addMemory(session, finding);
    const breakDown = (code: string): void => {
      const fault: Fault = { at: 1, kind: 'write', fail: code, isPersistent: true };
      disk.faults = createFaultFileSystem(real, [fault]);
    };
    return { manager, root, session, events, disk, breakDown };
  }

  const until = async (isSo: () => boolean): Promise<void> => {
    for (let i = 0; !isSo(); i++) {
      if (i > 5_000) throw new Error('What was waited for did not happen.');
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };

  test('a write stays pending, says so, and is stored when the disk is well again', async () => {
    const { manager, session, events, disk, breakDown } = await open();
    breakDown('EIO');
    let isAcknowledged = false;
    const adding = manager.addMemories(session, [finding, finding]).then((ids) => {
      isAcknowledged = true;
      return ids;
    });
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    expect(isAcknowledged).toBe(false);
    expect(await manager.getSessionStats(session)).toMatchObject({ total_entries: 1, pending_writes: 2 });
    const pending = events.find((event) => event.kind === 'write-pending')!;
    expect(pending).toMatchObject({ records: 2, reason: 'EIO' });
    // Others that come meanwhile wait behind it, in order.
    const later = manager.addMemory(session, { ...finding, id: 'later' });
    disk.faults.heal();
    const ids = await adding;
    await later;
    expect(events.some(({ kind }) => kind === 'write-recovered')).toBe(true);
    const { total_entries, pending_writes } = await manager.getSessionStats(session);
    expect([total_entries, pending_writes]).toEqual([4, 0]);
    const order = (await manager.exportSession(session, 'jsonl'))
      .split('\n')
      .slice(1, -1)
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(order).toEqual([...ids, 'later']);
    await manager.close();
  });

  test('what is still pending when the store is closed is refused, never acknowledged', async () => {
    const { manager, root, session, events, breakDown } = await open();
    breakDown('EIO');
    const adding = manager.addMemory(session, finding);
    const refusal = expect(adding).rejects.toMatchObject({ name: 'IOError', code: 'IO_FAILED' });
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    await manager.close();
    await refusal;
    await using again = new MemoryManager({ storageRoot: root });
    expect((await again.getSessionStats(session)).total_entries).toBe(1);
  });

  test.each(['ENOSPC', 'EDQUOT'])('%s is refused after a few tries, with the log as it was', async (code) => {
    const { manager, session, disk, breakDown } = await open();
    const before = await manager.exportSession(session, 'jsonl');
    breakDown(code);
    await expect(manager.addMemory(session, finding)).rejects.toMatchObject({
      name: 'IOError',
      code: 'STORAGE_FULL',
    });
    expect(await manager.exportSession(session, 'jsonl')).toBe(before);
    disk.faults.heal();
    await manager.addMemory(session, finding);
    expect((await manager.getSessionStats(session)).total_entries).toBe(2);
    await manager.close();
  });

  test('reading goes on, and a deletion waits like any write', async () => {
    const { manager, session, disk, breakDown, events } = await open();
    const id = await manager.addMemory(session, finding);
    breakDown('EIO');
    const deleting = manager.deleteMemory(session, id);
    await until(() => events.some(({ kind }) => kind === 'write-pending'));
    expect((await manager.getMemory(session, id))!.id).toBe(id);
    disk.faults.heal();
    expect(await deleting).toBe(true);
    expect(await manager.getMemory(session, id)).toBeNull();
    await manager.close();
  });
});

test('metrics count what this process did, and the size of the whole store', async () => {
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  for (const session of ['a', 'b']) {
    await manager.createSession('ada', { session_id: session });
    await manager.addMemories(session, [finding, finding]);
  }
  await manager.compactSession('a');
  const { gauges, counters, timings } = await manager.metrics();
  const sizes = await Promise.all(
    ['a', 'b'].map(async (id) => (await manager.getSessionStats(id)).total_size_bytes),
  );
  expect(gauges).toEqual({
    'memory.sessions.active': 2,
    'memory.entries.total': 4,
    'memory.size.bytes': sizes[0]! + sizes[1]!,
  });
  expect(counters).toMatchObject({ 'memory.compaction.count': 1, 'memory.errors.corruption.count': 0 });
  expect(timings['memory.operations.write.duration_ms'].count).toBe(2);
});

test('files have the modes they promise, whatever the umask', async () => {
  const umask = process.umask(0o000);
  onTestFinished(() => void process.umask(umask));
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  const { id } = await manager.createSession('ada');
  await manager.addMemory(id, { ...finding, id: 'a' });
  await manager.deleteMemory(id, 'a');
  await manager.closeSession(id);
  await manager.compactSession(id);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const mode = statSync(join(entry.parentPath, entry.name)).mode & 0o777;
    expect([entry.name, mode.toString(8)]).toEqual([entry.name, entry.isDirectory() ? '700' : '600']);
  }
});

test('a list of sessions that was lost is mended session by session', async () => {
  const root = temporaryRoot();
  await using manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('ada', { session_id: 's' });
  await manager.close();
  rmSync(join(root, 'users', 'ada'), { recursive: true });
  await using again = new MemoryManager({ storageRoot: root });
  await again.rebuildIndex('s');
  expect((await again.listSessions('ada')).map(({ id }) => id)).toEqual(['s']);
});

test('a manager that is closed refuses everything, and closing twice is fine', async () => {
  const manager = new MemoryManager({ storageRoot: temporaryRoot() });
  const { id } = await manager.createSession('ada');
  await manager.close();
  await manager.close();
  await expect(manager.addMemory(id, finding)).rejects.toMatchObject({
    name: 'IOError',
    code: 'STORE_CLOSED',
  });
  await expect(manager.getMemory(id, 'a')).rejects.toMatchObject({ code: 'STORE_CLOSED' });
  const unopened = new MemoryManager({ storageRoot: temporaryRoot() });
  await unopened.close();
  await expect(unopened.listSessions()).rejects.toMatchObject({ code: 'STORE_CLOSED' });
});
