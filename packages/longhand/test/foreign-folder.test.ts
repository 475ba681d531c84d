import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MemoryManager } from '../src/index.ts';
import { temporaryFolder } from './campaign.ts';

const SESSION = 'sess_20260110_user123';
const METADATA = {
  session_id: SESSION,
  user_id: 'user123',
  created_at: '2026-01-10T14:00:00.000Z',
  last_accessed: '2026-01-10T14:30:00.000Z',
  total_entries: 3,
  total_size_bytes: 700,
  decay_config: { enabled: true, half_life_hours: 336, min_decay_factor: 0.2 },
  compaction_config: { auto_compact: false, threshold: 0.95 },
  preferences: { language: 'en', verbosity: 'medium', custom: {} },
  statistics: { conversations: 1, decisions: 1, findings: 1, preferences: 0 },
};
const entry = (id: string, type: string, content: object) => ({
  id,
  session_id: SESSION,
  timestamp: '2026-01-10T10:00:00Z',
  type,
  content,
  importance: 0.5,
  decay_factor: 1,
  tags: ['otters'],
  references: [],
});

type Seal = (line: Entry) => object;
type Entry = ReturnType<typeof entry>;

const sha256 = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;
/** A list of names as the second argument leaves out every other field, at all levels. */
const asDescribed = (line: Entry): string => sha256(JSON.stringify(line, Object.keys(line).sort()));
const sorted = (value: unknown): unknown =>
  typeof value !== 'object' || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(
        Object.entries(value)
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([key, inner]) => [key, sorted(inner)]),
      );

const SEALS: Readonly<Record<string, Seal>> = {
  'without checksums': (line) => line,
  'with checksums as described': (line) => ({ ...line, checksum: asDescribed(line) }),
  'with checksums and versions': (line) => {
    const versioned = { schema_version: 1, ...line };
    return { ...versioned, checksum: asDescribed(versioned) };
  },
  'with checksums over another canonical form': (line) => ({
    ...line,
    checksum: sha256(JSON.stringify(sorted(line))),
  }),
  'with sorted fields': (line) => sorted({ ...line, checksum: asDescribed(line) }) as object,
};

/** As the requirement describes it, written by another program: no account, no `seq`, deletions in a list of their own. */
function foreignFolder(seal: Seal): string {
  const root = temporaryFolder();
  const folder = join(root, 'sessions', SESSION);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const lines = [
    entry('mem_001', 'conversation', { role: 'user', message: 'Hello otter' }),
    entry('mem_002', 'decision', { decision: 'Feed the otter' }),
    entry('mem_003', 'finding', { text: 'A deleted otter' }),
  ];
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text, { mode: 0o600 });
  write('metadata.json', JSON.stringify(METADATA));
  write('memory.jsonl', lines.map((line) => `${JSON.stringify(seal(line))}\n`).join(''));
  const gone = { id: 'mem_003', timestamp: '2026-01-10T11:00:00Z', reason: 'asked for' };
  write('tombstones.jsonl', `${JSON.stringify(gone)}\n`);
  write('index.json', JSON.stringify({ version: 1, entries: {}, tags: {}, types: {} }));
  return root;
}

it.each(Object.keys(SEALS))(
  'opens a folder that another program wrote to the requirement, %s',
  async (name) => {
    const storageRoot = foreignFolder(SEALS[name]!);
    const idsOf = (found: readonly { readonly id: string }[]): string[] => found.map(({ id }) => id).sort();
    const settings = {
      user_id: 'user123',
      account_id: 'local',
      created_at: METADATA.created_at,
      preferences: METADATA.preferences,
      decay_config: METADATA.decay_config,
      compaction_config: METADATA.compaction_config,
    };
    const manager = new MemoryManager({ storageRoot });
    const memory = manager.as({ account_id: 'local', user_id: 'user123' });
    expect(idsOf((await memory.search({ text: 'otter' })).memories)).toEqual(['mem_001', 'mem_002']);
    expect(await manager.loadSession(SESSION)).toMatchObject(settings);
    expect(await manager.listSessions('user123')).toMatchObject([settings]);
    expect(await manager.getMemory(SESSION, 'mem_003')).toBeNull();
    const { unverified, corruption } = await manager.getSessionStats(SESSION);
    expect([unverified, corruption.checksum, corruption.schema]).toEqual([2, 0, 0]);
    expect((await manager.verify()).damage).toEqual([]);
    const added = await manager.addMemory(SESSION, { type: 'finding', content: { text: 'A new otter' } });
    await manager.updateSession(SESSION, { agents: ['scout'] });
    await manager.compactSession(SESSION);
    await manager.close();
    const later = new MemoryManager({ storageRoot });
    expect((await later.getSessionStats(SESSION)).unverified).toBe(0);
    expect(await later.loadSession(SESSION)).toMatchObject({ ...settings, agents: ['scout'] });
    expect(idsOf(await later.searchByTopic(SESSION, 'otters'))).toEqual(['mem_001', 'mem_002']);
    expect((await later.queryMemories(SESSION, { text: 'otter' })).map(({ id }) => id)).toContain(added);
    expect(await later.getMemory(SESSION, 'mem_003')).toBeNull();
    await later.close();
  },
);

it('takes the decay of a folder that another program wrote from its metadata, before anything is written', async () => {
  const storageRoot = foreignFolder(Object.values(SEALS)[0]!);
  const metadata = join(storageRoot, 'sessions', SESSION, 'metadata.json');
  writeFileSync(metadata, JSON.stringify({ ...METADATA, decay_config: { enabled: false } }));
  await using manager = new MemoryManager({ storageRoot });
  const found = await manager.queryMemories(SESSION, { text: 'otter', explain: true });
  expect(found.map(({ explanation }) => explanation!.decay)).toEqual(found.map(() => 1));
  expect(found).toHaveLength(2);
});
