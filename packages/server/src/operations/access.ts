import type { Principal, ScopeOptions, ToolName } from 'longhand';
import { type Access, includesAccess, type KeyBinding } from '../access/api-keys.ts';
import { DEFAULT_AGENT } from '../conversation/participants.ts';
import type { Operation } from './operation.ts';
import { OperationError } from './operation-error.ts';

/**
 * Who may do what, for every skin: HTTP routes, tools over MCP and in conversations. The table of operations says which
 * access each needs; what follows from a key for the memory itself is here.
 */
export interface Rights {
  readonly access: Access;
  readonly binding: KeyBinding;
}

/** @throws OperationError FORBIDDEN */
export function checkAccess(granted: Access, { access }: Pick<Operation, 'access'>): void {
  if (includesAccess(granted, access)) return;
  throw new OperationError('FORBIDDEN', `This key may not do that: it needs the access ${access}.`);
}

/** The operation that each tool is another form of: it needs the same access. */
const OPERATION_OF_TOOL: Readonly<Record<ToolName, string>> = {
  manage_long_term_memory: 'changeNotes',
  save_to_journal: 'addAgentMemory',
  save_to_core: 'addAgentMemory',
  store_memory: 'addMemory',
  retrieve_memory: 'retrieveDetail',
  search_memory: 'search',
  update_memory: 'updateMemory',
  list_memories: 'search',
  forget_memory: 'forget',
};

export function mayCallTool(granted: Access, tool: ToolName, operations: readonly Operation[]): boolean {
  const operation = operations.find(({ name }) => name === OPERATION_OF_TOOL[tool]);
  return operation !== undefined && includesAccess(granted, operation.access);
}

/** Admins look after what agents keep for every user. A key that speaks for one user is a member's, whatever its access. */
export function roleOf({ access, binding }: Rights): NonNullable<Principal['role']> {
  return access === 'admin' && binding.user_id === null ? 'admin' : 'member';
}

/**
 * A caller that may create agents may also name one that is not there yet; others get `default`, and the agent that their key
 * was made for.
 */
export function scopeOptionsOf({ access, binding }: Rights): ScopeOptions {
  const { agent_id } = binding;
  return {
    ...(access === 'read' ? { readOnly: true } : {}),
    ...(access === 'admin'
      ? {}
      : { creatableAgents: [DEFAULT_AGENT, ...(agent_id === null ? [] : [agent_id])] }),
  };
}
