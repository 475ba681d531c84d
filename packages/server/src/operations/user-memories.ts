import { type RememberedMemory, ValidationError } from 'longhand';
import { z } from 'zod';
import { camelCased } from './camel-case.ts';
import { assembledContext, contextAnswer, contextInput } from './context.ts';
import * as field from './fields.ts';
import {
  EXAMPLE_ENTRY,
  memoryPage,
  newMemoryFields,
  queryFields,
  queryInput,
  toPage,
} from './memory-fields.ts';
import { defineOperation } from './operation.ts';
import { preview, receipt, refuseUnheld, selection } from './privacy.ts';

/** The four verbs for a user: new memories go to the user's session of the day, and all sessions are searched. */
const MEMORIES = '/api/memories';
const place = field.sessionId
  .exactOptional()
  .describe('The session to work in; the user’s session of the day when left out.');

const remembered = z.object({
  id: field.text('Names it.'),
  session_id: field.sessionName,
  confirmed: field.flag('Whether the user had this memory already: it was confirmed, and nothing was added.'),
  similar: z
    .array(
      z.object({ id: field.text('Names it.'), session_id: field.sessionName, text: field.text('The text.') }),
    )
    .readonly()
    .describe('Close memories, closest first, which this one may replace.'),
});

const HAMBURG = { operation: 'remember', request: { content: 'I live in Hamburg', id: 'mem_hamburg' } };

export const userMemoryOperations = {
  remember: defineOperation({
    summary: 'Keep a memory of the user, or confirm it when the user has it already.',
    input: z.strictObject({ ...newMemoryFields, type: field.typeWord.exactOptional(), session_id: place }),
    output: remembered,
    http: { method: 'POST', path: MEMORIES, status: 201 },
    example: {
      request: { content: 'I live in Lisbon now', replaces: ['mem_hamburg'] },
      first: [HAMBURG],
      answer: {
        id: 'mem_01M7HZGWF44X7J7G9MPRSJ4XW1',
        session_id: 'day-2026-11-16-5d0f7c1f3f1a9b52',
        confirmed: false,
        similar: [],
      },
    },
    access: 'write',
    run: ({ session_id, ...memory }, { memory: scoped }) =>
      scoped.remember(memory as RememberedMemory, session_id === undefined ? {} : { sessionId: session_id }),
  }),
  recall: defineOperation({
    summary: 'The memories of the user that a text asks for, from all sessions, best first.',
    input: queryInput.extend({ text: queryFields.text.unwrap() }),
    output: memoryPage,
    http: { method: 'POST', path: `${MEMORIES}/recall` },
    example: {
      request: { text: 'How do we deploy?', limit: 3 },
      after: ['createSession', 'addMemory'],
      answer: { memories: [{ ...EXAMPLE_ENTRY, relevance: 1.35, match: 1 }] },
    },
    access: 'read',
    run: async (input, { memory }) => toPage(await memory.search(camelCased(input))),
  }),
  contextOfUser: defineOperation({
    summary: 'What a model should see this turn, in the user’s session of the day.',
    input: contextInput.extend({ session_id: place }),
    output: contextAnswer,
    http: { method: 'POST', path: `${MEMORIES}/context` },
    example: {
      request: { messages: [{ role: 'user', content: 'How do we deploy?' }], budget: 4_000 },
      after: ['createSession', 'addMemory'],
    },
    // The session of the day is made when there is none.
    access: 'write',
    run: async ({ session_id, ...request }, caller) => {
      const day = session_id ?? (await caller.memory.sessionOfDay());
      return assembledContext({ session_id: day, ...request }, caller);
    },
  }),
  forgetMemories: defineOperation({
    summary: 'Forget memories of the user everywhere, for good: by ids, a text, a topic or a time.',
    input: selection.omit({ session_id: true }).extend({
      dry_run: field.flag('Only report what would be forgotten, in numbers and in words.').default(false),
    }),
    output: z.union([receipt, preview]),
    http: { method: 'POST', path: `${MEMORIES}/forget` },
    example: { request: { ids: ['mem_hamburg'] }, first: [HAMBURG] },
    access: 'write',
    run: async ({ dry_run: isDryRun, ...input }, { memory }) => {
      const { ids, text, topic, time_range } = input;
      if ((ids ?? text ?? topic ?? time_range) === undefined)
        throw new ValidationError('INVALID_OPTION', 'Say what to forget: ids, text, topic or time_range.');
      const what = camelCased(input);
      if (isDryRun) {
        const going = await memory.previewForgetting(what);
        refuseUnheld(input.text, going.items.length > 0);
        return going;
      }
      const forgotten = await memory.forget(what);
      refuseUnheld(input.text, forgotten.receipt_id !== null);
      return forgotten;
    },
  }),
};
