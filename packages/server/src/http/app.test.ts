import { LIMITS } from 'longhand';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, startTestServer, type TestServer } from '../../test/http-fixture.ts';
import { OPERATIONS } from '../operations/index.ts';

let server: TestServer;
const asked = new Set<string>();

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.stop());

/** Calls an operation by its name, and checks that the answer is what the table says. */
async function operate(
  name: string,
  fields: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Body> {
  const operation = OPERATIONS.find((one) => one.name === name)!;
  const { method, path, status = 200 } = operation.http;
  const rest = { ...fields };
  const target = path.replaceAll(/\{(\w+)\}/g, (_all, field: string) => {
    const value = rest[field];
    delete rest[field];
    return encodeURIComponent(String(value));
  });
  const inQuery = method === 'GET' || method === 'DELETE';
  const query = inQuery ? `?${new URLSearchParams(rest as Record<string, string>)}` : '';
  const answer = await server.call(method, `${target}${query}`, inQuery ? undefined : rest, headers);
  expect(answer.body, `${name}: ${JSON.stringify(answer.body)}`).not.toHaveProperty('code');
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-request-id')).toBeTruthy();
  if (typeof answer.body === 'object') {
    const parsed = operation.output.safeParse(answer.body);
    expect(parsed.error?.issues, `${name} answers what it promises`).toBeUndefined();
  }
  asked.add(name);
  return answer.body;
}

describe('sessions and memories', () => {
  it('remembers, recalls, shows and forgets for a user', async () => {
    const old = await operate('remember', { content: 'My dentist is in Mill Lane', tags: ['health'] });
    expect(old).toMatchObject({ confirmed: false, similar: [], session_id: expect.stringMatching(/^day-/) });
    const again = await operate('remember', { content: ' My dentist is in Mill Lane', tags: ['teeth'] });
    expect(again).toMatchObject({ id: old.id, confirmed: true });
    const content = 'My dentist is in Park Street now';
    const { id, similar } = await operate('remember', { content, replaces: [old.id] });
    expect(similar).toEqual([]);
    const idsOf = async (more = {}) =>
      (await operate('recall', { text: 'Where is my dentist?', ...more })).memories.map((found) => found.id);
    expect(await idsOf()).toEqual([id]);
    expect((await idsOf({ include_replaced: true })).sort()).toEqual([old.id, id].sort());
    const { messages } = await operate('contextOfUser', {
      messages: [{ role: 'user', content: 'Where is my dentist?' }],
    });
    expect(JSON.stringify(messages)).toContain('Park Street');
    expect(JSON.stringify(messages)).not.toContain('Mill Lane');
    const going = await operate('forgetMemories', { text: 'park street', dry_run: true });
    expect(going).toMatchObject({ memories: 1, items: [{ kind: 'memory', id }] });
    expect(await idsOf()).toEqual([id]);
    expect(await operate('forgetMemories', { ids: [id] })).toMatchObject({ pieces: { memories: 1 } });
    expect(await idsOf()).toEqual([]);
    const careless = await server.call('POST', '/api/memories/forget', {});
    expect([careless.status, careless.body.code]).toEqual([400, 'INVALID_OPTION']);
    const unknown = await server.call('POST', '/api/memories', { content: 'x', replaces: ['mem_none'] });
    expect([unknown.status, unknown.body.code]).toEqual([400, 'INVALID_ENTRY']);
    await operate('forgetMemories', { ids: [old.id] });
  });

  it('lives the life of a session', async () => {
    const made = await operate('createSession', { session_id: 'life', preferences: { language: 'en' } });
    expect(made).toMatchObject({ id: 'life', user_id: 'me', account_id: 'local' });
    const { id } = await operate('addMemory', {
      session_id: 'life',
      type: 'decision',
      content: { text: 'We ship in May' },
      tags: ['plan.release'],
    });
    const { ids } = await operate('addMemories', {
      session_id: 'life',
      memories: [
        { type: 'finding', content: { text: 'The build takes nine minutes' }, tags: ['build'] },
        { type: 'preference', content: { text: 'Tea, not coffee' }, importance: 0.9 },
      ],
    });
    expect(await operate('getMemory', { session_id: 'life', memory_id: id })).toMatchObject({
      id,
      content: { text: 'We ship in May' },
    });
    expect((await operate('listMemories', { session_id: 'life', limit: 2 })).next_cursor).toBeTruthy();
    const found = await operate('queryMemories', {
      session_id: 'life',
      text: 'when do we ship?',
      explain: true,
    });
    expect(found.memories[0]).toMatchObject({ id, explanation: { importance: 0.5 } });
    const { relevance, explanation } = found.memories[0]!;
    const scores = [relevance, explanation.recency, ...Object.values(explanation.match_parts)];
    for (const score of scores) expect(score).toBe(Number(Number(score).toPrecision(4)));
    const similar = { session_id: 'life', memory_id: id, scope: 'user' };
    expect((await operate('similarMemories', similar)).memories).toEqual([]);
    expect((await server.call('GET', '/api/sessions/life/memories/mem_none/similar')).body.code).toBe(
      'MEMORY_NOT_FOUND',
    );
    await operate('updateMemory', { session_id: 'life', memory_id: ids[0], importance: 1 });
    const updated = await operate('updateMemory', { session_id: 'life', memory_id: ids[0], tags: ['build'] });
    expect(updated).toMatchObject({ id: ids[0], importance: 1, tags: ['build'] });
    expect((await operate('getSessionStats', { session_id: 'life' })).total_entries).toBe(3);
    expect(
      (await operate('previewFading', { session_id: 'life', threshold: 0.3 })).memories.length,
    ).toBeGreaterThan(0);
    expect((await operate('exportSession', { session_id: 'life', format: 'jsonl' })).content).toContain(
      'May',
    );
    const preview = { session_id: 'life', topic: 'build', dry_run: true };
    expect(await operate('deleteMemoriesByTopic', preview)).toEqual({
      would_delete: 1,
      items: [{ id: ids[0], text: expect.any(String) }],
    });
    expect(await operate('deleteMemoriesByTopic', { ...preview, dry_run: false })).toEqual({ deleted: 1 });
    expect(await operate('deleteMemory', { session_id: 'life', memory_id: ids[1] })).toEqual({ deleted: 1 });
    const range = { session_id: 'life', start: '2000-01-01T00:00:00Z', end: '2001-01-01T00:00:00Z' };
    expect(await operate('deleteMemoriesByTimeRange', range)).toEqual({
      deleted: 0,
      time_range: { start: '2000-01-01T00:00:00.000Z', end: '2001-01-01T00:00:00.000Z' },
    });
    expect((await operate('compactSession', { session_id: 'life' })).entries_after).toBe(1);
    expect((await operate('rebuildIndex', { session_id: 'life' })).entries).toBe(1);
    expect(await operate('updateSession', { session_id: 'life', agents: ['scout'] })).toMatchObject({
      agents: ['scout'],
    });
    expect(await operate('loadSession', { session_id: 'life' })).toMatchObject({ agents: ['scout'] });
    await operate('closeSession', { session_id: 'life' });
    expect((await operate('listSessions', {})).sessions.map((one: { id: string }) => one.id)).toContain(
      'life',
    );
    expect(await operate('deleteSession', { session_id: 'life' })).toEqual({
      session_id: 'life',
      deleted: true,
    });
  });

  it('pages through a list to its end, each item once', async () => {
    for (const session_id of ['p1', 'p2', 'p3']) await operate('createSession', { session_id });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await operate('listSessions', { limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      seen.push(...page.sessions.map(({ id }: { id: string }) => id));
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    expect(seen.filter((id) => /^p\d$/.test(id))).toEqual(['p1', 'p2', 'p3']);
    expect((await server.call('GET', '/api/sessions?cursor=nonsense')).body.code).toBe('INVALID_QUERY');
  });

  it('searches everything of the user', async () => {
    await operate('createSession', { session_id: 'find-a' });
    await operate('createSession', { session_id: 'find-b' });
    const text = 'The zeppelin lands at dawn';
    await operate('addMemory', { session_id: 'find-a', type: 'finding', content: { text } });
    await operate('storeDetail', { session_id: 'find-b', content: 'zeppelin '.repeat(50), type: 'log' });
    const found = await operate('search', { text: 'zeppelin' });
    expect(found.memories[0]?.content).toEqual({ text });
    expect(found.details).toHaveLength(1);
    expect((await operate('search', { text: 'zeppelin', session_id: 'find-b' })).memories).toEqual([]);
    // Details have none of this, and were not there then.
    for (const narrowed of [
      { types: ['finding'] },
      { min_importance: 0.1 },
      { as_of: '2020-01-01T00:00:00Z' },
    ])
      expect(await operate('search', { text: 'zeppelin', ...narrowed })).not.toHaveProperty('details');
    const { sessions } = await operate('searchSessions', { text: 'zeppelin' });
    expect(sessions[0]?.session_id).toBe('find-a');
  });
});

it('takes a text as long as the library does, and says how long that is', async () => {
  const text = 'tea '.repeat(LIMITS.queryCharacters / 4);
  for (const [name, path] of [
    ['search', '/api/search'],
    ['searchSessions', '/api/search/sessions'],
  ] as const) {
    await operate(name, { text });
    const { status, body } = await server.call('POST', path, { text: `${text}.` });
    expect([status, body.detail]).toEqual([400, 'text must have at most 131072 characters.']);
  }
});

describe('agents, notes and details', () => {
  it('keeps agents with their private memories', async () => {
    await operate('createAgent', { name: 'näo/1', system_prompt: 'Be brief.' });
    expect((await operate('listAgents', {})).agents).toMatchObject([{ id: 'näo/1' }]);
    await operate('updateAgent', { agent_id: 'näo/1', colour: 'teal' });
    expect(await operate('getAgent', { agent_id: 'näo/1' })).toMatchObject({ colour: 'teal' });
    const saved = await operate('addAgentMemory', {
      agent_id: 'näo/1',
      memory_type: 'journal',
      content: 'Learned to listen',
    });
    const one = { agent_id: 'näo/1', memory_id: saved.id };
    await operate('updateAgentMemory', { ...one, content: 'Learned to wait', memory_type: 'core' });
    expect(await operate('getAgentMemory', one)).toMatchObject({
      memory_type: 'core',
      content: 'Learned to wait',
      history: [{ content: 'Learned to listen' }],
    });
    expect((await operate('listAgentMemories', { agent_id: 'näo/1', type: 'core' })).memories).toHaveLength(
      1,
    );
    const asked = { agent_id: 'näo/1', text: 'Do I have patience?' };
    const other = { agent_id: 'näo/1', memory_type: 'core', content: 'The door is blue' };
    await operate('addAgentMemory', other);
    const { memories } = await operate('listAgentMemories', { ...asked, text: 'learned waiting' });
    expect(memories).toMatchObject([{ content: 'Learned to wait', match: 1 }]);
    expect((await operate('listAgentMemories', { ...asked, type: 'journal' })).memories).toEqual([]);
    await operate('deleteAgentMemory', one);
    await operate('deleteAgent', { agent_id: 'näo/1' });
    expect((await server.call('GET', '/api/agents/scoutless')).status).toBe(404);
  });

  it('keeps notes with their versions, and no change overwrites what was not read', async () => {
    await operate('createAgent', { name: 'noter' });
    const first = await operate('writeNotes', { agent_id: 'noter', text: '# Likes\n\ntea\n' });
    await operate('changeNotes', { agent_id: 'noter', operation: 'append', content: '# Home\n\nOslo\n' });
    const stale = { text: 'x', expected_version: first.version };
    const conflict = await server.call('PUT', '/api/agents/noter/notes', stale);
    expect([conflict.status, conflict.body.code]).toEqual([409, 'NOTES_CONFLICT']);
    expect((await operate('readNotes', { agent_id: 'noter' })).text).toContain('Oslo');
    const { sections } = await operate('searchNotes', { agent_id: 'noter', text: 'Oslo' });
    expect(sections).toEqual([{ title: 'Home', text: '# Home\n\nOslo\n', match: 1 }]);
    expect((await operate('listNotesVersions', { agent_id: 'noter' })).versions).toHaveLength(2);
    const old = { agent_id: 'noter', version: first.version };
    expect((await operate('readNotesVersion', { ...old, compare_with: 2 })).diff).toContain('-Oslo');
    expect((await operate('restoreNotes', old)).text).not.toContain('Oslo');
  });

  it('keeps details and gives parts of them', async () => {
    await operate('createSession', { session_id: 'det' });
    const content = Array.from({ length: 300 }, (_, i) => `line ${i + 1}`).join('\n');
    const { memory_key } = await operate('storeDetail', { session_id: 'det', content, type: 'log' });
    const lines = await operate('retrieveDetail', { memory_key, first_line: 7, last_line: 8 });
    expect(lines).toMatchObject({ part: 'lines', lines: [7, 8] });
    expect((await operate('retrieveDetail', { memory_key, search: 'line 299' })).total_matches).toBe(1);
    expect((await operate('listDetails', { session_id: 'det' })).details).toHaveLength(1);
    expect(await operate('updateDetail', { memory_key, is_active: false })).toMatchObject({
      is_active: false,
    });
    expect(await operate('captureOutput', { session_id: 'det', output: content })).toMatchObject({
      text: expect.stringContaining('[MemoryRef: '),
      is_captured: true,
    });
    await operate('deleteDetail', { memory_key });
    expect((await server.call('GET', `/api/details/${memory_key}`)).body.code).toBe('DETAIL_NOT_FOUND');
  });
});

describe('conversations', () => {
  it('archives each message once and reads them back', async () => {
    await operate('createSession', { session_id: 'talk' });
    const messages_batch = [
      { id: 'm1', sender: 'user', text: 'Hello', timestamp: '2026-01-01T00:00:00Z' },
      { id: 'm2', role: 'assistant', content: 'Hello to you' },
    ];
    const batch = { session_id: 'talk', messages_batch, batch_id: 'b1' };
    expect(await operate('archiveMessages', batch)).toMatchObject({ archived: 2 });
    expect(await operate('archiveMessages', { ...batch, batch_id: 'b2' })).toMatchObject({ duplicates: 2 });
    const nowhere = { ...batch, session_id: 'nowhere' };
    expect(await operate('archiveMessages', nowhere)).toMatchObject({ archived: 2 });
    expect(await operate('listChatMessages', { session_id: 'nowhere' })).toMatchObject({
      messages: [{ id: 'm1' }, { id: 'm2' }],
    });
    // A late request of a browser does not bring a deleted session back.
    expect((await server.call('DELETE', '/api/sessions/nowhere')).status).toBeLessThan(300);
    const refused = await server.call('POST', '/api/chat/session/archive_messages', nowhere);
    expect([refused.status, refused.body.code]).toEqual([410, 'SESSION_DELETED']);
    expect((await server.call('GET', '/api/chat/sessions/nowhere')).status).toBe(404);
    const { messages } = await operate('listChatMessages', { session_id: 'talk' });
    expect(messages.map(({ role, content }: { role: string; content: string }) => [role, content])).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Hello to you'],
    ]);
    expect(await operate('getChatSession', { session_id: 'talk' })).toMatchObject({
      summary: null,
      summarizedCount: 0,
    });
    expect((await operate('listChatSessions', {})).sessions.length).toBeGreaterThan(0);
  });

  it('assembles a context with its reasons', async () => {
    await operate('createSession', { session_id: 'ctx' });
    await operate('addMemory', {
      session_id: 'ctx',
      type: 'preference',
      content: { text: 'Answers in French, please' },
    });
    const { messages, manifest } = await operate('assembleContext', {
      session_id: 'ctx',
      messages: [{ role: 'user', content: 'In which language do I want answers?' }],
      budget: 1_000,
    });
    expect(JSON.stringify(messages)).toContain('French');
    expect(manifest.total).toBeLessThanOrEqual(1_000);
  });

  it('counts tools and images into the budget of a context', async () => {
    await operate('createSession', { session_id: 'beside' });
    const asked = { session_id: 'beside', messages: [{ role: 'user', content: 'What is this?' }] };
    const look = { name: 'look', description: 'Looks closer.', input_schema: { type: 'object' } };
    const { manifest } = await operate('assembleContext', { ...asked, tools: [look], images: 2 });
    expect(manifest.pieces).toContainEqual(
      expect.objectContaining({
        section: 'tools',
        source: expect.objectContaining({ layer: 'tools', id: 'look' }),
      }),
    );
    expect(manifest.total).toBeGreaterThan(3_200);
    const many = Array.from({ length: 7 }, () => ({ description: 'a plan' }));
    const left = await operate('assembleContext', { ...asked, images: many, budget: 8_000 });
    expect(left.manifest.images).toEqual({ given: 7, sent: 4 });
    const counted = await operate('assembleContext', { ...asked, tools: 700 });
    expect(counted.manifest.total).toBeGreaterThan(700);
    for (const wrong of [
      { tools: 'look' },
      { tools: [{ description: 'without a name' }] },
      { tools: -1 },
      { images: -1 },
      { images: 1.5 },
      { images: ['AAAA'] },
    ]) {
      const { status, body } = await server.call('POST', '/api/context', { ...asked, ...wrong });
      expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });
});

describe('privacy', () => {
  it('previews, redacts, forgets, and proves it', async () => {
    await operate('createSession', { session_id: 'priv' });
    const secret = { session_id: 'priv', type: 'finding', content: { text: 'The code is heliotrope-77' } };
    const { id } = await operate('addMemory', secret);
    const other = await operate('addMemory', { ...secret, content: { text: 'Call Wilhelmina at noon' } });
    expect(await operate('redact', { session_id: 'priv', memory_id: other.id, text: 'Wilhelmina' })).toEqual({
      redacted: 1,
    });
    const detail = { session_id: 'priv', content: 'Ask Thessaly, then Thessaly again', memory_key: 'people' };
    await operate('storeDetail', detail);
    const blackOut = { memory_key: 'people', text: 'Thessaly' };
    expect((await operate('redact', blackOut)).redacted).toBeGreaterThanOrEqual(2);
    const several = await server.call('POST', '/api/privacy/redact', { ...blackOut, session_id: 'priv' });
    expect([several.status, several.body.code]).toEqual([400, 'INVALID_OPTION']);
    await operate('createAgent', { name: 'diarist' });
    const core = { agent_id: 'diarist', memory_type: 'core', content: 'I report to Octavian' };
    const { id: memory_id } = await operate('addAgentMemory', core);
    const own = { agent_id: 'diarist', memory_id, text: 'Octavian' };
    expect(await operate('redactAgentMemory', own)).toEqual({ redacted: 1 });
    const lines = String(await operate('exportUser', {}));
    expect(lines).toContain('heliotrope-77');
    for (const line of lines.trimEnd().split('\n')) JSON.parse(line);
    expect(await operate('exportUser', {}, { accept: 'application/json' })).toHaveProperty('lines');
    const again = await operate('importMemories', { content: lines, dry_run: true });
    expect(again).toMatchObject({ format: 'longhand', sessions: 0, memories: 0, notes: 0, details: 0 });
    expect(await operate('previewForgetting', { ids: [id] })).toMatchObject({ memories: 1 });
    const receipt = await operate('forget', { ids: [id] });
    expect((await operate('listReceipts', {})).receipts[0]?.receipt_id).toBe(receipt.receipt_id);
    expect(
      await operate('verifyErased', { words: ['heliotrope-77', 'Wilhelmina', 'Thessaly', 'Octavian'] }),
    ).toMatchObject({
      is_erased: true,
      found: 0,
    });
    const careless = await server.call('POST', '/api/privacy/forget', {});
    expect([careless.status, careless.body.code]).toEqual([400, 'INVALID_OPTION']);
    await operate('createAgent', { name: 'gone' });
    await operate('addAgentMemory', { agent_id: 'gone', memory_type: 'core', content: 'I answer briefly.' });
    const withAgent = await operate('previewForgetting', { agent_id: 'gone' });
    expect(withAgent).toMatchObject({ agents: 1, items: [{ kind: 'private', text: 'I answer briefly.' }] });
    await operate('forgetAgent', { agent_id: 'gone' });
  });
});

describe('API keys', () => {
  it('are made, listed without their token, and revoked', async () => {
    const { token, id } = await operate('createKey', { label: 'app', user_id: 'ada' });
    expect(token).toMatch(/^lh_/);
    expect(JSON.stringify(await operate('listKeys', {}))).not.toContain(token.slice(-16));
    await operate('revokeKey', { key_id: id });
    expect((await operate('listKeys', {})).keys[0]?.revoked_at).not.toBeNull();
    expect((await server.call('DELETE', '/api/keys/nothing')).body.code).toBe('KEY_NOT_FOUND');
  });

  it('stay when all sessions of browsers end', async () => {
    await operate('createKey', { label: 'app' });
    expect(await operate('endSessions', {})).toEqual({ ended: true });
    expect((await operate('listKeys', {})).keys.at(-1)).toMatchObject({ label: 'app', revoked_at: null });
  });
});

describe('an agent', () => {
  it('answers whole, or as it comes', async () => {
    const said = { new_messages: [{ sender: 'user', text: 'Hello there' }] };
    const first = await operate('chat', said);
    expect(first.answer).not.toBe('');
    expect(first.new_message_ids).toHaveLength(1);
    expect(JSON.stringify(first).match(/"stable_prefix"/g), 'the manifest, once').toHaveLength(1);
    const { session_id } = first;
    expect((await operate('runAgent', { prompt: 'And again', session_id })).session_id).toBe(session_id);
    const images = [{ media_type: 'image/png', data: 'iVBORw0KGgo=' }];
    await operate('runAgentWithImages', { prompt: 'What is this?', images, session_id });
    const { messages } = await operate('listChatMessages', { session_id });
    expect(messages).toHaveLength(6);
    const streamed = await server.call('POST', '/api/chat', { ...said, session_id, stream: true });
    expect(streamed.headers.get('content-type')).toContain('text/event-stream');
    const events = [...String(streamed.body).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(events).toContain('text');
    expect(events.at(-1)).toBe('done');
  });
});

describe('what a page about memories asks for', () => {
  const asTidy = { 'longhand-user': 'tidy' };

  it('offers models by provider, tools, colours and icons', async () => {
    const options = await operate('agentOptions');
    expect(Object.keys(options.grouped_models as object)).toEqual(['Demo']);
    const tools = options.available_tools as { name: string; is_default: boolean }[];
    expect(tools.find(({ name }) => name === 'store_memory')?.is_default).toBe(true);
    expect(tools.find(({ name }) => name === 'save_to_whiteboard')?.is_default).toBe(false);
    expect((options.colour_options as string[]).length).toBeGreaterThan(5);
    expect(options.icon_options).toContain('book-open');
    const refused = await server.call('POST', '/api/agents', { name: 'options' });
    expect(refused.status).toBe(400);
    const mistyped = await server.call('POST', '/api/agents', {
      name: 'odd',
      enabled_tools: ['serch_memory'],
    });
    expect([mistyped.status, mistyped.body.code]).toEqual([400, 'INVALID_OPTION']);
  });

  it('counts types, topics and uses, and draws references', async () => {
    const first = await operate(
      'remember',
      { content: 'We use Postgres', type: 'decision', tags: ['Database'] },
      asTidy,
    );
    const second = await operate(
      'remember',
      { content: 'Backups run at night', tags: ['database', 'ops'], references: [first.id] },
      asTidy,
    );
    await operate('recall', { text: 'Postgres' }, asTidy);
    const messages_batch = ['Which database?', 'Postgres.'].map((content) => ({ role: 'user', content }));
    await operate('archiveMessages', { session_id: 'said', messages_batch }, asTidy);
    const figures = await operate('analytics', { weeks: 3 }, asTidy);
    expect(figures).toMatchObject({
      total: 2,
      is_complete: true,
      types: { conversation: 0, decision: 1, finding: 1, preference: 0 },
      topics: [
        { tag: 'database', total: 2, weeks: [0, 0, 2] },
        { tag: 'ops', total: 1, weeks: [0, 0, 1] },
      ],
      sizes: { sessions: 1 },
      transcript: { sessions: 1, messages: 2, is_complete: true },
      fading: [],
      decisions: [{ id: first.id, referred_by: [second.id] }],
    });
    expect((figures.weeks as Body[]).map(({ decision }) => decision)).toEqual([0, 0, 1]);
    await operate('createSession', { session_id: 'old' }, asTidy);
    const timestamp = new Date(Date.now() - 40 * 86_400_000).toISOString();
    const old = { session_id: 'old', content: 'It rained', importance: 0.2, timestamp };
    const { id: fadingId } = await operate('addMemory', old, asTidy);
    const [fading] = (await operate('analytics', {}, asTidy)).fading as Body[];
    expect(fading).toMatchObject({ id: fadingId, loss_percent: expect.any(Number) });
    expect(fading!.loss_percent).toBeGreaterThan(0);
    expect(fading!.loss_percent).toBeLessThanOrEqual(100);
    const graph = await operate('references', { memory_id: second.id, depth: 1 }, asTidy);
    expect(graph.edges).toEqual([{ from: second.id, to: first.id, kind: 'references' }]);
    expect((graph.nodes as Body[]).map(({ id }) => id).sort()).toEqual([first.id, second.id].sort());
    const foreign = await server.call('GET', `/api/references?memory_id=${second.id}`);
    expect([foreign.status, foreign.body.code]).toEqual([404, 'MEMORY_NOT_FOUND']);
  });

  it('searches all layers at once, each with its own search and its own walls', async () => {
    const asSeeker = { 'longhand-user': 'seeker' };
    await operate('createAgent', { name: 'finder' });
    const { id, session_id } = await operate('remember', { content: 'The quagga grazes at noon' }, asSeeker);
    const value = { session_id, content: 'A quagga is a zebra of the Cape', memory_key: 'quagga_facts' };
    await operate('storeDetail', value, asSeeker);
    for (const memory_type of ['journal', 'core'])
      await operate(
        'addAgentMemory',
        { agent_id: 'finder', memory_type, content: `Seeker asks of the quagga (${memory_type})` },
        asSeeker,
      );
    const notes = { agent_id: 'finder', text: '# Animals\nThe quagga is extinct.\n# Weather\nRain.\n' };
    await operate('writeNotes', notes, asSeeker);
    const messages_batch = [
      { id: 'q1', role: 'user', content: 'Have you seen a quagga?' },
      { id: 'q2', role: 'assistant', content: 'No.' },
    ];
    await operate('archiveMessages', { session_id: 'seen', messages_batch }, asSeeker);
    const search = async (more = {}, headers = asSeeker) =>
      (await operate('searchLayers', { text: 'quagga', ...more }, headers)).layers as unknown as {
        layer: string;
        found: number;
        is_complete: boolean;
        hits: Body[];
      }[];
    const found = await search();
    expect(found.map(({ layer, found, is_complete }) => [layer, found, is_complete])).toEqual(
      ['memories', 'details', 'journal', 'core', 'notes', 'transcript'].map((layer) => [layer, 1, true]),
    );
    expect(found.map(({ hits }) => hits[0]!.id).toSpliced(2, 2)).toEqual([
      id,
      'quagga_facts',
      'Animals',
      'q1',
    ]);
    expect(found.at(-1)!.hits[0]).toMatchObject({ session_id: 'seen', type: 'user' });
    expect(found[4]!.hits[0]).toMatchObject({
      agent_id: 'finder',
      text: '# Animals\nThe quagga is extinct.\n',
    });
    expect(await search({ layers: ['transcript'], limit: 0 })).toMatchObject([{ found: 1, hits: [] }]);
    // Another user of the same agent sees what an admin has made agent-wide, and nothing else.
    const others = await search({}, { 'longhand-user': 'bystander' });
    expect(others.filter(({ found }) => found > 0).map(({ layer }) => layer)).toEqual(['journal', 'core']);
  });

  it('says whether the store is well: for admins all of it, for others what is theirs', async () => {
    const health = await operate('showHealth');
    expect(health).toMatchObject({ scope: 'store', is_well: true, is_complete: true, verification: null });
    expect(health.spool).toMatchObject({ messages: expect.any(Number), failed: [] });
    expect(health.unreadable_sessions).toEqual([]);
    expect(health.store).toMatchObject({ redis: 'none', memories: expect.any(Number), damaged_lines: 0 });
    expect(health.users_checked).toBeGreaterThan(2);
  });

  it('shares a whiteboard between agents, and not between users', async () => {
    await operate('createAgent', { name: 'board-reader' });
    const line = await operate('addToWhiteboard', { content: 'The relaunch is on Friday' });
    expect(line).toMatchObject({ content: 'The relaunch is on Friday', share_memory: true });
    const prompt = async (headers = {}): Promise<string> => {
      const messages = [{ role: 'user', content: 'Hello' }];
      return JSON.stringify(await operate('contextOfUser', { messages, agent_id: 'board-reader' }, headers));
    };
    expect(await prompt()).toContain('# Whiteboard (shared by all agents)');
    expect(await prompt()).toContain('The relaunch is on Friday');
    const edited = { memory_id: line.id, content: 'The relaunch is on Monday' };
    await operate('editWhiteboard', edited);
    expect((await operate('readWhiteboard')).lines.map(({ content }: Body) => content)).toEqual([
      edited.content,
    ]);
    await operate('wipeFromWhiteboard', { memory_id: line.id });
    expect((await operate('readWhiteboard')).lines).toEqual([]);
    expect(await prompt()).not.toContain('Whiteboard');
  });

  it('proposes, and does nothing before a proposal is accepted', async () => {
    const asUntidy = { 'longhand-user': 'untidy' };
    const remember = (content: string, more = {}) => operate('remember', { content, ...more }, asUntidy);
    const twin = await remember('The office opens at nine', { tags: ['office'] });
    const kept = await remember('The office opens at nine.', { tags: ['hours'] });
    const old = await remember('My dentist is in Mill Lane');
    const recent = await remember('My dentist is in Park Street');
    for (const plant of ['fern', 'ivy', 'moss', 'palm'])
      await remember(`A ${plant} wants shade here`, { tags: ['plants'], id: `mem_${plant}` });
    await operate('createAgent', { name: 'keeper' });
    for (const content of ['Ada likes maps', 'Ada likes maps.'])
      await operate('addAgentMemory', { agent_id: 'keeper', memory_type: 'journal', content }, asUntidy);
    expect(await operate('findProposals', {}, asUntidy)).toMatchObject({ open: expect.any(Number) });
    expect((await operate('findProposals', {}, asUntidy)).found).toBe(0);
    const list = async () => (await operate('listProposals', {}, asUntidy)).proposals as Body[];
    const ofKind = async (kind: string) => (await list()).filter((one) => one.kind === kind);
    const idsIn = ({ memories }: Body) => memories.map(({ id }) => id);
    expect((await ofKind('merge')).map(idsIn)).toEqual([[kept.id, twin.id]]);
    expect((await ofKind('replace')).map(idsIn)).toContainEqual([recent.id, old.id]);
    const [section] = await ofKind('notes');
    expect(section).toMatchObject({ section: 'plants', agent_id: 'default' });
    expect(section!.text).toContain('- A fern wants shade here [mem_fern]');

    const accept = (one: Body, more = {}) =>
      operate('acceptProposal', { proposal_id: one.id, ...more }, asUntidy);
    await accept((await ofKind('merge'))[0]!);
    const found = await operate('recall', { text: 'When does the office open?' }, asUntidy);
    expect(found.memories.map(({ id }) => id)).toContain(kept.id);
    expect(found.memories.map(({ id }) => id)).not.toContain(twin.id);
    const tags = found.memories.find(({ id }) => id === kept.id)!.tags as string[];
    expect(tags.toSorted()).toEqual(['hours', 'office']);
    await accept(section!, { text: '## plants\nAll of them want shade [mem_fern]' });
    const notes = await operate('readNotes', { agent_id: 'default' }, asUntidy);
    expect(notes.text).toContain('All of them want shade');
    const [core] = await ofKind('core');
    await accept(core!);
    const permanent = await operate('listAgentMemories', { agent_id: 'keeper', type: 'core' }, asUntidy);
    expect(permanent.memories).toHaveLength(1);

    for (const one of await ofKind('replace'))
      await operate('dismissProposal', { proposal_id: one.id }, asUntidy);
    expect(await list()).toEqual([]);
    expect((await operate('findProposals', {}, asUntidy)).found).toBe(0);
    const again = await server.call('POST', `/api/proposals/${core!.id}/accept`, {}, asUntidy);
    expect([again.status, again.body.code]).toEqual([404, 'PROPOSAL_NOT_FOUND']);
    expect((await operate('listProposals')).proposals).toEqual([]);
  });

  it('proposes to merge only what says the same: another day or a “not” is another fact', async () => {
    const asPlanner = { 'longhand-user': 'planner' };
    const remember = (content: string) => operate('remember', { content }, asPlanner);
    const friday = await remember('The new release of the planner goes out to all customers on Friday');
    const monday = await remember('The new release of the planner goes out to all customers on Monday');
    await remember('The old gate behind the office should be open during the summer');
    await remember('The old gate behind the office should not be open during the summer');
    await operate('findProposals', {}, asPlanner);
    const { proposals } = await operate('listProposals', {}, asPlanner);
    const found = (proposals as Body[]).map(({ kind, memories }) => [kind, ...memories.map(({ id }) => id)]);
    expect(found).toEqual([['replace', monday.id, friday.id]]);
  });

  it('trusts notes no further than the memories in them, and keeps no word of what is forgotten', async () => {
    const proposed = async (user: Record<string, string>, tag: string) => {
      const { id: session_id } = await operate('createSession', {}, user);
      for (const [at, plant] of ['fern', 'ivy', 'moss', 'palm'].entries()) {
        const provenance = at === 2 ? { author: 'import', trust: 'external' } : {};
        await operate(
          'addMemory',
          { session_id, content: `A ${plant} wants shade`, tags: [tag], provenance },
          user,
        );
      }
      await operate('findProposals', {}, user);
      const { proposals } = await operate('listProposals', {}, user);
      return (proposals as Body[]).find(({ kind }) => kind === 'notes')!;
    };
    const asReader = { 'longhand-user': 'reader' };
    const notes = await proposed(asReader, 'House.Plants');
    expect(notes.section).toBe('house.plants');
    await operate('acceptProposal', { proposal_id: notes.id }, asReader);
    const written = await operate('readNotes', { agent_id: 'default' }, asReader);
    expect(written).toMatchObject({ trust: 'external', text: expect.stringContaining('## house.plants') });

    const asLeaver = { 'longhand-user': 'leaver' };
    await proposed(asLeaver, 'quincunx');
    await operate('forget', { topic: 'quincunx' }, asLeaver);
    expect(await operate('verifyErased', { words: ['quincunx'] })).toMatchObject({ found: 0 });
  });

  it('takes a proposal off the list when what it is about is gone', async () => {
    const asFickle = { 'longhand-user': 'fickle' };
    for (const content of ['The key is under the mat', 'The key is under the mat.'])
      await operate('remember', { content }, asFickle);
    await operate('findProposals', {}, asFickle);
    const [one] = (await operate('listProposals', {}, asFickle)).proposals as Body[];
    await operate('forgetMemories', { text: 'under the mat' }, asFickle);
    expect((await operate('listProposals', {}, asFickle)).proposals).toEqual([]);
    const late = await server.call('POST', `/api/proposals/${one!.id}/accept`, {}, asFickle);
    expect([late.status, late.body.code]).toEqual([400, 'INVALID_OPTION']);
  });
});

it('looks after members, signs in and gives tickets', async () => {
  expect(await operate('whoAmI')).toMatchObject({ user_id: 'me', role: 'admin', expires_at: null });
  expect(await operate('signIn')).toMatchObject({ account_id: 'local', csrf_token: null });
  expect(await operate('signOut')).toEqual({ signed_out: true });
  await operate('addMember', { user_id: 'ada', role: 'admin' });
  await operate('addMember', { user_id: 'bob' });
  expect(await operate('changeMember', { user_id: 'bob', role: 'admin' })).toMatchObject({ role: 'admin' });
  expect(await operate('removeMember', { user_id: 'ada' })).toEqual({ user_id: 'ada', removed: true });
  const { members } = await operate('listMembers');
  expect(members).toEqual([expect.objectContaining({ user_id: 'bob', role: 'admin' })]);
  const last = await server.call('DELETE', '/api/members/bob');
  expect([last.status, last.body.code]).toEqual([409, 'LAST_ADMIN']);
  const { ticket } = await operate('makeArchiveTicket', { session_id: 'left' });
  const messages_batch = [{ id: 'm1', role: 'user', content: 'The last words' }];
  const body = { session_id: 'left', messages_batch, ticket };
  const beacon = await server.call('POST', '/api/chat/session/archive_messages', body, {
    'content-type': 'text/plain',
  });
  expect([beacon.status, beacon.body.archived]).toEqual([200, 1]);
});

it('leaves no operation of the table untried', () => {
  expect(OPERATIONS.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([]);
});
