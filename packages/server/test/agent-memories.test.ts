import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, startTestServer, type TestServer } from './http-fixture.ts';
import { callTool } from './mcp-clients.ts';

/**
 * Two users with a key each, and an admin, work with the same agent. What the agent saves in a conversation belongs to
 * that conversation's user: it stands in no prompt, list, resource, export or feed of the other.
 */
let server: TestServer;
type Headers = Record<string, string>;
let admin: Headers;
let ada: Headers;
let bob: Headers;
let reader: Headers;

beforeAll(async () => {
  server = await startTestServer({
    flags: { 'auth-enabled': true, 'limits-requests-per-minute': 0 },
    speaksMcp: true,
  });
  const key = async (access: 'read' | 'write' | 'admin', user_id: string | null): Promise<Headers> => ({
    authorization: `Bearer ${(await server.services.gate.keys.create({ label: '', access, user_id })).token}`,
  });
  [admin, ada, bob, reader] = [
    await key('admin', null),
    await key('write', 'ada'),
    await key('write', 'bob'),
    await key('read', 'bob'),
  ];
  await server.done('POST', '/api/agents', { name: 'scout' }, admin);
  for (const [as, session_id] of [
    [ada, 'with-ada'],
    [bob, 'with-bob'],
  ] as const)
    await server.done('POST', '/api/sessions', { session_id, agents: ['scout'] }, as);
});
afterAll(() => server.stop());

const inScout = (as: Headers): Headers => ({ ...as, 'longhand-agent': 'scout' });

/** Every way to read what an agent remembers, with what comes of it. */
async function everythingSeen(as: Headers, session_id: string): Promise<Record<string, string>> {
  const show = (body: unknown): string => JSON.stringify(body);
  const context = { session_id, agent_id: 'scout', messages: [{ role: 'user', content: 'Hello' }] };
  const { token: _token, ...seen } = {
    token: '',
    context: show(await server.done('POST', '/api/context', context, as)),
    list: show(await server.done('GET', '/api/agents/scout/memories', undefined, as)),
    export: show((await server.call('GET', '/api/privacy/export', undefined, as)).text),
    ...(await server.connected(inScout(as), async (client) => ({
      core: show(await client.readResource({ uri: 'memory://core/scout' })),
      prompt: show(await client.getPrompt({ name: 'load_context', arguments: {} })),
    }))),
  };
  return seen;
}

const SAID_BY_ADA = 'canary-one: Ada plans to move to Lisbon';

describe('what an agent saves in a conversation', () => {
  let saved: Record<string, unknown>;
  beforeAll(async () => {
    saved = await server.connected(inScout(ada), (client) =>
      callTool(client, 'save_to_core', { content: SAID_BY_ADA }),
    );
    expect(saved.error).toBeUndefined();
  });

  it('stands in the prompts of that user, and is theirs to read', async () => {
    for (const [way, text] of Object.entries(await everythingSeen(ada, 'with-ada')))
      expect(text, way).toContain('canary-one');
  });

  it('is nowhere for another user, with whatever key', async () => {
    for (const as of [bob, reader])
      for (const [way, text] of Object.entries(await everythingSeen(as, 'with-bob')))
        expect(text, way).not.toContain('canary-one');
    const path = `/api/agents/scout/memories/${saved.memory_id}`;
    for (const [method, body] of [
      ['GET', undefined],
      ['PATCH', { content: 'x' }],
      ['PATCH', { pinned: true }],
      ['DELETE', undefined],
    ] as const)
      expect((await server.call(method, path, body, bob)).status, method).toBe(404);
    expect((await server.call('POST', `${path}/redact`, { text: 'Ada' }, bob)).status).toBe(404);
    const taken = { memory_type: 'core', content: 'x', id: saved.memory_id };
    expect((await server.call('POST', '/api/agents/scout/memories', taken, bob)).status).toBe(409);
    const { memories_count } = await server.done('GET', '/api/agents/scout', undefined, bob);
    expect(memories_count).toEqual({ core: 0, journal: 0 });
  });

  it('is seen by an admin, in lists and in no prompt of theirs', async () => {
    const { memories } = await server.done('GET', '/api/agents/scout/memories', undefined, admin);
    expect(memories[0]).toMatchObject({
      content: SAID_BY_ADA,
      share_memory: false,
      provenance: { user_id: 'ada' },
    });
    const asBob = { ...admin, 'longhand-user': 'bob' };
    const context = {
      session_id: 'with-bob',
      agent_id: 'scout',
      messages: [{ role: 'user', content: 'Hello' }],
    };
    expect(JSON.stringify(await server.done('POST', '/api/context', context, asBob))).not.toContain(
      'canary-one',
    );
  });

  it('is edited and deleted by that user', async () => {
    const own = await server.done(
      'POST',
      '/api/agents/scout/memories',
      { memory_type: 'journal', content: 'mine' },
      ada,
    );
    expect(own).toMatchObject({ share_memory: false, provenance: { user_id: 'ada' } });
    await server.done('PATCH', `/api/agents/scout/memories/${own.id}`, { content: 'still mine' }, ada);
    await server.done('DELETE', `/api/agents/scout/memories/${own.id}`, undefined, ada);
  });
});

describe('what is agent-wide', () => {
  it('is written by admins outside a conversation, and read by all', async () => {
    const body = { memory_type: 'core', content: 'canary-two: I answer briefly' };
    const { id, share_memory } = await server.done('POST', '/api/agents/scout/memories', body, admin);
    expect(share_memory).toBe(true);
    for (const [as, session] of [
      [ada, 'with-ada'],
      [bob, 'with-bob'],
    ] as const) {
      const { context, list, core } = await everythingSeen(as, session);
      for (const text of [context, list, core]) expect(text).toContain('canary-two');
    }
    const path = `/api/agents/scout/memories/${id}`;
    for (const [method, change] of [
      ['PATCH', { content: 'x' }],
      ['PATCH', { share_memory: false }],
      ['DELETE', undefined],
    ] as const)
      expect((await server.call(method, path, change, bob)).status, method).toBe(403);
    const shared = { ...body, share_memory: true };
    expect((await server.call('POST', '/api/agents/scout/memories', shared, bob)).status).toBe(403);
  });

  it('can be one entry that an admin shares, without whose it was', async () => {
    const { memory_id } = await server.connected(inScout(ada), (client) =>
      callTool(client, 'save_to_journal', { content: 'canary-three: the build is green' }),
    );
    await server.done('PATCH', `/api/agents/scout/memories/${memory_id}`, { share_memory: true }, admin);
    const { memories } = await server.done('GET', '/api/agents/scout/memories', undefined, bob);
    const [shared] = memories.filter(({ id }) => id === memory_id);
    expect(shared).toMatchObject({ content: 'canary-three: the build is green', share_memory: true });
    expect(JSON.stringify(shared)).not.toMatch(/ada|session/);
    expect(
      (await server.call('DELETE', `/api/agents/scout/memories/${memory_id}`, undefined, bob)).status,
    ).toBe(403);
    await server.done('DELETE', `/api/agents/scout/memories/${memory_id}`, undefined, ada);
  });

  it('is stamped when it is written: share_memory of an agent counts for later entries', async () => {
    await server.done('POST', '/api/agents', { name: 'crier' }, admin);
    const save = (content: string) =>
      server.connected({ ...ada, 'longhand-agent': 'crier' }, (client) =>
        callTool(client, 'save_to_core', { content }),
      );
    await save('canary-before');
    await server.done('PATCH', '/api/agents/crier', { share_memory: true }, admin);
    await save('canary-while');
    await server.done('PATCH', '/api/agents/crier', { share_memory: false }, admin);
    await save('canary-after');
    const seen = JSON.stringify(await server.done('GET', '/api/agents/crier/memories', undefined, bob));
    expect(seen.match(/canary-\w+/g)).toEqual(['canary-while']);
    expect((await server.call('PATCH', '/api/agents/crier', { share_memory: true }, bob)).status).toBe(403);
  });
});

describe('an agent that is not there', () => {
  it('is made for those who may create agents, and refused with a sentence otherwise', async () => {
    const said = { new_messages: [{ role: 'user', content: 'Hello' }] };
    const refused = await server.call('POST', '/api/chat', { ...said, agent_id: 'wanderer' }, ada);
    expect([refused.status, refused.body.code]).toEqual([404, 'AGENT_NOT_FOUND']);
    expect(refused.body.detail).toContain('Only an admin can create it.');
    const unknown = { ...ada, 'longhand-agent': 'stray' };
    const { error } = await server.connected(unknown, (client) =>
      callTool(client, 'save_to_core', { content: 'x' }),
    );
    expect(error).toContain('Only an admin can create it.');
    await expect(
      server.connected(unknown, (client) => client.getPrompt({ name: 'load_context', arguments: {} })),
    ).rejects.toThrow('Only an admin can create it.');
    const listed = async () =>
      (await server.done('GET', '/api/agents', undefined, admin)).agents as readonly Body[];
    expect((await listed()).map(({ id }) => id)).not.toEqual(expect.arrayContaining(['wanderer']));
    expect((await listed()).map(({ id }) => id)).not.toEqual(expect.arrayContaining(['stray']));
    const asAda = { ...admin, 'longhand-user': 'ada' };
    const answer = await server.done('POST', '/api/chat', { ...said, agent_id: 'wanderer' }, asAda);
    expect(answer.agent_id).toBe('wanderer');
    expect((await listed()).map(({ id }) => id)).toEqual(expect.arrayContaining(['wanderer']));
    // Without a name it is `default`, which every user may talk to.
    expect((await server.done('POST', '/api/chat', said, ada)).agent_id).toBe('default');
  });
});

it('goes with its user when the user is forgotten', async () => {
  await server.done(
    'POST',
    '/api/sessions',
    { session_id: 'with-eve', agents: ['scout'] },
    {
      ...admin,
      'longhand-user': 'eve',
    },
  );
  const eve = { ...admin, 'longhand-user': 'eve' };
  await server.connected(inScout(eve), (client) =>
    callTool(client, 'save_to_core', { content: 'canary-of-eve' }),
  );
  await server.done('POST', '/api/privacy/forget', { everything: true }, eve);
  const { is_erased } = await server.done('POST', '/api/privacy/verify', { words: ['canary-of-eve'] }, admin);
  expect(is_erased).toBe(true);
  const { memories } = await server.done('GET', '/api/agents/scout/memories', undefined, admin);
  expect(JSON.stringify(memories)).toContain('canary-one');
});
