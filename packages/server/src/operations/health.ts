import type { Principal, ScopedMemory } from 'longhand';
import { z } from 'zod';
import { lastVerification } from '../last-verification.ts';
import { mayRun } from './access.ts';
import * as field from './fields.ts';
import { defineOperation, type OperationContext } from './operation.ts';

/** Each user costs a look into their sessions, so there is a limit. */
const MOST_USERS = 200;
/** From the best to the worst. */
const INDEX_STATES = ['none', 'sealed', 'behind', 'outdated', 'damaged'] as const;

export const healthOperations = {
  showHealth: defineOperation({
    summary:
      'Whether the memory is well: the store, its search index, what waits to be archived, sessions that cannot be read. Of the whole store for admins who speak for all, else of the own user.',
    input: z.strictObject({}),
    output: z.object({
      scope: field.choice(['store', 'user'], 'What is meant: the whole store, or the caller’s user.'),
      is_well: field.flag('Whether nothing below needs a person.'),
      store: z
        .object({
          kind: field.choice(['folder', 'postgres'], 'Where the memory is kept.'),
          redis: field.choice(['none', 'there', 'gone'], 'Whether Redis answers, when one is set up.'),
          memories: field.integer('How many memories there are; of the whole store alone.').exactOptional(),
          bytes: field.integer('What everything takes; of the whole store alone.').exactOptional(),
          damaged_lines: field
            .integer('Lines that this process could not read since it started; of the whole store alone.')
            .exactOptional(),
        })
        .describe('The store.'),
      users_checked: field.integer('Of how many users the index and the sessions were looked at.'),
      is_complete: field.flag(`False when there are more than ${MOST_USERS} users: the others were not.`),
      search_index: z
        .object({
          state: field.choice(
            INDEX_STATES,
            'The worst of them. `none`: nothing stored yet. `sealed`: all is in it. `behind`: searches read the rest from the logs. `outdated`, `damaged`: the next search builds it again.',
          ),
          sessions_behind: field.integer('Sessions of which it lacks something.'),
        })
        .describe('The stored search indexes.'),
      spool: z
        .object({
          messages: field.integer('Messages of conversations that wait to be archived, of this server.'),
          oldest: field.nullableText('When the oldest of them was said, ISO 8601; null: none waits.'),
          failed: field.list(
            z.object({
              session_id: field.sessionName,
              code: field.text('The code of the error.'),
              failed_at: field.text('When it was last tried, ISO 8601.'),
            }),
            'Sessions whose messages could not be archived. They are kept, and tried again.',
          ),
        })
        .describe('What was said and is not in the transcript yet.'),
      unreadable_sessions: field.rows(
        'Sessions that are in no list and search, because they cannot be read.',
        {
          user_id: field.text('Whose it is.'),
          session_id: field.sessionName,
          code: field.text('The code of the error.'),
          reason: field.text('A sentence for people.'),
        },
      ),
      verification: z
        .object({
          verified_at: field.text('When it was, ISO 8601.'),
          is_sound: field.flag('Whether nothing was damaged.'),
          damage: field.integer('How many places were damaged.'),
        })
        .nullable()
        .describe('The last `longhand verify` with this configuration; null: none, or not for this caller.'),
    }),
    http: { method: 'GET', path: '/api/health' },
    example: { request: {}, after: ['createSession', 'addMemory'] },
    access: 'read',
    run: async (_input, context) => {
      const { services, memory } = context;
      const { manager, config, redis, conversations } = services;
      const { user_id, agent_id } = memory.principal;
      const isAll = agent_id === undefined && mayRun(context, { access: 'admin', isForAllUsers: true });
      const users = isAll ? await (await manager.layers()).users() : user_id === undefined ? [] : [user_id];
      const checked = users.slice(0, MOST_USERS);
      const found = await Promise.all(checked.map((user) => lookAt(user, context)));
      const states = found.map(({ index }) => INDEX_STATES.indexOf(index.state));
      const unreadable_sessions = found.flatMap(({ unreadable }) => unreadable);
      const spool = conversations.backlog(isAll ? undefined : user_id);
      const verification = isAll ? lastVerification(config, services.gate.accountId) : null;
      const state = INDEX_STATES[Math.max(0, ...states)]!;
      return {
        scope: isAll ? ('store' as const) : ('user' as const),
        is_well:
          state !== 'damaged' &&
          spool.failed.length + unreadable_sessions.length === 0 &&
          verification?.is_sound !== false,
        store: {
          kind: config.databaseUrl === undefined ? ('folder' as const) : ('postgres' as const),
          redis:
            redis === undefined ? ('none' as const) : redis.isThere ? ('there' as const) : ('gone' as const),
          ...(isAll ? await figuresOf(context) : {}),
        },
        users_checked: checked.length,
        is_complete: checked.length === users.length,
        search_index: {
          state,
          sessions_behind: found.reduce((sum, { index }) => sum + index.sessions_behind, 0),
        },
        spool,
        unreadable_sessions,
        verification,
      };
    },
  }),
};

async function lookAt(user_id: string, { memory, services }: OperationContext) {
  const { principal } = memory;
  const own: ScopedMemory =
    user_id === principal.user_id
      ? memory
      : services.manager.as({ ...principal, user_id } satisfies Principal);
  const unreadable = (await own.unreadableSessions()).map((one) => ({ user_id, ...one }));
  return { unreadable, index: await own.searchIndex() };
}

/** As the metrics count them. */
async function figuresOf({ services: { manager } }: OperationContext) {
  const { gauges, counters } = await manager.metrics();
  return {
    memories: gauges['memory.entries.total'],
    bytes: gauges['memory.size.bytes'],
    damaged_lines: counters['memory.errors.corruption.count'],
  };
}
