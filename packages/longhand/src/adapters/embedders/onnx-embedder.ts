import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { EMBEDDER_LIMITS, type Embedder, embedderFailed } from '../../core/embedder.ts';
import { LonghandError, ValidationError } from '../../core/errors.ts';
import { meanPooling } from './mean-pooling.ts';
import { WordPiece } from './word-piece.ts';

/**
 * A sentence model in this process: MiniLM and its kin, as an ONNX file, run by `onnxruntime-node`. Nothing leaves the
 * machine. The runtime is large, so it is not a dependency of this package: the application installs it.
 */
export interface OnnxEmbedderOptions {
  /** The model's file, `model.onnx`: takes tokens, and gives a vector for each. */
  readonly model: string;
  /** Its `vocab.txt`, a WordPiece a line. */
  readonly vocabulary: string;
  /** Default true; false for models that tell cases apart. */
  readonly lowerCase?: boolean;
  /** Of a text; what lies beyond is left out. Default 256. */
  readonly maxTokens?: number;
  /** Put before questions, and before memories, for models that want it: `query: `, `passage: `. */
  readonly queryPrefix?: string;
  readonly documentPrefix?: string;
  /** Texts that go through the model together. Default 16. */
  readonly batchSize?: number;
  /** Processor threads that the runtime may use. Default: its own choice. */
  readonly threads?: number;
  /** The module `onnxruntime-node`, when it is not where Node finds it. */
  readonly runtime?: OnnxRuntime;
}

/** `onnxruntime-node`, as far as it is used. */
export interface OnnxRuntime {
  readonly InferenceSession: {
    create(path: string, options?: { readonly intraOpNumThreads?: number }): Promise<OnnxSession>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
}

export interface OnnxSession {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, object>): Promise<Readonly<Record<string, OnnxOutput>>>;
}

export interface OnnxOutput {
  readonly dims: readonly number[];
  readonly data: unknown;
}

const DEFAULT_BATCH = 16;
const OUTPUT = 'last_hidden_state';

/**
 * Opens the model. Its identity has a hash of the files, so vectors are made again when the model changes.
 * @throws ValidationError INVALID_OPTION for files that cannot be read or are not such a model, and without the runtime
 */
export async function onnxEmbedder(options: OnnxEmbedderOptions): Promise<Embedder> {
  const {
    model,
    vocabulary,
    lowerCase = true,
    maxTokens = 256,
    batchSize = DEFAULT_BATCH,
    threads,
  } = options;
  const { queryPrefix = '', documentPrefix = '', runtime = loadRuntime() } = options;
  if (!Number.isInteger(maxTokens) || maxTokens < 3) refuse('maxTokens must be a whole number of at least 3');
  const text = await readFile(vocabulary, 'utf8').catch((cause) =>
    refuse('vocabulary cannot be read', cause),
  );
  const contents = await digestOf(model).catch((cause) => refuse('model cannot be read', cause));
  const pieces = openPieces(text, { lowerCase, maxTokens });
  const session = await runtime.InferenceSession.create(
    model,
    threads === undefined ? {} : { intraOpNumThreads: threads },
  ).catch((cause) => refuse('model cannot be opened by onnxruntime-node', cause));
  const sentences = new SentenceModel(runtime, session, pieces);
  // What it gives is seen best by asking it.
  const [{ length: dimensions }] = (await sentences
    .embed(['a'])
    .catch((cause) => refuse('model does not take tokens and give vectors for them', cause))) as [
    Float32Array,
  ];
  const marks = [sha256(text), lowerCase, maxTokens, queryPrefix, documentPrefix];
  const identity = `onnx/${basename(model).slice(0, 64)}/${dimensions}/${sha256(`${contents} ${JSON.stringify(marks)}`)}`;
  return {
    identity,
    dimensions,
    batchSize: EMBEDDER_LIMITS.batchSize,
    embed: async (texts, { kind, signal }) => {
      const prefix = kind === 'query' ? queryPrefix : documentPrefix;
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize) {
        signal.throwIfAborted();
        const batch = texts.slice(at, at + batchSize).map((each) => prefix + each);
        vectors.push(...(await sentences.embed(batch)));
      }
      return vectors;
    },
  };
}

class SentenceModel {
  readonly #runtime: OnnxRuntime;
  readonly #session: OnnxSession;
  readonly #pieces: WordPiece;
  readonly #output: string;

  constructor(runtime: OnnxRuntime, session: OnnxSession, pieces: WordPiece) {
    this.#runtime = runtime;
    this.#session = session;
    this.#pieces = pieces;
    const { outputNames } = session;
    this.#output = outputNames.includes(OUTPUT) ? OUTPUT : outputNames[0]!;
  }

  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    const encoded = texts.map((text) => this.#pieces.encode(text));
    const tokens = Math.max(...encoded.map(({ length }) => length));
    const padded = (fill: number, value: (number: number) => number): number[] =>
      encoded.flatMap((numbers) => [
        ...numbers.map(value),
        ...new Array<number>(tokens - numbers.length).fill(fill),
      ]);
    const mask = padded(0, () => 1);
    const inputs: Readonly<Record<string, readonly number[]>> = {
      input_ids: padded(this.#pieces.padding, (number) => number),
      attention_mask: mask,
      token_type_ids: padded(0, () => 0),
    };
    const feeds: Record<string, object> = {};
    for (const name of this.#session.inputNames) {
      const values = inputs[name];
      if (values === undefined)
        throw embedderFailed(`has a model that asks for ${name}, which is unknown here`);
      const data = BigInt64Array.from(values, BigInt);
      feeds[name] = new this.#runtime.Tensor('int64', data, [texts.length, tokens]);
    }
    const { dims, data } = await this.#run(feeds);
    const [ofTexts, ofTokens, dimensions = 0] = dims;
    const isOfTokens = dims.length === 3 && ofTexts === texts.length && ofTokens === tokens;
    if (!isOfTokens || !(data instanceof Float32Array)) {
      throw embedderFailed('has a model that gives no vector of 32-bit numbers for each token');
    }
    return meanPooling(data, mask, { texts: texts.length, tokens, dimensions });
  }

  async #run(feeds: Record<string, object>): Promise<OnnxOutput> {
    try {
      return (await this.#session.run(feeds))[this.#output]!;
    } catch (cause) {
      throw embedderFailed('has a model that failed', { cause });
    }
  }
}

function openPieces(vocabulary: string, options: ConstructorParameters<typeof WordPiece>[1]): WordPiece {
  try {
    return new WordPiece(vocabulary, options);
  } catch (cause) {
    return refuse('vocabulary is not a list of WordPieces', cause);
  }
}

function loadRuntime(): OnnxRuntime {
  const load = createRequire(import.meta.url);
  try {
    return load('onnxruntime-node') as OnnxRuntime;
  } catch (cause) {
    throw new ValidationError(
      'INVALID_OPTION',
      'A model in this process needs onnxruntime-node. Run: npm install onnxruntime-node',
      { cause },
    );
  }
}

/** Of all files that begin with the model's name: many models keep their weights in `model.onnx_data` or `model.onnx.data`. */
async function digestOf(model: string): Promise<string> {
  const folder = dirname(model);
  const starts = [`${basename(model)}_`, `${basename(model)}.`];
  const beside = (await readdir(folder)).filter((name) => starts.some((start) => name.startsWith(start)));
  const hash = createHash('sha256');
  for (const path of [model, ...beside.sort().map((name) => join(folder, name))])
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function refuse(reason: string, cause?: unknown): never {
  // What is said already says it better.
  const said = LonghandError.isInstance(cause) ? `: ${cause.message}` : '.';
  throw new ValidationError('INVALID_OPTION', `The embedder’s ${reason}${said}`, { cause });
}
