import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ScopedMemory } from 'longhand';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import type { Services } from '../services.ts';
import { createMcpServer } from './mcp-server.ts';

export interface McpFetchHandler {
  /**
   * MCP over streamable HTTP: one request in, one answer or stream out, nothing kept in between. The caller is known
   * by now; one that names no agent works as `default`, and one that may not write has the tools that only read.
   */
  fetch(request: Request, memory: ScopedMemory, access: { readonly mayWrite: boolean }): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const CALLER = 'longhand-caller';
const MAY_WRITE = 'longhand-may-write';

/** Must be mounted behind checks of Host, Origin and API key: it has none of its own. */
export function createMcpFetchHandler(
  { manager, config }: Pick<Services, 'manager' | 'config'>,
  onError?: (error: Error) => void,
): McpFetchHandler {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const memory = authInfo?.extra?.[CALLER];
      if (!isScopedMemory(memory)) throw new Error('An MCP request came without its caller.');
      return createMcpServer({ memory, mayWrite: authInfo?.extra?.[MAY_WRITE] === true });
    },
    {
      maxRequestBodySize: config.limits.bodyKb * 1_024,
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  return {
    fetch: (request, { principal, timeZone }, { mayWrite }) => {
      const memory = manager.as({ agent_id: LOCAL_DEFAULTS.agent_id, ...principal }).inTimeZone(timeZone);
      // What the SDK hands on to the server of a request is this. Tokens have been looked at before.
      const authInfo = {
        token: '',
        clientId: '',
        scopes: [],
        extra: { [CALLER]: memory, [MAY_WRITE]: mayWrite },
      };
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

function isScopedMemory(value: unknown): value is ScopedMemory {
  return typeof value === 'object' && value !== null && 'principal' in value;
}
