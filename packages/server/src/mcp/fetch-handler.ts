import { createMcpHandler } from '@modelcontextprotocol/server';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import type { Caller } from '../operations/access.ts';
import type { Services } from '../services.ts';
import { createMcpServer } from './mcp-server.ts';

export interface McpFetchHandler {
  /**
   * MCP over streamable HTTP: one request in, one answer or stream out, nothing kept in between. A caller that names no
   * agent works as `default`.
   */
  fetch(request: Request, caller: Caller): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const CALLER = 'longhand-caller';

/** Must be mounted behind checks of Host, Origin and API key: it has none of its own. */
export function createMcpFetchHandler(
  { config }: Pick<Services, 'config'>,
  onerror?: (error: Error) => void,
): McpFetchHandler {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo?.extra?.[CALLER];
      if (caller === undefined) throw new Error('An MCP request came without its caller.');
      return createMcpServer(caller as Caller);
    },
    { maxRequestBodySize: config.limits.bodyKb * 1_024, ...(onerror && { onerror }) },
  );
  return {
    fetch: (request, { memory, access, binding, speaksAs }) => {
      const caller: Caller = { memory: memory.asAgent(LOCAL_DEFAULTS.agent_id), access, binding, speaksAs };
      // What the SDK hands on to the server of a request is this. Tokens have been looked at before.
      const authInfo = { token: '', clientId: '', scopes: [], extra: { [CALLER]: caller } };
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}
