import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { TOOLS } from 'longhand/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '../src/version.ts';
import { LONGHAND } from './mcp-clients.ts';
import { withStore } from './store-place.ts';

/** The inspector's own command line against ours, as a stranger would try it. */

const run = promisify(execFile);
const manifest = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json'));
const { bin } = JSON.parse(readFileSync(manifest, 'utf8')) as { bin: { 'mcp-inspector': string } };
const inspector = join(manifest, '..', bin['mcp-inspector']);

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-inspector-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

async function inspect<Result>(...args: readonly string[]): Promise<Result> {
  const server = [process.execPath, ...LONGHAND, ...(await withStore(['mcp', '--storage-root', root]))];
  const { stdout } = await run(process.execPath, [inspector, '--cli', ...server, ...args]);
  return JSON.parse(stdout) as Result;
}

describe('the MCP inspector', () => {
  it('lists the tools', async () => {
    // Fails when a schema is not one that every client takes.
    const { tools } = await inspect<{ tools: { name: string }[] }>('--method', 'tools/list', '--strict');
    expect(tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
  });

  it('stores, and finds what it has stored in another process', async () => {
    const call = ['--method', 'tools/call', '--tool-name'];
    const stored = await inspect<{ structuredContent: { memory_key: string } }>(
      ...[...call, 'store_memory', '--tool-arg', 'content=Ada drinks tea', '--tool-arg', 'type=finding'],
    );
    const found = await inspect<{ structuredContent: { results: { memory_key: string }[] } }>(
      ...[...call, 'search_memory', '--tool-arg', 'query=tea'],
    );
    expect(found.structuredContent.results).toMatchObject([
      { memory_key: stored.structuredContent.memory_key },
    ]);
  });

  it('lists resources, templates and prompts', async () => {
    const { resources } = await inspect<{ resources: unknown[] }>('--method', 'resources/list');
    expect(resources.length).toBeGreaterThanOrEqual(3);
    const { resourceTemplates } = await inspect<{ resourceTemplates: unknown[] }>(
      ...['--method', 'resources/templates/list'],
    );
    expect(resourceTemplates).toHaveLength(4);
    const { prompts } = await inspect<{ prompts: unknown[] }>('--method', 'prompts/list');
    expect(prompts).toHaveLength(2);
  });
});

describe('server.json', () => {
  it('names this package and its version', () => {
    const file = JSON.parse(readFileSync(join(import.meta.dirname, '../server.json'), 'utf8'));
    const own = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
    expect(file.version).toBe(VERSION);
    expect(file.name).toBe(own.mcpName);
    expect(file.packages).toMatchObject([{ identifier: own.name, version: VERSION }]);
    expect(file.description.length).toBeLessThanOrEqual(100);
  });
});
