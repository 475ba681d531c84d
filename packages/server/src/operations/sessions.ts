import { LonghandError } from 'longhand';
import { z } from 'zod';
import { agentId, cursor, inZone, jsonObject, limit, sessionId, timeZone } from './fields.ts';
import { sessionIdFrom } from './names.ts';
import { defineOperation } from './operation.ts';
import { pageOf } from './page.ts';
import { rounded } from './rounded.ts';

const SESSIONS = '/api/sessions';
const ONE = `${SESSIONS}/{session_id}`;
const oneSession = z.strictObject({ session_id: sessionId });

const settings = z.strictObject({
  agents: z.array(agentId).exactOptional(),
  preferences: z
    .strictObject({
      language: z.string().exactOptional(),
      verbosity: z.string().exactOptional(),
      custom: jsonObject.exactOptional(),
    })
    .exactOptional(),
  decay_config: z
    .strictObject({
      enabled: z.boolean().exactOptional(),
      half_life_hours: z.number().exactOptional(),
      min_decay_factor: z.number().exactOptional(),
    })
    .exactOptional(),
  compaction_config: z
    .strictObject({ auto_compact: z.boolean().exactOptional(), threshold: z.number().exactOptional() })
    .exactOptional(),
});

export const session = z.object({
  id: z.string(),
  user_id: z.string(),
  account_id: z.string(),
  created_at: z.string(),
  agents: z.array(z.string()).readonly(),
  preferences: settings.shape.preferences.unwrap(),
  decay_config: settings.shape.decay_config.unwrap(),
  compaction_config: settings.shape.compaction_config.unwrap(),
});

const EXAMPLE_SESSION: z.input<typeof session> = {
  id: 'demo',
  user_id: 'me',
  account_id: 'local',
  created_at: '2026-11-16T09:29:00.000Z',
  agents: [],
  preferences: { language: 'en', verbosity: 'short' },
  decay_config: {},
  compaction_config: {},
};

export const sessionOperations = {
  createSession: defineOperation({
    summary: 'Begin a session.',
    input: settings.extend({ session_id: sessionId.exactOptional() }),
    output: session,
    http: { method: 'POST', path: SESSIONS, status: 201 },
    example: {
      request: { session_id: 'demo', preferences: { language: 'en', verbosity: 'short' } },
      answer: EXAMPLE_SESSION,
    },
    access: 'write',
    named: (input, token) => ({ session_id: sessionIdFrom(token), ...input }),
    run: async (input, { memory, idempotencyToken: token }) => {
      try {
        return await memory.createSession(input);
      } catch (error) {
        const isRepeated = token !== undefined && input.session_id === sessionIdFrom(token);
        if (!isRepeated || !LonghandError.isInstance(error) || error.code !== 'SESSION_EXISTS') throw error;
        return memory.loadSession(input.session_id!);
      }
    },
  }),
  listSessions: defineOperation({
    summary: 'The sessions of the user, by id.',
    input: z.strictObject({ limit: limit.exactOptional(), cursor: cursor.exactOptional() }),
    output: z.object({ sessions: z.array(session), next_cursor: z.string().exactOptional() }),
    http: { method: 'GET', path: SESSIONS },
    example: { request: { limit: 20 }, after: ['createSession'], answer: { sessions: [EXAMPLE_SESSION] } },
    access: 'read',
    run: async (input, { memory }) => {
      const { items: sessions, ...rest } = pageOf(await memory.listSessions(), ({ id }) => id, input);
      return { sessions, ...rest };
    },
  }),
  loadSession: defineOperation({
    summary: 'One session, with its settings.',
    input: oneSession,
    output: session,
    http: { method: 'GET', path: ONE },
    example: { request: { session_id: 'demo' }, after: ['createSession'], answer: EXAMPLE_SESSION },
    access: 'read',
    run: ({ session_id }, { memory }) => memory.loadSession(session_id),
  }),
  updateSession: defineOperation({
    summary: 'Change what is named of a session, and leave the rest.',
    input: settings.extend(oneSession.shape),
    output: session,
    http: { method: 'PATCH', path: ONE },
    example: {
      request: { session_id: 'demo', decay_config: { half_life_hours: 720 } },
      after: ['createSession'],
      answer: { ...EXAMPLE_SESSION, decay_config: { half_life_hours: 720 } },
    },
    access: 'write',
    run: ({ session_id, ...changes }, { memory }) => memory.updateSession(session_id, changes),
  }),
  closeSession: defineOperation({
    summary: 'Write what waits, and the readable files of a session.',
    input: oneSession,
    output: z.object({ session_id: z.string(), closed: z.literal(true) }),
    http: { method: 'POST', path: `${ONE}/close` },
    example: {
      request: { session_id: 'demo' },
      after: ['createSession'],
      answer: { session_id: 'demo', closed: true },
    },
    access: 'write',
    run: async ({ session_id }, { memory, services }) => {
      await memory.loadSession(session_id);
      await services.conversations.flush(session_id);
      await memory.closeSession(session_id);
      return { session_id, closed: true as const };
    },
  }),
  deleteSession: defineOperation({
    summary: 'Remove a session with everything that it holds.',
    input: oneSession,
    output: z.object({ session_id: z.string(), deleted: z.boolean() }),
    http: { method: 'DELETE', path: ONE },
    example: {
      request: { session_id: 'old' },
      first: [{ operation: 'createSession', request: { session_id: 'old' } }],
      answer: { session_id: 'old', deleted: true },
    },
    access: 'write',
    run: async ({ session_id }, { memory }) => ({
      session_id,
      deleted: await memory.deleteSession(session_id),
    }),
  }),
  getSessionStats: defineOperation({
    summary: 'How much a session holds, and in which state.',
    input: oneSession,
    output: z.object({
      session_id: z.string(),
      user_id: z.string().optional(),
      created_at: z.string().optional(),
      first_memory_at: z.string().optional(),
      total_entries: z.int(),
      total_size_bytes: z.int(),
      size: z.looseObject({}),
      limit_bytes: z.number(),
      statistics: z.record(z.string(), z.number()).readonly(),
      deleted: z.int(),
      corruption: z.record(z.string(), z.number()).readonly(),
      quarantined: z.int(),
      unverified: z.int(),
      pending_writes: z.int(),
      schema_version: z.int(),
      last_compaction: z.string().optional(),
    }),
    http: { method: 'GET', path: `${ONE}/stats` },
    example: { request: { session_id: 'demo' }, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async ({ session_id }, { memory }) => {
      const { size, ...stats } = await memory.getSessionStats(session_id);
      return { ...stats, size: { ...size } };
    },
  }),
  exportSession: defineOperation({
    summary: 'The memories of a session as one text.',
    input: oneSession.extend({ format: z.enum(['json', 'jsonl']).default('json') }),
    output: z.object({ session_id: z.string(), format: z.string(), content: z.string() }),
    http: { method: 'GET', path: `${ONE}/export` },
    example: { request: { session_id: 'demo', format: 'jsonl' }, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async ({ session_id, format }, { memory }) => ({
      session_id,
      format,
      content: await memory.exportSession(session_id, format),
    }),
  }),
  compactSession: defineOperation({
    summary:
      'Take deleted memories out of the files, and faded ones when asked. A log with nothing to take out stays as it is.',
    input: oneSession.extend({ dry_run: z.boolean().default(false), drop_faded: z.boolean().default(false) }),
    output: z.object({
      session_id: z.string(),
      entries_before: z.int(),
      entries_after: z.int(),
      bytes_before: z.int(),
      bytes_after: z.int(),
      dropped: z.array(z.looseObject({ id: z.string() })).readonly(),
      trimmed: z.array(z.string()).readonly(),
      quarantined: z.int(),
      discarded: z.int(),
      duration_ms: z.number(),
    }),
    http: { method: 'POST', path: `${ONE}/compact` },
    example: {
      request: { session_id: 'demo', drop_faded: true, dry_run: true },
      after: ['createSession', 'addMemory'],
    },
    access: 'write',
    run: async ({ session_id, dry_run, drop_faded }, { memory }) => {
      const options = { dryRun: dry_run, dropFaded: drop_faded, onlyIfNeeded: true };
      const report = await memory.compactSession(session_id, options);
      return { ...report, dropped: report.dropped.map((entry) => ({ ...entry })) };
    },
  }),
  rebuildIndex: defineOperation({
    summary: 'Check a whole session and write its readable files anew.',
    input: oneSession,
    output: z.object({
      session_id: z.string(),
      entries: z.int(),
      damaged_lines: z.int(),
      unverified_lines: z.int(),
    }),
    http: { method: 'POST', path: `${ONE}/reindex` },
    example: { request: { session_id: 'demo' }, after: ['createSession', 'addMemory'] },
    access: 'write',
    run: ({ session_id }, { memory }) => memory.rebuildIndex(session_id),
  }),
  previewFading: defineOperation({
    summary: 'Which memories will fade, and when.',
    input: oneSession.extend({
      threshold: z.number().min(0).max(1).exactOptional(),
      within: z.string().exactOptional(),
      time_zone: timeZone.exactOptional(),
      limit: limit.default(100),
      include_lasting: z.boolean().default(false),
    }),
    output: z.object({
      memories: z
        .array(
          z.object({
            id: z.string(),
            type: z.string(),
            importance: z.number(),
            relevance: z.number(),
            fades_at: z.string().nullable(),
          }),
        )
        .readonly(),
    }),
    http: { method: 'GET', path: `${ONE}/fading` },
    example: {
      request: { session_id: 'demo', within: '90 days', include_lasting: true },
      after: ['createSession', 'addMemory'],
    },
    access: 'read',
    run: async ({ session_id, include_lasting, time_zone, ...options }, { memory }) => {
      const fading = await memory.previewFading(session_id, {
        ...options,
        ...inZone(time_zone),
        includeLasting: include_lasting,
      });
      return { memories: fading.map((one) => ({ ...one, relevance: rounded(one.relevance) })) };
    },
  }),
};
