import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { loadConfig } from './config/load-config.ts';
import { openManager } from './open-store.ts';

it('tells the store what the server was told, and leaves the rest to the store', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-open-'));
  writeFileSync(join(root, 'config.json'), JSON.stringify({ context: { budget_tokens: 64 } }));
  const open = (flags: Record<string, unknown>) =>
    openManager(loadConfig({ env: {}, cwd: root, flags: { 'storage-root': root, ...flags } }));
  const manager = await open({ 'max-session-size-mb': 0.5 });
  await manager.createSession('me', { session_id: 's' });
  expect((await manager.getSessionStats('s')).limit_bytes).toBe(0.5 * 1_024 * 1_024);
  const ask = { session: 's', user: 'me', messages: [{ role: 'user' as const, content: 'hi' }] };
  expect((await manager.assembleContext(ask)).manifest.budget).toBe(64);
  await manager.close();
  const other = await open({ 'context-budget-tokens': 500 });
  expect((await other.assembleContext(ask)).manifest.budget).toBe(500);
  await other.close();
  rmSync(root, { recursive: true });
});

it('finds by meaning with the embedder that the configuration names, and without one sends no request', async () => {
  const root = mkdtempSync(join(tmpdir(), 'longhand-open-'));
  const asked: { authorization: string | undefined; input: string[] }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const { input } = JSON.parse(text) as { input: string[] };
      asked.push({ authorization: request.headers.authorization, input });
      const data = input.map((each, index) => ({ index, embedding: [each.includes('cat') ? 1 : -1, 0.1] }));
      response.end(JSON.stringify({ data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const open = (flags: Record<string, unknown>) =>
    openManager(loadConfig({ env: {}, cwd: root, flags: { 'storage-root': root, ...flags } }));
  try {
    const embedding = {
      'embedder-model': 'tiny',
      'embedder-dimensions': '2',
      'embedder-base-url': `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
      'embedder-api-key': 'sk-2',
      'embedder-query-prefix': 'search: ',
    };
    const words = await open({ ...embedding, semantic: 'false' });
    await words.createSession('me', { session_id: 's' });
    await words.addMemory('s', { id: 'mem_cat', type: 'finding', content: { text: 'my cat sleeps' } });
    expect(await words.queryMemories('s', { text: 'a kitten' })).toEqual([]);
    await words.close();
    writeFileSync(join(root, 'config.json'), JSON.stringify({ semantic: false }));
    const told = await open(embedding);
    expect(await told.pageMemories('s', { text: 'a kitten' })).toEqual({ memories: [] });
    await told.close();
    rmSync(join(root, 'config.json'));
    const plain = await open({});
    // Word vectors find it without a request.
    expect(await plain.queryMemories('s', { text: 'a kitten' })).toHaveLength(1);
    await plain.close();
    expect(asked).toEqual([]);
    // A model's file in place of an endpoint: all that is missing here is its runtime.
    await expect(open({ 'embedder-onnx-model': 'model.onnx' })).rejects.toMatchObject({
      message: expect.stringContaining('npm install onnxruntime-node'),
    });
    await using manager = await open(embedding);
    await manager.embedMemories('me');
    const { memories, semantic } = await manager.pageMemories('s', { text: 'categorical' });
    expect(semantic).toEqual({ used: true });
    expect(memories.map(({ id }) => id)).toEqual(['mem_cat']);
    expect(asked.at(-1)).toEqual({ authorization: 'Bearer sk-2', input: ['search: categorical'] });
  } finally {
    server.close();
    rmSync(root, { recursive: true });
  }
});
