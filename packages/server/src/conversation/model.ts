import type { LanguageModel } from 'ai';

/** The AI SDK's provider interface, in the version that is spoken here. */
export type Model = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
