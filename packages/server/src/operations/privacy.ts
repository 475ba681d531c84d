import { NotFoundError, ValidationError } from 'longhand';
import { z } from 'zod';
import { checkAccess } from './access.ts';
import { camelCased } from './camel-case.ts';
import * as field from './fields.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { pageOf } from './page.ts';

const PRIVACY = '/api/privacy';
/** A word that is everywhere would make an answer larger than the store. */
const PLACES_TOLD = 1_000;

export const selection = z.strictObject({
  session_id: field.sessionId
    .exactOptional()
    .describe('Of this session only; of all of the user when left out.'),
  ids: z
    .array(z.string())
    .min(1)
    .max(10_000)
    .exactOptional()
    .describe('These memories, messages and details.'),
  topic: field.text('What carries this tag, or one below it.').exactOptional(),
  text: field
    .word(
      'Whatever holds these whole words as they are, in upper or lower case: memories, messages, details, notes, journal and core.',
    )
    .exactOptional(),
  time_range: z
    .strictObject({ start: field.rangeStart, end: field.rangeEnd })
    .exactOptional()
    .describe('Only what is dated from start to end, both included.'),
  time_zone: field.timeZone.exactOptional(),
});

const pieces = z.object({
  sessions: field.integer('How many sessions.'),
  memories: field.integer('How many memories.'),
  messages: field.integer('How many messages.'),
  details: field.integer('How many details.'),
  notes: field.integer('How many documents of notes.'),
  note_lines: field.integer('How many lines of notes.'),
  agents: field.integer('How many agents.'),
  damaged_lines: field
    .integer('How many lines cannot be read and go because they may hold what is meant, when there are any.')
    .exactOptional(),
  unread_sessions: field
    .integer(
      'How many sessions cannot be read, when there are any: what could not be read in them is not counted.',
    )
    .exactOptional(),
});
export const receipt = z.object({
  receipt_id: field.nullableText(
    'Names the receipt; null when there was nothing to forget: then none is kept.',
  ),
  timestamp: field.text('When it was, ISO 8601.'),
  scope: field.text('Whether a user, a session or an agent was meant.'),
  subject: field.text('SHA-256 of the name of the user, session or agent.'),
  selection: field.text('By what it was selected.'),
  selected: field.texts('SHA-256 of each id, or of the topic.'),
  taken_along: field.texts('SHA-256 of what went along without being named.'),
  time_range: field.meantRange.exactOptional(),
  pieces: pieces.describe('How much was forgotten.'),
  not_found: field
    .texts(
      'The ids that nothing was found of, when there are any. Only in the answer, never in the list of receipts.',
    )
    .exactOptional(),
  still_held: field
    .texts(
      'Tables of a database whose files still hold deleted bytes, when there are any. Only in the answer.',
    )
    .exactOptional(),
});

const redacted = z.object({ redacted: field.integer('How many times the text was there.') });

/** A piece that would go. */
const going = z.object({
  kind: field.choice(
    ['memory', 'message', 'detail', 'private', 'notes', 'session'],
    'What it is; `private`: of an agent’s journal or core; `notes`: a line of an agent’s notes.',
  ),
  id: field.text('Names it.'),
  session_id: field.sessionName.exactOptional(),
  text: field.text('Its beginning; of a detail its description.'),
  reason: field.text('Why it goes.'),
});

export const preview = pieces.extend({
  time_range: field.meantRange.exactOptional(),
  items: field.list(going, 'What would go, in words; at most a hundred of them.'),
  items_left_out: field.integer('How many more there are than a hundred.').exactOptional(),
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

/** Whose: the caller's user, or one of their sessions. No caller can name another user. */
function toRequest({ session_id, ...what }: z.output<typeof selection>, { memory }: OperationContext) {
  const { user_id } = memory.principal;
  const ofUser = user_id === undefined ? {} : { user: user_id };
  return { ...camelCased(what), ...(session_id === undefined ? ofUser : { session: session_id }) };
}

/** @throws NotFoundError AGENT_NOT_FOUND */
async function agentRequest(
  agent: string,
  selected: { readonly ids?: readonly string[] },
  caller: OperationContext,
) {
  // For a preview as for the forgetting: both show what the agent keeps for itself.
  checkAccess(caller, { access: 'admin' });
  await (await caller.memory.agent(agent)).get();
  // The whole agent goes with its notes on other users; of its journal and core, the memory knows whose it is.
  if (selected.ids === undefined) checkAccess(caller, { access: 'admin', isForAllUsers: true });
  return { agent, ...selected };
}

/** @throws NotFoundError MEMORY_NOT_FOUND when nothing holds the text that was asked for */
export function refuseUnheld(text: string | undefined, isHeld: boolean): void {
  if (text === undefined || isHeld) return;
  throw new NotFoundError(
    'MEMORY_NOT_FOUND',
    'Nothing holds these words as they are. Nothing was forgotten.',
  );
}

export const privacyOperations = {
  previewForgetting: defineOperation({
    summary: 'What would be forgotten, in words and numbers, and of which time. Changes nothing.',
    input: selection.extend({
      agent_id: field.agentId
        .exactOptional()
        .describe(
          'What forget_agent would take away: of the agent as a whole, or of its journal and core by ids.',
        ),
    }),
    output: preview,
    http: { method: 'POST', path: `${PRIVACY}/preview` },
    example: {
      request: { topic: 'ops' },
      after: ['createSession', 'addMemory'],
      answer: { ...EXAMPLE_PIECES, items: [EXAMPLE_ITEM] },
    },
    access: 'read',
    run: async ({ agent_id, ...input }, context) => {
      if (agent_id !== undefined) {
        const { ids, ...others } = input;
        if (Object.keys(others).length > 0)
          throw invalid('Beside agent_id only ids of its journal and core can be named.');
        const selected = ids === undefined ? {} : { ids };
        return context.memory.previewForgetting(await agentRequest(agent_id, selected, context));
      }
      const going = await context.memory.previewForgetting(toRequest(input, context));
      refuseUnheld(input.text, going.items.length > 0);
      return going;
    },
  }),
  forget: defineOperation({
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
      if (isSelected === undefined && everything !== true)
        throw invalid(
          'Select something by ids, text, topic, time_range or session_id, or say everything: true to forget all of the user.',
        );
      const forgotten = await context.memory.forget(toRequest(input, context));
      refuseUnheld(input.text, forgotten.receipt_id !== null);
      return forgotten;
    },
  }),
  forgetAgent: defineOperation({
    summary:
      'Forget an agent everywhere: journal, core, its notes on all users, what it wrote; or memories of its journal and core. The whole is for keys that speak for all.',
    input: z.strictObject({
      agent_id: field.agentId,
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
    run: async ({ agent_id, ...selected }, caller) =>
      caller.memory.forget(await agentRequest(agent_id, selected, caller)),
  }),
  redact: defineOperation({
    summary: 'Black out a text in one memory, message, detail or document of notes.',
    input: z.strictObject({
      text: field.word('The text to black out.'),
      session_id: field.sessionId.exactOptional(),
      memory_id: field.memoryId.exactOptional(),
      message_id: field.text('Names a message.').exactOptional(),
      memory_key: field.memoryKey.exactOptional(),
      agent_id: field.agentId.exactOptional().describe('Its notes on the user.'),
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
      throw invalid(
        'Name one piece and nothing else: session_id with memory_id or message_id, memory_key, or agent_id for its notes.',
      );
    },
  }),
  redactAgentMemory: defineOperation({
    summary: 'Black out a text in a journal or core memory, and in its earlier texts.',
    input: z.strictObject({
      agent_id: field.agentId,
      memory_id: field.memoryId,
      text: field.word('The text.'),
    }),
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
  exportUser: defineOperation({
    summary: 'Everything about the user, as lines of JSON.',
    input: z.strictObject({}),
    output: z.object({ lines: z.array(z.unknown()).describe('Everything, one object for each record.') }),
    http: { method: 'GET', path: `${PRIVACY}/export` },
    example: { request: {}, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async (_input, { memory }) => {
      const lines: unknown[] = [];
      for await (const line of memory.exportUser()) lines.push(JSON.parse(line));
      return { lines };
    },
    stream: { kind: 'lines', run: (_input, { memory }) => memory.exportUser() },
  }),
  listReceipts: defineOperation({
    summary: 'What was forgotten when, without its content, newest first. For keys that speak for all.',
    input: z.strictObject(field.page),
    output: field.paged('receipts', receipt, 'The receipts, newest first.'),
    http: { method: 'GET', path: `${PRIVACY}/receipts` },
    example: {
      request: { limit: 20 },
      after: ['createSession', 'forget'],
      answer: { receipts: [EXAMPLE_RECEIPT] },
    },
    access: 'admin',
    isForAllUsers: true,
    run: async (page, { memory }) => {
      const list = (await memory.receipts()).toReversed();
      return pageOf('receipts', list, ({ receipt_id }) => receipt_id ?? '', page);
    },
  }),
  verifyErased: defineOperation({
    summary:
      'Look for words in every byte of the store, but secrets of the server. For keys that are bound to no user.',
    input: z.strictObject({
      words: z.array(z.string()).min(1).max(100).describe('What to look for, in every spelling of bytes.'),
    }),
    output: z.object({
      is_erased: field.flag('Whether none of the words is left anywhere.'),
      bytes_scanned: field.integer('How many bytes were read.'),
      files_scanned: field.integer('How many files were read.'),
      found: field.integer('How many places hold one of the words.'),
      places: field.rows(`Where, without what: the file and the byte in it; the first ${PLACES_TOLD}.`, {
        place: field.text('Which file of the store.'),
        offset: field.integer('At which byte.'),
      }),
    }),
    http: { method: 'POST', path: `${PRIVACY}/verify` },
    example: {
      request: { words: ['471147'] },
      after: ['createSession', 'forget'],
      answer: { is_erased: true, bytes_scanned: 3_242, files_scanned: 18, found: 0, places: [] },
    },
    access: 'admin',
    readsAllUsers: true,
    isForAllUsers: true,
    run: async ({ words }, { memory }) => {
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
};

function invalid(sentence: string): ValidationError {
  return new ValidationError('INVALID_OPTION', sentence);
}
