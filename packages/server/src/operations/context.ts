import { z } from 'zod';
import { DEFAULT_AGENT } from '../conversation/participants.ts';
import { agentOfPrompt, type Caller } from './access.ts';
import { camelCased } from './camel-case.ts';
import { capturedOutputs } from './captured-outputs.ts';
import * as field from './fields.ts';
import { message } from './messages.ts';
import { defineOperation } from './operation.ts';
import { roundedManifest } from './rounded.ts';

const tool = z.strictObject({
  name: field.word('Its name.', 256),
  description: field.text('What it is, in a few words.').exactOptional(),
  input_schema: field.jsonObject.exactOptional().describe('JSON Schema of its arguments.'),
});

const image = z.strictObject({
  description: field.text('What it shows, in a few words.').exactOptional(),
  memory_key: field.memoryKey.exactOptional().describe('Of the detail that it is kept under.'),
});

export const contextAnswer = z.object({
  messages: field.list(z.looseObject({}), 'The messages for the model.'),
  manifest: field.manifest,
});

/** A piece of a manifest, in examples. @param from its layer and its id there */
export function examplePiece(
  section: string,
  from: string,
  reason: string,
  tokens: number,
  trust: 'owner' | null = 'owner',
) {
  const role = section === 'tools' || section === 'system-prompt' ? 'system' : 'user';
  const [layer, ...id] = from.split(' ');
  return { section, role, source: { layer, id: id.join(' ') }, reason, tokens, trust };
}

const EXAMPLE_CONTEXT: z.input<typeof contextAnswer> = {
  messages: [
    {
      role: 'user',
      content:
        'From your memory: what this user prefers, has decided and has told you, oldest first, each with its date, type and key. Rely on it; where two disagree, the later one counts.\n- [2026-11-16, decision, mem_deploy] We deploy blue green\n',
    },
    { role: 'user', content: 'Today is Monday, 2026-11-16.\n' },
    { role: 'user', content: 'How do we deploy?' },
  ],
  manifest: {
    session_id: 'demo',
    agent_id: null,
    user_id: 'me',
    now: '2026-11-16T09:35:00.000Z',
    notes_version: null,
    budget: 4000,
    total: 98,
    tokenizer: 'o200k_base',
    pieces: [
      {
        ...examplePiece('standing', 'memories mem_deploy', 'a decision of this user, in every prompt', 21),
        score: { relevance: 1.35, importance: 0.9, decay: 1, recency: 1.5, match_quality: 1 },
      },
      examplePiece('new-messages', 'turn user without an id', 'of this turn', 9),
    ],
    near_misses: [],
    other_misses: 0,
    changed_sections: ['standing', 'new-messages'],
    stable_prefix: { segments: 0, tokens: 0 },
    prefix_broken: null,
    segments: [
      { section: 'standing', tokens: 64, hash: 'fc57cb68d51f8cc2' },
      { section: 'new-messages', tokens: 9, hash: 'ba22bb9fd6d559b4' },
    ],
  },
};

export const contextInput = z.strictObject({
  session_id: field.sessionId,
  agent_id: field.agentId.exactOptional(),
  messages: z.array(message).min(1).max(1_000).describe('The messages of this turn.'),
  budget: field.budget.exactOptional(),
  sections: field.sections.exactOptional(),
  now: field.timestamp.exactOptional(),
  time_zone: field.timeZone.exactOptional(),
  participants: z.array(field.agentId).exactOptional().describe('The other agents of a group.'),
  tools: z
    .union([z.array(tool).max(1_000), z.int().min(0)])
    .exactOptional()
    .describe('What is offered with the prompt and paid from the budget: definitions, or their tokens.'),
  images: z
    .union([z.array(image).max(1_000), z.int().min(0).max(1_000)])
    .exactOptional()
    .describe('The pictures with the newest message, oldest first, or their number.'),
});

/** The context of a turn, with large outputs of tools kept as details. */
export async function assembledContext(
  { session_id, agent_id: named, messages: given, ...options }: z.output<typeof contextInput>,
  caller: Caller,
): Promise<z.input<typeof contextAnswer>> {
  const { memory } = caller;
  // As in a chat, the agent of a server that has no other need not be created first.
  const agent_id = named === DEFAULT_AGENT ? (await agentOfPrompt(caller, named))?.id : named;
  const { messages, manifest } = await memory.assembleContext({
    ...camelCased(options),
    session: session_id,
    ...(agent_id === undefined ? {} : { agent: agent_id }),
    messages: await capturedOutputs(memory, session_id, given, agent_id),
  });
  return { messages: messages.map((one) => ({ ...one })), manifest: { ...roundedManifest(manifest) } };
}

export const contextOperations = {
  assembleContext: defineOperation({
    summary: 'What a model should see this turn, under a hard budget, with the reason for every piece.',
    input: contextInput,
    output: contextAnswer,
    http: { method: 'POST', path: '/api/context' },
    example: {
      request: {
        session_id: 'demo',
        messages: [{ role: 'user', content: 'How do we deploy?' }],
        budget: 4_000,
      },
      after: ['createSession', 'addMemory'],
      answer: EXAMPLE_CONTEXT,
    },
    access: 'read',
    run: assembledContext,
  }),
};
