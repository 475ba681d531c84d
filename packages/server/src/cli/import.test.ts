import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, runJson } from '../../test/run-cli.ts';
import { managerOf, putConfig, SUPPORTS } from '../../test/store-place.ts';

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

async function sessionsIn(storageRoot = root): Promise<readonly string[]> {
  if (SUPPORTS.folder && !existsSync(storageRoot)) return [];
  await using manager = await managerOf(storageRoot);
  return (await manager.listSessions()).map(({ id }) => id).sort();
}

interface Counts {
  readonly memories: number;
  readonly skipped_deleted: number;
  readonly already_there: { readonly memories: number };
}

it('brings back what was replaced, confirmed and corrected as it was', async () => {
  const old = await runJson<{ id: string; session_id: string }>('remember', 'I live in Hamburg', ...store);
  await runCli('remember', 'I live in Hamburg', '--tag', 'home', ...store);
  await runCli('edit', old.id, 'I live in Bremen', ...store);
  await runCli('remember', 'I live in Lisbon now', '--replaces', old.id, ...store);
  const file = join(folder, 'everything.jsonl');
  await runCli('export', '--output', file, ...store);
  const elsewhere = ['--storage-root', join(folder, 'other')];
  expect(await runJson('import', file, ...elsewhere)).toMatchObject({ memories: 2 });
  for (const question of [[], ['--include-replaced']]) {
    const [here, there] = await Promise.all(
      [store, elsewhere].map((at) =>
        runJson<{ memories: readonly object[] }>('recall', 'Where do I live?', ...question, ...at),
      ),
    );
    const plain = ({ memories }: { memories: readonly object[] }): unknown =>
      memories.map((memory) => ({ ...memory, relevance: 0 }));
    expect(plain(there!)).toEqual(plain(here!));
  }
});

/** An export without when it was made; `expired` follows the clock. */
async function exportedLines(at: readonly string[], name: string): Promise<readonly object[]> {
  const file = join(folder, name);
  await runCli('export', '--output', file, ...at);
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  return lines.map((line) => ({ ...(JSON.parse(line) as object), exported_at: '' }));
}

it('brings back journal and core as they were, once, and gives the same export again', async () => {
  const elsewhere = ['--storage-root', join(folder, 'other')];
  const manager = await managerOf(root);
  await manager.createSession('me', { session_id: 'chat' });
  const { agents, journal } = await manager.layers();
  await agents.create({ name: 'scout' });
  const provenance = { session_id: 'chat', message_id: 'm1', user_id: 'me' };
  const { id } = await journal.save('scout', 'core', 'Likes otters', { provenance, shareMemory: true });
  await journal.edit('scout', id, 'Likes sea otters');
  const untrusted = { ...provenance, author: 'tool', trust: 'untrusted' } as const;
  const timestamp = '2026-01-02T03:04:05.000Z';
  const { id: read } = await journal.save('scout', 'journal', 'Read a page', {
    provenance: untrusted,
    timestamp,
  });
  await journal.pin('scout', read, true);
  await journal.save('scout', 'core', 'Of the agent itself');
  await manager.close();
  const first = await exportedLines(store, 'first.jsonl');
  expect(first.filter((line) => 'memory_type' in line)).toHaveLength(2);
  const file = join(folder, 'first.jsonl');
  expect(await runJson('import', file, '--dry-run', ...elsewhere)).toMatchObject({ agent_memories: 2 });
  expect(await runJson('import', file, ...elsewhere)).toMatchObject({ agent_memories: 2, passed_over: 0 });
  expect(await exportedLines(elsewhere, 'second.jsonl')).toEqual(first);
  for (const rehearsal of [['--dry-run'], []])
    expect(await runJson('import', file, ...rehearsal, ...elsewhere)).toMatchObject({
      agent_memories: 0,
      already_there: { agent_memories: 2 },
    });
  expect((await runCli('journal', 'otters', '--agent', 'scout', ...elsewhere)).stdout).toContain(
    'Likes sea otters',
  );
  const other = await managerOf(join(folder, 'other'));
  const kept = (await other.layers()).journal;
  const prompt = async (userId: string) => JSON.stringify(await kept.forPrompt('scout', Date.now(), userId));
  expect(await prompt('me')).toContain('Read a page');
  expect(await prompt('eve')).toContain('Likes sea otters');
  expect(await prompt('eve')).not.toContain('Read a page');
  await kept.delete('scout', id);
  await other.close();
  expect((await runCli('import', file, ...elsewhere)).stderr).toContain('was deleted');
  expect(await runJson('import', file, '--skip-deleted', ...elsewhere)).toMatchObject({ skipped_deleted: 1 });
});

it.each(['everything', 'session'])('keeps replaced what a deleted memory had replaced: %s', async (what) => {
  const elsewhere = ['--storage-root', join(folder, 'other')];
  const old = await runJson<{ id: string; session_id: string }>('remember', 'I live in Hamburg', ...store);
  const newer = await runJson<{ id: string }>('remember', 'I live in Lisbon', '--replaces', old.id, ...store);
  const manager = await managerOf(root);
  await manager.deleteMemory(old.session_id, newer.id);
  const whole = await manager.exportSession(old.session_id, 'json');
  await manager.close();
  const lines = await exportedLines(store, 'first.jsonl');
  const file = join(folder, what === 'everything' ? 'first.jsonl' : 'session.json');
  if (what === 'session') writeFileSync(file, whole);
  for (const _ of [1, 2]) {
    await runCli('import', file, ...elsewhere);
    const { memories } = await runJson<{ memories: readonly object[] }>('recall', 'Hamburg', ...elsewhere);
    expect(memories).toEqual([]);
  }
  expect(await exportedLines(elsewhere, 'second.jsonl')).toEqual(lines);
});

describe('a file that is larger than a session', () => {
  const small = ['--max-session-size-mb', '0.02'];
  const lines = Array.from({ length: 300 }, (_, i) => ({ id: `mem_${i}`, content: `number ${i} of many` }));

  it('goes on in the next sessions, and twice is once', async () => {
    const file = fileOf(lines);
    const dry = await runJson<Counts>('import', file, '--dry-run', ...small, ...store);
    expect(dry).toMatchObject({ memories: 300 });
    if (SUPPORTS.folder) expect(existsSync(root)).toBe(false);
    expect(await runJson('import', file, ...small, ...store)).toEqual(dry);
    const sessions = await sessionsIn();
    expect(sessions.length).toBeGreaterThan(2);
    const again = { memories: 0, already_there: { memories: 300 } };
    expect(await runJson('import', file, '--dry-run', ...small, ...store)).toMatchObject(again);
    expect(await runJson('import', file, ...small, ...store)).toMatchObject(again);
    expect(await sessionsIn()).toEqual(sessions);
    const { memories } = await runJson<Counts>('stats', ...store);
    expect(memories).toBe(300);
  });

  it('goes on from the session that is named, and what went on notes it', async () => {
    const file = fileOf(lines.slice(0, 150));
    await runJson('import', file, '--session', 'chat', ...small, ...store);
    expect(await sessionsIn()).toEqual(expect.arrayContaining(['chat', 'chat--2']));
    const manager = await managerOf(root);
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
      expect(await sessionsIn()).toEqual([]);
    }
  });

  it('keeps to the limits that the store itself has', async () => {
    const manager = await managerOf(root);
    await manager.createSession('me', { session_id: 'one' });
    await manager.close();
    await putConfig(root, { storage: { max_session_size_mb: 0.02 } });
    const file = fileOf([{ content: 'long '.repeat(5_000) }]);
    expect((await runCli('import', file, '--dry-run', ...store)).exitCode).toBe(2);
    expect(await sessionsIn()).toEqual(['one']);
  });
});

it('knows what was imported on another day', async () => {
  const manager = await managerOf(root);
  await manager.createSession('me', { session_id: 'import-2026-01-02' });
  await manager.addMemory('import-2026-01-02', { type: 'finding', content: 'tea', id: 'mem_tea' });
  await manager.close();
  const file = fileOf([{ id: 'mem_tea', content: 'tea' }]);
  expect(await runJson('import', file, ...store)).toMatchObject({
    memories: 0,
    already_there: { memories: 1 },
  });
  expect(await sessionsIn()).toEqual(['import-2026-01-02']);
});

describe('a rehearsal', () => {
  it('sees which of them the store refuses, and so nothing is imported', async () => {
    const manager = await managerOf(root);
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
      expect(foreign.stderr).toContain('line 2: The session one here belongs to another user.');
    }
    expect(await sessionsIn()).toEqual(['one']);
  });

  it('sees messages, details and notes that are there', async () => {
    const manager = await managerOf(root);
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

describe('a full export', () => {
  it('comes back as it was', async () => {
    const manager = await managerOf(root);
    const memory = manager.as({ account_id: 'local', user_id: 'me' });
    const created_at = '2025-05-01T10:00:00.000Z';
    await memory.createSession({ session_id: 'one', created_at, agents: ['scout'] });
    await memory.createSession({ session_id: 'two', decay_config: { half_life_hours: 9 } });
    await memory.addMemories('one', [
      { type: 'finding', content: 'kept', id: 'mem_1', tags: ['a.b'], timestamp: '2025-05-02T10:00:00.000Z' },
      {
        type: 'decision',
        content: { text: 'weighed', metadata: { a: 1 } },
        id: 'mem_2',
        references: ['mem_1'],
      },
      { type: 'preference', content: 'deleted', id: 'mem_3' },
      { type: 'conversation', content: { role: 'tool', text: 'x' }, provenance: { trust: 'untrusted' } },
    ]);
    await memory.setImportance('one', 'mem_2', 0.9);
    await memory.deleteMemory('one', 'mem_3');
    const answer = { id: 'm2', role: 'assistant', content: 'Hello!', cut_off: 'length' } as const;
    const provenance = { author: 'assistant', trust: 'agent', agent_id: 'scout', message_id: 'm1' } as const;
    await memory.archiveMessages('one', [
      { id: 'm1', role: 'user', content: 'Hello', name: 'Ada', timestamp: '2025-05-02T10:00:00.000Z' },
      Object.assign(answer, { provenance }),
    ]);
    await memory.storeDetail('one', { content: 'a long text\n'.repeat(9), type: 'log', agentId: 'scout' });
    const origins = { created_at, expires_at: '2999-01-01T00:00:00.000Z' };
    const bytes = [new Uint8Array([0, 255, 7])];
    const { memory_key } = await memory.storeDetail('two', { content: bytes, description: 'bytes', origins });
    await (await memory.details()).setActive(memory_key, false);
    const byAgent = await memory.notesOf('scout');
    await byAgent.apply({ operation: 'overwrite', content: '# Tone\nShort.' });
    await byAgent.apply(
      { operation: 'append', content: 'Plain.' },
      { author: { author: 'user', trust: 'owner', source: 'cli' } },
    );
    const byOwner = await memory.notesOf('clerk');
    await byOwner.apply(
      { operation: 'overwrite', content: 'x' },
      { author: { author: 'user', trust: 'owner' } },
    );
    await manager.close();

    const first = await exported(root);
    const file = fileOf(first, 'all.jsonl');
    const there = join(folder, 'there');
    const { stderr } = await runCli('import', file, '--storage-root', there);
    expect(stderr).toBe('');
    const second = await exported(there);
    expect(second.map(comparable)).toEqual(first.map(comparable));
    expect(second.filter(({ kind }) => kind === 'notes')).toMatchObject([
      { agent_id: 'clerk', trust: 'owner', versions: [{ author: { author: 'user', trust: 'owner' } }] },
      { agent_id: 'scout', trust: 'agent', versions: [{ author: { author: 'user', source: 'cli' } }] },
    ]);
    expect((await runCli('import', file, '--storage-root', there)).stdout).toMatch(/^Imported nothing new\./);
    expect((await exported(there)).map(comparable)).toEqual(second.map(comparable));
  });

  const detail = {
    kind: 'detail',
    memory_key: 'log_1',
    session_id: 'one',
    memory_type: 'log',
    summary: 'x',
  };
  const content = { kind: 'detail_content', memory_key: 'log_1', base64: 'b3RoZXI=' };

  it('leaves out a detail whose time has come, and says so', async () => {
    const old = fileOf([{ ...detail, expires_at: '2020-01-01T00:00:00.000Z' }, content]);
    expect((await runCli('import', old, ...store)).stdout).toBe(
      'Imported nothing.\nSkipped: 1 × detail that has expired since.\n',
    );
    expect(await sessionsIn()).toEqual([]);
  });

  it('takes no value that is not whole in the file', async () => {
    const cut = await runCli('import', fileOf([{ ...detail, size_bytes: 9 }, content]), ...store);
    expect(cut.stderr).toContain('line 1: The value of this detail is not whole in the file.');
    const damage = { kind: 'damage', session_id: 'one', memory_key: 'log_1' };
    const damaged = fileOf([{ ...detail, size_bytes: 9 }, content, damage]);
    expect(await runJson('import', damaged, ...store)).toMatchObject({
      details: 0,
      passed_over_kinds: { damage: 1 },
    });
  });

  it('trusts notes of which nothing is said no further than what comes from outside', async () => {
    const file = fileOf([{ kind: 'notes', agent_id: 'scout', text: 'Obey.' }]);
    await runJson('import', file, ...store);
    expect((await exported(root)).find(({ kind }) => kind === 'notes')).toMatchObject({ trust: 'external' });
  });
});

describe('the fields of a memory', () => {
  it.each([
    [{ content: 'x', importanc: 0.9 }, 'A memory has no field "importanc". Did you mean importance?'],
    [{ content: 'x', colour: 'red' }, 'A memory has no field "colour". It has: type, content, id,'],
    [{ kind: 'session', id: 'one', agnts: [] }, 'has no field "agnts". Did you mean agents?'],
    [{ kind: 'message', session_id: 'one', role: 'user', content: 'x', nme: 'A' }, 'Did you mean name?'],
    [{ kind: 'notes', agent_id: 'scout', text: 'x', trst: 'owner' }, 'Did you mean trust?'],
    [{ kind: 'detail', memory_key: 'k', session_id: 'one', is_actve: true }, 'Did you mean is_active?'],
  ])('are refused when they are unknown: %j', async (line, reason) => {
    const file = fileOf([{ content: 'good' }, line]);
    for (const more of [['--dry-run'], []]) {
      const { exitCode, stderr } = await runCli('import', file, ...more, ...store);
      expect([exitCode, stderr]).toEqual([2, expect.stringContaining('some.jsonl, line 2: ')]);
      expect(stderr).toContain(reason);
      expect(stderr).toContain('Nothing was imported.');
    }
    if (SUPPORTS.folder) expect(existsSync(root)).toBe(false);
  });

  it('that others use are put where they mean the same', async () => {
    const created_at = '2020-01-01T00:00:00Z';
    const file = fileOf([
      { id: 'mem_1', content: 'x', metadata: { a: 1 }, user_id: 'me', agent_id: 'bot', created_at },
      { id: 'mem_2', content: { text: 'y' }, type: 'decision', metadata: null, categories: ['food'] },
      { id: 'mem_3', content: 'z', role: 'assistant', timestamp: created_at, created_at, colour: null },
    ]);
    expect((await runCli('import', file, ...store)).stderr).toBe('');
    const timestamp = '2020-01-01T00:00:00.000Z';
    const memories = (await exported(root)).filter(({ kind }) => kind === 'memory');
    expect(memories).toMatchObject([
      { timestamp, type: 'finding', content: { text: 'x', metadata: { a: 1, agent_id: 'bot' } } },
      { type: 'decision', content: { text: 'y', metadata: { categories: ['food'] } } },
      {
        timestamp,
        type: 'conversation',
        content: { role: 'assistant', text: 'z', metadata: { created_at } },
        provenance: { author: 'assistant', trust: 'agent' },
      },
    ]);
    expect(await runJson('import', file, ...store)).toMatchObject({ already_there: { memories: 3 } });
  });

  it('that mean nothing here are named, and so are other users', async () => {
    const file = fileOf([
      { id: 'mem_1', content: 'x', hash: 'abc', user_id: 'alex' },
      { id: 'mem_2', content: { text: 'y', metadata: {} }, type: 'finding', hash: 'def', metadata: { a: 1 } },
      { type: 'entity', name: 'Ada', entityType: 'person', observations: [{ text: 'tea' }], version: 3 },
    ]);
    const { stderr } = await runCli('import', file, ...store);
    expect(stderr).toContain('left out: hash (2 times), metadata (1 time), version (1 time).');
    expect(stderr).toContain('1 piece of the user alex in the file: import keeps everything for me.');
    expect(await runJson('import', file, '--dry-run', ...store)).toMatchObject({
      left_out_fields: { hash: 2, metadata: 1, version: 1 },
      of_other_users: { alex: 1 },
    });
    const texts = (await exported(root)).map(({ content }) => (content as { text?: string })?.text);
    expect(texts).toContain('Ada (person)\n{"text":"tea"}');
  });

  it('are those that mem0 has, in what it answers with', async () => {
    const results = [
      {
        id: '892db2ae-06d9-49e5-8b3e-585ef9b85b8e',
        memory: 'Likes green tea',
        hash: '73ad89f2',
        metadata: null,
        score: 0.31,
        created_at: '2024-07-20T01:30:36.275141-07:00',
        updated_at: null,
        user_id: 'me',
      },
      { id: '3c90c3cc-0d44-4b50-8888-8dd25736052a', memory: 'Lives in Rome', categories: ['home'] },
    ];
    const file = join(folder, 'mem0.json');
    const forms = [{ results, relations: null }, { results }, results];
    for (const [i, form] of forms.entries()) {
      writeFileSync(file, JSON.stringify(form, null, i));
      const taken = i === 0 ? { memories: 2 } : { memories: 0, already_there: { memories: 2 } };
      expect(await runJson('import', file, ...store)).toMatchObject({
        ...taken,
        left_out_fields: { hash: 1, score: 1 },
      });
    }
    const memories = (await exported(root)).filter(({ kind }) => kind === 'memory');
    expect(memories).toMatchObject([
      {
        id: '892db2ae06d949e58b3e585ef9b85b8e',
        timestamp: '2024-07-20T08:30:36.275Z',
        type: 'finding',
        content: { text: 'Likes green tea' },
      },
      { content: { text: 'Lives in Rome', metadata: { categories: ['home'] } } },
    ]);
    const both = fileOf([{ id: 'mem_both', content: 'The content counts', memory: 'before' }]);
    await runJson('import', both, ...store);
    expect((await exported(root)).find(({ id }) => id === 'mem_both')).toMatchObject({
      content: { text: 'The content counts', metadata: { memory: 'before' } },
    });
  });

  it('may stand around a list, and are named when they mean nothing', async () => {
    const file = join(folder, 'list.json');
    writeFileSync(file, JSON.stringify({ memories: [{ content: 'x' }], relations: [] }));
    expect(await runJson('import', file, ...store)).toMatchObject({ left_out_fields: { relations: 1 } });
  });
});

type Line = Readonly<Record<string, unknown>>;

async function exported(storageRoot: string): Promise<Line[]> {
  const { stdout } = await runCli('export', '--storage-root', storageRoot);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** Without what says when it was exported, and without the history of notes, which stays behind. */
function comparable({ exported_at: _when, versions: _versions, ...line }: Line): Line {
  if (line.kind !== 'notes') return line;
  const { version: _version, updated_at: _updated, ...notes } = line;
  return notes;
}
