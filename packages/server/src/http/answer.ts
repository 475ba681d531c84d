/** What most routes answer with: it becomes a response when all its headers are known, which costs the least. */
export class Answer {
  readonly body: string | ReadableStream<Uint8Array> | null;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies: readonly string[];

  constructor(
    body: Answer['body'],
    headers: Readonly<Record<string, string>>,
    status = 200,
    cookies: readonly string[] = [],
  ) {
    this.body = body;
    this.headers = headers;
    this.status = status;
    this.cookies = cookies;
  }
}

export const JSON_HEADERS = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
};

export function json(value: unknown, status = 200, cookies: readonly string[] = []): Answer {
  return new Answer(JSON.stringify(value), JSON_HEADERS, status, cookies);
}

/** @param headers those that every answer has; they go before the answer's own */
export function toResponse(answer: Answer | Response, headers: Readonly<Record<string, string>>): Response {
  if (answer instanceof Answer) {
    const { body, status, cookies } = answer;
    const response = new Response(body, { status, headers: { ...answer.headers, ...headers } });
    for (const cookie of cookies) response.headers.append('set-cookie', cookie);
    return response;
  }
  // Made elsewhere: by MCP, or from a file of the console.
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, value);
  return answer;
}
