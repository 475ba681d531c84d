/** One server-sent event. */
export interface ServerEvent {
  readonly id: string | undefined;
  readonly event: string;
  readonly data: unknown;
}

/**
 * The events of an answer, as they come. `EventSource` cannot send a key, so the stream is read here. Ends when the answer
 * ends; a half event at the end is left out.
 */
export async function* readEvents(response: Response): AsyncGenerator<ServerEvent, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += value;
      const parts = text.split(/\r?\n\r?\n/);
      text = parts.pop() ?? '';
      for (const part of parts) {
        const event = parseEvent(part);
        if (event !== undefined) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** `undefined` for a comment, which only keeps the connection. */
function parseEvent(part: string): ServerEvent | undefined {
  let [id, event]: [string | undefined, string] = [undefined, 'message'];
  const data: string[] = [];
  for (const line of part.split(/\r?\n/)) {
    const [, name, value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? [];
    if (name === 'id') id = value;
    else if (name === 'event') event = value;
    else if (name === 'data') data.push(value);
  }
  return data.length === 0 ? undefined : { id, event, data: JSON.parse(data.join('\n')) };
}
