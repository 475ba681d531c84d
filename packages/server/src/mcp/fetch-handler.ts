import { createMcpHandler } from '@modelcontextprotocol/server';
import type { MemoryManager, Principal } from 'longhand';
import type { McpCaller } from './caller.ts';
import { createMcpServer } from './mcp-server.ts';

export interface McpFetchOptions {
  /** Whose memory. The caller has checked who asks. */
  readonly principal: Principal;
  /** Default true. */
  readonly mayWrite?: boolean;
  readonly sessionId?: string;
}

export interface McpFetchHandler {
  /** MCP over streamable HTTP: one request in, one answer or stream out, nothing kept in between. */
  fetch(request: Request, options: McpFetchOptions): Promise<Response>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

/** Must be mounted behind checks of Host, Origin and API key: it has none of its own. */
export function createMcpFetchHandler(
  { manager }: { readonly manager: MemoryManager },
  onError?: (error: Error) => void,
): McpFetchHandler {
  // What the SDK hands from `fetch` to the factory is the request itself.
  const callers = new WeakMap<Request, McpCaller>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) throw new Error('An MCP request came without its caller.');
      return createMcpServer(caller);
    },
    onError === undefined ? {} : { onerror: onError },
  );
  return {
    fetch: (request, { principal, ...rest }) => {
      callers.set(request, { memory: manager.as(principal), ...rest });
      return handler.fetch(request);
    },
    close: () => handler.close(),
  };
}
