import { z } from 'zod';
import type { ChatImage, ChatRequest } from '../conversation/chat.ts';
import { answer, EXAMPLE_ANSWER, events, whole } from './chat-answer.ts';
import * as field from './fields.ts';
import { archivedMessage, message } from './messages.ts';
import { messageIdFrom, sessionIdFrom } from './names.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { pageOfSessions } from './page.ts';

const SESSIONS = '/api/chat/sessions';
const ONE = `${SESSIONS}/{session_id}`;

const chatFields = {
  session_id: field.sessionId.exactOptional().describe('A new session when left out.'),
  agent_id: field.agentId
    .exactOptional()
    .describe('Who is to answer; when left out, all agents of the session, and `default` where it has none.'),
  time_zone: field.timeZone.exactOptional(),
  budget: field.budget.exactOptional(),
  sections: field.sections.exactOptional(),
  stream: field.flag('Answer as server-sent events.').default(false),
};
const chatInput = z.strictObject({
  new_messages: z
    .array(message)
    .min(1)
    .max(100)
    .describe('What is new since the last answer; the last one is the user’s.'),
  ...chatFields,
});
const runInput = z.strictObject({
  prompt: field.word('What to answer.', 1_000_000),
  message_id: field
    .word('Names the prompt. The same one again gets the answer that it got.', 256)
    .exactOptional(),
  ...chatFields,
});
const image = z.strictObject({
  media_type: field.choice(['image/png', 'image/jpeg', 'image/gif', 'image/webp'], 'The kind of the image.'),
  data: z.base64('must be base64').min(1).describe('Base64.'),
});
const visionInput = runInput.extend({ images: z.array(image).min(1).max(16).describe('What to look at.') });

type Prompted = Omit<z.output<typeof visionInput>, 'images'> & { readonly images?: readonly ChatImage[] };

function fromPrompt({ prompt, message_id: id, stream: _stream, ...rest }: Prompted): ChatRequest {
  return { new_messages: [{ role: 'user', content: prompt, ...(id === undefined ? {} : { id }) }], ...rest };
}

function namedPrompt<Input extends Prompted>(input: Input, token: string): Input {
  return { session_id: sessionIdFrom(token), message_id: messageIdFrom(token, 0), ...input };
}

const withoutStream = <Input extends { readonly stream: boolean }>({ stream: _stream, ...rest }: Input) =>
  rest;

const chatSession = z.object({
  session_id: field.sessionName,
  created_at: field.createdAt,
  last_activity_at: field.text('When the newest message was said; when it was made, before there is one.'),
  agents: field.texts('The names of the agents that take part.'),
  summary: field.nullableText('What the older messages were about; null when nothing is summarised yet.'),
  summarizedCount: field.integer('How many messages the summary covers.'),
});

const EXAMPLE_CHAT_SESSION: z.input<typeof chatSession> = {
  session_id: 'demo',
  created_at: '2026-11-16T09:29:00.000Z',
  last_activity_at: '2026-11-16T09:36:00.000Z',
  agents: ['scout'],
  summary: null,
  summarizedCount: 0,
};

export const chatOperations = {
  chat: defineOperation({
    summary: 'Say something to an agent, and get its answer: whole, or as it comes.',
    input: chatInput,
    output: answer,
    http: { method: 'POST', path: '/api/chat' },
    example: {
      request: {
        session_id: 'demo',
        agent_id: 'scout',
        new_messages: [{ role: 'user', content: 'Remember that my dog is called Rex' }],
      },
      after: ['createAgent'],
      answer: EXAMPLE_ANSWER,
    },
    access: 'write',
    named: ({ new_messages, ...rest }, token) => ({
      session_id: sessionIdFrom(token),
      ...rest,
      new_messages: new_messages.map((one, i) => ({ id: messageIdFrom(token, i), ...one })),
    }),
    run: (input, context) => whole(withoutStream(input), context),
    stream: { kind: 'events', run: (input, context) => events(withoutStream(input), context) },
  }),
  runAgent: defineOperation({
    summary: 'Let an agent answer one prompt.',
    input: runInput,
    output: answer,
    http: { method: 'POST', path: '/agent/run' },
    example: { request: { prompt: 'What do you know about me?' } },
    access: 'write',
    named: namedPrompt,
    run: (input, context) => whole(fromPrompt(input), context),
    stream: { kind: 'events', run: (input, context) => events(fromPrompt(input), context) },
  }),
  runAgentWithImages: defineOperation({
    summary: 'Let an agent answer one prompt about images.',
    input: visionInput,
    output: answer,
    http: { method: 'POST', path: '/agent/vision' },
    example: {
      request: {
        prompt: 'What is this?',
        images: [
          { media_type: 'image/gif', data: 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7' },
        ],
      },
    },
    access: 'write',
    named: namedPrompt,
    run: (input, context) => whole(fromPrompt(input), context),
    stream: { kind: 'events', run: (input, context) => events(fromPrompt(input), context) },
  }),
  archiveMessages: defineOperation({
    summary:
      'Keep a batch of messages. Sending it again changes nothing. A session of a new id is made; one that was deleted or forgotten answers 410.',
    input: z.strictObject({
      session_id: field.sessionId,
      messages_batch: z.array(message).max(10_000).describe('The messages, oldest first.'),
      batch_id: field
        .word('Names the batch: the same one again changes nothing. Made when left out.', 256)
        .exactOptional(),
      ticket: z
        .string()
        .max(4_096)
        .exactOptional()
        .describe(
          'From /api/archive_ticket, in place of a key. Then the type of the body may be text/plain.',
        ),
    }),
    output: z.object({
      batch_id: field.text('Names the batch: the same one again changes nothing. Made when left out.'),
      archived: field.integer('How many messages were not there before.'),
      duplicates: field.integer(
        'Messages that were archived before, twice in the batch, or forgotten since.',
      ),
      left_out: field.integer(
        'Messages of tools and of the system, calls of tools, and messages without text.',
      ),
      conflicts: field.texts(
        'Ids that stand for another text already, which stays: these messages were not kept.',
      ),
      start_timestamp: field.nullableText(
        'The time of the first message of the batch; null when it is empty.',
      ),
      end_timestamp: field.nullableText('The time of the last message of the batch; null when it is empty.'),
    }),
    http: { method: 'POST', path: '/api/chat/session/archive_messages', takesTicket: true },
    example: {
      request: {
        session_id: 'demo',
        messages_batch: [
          { id: 'm1', role: 'user', content: 'Hello' },
          { id: 'm2', role: 'assistant', content: 'Good day' },
        ],
        batch_id: 'batch-1',
      },
      after: ['createSession'],
      answer: {
        batch_id: 'batch-1',
        archived: 2,
        duplicates: 0,
        left_out: 0,
        conflicts: [],
        start_timestamp: '2026-11-16T09:36:00.000Z',
        end_timestamp: '2026-11-16T09:36:00.000Z',
      },
    },
    access: 'write',
    named: (input, token) => ({ batch_id: `batch_${token.slice(0, 26)}`, ...input }),
    run: ({ session_id, messages_batch, batch_id }, { memory, services }) => {
      const options = batch_id === undefined ? {} : { batchId: batch_id };
      return services.conversations.archive(session_id, messages_batch, memory, options);
    },
  }),
  listChatSessions: defineOperation({
    summary: 'The conversations of the user, with their summaries.',
    input: z.strictObject(field.page),
    output: field.paged('sessions', chatSession, 'The sessions.'),
    http: { method: 'GET', path: SESSIONS },
    example: {
      request: { limit: 20 },
      after: ['createAgent', 'chat'],
      answer: { sessions: [EXAMPLE_CHAT_SESSION] },
    },
    access: 'read',
    run: async (page, context) => {
      const found = await pageOfSessions(context.memory, page);
      const sessions: z.input<typeof chatSession>[] = [];
      for (const { id } of found.sessions) sessions.push(await describe(id, context));
      return { ...found, sessions };
    },
  }),
  getChatSession: defineOperation({
    summary: 'One conversation, with its summary.',
    input: z.strictObject({ session_id: field.sessionId }),
    output: chatSession,
    http: { method: 'GET', path: ONE },
    example: {
      request: { session_id: 'demo' },
      after: ['createAgent', 'chat'],
      answer: EXAMPLE_CHAT_SESSION,
    },
    access: 'read',
    run: ({ session_id }, context) => describe(session_id, context),
  }),
  listChatMessages: defineOperation({
    summary: 'The messages of a conversation, oldest first, those that wait to be archived included.',
    input: z.strictObject({
      session_id: field.sessionId,
      after: field.text('Begin behind the message of this id.').exactOptional(),
      limit: field.limit.default(100),
    }),
    output: z.object({
      messages: field.list(archivedMessage, 'The messages, oldest first.'),
      has_more: field.flag('Whether there are messages behind these.'),
    }),
    http: { method: 'GET', path: `${ONE}/messages` },
    example: {
      request: { session_id: 'demo', limit: 50 },
      after: ['createSession', 'archiveMessages'],
      answer: {
        messages: [
          { id: 'm1', role: 'user', content: 'Hello', timestamp: '2026-11-16T09:36:00.000Z' },
          { id: 'm2', role: 'assistant', content: 'Good day', timestamp: '2026-11-16T09:36:00.000Z' },
        ],
        has_more: false,
      },
    },
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
};

async function describe(
  sessionId: string,
  { memory, services }: OperationContext,
): Promise<z.input<typeof chatSession>> {
  const session = await memory.loadSession(sessionId);
  const { created_at, agents } = session;
  const conversation = await memory.conversation(sessionId);
  const summary = await conversation.summary.current();
  const waiting = await services.conversations.unarchived(session);
  const newest = waiting.at(-1) ?? (await conversation.transcript.latest(1)).at(-1);
  return {
    session_id: sessionId,
    created_at,
    last_activity_at: newest?.timestamp ?? created_at,
    agents,
    summary: summary?.text ?? null,
    summarizedCount: summary?.summarized_count ?? 0,
  };
}
