import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { MemoryEntry } from 'longhand';
import { expect, it } from 'vitest';
import { createMcpFetchHandler, type McpFetchHandler } from '../src/mcp/fetch-handler.ts';
import { startTestServer } from './http-fixture.ts';
import { callTool } from './mcp-clients.ts';
import { runJson } from './run-cli.ts';

const TEXT = 'I prefer tea';

/** What is the same for every writer: all but the id, the moment, the session and the writer. */
function kept({ type, content, importance, tags, references, decay_factor }: MemoryEntry): unknown {
  return { type, content, importance, tags, references, decay_factor };
}

/** The same marks, as a body or a tool's input holds them and as a command line does. */
const MARKED: readonly [string, object, readonly string[]][] = [
  ['with a type', { type: 'preference' }, ['--type', 'preference']],
  ['without a type', {}, []],
  [
    'with importance and tags',
    { importance: 0.9, tags: ['drinks.tea'] },
    ['--importance', '0.9', '--tag', 'drinks.tea'],
  ],
];

it.each(MARKED)(
  'a plain text %s is the same memory over HTTP, on the command line and from store_memory',
  async (_, marks, flags) => {
    let handler: McpFetchHandler | undefined;
    const server = await startTestServer({
      app: {
        mcp: (request, caller) => {
          handler ??= createMcpFetchHandler(server.services);
          return handler.fetch(request, caller);
        },
      },
    });
    const client = new Client({ name: 'Web Client', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.server.url)));
    await server.call('POST', '/api/sessions', { session_id: 'web' });

    const stored = await callTool(client, 'store_memory', { content: TEXT, ...marks });
    const web = await server.call('POST', '/api/sessions/web/memories', { content: TEXT, ...marks });
    const typed = await runJson<{ id: string; session_id: string }>(
      ...['add', TEXT, ...flags, '--storage-root', server.storageRoot],
    );

    const { manager } = server.services;
    const [ofTool, ofWeb, ofCommand] = [
      await manager.getMemory(String(stored.session_id), String(stored.memory_key)),
      await manager.getMemory('web', web.body.id),
      await manager.getMemory(typed.session_id, typed.id),
    ];
    expect(ofTool).toMatchObject({ type: 'finding', ...marks, content: { text: TEXT } });
    expect(kept(ofWeb!)).toEqual(kept(ofTool!));
    expect(kept(ofCommand!)).toEqual(kept(ofTool!));

    await client.close();
    await handler?.close();
    await server.stop();
  },
);
