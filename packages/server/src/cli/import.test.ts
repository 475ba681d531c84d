import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MemoryManager } from 'longhand';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, runJson } from '../../test/run-cli.ts';

let folder: string;
let root: string;
let store: readonly string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-import-'));
  root = join(folder, 'store');
  store = ['--storage-root', root];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(lines: readonly object[], name = 'some.jsonl'): string {
  const file = join(folder, name);
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

function sessionsIn(storageRoot = root): readonly string[] {
  const sessions = join(storageRoot, 'sessions');
  return existsSync(sessions) ? readdirSync(sessions).sort() : [];
}

interface Counts {
  readonly memories: number;
  readonly skipped_deleted: number;
  readonly already_there: { readonly memories: number };
}

describe('a file that is larger than a session', () => {
  const small = ['--max-session-size-mb', '0.02'];
  const lines = Array.from({ length: 300 }, (_, i) => ({ id: `mem_${i}`, content: `number ${i} of many` }));

  it('goes on in the next sessions, and twice is once', async () => {
    const file = fileOf(lines);
    const dry = await runJson<Counts>('import', file, '--dry-run', ...small, ...store);
    expect(dry).toMatchObject({ memories: 300 });
    expect(existsSync(root)).toBe(false);
    expect(await runJson('import', file, ...small, ...store)).toEqual(dry);
    const sessions = sessionsIn();
    expect(sessions.length).toBeGreaterThan(2);
    const again = { memories: 0, already_there: { memories: 300 } };
    expect(await runJson('import', file, '--dry-run', ...small, ...store)).toMatchObject(again);
    expect(await runJson('import', file, ...small, ...store)).toMatchObject(again);
    expect(sessionsIn()).toEqual(sessions);
    const { memories } = await runJson<Counts>('stats', ...store);
    expect(memories).toBe(300);
  });

  it('goes on from the session that is named, and what went on notes it', async () => {
    const file = fileOf(lines.slice(0, 150));
    await runJson('import', file, '--session', 'chat', ...small, ...store);
    expect(sessionsIn()).toEqual(expect.arrayContaining(['chat', 'chat--2']));
    const manager = new MemoryManager({ storageRoot: root });
    const { memories } = JSON.parse(await manager.exportSession('chat--2', 'json'));
    expect(memories[0].provenance).toMatchObject({ session_id: 'chat' });
    await manager.close();
  });

  it('leaves what was deleted in one of them, and compares with what is there', async () => {
    const file = fileOf(lines);
    await runJson('import', file, ...small, ...store);
    await runCli('forget', 'mem_299', '--yes', ...store);
    for (const more of [['--dry-run'], []]) {
      const { exitCode, stderr } = await runCli('import', file, ...more, ...small, ...store);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining('line 300: Memory mem_299 was deleted'),
      ]);
      expect(await runJson('import', file, '--skip-deleted', ...more, ...small, ...store)).toMatchObject({
        memories: 0,
        already_there: { memories: 299 },
        skipped_deleted: 1,
      });
    }
    const other = fileOf([{ id: 'mem_298', content: 'something else' }]);
    const taken = await runCli('import', other, ...small, ...store);
    expect(taken.stderr).toContain('line 1: The session already holds another memory with the id mem_298.');
  });

  it('is refused before anything is made when it holds what no session has room for', async () => {
    const file = fileOf([{ content: 'short' }, { content: 'long '.repeat(5_000) }]);
    for (const more of [['--dry-run'], []]) {
      const { exitCode, stderr } = await runCli('import', file, ...more, ...small, ...store);
      expect(exitCode).toBe(2);
      expect(stderr).toMatch(/line 2: .* no room .* Nothing was imported\./);
      expect(sessionsIn()).toEqual([]);
    }
  });

  it('keeps to the limits that the store itself has', async () => {
    const manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('me', { session_id: 'one' });
    await manager.close();
    writeFileSync(join(root, 'config.json'), '{"storage":{"max_session_size_mb":0.02}}');
    const file = fileOf([{ content: 'long '.repeat(5_000) }]);
    expect((await runCli('import', file, '--dry-run', ...store)).exitCode).toBe(2);
    expect(sessionsIn()).toEqual(['one']);
  });
});

it('knows what was imported on another day', async () => {
  const manager = new MemoryManager({ storageRoot: root });
  await manager.createSession('me', { session_id: 'import-2026-01-02' });
  await manager.addMemory('import-2026-01-02', { type: 'finding', content: 'tea', id: 'mem_tea' });
  await manager.close();
  const file = fileOf([{ id: 'mem_tea', content: 'tea' }]);
  expect(await runJson('import', file, ...store)).toMatchObject({
    memories: 0,
    already_there: { memories: 1 },
  });
  expect(sessionsIn()).toEqual(['import-2026-01-02']);
});

describe('a rehearsal', () => {
  it('sees which of them the store refuses, and so nothing is imported', async () => {
    const manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('me', { session_id: 'one' });
    await manager.addMemory('one', { type: 'finding', content: 'The first', id: 'mem_1' });
    await manager.close();
    const file = fileOf([
      { content: 'Another', session_id: 'two' },
      { id: 'mem_1', content: 'Not the first', session_id: 'one' },
    ]);
    for (const more of [['--dry-run'], []]) {
      const { exitCode, stderr } = await runCli('import', file, ...more, ...store);
      expect(exitCode).toBe(2);
      expect(stderr).toContain(
        'some.jsonl, line 2: The session already holds another memory with the id mem_1. Nothing was imported.',
      );
      const foreign = await runCli('import', file, '--user', 'ada', ...more, ...store);
      expect(foreign.stderr).toContain('line 2: There is a session one of somebody else here.');
    }
    expect(sessionsIn()).toEqual(['one']);
  });

  it('sees messages, details and notes that are there', async () => {
    const manager = new MemoryManager({ storageRoot: root });
    await manager.createSession('me', { session_id: 'one' });
    const memory = manager.as({ account_id: 'local', user_id: 'me' });
    await memory.archiveMessages('one', [{ id: 'm1', role: 'user', content: 'Hello' }]);
    await memory.storeDetail('one', { content: 'a long text', key: 'log_1' });
    await (await memory.notesOf('scout')).apply({ operation: 'overwrite', content: 'Short.' });
    await manager.close();
    const file = join(folder, 'all.jsonl');
    await runCli('export', '--output', file, ...store);
    const there = { sessions: 1, memories: 0, messages: 1, notes: 1, details: 1 };
    expect(await runJson('import', file, '--dry-run', ...store)).toMatchObject({ already_there: there });
    const other = fileOf([
      { kind: 'detail', memory_key: 'log_1', session_id: 'one', memory_type: 'log', summary: 'x' },
      { kind: 'detail_content', memory_key: 'log_1', base64: 'b3RoZXI=' },
    ]);
    const { exitCode, stderr } = await runCli('import', other, '--dry-run', ...store);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('another detail with the key log_1')]);
  });
});
