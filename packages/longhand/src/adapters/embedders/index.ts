/** Embedders for `MemoryManager`'s option `embedder`. */
export type { Embedder, EmbedOptions } from '../../core/embedder.ts';
export { type OpenAIEmbedderOptions, openAIEmbedder } from './openai-embedder.ts';
