import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli, runJson } from '../../test/run-cli.ts';

let folder: string;
let store: readonly string[];
let log: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-verify-'));
  store = ['--storage-root', join(folder, 'store')];
  log = join(folder, 'store/sessions/one/memory.jsonl');
  for (const id of ['mem_1', 'mem_2', 'mem_3'])
    await runJson('add', `The thing ${id}`, '--id', id, '--session', 'one', ...store);
});
afterEach(() => rmSync(folder, { recursive: true }));

const lines = (): string[] => readFileSync(log, 'utf8').split('\n').slice(0, -1);
const write = (texts: readonly string[]): void =>
  writeFileSync(log, texts.map((text) => `${text}\n`).join(''));

describe('longhand verify', () => {
  it('reports a session whose owner is unknown, and how to repair it', async () => {
    write(lines().slice(1));
    const { exitCode, stdout } = await runCli('verify', ...store);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('owner: the owner of the session is unknown; all of it is left out');
    expect(stdout).toContain('"session_id":"one"');
    expect(stdout).toContain('"user_id":"me"');
  });

  it('says that a line of a later version leaves the whole session out, and not that the rest is in use', async () => {
    write([...lines(), '{"schema_version":9,"text":"x"}', 'a note']);
    const { exitCode, stdout, stderr } = await runCli('verify', ...store);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('version: the line is of another version; all of this file is left out');
    expect(stderr).toContain('everything in other files is in use');
  });

  it('reports lines that are gone', async () => {
    await runCli('reindex', ...store);
    write(lines().slice(0, 2));
    const { exitCode, stdout, stderr } = await runCli('verify', ...store);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('index.json names 2 memories that the log does not hold: mem_2, mem_3.');
    expect(stderr).toContain('can only come from a backup');
    expect(stderr).not.toContain('Damaged lines');
    await runCli('reindex', ...store);
    expect((await runCli('verify', ...store)).exitCode).toBe(0);
  });

  it('checks the receipts of the account that it looks after', async () => {
    const asAcme = ['--account', 'acme', ...store];
    await runJson('add', 'secret', '--id', 'mem_secret', '--session', 'two', ...asAcme);
    await runJson('forget', 'mem_secret', '--yes', ...asAcme);
    const ledger = join(folder, 'store/privacy/acme.jsonl');
    writeFileSync(ledger, readFileSync(ledger, 'utf8').replace('"scope"', '"scape"'));
    expect((await runCli('verify', ...asAcme)).stdout).toMatch(/privacy\/acme\.jsonl:1 .* checksum/);
  });

  it('says how a session whose log is gone for good is no longer reported', async () => {
    rmSync(log);
    expect((await runCli('verify', ...store)).stderr).toContain('remove its folder');
    rmSync(join(log, '..'), { recursive: true });
    expect((await runCli('verify', ...store)).exitCode).toBe(0);
    expect((await runCli('sessions', ...store)).stderr).toBe('There are no sessions yet.\n');
    expect(await runJson('add', 'again', '--session', 'one', ...store)).toMatchObject({ session_id: 'one' });
  });

  it('says of a slip in a line by hand where it is, and advises no checksum that the line never had', async () => {
    appendFileSync(log, '{"type":"finding","content":{"text":"x",}}\n');
    const { stdout, stderr } = await runCli('verify', ...store);
    expect(stdout).toContain('memory.jsonl:5');
    expect(stdout).toContain('It is not valid JSON.');
    expect(stderr).not.toContain('checksum');
    expect(stderr).toContain('Damaged lines are skipped and kept; everything else is in use.');
  });

  it('says of lines that are out of order that they are in use, until a compaction numbers them', async () => {
    const [first, one, two, three] = lines();
    write([first!, two!, one!, three!]);
    const { stdout, stderr } = await runCli('verify', ...store);
    expect(stdout).toContain('sequence: the number of the line is out of order; the line is in use');
    expect(stderr).toContain('Lines that are out of order are in use. longhand compact renumbers them.');
    expect(stderr).not.toContain('Damaged lines');
    expect(await runJson('search', 'thing', ...store)).toMatchObject({ memories: { length: 3 } });
    await runCli('compact', ...store);
    expect((await runCli('verify', ...store)).exitCode).toBe(0);
  });
});
