import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { callTool, connectStdio, type ProtocolName } from './mcp-clients.ts';
import { managerOf } from './store-place.ts';

/** Several MCP servers, each a process of its own, on one folder at once: what is acknowledged is there. */

let root: string;
const clients: Client[] = [];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  rmSync(root, { recursive: true, force: true });
});

async function connect(count: number, name: (i: number) => string): Promise<readonly Client[]> {
  const protocols: readonly ProtocolName[] = ['2025', '2026-07-28'];
  const opened = await Promise.all(
    Array.from({ length: count }, (_, i) => connectStdio(root, protocols[i % 2]!, { name: name(i) })),
  );
  clients.push(...opened);
  return opened;
}

/** Everything that the store holds of the user, read by a process that took no part. */
async function keptTexts(): Promise<readonly string[]> {
  await using manager = await managerOf(root);
  const texts: string[] = [];
  for (const { id } of await manager.listSessions('me')) {
    for (const { content } of await manager.queryMemories(id, { limit: 10_000 }))
      texts.push(String(content.text));
    const { corruption, unverified } = await manager.getSessionStats(id);
    expect({ ...corruption, unverified }).toEqual({
      checksum: 0,
      torn: 0,
      sequence: 0,
      schema: 0,
      unverified: 0,
    });
  }
  return texts;
}

describe('MCP servers on one folder', () => {
  it('keep all of 20 parallel saves on each of two', async () => {
    const servers = await connect(2, () => 'same client');
    const wanted: string[] = [];
    await Promise.all(
      servers.flatMap((client, server) =>
        Array.from({ length: 20 }, async (_, i) => {
          const content = `server ${server} note ${i}`;
          wanted.push(content);
          const { error, memory_key } = await callTool(client, 'store_memory', { content, type: 'finding' });
          expect(error).toBeUndefined();
          expect(memory_key).toMatch(/^mem_/);
        }),
      ),
    );
    expect(wanted).toHaveLength(40);
    expect([...(await keptTexts())].sort()).toEqual(wanted.sort());
  });

  it('lose nothing when there are ten, saving, noting, searching and forgetting', async () => {
    const servers = await connect(10, (i) => `client ${i % 3}`);
    const rounds = 12;
    const kept: string[] = [];
    await Promise.all(
      servers.map(async (client, server) => {
        for (let i = 0; i < rounds; i++) {
          const content = `server ${server} finds thing ${i}`;
          const { memory_key } = await callTool(client, 'store_memory', { content, type: 'finding' });
          const { results } = await callTool(client, 'search_memory', {
            query: `server ${server} thing`,
            limit: 50,
          });
          const keys = (results as { memory_key: string }[]).map((result) => result.memory_key);
          expect(keys, 'a server finds what it has just stored').toContain(memory_key);
          if (i % 4 === 3) {
            expect(await callTool(client, 'forget_memory', { memory_key })).toMatchObject({ success: true });
          } else {
            kept.push(content);
          }
        }
        await append(client, `- server ${server} was here`);
        expect(
          (await callTool(client, 'save_to_journal', { content: `server ${server}` })).error,
        ).toBeUndefined();
      }),
    );
    expect([...(await keptTexts())].sort()).toEqual(kept.sort());
    const { notes } = await callTool(servers[0]!, 'manage_long_term_memory', { operation: 'read' });
    for (const i of servers.keys()) expect(notes).toContain(`- server ${i} was here`);
    await using manager = await managerOf(root);
    const { journal } = await manager.layers();
    expect((await journal.list('default')).map(({ content }) => content).sort()).toEqual(
      [...servers.keys()].map((i) => `server ${i}`).sort(),
    );
    expect((await manager.verify()).damage).toEqual([]);
  });
});

/** Ten who change one document at once may be told to read it again: then they do, as a model would. */
async function append(client: Client, content: string): Promise<void> {
  for (let tries = 0; tries < 50; tries++) {
    const { code } = await callTool(client, 'manage_long_term_memory', { operation: 'append', content });
    if (code === undefined) return;
    expect(code).toBe('NOTES_CONFLICT');
  }
  throw new Error('The notes could not be changed.');
}
