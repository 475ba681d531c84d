import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const scripts = join(import.meta.dirname, '../scripts');

test('what npm starts finds files where npm was called', () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-caller-')));
  const program = `await import(${JSON.stringify(join(scripts, 'in-the-callers-folder.ts'))}); console.log(process.cwd());`;
  const { INIT_CWD: _npm, ...env } = process.env;
  const folderOf = (more: Readonly<Record<string, string>>): string =>
    spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: scripts,
      env: { ...env, ...more },
      encoding: 'utf8',
    }).stdout.trim();
  expect(folderOf({ INIT_CWD: folder })).toBe(folder);
  expect(folderOf({})).toBe(scripts);
  expect(readFileSync(join(scripts, 'longhand.ts'), 'utf8')).toContain(
    "import './in-the-callers-folder.ts';",
  );
  rmSync(folder, { recursive: true });
});
