import { expect, it, onTestFinished } from 'vitest';
import { startTestServer } from './http-fixture.ts';

it('divides a full prompt as the request says', async () => {
  const server = await startTestServer({
    flags: { 'context-sections': '{"notes":{"floor":0,"ceiling":0.05}}' },
  });
  onTestFinished(() => server.stop());
  await server.done('POST', '/api/agents', { name: 'scout' });
  const text = Array.from({ length: 60 }, (_, i) => `# Part ${i}\nA line of notes, number ${i}.`).join('\n');
  await server.done('PUT', '/api/agents/scout/notes', { text });
  const talk = Array.from({ length: 80 }, (_, i) => ({
    role: i % 2 === 0 ? 'user' : 'assistant',
    content: `This is message number ${i} of a long talk about nothing at all.`,
  }));
  const notesOf = async (path: string, more: object): Promise<number> => {
    const asked = { agent_id: 'scout', budget: 1_000, messages: talk, ...more };
    const { manifest } = await server.done('POST', path, asked);
    const pieces = manifest.pieces.filter(({ section }) => section === 'notes');
    return pieces.reduce((sum, { tokens }) => sum + Number(tokens), 0);
  };
  await server.done('POST', '/api/sessions', { session_id: 'work', agents: ['scout'] });
  for (const [path, place] of [
    ['/api/context', { session_id: 'work' }],
    ['/api/memories/context', {}],
  ] as const) {
    expect(await notesOf(path, place)).toBeLessThanOrEqual(50);
    const wide = { ...place, sections: { notes: { floor: 0.3, ceiling: 0.4 } } };
    const tokens = await notesOf(path, wide);
    expect(tokens).toBeGreaterThan(200);
    expect(tokens).toBeLessThanOrEqual(400);
  }
  for (const sections of [{ notes: { ceiling: 2 } }, { nots: {} }, { notes: { floor: 0.5, ceiling: 0.1 } }]) {
    const asked = { session_id: 'work', messages: talk, sections };
    expect((await server.call('POST', '/api/context', asked)).status, JSON.stringify(sections)).toBe(400);
  }
});

it('assembles a context for the default agent before there is one, as a chat does', async () => {
  const server = await startTestServer({ flags: { 'auth-enabled': true } });
  onTestFinished(() => server.stop());
  const key = async (access: 'write' | 'read') => {
    const { token } = await server.services.gate.keys.create({ label: '', access, user_id: 'ida' });
    return { authorization: `Bearer ${token}` };
  };
  const [writer, reader] = [await key('write'), await key('read')];
  await server.done('POST', '/api/sessions', { session_id: 'early' }, writer);
  const asked = { session_id: 'early', agent_id: 'default', messages: [{ role: 'user', content: 'Hello' }] };
  // One that may only read makes none: there is nothing of it to show.
  const first = await server.done('POST', '/api/context', asked, reader);
  expect([first.manifest.agent_id, first.messages.map(({ role }) => role)]).toEqual([null, ['user']]);
  expect((await server.done('GET', '/api/agents', undefined, reader)).agents).toEqual([]);
  const second = await server.done('POST', '/api/context', asked, writer);
  expect([second.manifest.agent_id, second.messages[0]!.content]).toEqual(['default', 'You are default.']);
  expect((await server.done('POST', '/api/memories/context', asked, writer)).manifest.agent_id).toBe(
    'default',
  );
  expect((await server.done('POST', '/api/context', asked, reader)).manifest.agent_id).toBe('default');
  // Another agent has to be there.
  expect((await server.call('POST', '/api/context', { ...asked, agent_id: 'none' }, writer)).status).toBe(
    404,
  );
});
