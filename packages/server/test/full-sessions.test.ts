import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './http-fixture.ts';

/** Where a full session goes on, between users who use the same names. */
let server: TestServer;
let ada: Record<string, string>;
let bob: Record<string, string>;

beforeEach(async () => {
  server = await startTestServer({
    flags: { 'auth-enabled': true, 'details-quota-mb': 0.02, 'context-budget-tokens': 2_500 },
  });
  const key = async (user_id: string) => {
    const { token } = await server.services.gate.keys.create({
      label: '',
      access: 'write',
      user_id,
      agent_id: null,
    });
    return { authorization: `Bearer ${token}` };
  };
  [ada, bob] = [await key('ada'), await key('bob')];
});
afterEach(() => server.stop());

const SECRET = 'canary-of-bob';

/** A message that is too long for the prompt, and is kept as a detail. */
async function say(as: Record<string, string>, id: string, text: string): Promise<void> {
  const content = `${text} ${'lorem ipsum dolor '.repeat(700)}`;
  const body = { session_id: 'chat', new_messages: [{ id, role: 'user', content }] };
  const answer = await server.call('POST', '/api/chat', body, as);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
}

async function open(as: Record<string, string>, session_id: string): Promise<void> {
  expect((await server.call('POST', '/api/sessions', { session_id }, as)).status).toBe(201);
}

async function detailsOf(as: Record<string, string>) {
  return (await server.call('GET', '/api/details', undefined, as)).body.details;
}

it('goes on when the next number is another user’s', async () => {
  await open(bob, 'chat');
  await open(ada, 'chat--2');
  for (let i = 0; i < 3; i++) await say(bob, `m${i}`, `number ${i}`);
  const kept = (await detailsOf(bob)).map(({ session_id }) => session_id);
  expect(kept.sort()).toEqual(['chat', 'chat--3', 'chat--4']);
  expect(await detailsOf(ada)).toEqual([]);
});

it('keeps nothing with the user who had the session’s name before', async () => {
  await open(ada, 'chat');
  for (let i = 0; i < 3; i++) await say(ada, `m${i}`, `number ${i}`);
  expect((await server.call('DELETE', '/api/sessions/chat', undefined, ada)).status).toBeLessThan(300);
  await open(bob, 'chat');
  await say(bob, 'm0', SECRET);
  expect(await detailsOf(ada)).toEqual([]);
  const [kept, ...others] = await detailsOf(bob);
  expect([kept?.session_id, others]).toEqual(['chat', []]);
  const asAda = await server.call('GET', `/api/details/${kept!.memory_key}`, undefined, ada);
  expect(asAda.status).toBe(404);
});
