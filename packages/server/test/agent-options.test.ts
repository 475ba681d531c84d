import { afterAll, expect, it } from 'vitest';
import { startTestServer } from './http-fixture.ts';
import { startStandIn } from './openai-stand-in.ts';

/** What an agent's page offers as models: those of the provider that is set up. */
const provider = await startStandIn();
afterAll(() => provider.close());

it.each([
  [
    'an OpenAI-compatible endpoint',
    'OpenAI-compatible',
    { 'openai-model': 'large', 'openai-base-url': provider.baseURL },
  ],
  [
    'Anthropic',
    'Anthropic',
    {
      'anthropic-model': 'large',
      'anthropic-api-key': 'sk-never-shown',
      'anthropic-base-url': provider.baseURL,
    },
  ],
])('groups the models of %s by their provider, the usual one first', async (_, group, flags) => {
  const server = await startTestServer({ flags: { ...flags, 'agent-models': 'small,large,tiny' } });
  const answer = await server.call('GET', '/api/agents/options');
  expect(answer.body.grouped_models).toEqual({
    [group]: ['large', 'small', 'tiny'].map((name) => ({ model_id: name, label: name })),
  });
  expect(answer.text).not.toContain('sk-never-shown');
  await server.stop();
});

it('has an agent answered for by the model that was chosen for it', async () => {
  const server = await startTestServer({
    flags: { 'openai-model': 'large', 'openai-base-url': provider.baseURL, 'agent-models': 'small' },
  });
  const chosen = { name: 'thrifty', model_id: 'small', model_label: 'Small' };
  expect((await server.call('POST', '/api/agents', chosen)).body).toMatchObject(chosen);
  provider.script.push({ text: 'Yes.' });
  const new_messages = [{ role: 'user', content: 'Are you there?' }];
  await server.done('POST', '/api/chat', { agent_id: 'thrifty', new_messages });
  expect(provider.requests.at(-1)!.model).toBe('small');
  await server.stop();
});
