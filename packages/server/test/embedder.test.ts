import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SynonymEmbedder } from 'longhand/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { callTool } from './mcp-clients.ts';

/** A server with an embedder behind an endpoint: what its answers say of it, over HTTP and MCP. */
const model = new SynonymEmbedder({ synonyms: [['car', 'automobile']], dimensions: 64 });
let endpoint: Server;
let isDown = false;
let server: TestServer;

beforeAll(async () => {
  endpoint = createServer(async (request, response) => {
    if (isDown) {
      response.writeHead(400).end('{}');
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
    const vectors = await model.embed(input, { kind: 'document', signal: new AbortController().signal });
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
    response.end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  server = await startTestServer({
    flags: {
      'embedder-model': 'synonyms',
      'embedder-dimensions': '64',
      'embedder-base-url': `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`,
    },
    speaksMcp: true,
  });
});
afterAll(async () => {
  await server.stop();
  await new Promise((resolve) => endpoint.close(resolve));
});

it('says whether the meaning had a say, and gives memories like another', async () => {
  const { call } = server;
  await call('POST', '/api/sessions', { session_id: 's1' });
  await call('POST', '/api/sessions', { session_id: 's2' });
  const add = async (session: string, id: string, text: string) => {
    const memory = { id, type: 'finding', content: { text } };
    expect((await call('POST', `/api/sessions/${session}/memories`, memory)).status).toBe(201);
  };
  await add('s1', 'mem_car', 'the red car is in the garage');
  await add('s2', 'mem_tea', 'green tea at noon');
  await add('s2', 'mem_auto', 'an automobile was sold');
  await server.services.manager.embedMemories('me');
  const found = (await call('POST', '/api/search', { text: 'automobile' })).body;
  expect(found.semantic).toEqual({ used: true });
  expect(found.memories.map(({ id }) => id).sort()).toEqual(expect.arrayContaining(['mem_auto', 'mem_car']));
  const letters = (await call('GET', '/api/sessions/s1/memories?text=garag*')).body;
  expect(letters.semantic).toEqual({ used: false, reason: 'words' });
  const similar = async (query: string) =>
    (await call('GET', `/api/sessions/s1/memories/mem_car/similar?${query}`)).body.memories.map(
      ({ id }) => id,
    );
  expect((await similar('scope=user&limit=1'))[0]).toBe('mem_auto');
  expect(await similar('scope=session')).toEqual([]);
  expect(await similar('scope=user&type=decision')).toEqual([]);
  await server.connected({}, async (client) => {
    expect((await callTool(client, 'search_memory', { query: 'automobile' })).semantic).toEqual({
      used: true,
    });
    isDown = true;
    expect(await callTool(client, 'search_memory', { query: 'red garage' })).toMatchObject({
      results: [{ memory_key: 'mem_car' }],
      semantic: { used: false, reason: 'failed' },
    });
  });
});
