import { z } from 'zod';
import { agentId, sessionId, timestamp } from './fields.ts';
import { message } from './messages.ts';
import { defineOperation } from './operation.ts';
import { roundedManifest } from './rounded.ts';

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
