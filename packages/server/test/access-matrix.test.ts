import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { ToolName } from 'longhand';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Access } from '../src/access/api-key.ts';
import { CommandContext } from '../src/cli/command-context.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { createMcpFetchHandler, type McpFetchHandler } from '../src/mcp/fetch-handler.ts';
import { LOCAL_RIGHTS, mayRun, type Rights } from '../src/operations/access.ts';
import { OPERATIONS, operationNamed } from '../src/operations/index.ts';
import { SERVER_ROUTES } from '../src/operations/server-routes.ts';
import { TOOL_OPERATIONS } from '../src/operations/tools.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { operationsOfCommands } from './operations-of-commands.ts';
import { storeFlags } from './store-place.ts';

/**
 * Every operation × every kind of key × every skin that offers it: the same verdict, that of the table. The table's own
 * verdicts stand below, by access.
 */
const BINDINGS = {
  'for all users': { user_id: null, agent_id: null },
  'of one user': { user_id: 'ada', agent_id: null },
  'of one user and agent': { user_id: 'ada', agent_id: 'scout' },
};
const KINDS: readonly (readonly [string, Rights])[] = (['read', 'write', 'admin'] as const).flatMap(
  (access: Access) =>
    Object.entries(BINDINGS).map(
      ([whose, binding]) => [`${access} ${whose}`, { access, binding, speaksAs: binding }] as const,
    ),
);

/** The operation that does the same over HTTP. */
const OPERATION_OF_TOOL: Readonly<Partial<Record<ToolName, string>>> = {
  manage_long_term_memory: 'changeNotes',
  save_to_journal: 'addAgentMemory',
  save_to_core: 'addAgentMemory',
  store_memory: 'addMemory',
  retrieve_memory: 'retrieveDetail',
  search_memory: 'search',
  update_memory: 'updateMemory',
  list_memories: 'search',
  forget_memory: 'forget',
};

let server: TestServer;
let mcp: McpFetchHandler | undefined;
beforeAll(async () => {
  server = await startTestServer({
    flags: { 'auth-enabled': true, 'limits-requests-per-minute': 0 },
    app: {
      mcp: async (request, caller) => {
        mcp ??= createMcpFetchHandler(server.services);
        return mcp.fetch(request, caller);
      },
    },
  });
});
afterAll(async () => {
  await mcp?.close();
  await server.stop();
});

async function headersOf({ access, binding }: Rights): Promise<Record<string, string>> {
  const { token } = await server.services.gate.keys.create({ label: 'of the matrix', access, ...binding });
  return {
    authorization: `Bearer ${token}`,
    ...(binding.user_id === null ? { 'longhand-user': 'ada' } : {}),
  };
}

const isRefused = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => false,
    (error: { readonly code?: string }) => error.code === 'FORBIDDEN',
  );

describe.each(KINDS)('a key: %s', (_kind, rights) => {
  it('gets the verdict of the table from every operation itself, whole and as it comes', async () => {
    const { access, binding } = rights;
    // The operation refuses before it looks at anything: nothing else of the context is there.
    const context = { access, binding } as never;
    for (const operation of OPERATIONS) {
      const refused = !mayRun(rights, operation);
      expect(await isRefused(operation.run({}, context)), operation.name).toBe(refused);
      const { stream } = operation;
      const ask = async () => {
        for await (const _piece of stream!.run({}, context)) break;
      };
      if (stream !== undefined) expect(await isRefused(ask()), operation.name).toBe(refused);
    }
    for (const tool of TOOL_OPERATIONS)
      expect(await isRefused(tool.run({}, context, async () => 'x')), tool.name).toBe(!mayRun(rights, tool));
  });

  it('gets the same over HTTP', async () => {
    const headers = await headersOf(rights);
    for (const operation of OPERATIONS) {
      const { name, http } = operation;
      const path = http.path.replaceAll(/\{\w+\}/g, 'x');
      const { status, body } = await server.call(http.method, path, undefined, headers);
      const refused = [status === 403, body.code === 'FORBIDDEN'];
      expect(refused, `${name}: ${status}`).toEqual(Array(2).fill(!mayRun(rights, operation)));
    }
    const { readMetrics } = SERVER_ROUTES;
    const metrics = await server.call('GET', readMetrics.path, undefined, headers);
    expect(metrics.status === 403).toBe(!mayRun(rights, readMetrics));
  });

  it('gets the same over MCP, tool by tool, as from the operation that does the same', async () => {
    const client = new Client({ name: 'matrix', version: '1' });
    const requestInit = { headers: await headersOf(rights) };
    await client.connect(
      new StreamableHTTPClientTransport(new URL('/mcp', server.server.url), { requestInit }),
    );
    const offered = (await client.listTools()).tools.map(({ name }) => name);
    for (const { name } of TOOL_OPERATIONS) {
      const isAllowed = mayRun(rights, operationNamed(OPERATION_OF_TOOL[name]!));
      expect(offered.includes(name), name).toBe(isAllowed);
      const call = client.callTool({ name, arguments: {} });
      if (isAllowed) await call;
      else await expect(call, name).rejects.toThrow(`Tool ${name} not found`);
    }
    await client.close();
  });
});

describe('a person on their own machine', () => {
  it('may run everything from the command line', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longhand-matrix-'));
    const flags = await storeFlags(join(folder, 'store'));
    const config = loadConfig({ env: {}, cwd: folder, home: folder, flags });
    {
      const identity = { account_id: 'local', user_id: 'me', agent_id: 'default' };
      await using context = new CommandContext(config, identity);
      for (const operation of operationsOfCommands())
        expect(await isRefused(context.run(operation, operation.example.request)), operation.name).toBe(
          false,
        );
    }
    rmSync(folder, { recursive: true, force: true });
  });

  it('may run everything there is', () => {
    for (const needed of [...OPERATIONS, ...TOOL_OPERATIONS, ...Object.values(SERVER_ROUTES)])
      expect(mayRun(LOCAL_RIGHTS, needed), needed.name).toBe(true);
  });
});

it('needs no more than read for what changes nothing, and admin for what concerns other users', () => {
  const forReaders = OPERATIONS.filter((one) => mayRun(KINDS[0]![1], one));
  for (const { name, http } of OPERATIONS)
    if (http.method === 'GET' && !['listKeys', 'listReceipts', 'listMembers'].includes(name))
      expect(forReaders.map((one) => one.name)).toContain(name);
  expect(OPERATIONS.filter(({ access }) => access === 'admin').map(({ name }) => name)).toEqual([
    'createAgent',
    'updateAgent',
    'deleteAgent',
    'forgetAgent',
    'listReceipts',
    'verifyErased',
    'createKey',
    'listKeys',
    'revokeKey',
    'endSessions',
    'listMembers',
    'addMember',
    'changeMember',
    'removeMember',
  ]);
});
