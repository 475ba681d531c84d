import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemoryManager, type MemoryManagerOptions, MemoryStore } from './index.ts';

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

  test('a new store gets a config.json with the defaults, which it then goes by', async () => {
    const root = temporaryRoot();
    const path = join(root, 'config.json');
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: 's' });
    const written = JSON.parse(readFileSync(path, 'utf8')) as { storage: { max_session_size_mb: number } };
    expect(written).toEqual({
      version: '1.0',
      storage: { max_session_size_mb: 10, compaction_threshold: 0.9, auto_compact: true },
      concurrency: { lock_timeout_ms: 5_000, max_retries: 3, retry_backoff_ms: 100 },
      decay: {
        enabled: true,
        update_interval_minutes: 60,
        type_specific: {
          conversation: { half_life_hours: 168 },
          decision: { half_life_hours: 720 },
          finding: { half_life_hours: 336 },
          preference: { decay_enabled: false },
        },
        min_decay_factor: 0.1,
      },
      performance: { cache_size: 100, batch_write_interval_ms: 1_000, index_in_memory: true },
      integrity: { enable_checksums: true, checksum_algorithm: 'sha256' },
    });
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\n {2}"version": "1\.0",\n/);
    writeConfig(root, { ...written, storage: { ...written.storage, max_session_size_mb: 1 } });
    const edited = readFileSync(path, 'utf8');
    await using again = new MemoryManager({ storageRoot: root });
    expect((await again.getSessionStats('s')).limit_bytes).toBe(1_048_576);
    expect(readFileSync(path, 'utf8')).toBe(edited);
    await using decaying = new MemoryManager({
      storageRoot: root,
      config: { decay: { type_specific: { preference: { half_life_hours: 1 } } } },
    });
    const old = { type: 'preference', content: { text: 'tea' }, timestamp: '2026-01-01' } as const;
    await decaying.addMemory('s', old);
    expect((await decaying.queryMemories('s', { explain: true }))[0]!.explanation?.decay).toBeLessThan(1);
  });

  test('a store that has no config.json, or one without its bytes, is opened as it is', async () => {
    const root = temporaryRoot();
    await using manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('ada', { session_id: 's' });
    await manager.close();
    rmSync(join(root, 'config.json'));
    await using again = new MemoryManager({ storageRoot: root });
    expect((await again.getSessionStats('s')).limit_bytes).toBe(10 * 1_048_576);
    expect(readdirSync(root)).not.toContain('config.json');
    writeConfig(root, '\0\0\0');
    await using third = new MemoryManager({ storageRoot: root });
    expect(await third.listSessions()).toHaveLength(1);
  });

  test('days are those of the time zone: of a query, of the constructor, of config.json, and else of the default', async () => {
    const store = new MemoryStore();
    // On Monday evening in New York, on Tuesday in UTC and in Tokyo.
    const timestamp = '2026-05-19T00:30:00Z';
    const now = '2026-05-20T12:00:00Z';
    const newYork = 'America/New_York';
    const countOn = async (day: string, options: MemoryManagerOptions, timeZone?: string) => {
      const manager = new MemoryManager({ store, ...options });
      const query = { within: day, now, ...(timeZone === undefined ? {} : { timeZone }) };
      return (await manager.queryMemories('s', query)).length;
    };
    const manager = new MemoryManager({ store });
    await manager.createSession('ada', { session_id: 's' });
    await manager.addMemory('s', { ...finding, timestamp });
    expect(await countOn('Monday', {})).toBe(0);
    expect(await countOn('Monday', {}, newYork)).toBe(1);
    expect(await countOn('Monday', { defaultTimeZone: newYork })).toBe(1);
    expect(await countOn('Monday', { config: { time_zone: newYork } })).toBe(1);
    expect(await countOn('Tuesday', { config: { time_zone: newYork } }, 'Asia/Tokyo')).toBe(1);
    await store.writeDocument(undefined, 'config.json', '{"time_zone":"Asia/Tokyo"}');
    expect(await countOn('Tuesday', { defaultTimeZone: newYork })).toBe(1);
    expect(await countOn('Tuesday', { config: { time_zone: newYork } })).toBe(0);
    await expect(countOn('Monday', {}, 'Mars/Olympus')).rejects.toMatchObject({
      code: 'INVALID_QUERY',
      message: expect.stringContaining('"Europe/Berlin"'),
    });
    await expect(countOn('Monday', { defaultTimeZone: 'Mars' })).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  test('days are those of the time zone in contexts and sessions too', async () => {
    await using manager = new MemoryManager({
      store: new MemoryStore(),
      config: { time_zone: 'America/New_York' },
    });
    await manager.createSession('ada', { session_id: 's' });
    const said = {
      ...finding,
      type: 'conversation',
      id: 'mem_1',
      timestamp: '2026-05-19T00:30:00Z',
    } as const;
    await manager.addMemory('s', said);
    const messages = [{ id: 'm', role: 'user', content: 'What happened on Monday?' }] as const;
    const request = { session: 's', user: 'ada', messages, now: '2026-05-20T12:00:00Z' };
    const timeOf = async (more: object): Promise<unknown> => {
      const { manifest } = await manager.assembleContext({ ...request, ...more });
      return manifest.pieces.some(({ section }) => section === 'memories');
    };
    expect(await timeOf({})).toBe(true);
    expect(await timeOf({ timeZone: 'UTC' })).toBe(false);
    await expect(timeOf({ timeZone: 'Mars' })).rejects.toMatchObject({ code: 'INVALID_OPTION' });
    const { now } = request;
    expect(await manager.searchSessions('ada', 'Monday', { now })).toHaveLength(1);
    expect(await manager.searchSessions('ada', 'Monday', { now, timeZone: 'Asia/Tokyo' })).toEqual([]);
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
    // What seed folders say, wherever they lie by now.
    for (const root_directory of ['.', root, './store', 'store', './memory']) {
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
    const half = await manager.addMemory(id, {
      type: 'conversation',
      content: { text: 'x' },
      timestamp: yesterday,
    });
    const more = await manager.addMemory(id, {
      type: 'finding',
      content: { text: 'x' },
      timestamp: yesterday,
    });
    expect((await manager.getMemory(id, half))!.decay_factor).toBeCloseTo(0.5, 3);
    expect((await manager.getMemory(id, more))!.decay_factor).toBeGreaterThan(0.9);
    await expect(new MemoryManager({ store, defaultDecayHalfLife: 0 }).listSessions()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });

  test('the readable files are refreshed automatically after update_interval_minutes', async () => {
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
