/** Embedders for `MemoryManager`'s option `embedder`. */
export type { Embedder, EmbedOptions } from '../../core/embedder.ts';
export {
  type OnnxEmbedderOptions,
  type OnnxOutput,
  type OnnxRuntime,
  type OnnxSession,
  onnxEmbedder,
} from './onnx-embedder.ts';
export { type OpenAIEmbedderOptions, openAIEmbedder } from './openai-embedder.ts';
