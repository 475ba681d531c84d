import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../test/http-fixture.ts';

/** Requests as people get them wrong, and what they are told: what is wrong, and what to change. */

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ flags: { 'limits-body-kb': 64 } });
  await server.call('POST', '/api/sessions', { session_id: 'demo' });
});
afterAll(() => server.stop());

const MEMORIES = '/api/sessions/demo/memories';
const JSON_BODY = { 'content-type': 'application/json' };

interface Problem {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

async function send(
  method: string,
  path: string,
  body?: string | object,
  headers: Readonly<Record<string, string>> = JSON_BODY,
): Promise<Problem> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(`${server.server.url}${path}`, {
    method,
    headers: { ...headers },
    ...(text === undefined ? {} : { body: text }),
  });
  expect(response.headers.get('content-type')).toContain('application/problem+json');
  return (await response.json()) as Problem;
}

describe('fields', () => {
  it.each([
    [{}, 'content is missing.'],
    [{ contnet: 'x' }, 'contnet is no field here: is content meant? content is missing.'],
    [{ content: 'x', tag: ['a'] }, 'tag is no field here: is tags meant?'],
    [
      { content: 'x', colour: 'red' },
      'colour is no field here: there are type, content, id, timestamp, importance, tags, references, replaces, provenance.',
    ],
    [{ content: 'x', importance: '0.9' }, 'importance must be a number.'],
    [{ content: 7 }, 'content must be an object or a text.'],
    [
      { content: 'x', provenance: { by: 'me' } },
      'provenance.by is no field here: there are author, trust, agent_id, message_id, session_id, source.',
    ],
    [
      { content: 'x', session_id: 'other' },
      'session_id is another one in the path. Leave it out of the body.',
    ],
  ])('of a memory: %j', async (body, detail) => {
    expect(await send('POST', MEMORIES, body)).toMatchObject({
      status: 400,
      code: 'INVALID_REQUEST',
      detail,
    });
  });

  it('of a memory that would hold nothing, in words of the library', async () => {
    for (const content of [{}, { text: ' ' }]) {
      const problem = await send('POST', MEMORIES, { type: 'finding', content });
      expect(problem).toMatchObject({ status: 400, code: 'INVALID_CONTENT' });
      expect(problem.detail).toContain('nothing in it to remember');
    }
  });

  it.each([
    [{ time_zone: 'Moon' }, 'time_zone', 'must be the IANA name of a time zone'],
    [{ time_range: { start: 'soon' } }, 'time_range.start', 'must be a Date'],
    [{ time_range: { start: '2026-02-01', end: '2026-01-01' } }, 'time_range', 'starts after its end'],
    [{ as_of: 'soon' }, 'as_of', 'must be a Date'],
    [{ max_depth: 101 }, 'max_depth', 'must be a whole number from 0 to 100'],
    [{ within: 'soonish' }, 'within', 'The time expression is not understood.'],
    [{ cursor: 'x' }, 'cursor', 'is not one that a search gave. Start from'],
  ])('of a query, as they are called here: %j', async (query, field, message) => {
    const problem = await send('POST', '/api/search', { text: 'x', ...query });
    expect(problem).toMatchObject({ status: 400, code: 'INVALID_QUERY' });
    expect(problem.errors).toEqual([{ field, message: expect.stringContaining(message) }]);
    expect(problem.detail).toContain(message);
    expect(JSON.stringify(problem)).not.toMatch(/timeRange|timeZone|asOf|maxDepth/);
  });

  it('of a request to forget', async () => {
    const time_range = { start: '2026-02-01', end: '2026-01-01' };
    const problem = await send('POST', '/api/privacy/forget', { time_range });
    expect(problem).toMatchObject({
      code: 'INVALID_OPTION',
      detail: 'time_range starts after its end.',
      errors: [{ field: 'time_range', message: 'starts after its end' }],
    });
  });

  it('of a change, where there is one alone', async () => {
    const { detail } = await send('PATCH', '/api/details/some_key', { content: 'x', is_active: true });
    expect(detail).toBe('content is no field here: there is only is_active.');
  });

  it.each([
    [{ label: '' }, 'label must not be empty.'],
    [{ label: ' \n' }, 'label must not be blank.'],
    [{}, 'label is missing.'],
  ])('of an API key that its label would not identify: %j', async (body, detail) => {
    expect(await send('POST', '/api/keys', body)).toMatchObject({ status: 400, detail });
    expect(await server.services.gate.keys.list()).toEqual([]);
  });

  it('of an image that is no base64', async () => {
    const images = [{ media_type: 'image/png', data: '%%%' }];
    const { detail } = await send('POST', '/agent/vision', { prompt: 'x', images });
    expect(detail).toBe('images.0.data must be base64.');
  });

  it.each([
    [{ text: 'x', tags: ['a'] }, 'tags must be an object with include, exclude, mode, exact.'],
    [{ text: 'x', tags: { includes: ['a'] } }, 'tags.includes is no field here: is include meant?'],
    [{ text: 'x', time_range: { from: 'x' } }, 'time_range.from is no field here: there are start, end.'],
  ])('of a search: %j', async (body, detail) => {
    expect((await send('POST', '/api/search', body)).detail).toBe(detail);
  });

  it.each([
    ['/api/context', { budget_tokens: 200 }, 'budget_tokens is no field here: is budget meant?'],
    ['/api/context', { budgetTokens: 200 }, 'budgetTokens is no field here: is budget meant?'],
    ['/api/search', { query: 'tea' }, 'query is no field here: is text meant?'],
    ['/api/search', { text: 'tea', thread_id: 'x' }, 'thread_id is no field here: is session_id meant?'],
    ['/api/search', { text: 'tea', importance: 1 }, 'importance is no field here: is min_importance meant?'],
  ])('that have this name elsewhere: %s %j', async (path, body, detail) => {
    expect((await send('POST', path, body)).detail).toContain(detail);
  });

  it('that are one field elsewhere', async () => {
    expect((await send('GET', '/api/details/det_1?lines=1,2')).detail).toBe(
      'lines is no field here: are first_line, last_line meant?',
    );
  });

  it.each([
    ['limt=5', 'limt is no field here: is limit meant?'],
    ['limit=many', 'limit must be a number.'],
    ['limit=5&limit=6', 'limit is given 2 times. Give it once.'],
  ])('of a query string: %s', async (query, detail) => {
    expect((await send('GET', `${MEMORIES}?${query}`)).detail).toBe(detail);
  });

  it('that stand in the query string of a request with a body', async () => {
    const { code, detail } = await send('POST', `${MEMORIES}?importance=1`, { content: 'x' });
    expect([code, detail]).toEqual([
      'INVALID_REQUEST',
      'importance stands in the query string, and POST takes its fields as JSON in the body.',
    ]);
    expect((await server.call('GET', MEMORIES)).body).toMatchObject({ memories: [] });
    // What a gateway adds is not ours.
    expect((await server.call('POST', '/api/search?trace=1', { text: 'x' })).status).toBe(200);
  });

  it('are named one by one for programs, and not compared when they are too long to be meant', async () => {
    const long = 'x'.repeat(20_000);
    const { errors, detail } = await send('POST', MEMORIES, { content: 'x', tag: 'a', [long]: 1 });
    expect(errors!.map(({ field }) => field)).toEqual(['tag', `${'x'.repeat(64)}…`]);
    expect(detail.length).toBeLessThan(400);
  });
});

describe('bodies', () => {
  it.each([
    ['{"content": "x",}', 'The body is not valid JSON in UTF-8: it goes wrong at line 1, column 17.'],
    ['{"content": "x"', /not valid JSON in UTF-8: it /],
  ])('that are no JSON: %s', async (body, detail) => {
    const problem = await send('POST', MEMORIES, body);
    expect(problem.code).toBe('INVALID_JSON');
    expect(problem.detail).toMatch(detail);
  });

  it('that are JSON, but no object', async () => {
    expect((await send('POST', MEMORIES, '["x"]')).detail).toContain('must be a JSON object, such as {');
  });

  it('of another type', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect(await send('POST', MEMORIES, 'content=x', form)).toMatchObject({
      status: 415,
      detail: expect.stringContaining('content-type: application/json (curl: --json in place of -d)'),
    });
  });

  it('that are too long', async () => {
    expect(await send('POST', MEMORIES, { content: 'x'.repeat(70_000) })).toMatchObject({
      status: 413,
      detail: 'The body is longer than 65536 bytes (limits.bodyKb).',
    });
  });
});

describe('paths', () => {
  it.each([
    ['POST', '/api/session/demo/memories', 'Near it: POST or GET /api/sessions/{session_id}/memories.'],
    ['GET', '/api/serach', 'Near it: POST /api/search.'],
    ['POST', '/api/memoreis', 'Near it: POST /api/memories'],
    ['GET', '/nothing/like/it', 'There is no such path. All of them are in /docs.'],
    ['GET', `/api/${'x'.repeat(100)}`, 'There is no such path. All of them are in /docs.'],
  ])('that are not there: %s %s', async (method, path, detail) => {
    expect(await send(method, path)).toMatchObject({
      status: 404,
      code: 'ROUTE_NOT_FOUND',
      detail: expect.stringContaining(detail),
    });
  });

  it('with another method', async () => {
    expect(await send('GET', '/api/search?text=x')).toMatchObject({
      status: 405,
      detail: 'There is no GET for this path. It takes POST: see /docs.',
    });
  });
});
