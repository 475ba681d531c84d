/** Proxies and browsers give up on a connection that says nothing. */
const BEAT_MS = 15_000;
/** What a client that does not read may make us hold, in events. */
const MAX_WAITING = 1_000;

export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Answers of proxies that collect what they pass on come too late.
  'x-accel-buffering': 'no',
} as const;

function formatEvent(name: string, data: unknown, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface StreamedEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: unknown;
}

/**
 * The events of an answer as a stream. What goes wrong on the way is the last event, because the status is sent.
 * @param onEnd called once, when it ended or the client stopped reading
 */
export function streamEvents(
  events: AsyncIterable<StreamedEvent>,
  { onError, onEnd }: { onError(error: unknown): StreamedEvent; onEnd(): void },
): ReadableStream<Uint8Array> {
  const iterator = events[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let beat: NodeJS.Timeout | undefined;
  let isOver = false;
  const end = (): void => {
    clearInterval(beat);
    if (!isOver) onEnd();
    isOver = true;
  };
  return new ReadableStream<Uint8Array>({
    start: (controller) => {
      beat = setInterval(() => {
        if (!isOver) controller.enqueue(encoder.encode(': still here\n\n'));
      }, BEAT_MS).unref();
    },
    pull: async (controller) => {
      let text: string;
      let isLast = false;
      try {
        const next = await iterator.next();
        isLast = next.done === true;
        text = next.done === true ? '' : formatEvent(next.value.event, next.value.data, next.value.id);
      } catch (error) {
        isLast = true;
        const { event, data } = onError(error);
        text = formatEvent(event, data);
      }
      if (isOver) return;
      if (text !== '') controller.enqueue(encoder.encode(text));
      if (!isLast) return;
      end();
      controller.close();
    },
    cancel: async () => {
      end();
      await iterator.return?.();
    },
  });
}

/** The same, once there is a first event. A failure before it is thrown, so that it can still be a status. */
export async function streamFromFirst(
  ...[events, hooks]: Parameters<typeof streamEvents>
): Promise<ReadableStream<Uint8Array>> {
  const iterator = events[Symbol.asyncIterator]();
  let first: IteratorResult<StreamedEvent> | undefined;
  try {
    first = await iterator.next();
  } catch (error) {
    hooks.onEnd();
    throw error;
  }
  const next = async (): Promise<IteratorResult<StreamedEvent>> => {
    const given = first ?? (await iterator.next());
    first = undefined;
    return given;
  };
  const end = async (): Promise<IteratorResult<StreamedEvent>> => {
    await iterator.return?.();
    return { done: true, value: undefined };
  };
  return streamEvents({ [Symbol.asyncIterator]: () => ({ next, return: end }) }, hooks);
}

/**
 * Lines as they come. A failure before the first one is thrown, so that it can still be a status. A later one ends the
 * connection, so that no client takes a part for the whole.
 * @param onError called with that failure; returns whether it has cut the connection
 */
export async function streamLines(
  lines: AsyncIterable<unknown>,
  onError: (error: unknown) => boolean,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = lines[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let first: IteratorResult<unknown> | undefined = await iterator.next();
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const next = first ?? (await iterator.next());
        first = undefined;
        if (next.done === true) controller.close();
        else controller.enqueue(encoder.encode(`${String(next.value).trimEnd()}\n`));
      } catch (error) {
        // The web server would print an error of the stream, whatever it says.
        if (onError(error)) controller.close();
        else controller.error(error);
      }
    },
    cancel: async () => {
      await iterator.return?.();
    },
  });
}

/** Hands over what is pushed, in order. A reader that falls too far behind is cut off and must start again. */
export class PushStream<Item> implements AsyncIterable<Item> {
  readonly #waiting: Item[] = [];
  #wake: (() => void) | undefined;
  #isEnded = false;

  push(item: Item): void {
    if (this.#isEnded) return;
    this.#waiting.push(item);
    if (this.#waiting.length > MAX_WAITING) this.end();
    this.#wake?.();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift()!;
      if (this.#isEnded) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/**
 * The same bytes, until the signal says so.
 * @param onEnd called once, when they ended or the reader has left
 */
export function untilEnd(
  body: ReadableStream<Uint8Array>,
  onEnd: () => void,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  signal.addEventListener('abort', () => void reader.cancel().catch(() => undefined), { once: true });
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      onEnd();
    },
    cancel: async (reason) => {
      onEnd();
      await reader.cancel(reason);
    },
  });
}
