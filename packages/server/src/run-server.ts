import { LOCAL_DEFAULTS } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { type RunningServer, serve } from './http/serve.ts';
import type { McpFetchHandler } from './mcp/fetch-handler.ts';
import { openServices } from './services.ts';

/**
 * The whole server: HTTP with MCP under `/mcp`, over one store. What speaks MCP is loaded with the first request that
 * does.
 */
export async function runServer(config: ServerConfig): Promise<RunningServer> {
  const services = await openServices(config);
  let loading: Promise<McpFetchHandler> | undefined;
  const load = (): Promise<McpFetchHandler> => {
    loading ??= import('./mcp/fetch-handler.ts').then(({ createMcpFetchHandler }) => {
      return createMcpFetchHandler(services, (error) =>
        services.logger.log('warn', 'MCP request refused', {
          component: 'McpServer',
          metadata: { reason: error.name },
        }),
      );
    });
    return loading;
  };
  try {
    // A folder or a setting of the store that cannot be should stop the start, not surprise the first caller.
    await services.manager.changedSessions(LOCAL_DEFAULTS.user_id);
    const server = await serve(services, {
      mcp: async (request, memory, access) => (await load()).fetch(request, memory, access),
    });
    return {
      ...server,
      close: async () => {
        await (await loading)?.close();
        await server.close();
      },
    };
  } catch (error) {
    await services.close();
    throw error;
  }
}
