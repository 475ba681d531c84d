import { type Agent, type MemoryManager, type Principal, type ScopedMemory, WHITEBOARD } from 'longhand';
import { type Access, includesAccess, type KeyBinding, UNBOUND } from '../access/api-key.ts';
import { DEFAULT_AGENT } from '../conversation/participants.ts';
import { OperationError } from './operation-error.ts';

/**
 * Who may do what, for every skin. An operation says which access it needs and checks it whenever it runs, a tool over
 * MCP included; what follows from a key for the memory itself is here too. A skin only finds out who calls.
 */
export interface Rights {
  readonly access: Access;
  /** What the caller looks after: what concerns more than that is not for them. */
  readonly binding: KeyBinding;
  /** Whose memory the caller reads: an admin member looks after the account, and reads their own. */
  readonly speaksAs: KeyBinding;
}

export interface Caller extends Rights {
  /** The memory as the caller may see it. Operations use nothing else of the store. */
  readonly memory: ScopedMemory;
}

/** On their own machine a person needs no key and may do everything. */
export const LOCAL_RIGHTS: Rights = { access: 'admin', binding: UNBOUND, speaksAs: UNBOUND };

/** A caller with these rights who speaks as this principal. @param timeZone where the caller's days begin and end */
export function callerOf(
  manager: MemoryManager,
  { access, binding, speaksAs }: Rights,
  principal: Principal,
  timeZone?: string,
): Caller {
  const { agent_id } = binding;
  // Admins look after what agents keep for every user. A key that speaks for one user is a member's, whatever its access.
  const role = access === 'admin' && binding.user_id === null ? 'admin' : 'member';
  const memory = manager.as(
    { ...principal, role },
    {
      ...(access === 'read' ? { readOnly: true } : {}),
      // A caller that may create agents may also name one that is not there yet. Others get `default`, the
      // whiteboard, and the agent that their key was made for.
      ...(access === 'admin'
        ? {}
        : { creatableAgents: [DEFAULT_AGENT, WHITEBOARD, ...(agent_id === null ? [] : [agent_id])] }),
      ...(timeZone === undefined ? {} : { timeZone }),
    },
  );
  return { memory, access, binding, speaksAs };
}

/** What an operation or a route asks of its caller. */
export interface Needed {
  readonly access: Access;
  /** It concerns every user: it would tell one about the others, or take from them. Not for a key that speaks for one. */
  readonly isForAllUsers?: true;
  /** It also reads what users have said. Not for an admin member, who reads their own memory. */
  readonly readsAllUsers?: true;
}

/** The agent of a prompt, made where it is missing; a reader makes none, and there is nothing of it to show then. */
export async function agentOfPrompt(caller: Caller, agentId: string): Promise<Agent | undefined> {
  const agent = await caller.memory.agent(agentId);
  return mayRun(caller, { access: 'write' }) ? agent.ensure() : agent.find();
}

/** The agents that a caller reaches: one that speaks as an agent knows of itself, any other looks after all. */
export async function agentIdsOf(memory: ScopedMemory): Promise<readonly string[]> {
  const { agent_id } = memory.principal;
  return agent_id === undefined ? (await (await memory.agents()).list()).map(({ id }) => id) : [agent_id];
}

export function mayRun(caller: Rights, needed: Needed): boolean {
  return refusalOf(caller, needed) === undefined;
}

/** @throws OperationError FORBIDDEN */
export function checkAccess(caller: Rights, needed: Needed): void {
  const refusal = refusalOf(caller, needed);
  if (refusal !== undefined) throw new OperationError('FORBIDDEN', refusal);
}

function refusalOf({ access, binding, speaksAs }: Rights, needed: Needed): string | undefined {
  if (!includesAccess(access, needed.access))
    return `This key may not do that: it needs the access ${needed.access}.`;
  if (needed.isForAllUsers && binding.user_id !== null)
    return 'This concerns every user: it needs a key that speaks for all.';
  if (needed.readsAllUsers && speaksAs.user_id !== null)
    return 'This reads what every user has said: it needs a key that is bound to no user. Admins of the account read their own memory.';
  return undefined;
}
