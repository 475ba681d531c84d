import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callTool } from './mcp-clients.ts';

/** What `npm publish` would send, used as a person would use it: packed, and started in a folder with nothing in it. */
const ROOT = join(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'longhand-packed-'));
const PACKAGES = ['longhand', 'vectors', 'server'];
let tarballs: readonly string[] = [];

/** The Node that runs the tests, and a cache that holds nothing yet. */
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  npm_config_cache: join(folder, 'cache'),
} as Record<string, string>;

function npm(cwd: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync('npm', args, { cwd, env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stderr}`);
}

function emptyFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

beforeAll(() => {
  const packed = emptyFolder('packed');
  for (const name of PACKAGES) npm(ROOT, 'pack', '-w', `packages/${name}`, '--pack-destination', packed);
  tarballs = readdirSync(packed).map((name) => join(packed, name));
  expect(tarballs).toHaveLength(PACKAGES.length);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function remembersAndFinds(command: string, args: readonly string[], cwd: string): Promise<void> {
  const client = new Client({ name: 'packed', version: '1' });
  await client.connect(new StdioClientTransport({ command, args: [...args], cwd, env, stderr: 'inherit' }));
  await callTool(client, 'store_memory', { content: 'My dog is called Rex', type: 'preference' });
  // By the word vectors, which are a package of their own.
  const { results } = await callTool(client, 'search_memory', { query: 'Which pet do I own?' });
  expect(JSON.stringify(results)).toContain('Rex');
  await client.close();
}

it('runs with npx in an empty folder', async () => {
  const cwd = emptyFolder('npx');
  const packages = tarballs.flatMap((path) => ['-p', path]);
  const store = ['--storage-root', join(folder, 'npx-store')];
  await remembersAndFinds('npx', ['-y', ...packages, 'longhand', 'mcp', ...store], cwd);
  expect(readdirSync(cwd)).toEqual([]);
});

it('connects a client with an entry that starts it', async () => {
  const [cwd, home] = [emptyFolder('installed'), emptyFolder('home')];
  writeFileSync(join(cwd, 'package.json'), '{}');
  npm(cwd, 'install', '--no-audit', '--no-fund', ...tarballs);
  const settings = emptyFolder('home/.cursor');
  const { status, stderr } = spawnSync(join(cwd, 'node_modules/.bin/longhand'), ['connect', '--yes'], {
    env: { ...env, HOME: home },
    encoding: 'utf8',
  });
  expect(stderr).not.toContain('error');
  expect(status).toBe(0);
  const { mcpServers } = JSON.parse(readFileSync(join(settings, 'mcp.json'), 'utf8'));
  const { command, args } = mcpServers.longhand;
  await remembersAndFinds(command, [...args, '--storage-root', join(folder, 'entry-store')], home);
});
