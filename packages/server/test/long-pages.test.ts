import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, startTestServer, type TestServer } from './http-fixture.ts';

/** A search by relevance can be paged to its end, in the largest pages that the server gives. */

const COUNT = 2_500;
const MEMORIES = '/api/sessions/s/memories';
let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
  await server.call('POST', '/api/sessions', { session_id: 's' });
  const memories = Array.from({ length: COUNT }, (_, i) => ({
    id: `mem_${i}`,
    type: 'finding',
    content: `tea ${i}`,
  }));
  expect((await server.call('POST', `${MEMORIES}/batch`, { memories })).status).toBe(201);
});
afterAll(() => server.stop());

async function pagedWith(ask: (page: Record<string, string | number>) => Promise<Answer>): Promise<number[]> {
  const seen = new Set<string>();
  const sizes: number[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
    const { status, body } = await ask({ text: 'tea', limit: 1_000, ...(cursor && { cursor }) });
    expect([status, body.code]).toEqual([200, undefined]);
    for (const { id } of body.memories) seen.add(id);
    sizes.push(body.memories.length);
    cursor = body.next_cursor;
  }
  expect(seen.size).toBe(COUNT);
  return sizes;
}

describe('pages of a thousand memories', () => {
  it.each([`${MEMORIES}/query`, '/api/search'])('follow one another with POST %s', async (path) => {
    expect(await pagedWith((page) => server.call('POST', path, page))).toEqual([1_000, 1_000, 500]);
  });

  it('follow one another where the cursor stands in the address', async () => {
    const sizes = await pagedWith((page) => {
      const asked = new URLSearchParams({ sort_by: 'relevance' });
      for (const [field, value] of Object.entries(page)) asked.set(field, String(value));
      return server.call('GET', `${MEMORIES}?${asked}`);
    });
    expect(sizes).toEqual([1_000, 1_000, 500]);
  });

  it('are asked for with POST when an address would be too long, and a GET says so', async () => {
    const { status, body } = await server.call('GET', `${MEMORIES}?cursor=${'x'.repeat(70_000)}`);
    expect(status).toBe(431);
    expect(body.detail).toContain('POST');
  });
});
