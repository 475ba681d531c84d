import { EMBEDDER_LIMITS, type Embedder, type EmbedOptions, embedderFailed } from '../../core/embedder.ts';
import { type IOError, ValidationError } from '../../core/errors.ts';

/** An endpoint that speaks OpenAI's `POST /embeddings`: OpenAI, Ollama (`http://localhost:11434/v1`), vLLM and others. */
export interface OpenAIEmbedderOptions {
  readonly model: string;
  /** What the model gives: 1,536 for text-embedding-3-small, 768 for nomic-embed-text, 384 for all-minilm. */
  readonly dimensions: number;
  /** Default `https://api.openai.com/v1`. */
  readonly baseURL?: string;
  /** Left out for an endpoint that asks for none. */
  readonly apiKey?: string;
  /** Ask for vectors of `dimensions` when the model's own are longer. Only some models can; default false. */
  readonly shorten?: boolean;
  /** How vectors travel: `base64` is a third of the size, and some endpoints know only `float` (default). */
  readonly encoding?: 'float' | 'base64';
  /** Put before questions, and before memories, for models that want it: `search_query: `, `search_document: `. */
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /** Change it when the same name stands for another model, so that vectors are made again. */
  readonly version?: string;
  /** Texts in one request. Default 64. */
  readonly batchSize?: number;
  /** For one try. Default 30,000. */
  readonly timeoutMs?: number;
  /** Tries after the first, when there is hope: too many requests, trouble of the server or the network. Default 3. */
  readonly maxRetries?: number;
  /** Before the first of them; doubled each time, or as long as the server says. Default 500. */
  readonly retryDelayMs?: number;
  /** Default: the runtime's. */
  readonly fetch?: typeof fetch;
}

const DEFAULT_BASE_URL = 'https://api.openai.com/v1';
/** The longest wait between two tries, whatever the server asks for. */
const LONGEST_DELAY_MS = 30_000;
/** What a text can do wrong: it is too long, or not what the endpoint takes. */
const REFUSING = new Set([400, 413, 422]);
const HOPEFUL = new Set([408, 409, 425, 429]);

const HINTS: Readonly<Record<number, string>> = {
  401: ': check the API key',
  403: ': check the API key and what it may do',
  404: ': check the address and the name of the model',
};

function hintFor(status: number): string {
  const isRedirect = status >= 300 && status < 400;
  return isRedirect ? ': set the address that it sends to, texts are not sent on' : (HINTS[status] ?? '');
}

/**
 * An embedder behind an endpoint. Sends the texts of memories and questions there, and nothing else.
 * @throws ValidationError INVALID_OPTION
 */
export function openAIEmbedder(options: OpenAIEmbedderOptions): Embedder {
  const { model, dimensions, batchSize = EMBEDDER_LIMITS.batchSize } = options;
  const { queryPrefix = '', documentPrefix = '', version = '' } = options;
  if (typeof model !== 'string' || model.trim() === '') refuse('model must be the name of a model');
  if (!Number.isInteger(dimensions) || dimensions < 1) refuse('dimensions must be a whole number above 0');
  const endpoint = new Endpoint(options);
  const marks = [version, queryPrefix, documentPrefix];
  const identity = `openai/${model}/${dimensions}${marks.some(Boolean) ? `/${JSON.stringify(marks)}` : ''}`;
  return {
    identity,
    dimensions,
    batchSize,
    embed: async (texts, { kind, signal }) => {
      const prefix = kind === 'query' ? queryPrefix : documentPrefix;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize) {
        const batch = texts.slice(at, at + batchSize).map((text) => prefix + text);
        vectors.push(...(await endpoint.embed(batch, { kind, signal })));
      }
      return vectors;
    },
  };
}

class Endpoint {
  readonly #options: OpenAIEmbedderOptions;
  readonly #url: string;

  constructor(options: OpenAIEmbedderOptions) {
    const { baseURL = DEFAULT_BASE_URL } = options;
    if (!URL.canParse(baseURL) || !/^https?:$/.test(new URL(baseURL).protocol)) {
      refuse('baseURL must be an address that begins with http:// or https://');
    }
    this.#options = options;
    this.#url = `${baseURL.replace(/\/+$/, '')}/embeddings`;
  }

  async embed(texts: readonly string[], { signal }: EmbedOptions): Promise<readonly Float32Array[]> {
    const { maxRetries = 3, retryDelayMs = 500 } = this.#options;
    for (let tries = 0; ; tries++) {
      try {
        return await this.#tryOnce(texts, signal);
      } catch (error) {
        if (!(error instanceof Hopeful)) throw error;
        signal.throwIfAborted();
        if (tries >= maxRetries) throw error.problem;
        const delayMs = error.afterMs ?? retryDelayMs * 2 ** tries;
        await pause(Math.min(delayMs, LONGEST_DELAY_MS), signal);
      }
    }
  }

  async #tryOnce(texts: readonly string[], signal: AbortSignal): Promise<readonly Float32Array[]> {
    const { apiKey, timeoutMs = 30_000, fetch: ask = fetch } = this.#options;
    let status: number;
    let retryAfter: string | null;
    let text: string;
    try {
      const response = await ask(this.#url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: JSON.stringify(this.#body(texts)),
        // The operator chose this address for the memories: a redirect to another one counts as a refusal.
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      });
      ({ status } = response);
      retryAfter = response.headers.get('retry-after');
      text = await response.text();
    } catch (cause) {
      const isLate = (cause as Error).name === 'TimeoutError';
      const what = isLate ? `did not answer within ${timeoutMs} ms` : 'cannot be reached';
      throw new Hopeful(embedderFailed(what, { cause }));
    }
    if (status >= 200 && status < 300) return this.#vectorsOf(text, texts.length);
    const details = { status, ...(REFUSING.has(status) ? { refused: true } : {}) };
    const problem = embedderFailed(`answered with status ${status}${hintFor(status)}`, { details });
    if (status >= 500 || HOPEFUL.has(status)) throw new Hopeful(problem, delayOf(retryAfter));
    throw problem;
  }

  #body(texts: readonly string[]): object {
    const { model, dimensions, shorten = false, encoding } = this.#options;
    return {
      model,
      input: texts,
      ...(encoding === undefined ? {} : { encoding_format: encoding }),
      ...(shorten ? { dimensions } : {}),
    };
  }

  #vectorsOf(text: string, count: number): Float32Array[] {
    const rows = parseRows(text);
    if (rows === undefined) throw embedderFailed('gave an answer that is not a list of embeddings');
    const vectors: Float32Array[] = [];
    for (const [at, { index = at, embedding }] of rows.entries()) {
      const vector = vectorOf(embedding);
      if (vector === undefined) throw embedderFailed('gave an embedding that is not a list of numbers');
      this.#checkDimensions(vector);
      vectors[index] = vector;
    }
    if (rows.length !== count || Object.keys(vectors).length !== count || vectors.length !== count) {
      throw embedderFailed(`gave ${rows.length} vectors for ${count} texts`);
    }
    return vectors;
  }

  #checkDimensions({ length }: Float32Array): void {
    const { model, dimensions } = this.#options;
    if (length === dimensions) return;
    throw embedderFailed(
      `gave vectors of ${length} dimensions for the model ${model} in place of ${dimensions}: ` +
        'set the dimensions that it has, or let it shorten them',
    );
  }
}

/** Trouble that may pass. */
class Hopeful extends Error {
  readonly problem: IOError;
  readonly afterMs: number | undefined;

  constructor(problem: IOError, afterMs?: number) {
    super(problem.message);
    this.problem = problem;
    this.afterMs = afterMs;
  }
}

interface Row {
  readonly index?: number;
  readonly embedding?: unknown;
}

function parseRows(text: string): readonly Row[] | undefined {
  try {
    const { data } = JSON.parse(text) as { readonly data?: unknown };
    const isList = Array.isArray(data) && data.every((row) => typeof row === 'object' && row !== null);
    return isList ? (data as readonly Row[]) : undefined;
  } catch {
    return undefined;
  }
}

/** From numbers, or from the bytes of 32-bit floats in base64. */
function vectorOf(embedding: unknown): Float32Array | undefined {
  if (Array.isArray(embedding)) {
    return embedding.every((value) => typeof value === 'number') ? Float32Array.from(embedding) : undefined;
  }
  if (typeof embedding !== 'string') return undefined;
  const bytes = Buffer.from(embedding, 'base64');
  if (bytes.length % 4 !== 0) return undefined;
  return Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

/** `Retry-After` is a number of seconds, or a date. */
function delayOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null || retryAfter.trim() === '') return undefined;
  const seconds = Number(retryAfter);
  const delayMs = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(retryAfter) - Date.now();
  return Number.isFinite(delayMs) && delayMs >= 0 ? delayMs : undefined;
}

function pause(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, delayMs);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function refuse(reason: string): never {
  throw new ValidationError('INVALID_OPTION', `The embedder’s ${reason}.`);
}
