import type { LocalIdentity } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { openConversations } from './conversation/open-conversations.ts';
import { levelOf, logEvent } from './log/log-events.ts';
import { type Level, loggerOf } from './log/logger.ts';
import { serveMcpOverStdio } from './mcp/stdio.ts';
import { OF_ONE_PERSON, openManager, refuseFileAsRoot } from './open-store.ts';

const QUIET_LEVELS: readonly Level[] = ['debug', 'info'];

/** MCP for one client over standard input and output, for as long as the client stays. */
export async function runMcp(
  config: ServerConfig,
  { session_id, ...principal }: LocalIdentity,
  options: { readonly signal: AbortSignal; readonly onError: (error: Error) => void },
): Promise<void> {
  refuseFileAsRoot(config);
  // Nobody chats here, but who forgets must not overlook what waits to be archived, here or in a server beside it.
  const conversations = openConversations(config);
  await using manager = await openManager(config, { ...OF_ONE_PERSON, ...conversations.rooms });
  // Standard error is the client's log, not the operator's: what goes well is not worth a line there.
  const logger = loggerOf(config.log);
  manager.subscribe((event) => {
    if (QUIET_LEVELS.includes(levelOf(event))) return;
    logEvent(logger, event);
  });
  try {
    await conversations.start(manager);
    // An unusable folder should stop the start, not surprise the first call.
    await manager.listSessions(principal.user_id);
    const session = session_id === undefined ? {} : { sessionId: session_id };
    const maxLineBytes = config.limits.bodyKb * 1_024;
    await serveMcpOverStdio({ memory: manager.as(principal), ...session }, { ...options, maxLineBytes });
  } finally {
    await conversations.close({ graceMs: config.limits.shutdownSeconds * 1_000 });
  }
}
