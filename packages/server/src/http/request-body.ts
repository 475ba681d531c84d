import { RequestError } from './problem.ts';

/** What a memory may hold is 64 levels deep; the rest is for what is around it. Nothing we take is deeper. */
const MAX_DEPTH = 80;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false });

/** Bytes that were read to find a ticket in them. */
export interface PeekedBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ticket: string | undefined;
}

/**
 * The body of a request as JSON; `undefined` when it has none. It is never held in memory beyond the limit,
 * whatever its headers say.
 * @param peeked the body, when it was read before
 * @throws RequestError BODY_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, INVALID_JSON
 */
export async function readJson(request: Request, maxBytes: number, peeked?: PeekedBody): Promise<unknown> {
  const bytes = peeked?.bytes ?? (await readBody(request, maxBytes));
  if (bytes.byteLength === 0) return undefined;
  if (!isJson(request) && peeked?.ticket === undefined) {
    throw new RequestError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON, with the header content-type: application/json (curl: --json in place of -d).',
    );
  }
  return parsed(bytes);
}

/** What a browser sends for a page that is left: its own limit for that. */
const PEEKED_BYTES = 65_536;

/**
 * The body of a request that may bring a ticket; `undefined` when it is too long to bring one, and is to be read when it is
 * known who asks. A page that is left can send no headers and nothing but text, so the type is not looked at.
 * @throws RequestError BODY_TOO_LARGE, INVALID_JSON
 */
export async function peekTicket(request: Request): Promise<PeekedBody | undefined> {
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!(length <= PEEKED_BYTES)) return undefined;
  const bytes = await readBody(request, PEEKED_BYTES);
  try {
    const { ticket } = Object(parsed(bytes)) as { readonly ticket?: unknown };
    return { bytes, ticket: typeof ticket === 'string' ? ticket : undefined };
  } catch {
    // What is wrong with it is reported once the caller is known.
    return { bytes, ticket: undefined };
  }
}

function isJson(request: Request): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '');
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes)) as unknown;
  } catch (error) {
    throw new RequestError('INVALID_JSON', `The body is not valid JSON in UTF-8${placeOf(error)}.`);
  }
}

/** Where it goes wrong, when the parser says so; what stands there is not repeated. */
function placeOf(error: unknown): string {
  if (!(error instanceof SyntaxError)) return '';
  if (error.message.includes('end of JSON')) return ': it ends too early';
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(error.message) ?? [];
  return line === undefined ? '' : `: it goes wrong at line ${line}, column ${column}`;
}

/**
 * The bytes of a body that will be read as JSON, within the limit. One that is nested too deep is refused as it
 * stands: whatever walks through it afterwards may do so without counting.
 * @throws RequestError BODY_TOO_LARGE, INVALID_JSON
 */
export async function readBody(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await readBytes(request, maxBytes);
  refuseDeep(bytes);
  return bytes;
}

const [QUOTE, BACKSLASH, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\[]{}');

/** Counts brackets outside of texts. Bytes of longer characters are all above those that count. */
function refuseDeep(bytes: Uint8Array): void {
  if (bytes.byteLength <= MAX_DEPTH) return;
  let depth = 0;
  let isInText = false;
  for (let i = 0; i < bytes.byteLength; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) isInText = !isInText;
    else if (isInText) {
      if (byte === BACKSLASH) i++;
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      if (++depth > MAX_DEPTH)
        throw new RequestError('INVALID_JSON', `The body is nested more than ${MAX_DEPTH} levels deep.`);
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) depth--;
  }
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const declared = request.headers.get('content-length');
  if (declared !== null) {
    if (Number(declared) > maxBytes) throw tooLarge(maxBytes);
    // Node hands out no more than was declared.
    return new Uint8Array(await request.arrayBuffer().catch(endedEarly));
  }
  if (request.headers.get('transfer-encoding') === null && request.body === null) return new Uint8Array(0);
  return readChunks(request, maxBytes);
}

async function readChunks(request: Request, maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = request.body?.getReader();
  for (;;) {
    const next = await reader?.read().catch(endedEarly);
    if (next === undefined || next.done) break;
    length += next.value.byteLength;
    if (length > maxBytes) {
      // Neither the rest nor the end of the cancelling is awaited.
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
  return new RequestError('BODY_TOO_LARGE', `The body is longer than ${maxBytes} bytes (limits.bodyKb).`, {
    facts: { limit_bytes: maxBytes },
    // What is left of the body stays unread.
    headers: { connection: 'close' },
  });
}
