import { z } from 'zod';
import { camelCased } from './camel-case.ts';
import * as field from './fields.ts';
import { defineOperation } from './operation.ts';
import { pageOf } from './page.ts';

const DETAILS = '/api/details';
const ONE = `${DETAILS}/{memory_key}`;
const oneDetail = z.strictObject({ memory_key: field.memoryKey });

const detail = z.object({
  memory_key: field.keyOfDetail,
  session_id: field.sessionName,
  agent_id: field.nullableText('The name of an agent.'),
  user_id: field.text('Whose it is.'),
  memory_type: field.text('The kind of the memory.'),
  summary: field.text('What it is about, in short.'),
  summary_method: field.text('Who wrote the summary: `extractive`, `caller`, or a model.'),
  content_metadata: field.jsonObject.describe('Anything that is known of it: the command, its status.'),
  created_at: field.createdAt,
  expires_at: field.nullableText('When it ends, ISO 8601; null: never.'),
  is_active: field.flag('Inactive ones are not searched and not recalled, and can still be retrieved.'),
  size_bytes: field.integer('How many bytes it has.'),
  lines: field.integer('How many lines it has.'),
  is_utf8: field.flag('Whether it is text.'),
  provenance: field.provenance,
});

const EXAMPLE_DETAIL: z.input<typeof detail> = {
  memory_key: 'deploy_log',
  session_id: 'demo',
  agent_id: null,
  user_id: 'me',
  memory_type: 'command_output',
  summary: 'The log of a deployment',
  summary_method: 'caller',
  content_metadata: { command: 'npm run deploy', exit_code: 0 },
  created_at: '2026-11-16T09:34:00.000Z',
  expires_at: null,
  is_active: true,
  size_bytes: 76,
  lines: 4,
  is_utf8: true,
  provenance: { author: 'tool', trust: 'untrusted' },
};

export const detailOperations = {
  listDetails: defineOperation({
    summary: 'The details of the user, newest first.',
    input: z.strictObject({
      session_id: field.sessionId.exactOptional(),
      type: field.text('Only details of this kind.').exactOptional(),
      is_active: field
        .flag('Inactive ones are not searched and not recalled, and can still be retrieved.')
        .exactOptional(),
      ...field.page,
    }),
    output: field.paged('details', detail, 'Large values, best or newest first.'),
    http: { method: 'GET', path: DETAILS },
    example: {
      request: { session_id: 'demo', type: 'command_output' },
      after: ['createSession', 'storeDetail'],
      answer: { details: [EXAMPLE_DETAIL] },
    },
    access: 'read',
    run: async ({ limit, cursor, ...filter }, { memory }) => {
      if (filter.session_id !== undefined) await memory.loadSession(filter.session_id);
      const list = await (await memory.details()).list(camelCased(filter));
      return pageOf('details', list, ({ memory_key }) => memory_key, { limit, cursor });
    },
  }),
  storeDetail: defineOperation({
    summary: 'Keep a large text as a detail, behind a placeholder.',
    input: z.strictObject({
      session_id: field.sessionId,
      content: field.text('The text.'),
      description: field.text('What it is, in a few words.').exactOptional(),
      type: field
        .text('The kind of the value: `command_output`, `file_content`, or one of your own.')
        .exactOptional(),
      metadata: field.jsonObject.exactOptional().describe('Anything that is known of it.'),
      agent_id: field.agentId.exactOptional(),
      memory_key: field.memoryKey.exactOptional(),
      provenance: field.provenanceHint.exactOptional(),
    }),
    output: detail,
    http: { method: 'POST', path: DETAILS, status: 201 },
    example: {
      request: {
        session_id: 'demo',
        content: '> npm run deploy\nswitched to green\nwarning: 1 slow health check\ndone in 41 s',
        description: 'The log of a deployment',
        type: 'command_output',
        metadata: { command: 'npm run deploy', exit_code: 0 },
        memory_key: 'deploy_log',
      },
      after: ['createSession'],
      answer: EXAMPLE_DETAIL,
    },
    access: 'write',
    named: (input, token) => ({ memory_key: `detail_${token.slice(0, 24)}`, ...input }),
    run: ({ session_id, memory_key, ...value }, { memory }) =>
      memory.storeDetail(session_id, {
        ...camelCased(value),
        ...(memory_key === undefined ? {} : { key: memory_key }),
      }),
  }),
  captureOutput: defineOperation({
    summary:
      'Keep the output of a command or tool when it is long, and get the line with the placeholder that stands for it.',
    input: z.strictObject({
      session_id: field.sessionId,
      output: field.text('What the command or tool gave.'),
      command: field.word('The command that was run, when it was one.').exactOptional(),
      tool_name: field.word('The tool that was called.').exactOptional(),
      status: field.word('How it ended: `success`, `error`, `exit code 2`.').exactOptional(),
      agent_id: field.agentId.exactOptional(),
      message_id: field
        .word('The message of the user that it was called for: the output goes when that is forgotten.')
        .exactOptional(),
      call_id: field
        .word('The call that it answers: sent again, the same output is kept once.')
        .exactOptional(),
      always: field.flag('Keep a short one too.').exactOptional(),
    }),
    output: z.object({
      text: field.text('For the model: the output itself, or the line that stands for it.'),
      is_captured: field.flag('Whether it was kept as a detail.'),
      memory_key: field.keyOfDetail.exactOptional(),
      detail: detail.exactOptional().describe('What the value is.'),
    }),
    http: { method: 'POST', path: '/api/capture' },
    example: {
      request: {
        session_id: 'demo',
        output: '> npm run deploy\nswitched to green\nwarning: 1 slow health check\ndone in 41 s',
        command: 'npm run deploy',
        status: 'success',
      },
      after: ['createSession'],
      answer: {
        text: '> npm run deploy\nswitched to green\nwarning: 1 slow health check\ndone in 41 s',
        is_captured: false,
      },
    },
    access: 'write',
    run: async ({ session_id, ...output }, { memory }) => {
      await memory.loadSession(session_id);
      const { text, detail: kept } = await memory.captureToolOutput(session_id, camelCased(output));
      if (kept === undefined) return { text, is_captured: false };
      return { text, is_captured: true, memory_key: kept.memory_key, detail: kept };
    },
  }),
  retrieveDetail: defineOperation({
    summary: 'A detail, or a part of it: a page, lines, the lines with a word, a place in JSON.',
    input: oneDetail.extend({
      page: field.integer('Which page, counted from 1.').exactOptional(),
      page_size: field.integer('Bytes of a page, about; 16,384 when left out.').exactOptional(),
      first_line: field.integer('From this line on, counted from 1.').exactOptional(),
      last_line: field.integer('Up to this line, counted from 1.').exactOptional(),
      search: field.text('Only the lines that hold this, whatever the case.').exactOptional(),
      context: field
        .integer('Lines to show before and after each line found; 2 when left out.')
        .exactOptional(),
      limit: field.integer('How many at most.').exactOptional(),
      pointer: field.text('A JSON pointer (RFC 6901) into a JSON value.').exactOptional(),
    }),
    output: z.object({
      detail: detail.describe('What the value is.'),
      memory_key: field.keyOfDetail,
      content: field.text('The text.'),
      part: field.text('What the content is: `whole`, `page`, `lines`, `search` or `pointer`.'),
      is_truncated: field.flag('Whether there is more of what was asked for than an answer holds.'),
      size_bytes: field.integer('How many bytes it has.'),
      total_lines: field.integer('How many lines the value has.'),
      is_utf8: field.flag('Whether it is text.'),
      trust: field.provenance.shape.trust.exactOptional(),
      page: field.integer('Which page, counted from 1.').exactOptional(),
      total_pages: field.integer('How many pages there are.').exactOptional(),
      lines: field.lineRange.exactOptional().describe('The first and the last line of the content.'),
      matches: field
        .list(
          z.object({
            line: field.integer('Its number in the value, from 1.'),
            text: field.text('The text.'),
          }),
          'The lines found, with those around them.',
        )
        .exactOptional(),
      total_matches: field
        .integer('How many lines hold what was searched for, shown or not.')
        .exactOptional(),
    }),
    http: { method: 'GET', path: ONE },
    example: {
      request: { memory_key: 'deploy_log', search: 'warning', context: 1 },
      after: ['createSession', 'storeDetail'],
      answer: {
        detail: EXAMPLE_DETAIL,
        memory_key: 'deploy_log',
        content: '2- switched to green\n3: warning: 1 slow health check\n4- done in 41 s\n',
        part: 'search',
        is_truncated: false,
        size_bytes: 76,
        total_lines: 4,
        is_utf8: true,
        trust: 'untrusted',
        matches: [{ line: 3, text: 'warning: 1 slow health check' }],
        total_matches: 1,
      },
    },
    access: 'read',
    run: async ({ memory_key, first_line, last_line, ...options }, { memory }) => {
      const details = await memory.details();
      const lines =
        first_line === undefined && last_line === undefined
          ? {}
          : { lines: [first_line ?? 1, last_line ?? first_line ?? 1] as const };
      const found = await details.retrieve(memory_key, { ...camelCased(options), ...lines });
      return { detail: await details.get(memory_key), ...found };
    },
  }),
  updateDetail: defineOperation({
    summary: 'Switch a detail on or off for searches.',
    input: oneDetail.extend({
      is_active: field.flag('Inactive ones are not searched and not recalled, and can still be retrieved.'),
    }),
    output: detail,
    http: { method: 'PATCH', path: ONE },
    example: {
      request: { memory_key: 'deploy_log', is_active: false },
      after: ['createSession', 'storeDetail'],
      answer: { ...EXAMPLE_DETAIL, is_active: false },
    },
    access: 'write',
    run: async ({ memory_key, is_active }, { memory }) =>
      (await memory.details()).setActive(memory_key, is_active),
  }),
  deleteDetail: defineOperation({
    summary: 'Take a detail out of every file.',
    input: oneDetail,
    output: z.object({ memory_key: field.keyOfDetail, deleted: field.gone }),
    http: { method: 'DELETE', path: ONE },
    example: {
      request: { memory_key: 'old_log' },
      after: ['createSession'],
      first: [
        {
          operation: 'storeDetail',
          request: { session_id: 'demo', content: 'done in 50 s', memory_key: 'old_log' },
        },
      ],
      answer: { memory_key: 'old_log', deleted: true },
    },
    access: 'write',
    run: async ({ memory_key }, { memory }) => {
      await (await memory.details()).remove(memory_key);
      return { memory_key, deleted: true as const };
    },
  }),
};
