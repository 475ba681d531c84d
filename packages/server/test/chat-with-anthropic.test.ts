import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { ChatFolder } from './chat-set-up.ts';

/** A local server that speaks the protocol of Anthropic's messages, streaming, with one scripted answer a request. */
type Block =
  | { readonly text: readonly string[] }
  | { readonly tool: string; readonly input: Readonly<Record<string, unknown>> };
interface Asked {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
}

let server: Server;
const folder = new ChatFolder();
afterEach(async () => {
  await folder.remove();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function startAnthropic(script: (readonly Block[] | number)[]) {
  const requests: { readonly headers: Record<string, unknown>; readonly body: Asked }[] = [];
  server = createServer((request, response) => {
    let text = '';
    request.on('data', (data) => {
      text += data;
    });
    request.on('end', () => {
      requests.push({ headers: request.headers, body: JSON.parse(text) as Asked });
      const next = script.shift()!;
      if (typeof next === 'number') {
        response.writeHead(next, { 'content-type': 'application/json', 'retry-after-ms': '1' });
        response.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of eventsOf(next))
        response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { requests, baseURL: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

function* eventsOf(blocks: readonly Block[]): Generator<{ type: string }> {
  const usage = { input_tokens: 7, output_tokens: 1 };
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-test', content: [] };
  yield {
    type: 'message_start',
    message: { ...message, stop_reason: null, stop_sequence: null, usage },
  } as never;
  for (const [index, block] of blocks.entries()) {
    const isText = 'text' in block;
    const begun = isText
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `toolu_${index}`, name: block.tool, input: {} };
    yield { type: 'content_block_start', index, content_block: begun } as never;
    const deltas = isText
      ? block.text.map((text) => ({ type: 'text_delta', text }))
      : [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }];
    for (const delta of deltas) yield { type: 'content_block_delta', index, delta } as never;
    yield { type: 'content_block_stop', index } as never;
  }
  const stop_reason = blocks.some((block) => 'tool' in block) ? 'tool_use' : 'end_turn';
  yield {
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 9 },
  } as never;
  yield { type: 'message_stop' };
}

it('streams the answer of a model of Anthropic, with its tools and a failure that passes', async () => {
  const { requests, baseURL } = await startAnthropic([
    [
      {
        tool: 'store_memory',
        input: { type: 'finding', content: 'The dog is called Rex', description: 'dog' },
      },
    ],
    529,
    [{ text: ['I have ', 'kept it.'] }],
  ]);
  const chat = await folder.open({ provider: 'anthropic', model: 'claude-test', baseURL, apiKey: 'sk-test' });
  const events = await chat.stream('My dog is called Rex.');
  expect(events.flatMap((event) => (event.type === 'text' ? [event.text] : []))).toEqual([
    'I have ',
    'kept it.',
  ]);
  expect(events.some((event) => event.type === 'tool' && event.name === 'store_memory')).toBe(true);
  expect(events.at(-1)).toMatchObject({ type: 'done', answer: 'I have kept it.', model: 'claude-test' });

  const [first, , last] = requests;
  expect(requests).toHaveLength(3);
  expect(first!.headers['x-api-key']).toBe('sk-test');
  expect(first!.body).toMatchObject({ model: 'claude-test', stream: true });
  expect(first!.body.tools!.map(({ name }) => name)).toContain('store_memory');
  expect(JSON.stringify(first!.body.system)).toContain('You are default.');
  expect(JSON.stringify(last!.body.messages)).toContain('tool_result');
  expect((await chat.memory.search({ text: 'dog' })).memories).toHaveLength(1);
});
