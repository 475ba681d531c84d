import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type OnnxRuntime, onnxEmbedder } from './onnx-embedder.ts';

/** What it does with the real runtime is in `test/onnx.test.ts`, which installs one. */
it('says what to install when there is no runtime', async () => {
  await expect(onnxEmbedder({ model: 'model.onnx', vocabulary: 'vocab.txt' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('npm install onnxruntime-node'),
  });
});

/** Gives the same vector for every token. */
const runtime: OnnxRuntime = {
  InferenceSession: {
    create: async () => ({
      inputNames: ['input_ids'],
      outputNames: ['last_hidden_state'],
      run: async ({ input_ids }) => {
        const { dims } = input_ids as { readonly dims: readonly [number, number] };
        return {
          last_hidden_state: { dims: [...dims, 2], data: new Float32Array(dims[0] * dims[1] * 2).fill(1) },
        };
      },
    }),
  },
  Tensor: class {
    readonly dims: readonly number[];
    constructor(_type: string, _data: BigInt64Array, dims: readonly number[]) {
      this.dims = dims;
    }
  },
};

it.each(['_data', '.data'])('is another embedder with other weights in model.onnx%s', async (ending) => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-onnx-'));
  const model = join(folder, 'model.onnx');
  const vocabulary = join(folder, 'vocab.txt');
  writeFileSync(model, 'graph');
  writeFileSync(vocabulary, '[PAD]\n[UNK]\n[CLS]\n[SEP]\na\n');
  const identities: string[] = [];
  for (const weights of [undefined, 'first', 'second', 'second']) {
    if (weights !== undefined) writeFileSync(model + ending, weights);
    identities.push((await onnxEmbedder({ model, vocabulary, runtime })).identity);
  }
  // A file of another model is none of its weights.
  writeFileSync(join(folder, 'other.onnx_data'), 'other');
  identities.push((await onnxEmbedder({ model, vocabulary, runtime })).identity);
  expect(new Set(identities).size).toBe(3);
  expect(new Set(identities.slice(2)).size).toBe(1);
});
