import { ValidationError } from 'longhand';
import type { Model } from './model.ts';

/**
 * Where answers come from. The AI SDK and its providers are large: nothing of them is loaded before the first question.
 * Addresses and keys come from the operator's configuration alone.
 */
export type ModelSettings =
  | { readonly provider: 'demo' }
  | {
      readonly provider: 'openai-compatible';
      /** `http://127.0.0.1:11434/v1`, `https://api.openai.com/v1`, … */
      readonly baseURL: string;
      readonly model: string;
      readonly apiKey?: string | undefined;
    }
  | {
      readonly provider: 'anthropic';
      readonly baseURL?: string | undefined;
      readonly model: string;
      readonly apiKey?: string | undefined;
    };

const ANTHROPIC_URL = 'https://api.anthropic.com/v1';

/** The models of one provider, loaded when they are first asked for. */
export class Models {
  readonly #settings: ModelSettings;
  readonly #loaded = new Map<string, Promise<Model>>();

  constructor(settings: ModelSettings) {
    this.#settings = settings;
  }

  /** The model that answers when an agent names none. */
  get defaultName(): string {
    return this.#settings.provider === 'demo' ? 'demo' : this.#settings.model;
  }

  /** @param name another model of the same provider; the demo is the same under every name */
  model(name?: string | null): Promise<Model> {
    const wanted = (this.#settings.provider !== 'demo' && name) || this.defaultName;
    const known = this.#loaded.get(wanted);
    if (known !== undefined) return known;
    const loading = load(this.#settings, wanted);
    this.#loaded.set(wanted, loading);
    loading.catch(() => this.#loaded.delete(wanted));
    return loading;
  }
}

async function load(settings: ModelSettings, model: string): Promise<Model> {
  // The SDK prints what it has to remark; standard error holds the log, one JSON object a line.
  (globalThis as { AI_SDK_LOG_WARNINGS?: boolean }).AI_SDK_LOG_WARNINGS = false;
  switch (settings.provider) {
    case 'demo':
      return new (await import('./demo-model.ts')).DemoModel();
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
      const { baseURL, apiKey } = settings;
      const key = apiKey === undefined ? {} : { apiKey };
      return createOpenAICompatible({
        name: 'openai',
        baseURL,
        includeUsage: true,
        fetch: withoutRedirects,
        ...key,
      })(model);
    }
    case 'anthropic': {
      const { createAnthropic } = await import('@ai-sdk/anthropic');
      // Both are always given: what is left out, the provider would look for in the environment.
      const { baseURL = ANTHROPIC_URL, apiKey } = settings;
      if (apiKey === undefined) {
        throw new ValidationError(
          'INVALID_CONFIG',
          'Anthropic’s models need an API key in the configuration.',
        );
      }
      return createAnthropic({ baseURL, apiKey, fetch: withoutRedirects })(model);
    }
  }
}

/** The operator chose where conversations go: an answer that sends them elsewhere is a refusal. */
const withoutRedirects: typeof fetch = (input, init) => fetch(input, { ...init, redirect: 'manual' });
