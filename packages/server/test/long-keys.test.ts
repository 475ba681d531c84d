import { expect, it, onTestFinished } from 'vitest';
import { startTestServer } from './http-fixture.ts';
import { callTool } from './mcp-clients.ts';

it('takes a memory_key of 255 characters over HTTP and MCP, and refuses one of 256', async () => {
  const server = await startTestServer({ speaksMcp: true });
  onTestFinished(() => server.stop());
  await server.done('POST', '/api/sessions', { session_id: 'work' });
  const [key, tooLong] = ['k'.repeat(255), 'k'.repeat(256)];
  const detail = { session_id: 'work', content: 'a walrus', description: 'what came by' };
  expect(await server.done('POST', '/api/details', { ...detail, memory_key: key })).toMatchObject({
    memory_key: key,
  });
  expect((await server.done('GET', `/api/details/${key}`)).content).toBe('a walrus');
  for (const refused of [
    await server.call('POST', '/api/details', { ...detail, memory_key: tooLong }),
    await server.call('GET', `/api/details/${tooLong}`),
  ])
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ field: 'memory_key' }] } });
  await server.connected({}, async (client) => {
    const call = (name: string, memory_key: string) => callTool(client, name, { memory_key });
    expect(await callTool(client, 'search_memory', { query: 'walrus' })).toMatchObject({
      results: [{ memory_key: key }],
    });
    for (const named of [key, `[MemoryRef: ${key} - what came by]`])
      expect(await call('retrieve_memory', named)).toMatchObject({ memory_key: key, content: 'a walrus' });
    expect((await call('retrieve_memory', tooLong)).error).toBeDefined();
    expect((await call('forget_memory', tooLong)).error).toBeDefined();
    expect((await call('forget_memory', key)).error).toBeUndefined();
  });
  expect((await server.call('GET', `/api/details/${key}`)).status).toBe(404);
});
