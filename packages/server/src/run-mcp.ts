import type { LocalIdentity } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { serveMcpOverStdio } from './mcp/stdio.ts';
import { openManager } from './open-store.ts';

/** MCP for one client over standard input and output, for as long as the client stays. */
export async function runMcp(
  config: ServerConfig,
  { session_id, ...principal }: LocalIdentity,
  options: { readonly signal: AbortSignal; readonly onError: (error: Error) => void },
): Promise<void> {
  await using manager = openManager(config);
  // An unusable folder should stop the start, not surprise the first call.
  await manager.listSessions(principal.user_id);
  const session = session_id === undefined ? {} : { sessionId: session_id };
  await serveMcpOverStdio({ memory: manager.as(principal), ...session }, options);
}
