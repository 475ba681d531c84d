import { z } from 'zod';
import type { MemberChange } from '../access/account-store.ts';
import * as field from './fields.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { OperationError } from './operation-error.ts';

const MEMBERS = '/api/members';
const ONE = `${MEMBERS}/{user_id}`;
const userId = field.storedWord('The user: the subject of their tokens.', 256);
const role = field.choice(
  ['member', 'admin'],
  '`member`: their own memory. `admin`: also what all users share, keys and members.',
);
const member = z.object({ user_id: field.text('The user.'), role, created_at: field.createdAt });
const ADA = { user_id: 'ada', role: 'admin', created_at: '2026-11-16T09:45:00.000Z' } as const;

/** Members of the account and their roles, which count for tokens and for the keys of one user. */
export const memberOperations = {
  listMembers: defineOperation({
    summary: 'The members of the account with their roles.',
    input: z.strictObject({}),
    output: z.object({ members: field.list(member, 'By user id.') }),
    http: { method: 'GET', path: MEMBERS },
    example: { request: {}, after: ['addMember'], answer: { members: [ADA] } },
    access: 'admin',
    isForAllUsers: true,
    run: async (_input, { services }) => ({ members: await services.gate.accounts.listMembers() }),
  }),
  addMember: defineOperation({
    summary: 'Add a member, also one who was removed.',
    input: z.strictObject({ user_id: userId, role: role.default('member') }),
    output: member,
    http: { method: 'POST', path: MEMBERS, status: 201 },
    example: { request: { user_id: 'ada', role: 'admin' }, answer: ADA },
    access: 'admin',
    isForAllUsers: true,
    run: async ({ user_id, role }, context) => {
      if ((await find(user_id, context)) !== undefined)
        throw new OperationError('MEMBER_EXISTS', 'This user is a member. PATCH changes the role.');
      return changeRole(user_id, role, context);
    },
  }),
  changeMember: defineOperation({
    summary: 'Give a member another role. It counts at the next request.',
    input: z.strictObject({ user_id: userId, role }),
    output: member,
    http: { method: 'PATCH', path: ONE },
    example: {
      request: { user_id: 'bob', role: 'admin' },
      first: [{ operation: 'addMember', request: { user_id: 'bob' } }],
    },
    access: 'admin',
    isForAllUsers: true,
    run: async ({ user_id, role }, context) => {
      if ((await find(user_id, context)) === undefined) throw notFound();
      return changeRole(user_id, role, context);
    },
  }),
  removeMember: defineOperation({
    summary: 'Remove a member: keys and tokens of this user no longer count. Their memory stays.',
    input: z.strictObject({ user_id: userId }),
    output: z.object({ user_id: field.text('The user.'), removed: field.gone }),
    http: { method: 'DELETE', path: ONE },
    example: {
      request: { user_id: 'eve' },
      first: [{ operation: 'addMember', request: { user_id: 'eve' } }],
    },
    access: 'admin',
    isForAllUsers: true,
    run: async ({ user_id }, { services }) => {
      refuse(await services.gate.accounts.removeMember(user_id, new Date().toISOString()));
      return { user_id, removed: true as const };
    },
  }),
};

async function find(userId: string, { services }: OperationContext) {
  return (await services.gate.accounts.listMembers()).find(({ user_id }) => user_id === userId);
}

async function changeRole(userId: string, role: 'member' | 'admin', context: OperationContext) {
  const { accounts } = context.services.gate;
  refuse(await accounts.setMember(userId, role, new Date().toISOString()));
  const changed = await find(userId, context);
  if (changed === undefined) throw notFound();
  return changed;
}

function refuse(change: MemberChange): void {
  if (change === 'missing') throw notFound();
  if (change === 'last_admin')
    throw new OperationError(
      'LAST_ADMIN',
      'This is the last admin of the account. Make another member admin first.',
    );
}

function notFound(): OperationError {
  return new OperationError('MEMBER_NOT_FOUND', 'There is no such member.');
}
