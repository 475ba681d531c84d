import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runCli } from '../../test/run-cli.ts';

/** Folders that people have been at. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-strange-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.skipIf(process.platform === 'win32')('a folder of other files', () => {
  it.each([['add', 'thing'], ['chat', 'hello'], ['serve'], ['mcp']])(
    'does not become a store, and stays as it is: longhand %s',
    async (...command) => {
      const docs = join(folder, 'docs');
      mkdirSync(docs);
      writeFileSync(join(docs, 'README.md'), 'of somebody');
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
