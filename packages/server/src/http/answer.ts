/** What most routes answer with: it becomes a response when all its headers are known, which costs the least. */
export class Answer {
  readonly body: string | ReadableStream<Uint8Array> | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: Answer['body'], headers: Readonly<Record<string, string>>, status = 200) {
    this.body = body;
    this.headers = headers;
    this.status = status;
  }
}

export const JSON_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function json(value: unknown, status = 200): Answer {
  return new Answer(JSON.stringify(value), JSON_HEADERS, status);
}

/** @param headers those that every answer has; they go before the answer's own */
export function toResponse(answer: Answer | Response, headers: Readonly<Record<string, string>>): Response {
  if (answer instanceof Answer)
    return new Response(answer.body, { status: answer.status, headers: { ...answer.headers, ...headers } });
  // Made elsewhere: by MCP, or from a file of the console.
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
