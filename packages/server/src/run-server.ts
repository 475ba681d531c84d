import { LOCAL_DEFAULTS } from './config/local-principal.ts';
import type { ServerConfig } from './config/server-config.ts';
import { consoleFiles } from './http/console-files.ts';
import { type RunningServer, serve } from './http/serve.ts';
import { createMcpFetchHandler } from './mcp/fetch-handler.ts';
import { openServices, type Services } from './services.ts';
import { warmUp } from './warm-up.ts';

export interface ServerOfStore extends RunningServer {
  /** `undefined` when the store is a folder. */
  readonly database: Services['database'];
}

/** The whole server: HTTP with MCP under `/mcp`, over one store. It listens when everything is loaded. */
export async function runServer(config: ServerConfig): Promise<ServerOfStore> {
  const services = await openServices(config, undefined, { schema: 'upgrade' });
  const mcp = createMcpFetchHandler(services, (error) =>
    services.logger.log('warn', 'MCP request refused', {
      component: 'McpServer',
      metadata: { reason: error.name },
    }),
  );
  try {
    // An unusable folder or an invalid setting of the store stops the start; the first caller must not find it.
    await services.manager.changedSessions(LOCAL_DEFAULTS.user_id);
    await warmUp(config);
    const fallback = consoleFiles();
    const server = await serve(services, { mcp: (...asked) => mcp.fetch(...asked), fallback });
    return {
      ...server,
      database: services.database,
      close: async () => {
        await mcp.close();
        await server.close();
      },
    };
  } catch (error) {
    await services.close();
    throw error;
  }
}
