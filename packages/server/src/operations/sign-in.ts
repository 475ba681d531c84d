import { z } from 'zod';
import { TICKET_MS } from '../access/gate.ts';
import * as field from './fields.ts';
import { defineOperation, type OperationContext } from './operation.ts';

const me = z.object({
  account_id: field.text('The account.'),
  user_id: field.nullableText('The user; null: the one that each request names.'),
  agent_id: field.nullableText('The agent; null: the one that each request names.'),
  role: field.choice(
    ['member', 'admin'],
    '`admin` sees what all users share, and looks after keys and members.',
  ),
  access: field.choice(['read', 'write', 'admin'], 'What the caller may do.'),
  expires_at: field.nullableText('When the caller has to sign in again, ISO 8601; null: never.'),
  csrf_token: field.nullableText(
    'To be sent as the header `longhand-csrf` with all requests but GET; null: there is no session.',
  ),
});

const LOCAL: z.input<typeof me> = {
  account_id: 'local',
  user_id: 'me',
  agent_id: null,
  role: 'admin',
  access: 'admin',
  expires_at: null,
  csrf_token: null,
};

/** How a browser gets in, and how it hands in what is left when its page goes away. */
export const signInOperations = {
  signIn: defineOperation({
    summary:
      'Exchange an API key or a token in the Authorization header for the session of a browser, in a cookie that scripts cannot read. With a session, renew it.',
    input: z.strictObject({}),
    output: me,
    http: { method: 'POST', path: '/api/sign_in', setsCookie: true },
    example: { request: {}, answer: LOCAL },
    access: 'read',
    run: async (_input, context) => {
      const session = await context.browser?.start();
      return described(context, session);
    },
  }),
  signOut: defineOperation({
    summary: 'End the session of the browser.',
    input: z.strictObject({}),
    output: z.object({ signed_out: z.literal(true).describe('The cookie is taken back.') }),
    http: { method: 'POST', path: '/api/sign_out', setsCookie: true },
    example: { request: {}, answer: { signed_out: true } },
    access: 'read',
    run: async (_input, { browser }) => {
      browser?.end();
      return { signed_out: true as const };
    },
  }),
  whoAmI: defineOperation({
    summary: 'Who the caller is and what they may do.',
    input: z.strictObject({}),
    output: me,
    http: { method: 'GET', path: '/api/me' },
    example: { request: {}, answer: LOCAL },
    access: 'read',
    run: async (_input, context) => described(context, context.browser?.found),
  }),
  makeArchiveTicket: defineOperation({
    summary: `A ticket that adds messages to one session for ${TICKET_MS / 60_000} minutes and does nothing else: a page that is left sends it in the body of archive_messages, where it can send no key.`,
    input: z.strictObject({ session_id: field.sessionId }),
    output: z.object({
      ticket: field.text('Goes into the body as `ticket`, never into an address.'),
      expires_at: field.text('When it ends, ISO 8601.'),
    }),
    http: { method: 'POST', path: '/api/archive_ticket', status: 201 },
    example: {
      request: { session_id: 'demo' },
      answer: { ticket: 'eyJzZXNzaW9uX2lkIjoiZGVtbyJ9.shortened', expires_at: '2026-11-16T10:00:00.000Z' },
    },
    access: 'write',
    run: async ({ session_id }, { services, memory, identity }) => {
      // Another user's session, or a deleted one, is refused now: a page that is being left gets no answer.
      await services.conversations.archive(session_id, [], memory);
      const { user_id, agent_id } = memory.principal;
      const whose = {
        ...(user_id === undefined ? {} : { user_id }),
        ...(agent_id === undefined ? {} : { agent_id }),
      };
      const made = await services.gate.makeTicket({ ...whose, session_id }, identity?.grant ?? null);
      return { ticket: made.ticket, expires_at: new Date(made.expiresAtMs).toISOString() };
    },
  }),
};

function described(
  { memory, access, binding, identity, services }: OperationContext,
  session: { readonly csrfToken: string; readonly expiresAtMs: number } | undefined,
): z.input<typeof me> {
  const { user_id = null, agent_id = null } = memory.principal;
  const endMs = session?.expiresAtMs ?? identity?.expiresAtMs;
  return {
    account_id: services.gate.accountId,
    user_id,
    agent_id,
    role: access === 'admin' && binding.user_id === null ? 'admin' : 'member',
    access,
    expires_at: endMs === undefined ? null : new Date(endMs).toISOString(),
    csrf_token: session?.csrfToken ?? null,
  };
}
