import { z } from 'zod';
import { agentId, jsonObject, memoryKey, sessionId, timestamp } from './fields.ts';
import { message } from './messages.ts';
import { defineOperation } from './operation.ts';
import { roundedManifest } from './rounded.ts';

const tool = z.strictObject({
  name: z.string().min(1).max(256),
  description: z.string().exactOptional(),
  input_schema: jsonObject.exactOptional().describe('JSON Schema of its arguments.'),
});

const image = z.strictObject({
  description: z.string().exactOptional().describe('What it shows, in a few words.'),
  memory_key: memoryKey.exactOptional().describe('Of the detail that it is kept under.'),
});

export const contextOperations = [
  defineOperation({
    name: 'assembleContext',
    summary: 'What a model should see this turn, under a hard budget, with the reason for every piece.',
    input: z.strictObject({
      session_id: sessionId,
      agent_id: agentId.exactOptional(),
      messages: z.array(message).min(1).max(1_000),
      budget: z.int().exactOptional().describe('Tokens.'),
      now: timestamp.exactOptional(),
      participants: z.array(agentId).exactOptional(),
      tools: z
        .union([z.array(tool).max(1_000), z.int().min(0)])
        .exactOptional()
        .describe('What is offered with the prompt and paid from the budget: definitions, or their tokens.'),
      images: z
        .union([z.array(image).max(1_000), z.int().min(0).max(1_000)])
        .exactOptional()
        .describe('The pictures with the newest message, oldest first, or their number.'),
    }),
    output: z.object({ messages: z.array(z.looseObject({})).readonly(), manifest: z.looseObject({}) }),
    http: { method: 'POST', path: '/api/context' },
    access: 'read',
    run: async ({ session_id, agent_id, ...request }, { memory }) => {
      const { messages, manifest } = await memory.assembleContext({
        session: session_id,
        ...(agent_id === undefined ? {} : { agent: agent_id }),
        ...request,
      });
      return { messages: messages.map((one) => ({ ...one })), manifest: { ...roundedManifest(manifest) } };
    },
  }),
];
