import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A server that speaks the protocol of OpenAI's chat completions, for tests: it answers what it was told to, one
 * scripted answer for each request, and remembers what it was asked. Streams as server-sent events when asked to.
 */
export interface StandIn {
  readonly baseURL: string;
  /** The bodies of all requests, in their order. */
  readonly requests: readonly ChatBody[];
  /** What the next requests get, in this order; `reply` is asked when there is nothing left. */
  readonly script: Scripted[];
  close(): Promise<void>;
}

export interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly {
    readonly role: string;
    readonly content?: string | readonly { readonly type: string; readonly text?: string }[] | null;
    readonly tool_calls?: readonly {
      readonly id: string;
      readonly function: { name: string; arguments: string };
    }[];
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
  readonly tool_choice?: unknown;
}

export type Scripted =
  /** `finish`: the provider's word for why it ended; `stop` when left out. */
  | { readonly text: string; readonly finish?: string }
  | { readonly text?: string; readonly calls: readonly ScriptedCall[] }
  /** An HTTP error. `retry-after-ms` keeps the client from waiting. */
  | { readonly status: number; readonly location?: string }
  /** The stream begins and then: a chunk that is no JSON, an error in a chunk, an end without a finish, a torn socket. */
  | { readonly text: string; readonly ending: 'malformed' | 'error' | 'no-finish' | 'hang-up' | 'silence' }
  /** Nothing at all, until the client leaves. */
  | 'silence';

export interface ScriptedCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>> | string;
}

export async function startStandIn(
  reply?: (body: ChatBody) => Scripted | Promise<Scripted>,
): Promise<StandIn> {
  const requests: ChatBody[] = [];
  const script: Scripted[] = [];
  const open = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    open.add(response);
    response.on('close', () => open.delete(response));
    void readBody(request).then(async (body) => {
      requests.push(body);
      const next = script.shift() ?? (await reply?.(body)) ?? { text: 'I have nothing to say.' };
      return send(next, body, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    script,
    close: async () => {
      for (const response of open) response.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readBody(request: IncomingMessage): Promise<ChatBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString()) as ChatBody;
}

async function send(answer: Scripted, { model, stream }: ChatBody, response: ServerResponse): Promise<void> {
  if (answer === 'silence') return;
  if ('status' in answer) {
    response.writeHead(answer.status, {
      'content-type': 'application/json',
      'retry-after-ms': '1',
      ...(answer.location === undefined ? {} : { location: answer.location }),
    });
    response.end(
      JSON.stringify({ error: { message: 'no, with sk-secret in it', type: 'trouble', code: null } }),
    );
    return;
  }
  const calls = 'calls' in answer ? answer.calls : [];
  const tool_calls = calls.map((call, index) => ({
    index,
    id: `call_${crypto.randomUUID()}`,
    type: 'function',
    function: {
      name: call.name,
      arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
    },
  }));
  const given = 'finish' in answer ? answer.finish : undefined;
  const finish_reason = given ?? (calls.length > 0 ? 'tool_calls' : 'stop');
  const head = { id: 'chatcmpl-1', created: 1_700_000_000, model };
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
  if (stream !== true) {
    response.writeHead(200, { 'content-type': 'application/json' });
    const message = {
      role: 'assistant',
      content: answer.text ?? null,
      ...(calls.length > 0 ? { tool_calls } : {}),
    };
    const choices = [{ index: 0, message, finish_reason }];
    response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const chunk = (delta: object, finish: string | null = null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  chunk({ role: 'assistant', content: '' });
  for (const word of answer.text?.match(/\s*\S+/g) ?? []) chunk({ content: word });
  if ('ending' in answer) {
    misbehave(answer.ending, response);
    return;
  }
  // Arguments come in pieces, as from the real ones.
  for (const call of tool_calls) {
    const { index, function: fn } = call;
    chunk({ tool_calls: [{ ...call, function: { name: fn.name, arguments: '' } }] });
    for (const piece of fn.arguments.match(/[\s\S]{1,7}/g) ?? []) {
      chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
    }
  }
  chunk({}, finish_reason);
  response.write(
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
  );
  response.end('data: [DONE]\n\n');
}

function misbehave(
  how: 'malformed' | 'error' | 'no-finish' | 'hang-up' | 'silence',
  response: ServerResponse,
): void {
  switch (how) {
    case 'malformed':
      response.write('data: {"id":"chatcmpl-1","choi\n\n');
      response.end('data: [DONE]\n\n');
      return;
    case 'error':
      response.write('data: {"error":{"message":"overloaded","type":"server_error"}}\n\n');
      response.end();
      return;
    case 'no-finish':
      response.end();
      return;
    case 'hang-up':
      // What was written must have left before the socket is torn.
      setTimeout(() => response.destroy(), 20);
      return;
    case 'silence':
  }
}
