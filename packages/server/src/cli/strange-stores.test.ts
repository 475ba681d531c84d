import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, runJson } from '../../test/run-cli.ts';

/** Folders that people have been at. */
let folder: string;
let store: readonly string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-strange-'));
  store = ['--storage-root', join(folder, 'store')];
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')('a folder of other files', () => {
  it.each([['add', 'thing'], ['chat', 'hello'], ['serve'], ['mcp']])(
    'does not become a store, and stays as it is: longhand %s',
    async (...command) => {
      const docs = join(folder, 'docs');
      mkdirSync(docs);
      writeFileSync(join(docs, 'README.md'), 'a file of the user');
      for (const path of [docs, join(docs, 'README.md')]) chmodSync(path, 0o755);
      const { exitCode, stderr } = await runCli(...command, '--storage-root', docs);
      expect({ exitCode, stderr }).toMatchObject({
        exitCode: 5,
        stderr: expect.stringContaining('Name a new or an empty folder.') as string,
      });
      expect(readdirSync(docs)).toEqual(['README.md']);
      expect(statSync(docs).mode & 0o777).toBe(0o755);
    },
  );
});

interface Added {
  readonly id: string;
  readonly session_id: string;
}

const add = (text: string, ...options: readonly string[]): Promise<Added> =>
  runJson<Added>('add', text, ...options, ...store);
const logOf = (sessionId: string): string => join(folder, 'store/sessions', sessionId, 'memory.jsonl');
const withoutFirstLine = (sessionId: string): void => {
  const text = readFileSync(logOf(sessionId), 'utf8');
  writeFileSync(logOf(sessionId), text.slice(text.indexOf('\n') + 1));
};

const SPOILT: Readonly<Record<string, (sessionId: string) => void>> = {
  'whose log is lost': (sessionId) => rmSync(logOf(sessionId)),
  'without its first record': withoutFirstLine,
  'of a later version': (sessionId) => appendFileSync(logOf(sessionId), '{"schema_version":9}\n'),
};

describe.each(Object.entries(SPOILT))('a session of the day %s', (_, spoil) => {
  it('goes on in the next one, and people hear of it', async () => {
    const { session_id } = await add('thing');
    if (spoil === SPOILT['whose log is lost']) await runCli('reindex', ...store);
    spoil(session_id);
    const again = await runCli('add', 'The answer is 42', ...store);
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain(`in ${session_id}--2`);
    expect(again.stderr).toContain(
      `Session ${session_id} cannot be read, and is left out. longhand verify says why, and how to repair it.`,
    );
    expect(await add('more')).toMatchObject({ session_id: `${session_id}--2` });
    const chat = await runCli('chat', 'What is the answer?', ...store);
    expect(chat).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('42') as string });
    for (const command of ['sessions', 'stats', 'export'])
      expect((await runCli(command, ...store)).stderr).toContain(`Session ${session_id} cannot be read`);
    expect(await runJson('stats', ...store)).toMatchObject({ sessions: 1, unreadable_sessions: 1 });
    expect((await runCli('stats', ...store)).stdout).toContain('1 (and 1 that cannot be read)');
    // The one that goes on may be lost as well.
    rmSync(logOf(`${session_id}--2`));
    expect(await add('more')).toMatchObject({ session_id: `${session_id}--3` });
    expect((await runCli('sessions', ...store)).stderr).toContain(
      `2 sessions cannot be read, and are left out: ${session_id}, ${session_id}--2.`,
    );
  });

  it('is named in the export of its user, which can be imported as it is', async () => {
    await add('lost', '--session', 'bad');
    await add('kept', '--session', 'good');
    spoil('bad');
    const { stdout } = await runCli('export', ...store);
    const lines = stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ kind }) => kind === 'damage')).toEqual([
      {
        kind: 'damage',
        session_id: 'bad',
        code: expect.any(String) as string,
        reason: expect.any(String) as string,
      },
    ]);
    const file = join(folder, 'export.jsonl');
    writeFileSync(file, stdout);
    const there = ['--storage-root', join(folder, 'there')];
    expect((await runCli('import', file, ...there)).exitCode).toBe(0);
    expect((await runCli('search', 'kept', ...there)).stdout).toContain('kept');
  });
});

describe('a session without its first record', () => {
  it('can still be exported on its own, as its error says', async () => {
    await add('kept after all', '--session', 'bad');
    withoutFirstLine('bad');
    const shown = await runCli('search', 'kept', '--session', 'bad', ...store);
    expect(shown.exitCode).toBe(1);
    expect(shown.stderr).toContain('longhand export --session still gives them');
    for (const format of ['json', 'jsonl']) {
      const { exitCode, stdout, stderr } = await runCli(
        ...['export', '--session', 'bad', '--format', format],
        ...store,
      );
      expect({ exitCode, stdout }).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('kept after all') as string,
      });
      expect(stderr).toContain('The owner of session bad is unknown');
    }
    const ofBob = await runCli('export', '--session', 'bad', '--user', 'bob', ...store);
    expect({ code: ofBob.exitCode, stdout: ofBob.stdout }).toEqual({ code: 1, stdout: '' });
  });

  it('is exported whole when metadata.json tells whose it is', async () => {
    await add('kept after all', '--session', 'bad');
    await runCli('reindex', ...store);
    withoutFirstLine('bad');
    const { stdout, stderr } = await runCli('export', '--session', 'bad', ...store);
    expect(JSON.parse(stdout)).toMatchObject({ memories: { length: 1 } });
    expect(stderr).toBe('');
  });
});
