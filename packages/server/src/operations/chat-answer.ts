import type { ErrorCode } from 'longhand';
import { z } from 'zod';
import type { AnswerManifest, ChatDone, ChatEvent, ChatFailure, ChatRequest } from '../conversation/chat.ts';
import { examplePiece } from './context.ts';
import * as field from './fields.ts';
import type { OperationContext } from './operation.ts';
import { OperationError, type OperationErrorCode } from './operation-error.ts';
import { roundedManifest, roundedScores } from './rounded.ts';

/** What an agent says, as the answer of an operation: event by event, or whole. */

const usage = z.object({
  input_tokens: z.int().nullable().describe('Tokens of the prompts; null when the provider does not tell.'),
  output_tokens: z.int().nullable().describe('Tokens of the answers; null when the provider does not tell.'),
});
export const answer = z.object({
  session_id: field.sessionName,
  agent_id: field.agentName,
  message_id: field.text('Names a message.'),
  new_message_ids: field.texts('The ids of the messages that were sent, made where they had none.'),
  answer: field.text('What the agent says.'),
  model: field.text('The model that answered; `demo` for the built-in one.'),
  finish_reason: field.text('`stop`, or why the answer is not whole: `length`, `content-filter`, …'),
  is_repeated: z.literal(true).exactOptional().describe('The answer was given before, to the same message.'),
  tools: z
    .array(z.looseObject({ name: field.text('Its name.') }))
    .describe('The tools that were used, in order.'),
  manifest: field.manifest.exactOptional(),
  usage: usage.describe('What the model counted.'),
  answers: field.list(
    z.looseObject({
      agent_id: field.agentName,
      message_id: field.text('Names a message.'),
      answer: field.text('What the agent says.'),
    }),
    'The answers of all agents, in order. The last one is that above, and leaves its manifest there.',
  ),
});

const EXAMPLE_OF_ONE = {
  agent_id: 'scout',
  message_id: 'msg_41d7',
  model: 'demo',
  usage: { input_tokens: null, output_tokens: null },
  answer: '[demo] I will remember: “My dog is called Rex”',
  finish_reason: 'stop',
};

/** What the built-in demo model answers to the example of `chat`. */
export const EXAMPLE_ANSWER: z.input<typeof answer> = {
  session_id: 'demo',
  new_message_ids: ['msg_9f1c'],
  ...EXAMPLE_OF_ONE,
  tools: [
    {
      name: 'store_memory',
      agent_id: 'scout',
      message_id: 'msg_41d7',
      input: { content: 'My dog is called Rex', description: '', type: 'finding' },
      output:
        '{"memory_key":"mem_01M7HZGYSE9JA9ESA19H0NJE52","memory_type":"finding","session_id":"demo","placeholder":"[MemoryRef: mem_01M7HZGYSE9JA9ESA19H0NJE52 - My dog is called Rex]"}',
      duration_ms: 6,
    },
  ],
  answers: [EXAMPLE_OF_ONE],
  manifest: {
    session_id: 'demo',
    agent_id: 'scout',
    user_id: 'me',
    now: '2026-11-16T09:35:00.000Z',
    notes_version: 0,
    budget: 8000,
    total: 364,
    tokenizer: 'o200k_base',
    pieces: [
      examplePiece('tools', 'tools store_memory', 'offered to the model', 187, null),
      examplePiece('tools', 'tools search_memory', 'offered to the model', 154, null),
      examplePiece('system-prompt', 'agent scout', 'the agent’s system prompt', 5),
      examplePiece('new-messages', 'turn msg_9f1c', 'of this turn', 11),
    ],
    near_misses: [],
    other_misses: 0,
    changed_sections: ['tools', 'system-prompt', 'new-messages'],
    stable_prefix: { segments: 0, tokens: 0 },
    prefix_broken: null,
    segments: [
      { section: 'tools', tokens: 341, hash: 'c4dd899b4b5b8eed' },
      { section: 'system-prompt', tokens: 5, hash: '1cac3ac1317a43d0' },
      { section: 'new-messages', tokens: 11, hash: '9060b4c01af44ba5' },
    ],
    finish_reason: 'stop',
  },
};

export async function* events(
  request: ChatRequest,
  { memory, services, signal }: OperationContext,
): AsyncGenerator<ChatEvent> {
  const options = signal === undefined ? {} : { signal };
  for await (const event of services.conversations.answer(request, memory, options))
    yield event.type === 'done' || event.type === 'error'
      ? rounded(event)
      : event.type === 'recalled'
        ? { ...event, memories: event.memories.map(roundedScores) }
        : event;
}

/** Scores are rounded wherever a manifest stands. */
function rounded(event: ChatDone | ChatFailure): ChatDone | ChatFailure {
  const answers = event.answers.map(withRoundedManifest);
  return event.type === 'done' ? { ...withRoundedManifest(event), answers } : { ...event, answers };
}

function withRoundedManifest<Given extends { readonly manifest?: AnswerManifest }>(given: Given): Given {
  return given.manifest === undefined ? given : { ...given, manifest: roundedManifest(given.manifest) };
}

export async function whole(
  request: ChatRequest,
  context: OperationContext,
): Promise<z.input<typeof answer>> {
  const tools: { name: string }[] = [];
  for await (const event of events(request, context)) {
    if (event.type === 'error') throw unanswered(event, tools);
    if (event.type === 'tool') {
      const { type: _type, ...tool } = event;
      tools.push(tool);
    }
    if (event.type !== 'done') continue;
    const { type: _type, manifest, answers, ...rest } = event;
    return {
      ...rest,
      tools,
      answers: answers.map((one) => ({ ...one })),
      ...(manifest === undefined ? {} : { manifest: { ...manifest } }),
    };
  }
  throw new OperationError('MODEL_BAD_ANSWER', 'The model ended without an answer.');
}

/** What was said is kept: with these facts a client asks again without saying it twice. */
function unanswered(failure: ChatFailure, tools: readonly { name: string }[]): OperationError {
  const { code, message, status, type: _type, ...facts } = failure;
  return new OperationError(code as OperationErrorCode | ErrorCode, message, {
    ...facts,
    tools,
    ...(status === undefined ? {} : { model_status: status }),
  });
}
