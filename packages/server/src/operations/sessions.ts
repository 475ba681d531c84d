import { LonghandError } from 'longhand';
import { z } from 'zod';
import { camelCased } from './camel-case.ts';
import * as field from './fields.ts';
import { sessionIdFrom } from './names.ts';
import { defineOperation } from './operation.ts';
import { pageOfSessions } from './page.ts';
import { roundedScores } from './rounded.ts';

const SESSIONS = '/api/sessions';
const ONE = `${SESSIONS}/{session_id}`;
const oneSession = z.strictObject({ session_id: field.sessionId });

const settings = z.strictObject({
  agents: z.array(field.agentId).exactOptional().describe('The names of the agents that take part.'),
  preferences: z
    .strictObject({
      language: field.text('Which language the user prefers.').exactOptional(),
      verbosity: field.text('How much the user wants to read.').exactOptional(),
      custom: field.jsonObject.exactOptional().describe('Anything else.'),
    })
    .describe('What is known of how the user likes it.')
    .exactOptional(),
  decay_config: z
    .strictObject({
      enabled: field.flag('Whether memories fade at all.').exactOptional(),
      half_life_hours: field
        .number('After so many hours a memory counts half; overrides the rates of the types.')
        .exactOptional(),
      min_decay_factor: field.number('No memory fades below this.').exactOptional(),
    })
    .describe('How memories of the session fade.')
    .exactOptional(),
  compaction_config: z
    .strictObject({
      auto_compact: field
        .flag('Whether the session compacts automatically when it is nearly full.')
        .exactOptional(),
      threshold: field.number('Compacts when so much of the limit is used, from 0 to 1.').exactOptional(),
    })
    .describe('When the session is compacted.')
    .exactOptional(),
});

export const session = z.object({
  id: field.text('Names it.'),
  user_id: field.text('Whose it is.'),
  account_id: field.text('The account that it belongs to.'),
  created_at: field.createdAt,
  agents: field.texts('The names of the agents that take part.'),
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
    input: settings.extend({ session_id: field.sessionId.exactOptional() }),
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
    input: z.strictObject(field.page),
    output: field.paged('sessions', session, 'The sessions.'),
    http: { method: 'GET', path: SESSIONS },
    example: { request: { limit: 20 }, after: ['createSession'], answer: { sessions: [EXAMPLE_SESSION] } },
    access: 'read',
    run: (page, { memory }) => pageOfSessions(memory, page),
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
    output: z.object({
      session_id: field.sessionName,
      closed: z.literal(true).describe('It is closed; the next use opens it again.'),
    }),
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
    output: z.object({ session_id: field.sessionName, deleted: field.flag('Whether it is gone.') }),
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
      session_id: field.sessionName,
      user_id: z.string().optional().describe('Whose it is.'),
      created_at: z.string().optional().describe('When it was made, ISO 8601.'),
      first_memory_at: z.string().optional().describe('When the oldest of its memories is of, ISO 8601.'),
      total_entries: field.integer('How many memories there are.'),
      total_size_bytes: field.integer('Bytes of all files that count.'),
      size: z.looseObject({}).describe('Bytes of each of its files.'),
      limit_bytes: field.number('How many bytes the session may have.'),
      statistics: field.record(z.number(), 'How many memories of each type there are, and the like.'),
      deleted: field.integer('How many memories were deleted.'),
      deleted_bytes: field.integer('Bytes of deleted memories that a compaction takes out of the log.'),
      replaced: field.integer('How many memories, in whatever session, its memories have replaced.'),
      corruption: field.record(z.number(), 'Lines that cannot be read, by what is wrong with them.'),
      quarantined: field.integer('Damaged lines that are kept aside, in `corrupt/`.'),
      unverified: field.integer('Lines without a checksum: a person wrote or edited them.'),
      pending_writes: field.integer('Writes that are not acknowledged yet.'),
      schema_version: field.integer('The version of the record’s shape.'),
      last_compaction: z.string().optional().describe('When the session was last compacted, ISO 8601.'),
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
    input: oneSession.extend({
      format: z
        .enum(['json', 'jsonl'])
        .default('json')
        .describe('The format of the text: `json`, or `jsonl` with a memory a line.'),
    }),
    output: z.object({
      session_id: field.sessionName,
      format: field.text('The format of the text: `json`, or `jsonl` with a memory a line.'),
      content: field.text('All memories of the session, in the format asked for.'),
    }),
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
    input: oneSession.extend({
      dry_run: field.flag('Only report what would happen.').default(false),
      drop_faded: field
        .flag('Also take out memories that have faded away, preferences and what others refer to excepted.')
        .default(false),
    }),
    output: z.object({
      session_id: field.sessionName,
      entries_before: field.integer('How many memories there were before.'),
      entries_after: field.integer('How many memories there were afterwards.'),
      bytes_before: field.integer('Bytes of the files before.'),
      bytes_after: field.integer('Bytes of the files afterwards.'),
      dropped: z
        .array(z.looseObject({ id: field.text('Names it.') }))
        .readonly()
        .describe('The memories that were taken out, each with its reason.'),
      trimmed: field.texts('Memories that lost their metadata.'),
      quarantined: field.integer('Damaged lines that are kept aside, in `corrupt/`.'),
      discarded: field.integer('Damaged lines that went for good, because they could hold what was deleted.'),
      duration_ms: field.number('How long it took, in milliseconds.'),
    }),
    http: { method: 'POST', path: `${ONE}/compact` },
    example: {
      request: { session_id: 'demo', drop_faded: true, dry_run: true },
      after: ['createSession', 'addMemory'],
    },
    access: 'write',
    run: async ({ session_id, ...options }, { memory }) => {
      const report = await memory.compactSession(session_id, { ...camelCased(options), onlyIfNeeded: true });
      return { ...report, dropped: report.dropped.map((entry) => ({ ...entry })) };
    },
  }),
  rebuildIndex: defineOperation({
    summary: 'Check a whole session and rewrite its readable files.',
    input: oneSession,
    output: z.object({
      session_id: field.sessionName,
      entries: field.integer('How many memories there are.'),
      damaged_lines: field.integer('How many lines cannot be read.'),
      unverified_lines: field.integer('How many lines have no checksum: a person wrote or edited them.'),
    }),
    http: { method: 'POST', path: `${ONE}/reindex` },
    example: { request: { session_id: 'demo' }, after: ['createSession', 'addMemory'] },
    access: 'write',
    run: ({ session_id }, { memory }) => memory.rebuildIndex(session_id),
  }),
  previewFading: defineOperation({
    summary: 'Which memories will fade, and when.',
    input: oneSession.extend({
      threshold: field.share('The relevance below which a memory counts as faded.').exactOptional(),
      within: field.text('Only what fades in this time: `30 days`, `P7D`.').exactOptional(),
      time_zone: field.timeZone.exactOptional(),
      limit: field.limit.default(100),
      include_lasting: field.flag('Also those that never fade, last.').default(false),
    }),
    output: z.object({
      memories: field.list(
        z.object({
          id: field.text('Names it.'),
          type: field.text('The kind: `conversation`, `decision`, `finding` or `preference`.'),
          importance: field.number('How important it is, from 0 to 1.'),
          relevance: field.relevance,
          relevance_next_week: field.number('The same in a week, when it is left alone.'),
          fades_at: field.nullableText('When it falls below the threshold, ISO 8601; null: never.'),
          uses: field.integer('How often it was given to a caller or stood in a prompt.'),
        }),
        'The memories, soonest first.',
      ),
    }),
    http: { method: 'GET', path: `${ONE}/fading` },
    example: {
      request: { session_id: 'demo', within: '90 days', include_lasting: true },
      after: ['createSession', 'addMemory'],
    },
    access: 'read',
    run: async ({ session_id, ...options }, { memory }) => {
      const fading = await memory.previewFading(session_id, camelCased(options));
      const memories = fading.map(({ relevance, relevance_next_week, ...one }) => ({
        ...one,
        ...roundedScores({ relevance, relevance_next_week }),
      }));
      return { memories };
    },
  }),
};
