import { LIMITS } from 'longhand';
import { z } from 'zod';
import * as field from './fields.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { pageOf } from './page.ts';
import { rounded } from './rounded.ts';

const NOTES = '/api/agents/{agent_id}/notes';
const ofAgent = z.strictObject({ agent_id: field.agentId });
const version = z.int().min(0).describe('Counts the changes.');

const notes = z.object({
  agent_id: field.agentName,
  text: field.text('The text.'),
  version: field.integer('Counts the changes.'),
  updated_at: field.nullableText('When it was last changed, ISO 8601.'),
  trust: field.text('How far it can be trusted: `owner`, `agent`, `external` or `untrusted`.'),
});

const writing = {
  expected_version: version
    .exactOptional()
    .describe('Refuse the change when the notes are at another version: what was not read stays.'),
};

/** Who uses these operations is a person: the agent has a tool of its own. */
function options({ expected_version }: { readonly expected_version?: number }) {
  return {
    author: { author: 'user' as const, trust: 'owner' as const },
    ...(expected_version === undefined ? {} : { expectedVersion: expected_version }),
  };
}

/** Notes of an agent that does not exist would never be found. */
async function notesOf(agent_id: string, { memory }: OperationContext) {
  await (await memory.agent(agent_id)).get();
  return memory.notesOf(agent_id);
}

const EXAMPLE_NOTES: z.input<typeof notes> = {
  agent_id: 'scout',
  text: '## Tone\nShort answers.',
  version: 1,
  updated_at: '2026-11-16T09:33:00.000Z',
  trust: 'owner',
};

export const noteOperations = {
  readNotes: defineOperation({
    summary: 'The notes of an agent on the user.',
    input: ofAgent,
    output: notes,
    http: { method: 'GET', path: NOTES },
    example: { request: { agent_id: 'scout' }, after: ['createAgent', 'writeNotes'], answer: EXAMPLE_NOTES },
    access: 'read',
    run: async ({ agent_id }, context) => ({
      agent_id,
      ...(await (await notesOf(agent_id, context)).read()),
    }),
  }),
  searchNotes: defineOperation({
    summary: 'The sections of the notes that a text asks for, best first.',
    input: ofAgent.extend({
      text: field.word('What to search for.', LIMITS.queryCharacters),
      limit: field.limit.default(10),
    }),
    output: z.object({
      sections: field.rows('The sections of the notes that were found, each up to the next header.', {
        title: field.text('Its header; empty for what stands before the first one.'),
        text: field.text('Its text, with the header.'),
        match: field.match,
      }),
    }),
    http: { method: 'GET', path: `${NOTES}/search` },
    example: {
      request: { agent_id: 'scout', text: 'How long may an answer be?' },
      after: ['createAgent', 'writeNotes'],
      answer: { sections: [{ title: 'Tone', text: '## Tone\nShort answers.', match: 0.5 }] },
    },
    access: 'read',
    run: async ({ agent_id, text, limit }, context) => {
      const found = await (await notesOf(agent_id, context)).search(text, limit);
      return { sections: found.map(({ title, text, match }) => ({ title, text, match: rounded(match) })) };
    },
  }),
  writeNotes: defineOperation({
    summary: 'Replace the notes.',
    input: ofAgent.extend({ text: field.text('The text.'), ...writing }),
    output: notes,
    http: { method: 'PUT', path: NOTES },
    example: {
      request: { agent_id: 'scout', text: '## Tone\nShort answers.' },
      after: ['createAgent'],
      answer: EXAMPLE_NOTES,
    },
    access: 'write',
    run: async ({ agent_id, text, ...input }, context) => {
      const bound = await notesOf(agent_id, context);
      return { agent_id, ...(await bound.apply({ operation: 'overwrite', content: text }, options(input))) };
    },
  }),
  changeNotes: defineOperation({
    summary: 'Change a part of the notes, as manage_long_term_memory does.',
    input: ofAgent.extend({
      operation: field.choice(
        [
          'overwrite',
          'append',
          'prepend',
          'delete_section_by_header',
          'replace_section_by_header',
          'delete_all_notes',
        ],
        'What to do with the notes.',
      ),
      content: field.text('The text to put in, for changes that put something in.').exactOptional(),
      section_header: field.text('The header of the section, for changes of one section.').exactOptional(),
      ...writing,
    }),
    output: notes,
    http: { method: 'PATCH', path: NOTES },
    example: {
      request: {
        agent_id: 'scout',
        operation: 'replace_section_by_header',
        section_header: '## Tone',
        content: 'Short answers, with a source.',
      },
      after: ['createAgent', 'writeNotes'],
      answer: { ...EXAMPLE_NOTES, text: '## Tone\nShort answers, with a source.', version: 2 },
    },
    access: 'write',
    run: async ({ agent_id, expected_version, ...change }, context) => {
      const bound = await notesOf(agent_id, context);
      const given = options(expected_version === undefined ? {} : { expected_version });
      return { agent_id, ...(await bound.apply(change, given)) };
    },
  }),
  listNotesVersions: defineOperation({
    summary: 'The versions of the notes, newest first.',
    input: ofAgent.extend(field.page),
    output: z.object({
      versions: field.rows('The versions, newest first.', {
        version: field.integer('Counts the changes.'),
        timestamp: field.text('When it was, ISO 8601.'),
        author: field.provenance.describe('Who wrote this version.'),
        trust: field.text('How far it can be trusted: `owner`, `agent`, `external` or `untrusted`.'),
        bytes: field.integer('Bytes of the text.'),
        lines_added: field.integer('Lines that the version before it had not.'),
        lines_removed: field.integer('Lines of the version before it that it has not.'),
        operation: field.text('How this version was made.'),
      }),
      next_cursor: field.nextCursor,
    }),
    http: { method: 'GET', path: `${NOTES}/versions` },
    example: {
      request: { agent_id: 'scout' },
      after: ['createAgent', 'writeNotes'],
      answer: {
        versions: [
          {
            version: 1,
            timestamp: '2026-11-16T09:33:00.000Z',
            author: { author: 'user', trust: 'owner' },
            trust: 'owner',
            bytes: 22,
            lines_added: 2,
            lines_removed: 0,
            operation: 'overwrite',
          },
        ],
      },
    },
    access: 'read',
    run: async ({ agent_id, ...page }, context) => {
      const list = (await (await notesOf(agent_id, context)).versions()).toReversed();
      return pageOf('versions', list, (one) => String(one.version), page);
    },
  }),
  readNotesVersion: defineOperation({
    summary: 'The text of an earlier version, and how it differs from another.',
    input: ofAgent.extend({
      version,
      compare_with: version.exactOptional().describe('Also give how it differs from this version.'),
    }),
    output: z.object({
      version: field.integer('Counts the changes.'),
      text: field.text('The text.'),
      diff: field
        .text('How the text differs from that of the version compared with, line by line.')
        .exactOptional(),
    }),
    http: { method: 'GET', path: `${NOTES}/versions/{version}` },
    example: { request: { agent_id: 'scout', version: 1 }, after: ['createAgent', 'writeNotes'] },
    access: 'read',
    run: async (input, context) => {
      const bound = await notesOf(input.agent_id, context);
      const text = await bound.readVersion(input.version);
      if (input.compare_with === undefined) return { version: input.version, text };
      return { version: input.version, text, diff: await bound.diff(input.compare_with, input.version) };
    },
  }),
  restoreNotes: defineOperation({
    summary: 'Make a new version with the text of an old one.',
    input: ofAgent.extend({ version, ...writing }),
    output: notes,
    http: { method: 'POST', path: `${NOTES}/versions/{version}/restore` },
    example: {
      request: { agent_id: 'scout', version: 1 },
      after: ['createAgent', 'writeNotes', 'changeNotes'],
      answer: { ...EXAMPLE_NOTES, version: 3 },
    },
    access: 'write',
    run: async (input, context) => {
      const bound = await notesOf(input.agent_id, context);
      return { agent_id: input.agent_id, ...(await bound.restore(input.version, options(input))) };
    },
  }),
};
