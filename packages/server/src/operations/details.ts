import { z } from 'zod';
import {
  agentId,
  cursor,
  jsonObject,
  limit,
  memoryKey,
  provenance,
  provenanceHint,
  sessionId,
} from './fields.ts';
import { defineOperation } from './operation.ts';
import { pageOf } from './page.ts';

const DETAILS = '/api/details';
const ONE = `${DETAILS}/{memory_key}`;
const oneDetail = z.strictObject({ memory_key: memoryKey });

const detail = z.object({
  memory_key: z.string(),
  session_id: z.string(),
  agent_id: z.string().nullable(),
  user_id: z.string(),
  memory_type: z.string(),
  summary: z.string(),
  summary_method: z.string(),
  content_metadata: jsonObject,
  created_at: z.string(),
  expires_at: z.string().nullable(),
  is_active: z.boolean(),
  size_bytes: z.int(),
  lines: z.int(),
  is_utf8: z.boolean(),
  provenance,
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
      session_id: sessionId.exactOptional(),
      type: z.string().exactOptional(),
      is_active: z.boolean().exactOptional(),
      limit: limit.exactOptional(),
      cursor: cursor.exactOptional(),
    }),
    output: z.object({ details: z.array(detail), next_cursor: z.string().exactOptional() }),
    http: { method: 'GET', path: DETAILS },
    example: {
      request: { session_id: 'demo', type: 'command_output' },
      after: ['createSession', 'storeDetail'],
      answer: { details: [EXAMPLE_DETAIL] },
    },
    access: 'read',
    run: async ({ session_id, type, is_active, ...page }, { memory }) => {
      if (session_id !== undefined) await memory.loadSession(session_id);
      const list = await (await memory.details()).list({
        ...(session_id === undefined ? {} : { sessionId: session_id }),
        ...(type === undefined ? {} : { type }),
        ...(is_active === undefined ? {} : { isActive: is_active }),
      });
      const { items: details, ...rest } = pageOf(list, ({ memory_key }) => memory_key, page);
      return { details, ...rest };
    },
  }),
  storeDetail: defineOperation({
    summary: 'Keep a large text as a detail, behind a placeholder.',
    input: z.strictObject({
      session_id: sessionId,
      content: z.string(),
      description: z.string().exactOptional(),
      type: z.string().exactOptional(),
      metadata: jsonObject.exactOptional(),
      agent_id: agentId.exactOptional(),
      memory_key: memoryKey.exactOptional(),
      provenance: provenanceHint.exactOptional(),
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
    run: ({ session_id, agent_id, memory_key, ...value }, { memory }) =>
      memory.storeDetail(session_id, {
        ...value,
        ...(agent_id === undefined ? {} : { agentId: agent_id }),
        ...(memory_key === undefined ? {} : { key: memory_key }),
      }),
  }),
  captureOutput: defineOperation({
    summary:
      'Keep the output of a command or tool when it is long, and get the line with the placeholder that stands for it.',
    input: z.strictObject({
      session_id: sessionId,
      output: z.string().describe('What the command or tool gave.'),
      command: z.string().min(1).exactOptional().describe('The command that was run, when it was one.'),
      tool_name: z.string().min(1).exactOptional().describe('The tool that was called.'),
      status: z.string().min(1).exactOptional().describe('How it ended: `success`, `error`, `exit code 2`.'),
      agent_id: agentId.exactOptional(),
      message_id: z
        .string()
        .min(1)
        .exactOptional()
        .describe('The message of the user that it was called for: the output goes when that is forgotten.'),
      call_id: z
        .string()
        .min(1)
        .exactOptional()
        .describe('The call that it answers: sent again, the same output is kept once.'),
      always: z.boolean().exactOptional().describe('Keep a short one too.'),
    }),
    output: z.object({
      text: z.string().describe('For the model: the output itself, or the line that stands for it.'),
      is_captured: z.boolean().describe('Whether it was kept as a detail.'),
      memory_key: z.string().exactOptional(),
      detail: detail.exactOptional(),
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
    run: async ({ session_id, tool_name, agent_id, message_id, call_id, ...given }, { memory }) => {
      await memory.loadSession(session_id);
      const { text, detail: kept } = await memory.captureToolOutput(session_id, {
        ...given,
        ...(tool_name === undefined ? {} : { toolName: tool_name }),
        ...(agent_id === undefined ? {} : { agentId: agent_id }),
        ...(message_id === undefined ? {} : { messageId: message_id }),
        ...(call_id === undefined ? {} : { callId: call_id }),
      });
      if (kept === undefined) return { text, is_captured: false };
      return { text, is_captured: true, memory_key: kept.memory_key, detail: kept };
    },
  }),
  retrieveDetail: defineOperation({
    summary: 'A detail, or a part of it: a page, lines, the lines with a word, a place in JSON.',
    input: oneDetail.extend({
      page: z.int().exactOptional(),
      page_size: z.int().exactOptional(),
      first_line: z.int().exactOptional(),
      last_line: z.int().exactOptional(),
      search: z.string().exactOptional(),
      context: z.int().exactOptional(),
      limit: z.int().exactOptional(),
      pointer: z.string().exactOptional(),
    }),
    output: z.object({
      detail,
      memory_key: z.string(),
      content: z.string(),
      part: z.string(),
      is_truncated: z.boolean(),
      size_bytes: z.int(),
      total_lines: z.int(),
      is_utf8: z.boolean(),
      trust: provenance.shape.trust.exactOptional(),
      page: z.int().exactOptional(),
      total_pages: z.int().exactOptional(),
      lines: z.tuple([z.int(), z.int()]).readonly().exactOptional(),
      matches: z
        .array(z.object({ line: z.int().describe('Its number in the value, from 1.'), text: z.string() }))
        .readonly()
        .exactOptional(),
      total_matches: z.int().exactOptional(),
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
    run: async ({ memory_key, page_size, first_line, last_line, ...options }, { memory }) => {
      const details = await memory.details();
      const lines =
        first_line === undefined && last_line === undefined
          ? {}
          : { lines: [first_line ?? 1, last_line ?? first_line ?? 1] as const };
      const found = await details.retrieve(memory_key, {
        ...options,
        ...lines,
        ...(page_size === undefined ? {} : { pageSize: page_size }),
      });
      return {
        detail: await details.get(memory_key),
        ...found,
      };
    },
  }),
  updateDetail: defineOperation({
    summary: 'Switch a detail on or off for searches.',
    input: oneDetail.extend({ is_active: z.boolean() }),
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
    output: z.object({ memory_key: z.string(), deleted: z.literal(true) }),
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
