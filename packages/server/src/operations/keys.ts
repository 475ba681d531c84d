import { ValidationError } from 'longhand';
import { z } from 'zod';
import { isWithin, type KeyBinding } from '../access/api-key.ts';
import * as field from './fields.ts';
import { defineOperation } from './operation.ts';
import { OperationError } from './operation-error.ts';

const KEYS = '/api/keys';
const access = field.choice(
  ['read', 'write', 'admin'],
  'What the key may do: `read`, `write`, or `admin` for everything.',
);

const apiKey = z.object({
  id: field.text('Names it.'),
  label: field.text('A name of the key, for people.'),
  access,
  user_id: field.nullableText('Speaks for this user only; null: for whom each request names.'),
  agent_id: field.nullableText('Speaks as this agent only; null: for the account.'),
  created_at: field.createdAt,
  expires_at: field.nullableText('When it ends, ISO 8601; null: never.'),
  revoked_at: field.nullableText('When it was revoked, ISO 8601; null: it is alive.'),
  last_used_at: field.nullableText(
    'When it was last used, to the day on files and to the minute in Postgres; null: never.',
  ),
});

const EXAMPLE_KEY: z.input<typeof apiKey> = {
  id: 'k3v9Q2xTb-7A',
  label: 'laptop',
  access: 'write',
  user_id: 'ada',
  agent_id: null,
  created_at: '2026-11-16T09:45:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

export const keyOperations = {
  createKey: defineOperation({
    summary:
      'Make an API key, only for users and agents that the caller speaks for. Its token is shown this once.',
    input: z.strictObject({
      label: field.storedWord('What it is for, so that it is known later.', 200),
      access: access.default('write'),
      user_id: field.storedWord('Speaks for this user only.', 256).exactOptional(),
      agent_id: field.storedWord('Speaks as this agent only.', 256).exactOptional(),
      expires_at: field.timestamp.exactOptional(),
    }),
    output: apiKey.extend({ token: field.text('The key itself. It is shown this once.') }),
    http: { method: 'POST', path: KEYS, status: 201 },
    example: {
      request: { label: 'laptop', access: 'write', user_id: 'ada' },
      answer: { ...EXAMPLE_KEY, token: 'lh_k3v9Q2xTb-7A_shown-once' },
    },
    access: 'admin',
    run: async ({ expires_at, ...input }, { services, speaksAs }) => {
      if (expires_at !== undefined && Number.isNaN(Date.parse(expires_at)))
        throw new ValidationError('INVALID_TIMESTAMP', 'expires_at must be a time in ISO 8601.');
      const expires = expires_at === undefined ? {} : { expires_at: new Date(expires_at).toISOString() };
      const bound = withinReach(input, speaksAs);
      const { key, token } = await services.gate.keys.create({ ...input, ...bound, ...expires });
      return { ...key, token };
    },
  }),
  listKeys: defineOperation({
    summary: 'The API keys of those the caller speaks for, without their tokens.',
    input: z.strictObject({}),
    output: z.object({ keys: field.list(apiKey, 'The keys, oldest first, revoked ones too.') }),
    http: { method: 'GET', path: KEYS },
    example: { request: {}, after: ['createKey'], answer: { keys: [EXAMPLE_KEY] } },
    access: 'admin',
    run: async (_input, { services, binding }) => ({
      keys: (await services.gate.keys.list()).filter((key) => isWithin(key, binding)),
    }),
  }),
  revokeKey: defineOperation({
    summary: 'End an API key.',
    input: z.strictObject({ key_id: field.word('The id of the key.', 64) }),
    output: z.object({ id: field.text('Names it.'), revoked: z.literal(true).describe('The key is dead.') }),
    http: { method: 'DELETE', path: `${KEYS}/{key_id}` },
    example: {
      request: { key_id: 'k3v9Q2xTb-7A' },
      first: [{ operation: 'createKey', request: { label: 'old laptop' }, gives: { key_id: 'id' } }],
      answer: { id: 'k3v9Q2xTb-7A', revoked: true },
    },
    access: 'admin',
    run: async ({ key_id }, { services, binding }) => {
      const { keys } = services.gate;
      const key = (await keys.list()).find(({ id }) => id === key_id);
      if (key === undefined || !isWithin(key, binding) || !(await keys.revoke(key_id)))
        throw new OperationError('KEY_NOT_FOUND', 'There is no such key.');
      return { id: key_id, revoked: true as const };
    },
  }),
  endSessions: defineOperation({
    summary:
      'End the sessions of all browsers and all archive tickets of the account, by replacing the secret that they are signed with. Keys and tokens stay.',
    input: z.strictObject({}),
    output: z.object({ ended: z.literal(true).describe('People at browsers sign in again.') }),
    http: { method: 'POST', path: `${KEYS}/end_sessions` },
    example: { request: {}, answer: { ended: true } },
    access: 'admin',
    isForAllUsers: true,
    run: async (_input, { services }) => {
      await services.gate.accounts.removeSecret();
      return { ended: true as const };
    },
  }),
};

/** A key hands on what it may do itself, and no more: what is left out is its own. */
function withinReach(
  { user_id, agent_id }: { readonly user_id?: string; readonly agent_id?: string },
  speaksAs: KeyBinding,
): KeyBinding {
  const wanted = { user_id: user_id ?? speaksAs.user_id, agent_id: agent_id ?? speaksAs.agent_id };
  if (isWithin(wanted, speaksAs)) return wanted;
  throw new OperationError(
    'FORBIDDEN',
    'A caller that speaks for one user or agent makes no keys for others, for such a key reads their memory. It takes a key that is not bound to a user or agent, or: longhand keys create.',
  );
}
