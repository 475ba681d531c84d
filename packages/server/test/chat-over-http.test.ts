import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from './http-fixture.ts';
import { type Scripted, type StandIn, startStandIn } from './openai-stand-in.ts';

/** What a client hears over HTTP when there is no answer. */
let model: StandIn;
let server: TestServer;
beforeAll(async () => {
  model = await startStandIn();
  server = await startTestServer({ flags: { 'openai-model': 'large', 'openai-base-url': model.baseURL } });
});
afterAll(async () => {
  await server.stop();
  await model.close();
});

const said = (id: string, more = {}) => ({
  new_messages: [{ id, role: 'user', content: 'Hello' }],
  session_id: 'chat',
  ...more,
});

it.each([
  ['is named to the operator, who calls without a key', false],
  ['is the operator’s alone where callers have keys, and stands in the log', true],
])('the address of a model that fails %s', async (_to, isOpen) => {
  const flags = { 'openai-model': 'm', 'openai-base-url': model.baseURL, 'auth-enabled': isOpen };
  const theirs = await startTestServer({ flags });
  const { token } = await theirs.services.gate.keys.create({
    label: 'app',
    access: 'write',
    user_id: 'ada',
    agent_id: null,
  });
  model.script.push({ status: 401 });
  const headers = isOpen ? { authorization: `Bearer ${token}` } : {};
  const { body } = await theirs.call('POST', '/api/chat', said('m'), headers);
  const address = new URL(model.baseURL).host;
  expect([body.code, String(body.detail).includes(address)]).toEqual(['MODEL_REFUSED', !isOpen]);
  expect(theirs.log.some((line) => line.includes(address))).toBe(true);
  await theirs.stop();
});

describe('a model that fails', () => {
  const failures: readonly (readonly [string, readonly Scripted[], number, string, boolean])[] = [
    ['too busy', [{ status: 429 }, { status: 429 }, { status: 429 }], 503, 'MODEL_RATE_LIMITED', true],
    ['broken', [{ status: 500 }, { status: 500 }, { status: 500 }], 503, 'MODEL_UNAVAILABLE', true],
    ['strict', [{ status: 401 }], 502, 'MODEL_REFUSED', false],
    ['asleep', ['silence'], 504, 'MODEL_TIMEOUT', true],
  ];
  it.each(failures)('because it is %s tells how to go on', async (name, script, status, code, retry) => {
    model.script.push(...script);
    // The one that does not wait for a model is asked by those alone whose model never answers.
    const flags = { 'openai-model': 'large', 'openai-base-url': model.baseURL, 'agent-timeout-seconds': 1 };
    const isAsleep = code === 'MODEL_TIMEOUT';
    const asked = isAsleep ? await startTestServer({ flags, storageRoot: server.storageRoot }) : server;
    const { body, headers, ...answer } = await asked.call('POST', '/api/chat', said(`to-${name}`));
    if (isAsleep) await asked.stop();
    expect([answer.status, body.status, body.code]).toEqual([status, status, code]);
    expect(body).toMatchObject({
      session_id: 'chat',
      new_message_ids: [`to-${name}`],
      agent_id: 'default',
      is_retryable: retry,
      answers: [],
    });
    const [first] = script;
    if (typeof first === 'object' && 'status' in first) expect(body.model_status).toBe(first.status);
    expect(headers.has('retry-after')).toBe(status === 503);
    expect(JSON.stringify(body)).not.toContain('sk-secret');
    // With what the problem says the client asks again, and what was said is there once.
    model.script.splice(0);
    const again = await server.call('POST', '/api/chat', said(body.new_message_ids[0]!));
    expect(again.status).toBe(200);
  });
});

describe('a streamed chat that cannot begin', () => {
  it.each([
    [
      'an agent out of reach',
      { agent_id: 'unknown' },
      404,
      'AGENT_NOT_FOUND',
      { 'longhand-agent': 'default' },
    ],
    ['a session of another user', { session_id: 'theirs' }, 404, 'SESSION_NOT_FOUND', {}],
    [
      'an invalid message',
      { new_messages: [{ role: 'assistant', content: 'x' }] },
      400,
      'INVALID_MESSAGE',
      {},
    ],
  ])('because of %s answers as the whole form does', async (_why, more, status, code, headers) => {
    await server.call('POST', '/api/sessions', { session_id: 'theirs' }, { 'longhand-user': 'bob' });
    const body = { ...said('m'), ...more };
    const whole = await server.call('POST', '/api/chat', body, headers);
    const streamed = await server.call('POST', '/api/chat', { ...body, stream: true }, headers);
    expect([whole.status, whole.body.code]).toEqual([status, code]);
    expect([streamed.status, streamed.body.code]).toEqual([status, code]);
  });

  it('still streams what can', async () => {
    model.script.push({ text: 'Good day.' });
    const { status, text } = await server.call('POST', '/api/chat', said('streamed', { stream: true }));
    expect(status).toBe(200);
    expect(text.match(/^event: .*/gm)?.slice(0, 2)).toEqual(['event: start', 'event: text']);
    expect(text).toContain('event: done');
    model.script.push({ status: 401 });
    const failed = await server.call('POST', '/api/chat', said('failing', { stream: true }));
    expect(failed.status).toBe(200);
    const data = JSON.parse(/event: error\ndata: (.*)/.exec(failed.text)![1]!);
    expect(data).toMatchObject({ type: 'error', code: 'MODEL_REFUSED', is_retryable: false });
  });
});
