import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

/** The console as the server hands it out. */
const folder = mkdtempSync(join(tmpdir(), 'longhand-console-'));
interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly imports?: readonly string[];
}
let chunks: Readonly<Record<string, Chunk>> = {};

beforeAll(() => {
  const console = join(import.meta.dirname, '..');
  const vite = join(console, '../../node_modules/vite/bin/vite.js');
  const { status, stderr } = spawnSync(
    process.execPath,
    [vite, 'build', console, '--outDir', folder, '--manifest'],
    { encoding: 'utf8', env: { ...process.env, NODE_ENV: 'production' } },
  );
  expect(status, stderr).toBe(0);
  chunks = JSON.parse(read('.vite/manifest.json'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const filesOf = (ending: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith(ending));
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');

/** What the policy of the server lets a page load: files of this server, named by their paths. */
describe('the built console', () => {
  it('has a page that names nothing outside, and no script or style within it', () => {
    const html = read('index.html');
    for (const [, address] of html.matchAll(/(?:src|href)="([^"]*)"/g)) expect(address).toMatch(/^\/[^/]/);
    expect(html).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/);
  });

  it('has style sheets that load its own files alone', () => {
    expect(filesOf('.css').length).toBeGreaterThan(0);
    for (const name of filesOf('.css')) {
      expect(read(name)).not.toContain('@import');
      for (const [, address] of read(name).matchAll(/url\(["']?([^)"']*)/g))
        expect(address).toMatch(/^\/assets\//);
    }
  });

  it('needs at most 120 KB of script for the first page', () => {
    const first = new Set<string>();
    const take = (name: string): void => {
      const { file, imports = [] } = chunks[name]!;
      if (first.has(file)) return;
      first.add(file);
      for (const other of imports) take(other);
    };
    for (const [name, { src, isEntry }] of Object.entries(chunks))
      if (isEntry === true || src?.endsWith('/overview.tsx')) take(name);
    const bytes = [...first].reduce((sum, file) => sum + gzipSync(read(file)).length, 0);
    expect(first.size).toBeGreaterThan(1);
    expect(bytes).toBeLessThanOrEqual(120 * 1_024);
  });
});
