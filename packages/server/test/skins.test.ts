import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOOL_NAMES } from 'longhand';
import { toolsNamed } from 'longhand/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationNamed } from '../src/operations/index.ts';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { callTool, connectStdio } from './mcp-clients.ts';
import { operationsOfCommands } from './operations-of-commands.ts';
import { runCli, runJson } from './run-cli.ts';
import { managerOf } from './store-place.ts';

/**
 * The skins cannot drift: what HTTP and the command line both offer is run through both, in two stores with the same
 * past, and the answers are compared. Only what a machine makes up on its own (ids, times, sizes that hold them) may
 * differ, and is taken out of both answers alike.
 */

/** How one operation is asked for in each skin. The same values, as each skin writes them. */
interface Case {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly command: readonly string[];
  /** What the command prints around the operation's answer. */
  readonly unwrap?: (printed: Record<string, unknown>) => unknown;
  /** What both answers are reduced to, when a command shows a part. */
  readonly part?: (answer: Record<string, unknown>) => unknown;
}

const DAY = 'one';
const first = (printed: Record<string, unknown>): unknown => (printed.sessions as unknown[])[0];

/** In this order: each begins with what those before it have left. */
const CASES: readonly Case[] = [
  {
    operation: 'addMemory',
    input: {
      session_id: DAY,
      type: 'decision',
      content: { text: 'We deploy on Fridays' },
      id: 'mem_deploy',
      importance: 0.8,
      tags: ['work.release'],
      references: [],
      provenance: { author: 'user', trust: 'owner', source: 'cli' },
    },
    command: 'add --session one --type decision --id mem_deploy --importance 0.8 --tag work.release'
      .split(' ')
      .concat('We deploy on Fridays'),
  },
  {
    operation: 'search',
    input: { text: 'deploy', explain: true },
    command: ['search', 'deploy', '--explain'],
  },
  {
    operation: 'search',
    input: { tags: { include: ['work'] }, sort_by: 'time', limit: 3, session_id: DAY },
    command: ['search', '--tag', 'work', '--sort', 'time', '--limit', '3', '--session', DAY],
  },
  {
    operation: 'search',
    input: { types: ['decision'], tags: { include: ['work'] }, sort_by: 'time', limit: 20, session_id: DAY },
    command: ['list', '--type', 'decision', '--tag', 'work', '--session', DAY],
  },
  {
    operation: 'remember',
    input: {
      session_id: DAY,
      type: 'decision',
      content: ' We deploy on Fridays ',
      tags: ['ops'],
      provenance: { author: 'user', trust: 'owner', source: 'cli' },
    },
    command: ['remember', '--session', DAY, '--type', 'decision', '--tag', 'ops', ' We deploy on Fridays '],
  },
  { operation: 'recall', input: { text: 'When do we deploy?' }, command: ['recall', 'When do we deploy?'] },
  {
    operation: 'getMemory',
    input: { session_id: DAY, memory_id: 'mem_deploy' },
    command: ['show', 'mem_deploy'],
  },
  {
    operation: 'updateMemory',
    input: { session_id: DAY, memory_id: 'mem_deploy', importance: 0.7, tags: ['work.release'] },
    command: ['edit', 'mem_deploy', '--importance', '0.7', '--tag', 'work.release'],
  },
  {
    operation: 'retrieveDetail',
    input: { memory_key: 'log_of_deploy', first_line: 2, last_line: 3 },
    command: ['show', 'log_of_deploy', '--lines', '2-3'],
  },
  {
    operation: 'loadSession',
    input: { session_id: DAY },
    command: ['show', DAY],
    unwrap: ({ session }) => session,
  },
  {
    operation: 'queryMemories',
    input: { session_id: DAY, sort_by: 'time', limit: 20 },
    command: ['show', DAY],
    part: ({ memories }) => memories,
  },
  { operation: 'listSessions', input: {}, command: ['sessions'] },
  { operation: 'searchSessions', input: { text: 'deploy' }, command: ['sessions', 'deploy'] },
  { operation: 'getSessionStats', input: { session_id: DAY }, command: ['stats', DAY] },
  {
    operation: 'exportSession',
    input: { session_id: DAY, format: 'jsonl' },
    command: ['export', '--session', DAY, '--format', 'jsonl'],
  },
  { operation: 'rebuildIndex', input: { session_id: DAY }, command: ['reindex', DAY], unwrap: first },
  {
    operation: 'compactSession',
    input: { session_id: DAY, dry_run: true, drop_faded: true },
    command: ['compact', DAY, '--dry-run', '--drop-faded'],
    unwrap: first,
  },
  {
    operation: 'writeNotes',
    input: { agent_id: 'default', text: 'First.' },
    command: ['notes', 'replace', 'First.'],
  },
  {
    operation: 'changeNotes',
    input: { agent_id: 'default', operation: 'append', content: 'Second.' },
    command: ['notes', 'append', 'Second.'],
  },
  { operation: 'readNotes', input: { agent_id: 'default' }, command: ['notes'] },
  {
    operation: 'searchNotes',
    input: { agent_id: 'default', text: 'Second' },
    command: ['notes', 'search', 'Second'],
  },
  { operation: 'listAgentMemories', input: { agent_id: 'default', limit: 20 }, command: ['journal'] },
  {
    operation: 'listAgentMemories',
    input: { agent_id: 'default', text: 'tea', type: 'core', limit: 20 },
    command: ['journal', 'tea', '--type', 'core'],
  },
  { operation: 'listNotesVersions', input: { agent_id: 'default' }, command: ['notes', 'history'] },
  {
    operation: 'readNotesVersion',
    input: { agent_id: 'default', version: 2, compare_with: 1 },
    command: ['notes', 'diff', '1', '2'],
  },
  {
    operation: 'restoreNotes',
    input: { agent_id: 'default', version: 1 },
    command: ['notes', 'restore', '1'],
  },
  {
    operation: 'previewForgetting',
    input: { topic: 'work' },
    command: ['forget', '--topic', 'work', '--dry-run'],
  },
  { operation: 'forget', input: { topic: 'work' }, command: ['forget', '--topic', 'work', '--yes'] },
  { operation: 'exportUser', input: {}, command: ['export'] },
  {
    operation: 'createKey',
    input: { label: 'laptop', access: 'read', user_id: 'ada' },
    command: ['keys', 'create', 'laptop', '--access', 'read', '--for-user', 'ada'],
  },
  { operation: 'listKeys', input: {}, command: ['keys'] },
];

let server: TestServer;
let folder: string;
beforeAll(async () => {
  server = await startTestServer();
  folder = mkdtempSync(join(tmpdir(), 'longhand-skins-'));
  // The command line makes what it needs; over HTTP one asks for it.
  await server.call('POST', '/api/sessions', { session_id: DAY, agents: ['default'] });
  await server.call('POST', '/api/agents', { name: 'default' });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function overHttp(name: string, input: Readonly<Record<string, unknown>>): Promise<unknown> {
  const { method, path, status = 200 } = operationNamed(name).http;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, key]) => key!);
  const address = path.replaceAll(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key])));
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !inPath.includes(key)));
  const query =
    method === 'GET'
      ? new URLSearchParams(
          Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, String(value)])),
        ).toString()
      : '';
  const answer = await server.call(
    method,
    `${address}${query === '' ? '' : `?${query}`}`,
    method === 'GET' ? undefined : rest,
    { accept: 'application/json' },
  );
  expect(answer.status, JSON.stringify(answer.body)).toBe(status);
  return answer.body;
}

const MADE_UP =
  /"(timestamp|created_at|first_memory_at|updated_at|confirmed_at|exported_at|receipt_id|token|last_compaction|id)":"[^"]*"|"(relevance|recency|duration_ms|decay|bytes_before|bytes_after|total_size_bytes|log|index|tombstones|total|seq)":[\d.e-]+/g;
const IN_TEXT = /\\"(timestamp|updated_at|confirmed_at)\\":\\"[^"]*\\"/g;

/** Without what differs in every run; ids that were given stay. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value)
    .replaceAll(MADE_UP, (found, named?: string) =>
      found.includes('mem_deploy') ? found : `"${named ?? 'number'}":0`,
    )
    .replaceAll(IN_TEXT, '');
  return JSON.parse(text) as unknown;
}

/** A kept value, which the command line shows and does not make. */
async function keepDetail(): Promise<void> {
  const value = { content: 'one\ntwo\nthree\nfour', description: 'The log of a deployment' };
  await overHttp('storeDetail', { ...value, session_id: DAY, memory_key: 'log_of_deploy' });
  await using manager = await managerOf(join(folder, 'store'));
  const memory = manager.as({ account_id: 'local', user_id: 'me' });
  await memory.storeDetail(DAY, { ...value, key: 'log_of_deploy' });
}

describe('HTTP and the command line', () => {
  for (const { operation, input, command, unwrap, part } of CASES) {
    it(`give the same answer to ${operation} (longhand ${command.join(' ')})`, async () => {
      if (operation === 'retrieveDetail') await keepDetail();
      const web = await overHttp(operation, input);
      const printed = await runJson<Record<string, unknown>>(
        ...command,
        '--storage-root',
        join(folder, 'store'),
      );
      const answer = part?.(web as Record<string, unknown>) ?? web;
      expect(comparable((unwrap ?? part)?.(printed) ?? printed)).toEqual(comparable(answer));
    });
  }

  it('revoke the same key in the same way', async () => {
    const { keys } = (await overHttp('listKeys', {})) as { keys: { id: string }[] };
    const store = ['--storage-root', join(folder, 'store')];
    const own = await runJson<{ keys: { id: string }[] }>('keys', ...store);
    const web = await overHttp('revokeKey', { key_id: keys[0]!.id });
    const printed = await runJson('keys', 'revoke', own.keys[0]!.id, ...store);
    expect(comparable(printed)).toEqual(comparable(web));
  });

  it('end all sessions of browsers in the same way', async () => {
    const web = await overHttp('endSessions', {});
    expect(await runJson('keys', 'end-sessions', '--storage-root', join(folder, 'store'))).toEqual(web);
  });

  it('capture the same output in the same way', async () => {
    const output = `${'a long line of the log '.repeat(300)}\n`;
    const input = { session_id: DAY, output, command: `printf ${output}`, status: 'success', always: true };
    const web = await overHttp('captureOutput', input);
    const store = ['--storage-root', join(folder, 'store')];
    const ran = await runCli('run', '--json', '--session', DAY, ...store, '--', 'printf', output);
    const { exit_code, ...printed } = JSON.parse(ran.stdout);
    expect(exit_code).toBe(0);
    const keyless = (value: unknown) =>
      JSON.parse(JSON.stringify(comparable(value)).replaceAll(/command_output_\w+/g, 'KEY'));
    expect(keyless(printed)).toEqual(keyless(web));
  });

  it('answer a message with the same fields', async () => {
    const message = 'Remember that my boat is called Zoe';
    const fieldsOf = (answer: unknown): readonly string[] => Object.keys(answer as object).sort();
    const web = (await overHttp('chat', {
      session_id: 'talk',
      new_messages: [{ role: 'user', content: message }],
    })) as { tools: readonly object[] };
    const printed = await runJson<{ tools: readonly object[] }>(
      ...['chat', message, '--session', 'talk', '--storage-root', join(folder, 'store')],
    );
    expect(fieldsOf(printed)).toEqual(fieldsOf(web));
    expect(printed.tools.map(fieldsOf)).toEqual(web.tools.map(fieldsOf));
  });

  it('import the same file in the same way', async () => {
    const content = '{"id":"mem_tea","content":"Likes tea","hash":"x"}\n{"kind":"session","id":"two"}\n';
    const name = join(folder, 'tea.jsonl');
    writeFileSync(name, content);
    const web = await overHttp('importMemories', { content, name });
    expect(await runJson('import', name, '--storage-root', join(folder, 'store'))).toEqual(web);
    expect(web).toMatchObject({ memories: 1, sessions: 1, left_out_fields: { hash: 1 } });
  });

  it('are compared in everything that commands run', () => {
    const compared = new Set([
      ...CASES.map(({ operation }) => operation),
      'revokeKey',
      'endSessions',
      'chat',
      'captureOutput',
      'importMemories',
    ]);
    const run = operationsOfCommands().map(({ name }) => name);
    expect(run.length).toBeGreaterThan(20);
    expect(run.filter((name) => !compared.has(name))).toEqual([]);
  });
});

describe('MCP and the tools', () => {
  it('give the same answers, tool by tool', async () => {
    const root = join(folder, 'tools');
    const client = await connectStdio(join(folder, 'mcp'), '2026-07-28', { args: ['--session', 'desk'] });
    await using manager = await managerOf(root);
    await manager.createSession('me', { session_id: 'desk', account_id: 'local', agents: ['default'] });
    const scope = await manager
      .as({ account_id: 'local', user_id: 'me', agent_id: 'default' })
      .toolScope('desk');
    const inputs: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>> = {
      manage_long_term_memory: [
        { operation: 'append', content: '# Tone\nShort.' },
        {},
        { operation: 'jump' },
      ],
      save_to_journal: [{ content: 'met Ada' }, {}],
      save_to_core: [{ content: 'be kind' }],
      store_memory: [{ content: 'tea is green', type: 'finding' }, { content: 'x', type: 'core' }, {}],
      retrieve_memory: [{ memory_key: 'mem_none' }, {}],
      search_memory: [{ query: 'tea' }, { query: 'tea', thread_id: 'other' }, { query: '' }],
      update_memory: [{ memory_key: 'mem_none', content: 'x' }, {}],
      list_memories: [{ types: ['finding'] }, { types: ['fact'] }, { cursor: 'x' }],
      forget_memory: [
        { memory_key: 'mem_none' },
        { text: 'tea is', preview: true },
        { memory_key: 'mem_none', preview: true },
      ],
    };
    try {
      for (const tool of toolsNamed(TOOL_NAMES)) {
        for (const input of inputs[tool.name]!) {
          const direct = withoutKeys(await tool.run(input, scope));
          expect(withoutKeys(await callTool(client, tool.name, input)), tool.name).toEqual(direct);
        }
      }
    } finally {
      await client.close();
    }
  });
});

function withoutKeys(result: Readonly<Record<string, unknown>>): unknown {
  return JSON.parse(
    JSON.stringify(result)
      .replaceAll(/mem_[0-9A-Z]{20,}/g, 'mem')
      .replaceAll(/"(timestamp|memory_id)":"[^"]*"|"relevance":[\d.]+/g, '"made_up":0'),
  );
}
