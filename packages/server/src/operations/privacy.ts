import { NotFoundError, ValidationError } from 'longhand';
import { z } from 'zod';
import {
  agentId,
  cursor,
  inZone,
  limit,
  meantRange,
  memoryId,
  memoryKey,
  rangeEnd,
  rangeStart,
  sessionId,
  timeZone,
} from './fields.ts';
import { refuseBoundToUser } from './for-everybody.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { pageOf } from './page.ts';

const PRIVACY = '/api/privacy';
/** A word that is everywhere would make an answer larger than the store. */
const PLACES_TOLD = 1_000;

export const selection = z.strictObject({
  session_id: sessionId.exactOptional().describe('Of this session only; of all of the user when left out.'),
  ids: z.array(z.string()).min(1).max(10_000).exactOptional(),
  topic: z.string().exactOptional(),
  text: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      'Whatever holds these words as they are, in upper or lower case: memories, details, notes, journal and core.',
    ),
  time_range: z.strictObject({ start: rangeStart, end: rangeEnd }).exactOptional(),
  time_zone: timeZone.exactOptional(),
});

const pieces = z.object({
  sessions: z.int(),
  memories: z.int(),
  messages: z.int(),
  details: z.int(),
  notes: z.int(),
  note_lines: z.int(),
  agents: z.int(),
  damaged_lines: z.int().exactOptional(),
  unread_sessions: z.int().exactOptional(),
});
export const receipt = z.object({
  receipt_id: z.string().nullable(),
  timestamp: z.string(),
  scope: z.string(),
  subject: z.string(),
  selection: z.string(),
  selected: z.array(z.string()).readonly(),
  taken_along: z.array(z.string()).readonly(),
  time_range: meantRange.exactOptional(),
  pieces,
  not_found: z.array(z.string()).readonly().exactOptional(),
});

const redacted = z.object({ redacted: z.int().describe('How many times the text was there.') });

/** A piece that would go. */
const going = z.object({
  kind: z
    .enum(['memory', 'message', 'detail', 'private', 'notes', 'session'])
    .describe('What it is; `private`: of an agent’s journal or core; `notes`: a line of an agent’s notes.'),
  id: z.string(),
  session_id: z.string().exactOptional(),
  text: z.string().describe('Its beginning; of a detail its description.'),
  reason: z.string().describe('Why it goes.'),
});

const EXAMPLE_ITEM: z.input<typeof going> = {
  kind: 'memory',
  id: 'mem_deploy',
  session_id: 'demo',
  text: 'We deploy blue green',
  reason: 'asked for',
};

const EXAMPLE_PIECES: z.input<typeof pieces> = {
  sessions: 0,
  memories: 1,
  messages: 0,
  details: 0,
  notes: 0,
  note_lines: 0,
  agents: 0,
};

const EXAMPLE_RECEIPT: z.input<typeof receipt> = {
  receipt_id: 'forget_01M7HZGZ6Q2ZDRPWZKCSMNHV4C',
  timestamp: '2026-11-16T09:40:00.000Z',
  scope: 'session',
  subject: 'sha256:2a97516c354b68848cdbd8f54a226a0a55b21ed138e207ad6c5cbb9c00aa5aea',
  selection: 'ids',
  selected: ['sha256:bca4018beb2fd007e7cb573391daec77fec1afeac345e54688c6ad728849cdb6'],
  taken_along: [],
  pieces: EXAMPLE_PIECES,
};

/** Whose: the caller's user, or one of their sessions. Nobody can name somebody else. */
function toRequest(
  { session_id, time_range, time_zone, ...rest }: z.output<typeof selection>,
  { memory }: OperationContext,
) {
  const { user_id } = memory.principal;
  return {
    ...rest,
    ...(session_id === undefined
      ? user_id === undefined
        ? {}
        : { user: user_id }
      : { session: session_id }),
    ...(time_range === undefined ? {} : { timeRange: time_range }),
    ...inZone(time_zone),
  };
}

/** @throws NotFoundError MEMORY_NOT_FOUND when nothing holds the text that was asked for */
export function refuseUnheld(text: string | undefined, isHeld: boolean): void {
  if (text === undefined || isHeld) return;
  throw new NotFoundError(
    'MEMORY_NOT_FOUND',
    'Nothing holds these words as they are. Nothing was forgotten.',
  );
}

export const privacyOperations = [
  defineOperation({
    name: 'previewForgetting',
    summary: 'What would be forgotten, in words and numbers, and of which time. Changes nothing.',
    input: selection,
    output: pieces.extend({
      time_range: meantRange.exactOptional(),
      items: z.array(going).readonly().describe('What would go, in words; at most a hundred of them.'),
      items_left_out: z.int().exactOptional().describe('How many more there are than a hundred.'),
    }),
    http: { method: 'POST', path: `${PRIVACY}/preview` },
    example: {
      request: { topic: 'ops' },
      after: ['createSession', 'addMemory'],
      answer: { ...EXAMPLE_PIECES, items: [EXAMPLE_ITEM] },
    },
    access: 'read',
    run: async (input, context) => {
      const preview = await context.memory.previewForgetting(toRequest(input, context));
      refuseUnheld(input.text, preview.items.length > 0);
      return preview;
    },
  }),
  defineOperation({
    name: 'forget',
    summary: 'Forget everywhere, for good: all of the user, of a session, or what is selected of it.',
    input: selection.extend({
      everything: z.literal(true).exactOptional().describe('Needed when nothing is selected.'),
    }),
    output: receipt,
    http: { method: 'POST', path: `${PRIVACY}/forget` },
    example: {
      request: { session_id: 'demo', ids: ['mem_code'] },
      after: ['createSession'],
      first: [
        {
          operation: 'addMemory',
          request: { session_id: 'demo', content: 'The code of the door is 471147', id: 'mem_code' },
        },
      ],
      answer: EXAMPLE_RECEIPT,
    },
    access: 'write',
    run: async ({ everything, ...input }, context) => {
      const isSelected = input.ids ?? input.text ?? input.topic ?? input.time_range ?? input.session_id;
      if (isSelected === undefined && everything !== true) throw everythingMissing();
      const forgotten = await context.memory.forget(toRequest(input, context));
      refuseUnheld(input.text, forgotten.receipt_id !== null);
      return forgotten;
    },
  }),
  defineOperation({
    name: 'forgetAgent',
    summary:
      'Forget an agent everywhere: journal, core, its notes on everybody, what it wrote; or memories of its journal and core. The whole is for keys that speak for all.',
    input: z.strictObject({
      agent_id: agentId,
      ids: z
        .array(z.string())
        .min(1)
        .max(10_000)
        .exactOptional()
        .describe('Of journal and core; the whole agent when left out.'),
    }),
    output: receipt,
    http: { method: 'POST', path: `${PRIVACY}/forget_agent` },
    example: {
      request: { agent_id: 'scout', ids: ['amem_code'] },
      after: ['createAgent'],
      first: [
        {
          operation: 'addAgentMemory',
          request: {
            agent_id: 'scout',
            memory_type: 'core',
            content: 'The code is 471147.',
            id: 'amem_code',
          },
        },
      ],
    },
    access: 'admin',
    run: async ({ agent_id, ...selected }, { memory, binding }) => {
      await (await memory.agent(agent_id)).get();
      // The whole agent goes with its notes on other users; of its journal and core, the memory knows whose it is.
      if (selected.ids === undefined) refuseBoundToUser(binding);
      return memory.forget({ agent: agent_id, ...selected });
    },
  }),
  defineOperation({
    name: 'redact',
    summary: 'Black out a text in one memory, message, detail or document of notes.',
    input: z.strictObject({
      text: z.string().min(1),
      session_id: sessionId.exactOptional(),
      memory_id: memoryId.exactOptional(),
      message_id: z.string().exactOptional(),
      memory_key: memoryKey.exactOptional(),
      agent_id: agentId.exactOptional().describe('Its notes on the user.'),
    }),
    output: redacted,
    http: { method: 'POST', path: `${PRIVACY}/redact` },
    example: {
      request: { session_id: 'demo', memory_id: 'mem_deploy', text: 'blue green' },
      after: ['createSession', 'addMemory'],
      answer: { redacted: 1 },
    },
    access: 'write',
    run: async ({ text, ...named }, { memory }) => {
      const { session_id: session, memory_id, message_id, memory_key, agent_id } = named;
      const names = Object.keys(named).length;
      const user = memory.principal.user_id;
      if (names === 2 && session !== undefined && memory_id !== undefined)
        return { redacted: await memory.redact({ session, memory: memory_id, text }) };
      if (names === 2 && session !== undefined && message_id !== undefined)
        return { redacted: await memory.redact({ session, message: message_id, text }) };
      if (names === 1 && memory_key !== undefined && user !== undefined)
        return { redacted: await memory.redact({ user, detail: memory_key, text }) };
      if (names === 1 && agent_id !== undefined && user !== undefined) {
        await (await memory.agent(agent_id)).get();
        return { redacted: await memory.redact({ user, agent: agent_id, text }) };
      }
      throw pieceMissing();
    },
  }),
  defineOperation({
    name: 'redactAgentMemory',
    summary: 'Black out a text in a journal or core memory, and in its earlier texts.',
    input: z.strictObject({ agent_id: agentId, memory_id: memoryId, text: z.string().min(1) }),
    output: redacted,
    http: { method: 'POST', path: '/api/agents/{agent_id}/memories/{memory_id}/redact' },
    example: {
      request: { agent_id: 'scout', memory_id: 'amem_short', text: 'one sentence' },
      after: ['createAgent', 'addAgentMemory'],
      answer: { redacted: 1 },
    },
    access: 'write',
    run: async ({ agent_id, memory_id, text }, { memory }) => {
      await (await memory.agent(agent_id)).get();
      return { redacted: await memory.redact({ agent: agent_id, memory: memory_id, text }) };
    },
  }),
  defineOperation({
    name: 'exportUser',
    summary: 'Everything about the user, as lines of JSON.',
    input: z.strictObject({}),
    output: z.object({ lines: z.array(z.unknown()) }),
    http: { method: 'GET', path: `${PRIVACY}/export` },
    example: { request: {}, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async (_input, { memory }) => {
      const lines: unknown[] = [];
      for await (const line of memory.exportUser()) lines.push(JSON.parse(line));
      return { lines };
    },
    stream: {
      kind: 'lines',
      run: (_input, { memory }) => memory.exportUser(),
    },
  }),
  defineOperation({
    name: 'listReceipts',
    summary: 'What was forgotten when, without its content, newest first. For keys that speak for all.',
    input: z.strictObject({ limit: limit.exactOptional(), cursor: cursor.exactOptional() }),
    output: z.object({ receipts: z.array(receipt), next_cursor: z.string().exactOptional() }),
    http: { method: 'GET', path: `${PRIVACY}/receipts` },
    example: {
      request: { limit: 20 },
      after: ['createSession', 'forget'],
      answer: { receipts: [EXAMPLE_RECEIPT] },
    },
    access: 'admin',
    run: async (page, { memory, binding }) => {
      refuseBoundToUser(binding);
      const list = (await memory.receipts()).toReversed();
      const { items: receipts, ...rest } = pageOf(list, ({ receipt_id }) => receipt_id ?? '', page);
      return { receipts, ...rest };
    },
  }),
  defineOperation({
    name: 'verifyErased',
    summary: 'Look for words in every byte of the store. For keys that speak for all.',
    input: z.strictObject({ words: z.array(z.string()).min(1).max(100) }),
    output: z.object({
      is_erased: z.boolean(),
      bytes_scanned: z.int(),
      files_scanned: z.int(),
      found: z.int(),
      places: z
        .array(z.object({ place: z.string(), offset: z.int() }))
        .describe(`Where, without what: the file and the byte in it; the first ${PLACES_TOLD}.`),
    }),
    http: { method: 'POST', path: `${PRIVACY}/verify` },
    example: {
      request: { words: ['471147'] },
      after: ['createSession', 'forget'],
      answer: { is_erased: true, bytes_scanned: 3_242, files_scanned: 18, found: 0, places: [] },
    },
    access: 'admin',
    run: async ({ words }, { memory, binding }) => {
      refuseBoundToUser(binding);
      const check = await memory.verifyErased(words);
      return {
        is_erased: check.isErased,
        bytes_scanned: check.bytesScanned,
        files_scanned: check.filesScanned,
        found: check.found.length,
        places: check.found.slice(0, PLACES_TOLD).map(({ place, offset }) => ({ place, offset })),
      };
    },
  }),
];

function everythingMissing(): ValidationError {
  return new ValidationError(
    'INVALID_OPTION',
    'Select something by ids, topic, time_range or session_id, or say everything: true to forget all of the user.',
  );
}

function pieceMissing(): ValidationError {
  return new ValidationError(
    'INVALID_OPTION',
    'Name one piece and nothing else: session_id with memory_id or message_id, memory_key, or agent_id for its notes.',
  );
}
