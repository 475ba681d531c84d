import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type OutputChunk, type RolldownOutput, rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { endWithTests } from '../../longhand/test/campaign.ts';
import manifest from '../package.json' with { type: 'json' };
import config from '../rolldown.config.ts';
import { call } from './http-fixture.ts';
import { endProcess } from './server-process.ts';

/** What is published is not the sources but a bundle of them: it has to work too, and to start without ballast. */
// Beside the sources, where the packages that are not bundled are found.
const folder = mkdtempSync(join(import.meta.dirname, '../dist-'));
const root = mkdtempSync(join(tmpdir(), 'longhand-bundle-'));
let built: RolldownOutput;

beforeAll(async () => {
  const { output, ...input } = config as Exclude<
    typeof config,
    readonly unknown[] | ((...args: never) => unknown)
  >;
  const bundle = await rolldown({ ...input, cwd: join(import.meta.dirname, '..') });
  built = await bundle.write({ ...(output as object), dir: folder });
  await bundle.close();
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  rmSync(root, { recursive: true, force: true });
});

it('starts, answers, and says what is wrong with a request', async () => {
  const child = spawn(
    process.execPath,
    [
      '--conditions=longhand-source',
      join(folder, 'longhand.js'),
      ...['serve', '--json', '--port', '0', '--log-level', 'error', '--storage-root', root],
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  endWithTests(child);
  let text = '';
  for await (const line of createInterface({ input: child.stdout })) {
    text += line;
    if (line === '}') break;
  }
  const { url } = JSON.parse(text) as { url: string };
  expect((await call(url, 'GET', '/healthz')).body).toEqual({ status: 'ok', version: manifest.version });
  const refused = await call(url, 'POST', '/api/search', { limit: 'many', nonsense: 1 });
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toContain('limit must be a number.');
  const { body } = await call(url, 'POST', '/agent/run', { prompt: 'Remember that my dog is called Rex.' });
  expect(body.tools.length).toBeGreaterThan(0);
  // By the word vectors of a package that is not in the bundle.
  const found = await call(url, 'POST', '/api/search', { text: 'Which pet do I own?' });
  expect(JSON.stringify(found.body.memories)).toContain('Rex');
  expect(await endProcess(child, 'SIGTERM')).toBe(0);
});

it('loads before it listens nothing from other packages but the library and MCP', () => {
  const chunks = new Map(
    built.output
      .filter((item): item is OutputChunk => item.type === 'chunk')
      .map((item) => [item.fileName, item]),
  );
  const needed = new Set<string>();
  const take = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    for (const each of chunks.get(name)?.imports ?? []) take(each);
  };
  take('longhand.js');
  // What the command `serve` goes on to load.
  for (const name of ['serve', 'run-server']) {
    const found = [...chunks.values()].find((chunk) => chunk.name === name && chunk.isDynamicEntry);
    expect(found, name).toBeDefined();
    take(found!.fileName);
  }
  const foreign = [...needed].filter((name) => !chunks.has(name) && !name.startsWith('node:'));
  expect(foreign.filter((name) => !builtinModules.includes(name)).sort()).toEqual([
    '@modelcontextprotocol/server',
    'longhand',
    'longhand/tools',
  ]);
});

it('brings the licences of what it holds', () => {
  const text = readFileSync(join(folder, 'licences.txt'), 'utf8');
  for (const name of ['zod', 'hono', '@hono/node-server'])
    expect(text).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\\n\\n.*licen[cs]e`, 'im'));
});

it('has the version of its package', async () => {
  const { VERSION } = await import('../src/version.ts');
  expect(VERSION).toBe(manifest.version);
  const registry = JSON.parse(readFileSync(join(import.meta.dirname, '../server.json'), 'utf8'));
  expect([registry.version, registry.packages[0].version]).toEqual([manifest.version, manifest.version]);
  expect([registry.name, registry.packages[0].identifier]).toEqual([manifest.mcpName, manifest.name]);
});
