import { RequestError } from './problem.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/**
 * The body of a request as JSON; `undefined` when it has none. It is never held in memory beyond the limit,
 * whatever its headers say.
 * @throws RequestError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, maxBytes);
  if (bytes.byteLength === 0) return undefined;
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) {
    throw new RequestError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json.');
  }
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch {
    throw new RequestError('INVALID_JSON', 'The body is not valid JSON in UTF-8.');
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
    // Node hands out no more than was declared.
    return new Uint8Array(await request.arrayBuffer().catch(endedEarly));
  }
  if (request.headers.get('transfer-encoding') === null && request.body === null) return new Uint8Array(0);
  return readChunks(request, maxBytes);
}

async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(endedEarly);
    if (next === undefined || next.done) break;
    length += next.value.byteLength;
    if (length > maxBytes) {
      // Nobody waits for the rest, nor for the end of the cancelling.
      reader?.cancel().catch(() => undefined);
      throw tooLarge(maxBytes);
    }
    chunks.push(next.value);
  }
  return Buffer.concat(chunks);
}

function endedEarly(): never {
  throw new RequestError('INVALID_REQUEST', 'The request ended before its body did.');
}

function tooLarge(maxBytes: number): RequestError {
  return new RequestError('BODY_TOO_LARGE', `The body is longer than ${maxBytes} bytes.`, {
    facts: { limit_bytes: maxBytes },
    // What is left of the body stays unread.
    headers: { connection: 'close' },
  });
}
