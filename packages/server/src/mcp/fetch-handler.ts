import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ScopedMemory } from 'longhand';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import type { Services } from '../services.ts';
import { createMcpServer } from './mcp-server.ts';

export interface McpFetchHandler {
  /**
   * MCP over streamable HTTP: one request in, one answer or stream out, nothing kept in between. The caller is known
   * by now, and may write; one that names no agent works as `default`.
   */
  fetch(request: Request, memory: ScopedMemory): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const CALLER = 'longhand-caller';

/** Must be mounted behind checks of Host, Origin and API key: it has none of its own. */
export function createMcpFetchHandler(
  { manager, config }: Pick<Services, 'manager' | 'config'>,
  onError?: (error: Error) => void,
): McpFetchHandler {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const memory = authInfo?.extra?.[CALLER];
      if (!isScopedMemory(memory)) throw new Error('An MCP request came without its caller.');
      return createMcpServer({ memory });
    },
    {
      maxRequestBodySize: config.limits.bodyKb * 1_024,
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  return {
    fetch: (request, { principal }) => {
      const memory = manager.as({ agent_id: LOCAL_DEFAULTS.agent_id, ...principal });
      // What the SDK hands on to the server of a request is this. Tokens have been looked at before.
      const authInfo = { token: '', clientId: '', scopes: [], extra: { [CALLER]: memory } };
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

function isScopedMemory(value: unknown): value is ScopedMemory {
  return typeof value === 'object' && value !== null && 'principal' in value;
}
