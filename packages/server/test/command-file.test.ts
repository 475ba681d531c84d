import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import manifest from '../package.json' with { type: 'json' };

/** The file that npm links as `longhand`: in a package that is built, in a clone that is not, on a Node of old. */
const folder = mkdtempSync(join(tmpdir(), 'longhand-command-'));
const command = join(folder, manifest.bin.longhand);

beforeAll(() => {
  cpSync(join(import.meta.dirname, '../bin'), join(folder, 'bin'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: manifest.type }));
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...flags: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, command], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

it('can be run as it is, and is published', () => {
  expect(statSync(join(import.meta.dirname, '..', manifest.bin.longhand)).mode & 0o111).toBe(0o111);
  expect(manifest.files).toEqual(expect.arrayContaining(['bin', 'dist']));
});

it('says what to run in a clone that is not built', () => {
  expect(run()).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Longhand is not built here yet. Run: npm install && npm run build\n',
  });
});

it('says which Node it needs', () => {
  const old = 'data:text/javascript,Object.defineProperty(process,"version",{value:"v22.12.0"})';
  expect(run('--import', old)).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Longhand needs Node 22.13 or newer, this is v22.12.0.\n',
  });
});

it('runs what is built', () => {
  mkdirSync(join(folder, 'dist'), { recursive: true });
  writeFileSync(join(folder, 'dist/longhand.js'), 'console.log("built")');
  expect(run()).toEqual({ status: 0, stdout: 'built\n', stderr: '' });
});
