import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client, RequestMethod } from '@modelcontextprotocol/client';
import { TOOLS } from 'longhand/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectStdio, PROTOCOLS, type ProtocolName } from './mcp-clients.ts';

/** What a model or a person reads when something is wrong: what it is, and what can be given. */

/** Inputs that do not fit, and what is said of them. Every tool has some. */
const REFUSED: Readonly<Record<string, readonly [object, string][]>> = {
  manage_long_term_memory: [
    [{ operation: 'jump' }, 'operation must be one of read, overwrite, append'],
    [{ text: 'x' }, 'There is no parameter text; there are: operation, content, section_header.'],
  ],
  save_to_journal: [[{}, 'content is missing: The memory to save']],
  save_to_core: [[{ content: 7 }, 'content must be a text.']],
  store_memory: [
    [{}, 'content is missing.'],
    [{ content: 'x', importance: 2, tags: 5 }, 'importance must be at most 1. tags must be a list.'],
    [{ content: ' ' }, 'content must not be blank.'],
  ],
  retrieve_memory: [
    [{}, 'memory_key is missing: a key from another tool, or from [MemoryRef: key - …].'],
    [{ memory_key: 'x', lines: [1] }, 'lines must have exactly 2 items.'],
    [{ memory_key: 'x', page: 0 }, 'page must be at least 1.'],
  ],
  search_memory: [
    [{}, 'query is missing: Words or a question.'],
    [{ query: [] }, 'query must be a text.'],
    [{ query: 'x', limit: 99 }, 'limit must be at most 50.'],
  ],
  update_memory: [[{ content: 'x' }, 'memory_key is missing.']],
  list_memories: [[{ limit: 0 }, 'limit must be at least 1.']],
  forget_memory: [[{ memory_key: 'x', preview: 'yes' }, 'preview must be true or false.']],
};

/** Requests that do not fit, and what is said of them. */
const REQUESTS: readonly [RequestMethod, object, string, string | undefined][] = [
  ['tools/call', {}, 'name is missing.', 'INVALID_INPUT'],
  [
    'tools/call',
    { name: 'search_memory', arguments: 'tea' },
    'arguments must be an object.',
    'INVALID_INPUT',
  ],
  [
    'tools/call',
    { name: 'remember' },
    'Tool remember not found; there are: manage_long_term_memory',
    undefined,
  ],
  ['prompts/get', { name: 'load' }, 'Prompt load not found; there are: load_context', undefined],
  [
    'prompts/get',
    { name: 'load_context', arguments: { topic: 7 } },
    'arguments.topic must be a text.',
    'INVALID_INPUT',
  ],
  [
    'prompts/get',
    { name: 'load_context', arguments: { budget_tokens: 'many' } },
    'budget_tokens must be a whole number, such as 2000.',
    'INVALID_INPUT',
  ],
  [
    'prompts/get',
    { name: 'load_context', arguments: { subject: 'tea' } },
    'There is no parameter subject; there are: topic, session_id, budget_tokens.',
    'INVALID_INPUT',
  ],
  [
    'prompts/get',
    { name: 'load_context', arguments: { session_id: 'none' } },
    'no session none',
    'SESSION_NOT_FOUND',
  ],
  ['resources/read', {}, 'uri is missing.', 'INVALID_INPUT'],
  ['resources/read', { uri: 'notes' }, 'not found: notes. There are memory://notes/{agent}', 'INVALID_INPUT'],
  ['resources/read', { uri: 'memory://journal/x' }, 'There are memory://notes/{agent}', 'INVALID_INPUT'],
  [
    'resources/read',
    { uri: 'memory://details/x' },
    'resources/list lists the existing ones',
    'DETAIL_NOT_FOUND',
  ],
  ['resources/read', { uri: 'memory://sessions/%zz' }, '%zz is not encoded', 'INVALID_INPUT'],
  ['resources/list', { cursor: 5 }, 'cursor must be a text.', 'INVALID_INPUT'],
  ['resources/list', { cursor: 'x' }, 'Leave it out for the first page', 'INVALID_INPUT'],
];

/** The validator's own words, and its lists of issues. */
const RAW = /expected|received|invalid input|"path"/i;

describe.each(Object.keys(PROTOCOLS) as ProtocolName[])('errors in MCP, protocol %s', (protocol) => {
  let root: string;
  let client: Client;
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'longhand-errors-'));
    client = await connectStdio(root, protocol);
  });
  afterAll(async () => {
    await client.close();
    rmSync(root, { recursive: true, force: true });
  });

  it.each(TOOLS.map(({ name }) => name))('of %s say what is wrong and what can be given', async (name) => {
    for (const [input, sentence] of REFUSED[name]!) {
      const { isError, structuredContent, content } = await client.callTool({
        name,
        arguments: { ...input },
      });
      expect(isError).toBe(true);
      const told = structuredContent as { error: string; code: string; errors: { field: string }[] };
      expect(told.error).toContain(sentence);
      expect(told.error).not.toMatch(RAW);
      expect(told.code).toBe('INVALID_INPUT');
      expect(told.errors.length).toBeGreaterThan(0);
      expect(JSON.parse((content[0] as { text: string }).text)).toEqual(told);
    }
  });

  it('of the library name the parameter too', async () => {
    const input = { query: 'tea', within: 'soonish' };
    const { isError, structuredContent } = await client.callTool({ name: 'search_memory', arguments: input });
    expect(isError).toBe(true);
    expect(structuredContent).toMatchObject({ code: 'INVALID_QUERY', errors: [{ field: 'within' }] });
  });

  it.each(REQUESTS)('of %s %j say what is wrong', async (method, params, sentence, code) => {
    const request = client.request({ method, params: { ...params } });
    const error = (await request.then(
      () => expect.unreachable(),
      (thrown: unknown) => thrown,
    )) as { code: number; message: string; data?: { code?: string } };
    expect(error.message).toContain(sentence);
    expect(error.message).not.toMatch(RAW);
    expect(error.code).toBe(-32602);
    expect(error.data?.code).toBe(code);
  });
});
