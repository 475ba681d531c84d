import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MemoryType } from 'longhand';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCli, runJson, spawnCli } from '../../test/run-cli.ts';
import { managerOf } from '../../test/store-place.ts';

/** More than two pages of `--all`, the newest first in `new`, one a minute. */
const COUNT = 2_050;
const MINUTE_MS = 60_000;

let folder: string;
let store: readonly string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-list-'));
  store = ['--storage-root', join(folder, 'store')];
  const now = Date.now();
  const ofNumber = (number: number) => ({
    id: `mem_${number}`,
    type: (number % 10 === 0 ? 'decision' : 'finding') as MemoryType,
    content: `number ${number} of many`,
    timestamp: new Date(now - number * MINUTE_MS).toISOString(),
    tags: number % 5 === 0 ? ['work.release'] : [],
  });
  const manager = await managerOf(store[1]!);
  const memory = manager.as({ account_id: 'local', user_id: 'me' });
  const numbers = Array.from({ length: COUNT }, (_, number) => number);
  for (const [session_id, part] of [
    ['old', numbers.slice(25)],
    ['new', numbers.slice(0, 25)],
  ] as const) {
    await memory.createSession({ session_id });
    await memory.addMemories(session_id, part.map(ofNumber));
  }
  await manager.createSession('ada', { session_id: 'of-ada' });
  await manager.addMemory('of-ada', { type: 'finding', content: 'kept by Ada' });
  await manager.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Listed {
  readonly memories: readonly { readonly id: string }[];
  readonly next_cursor?: string;
}

interface TextsListed {
  readonly memories: readonly { readonly content: { readonly text: string } }[];
}

function ids(first: number, end: number, step = 1): readonly string[] {
  return Array.from({ length: Math.ceil((end - first) / step) }, (_, i) => `mem_${first + i * step}`);
}

async function listed(...options: readonly string[]): Promise<readonly string[]> {
  return (await runJson<Listed>('list', ...options, ...store)).memories.map(({ id }) => id);
}

describe('longhand list', () => {
  it('shows the newest of all sessions in two lines each, and says that there are more', async () => {
    const { exitCode, stdout, stderr } = await runCli('list', ...store);
    expect([exitCode, stderr]).toEqual([0, 'The newest 20 memories; --limit or --all shows more.\n']);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(40);
    expect(lines.slice(2, 4)).toEqual([' 2. number 1 of many', '    finding  mem_1  1 minute ago  new']);
    expect(lines[11]).toBe('    finding  mem_5  5 minutes ago  new  #work.release');
    const few = await runCli('list', '--limit', '1', ...store);
    expect(few.stderr).toBe('The newest 1 memory; --limit or --all shows more.\n');
  });

  it('asks for one of several tags, for none of some, for what matters, and for what was known then', async () => {
    const root = ['--storage-root', join(folder, 'narrowed')];
    const manager = await managerOf(root[1]!);
    const memory = manager.as({ account_id: 'local', user_id: 'me' });
    await memory.createSession({ session_id: 'fleet' });
    const add = (id: string, importance: number, tags: readonly string[], day: string) =>
      memory.addMemory('fleet', {
        id: `mem_${id}`,
        type: 'finding',
        content: `bluefin ${id}`,
        importance,
        tags,
        timestamp: `${day}T12:00:00Z`,
      });
    await add('a', 0.9, ['ship'], '2026-01-10');
    await add('b', 0.5, ['ship', 'incident.fire'], '2026-01-20');
    await add('c', 0.2, ['crew'], '2026-02-10');
    await manager.close();
    const found = async (...options: readonly string[]): Promise<string> => {
      const { memories } = await runJson<Listed>('search', 'bluefin', ...options, ...root);
      expect(await narrowed(...options)).toBe(lettersOf(memories));
      return lettersOf(memories);
    };
    const narrowed = async (...options: readonly string[]): Promise<string> =>
      lettersOf((await runJson<Listed>('list', ...options, ...root)).memories);
    const lettersOf = (memories: Listed['memories']): string =>
      memories
        .map(({ id }) => id.slice(4))
        .sort()
        .join('');
    expect(await found('--tag', 'ship', '--tag', 'incident')).toBe('b');
    expect(await found('--any-tag', 'crew', '--any-tag', 'incident')).toBe('bc');
    expect(await found('--exclude-tag', 'incident')).toBe('ac');
    expect(await found('--tag', 'ship', '--exclude-tag', 'incident')).toBe('a');
    expect(await found('--min-importance', '0.5')).toBe('ab');
    expect(await found('--as-of', '2026-01-20')).toBe('ab');
    expect(await found('--as-of', '2026-01-20T11:00:00.5Z')).toBe('a');
    expect(await found('--as-of', '24h')).toBe('abc');
    const both = await runCli('search', 'bluefin', '--tag', 'a', '--any-tag', 'b', ...root);
    expect([both.exitCode, both.stderr]).toEqual([2, expect.stringContaining('give one of the two')]);
    const wrong = await runCli('search', 'bluefin', '--as-of', 'soonish', ...root);
    expect([wrong.exitCode, wrong.stderr]).toEqual([
      2,
      expect.stringContaining('--as-of "soonish": The time'),
    ]);
  });

  it('has the tags that a line has no room for below it, in whole words', async () => {
    const root = ['--storage-root', join(folder, 'tagged')];
    const id = 'mem_01M7HZGWF44X7J7G9MPRSJ4XW1';
    const tags = ['ops.deploy', 'work.release', 'people.ada', 'city.rome', 'food.pasta', 'year.two'];
    await runCli('add', 'x', '--id', id, '-s', 'chat', ...tags.flatMap((tag) => ['--tag', tag]), ...root);
    expect((await runCli('list', ...root)).stdout.split('\n').slice(1)).toEqual([
      `    finding  ${id}  just now  chat`,
      '    #ops.deploy #work.release #people.ada #city.rome #food.pasta #year.two',
      '',
    ]);
    for (const command of [['list'], ['search', 'x']])
      for (const line of (await runCli(...command, ...root)).stdout.split('\n'))
        expect(line.length).toBeLessThanOrEqual(80);
  });

  it('is narrowed by session, type, tag and time', async () => {
    expect(await listed()).toEqual(ids(0, 20));
    expect(await listed('--limit', '30')).toEqual(ids(0, 30));
    expect(await listed('--session', 'new', '--limit', '100')).toEqual(ids(0, 25));
    expect(await listed('--session', 'old', '-l', '3')).toEqual(ids(25, 28));
    expect(await listed('--type', 'decision', '-l', '3')).toEqual(ids(0, 30, 10));
    expect(await listed('--tag', 'work', '-l', '3')).toEqual(ids(0, 15, 5));
    expect(await listed('--within', '9m', '-l', '100')).toEqual(ids(0, 9));
    expect(await listed('--tag', 'none')).toEqual([]);
  });

  it('says nothing of more when that was all, and that there is nothing', async () => {
    expect((await runCli('list', '--session', 'new', '-l', '25', ...store)).stderr).toBe('');
    expect(await runCli('list', '--tag', 'none', ...store)).toMatchObject({
      exitCode: 0,
      stdout: '',
      stderr: 'Nothing found.\n',
    });
    const empty = join(folder, 'empty');
    mkdirSync(join(empty, 'sessions'), { recursive: true });
    expect((await runCli('list', '--storage-root', empty)).stderr).toBe('There are no memories yet.\n');
  });

  it('takes the words of one’s own that a memory was given for its type', async () => {
    const root = ['--storage-root', join(folder, 'kinds')];
    await runCli('remember', 'run a marathon', '--type', 'goal', '--tag', 'sport', ...root);
    await runCli('remember', 'learn Greek', '--type', 'Goal', ...root);
    await runCli('remember', 'the bridge is closed', '--type', 'warning', ...root);
    await runCli('remember', 'tea', '--type', 'preference', ...root);
    const texts = async (...options: readonly string[]): Promise<readonly unknown[]> =>
      (await runJson<TextsListed>('list', ...options, ...root)).memories.map(({ content }) => content.text);
    expect(await texts('--type', 'goal')).toEqual(['learn Greek', 'run a marathon']);
    expect(await texts('--type', 'goal', '--tag', 'sport')).toEqual(['run a marathon']);
    expect(await texts('--type', 'goal', '--type', 'warning', '--exclude-tag', 'sport')).toEqual([
      'the bridge is closed',
      'learn Greek',
    ]);
    expect(await texts('--type', 'user_preference')).toEqual(['tea']);
    expect((await runCli('recall', 'marathon', '--type', 'goal', ...root)).stdout).toContain(
      'run a marathon',
    );
    const mixed = await runCli('list', '--type', 'goal', '--type', 'decision', ...root);
    expect([mixed.exitCode, mixed.stderr]).toEqual([
      2,
      expect.stringContaining('A type in words of your own is the tag kind.goal'),
    ]);
  });

  it('goes on to the end with --all, each memory once', async () => {
    const { stdout, stderr } = await runCli('list', '--all', ...store);
    expect(stderr).toBe('');
    expect([...stdout.matchAll(/^ +\w+ {2}(mem_\d+) /gm)].map(([, id]) => id)).toEqual(ids(0, COUNT));
    expect(stdout).toContain('\n2050. number 2049 of many\n');
    const some = await runCli('list', '--all', '--type', 'decision', '--session', 'old', ...store);
    expect(some.stdout.match(/^ +decision {2}/gm)).toHaveLength(ids(30, COUNT, 10).length);
  });

  it('is one object with --json, and one memory a line with --all', async () => {
    const page = await runJson<Listed>('list', ...store);
    expect(page.next_cursor).toEqual(expect.any(String));
    expect(await runJson('list', '--session', 'new', '-l', '26', ...store)).not.toHaveProperty('next_cursor');
    const { stdout } = await runCli('list', '--all', '--json', ...store);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string });
    expect(lines.map(({ id }) => id)).toEqual(ids(0, COUNT));
    expect(lines.slice(0, 20)).toEqual(page.memories.map((one) => expect.objectContaining({ id: one.id })));
    const none = await runCli('list', '--all', '--tag', 'none', '--json', ...store);
    expect(none).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('can be taken in again from its lines', async () => {
    const { stdout } = await runCli('list', '--all', '--json', '--session', 'new', ...store);
    const other = ['--storage-root', join(folder, 'other')];
    const { exitCode } = await spawnCli(['import', '-', ...other], { input: stdout });
    expect(exitCode).toBe(0);
    expect(await runJson('stats', ...other)).toMatchObject({ memories: 25 });
  });

  it('keeps to its user', async () => {
    const { memories } = await runJson<Listed>('list', '--user', 'ada', ...store);
    expect(memories).toMatchObject([{ content: { text: 'kept by Ada' } }]);
  });

  it('ends in the middle when it is called off', async () => {
    const stopping = new AbortController();
    stopping.abort();
    const { main } = await import('./main.ts');
    const quiet = { stdout: process.stdout, stderr: process.stderr };
    expect(await main(['list', '--all', ...store], { streams: quiet, signal: stopping.signal })).toBe(130);
  });
});

it('is where show and search send those who look for more', async () => {
  const shown = await runCli('show', 'old', ...store);
  expect(shown.stdout).toContain('mem_44');
  expect(shown.stdout).not.toContain('mem_45');
  expect(shown.stderr).toBe('2,005 more; longhand list --session old --all shows them.\n');
  expect(await runJson('show', 'old', ...store)).toMatchObject({ total_memories: 2_025 });
  expect((await runCli('show', 'of-ada', '--user', 'ada', ...store)).stderr).toBe('');
});

it('need not be asked for with stars: they are no text where others narrow', async () => {
  const narrowed = ['--type', 'decision', '--sort', 'time', '--limit', '3', ...store];
  const { memories } = await runJson<Listed>('search', '*', ...narrowed);
  expect(memories.map(({ id }) => id)).toEqual(ids(0, 30, 10));
});
