import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../test/http-fixture.ts';

const MEMORIES = '/api/sessions/plain/memories';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await server.call('POST', '/api/sessions', { session_id: 'plain' });
});
afterAll(() => server.stop());

describe('a memory as a plain text', () => {
  it('takes a memory as a plain text', async () => {
    const { id } = (await server.call('POST', MEMORIES, { content: 'I prefer tea' })).body;
    const one = (await server.call('GET', `${MEMORIES}/${id}`)).body;
    expect(one).toMatchObject({ type: 'finding', content: { text: 'I prefer tea' }, importance: 0.5 });
    const memories = [
      { type: 'preference', content: 'No sugar', tags: ['tea'] },
      { type: 'decision', content: { decision: 'Buy a kettle' } },
    ];
    const { ids } = (await server.call('POST', `${MEMORIES}/batch`, { memories })).body;
    const both = await Promise.all(
      ids.map(async (one) => (await server.call('GET', `${MEMORIES}/${one}`)).body),
    );
    expect(both).toMatchObject([
      { type: 'preference', content: { text: 'No sugar' }, tags: ['tea'] },
      { type: 'decision', content: { decision: 'Buy a kettle' } },
    ]);
  });

  it.each([
    [{}, ['content is missing']],
    [{ type: 'finding' }, ['content is missing']],
    [{ content: 5 }, ['content must be an object or a text']],
    [{ content: '' }, ['content must not be blank']],
    [{ content: ' \n ' }, ['content must not be blank']],
    [{ type: 'wish', content: 'Tea' }, ['type must be one of conversation, decision, finding, preference']],
    [
      { text: 'I prefer tea' },
      [
        'content is missing',
        'text is no field here: there are type, content, id, timestamp, importance, tags, references, replaces, provenance',
      ],
    ],
  ])('refuses the memory %j', async (memory, wanted) => {
    const one = await server.call('POST', MEMORIES, memory);
    expect([one.status, one.body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(
      one.body.errors.map(({ field, message }) => `${field || 'The request'} ${message}`).sort(),
    ).toEqual([...wanted].sort());
    const many = await server.call('POST', `${MEMORIES}/batch`, { memories: [memory] });
    expect([many.status, many.body.errors.length]).toEqual([400, wanted.length]);
  });
});
