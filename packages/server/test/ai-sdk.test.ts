import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount } from 'ai';
import { MemoryManager, MemoryStore } from 'longhand';
import { memoryTools } from 'longhand/ai-sdk';
import { afterAll, expect, it } from 'vitest';
import { startStandIn } from './openai-stand-in.ts';

/** `longhand/ai-sdk` with the AI SDK itself, against a server that speaks a provider's protocol. */
const provider = await startStandIn();
const memory = new MemoryManager({ store: new MemoryStore() });
await memory.createSession('ada', { session_id: 'chat' });
const scope = await memory.as({ account_id: 'local', user_id: 'ada', agent_id: 'scout' }).toolScope('chat');
const model = createOpenAICompatible({ name: 'local', baseURL: provider.baseURL })('any');
afterAll(async () => {
  await provider.close();
  await memory.close();
});

it('gives generateText the tools of the memory in one line', async () => {
  provider.script.push(
    { calls: [{ name: 'store_memory', arguments: { content: 'The launch is in May', type: 'decision' } }] },
    { calls: [{ name: 'search_memory', arguments: { query: 'When is the launch?' } }] },
    { text: 'In May.' },
  );
  const { text, steps } = await generateText({
    model,
    prompt: 'We launch in May. When do we launch?',
    tools: memoryTools(scope),
    stopWhen: isStepCount(5),
  });
  expect(text).toBe('In May.');
  expect(steps).toHaveLength(3);
  const [first, , last] = provider.requests.slice(-3);
  const offered = first!.tools as unknown as { function: { name: string; parameters: { type: string } } }[];
  expect(offered.map(({ function: { name } }) => name)).toContain('manage_long_term_memory');
  for (const { function: definition } of offered) expect(definition.parameters.type).toBe('object');
  const results = last!.messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
  expect(results[0]).toContain('"memory_key":"mem_');
  expect(results[1]).toContain('The launch is in May');
  expect(await memory.queryMemories('chat', { text: 'launch' })).toHaveLength(1);
});

it('tells the model in words what is wrong with an input', async () => {
  provider.script.push(
    { calls: [{ name: 'search_memory', arguments: { querry: 'tea' } }] },
    { text: 'I was wrong.' },
  );
  await generateText({ model, prompt: 'Tea?', tools: memoryTools(scope), stopWhen: isStepCount(3) });
  const told = provider.requests.at(-1)!.messages.find(({ role }) => role === 'tool');
  expect(String(told?.content)).toContain('There is no parameter querry');
});

it('offers those that are named, in a fixed order, and lets a program run each call', async () => {
  const called: string[] = [];
  const tools = memoryTools(scope, {
    names: ['search_memory', 'save_to_core'],
    call: (tool, run) => {
      called.push(tool.name);
      return run();
    },
  });
  expect(Object.keys(tools)).toEqual(['save_to_core', 'search_memory']);
  provider.script.push(
    { calls: [{ name: 'save_to_core', arguments: { content: 'I am brief.' } }] },
    { text: 'Done.' },
  );
  await generateText({ model, prompt: 'Be brief.', tools, stopWhen: isStepCount(3) });
  expect(called).toEqual(['save_to_core']);
});
