import { type Agent, type ScopedMemory, type Session, ValidationError } from 'longhand';
import { hasCode } from '../has-code.ts';
import type { ChatRequest } from './chat.ts';

/** The agent of a server that has no other. */
export const DEFAULT_AGENT = 'default';

/** Who takes part in a turn. */
interface Participants {
  /** Made when it was missing. */
  readonly session: Session;
  /** Those that answer, in their order. */
  readonly agents: readonly Agent[];
}

/**
 * @throws ValidationError SCOPE_MISSING without a user, before an agent is made
 * @throws NotFoundError SESSION_NOT_FOUND, AGENT_NOT_FOUND for what the principal does not reach
 */
export async function findParticipants(
  request: Pick<ChatRequest, 'session_id' | 'agent_id'>,
  memory: ScopedMemory,
): Promise<Participants> {
  if (memory.principal.user_id === undefined) {
    throw new ValidationError(
      'SCOPE_MISSING',
      'This needs a user, and the caller names none. Over HTTP the header longhand-user does, or a key made with --for-user.',
    );
  }
  const found = request.session_id === undefined ? undefined : await findSession(request.session_id, memory);
  const named = request.agent_id ?? memory.principal.agent_id;
  const agents = named === undefined ? await agentsOf(found, memory) : [await ensureAgent(named, memory)];
  const active = agents.filter(({ active }) => active);
  if (active.length === 0) {
    throw new ValidationError('INVALID_OPTION', 'The agent is not active: it does not answer.');
  }
  const session = found ?? (await createSession(request.session_id, active, memory));
  return { session: await join(session, active, memory), agents: active };
}

/** Those of the session that are still there. One that was deleted or forgotten takes no conversation with it. */
async function agentsOf(session: Session | undefined, memory: ScopedMemory): Promise<readonly Agent[]> {
  const ids = session === undefined || session.agents.length === 0 ? [DEFAULT_AGENT] : session.agents;
  const agents: Agent[] = [];
  let missing: unknown;
  for (const id of ids) {
    try {
      agents.push(await (id === DEFAULT_AGENT ? ensureAgent(id, memory) : (await memory.agent(id)).get()));
    } catch (error) {
      if (!hasCode(error, 'AGENT_NOT_FOUND')) throw error;
      missing = error;
    }
  }
  if (agents.length === 0) throw missing;
  return agents;
}

async function findSession(sessionId: string, memory: ScopedMemory): Promise<Session | undefined> {
  try {
    return await memory.loadSession(sessionId);
  } catch (error) {
    if (hasCode(error, 'SESSION_NOT_FOUND')) return undefined;
    throw error;
  }
}

async function createSession(
  sessionId: string | undefined,
  agents: readonly Agent[],
  memory: ScopedMemory,
): Promise<Session> {
  const settings = { agents: agents.map(({ id }) => id) };
  if (sessionId === undefined) return memory.createSession(settings);
  try {
    return await memory.createSession({ ...settings, session_id: sessionId });
  } catch (error) {
    if (!hasCode(error, 'SESSION_EXISTS')) throw error;
    // Made by another request in the meantime, or another user's: then it is not found.
    return memory.loadSession(sessionId);
  }
}

/** An agent that is new to a session makes it a group. */
async function join(session: Session, agents: readonly Agent[], memory: ScopedMemory): Promise<Session> {
  const missing = agents.map(({ id }) => id).filter((id) => !session.agents.includes(id));
  if (missing.length === 0) return session;
  return memory.updateSession(session.id, { agents: [...session.agents, ...missing] });
}

/** Made where it is missing and the principal may make it. @throws NotFoundError AGENT_NOT_FOUND */
async function ensureAgent(agentId: string, memory: ScopedMemory): Promise<Agent> {
  return (await memory.agent(agentId)).ensure();
}
