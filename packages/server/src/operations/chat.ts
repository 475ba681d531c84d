import type { ErrorCode } from 'longhand';
import { z } from 'zod';
import type {
  AnswerManifest,
  ChatDone,
  ChatEvent,
  ChatFailure,
  ChatImage,
  ChatRequest,
} from '../conversation/chat.ts';
import { agentId, cursor, limit, sessionId } from './fields.ts';
import { archivedMessage, message } from './messages.ts';
import { messageIdFrom, sessionIdFrom } from './names.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { OperationError, type OperationErrorCode } from './operation-error.ts';
import { pageOf } from './page.ts';
import { roundedManifest } from './rounded.ts';

const SESSIONS = '/api/chat/sessions';
const ONE = `${SESSIONS}/{session_id}`;

const chatFields = {
  session_id: sessionId.exactOptional().describe('A new session when left out.'),
  agent_id: agentId.exactOptional().describe('The agent `default` when left out.'),
  stream: z.boolean().default(false).describe('Answer as server-sent events.'),
};
const chatInput = z.strictObject({ new_messages: z.array(message).min(1).max(100), ...chatFields });
const runInput = z.strictObject({
  prompt: z.string().min(1).max(1_000_000),
  message_id: z
    .string()
    .min(1)
    .max(256)
    .exactOptional()
    .describe('Names the prompt. The same one again gets the answer that it got.'),
  ...chatFields,
});
const image = z.strictObject({
  media_type: z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  data: z.base64().min(1).describe('Base64.'),
});
const visionInput = runInput.extend({ images: z.array(image).min(1).max(16) });

const usage = z.object({ input_tokens: z.int().nullable(), output_tokens: z.int().nullable() });
const answer = z.object({
  session_id: z.string(),
  agent_id: z.string(),
  message_id: z.string(),
  new_message_ids: z.array(z.string()).readonly(),
  answer: z.string(),
  model: z.string(),
  finish_reason: z.string().describe('`stop`, or why the answer is not whole: `length`, `content-filter`, …'),
  is_repeated: z.literal(true).exactOptional().describe('The answer was given before, to the same message.'),
  tools: z.array(z.looseObject({ name: z.string() })).describe('The tools that were used, in order.'),
  manifest: z.looseObject({}).exactOptional(),
  usage,
  answers: z
    .array(z.looseObject({ agent_id: z.string(), message_id: z.string(), answer: z.string() }))
    .readonly(),
});

async function* events(
  request: ChatRequest,
  { memory, services, signal }: OperationContext,
): AsyncGenerator<ChatEvent> {
  const options = signal === undefined ? {} : { signal };
  for await (const event of services.conversations.answer(request, memory, options))
    yield event.type === 'done' || event.type === 'error' ? rounded(event) : event;
}

/** Scores are rounded wherever a manifest stands. */
function rounded(event: ChatDone | ChatFailure): ChatDone | ChatFailure {
  const answers = event.answers.map(withRoundedManifest);
  return event.type === 'done' ? { ...withRoundedManifest(event), answers } : { ...event, answers };
}

function withRoundedManifest<Given extends { readonly manifest?: AnswerManifest }>(given: Given): Given {
  return given.manifest === undefined ? given : { ...given, manifest: roundedManifest(given.manifest) };
}

async function whole(request: ChatRequest, context: OperationContext): Promise<z.input<typeof answer>> {
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

interface Prompted {
  readonly prompt: string;
  readonly message_id?: string;
  readonly images?: readonly ChatImage[];
  readonly session_id?: string;
  readonly agent_id?: string;
}

function fromPrompt({ prompt, message_id: id, images, session_id, agent_id }: Prompted): ChatRequest {
  return {
    new_messages: [{ role: 'user', content: prompt, ...(id === undefined ? {} : { id }) }],
    ...(images === undefined ? {} : { images }),
    ...(session_id === undefined ? {} : { session_id }),
    ...(agent_id === undefined ? {} : { agent_id }),
  };
}

function namedPrompt<Input extends Prompted>(input: Input, token: string): Input {
  return { session_id: sessionIdFrom(token), message_id: messageIdFrom(token, 0), ...input };
}

const withoutStream = <Input extends { readonly stream: boolean }>({ stream: _stream, ...rest }: Input) =>
  rest;

const chatSession = z.object({
  session_id: z.string(),
  created_at: z.string(),
  agents: z.array(z.string()).readonly(),
  summary: z.string().nullable(),
  summarizedCount: z.int(),
});

export const chatOperations = [
  defineOperation({
    name: 'chat',
    summary: 'Say something to an agent, and get its answer: whole, or as it comes.',
    input: chatInput,
    output: answer,
    http: { method: 'POST', path: '/api/chat' },
    access: 'write',
    named: ({ new_messages, ...rest }, token) => ({
      session_id: sessionIdFrom(token),
      ...rest,
      new_messages: new_messages.map((one, i) => ({ id: messageIdFrom(token, i), ...one })),
    }),
    run: (input, context) => whole(withoutStream(input), context),
    stream: { kind: 'events', run: (input, context) => events(withoutStream(input), context) },
  }),
  defineOperation({
    name: 'runAgent',
    summary: 'Let an agent answer one prompt.',
    input: runInput,
    output: answer,
    http: { method: 'POST', path: '/agent/run' },
    access: 'write',
    named: namedPrompt,
    run: (input, context) => whole(fromPrompt(input), context),
    stream: { kind: 'events', run: (input, context) => events(fromPrompt(input), context) },
  }),
  defineOperation({
    name: 'runAgentWithImages',
    summary: 'Let an agent answer one prompt about images.',
    input: visionInput,
    output: answer,
    http: { method: 'POST', path: '/agent/vision' },
    access: 'write',
    named: namedPrompt,
    run: (input, context) => whole(fromPrompt(input), context),
    stream: { kind: 'events', run: (input, context) => events(fromPrompt(input), context) },
  }),
  defineOperation({
    name: 'archiveMessages',
    summary: 'Keep a batch of messages. Sending it again changes nothing.',
    input: z.strictObject({
      session_id: sessionId,
      messages_batch: z.array(message).max(10_000),
      batch_id: z.string().min(1).max(256).exactOptional(),
    }),
    output: z.object({
      batch_id: z.string(),
      archived: z.int(),
      duplicates: z.int(),
      left_out: z.int(),
      start_timestamp: z.string().nullable(),
      end_timestamp: z.string().nullable(),
    }),
    http: { method: 'POST', path: '/api/chat/session/archive_messages' },
    access: 'write',
    named: (input, token) => ({ batch_id: `batch_${token.slice(0, 26)}`, ...input }),
    run: ({ session_id, messages_batch, batch_id }, { memory, services }) => {
      const options = batch_id === undefined ? {} : { batchId: batch_id };
      return services.conversations.archive(session_id, messages_batch, memory, options);
    },
  }),
  defineOperation({
    name: 'listChatSessions',
    summary: 'The conversations of the user, with their summaries.',
    input: z.strictObject({ limit: limit.exactOptional(), cursor: cursor.exactOptional() }),
    output: z.object({ sessions: z.array(chatSession), next_cursor: z.string().exactOptional() }),
    http: { method: 'GET', path: SESSIONS },
    access: 'read',
    run: async (page, context) => {
      const { items, ...rest } = pageOf(await context.memory.listSessions(), ({ id }) => id, page);
      const sessions: z.input<typeof chatSession>[] = [];
      for (const { id } of items) sessions.push(await describe(id, context));
      return { sessions, ...rest };
    },
  }),
  defineOperation({
    name: 'getChatSession',
    summary: 'One conversation, with its summary.',
    input: z.strictObject({ session_id: sessionId }),
    output: chatSession,
    http: { method: 'GET', path: ONE },
    access: 'read',
    run: ({ session_id }, context) => describe(session_id, context),
  }),
  defineOperation({
    name: 'listChatMessages',
    summary: 'The messages of a conversation, oldest first, those that wait to be archived included.',
    input: z.strictObject({
      session_id: sessionId,
      after: z.string().exactOptional().describe('Begin behind the message of this id.'),
      limit: limit.default(100),
    }),
    output: z.object({ messages: z.array(archivedMessage).readonly(), has_more: z.boolean() }),
    http: { method: 'GET', path: `${ONE}/messages` },
    access: 'read',
    run: async ({ session_id, limit: count, after }, { memory, services }) => {
      const waiting = await services.conversations.unarchived(await memory.loadSession(session_id));
      const place = after === undefined ? -1 : waiting.findIndex(({ id }) => id === after);
      const options = { limit: count + 1, ...(after === undefined ? {} : { after }) };
      const kept = place >= 0 ? [] : await memory.messages(session_id, options);
      // Archived between the two looks, it is in both.
      const known = new Set(kept.map(({ id }) => id));
      const messages = [...kept, ...waiting.slice(place + 1).filter(({ id }) => !known.has(id))];
      return {
        messages: messages.slice(0, count).map((one) => ({ ...one })),
        has_more: messages.length > count,
      };
    },
  }),
];

async function describe(
  sessionId: string,
  { memory }: OperationContext,
): Promise<z.input<typeof chatSession>> {
  const { created_at, agents } = await memory.loadSession(sessionId);
  const summary = await (await memory.conversation(sessionId)).summary.current();
  return {
    session_id: sessionId,
    created_at,
    agents,
    summary: summary?.text ?? null,
    summarizedCount: summary?.summarized_count ?? 0,
  };
}
