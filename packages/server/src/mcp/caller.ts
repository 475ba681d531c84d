import { CLIENT_INFO_META_KEY, type McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { dailySessionId, ensurePlace, placeBeside } from '../daily-session.ts';
import { type Caller, mayRun } from '../operations/access.ts';

/** Who speaks MCP to us, and what of the memory they may see. */
export interface McpCaller extends Caller {
  /** Where new memories go; a session for each client and day when left out. */
  readonly sessionId?: string;
}

/**
 * The client's name for itself. The 2026 protocol sends it with every request, the 2025 protocol once per
 * connection, and a single HTTP request of the 2025 protocol not at all.
 */
export function clientName(server: McpServer, context: ServerContext): string {
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {};
  const parsed = CLIENT_INFO.safeParse(envelope[CLIENT_INFO_META_KEY] ?? server.server.getClientVersion());
  return parsed.success ? parsed.data.name : 'http';
}

const CLIENT_INFO = z.object({ name: z.string().min(1) });

/** The session that a call works in, made when it is not there. */
export async function sessionOf(caller: McpCaller, client: string): Promise<string> {
  const { memory, sessionId } = caller;
  const id = sessionId ?? dailySessionId(`mcp-${client}`, memory.principal, Date.now());
  return (await ensurePlace(memory, id, sessionId !== undefined)).id;
}

/** The session to read from: that of the client and day, or else the last one. A caller that may not write makes none. */
export async function sessionToRead(caller: McpCaller, client: string): Promise<string | undefined> {
  if (mayRun(caller, { access: 'write' })) return sessionOf(caller, client);
  const { memory, sessionId } = caller;
  const wanted = sessionId ?? dailySessionId(`mcp-${client}`, memory.principal, Date.now());
  const ids = (await memory.listSessions()).map(({ id }) => id);
  return ids.includes(wanted) ? wanted : ((await placeBeside(memory, wanted))?.id ?? ids.at(-1));
}
