import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryManagerOptions } from './manager-options.ts';
import { MemoryManager } from './memory-manager.ts';
import { FileStore } from './stores/file/file-store.ts';
import { createNodeFileSystem, type FileSystem } from './stores/file/file-system.ts';
import { loadKernelLocks } from './stores/file/kernel-locks.ts';
import { systemError } from './testing/index.ts';

/** Folders that people, backups and later versions have been at. */

let folder: string;
let root: string;
const open: MemoryManager[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-strange-'));
  root = join(folder, 'store');
});
afterEach(async () => {
  for (const memory of open.splice(0)) await memory.close();
  rmSync(folder, { recursive: true, force: true });
});

function openMemory(options: MemoryManagerOptions = {}): MemoryManager {
  const memory = new MemoryManager(options.store === undefined ? { storageRoot: root, ...options } : options);
  open.push(memory);
  return memory;
}

async function withSession(id: string, ...ids: string[]): Promise<void> {
  const memory = openMemory();
  await memory.createSession('ada', { session_id: id });
  for (const each of ids) await memory.addMemory(id, { id: each, type: 'finding', content: { text: each } });
  await memory.close();
}

const logOf = (sessionId: string): string => join(root, 'sessions', sessionId, 'memory.jsonl');

describe('a session that cannot be read', () => {
  const spoil: Record<string, () => void> = {
    SCHEMA_TOO_NEW: () => {
      cpSync(join(root, 'sessions/good'), join(root, 'sessions/bad'), { recursive: true });
      const record = { schema_version: 2, record: 'session', timestamp: '2026-01-01T00:00:00.000Z' };
      appendFileSync(logOf('bad'), `${JSON.stringify(record)}\n`);
    },
    UNSAFE_PATH: () => {
      cpSync(join(root, 'sessions/good'), join(folder, 'elsewhere'), { recursive: true });
      symlinkSync(join(folder, 'elsewhere'), join(root, 'sessions/bad'));
    },
  };
  for (const [code, make] of Object.entries(spoil)) {
    it(`keeps no reader from the others: ${code}`, async () => {
      await withSession('good', 'mem_a');
      make();
      const told: unknown[] = [];
      const memory = openMemory({ onEvent: (event) => void told.push(event) });
      expect((await memory.listSessions()).map(({ id }) => id)).toEqual(['good']);
      expect((await memory.listSessions('ada')).map(({ id }) => id)).toEqual(['good']);
      expect((await memory.metrics()).gauges).toMatchObject({ 'memory.entries.total': 1 });
      expect((await memory.verify()).sessions).toBe(2);
      const found = await memory.queryMemories('good', { text: 'mem_a', scope: 'user' });
      expect(found.map(({ id }) => id)).toEqual(['mem_a']);
      await expect(memory.loadSession('bad')).rejects.toMatchObject({ code });
      expect(told.filter((event) => (event as { kind: string }).kind === 'session-unreadable')).toMatchObject(
        [{ session_id: 'bad', code, level: 'ERROR' }],
      );
    });
  }

  it('keeps no reader from the others: ACCESS_DENIED', async () => {
    await withSession('good', 'mem_a');
    await withSession('bad', 'mem_b');
    const system = createNodeFileSystem(loadKernelLocks().locks);
    // As the system answers a user other than root.
    const open: typeof system.open = (path, flags, mode) => {
      if (path === logOf('bad')) throw systemError('EACCES', 'open');
      return system.open(path, flags, mode);
    };
    const store = new FileStore({ root, fileSystem: { ...system, open } });
    const told: unknown[] = [];
    const memory = openMemory({ store, onEvent: (event) => void told.push(event) });
    for (const user of [undefined, 'ada'])
      expect((await memory.listSessions(user)).map(({ id }) => id)).toEqual(['good']);
    expect((await memory.metrics()).gauges).toMatchObject({ 'memory.entries.total': 1 });
    expect(await memory.searchSessions('ada', 'mem_a')).toMatchObject([{ session_id: 'good' }]);
    const found = await memory.queryMemories('good', { text: 'mem_a', scope: 'user' });
    expect(found.map(({ id }) => id)).toEqual(['mem_a']);
    await expect(memory.loadSession('bad')).rejects.toMatchObject({ code: 'ACCESS_DENIED' });
    expect(told).toContainEqual(
      expect.objectContaining({ kind: 'session-unreadable', session_id: 'bad', code: 'ACCESS_DENIED' }),
    );
  });

  it('can be deleted when it is of a later schema', async () => {
    await withSession('good', 'mem_a');
    spoil.SCHEMA_TOO_NEW!();
    const memory = openMemory();
    expect(await memory.deleteSession('bad')).toBe(true);
    expect(existsSync(logOf('bad'))).toBe(false);
  });
});

describe('a copied session folder', () => {
  it('is a session of its own, under the name of the folder', async () => {
    await withSession('good', 'mem_a');
    cpSync(join(root, 'sessions/good'), join(root, 'sessions/good2'), { recursive: true });
    const memory = openMemory();
    expect((await memory.listSessions()).map(({ id }) => id)).toEqual(['good', 'good2']);
    expect((await memory.loadSession('good2')).id).toBe('good2');
    await memory.addMemory('good2', { id: 'mem_b', type: 'finding', content: { text: 'only here' } });
    expect(await memory.getMemory('good2', 'mem_a')).toMatchObject({ session_id: 'good2' });
    expect(await memory.getMemory('good', 'mem_b')).toBeNull();
    const found = await memory.queryMemories('good2', {});
    expect(found.map(({ id, session_id }) => [id, session_id])).toEqual([
      ['mem_b', 'good2'],
      ['mem_a', 'good2'],
    ]);
    await memory.compactSession('good2');
    expect((await memory.loadSession('good2')).id).toBe('good2');
  });

  it('is left out of lists under a name that is not an id, and reported', async () => {
    await withSession('good', 'mem_a');
    cpSync(join(root, 'sessions/good'), join(root, 'sessions/good copy'), { recursive: true });
    const told: string[] = [];
    const memory = openMemory({ onEvent: ({ kind }) => void told.push(kind) });
    expect((await memory.listSessions()).map(({ id }) => id)).toEqual(['good']);
    expect((await memory.metrics()).gauges).toMatchObject({ 'memory.entries.total': 1 });
    expect(told).toContain('session-unreadable');
  });
});

describe('a hand-edited log', () => {
  it('keeps lines of an unknown kind aside, and reports them', async () => {
    await withSession('good', 'mem_a');
    const strange = [
      '{"record":"bookmark","timestamp":"2026-01-01T00:00:00Z","text":"precious"}',
      '{"record":"importance","timestamp":"2026-01-01T00:00:00Z","id":"mem_a","importance":"high"}',
      '{"record":"access","timestamp":"2026-01-01T00:00:00Z"}',
      '{"record":"toString","timestamp":"2026-01-01T00:00:00Z"}',
    ];
    appendFileSync(logOf('good'), `${strange.join('\n')}\n`);
    const memory = openMemory();
    expect((await memory.getSessionStats('good')).corruption.schema).toBe(strange.length);
    expect((await memory.queryMemories('good', { text: 'mem_a' })).length).toBe(1);
    expect(await memory.compactSession('good')).toMatchObject({ quarantined: strange.length });
    const aside = join(root, 'sessions/good/corrupt');
    const kept = readdirSync(aside).map((name) => readFileSync(join(aside, name), 'utf8'));
    for (const line of strange) expect(kept.some((text) => text.includes(line))).toBe(true);
  });

  it('does not bring back what was deleted when the newline before the deletion is damaged', async () => {
    await withSession('good', 'mem_a', 'mem_b');
    const first = openMemory();
    await first.deleteMemory('good', 'mem_a');
    await first.close();
    const bytes = readFileSync(logOf('good'));
    const newline = bytes.indexOf(0x0a, bytes.indexOf('"id":"mem_b"'));
    bytes[newline]! ^= 1;
    writeFileSync(logOf('good'), bytes);
    const memory = openMemory();
    // The second reading asks a view, the first one the bytes.
    expect(await memory.getMemory('good', 'mem_a')).toBeNull();
    expect(await memory.getMemory('good', 'mem_a')).toBeNull();
    const again = { id: 'mem_a', type: 'finding', content: { text: 'other' } } as const;
    await expect(memory.addMemory('good', again)).rejects.toMatchObject({ code: 'ID_DELETED' });
    const over = { id: 'mem_b', type: 'finding', content: { text: 'other' } } as const;
    await expect(memory.addMemory('good', over)).rejects.toMatchObject({ code: 'ID_TAKEN' });
  });
});

describe('a compaction that was cut off after it had written the log', () => {
  it('leaves to the next one what it owed: a deleted text goes from the search index too', async () => {
    const indexLimits = { sealAtDocuments: 4, sealWhenBuilding: 4 };
    const files = (): string[] =>
      readdirSync(root, { recursive: true, withFileTypes: true })
        .filter(
          (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes('quokka'),
        )
        .map(({ name }) => name);
    const first = openMemory({ indexLimits });
    await first.createSession('ada', { session_id: 's' });
    for (const id of ['mem_a', 'mem_b', 'mem_c', 'mem_d', 'mem_e']) {
      await first.addMemory('s', { id, type: 'finding', content: { text: `quokka ${id}` } });
    }
    await first.queryMemories('s', { text: 'quokka' });
    await first.close();
    expect(files().some((name) => name.endsWith('.segment'))).toBe(true);

    const real = createNodeFileSystem(loadKernelLocks().locks);
    const cutOff: FileSystem = {
      ...real,
      rename: (from, to) => {
        real.rename(from, to);
        if (to.endsWith('memory.jsonl')) throw new Error('the process is gone');
      },
    };
    const second = openMemory({ store: new FileStore({ root, fileSystem: cutOff }) });
    for (const id of ['mem_a', 'mem_b', 'mem_c', 'mem_d', 'mem_e']) await second.deleteMemory('s', id);
    await expect(second.compactSession('s')).rejects.toThrow();

    const third = openMemory({ indexLimits });
    await third.compactSession('s');
    expect(files()).toEqual([]);
  });
});

describe('a link in the place of a user folder', () => {
  for (const target of ['nowhere', '.']) {
    it(`is not followed, and named as what it is: to ${target}`, async () => {
      await withSession('good', 'mem_a');
      rmSync(join(root, 'users/ada'), { recursive: true });
      symlinkSync(join(folder, target), join(root, 'users/ada'));
      const memory = openMemory();
      await memory.deleteMemory('good', 'mem_a');
      await expect(memory.compactSession('good')).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
      expect(readFileSync(logOf('good'), 'utf8')).not.toContain('"text":"mem_a"');
      await expect(memory.deleteSession('good')).rejects.toMatchObject({ code: 'UNSAFE_PATH' });
      expect(existsSync(join(folder, 'index'))).toBe(false);
    });
  }
});

it('an empty text names no folder', () => {
  for (const storageRoot of ['', ' '])
    expect(() => new MemoryManager({ storageRoot })).toThrow(/storageRoot is empty/);
});
