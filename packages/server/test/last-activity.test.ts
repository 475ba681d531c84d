import { expect, it } from 'vitest';
import { startTestServer } from './http-fixture.ts';

it('tells when something was last said in a conversation', async () => {
  const server = await startTestServer();
  await server.call('POST', '/api/sessions', { session_id: 's' });
  const chat = async () => (await server.call('GET', '/api/chat/sessions/s')).body;
  const { created_at, last_activity_at } = await chat();
  expect(last_activity_at).toBe(created_at);
  const timestamp = '2026-01-02T03:04:05.000Z';
  const messages_batch = [{ id: 'm1', role: 'user', content: 'Hello', timestamp }];
  await server.call('POST', '/api/chat/session/archive_messages', { session_id: 's', messages_batch });
  expect((await chat()).last_activity_at).toBe(timestamp);
  // One that waits to be archived counts too.
  const asked = { session_id: 's', new_messages: [{ role: 'user', content: 'How are you?' }] };
  expect((await server.call('POST', '/api/chat', asked)).status).toBe(200);
  const { body } = await server.call('GET', '/api/chat/sessions/s/messages');
  const { sessions } = (await server.call('GET', '/api/chat/sessions')).body;
  expect(sessions[0]!.last_activity_at).toBe(body.messages.at(-1)!.timestamp);
  await server.stop();
});
