import { type AgentMemory, NotFoundError, WHITEBOARD } from 'longhand';
import { z } from 'zod';
import * as field from './fields.ts';
import { agentMemoryIdFrom } from './names.ts';
import { defineOperation } from './operation.ts';

/**
 * What the agents of an account share. It is the core of an agent of its own, so that everything that holds for private
 * memories holds here: what is written in a conversation is shown to every agent that talks to that user, and to no other
 * user; what an admin writes is shown to all.
 */
const LINES = '/api/whiteboard';
const ONE = `${LINES}/{memory_id}`;

const line = z.object({
  id: field.text('Names it.'),
  content: field.text('The text.'),
  created_at: field.createdAt,
  updated_at: field.updatedAt,
  share_memory: field.flag('Whether every user’s agents see it, or those alone that talk to its user.'),
  provenance: field.provenance,
});
const oneLine = z.strictObject({ memory_id: field.word('Names a line.', 64) });
const EXAMPLE = { content: 'The relaunch is on Friday; no deploys before.', id: 'amem_relaunch' };

function toLine({
  agent_id: _,
  memory_type: _type,
  pinned: _pinned,
  expired: _expired,
  ...line
}: AgentMemory) {
  return line;
}

export const whiteboardOperations = {
  readWhiteboard: defineOperation({
    summary: 'The whiteboard that all agents see, as far as the caller may see it, oldest line first.',
    input: z.strictObject({}),
    output: z.object({ lines: z.array(line).describe('The lines, oldest first.') }),
    http: { method: 'GET', path: LINES },
    example: { request: {}, after: ['addToWhiteboard'] },
    access: 'read',
    run: async (_, { memory }) => {
      const journal = await memory.journalOf(WHITEBOARD);
      const lines = await journal.list({ type: 'core' }).catch((error: unknown) => {
        if (error instanceof NotFoundError) return [];
        throw error;
      });
      return { lines: lines.map(toLine).reverse() };
    },
  }),
  addToWhiteboard: defineOperation({
    summary: 'Write a line on the whiteboard: for every user as an admin, else for the own user.',
    input: z.strictObject({
      content: field.text('The text.'),
      id: field.memoryId
        .exactOptional()
        .describe('Made when left out. Saving under it again changes nothing.'),
    }),
    output: line,
    http: { method: 'POST', path: LINES, status: 201 },
    example: { request: EXAMPLE },
    access: 'write',
    named: (input, token) => ({ id: agentMemoryIdFrom(token), ...input }),
    run: async ({ content, ...options }, { memory }) => {
      await (await memory.agent(WHITEBOARD)).ensure();
      const journal = await memory.journalOf(WHITEBOARD);
      return toLine(await journal.save('core', content, { ...options, provenance: { author: 'user' } }));
    },
  }),
  editWhiteboard: defineOperation({
    summary: 'Change a line of the whiteboard. Its earlier text is kept.',
    input: oneLine.extend({ content: field.text('The text.') }),
    output: line,
    http: { method: 'PATCH', path: ONE },
    example: {
      request: { memory_id: EXAMPLE.id, content: 'The relaunch is on Monday; no deploys before.' },
      after: ['addToWhiteboard'],
    },
    access: 'write',
    run: async ({ memory_id, content }, { memory }) => {
      const journal = await memory.journalOf(WHITEBOARD);
      await journal.edit(memory_id, content);
      return toLine(await journal.get(memory_id));
    },
  }),
  wipeFromWhiteboard: defineOperation({
    summary: 'Take a line off the whiteboard, and out of every file.',
    input: oneLine,
    output: z.object({ id: field.text('Names it.'), deleted: field.gone }),
    http: { method: 'DELETE', path: ONE },
    example: {
      request: { memory_id: 'amem_lunch' },
      first: [{ operation: 'addToWhiteboard', request: { content: 'Lunch is at one.', id: 'amem_lunch' } }],
    },
    access: 'write',
    run: async ({ memory_id }, { memory }) => {
      const journal = await memory.journalOf(WHITEBOARD);
      await journal.get(memory_id);
      await journal.forget([memory_id]);
      return { id: memory_id, deleted: true as const };
    },
  }),
};
