import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { describeFailure } from './model-failure.ts';
import { type ModelSettings, Models } from './providers.ts';

const PROMPT = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'A secret question' }] }];
const KEY = 'sk-very-secret';

async function failureOf(settings: ModelSettings) {
  const model = await new Models(settings).model();
  const error = await Promise.resolve(model.doGenerate({ prompt: PROMPT })).catch(
    (reason: unknown) => reason,
  );
  const failure = describeFailure(error);
  expect(JSON.stringify(failure)).not.toMatch(/secret|sk-/);
  return failure;
}

function compatible(baseURL: string): ModelSettings {
  return { provider: 'openai-compatible', model: 'm', baseURL, apiKey: KEY };
}

/** A port where nothing listens: one that was just given back. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('a model that cannot be reached', () => {
  it('is named with its address and the reason: nothing listens', async () => {
    const origin = `http://127.0.0.1:${await freePort()}`;
    for (const settings of [
      compatible(`${origin}/sk-in-the-path/v1`),
      { provider: 'anthropic', model: 'c', baseURL: `${origin}/v1`, apiKey: KEY } as const,
    ]) {
      expect(await failureOf(settings)).toEqual({
        code: 'MODEL_UNAVAILABLE',
        isRetryable: true,
        message: `The model at ${origin} cannot be reached: nothing listens there (ECONNREFUSED). Check that it runs, and its address in the settings.`,
      });
    }
  });

  it('is named with its address and the reason: there is no such host', async () => {
    const { message } = await failureOf(compatible('http://no-such-host.invalid:1234/v1'));
    expect(message).toMatch(
      /^The model at http:\/\/no-such-host\.invalid:1234 cannot be reached: .+ \((ENOTFOUND|EAI_AGAIN)\)\./,
    );
  });

  it('is named with its address and what it answered', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain' });
      response.end(`No such thing, ${KEY}`);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { code, message } = await failureOf(compatible(`${origin}/v1`));
    expect(code).toBe('MODEL_REFUSED');
    expect(message).toContain(`The model at ${origin} refused the request, with status 404. Check`);
    await new Promise((resolve) => server.close(resolve));
  });
});
