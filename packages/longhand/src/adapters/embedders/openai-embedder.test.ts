import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { embedChecked } from '../../core/embedder.ts';
import { MemoryManager } from '../../memory-manager.ts';
import { MemoryStore } from '../../stores/memory/memory-store.ts';
import { type OpenAIEmbedderOptions, openAIEmbedder } from './openai-embedder.ts';

interface Asked {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  readonly body: { model: string; input: string[]; encoding_format?: string; dimensions?: number };
}

type Reply = (response: ServerResponse, asked: Asked) => void;

const asked: Asked[] = [];
let replies: Reply[] = [];
const server = createServer((request: IncomingMessage, response) => {
  let text = '';
  request.on('data', (chunk) => {
    text += String(chunk);
  });
  request.on('end', () => {
    const { authorization } = request.headers;
    const one: Asked = { url: request.url, authorization, body: JSON.parse(text) as Asked['body'] };
    asked.push(one);
    (replies.shift() ?? fine)(response, one);
  });
});
let baseURL = '';

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  asked.length = 0;
  replies = [];
});

function vector(text: string): number[] {
  return [text.length, text.charCodeAt(0) || 1, 0.5];
}

/** As the protocol has it, the last first: the order is in `index`. */
function fine(response: ServerResponse, { body }: Asked): void {
  const data = body.input.map((text, index) => ({
    object: 'embedding',
    index,
    embedding:
      body.encoding_format === 'base64'
        ? Buffer.from(Float32Array.from(vector(text)).buffer).toString('base64')
        : vector(text),
  }));
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ object: 'list', data: data.reverse(), model: body.model }));
}

function says(status: number, body: unknown = { error: { message: 'a secret text' } }, headers = {}): Reply {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };
}

function gives(...embeddings: unknown[]): Reply {
  return says(200, { data: embeddings.map((embedding, index) => ({ index, embedding })) });
}

function make(options: Partial<OpenAIEmbedderOptions> = {}) {
  return openAIEmbedder({ model: 'tiny', dimensions: 3, baseURL, retryDelayMs: 1, ...options });
}

const NEVER = new AbortController().signal;
function embed(
  texts: string[],
  options: Partial<OpenAIEmbedderOptions> = {},
  kind: 'query' | 'document' = 'document',
) {
  return embedChecked(make(options), texts, { kind, signal: NEVER });
}

describe('an embedder behind an endpoint', () => {
  it('asks as the protocol has it, in batches, and puts the answers in order', async () => {
    const vectors = await embed(['one', 'three', 'seven', 'eleven', 'ab'], { batchSize: 2, apiKey: 'sk-1' });
    expect(vectors.map(([length]) => length)).toEqual([3, 5, 5, 6, 2]);
    expect(asked.map(({ body }) => body.input.length)).toEqual([2, 2, 1]);
    expect(asked[0]).toMatchObject({
      url: '/v1/embeddings',
      authorization: 'Bearer sk-1',
      body: { model: 'tiny', input: ['one', 'three'] },
    });
    expect(asked[0]!.body).not.toHaveProperty('dimensions');
  });

  it('takes base64, shortened vectors and prefixes, and has another identity with them', async () => {
    const [one] = await embed(['one'], { encoding: 'base64', shorten: true });
    expect([...one!]).toEqual([3, 111, 0.5]);
    expect(asked[0]!.body).toMatchObject({ encoding_format: 'base64', dimensions: 3 });
    await embed(['a'], { queryPrefix: 'query: ', documentPrefix: 'passage: ' }, 'query');
    await embed(['a'], { queryPrefix: 'query: ', documentPrefix: 'passage: ' });
    expect(asked.slice(1).map(({ body }) => body.input[0])).toEqual(['query: a', 'passage: a']);
    const identities = [{}, { queryPrefix: 'q' }, { version: '2' }, { model: 'other' }].map(
      (each) => make(each).identity,
    );
    expect(new Set(identities).size).toBe(4);
    expect(make().identity).toBe('openai/tiny/3');
  });

  it('tries again when there is hope, and as late as it is told', async () => {
    replies = [says(429, {}, { 'retry-after': '0' }), says(500), says(503, 'busy'), fine];
    expect(await embed(['one'])).toHaveLength(1);
    expect(asked).toHaveLength(4);
    replies = [(response) => response.destroy(), fine];
    expect(await embed(['one'])).toHaveLength(1);
    replies = [says(500), says(502), says(500), says(504)];
    await expect(embed(['one'])).rejects.toMatchObject({ code: 'EMBEDDER_FAILED', details: { status: 504 } });
  });

  it('gives up at once when there is none, and says why without a word of the text', async () => {
    for (const [status, message] of [
      [401, /status 401: check the API key/],
      [404, /name of the model/],
      [400, /status 400/],
    ] as const) {
      asked.length = 0;
      replies = [says(status)];
      const error = await embed(['one'], { apiKey: 'sk-hidden' }).catch((each: Error) => each);
      expect(String(error)).toMatch(message);
      expect(JSON.stringify(error) + String(error)).not.toMatch(/secret|sk-hidden/);
      expect(asked).toHaveLength(1);
      expect((error as { details?: object }).details).toMatchObject({ status });
    }
    replies = [says(413)];
    await expect(embed(['one'])).rejects.toMatchObject({ details: { refused: true } });
  });

  it.each([301, 302, 307, 308])('sends no text to another address that it is shown (%i)', async (status) => {
    const elsewhere: string[] = [];
    const other = createServer((request, response) => {
      elsewhere.push(`${request.method} ${request.url}`);
      says(200, { data: [{ index: 0, embedding: [1, 2, 3] }] })(response, asked[0]!);
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    try {
      const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/v1/embeddings`;
      replies = [says(status, {}, { location })];
      await expect(embed(['one'], { apiKey: 'sk-1' })).rejects.toMatchObject({
        code: 'EMBEDDER_FAILED',
        details: { status },
        message: expect.stringMatching(/not sent on/),
      });
      expect([elsewhere, asked.length]).toEqual([[], 1]);
    } finally {
      other.closeAllConnections();
      other.close();
    }
  });

  it('does not wait without end', async () => {
    // A server of its own that never answers: a request may arrive after the test has stopped waiting for it.
    const isAsked = Promise.withResolvers<void>();
    const silent = createServer((request) => {
      if (request.url!.startsWith('/aborted')) isAsked.resolve();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    try {
      const address = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
      const impatient = { baseURL: address, timeoutMs: 30, maxRetries: 1 };
      await expect(embed(['one'], impatient)).rejects.toThrow(/within 30 ms/);
      const aborting = new AbortController();
      const { signal } = aborting;
      const waiting = make({ baseURL: `${address}/aborted` }).embed(['one'], { kind: 'query', signal });
      void isAsked.promise.then(() => aborting.abort());
      await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
    } finally {
      silent.closeAllConnections();
      silent.close();
    }
  });

  it('does not rest without end', async () => {
    replies = [says(429, {}, { 'retry-after': '20' })];
    const resting = new AbortController();
    const paused = make().embed(['one'], { kind: 'query', signal: resting.signal });
    const aborted = expect(paused).rejects.toMatchObject({ name: 'AbortError' });
    // While it waits to retry, it listens for the abort.
    while (getEventListeners(resting.signal, 'abort').length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(asked).toHaveLength(1);
    resting.abort();
    await aborted;
    expect(getEventListeners(resting.signal, 'abort')).toEqual([]);
  });

  it('refuses an invalid answer', async () => {
    const wrong: [Reply, RegExp][] = [
      [says(200, '{"data":'), /not a list of embeddings/],
      [says(200, 'null'), /not a list of embeddings/],
      [says(200, { data: [null] }), /not a list of embeddings/],
      [says(200, { object: 'list' }), /not a list of embeddings/],
      [gives([1, 2]), /2 dimensions for the model tiny in place of 3/],
      [gives([1, 2, 3, 4]), /4 dimensions/],
      [gives(), /0 vectors for 1 texts/],
      [gives([1, 2, 3], [1, 2, 3]), /2 vectors for 1 texts/],
      [says(200, { data: [{ index: 7, embedding: [1, 2, 3] }] }), /1 vectors for 1 texts/],
      [gives([1, null, 3]), /not a list of numbers/],
      [gives(['1', 2, 3]), /not a list of numbers/],
      [gives('abcde'), /not a list of numbers/],
      [gives(Buffer.from(Float32Array.of(1, Number.NaN, 3).buffer).toString('base64')), /no number/],
      [gives([1, 1e39, 3]), /no number/],
      [gives([0, 0, 0]), /without a direction/],
    ];
    for (const [reply, message] of wrong) {
      replies = [reply];
      await expect(embed(['one'])).rejects.toThrow(message);
    }
    await expect(
      embedChecked({ ...make(), embed: async () => [] }, ['a'], { kind: 'query', signal: NEVER }),
    ).rejects.toThrow(/0 vectors for 1 texts/);
    await expect(
      embedChecked({ ...make(), embed: async () => [Float32Array.of(1)] }, ['a'], {
        kind: 'query',
        signal: NEVER,
      }),
    ).rejects.toThrow(/1 dimensions in place of 3/);
  });

  it('is refused when it is set up wrongly', () => {
    expect(() => make({ model: '' })).toThrow(/model/);
    expect(() => make({ dimensions: 0 })).toThrow(/dimensions/);
    expect(() => make({ baseURL: 'localhost:11434' })).toThrow(/baseURL/);
    expect(() => openAIEmbedder({ model: 'text-embedding-3-small', dimensions: 1536 })).not.toThrow();
  });

  it('serves a memory manager', async () => {
    await using manager = new MemoryManager({ store: new MemoryStore(), embedder: make() });
    await manager.createSession('ada', { session_id: 's1' });
    await manager.addMemory('s1', { type: 'finding', content: { text: 'a memory' } });
    expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 1 });
    expect((await manager.pageMemories('s1', { text: 'question' })).semantic).toEqual({ used: true });
  });
});
