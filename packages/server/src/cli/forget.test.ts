import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import type { MemoryManager } from 'longhand';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCli, runJson } from '../../test/run-cli.ts';
import { managerOf, SUPPORTS } from '../../test/store-place.ts';
import { main } from './main.ts';

/** What a person asks to be forgotten is in no file afterwards, and what is said of it is so. */
const WORD = 'xyzzyword';
const SESSION = 'diary';

let folder: string;
let root: string;
let store: readonly string[];
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-forget-'));
  root = join(folder, 'store');
  store = ['--storage-root', root];
  await runCli('add', `the ${WORD}`, '--id', 'mem_secret', '--tag', 'secret', '-s', SESSION, ...store);
  await runCli('add', 'harmless', '--id', 'mem_kept', '-s', SESSION, ...store);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('leaves a size that says what is in it', async () => {
  expect((await runCli('stats', ...store)).stdout).not.toContain('deletion');
  const manager = await managerOf(root);
  await manager.deleteMemory(SESSION, 'mem_secret');
  const { deleted_bytes } = await manager.getSessionStats(SESSION);
  await manager.close();
  expect(deleted_bytes).toBeGreaterThan(100);
  const said = `of which longhand compact frees ${deleted_bytes} bytes, with the records of 1 deletion\n`;
  expect((await runCli('stats', SESSION, ...store)).stdout).toContain(said);
  expect(await runJson('stats', ...store)).toMatchObject({ memories: 1, deleted: 1, deleted_bytes });
  await runCli('compact', ...store);
  await runCli('forget', 'mem_kept', '--yes', ...store);
  const { stdout } = await runCli('stats', ...store);
  expect(stdout).toMatch(/memories +0 \([\d.]+ \w+, with the records of 2 deletions\)/);
});

it('breaks no word on a narrow terminal', async () => {
  const [stdout, stderr] = [0, 1].map(() => Object.assign(new PassThrough(), { isTTY: true, columns: 40 }));
  const read = Promise.all([text(stdout!), text(stderr!)]);
  vi.stubEnv('HOME', folder);
  for (const line of [
    ['--help'],
    ['forget', '--text', 'harmless', '--yes', ...store],
    ['connect', 'cursor', '--dry-run', ...store],
    ['forgte'],
  ])
    await main(line, { streams: { stdout, stderr } as never });
  vi.unstubAllEnvs();
  stdout!.end();
  stderr!.end();
  const lines = (await read).map(stripVTControlCharacters).flatMap((shown) => shown.split('\n'));
  expect(lines).toContain('+   "mcpServers": {');
  expect(lines.filter((line) => line.length > 40 && /\S.*\s/.test(line.trim()))).toEqual([]);
});

it('offers to forget by text where words were given in place of an id', async () => {
  for (const yes of [[], ['--yes']]) {
    const one = await runCli('forget', WORD, ...yes, ...store);
    expect([one.exitCode, one.stderr]).toEqual([3, expect.stringContaining(`forget --text ${WORD} takes`)]);
  }
  expect((await runCli('forget', 'the', WORD, ...store)).stderr).toContain(`--text "the ${WORD}" takes`);
  expect((await runCli('forget', 'mem_typo', ...store)).stderr).not.toContain('--text');
});

it('names a typo before what is missing, and the option that is meant by another word', async () => {
  expect((await runCli('forget', '--from', 'yesterdai', ...store)).stderr).toContain('"yesterdai"');
  expect((await runCli('forget', '--from', 'yesterday', ...store)).stderr).toContain('--from needs --to');
  expect((await runCli('forget', '--preview', ...store)).stderr).toContain('Did you mean --dry-run?');
});

it('forgets by text, and shows the texts first', async () => {
  const preview = await runCli('forget', '--text', WORD.toUpperCase(), '--dry-run', ...store);
  expect(preview.stdout).toBe(`  memory  the ${WORD}\nWould forget 1 memory.\n`);
  const { items } = await runJson<{ items: object[] }>('forget', '--text', WORD, '--dry-run', ...store);
  expect(items).toMatchObject([
    { kind: 'memory', id: 'mem_secret', text: `the ${WORD}`, reason: 'asked for' },
  ]);
  expect(await runCli('forget', '--text', 'no such words', '--yes', ...store)).toMatchObject({ exitCode: 3 });
  expect((await runCli('forget', 'mem_kept', '--text', WORD, '--yes', ...store)).stderr).toContain(
    'in one way',
  );
  expect(await runCli('forget', '--text', WORD, '--yes', ...store)).toMatchObject({ exitCode: 0 });
  expect(filesWithWord()).toEqual([]);
  expect(await runCli('show', 'mem_kept', ...store)).toMatchObject({ exitCode: 0 });
});

const logPath = (): string => join(root, 'sessions', SESSION, 'memory.jsonl');

function filesWithWord(): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => readFileSync(path).includes(WORD));
}

/** By hand, with the checksum that it had. */
function edit(from: string, into: string): void {
  writeFileSync(logPath(), readFileSync(logPath(), 'utf8').replace(from, into));
}

async function withManager(work: (manager: MemoryManager) => Promise<unknown>): Promise<void> {
  const manager = await managerOf(root);
  await work(manager);
  await manager.close();
}

const BY_TIME = ['--from', '2020-01-01', '--to', '2020-01-02'];

describe('forgetting', () => {
  it('takes what was deleted and not compacted, by its topic', async () => {
    await withManager((manager) => manager.deleteMemory(SESSION, 'mem_secret'));
    expect((await runCli('forget', '--topic', 'secret', '--dry-run', ...store)).stdout).toContain(
      'Would forget 1 memory.',
    );
    const run = await runCli('forget', '--topic', 'secret', '--yes', ...store);
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining('Forgot 1 memory.')]);
    expect(filesWithWord()).toEqual([]);
  });

  it.runIf(SUPPORTS.folder)('takes a damaged line that was set aside, by its id', async () => {
    edit(`the ${WORD}`, `the ${WORD}s`);
    await runCli('compact', ...store);
    expect(filesWithWord()).toEqual([expect.stringContaining('corrupt')]);
    expect(await runJson('forget', 'mem_secret', '--yes', ...store)).toMatchObject({
      pieces: { memories: 1 },
    });
    expect(filesWithWord()).toEqual([]);
  });

  for (const [by, selection] of Object.entries({ topic: ['--topic', 'another'], time: BY_TIME })) {
    it.runIf(SUPPORTS.folder)(
      `takes a damaged line along by ${by}, and says so before and after`,
      async () => {
        edit(`the ${WORD}`, `the ${WORD}s`);
        const preview = await runCli('forget', ...selection, '--dry-run', ...store);
        expect(preview.stdout).toContain('Would forget 1 line that cannot be read');
        const run = await runCli('forget', ...selection, '--yes', ...store);
        expect([run.exitCode, run.stdout]).toEqual([
          0,
          expect.stringContaining('Forgot 1 line that cannot be read.'),
        ]);
        expect(filesWithWord()).toEqual([]);
        expect((await runCli('show', 'mem_kept', ...store)).exitCode).toBe(0);
      },
    );
  }

  it('takes days in words, as wholes where the person lives, and says which time that is', async () => {
    await withManager(async (manager) => {
      const at = (id: string, timestamp: string) =>
        manager.addMemory(SESSION, { id: `mem_${id}`, type: 'finding', content: id, timestamp });
      await at('first', '2026-05-13T22:00:00Z');
      await at('last', '2026-05-14T21:59:00Z');
      await at('after', '2026-05-14T22:00:00Z');
    });
    const berlin = ['--time-zone', 'Europe/Berlin', ...store];
    for (const day of ['2026-05-14', '14 May 2026']) {
      const preview = await runCli('forget', '--from', day, '--to', day, '--dry-run', ...berlin);
      expect(preview.stdout).toBe(
        '  memory  first\n  memory  last\nWould forget 2 memories (from 2026-05-14 00:00:00 UTC+2 to 2026-05-14 23:59:59 UTC+2).\n',
      );
    }
    const none = await runCli('forget', '--from', 'yesterday', '--to', 'yesterday', '--dry-run', ...berlin);
    expect(none.stdout).toMatch(
      /^Nothing would be forgotten \(from \S+ 00:00:00 UTC\+\d to \S+ 23:59:59 UTC\+\d\)\.\n$/,
    );
    const today = ['--from', 'yesterday', '--to', 'today'];
    expect(await runJson('forget', ...today, '--yes', ...berlin)).toMatchObject({ pieces: { memories: 2 } });
    expect(filesWithWord()).toEqual([]);
    expect((await runCli('show', 'mem_after', ...store)).exitCode).toBe(0);
  });

  it.runIf(SUPPORTS.folder)(
    'finishes what was cut short, though there is nothing to count any more',
    async () => {
      await runCli('forget', 'mem_secret', '--yes', ...store);
      const path = join(root, 'sessions', SESSION, 'metadata.json');
      // As a process leaves it that was killed between the log and the files derived from it.
      const metadata = JSON.parse(readFileSync(path, 'utf8'));
      writeFileSync(path, JSON.stringify({ ...metadata, last_compaction: null, summary: WORD }));
      const asked = await runCli('forget', 'mem_secret', ...store);
      expect([asked.exitCode, asked.stderr]).toEqual([3, expect.stringContaining('--yes finishes it')]);
      expect(filesWithWord()).toEqual([path]);
      const run = await runCli('forget', 'mem_secret', '--yes', ...store);
      expect([run.exitCode, run.stderr]).toEqual([3, expect.stringContaining('nothing to forget')]);
      expect(filesWithWord()).toEqual([]);
    },
  );

  it('says which ids nothing was found of', async () => {
    const run = await runCli('forget', 'mem_secret', 'mem_typo', 'mem_oops', '--yes', ...store);
    expect(run).toMatchObject({ exitCode: 0, stderr: 'Nothing was found of mem_typo, mem_oops.\n' });
    expect(run.stdout).toContain('Forgot 1 memory.');
    const { not_found } = await runJson<{ not_found: string[] }>(
      ...['forget', 'mem_kept', 'mem_typo', '--yes', ...store],
    );
    expect(not_found).toEqual(['mem_typo']);
    expect((await runCli('forget', 'mem_typo', '--yes', ...store)).exitCode).toBe(3);
  });

  it.runIf(SUPPORTS.folder)('takes a whole session whose owner is unknown', async () => {
    const [, ...others] = readFileSync(logPath(), 'utf8').split('\n');
    writeFileSync(logPath(), others.join('\n'));
    rmSync(join(root, 'sessions', SESSION, 'metadata.json'), { force: true });
    await runCli('add', 'elsewhere', '-s', 'other', ...store);
    const counted = 'memories, not counting what cannot be read in 1 session';
    const all = await runCli('forget', '--everything', '--dry-run', ...store);
    expect(all.stdout).toContain(`2 sessions, 3 ${counted}`);
    const run = await runCli('forget', '-s', SESSION, '--everything', '--yes', ...store);
    expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining(`1 session, 2 ${counted}`)]);
    expect(filesWithWord()).toEqual([]);
    expect(readdirSync(join(root, 'sessions'))).toEqual(['other']);
  });

  it.runIf(SUPPORTS.folder)(
    'forgets again what a backup has brought back, by receipts kept apart',
    async () => {
      const [backup, ledger, answer] = ['backup', 'local.jsonl', 'answer.json'].map((name) =>
        join(folder, name),
      );
      cpSync(root, backup!, { recursive: true });
      const receipt = await runJson<object>('forget', 'mem_secret', '--yes', ...store);
      await runCli('forget', '-s', SESSION, '--topic', 'none', '--yes', ...store);
      cpSync(join(root, 'privacy', 'local.jsonl'), ledger!);
      writeFileSync(answer!, JSON.stringify({ receipts: [receipt] }));
      for (const file of [ledger!, answer!]) {
        rmSync(root, { recursive: true });
        cpSync(backup!, root, { recursive: true });
        expect(filesWithWord()).not.toEqual([]);
        const run = await runCli('forget', '--replay', file, '--yes', ...store);
        expect([run.exitCode, run.stdout]).toEqual([0, expect.stringContaining('Forgot 1 memory. Receipt')]);
        expect(filesWithWord()).toEqual([]);
        expect((await runCli('show', 'mem_kept', ...store)).exitCode).toBe(0);
      }
      const again = await runJson('forget', '--replay', ledger!, '--yes', ...store);
      expect(again).toEqual({ replayed: 1, receipts: [] });
    },
  );

  it('refuses to replay what is no receipt, or only some of it', async () => {
    const file = join(folder, 'receipts.jsonl');
    writeFileSync(file, '{"record":"gone"}\nnonsense\n');
    const run = await runCli('forget', '--replay', file, '--yes', ...store);
    expect([run.exitCode, run.stderr]).toEqual([2, expect.stringContaining('Entry 2 of')]);
    for (const other of [['mem_kept'], ['--user', 'ada'], ['--everything'], ['--dry-run']]) {
      const some = await runCli('forget', '--replay', file, ...other, '--yes', ...store);
      expect([some.exitCode, some.stderr]).toEqual([2, expect.stringContaining('only with --yes')]);
    }
    expect((await runCli('forget', '--replay', file, ...store)).exitCode).toBe(2);
    expect((await runCli('show', 'mem_secret', ...store)).exitCode).toBe(0);
  });
});
