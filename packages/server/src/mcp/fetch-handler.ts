import { createMcpHandler } from '@modelcontextprotocol/server';
import type { ScopedMemory } from 'longhand';
import { type Access, includesAccess } from '../access/api-keys.ts';
import { LOCAL_DEFAULTS } from '../config/local-principal.ts';
import { mayCallTool } from '../operations/access.ts';
import { OPERATIONS } from '../operations/index.ts';
import type { Services } from '../services.ts';
import { createMcpServer } from './mcp-server.ts';

export interface McpFetchHandler {
  /**
   * MCP over streamable HTTP: one request in, one answer or stream out, nothing kept in between. The caller is known
   * by now; one that names no agent works as `default`, and each has the tools that its access allows.
   */
  fetch(request: Request, memory: ScopedMemory, access: Access): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

const CALLER = 'longhand-caller';
const ACCESS = 'longhand-access';

/** Must be mounted behind checks of Host, Origin and API key: it has none of its own. */
export function createMcpFetchHandler(
  { config }: Pick<Services, 'config'>,
  onError?: (error: Error) => void,
): McpFetchHandler {
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const memory = authInfo?.extra?.[CALLER];
      if (!isScopedMemory(memory)) throw new Error('An MCP request came without its caller.');
      const access = authInfo?.extra?.[ACCESS] as Access;
      return createMcpServer({
        memory,
        mayWrite: includesAccess(access, 'write'),
        mayCall: (tool) => mayCallTool(access, tool, OPERATIONS),
      });
    },
    {
      maxRequestBodySize: config.limits.bodyKb * 1_024,
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  return {
    fetch: (request, asked, access) => {
      const memory = asked.asAgent(LOCAL_DEFAULTS.agent_id);
      // What the SDK hands on to the server of a request is this. Tokens have been looked at before.
      const authInfo = {
        token: '',
        clientId: '',
        scopes: [],
        extra: { [CALLER]: memory, [ACCESS]: access },
      };
      return handler.fetch(request, { authInfo });
    },
    close: () => handler.close(),
  };
}

function isScopedMemory(value: unknown): value is ScopedMemory {
  return typeof value === 'object' && value !== null && 'principal' in value;
}
