import { expect, it } from 'vitest';
import { onnxEmbedder } from './onnx-embedder.ts';

/** What it does with the real runtime is in `test/onnx.test.ts`, which installs one. */
it('says what to install when there is no runtime', async () => {
  await expect(onnxEmbedder({ model: 'model.onnx', vocabulary: 'vocab.txt' })).rejects.toMatchObject({
    code: 'INVALID_OPTION',
    message: expect.stringContaining('npm install onnxruntime-node'),
  });
});
