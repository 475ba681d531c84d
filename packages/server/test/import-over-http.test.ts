import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, startTestServer, type TestServer } from './http-fixture.ts';
import { runJson } from './run-cli.ts';

let servers: TestServer[];
beforeEach(() => {
  servers = [];
});
afterEach(async () => {
  for (const server of servers) await server.stop();
});

async function started(flags: Readonly<Record<string, unknown>> = {}): Promise<TestServer> {
  const server = await startTestServer({ flags });
  servers.push(server);
  return server;
}

const ADA = { 'longhand-user': 'ada' };
const bring = (server: TestServer, content: string, more = {}, headers: Record<string, string> = ADA) =>
  server.call('POST', '/api/import', { content, ...more }, headers);

/** All layers of a user. */
async function filled(server: TestServer): Promise<void> {
  const memories = '/api/sessions/one/memories';
  await server.done('POST', '/api/sessions', { session_id: 'one' }, ADA);
  await server.done('POST', memories, { content: 'I live in Hamburg', id: 'mem_old' }, ADA);
  const replaces = { content: 'I live in Lisbon', id: 'mem_new', replaces: ['mem_old'] };
  await server.done('POST', memories, replaces, ADA);
  const messages_batch = [{ id: 'm1', role: 'user', content: 'Hello there' }];
  await server.done('POST', '/api/chat/session/archive_messages', { session_id: 'one', messages_batch }, ADA);
  const detail = { session_id: 'one', content: 'a long text', memory_key: 'log_1', description: 'a log' };
  await server.done('POST', '/api/details', detail, ADA);
  await server.done('POST', '/api/agents', { name: 'scout' });
  const { journal } = await server.services.manager.layers();
  const provenance = { session_id: 'one', user_id: 'ada' };
  await journal.save('scout', 'core', 'Ada is brief', { id: 'amem_brief', provenance });
  await server.done('PUT', '/api/agents/scout/notes', { text: '# Tone\nShort.' }, ADA);
}

async function exported(server: TestServer, headers = ADA): Promise<string> {
  return (await server.call('GET', '/api/privacy/export', undefined, headers)).text;
}

/** Without what says when it was exported, and when the notes were taken down. */
function comparable(lines: string): readonly unknown[] {
  return lines
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ exported_at: _when, versions: _versions, ...line }) =>
      line.kind === 'notes' ? { ...line, updated_at: '' } : line,
    );
}

const NOTHING = { sessions: 0, memories: 0, messages: 0, notes: 0, details: 0, agent_memories: 0 };
const ALL = { sessions: 1, memories: 2, messages: 1, notes: 1, details: 1, agent_memories: 1 };

describe('an export of another server', () => {
  it('comes back as it was, once, and the command says the same', async () => {
    const from = await started();
    await filled(from);
    const content = await exported(from);
    const folder = mkdtempSync(join(tmpdir(), 'longhand-import-'));
    const file = join(folder, 'ada.jsonl');
    writeFileSync(file, content);
    const told = await runJson('import', file, '--user', 'ada', '--storage-root', join(folder, 'store'));
    rmSync(folder, { recursive: true });

    const to = await started();
    const dry = await bring(to, content, { dry_run: true });
    expect(dry.body).toEqual(told);
    expect(dry.body).toMatchObject({ format: 'longhand', ...ALL, already_there: NOTHING });
    expect(dry.body.samples).toContainEqual({ kind: 'memories', text: 'I live in Lisbon' });
    expect((await to.done('GET', '/api/sessions', undefined, ADA)).sessions).toEqual([]);
    expect((await bring(to, content)).body).toEqual(told);
    expect(comparable(await exported(to))).toEqual(comparable(content));
    const again = { ...NOTHING, already_there: ALL, skipped_deleted: 0, samples: [] };
    for (const dry_run of [true, false])
      expect((await bring(to, content, { dry_run })).body).toMatchObject(again);
    expect(comparable(await exported(to))).toEqual(comparable(content));
  });

  it('brings back nothing that was deleted or forgotten here', async () => {
    const server = await started();
    await filled(server);
    const content = await exported(server);
    const forget = (what: object) => server.done('POST', '/api/privacy/forget', what, ADA);
    await forget({ ids: ['mem_new', 'm1'] });
    const left = comparable(await exported(server));
    const { body } = await bring(server, content);
    expect(body).toMatchObject({ ...NOTHING, skipped_deleted: 1 });
    expect(comparable(await exported(server))).toEqual(left);
    expect(await exported(server)).not.toMatch(/Lisbon|Hello there/);
    await forget({ session_id: 'one' });
    for (const dry_run of [true, false])
      expect((await bring(server, content, { dry_run })).body).toMatchObject({ sessions: 0, memories: 0 });
    expect((await server.done('GET', '/api/sessions', undefined, ADA)).sessions).toEqual([]);
    // Another user has forgotten nothing.
    const bob = { 'longhand-user': 'bob' };
    expect((await bring(server, content, {}, bob)).body).toMatchObject({ memories: 2, sessions: 1 });
  });
});

describe('files of other programs', () => {
  it.each([
    ['mem0', '{"results":[{"id":"a1","memory":"Likes tea","hash":"x"}]}', { left_out_fields: { hash: 1 } }],
    ['mcp_memory', '{"type":"entity","name":"Ada","entityType":"person","observations":["tea"]}', {}],
    ['memories', '{"id":"a1","content":"Likes tea","user_id":"eve"}', { of_other_users: { eve: 1 } }],
  ])('are recognised: %s', async (format, content, more) => {
    const server = await started();
    expect((await bring(server, content)).body).toMatchObject({ format, memories: 1, ...more });
    expect((await server.done('POST', '/api/memories/recall', { text: 'tea' }, ADA)).memories).toHaveLength(
      1,
    );
  });
});

describe('what is refused', () => {
  it('names its line, and nothing is written', async () => {
    const server = await started();
    const bad: readonly (readonly [string, string, number])[] = [
      ['{"content":"good"}\nnonsense', 'tea.jsonl, line 2: This is not JSON.', 400],
      [
        '{"content":"good"}\n{"content":"x","importanc":1}',
        'line 2: A memory has no field "importanc".',
        400,
      ],
      [
        '{"id":"a","content":"x"}\n{"id":"a","content":"y"}',
        'line 2: The session already holds another',
        409,
      ],
      [`{"content":"good"}\n{"content":${'['.repeat(50_000)}1${']'.repeat(50_000)}}`, 'line 2: ', 400],
    ];
    for (const [content, reason, status] of bad)
      for (const dry_run of [true, false]) {
        const answer = await bring(server, content, { dry_run, name: 'tea.jsonl' });
        expect([answer.status, answer.body.detail]).toEqual([status, expect.stringContaining(reason)]);
        expect(answer.body.detail).toContain('Nothing was imported.');
      }
    expect((await server.done('GET', '/api/sessions', undefined, ADA)).sessions).toEqual([]);
  });

  it('is a session of another user, and a file that is too long', async () => {
    const server = await started({ 'limits-body-kb': 8 });
    await server.done('POST', '/api/sessions', { session_id: 'one' }, { 'longhand-user': 'eve' });
    const foreign = await bring(server, '{"content":"good","session_id":"one"}');
    expect([foreign.status, foreign.body.detail]).toEqual([400, expect.stringContaining('line 1: ')]);
    const long = await bring(server, 'x'.repeat(9_000));
    expect([long.status, long.body.detail]).toEqual([
      413,
      'The body is longer than 8192 bytes (limits.bodyKb). longhand import takes files of any length.',
    ]);
  });

  it('follows from the key', async () => {
    const server = await started({ 'auth-enabled': true });
    const asking = async (key: object) => {
      const all = { label: 'k', user_id: 'ada', agent_id: null, access: 'write', ...key };
      const { token } = await server.services.gate.keys.create(all as never);
      return { authorization: `Bearer ${token}` };
    };
    const content = '{"content":"good"}';
    const bring = async (key: object, what = content) =>
      call(server.server.url, 'POST', '/api/import', { content: what }, await asking(key));
    expect((await bring({})).body).toMatchObject({ memories: 1 });
    expect((await bring({ access: 'read' })).status).toBe(403);
    expect((await bring({ user_id: null })).body.code).toBe('SCOPE_MISSING');
    expect((await bring({ agent_id: 'scout' })).body.code).toBe('SCOPE_MISSING');
    // A member makes no agents, and shares nothing with other users.
    const line = { kind: 'agent_memory', agent_id: 'scout', id: 'amem_1', memory_type: 'core', content: 'x' };
    const shared = JSON.stringify({ ...line, share_memory: true });
    expect((await bring({}, shared)).body.detail).toContain('Only an admin can create it.');
    await call(
      server.server.url,
      'POST',
      '/api/agents',
      { name: 'scout' },
      await asking({ access: 'admin' }),
    );
    const taken = await bring({}, shared);
    expect(taken.body).toMatchObject({ agent_memories: 1 });
    const { body } = await call(
      server.server.url,
      'GET',
      '/api/agents/scout/memories',
      undefined,
      await asking({ user_id: 'eve' }),
    );
    expect(body.memories).toEqual([]);
  });
});
