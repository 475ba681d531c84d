import type { LocalIdentity } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { loggerOf } from './log/logger.ts';
import { serveMcpOverStdio } from './mcp/stdio.ts';
import { OF_ONE_PERSON } from './open-store.ts';
import { callerOf } from './operations/access.ts';
import { openServices } from './services.ts';

/** MCP for one client over standard input and output, for as long as the client stays. */
export async function runMcp(
  config: ServerConfig,
  { session_id, ...principal }: LocalIdentity,
  options: { readonly signal: AbortSignal; readonly onError: (error: Error) => void },
): Promise<void> {
  const { level, format } = config.log;
  // Standard error is the client's log, not the operator's: what goes well is not worth a line there.
  const logger = loggerOf({ level: level === 'debug' || level === 'info' ? 'warn' : level, format });
  const { manager, ...services } = await openServices(config, logger, {
    ...OF_ONE_PERSON,
    accountId: principal.account_id,
  });
  try {
    // An unusable folder should stop the start, not surprise the first call.
    await manager.listSessions(principal.user_id);
    // A client speaks for its user and as its agent, and may do everything for them.
    const caller = callerOf(manager, { access: 'admin', binding: principal, speaksAs: principal }, principal);
    const session = session_id === undefined ? {} : { sessionId: session_id };
    const maxLineBytes = config.limits.bodyKb * 1_024;
    await serveMcpOverStdio({ ...caller, ...session }, { ...options, maxLineBytes });
  } finally {
    await services.close();
  }
}
