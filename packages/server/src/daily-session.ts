import { hash, randomBytes } from 'node:crypto';
import { LonghandError, type Principal, type ScopedMemory, type Session } from 'longhand';
import { hasCode } from './has-code.ts';

/**
 * A caller that names no session gets one for each client and day: short enough to stay small, long enough that one
 * day's work lies together. Every process makes the same id, so several clients of one kind share a session.
 */

const LOCAL = { account_id: 'local', user_id: 'me' };
const CLIENT_CHARACTERS = 24;
const USER_HASH_CHARACTERS = 12;

/** `cli-2026-11-16`, `mcp-cursor-2026-11-16`. Ids are unique in the store, so those of other users hold a hash of the user. */
export function dailySessionId(client: string, principal: Principal, nowMs: number): string {
  const day = new Date(nowMs).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const { account_id, user_id } = principal;
  const isLocal = account_id === LOCAL.account_id && user_id === LOCAL.user_id;
  const owner = isLocal
    ? ''
    : `-${hash('sha256', JSON.stringify([account_id, user_id])).slice(0, USER_HASH_CHARACTERS)}`;
  return `${plainName(client)}-${day}${owner}`;
}

/**
 * The session with this id, made when it is not there.
 * @param createdAt when it began, if it has to be made; now when left out
 * @throws NotFoundError SESSION_NOT_FOUND when it is another user's
 */
export async function ensureSession(
  memory: ScopedMemory,
  sessionId: string,
  createdAt?: string,
): Promise<Session> {
  try {
    return await memory.loadSession(sessionId);
  } catch (error) {
    if (!hasCode(error, 'SESSION_NOT_FOUND')) throw error;
  }
  const { agent_id } = memory.principal;
  try {
    return await memory.createSession({
      session_id: sessionId,
      ...(agent_id === undefined ? {} : { agents: [agent_id] }),
      ...(createdAt === undefined ? {} : { created_at: createdAt }),
    });
  } catch (error) {
    // Another process was faster, or it is another user's: loading it tells which.
    if (!hasCode(error, 'SESSION_EXISTS')) throw error;
    return memory.loadSession(sessionId);
  }
}

/**
 * As `ensureSession`, for a caller that needs a session for new entries. A session whose log is lost or cannot be read
 * rolls over to a new one (an event reports it). When the id is another user's, one with a random ending is used.
 * @param isNamed the caller named the session: another user's is then not found
 */
export async function ensurePlace(
  memory: ScopedMemory,
  sessionId: string,
  isNamed = false,
): Promise<Session> {
  try {
    return await ensureSession(memory, sessionId);
  } catch (error) {
    const [unreadable] = LonghandError.isInstance(error) ? await memory.unreadableSessions(sessionId) : [];
    if (unreadable !== undefined) {
      const { agent_id } = memory.principal;
      return memory.continueUnreadable(sessionId, agent_id === undefined ? {} : { agents: [agent_id] });
    }
    if (isNamed || !hasCode(error, 'SESSION_NOT_FOUND')) throw error;
    return (await placeBeside(memory, sessionId)) ?? ensureSession(memory, `${sessionId}-${randomEnding()}`);
  }
}

/** The caller's own session that stands for one whose id is another user's; `undefined` when there is none yet. */
export async function placeBeside(memory: ScopedMemory, sessionId: string): Promise<Session | undefined> {
  const isBeside = ({ id }: Session): boolean =>
    id.startsWith(`${sessionId}-`) && ENDING.test(id.slice(sessionId.length));
  return (await memory.listSessions()).find(isBeside);
}

const ENDING_BYTES = 5;
const ENDING = /^-[0-9a-f]{10}$/;

function randomEnding(): string {
  return randomBytes(ENDING_BYTES).toString('hex');
}

/** Clients name themselves as they like; a session id holds letters, digits, `-` and `_`. */
function plainName(client: string): string {
  const plain = client
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, CLIENT_CHARACTERS)
    .replaceAll(/^-+|-+$/g, '');
  return plain === '' ? 'client' : plain;
}
