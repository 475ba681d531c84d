import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CAMPAIGN_FOLDER } from '../../../scripts/install-for-campaigns.ts';
import { type OnnxRuntime, onnxEmbedder } from '../src/adapters/embedders/index.ts';
import { MemoryManager } from '../src/index.ts';
import { temporaryFolder } from './campaign.ts';
import { tinyOnnxModel } from './tiny-onnx-model.ts';

/** A model in this process, with the real runtime and a real, small model. */
const runtime = createRequire(join(CAMPAIGN_FOLDER, 'package.json'))('onnxruntime-node') as OnnxRuntime;

const PIECES = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', 'car', 'auto', '##mobile', 'tea', '.'];
/** A car and an automobile point the same way; what is padding would point far away. */
const TABLE = [
  [0, 0, 900],
  [0, 0, 0],
  [0, 0, 0],
  [0, 0, 0],
  [3, 4, 0],
  [1, 0, 0],
  [0, 4 / 3, 0],
  [0, 0, 2],
  [0, 0, 0],
];

function files(table = TABLE, inputs?: readonly string[]): { model: string; vocabulary: string } {
  const place = temporaryFolder(false);
  const model = join(place, 'tiny.onnx');
  const vocabulary = join(place, 'vocab.txt');
  writeFileSync(model, tinyOnnxModel(table, inputs));
  writeFileSync(vocabulary, `${PIECES.join('\n')}\n`);
  return { model, vocabulary };
}

const open = (paths = files(), options: object = {}) =>
  onnxEmbedder({ ...paths, runtime, threads: 1, ...options });
const asked = { kind: 'document', signal: new AbortController().signal } as const;
const shown = (vectors: readonly Float32Array[]) =>
  vectors.map((vector) => [...vector].map((value) => Number(value.toFixed(5))));

it('gives each text the mean of its tokens, however long the others of its batch are', async () => {
  const embedder = await open(files(), { batchSize: 2 });
  expect(embedder.dimensions).toBe(3);
  const texts = ['Car', 'automobile. TEA tea', 'tea', 'car tea'];
  const together = shown(await embedder.embed(texts, asked));
  expect(together).toEqual([
    [0.6, 0.8, 0],
    // 1, 4/3, 4: its length is 13/3.
    [0.23077, 0.30769, 0.92308],
    [0, 0, 1],
    // 3, 4, 2: its length is √29.
    [0.55709, 0.74278, 0.37139],
  ]);
  for (const [at, text] of texts.entries()) {
    expect(shown(await embedder.embed([text], asked))).toEqual([together[at]]);
  }
  const aborted = { kind: 'query', signal: AbortSignal.abort() } as const;
  await expect(embedder.embed(texts, aborted)).rejects.toThrow();
});

it('is another embedder with another model, vocabulary or prefix, and the same in another folder', async () => {
  const { identity } = await open();
  expect((await open()).identity).toBe(identity);
  const others = [
    await open(files([[0, 0, 901], ...TABLE.slice(1)])),
    await open(files(), { queryPrefix: 'query: ' }),
    await open(files(), { maxTokens: 8 }),
  ];
  expect(new Set([identity, ...others.map((other) => other.identity)]).size).toBe(4);
  expect(shown(await (await open(files(TABLE, ['input_ids']))).embed(['car'], asked))).toEqual([
    [0.6, 0.8, 0],
  ]);
});

it('finds what is said in other words', async () => {
  const embedder = await open();
  await using manager = new MemoryManager({ storageRoot: join(temporaryFolder(), 'store'), embedder });
  await manager.createSession('ada', { session_id: 's1' });
  await manager.addMemory('s1', { id: 'mem_car', type: 'finding', content: { text: 'a car' } });
  await manager.addMemory('s1', { id: 'mem_tea', type: 'finding', content: { text: 'tea' } });
  expect(await manager.embedMemories('ada')).toMatchObject({ embedded: 2 });
  const { memories, semantic } = await manager.pageMemories('s1', { text: 'automobile' });
  expect(semantic).toEqual({ used: true });
  expect(memories[0]!.id).toBe('mem_car');
});

it('refuses what is no model, and says why', async () => {
  const good = files();
  const wrong = (change: object, reason: RegExp) =>
    expect(open({ ...good, ...change })).rejects.toMatchObject({
      code: 'INVALID_OPTION',
      message: expect.stringMatching(reason),
    });
  await wrong({ model: join(good.model, 'not-there') }, /model cannot be read/);
  await wrong({ vocabulary: good.model.replace('tiny.onnx', 'none') }, /vocabulary cannot be read/);
  await wrong({ vocabulary: good.model }, /vocabulary is not a list of WordPieces/);
  await wrong({ model: good.vocabulary }, /model cannot be opened by onnxruntime-node/);
  await wrong({ maxTokens: 2 }, /maxTokens/);
  await wrong({ model: files(TABLE, ['input_ids', 'pixel_values']).model }, /asks for pixel_values/);
  await wrong({ model: files(TABLE.slice(0, 2)).model }, /model that failed/);
});
