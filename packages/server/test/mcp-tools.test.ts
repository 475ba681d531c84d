import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../src/config/load-config.ts';
import { McpTools } from '../src/conversation/mcp-tools.ts';
import { startTestServer } from './http-fixture.ts';
import { startStandIn } from './openai-stand-in.ts';

/** Tools of other MCP servers, in the hands of this server's agents: a process of its own, and one over HTTP. */
const folder = mkdtempSync(join(tmpdir(), 'longhand-mcp-tools-'));
const program = join(folder, 'executor.mjs');
writeFileSync(
  program,
  `import { McpServer } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server'))};
import { StdioServerTransport } from ${JSON.stringify(import.meta.resolve('@modelcontextprotocol/server/stdio'))};
import { z } from ${JSON.stringify(import.meta.resolve('zod'))};
const server = new McpServer({ name: 'executor', version: '1' });
server.registerTool('run', { description: 'Runs a command', inputSchema: z.object({ command: z.string() }) }, ({ command }) => {
  if (command === 'die') process.exit(1);
  const isError = command === 'fail';
  const text = isError ? 'no such thing' : Array.from({ length: 500 }, (_, i) => \`\${command} line \${i}\`).join('\\n') + '\\nsecret is ' + process.env.WORD;
  return { content: [{ type: 'text', text }], isError };
});
await server.connect(new StdioServerTransport());
`,
);
const asked: (string | null)[] = [];
const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'weather', version: '1' });
  server.registerTool('today', { inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'Rain.' }],
  }));
  return server;
});
const http = serve({
  fetch: (request: Request) => {
    asked.push(request.headers.get('authorization'));
    return handler.fetch(request);
  },
  port: 0,
  hostname: '127.0.0.1',
});
await new Promise((resolve) => http.once('listening', resolve));
const { port } = http.address() as { port: number };
const model = await startStandIn();
const mcpServers = {
  executor: { command: process.execPath, args: [program], env: { WORD: 'xylophone' } },
  weather: {
    url: `http://127.0.0.1:${port}/mcp`,
    headers: { authorization: 'Bearer w' },
    agents: ['default'],
  },
  gone: { command: join(folder, 'not-there') },
};
afterAll(async () => {
  await model.close();
  await handler.close();
  http.close();
  rmSync(folder, { recursive: true });
});

it('calls them, keeps what is long, and does without a server that is not there', async () => {
  const server = await startTestServer({
    flags: {
      'openai-model': 'any',
      'openai-base-url': model.baseURL,
      'agent-mcp-servers': JSON.stringify(mcpServers),
    },
  });
  model.script.push(
    {
      calls: [
        { name: 'executor_run', arguments: { command: 'make' } },
        { name: 'weather_today', arguments: {} },
      ],
    },
    { calls: [{ name: 'executor_run', arguments: { command: 'fail' } }] },
    { text: 'Done.' },
  );
  const { status, body } = await server.call('POST', '/api/chat', {
    session_id: 'work',
    new_messages: [{ role: 'user', content: 'Build it.' }],
  });
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body.answer).toBe('Done.');
  const offered = model.requests[0]!.tools!.map((tool) => tool.function.name);
  expect(offered.slice(-2)).toEqual(['executor_run', 'weather_today']);
  expect(asked).toContain('Bearer w');
  const outputs = model.requests.at(-1)!.messages.filter(({ role }) => role === 'tool');
  expect(String(outputs[0]!.content)).toMatch(
    /^Command 'make' executed\. Logs stored in \[MemoryRef: command_output_\w+ - .*Status: Success\.$/,
  );
  expect(outputs[1]!.content).toBe('Rain.');
  expect(outputs[2]!.content).toContain('no such thing');
  const { details } = (await server.call('GET', '/api/details')).body;
  expect(details).toHaveLength(1);
  const found = await server.call('GET', `/api/details/${details[0]!.memory_key}?search=xylophone`);
  expect(found.body.matches).toEqual([{ line: 501, text: 'secret is xylophone' }]);

  // A server that dies is started again.
  model.script.push(
    { calls: [{ name: 'executor_run', arguments: { command: 'die' } }] },
    { text: 'It died.' },
    { calls: [{ name: 'executor_run', arguments: { command: 'fail' } }] },
    { text: 'It is back.' },
  );
  for (const answer of ['It died.', 'It is back.']) {
    const { body: again } = await server.call('POST', '/api/chat', {
      session_id: 'work',
      new_messages: [{ role: 'user', content: 'Again.' }],
    });
    expect(again.answer).toBe(answer);
  }
  expect(model.requests.at(-1)!.messages.findLast(({ role }) => role === 'tool')!.content).toContain(
    'no such thing',
  );
  await server.stop();
});

it('are switched on and off one by one, and an agent has exactly those that its settings name', async () => {
  const server = await startTestServer({
    flags: {
      'openai-model': 'any',
      'openai-base-url': model.baseURL,
      'agent-mcp-servers': JSON.stringify(mcpServers),
    },
  });
  const { available_tools: available } = await server.done('GET', '/api/agents/options');
  const tools = available as { name: string; source: string }[];
  const ofMemory = tools.filter(({ source }) => source === 'memory').map(({ name }) => name);
  expect(tools.flatMap(({ name, source }) => (source === 'mcp' ? [name] : []))).toEqual([
    'executor_run',
    'weather_today',
  ]);
  const offered = async (): Promise<readonly string[]> => {
    model.script.push({ text: 'Yes.' });
    await server.done('POST', '/api/chat', { new_messages: [{ role: 'user', content: 'Are you there?' }] });
    return model.requests.at(-1)!.tools?.map((tool) => tool.function.name) ?? [];
  };
  const enable = (enabled_tools: readonly string[]) =>
    server.call('PATCH', '/api/agents/default', { enabled_tools });
  // As it was made: everything but what is optional.
  const usual = await offered();
  expect(usual.filter((name) => !ofMemory.includes(name))).toEqual(['executor_run', 'weather_today']);
  expect((await server.done('GET', '/api/agents/default')).enabled_tools).toEqual([
    ...usual.filter((name) => ofMemory.includes(name)),
    '*',
  ]);
  for (const [list, given] of [
    [
      ['search_memory', 'weather_today'],
      ['search_memory', 'weather_today'],
    ],
    [['search_memory'], ['search_memory']],
    [['*'], ['executor_run', 'weather_today']],
    [[], []],
  ] as const) {
    expect((await enable(list)).body.enabled_tools).toEqual(list);
    expect(await offered()).toEqual(given);
  }
  // The server that was reached has no such tool; the one that was not may have it.
  const refused = await enable(['search_memory', 'weather_tomorrow']);
  expect(refused.status).toBe(400);
  expect(refused.body.detail).toContain('enabled_tools names "weather_tomorrow", and there is no such tool');
  expect((await enable(['gone_any'])).status).toBe(200);
  await server.stop();
});

it('are for the agents that are named, and say which server failed', async () => {
  const failed: string[] = [];
  const tools = new McpTools(mcpServers, { timeoutMs: 60_000, onFailed: (name) => failed.push(name) });
  expect((await tools.for('other')).map(({ name }) => name)).toEqual(['executor_run']);
  expect((await tools.for('default')).map(({ name }) => name)).toEqual(['executor_run', 'weather_today']);
  expect(failed).toEqual(['gone']);
  await tools.close();
  expect(await tools.for('default')).toEqual([]);
});

it('are refused with a sentence when they are set up wrongly, without showing what may be secret', () => {
  const load = (value: unknown) => () =>
    loadConfig({ env: {}, cwd: folder, home: folder, flags: { 'agent-mcp-servers': JSON.stringify(value) } });
  expect(load({ a: { comand: 'x' } })).toThrow('must have either a command, which is started, or a url');
  expect(load({ a: { command: 'x', headers: { key: 'hidden' } } })).toThrow(
    'agent.mcpServers .a has no headers: it takes command, args, env, cwd, agents (from --agent-mcp-servers).',
  );
  expect(load({ a: { url: 'ftp://x' } })).toThrow('.a url must be an http or https address');
  expect(load({ 'a b': { command: 'x' } })).toThrow('must have names of letters');
  expect(load('no')).toThrow('must be servers by their names');
});
