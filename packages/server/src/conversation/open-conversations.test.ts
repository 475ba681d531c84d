import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { ServerConfig } from '../config/server-config.ts';
import { describeFailure } from './model-failure.ts';
import { modelSettings, summaryModelSettings } from './open-conversations.ts';
import { Models } from './providers.ts';

function config(openai: object = {}, anthropic: object = {}): ServerConfig {
  const base = { baseURL: 'http://one/v1', summaryBaseURL: 'http://one/v1' };
  return { openai: { ...base, ...openai }, anthropic } as ServerConfig;
}

describe('the model that answers', () => {
  it('is the demo when none is named', () => {
    expect(modelSettings(config())).toEqual({ provider: 'demo' });
    expect(summaryModelSettings(config())).toBeUndefined();
  });

  it('is the one that is named', () => {
    const own = config({ model: 'large', apiKey: 'k' });
    expect(modelSettings(own)).toMatchObject({ provider: 'openai-compatible', model: 'large', apiKey: 'k' });
    expect(modelSettings(config({}, { model: 'claude', apiKey: 'a' }))).toMatchObject({
      provider: 'anthropic',
      model: 'claude',
    });
  });
});

describe('the model that summarises', () => {
  it('is one of its own, or the one that answers', () => {
    expect(summaryModelSettings(config({ model: 'large' }))).toMatchObject({
      model: 'large',
      baseURL: 'http://one/v1',
    });
    const own = config({ model: 'large', summaryModel: 'tiny', summaryBaseURL: 'http://two/v1' });
    expect(summaryModelSettings(own)).toMatchObject({ model: 'tiny', baseURL: 'http://two/v1' });
    expect(summaryModelSettings(config({}, { model: 'claude', apiKey: 'a' }))).toMatchObject({
      model: 'claude',
    });
  });
});

describe('a model of Anthropic’s', () => {
  it('is asked at the address and with the key of the configuration', async () => {
    const seen: unknown[] = [];
    const server = createServer((request, response) => {
      seen.push([request.url, request.headers['x-api-key']]);
      response.writeHead(401, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ type: 'error', error: { type: 'authentication_error', message: 'no' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const baseURL = `http://127.0.0.1:${port}/v1`;
    const model = await new Models({
      provider: 'anthropic',
      model: 'claude',
      baseURL,
      apiKey: 'sk-a',
    }).model();
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
    const error = await Promise.resolve(model.doGenerate({ prompt })).catch((failure: unknown) => failure);
    expect(describeFailure(error)).toMatchObject({ code: 'MODEL_REFUSED', status: 401 });
    expect(seen).toEqual([['/v1/messages', 'sk-a']]);
    await new Promise((resolve) => server.close(resolve));
  });

  it('is refused without a key, not looked for elsewhere', async () => {
    await expect(new Models({ provider: 'anthropic', model: 'claude' }).model()).rejects.toMatchObject({
      code: 'INVALID_CONFIG',
    });
  });
});
