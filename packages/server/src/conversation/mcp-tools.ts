import type { Client } from '@modelcontextprotocol/client';
import type { McpServerSettings } from '../config/mcp-servers.ts';
import { VERSION } from '../version.ts';
import { codeOf } from './conversation-event.ts';
import type { ExtraTool } from './model-tools.ts';

/**
 * The tools of other MCP servers, for the agents of this one. A server is started or called with the first turn that
 * needs it, and again when its connection is lost. One that cannot be reached costs its tools and no answer.
 *
 * A tool is called `<server>_<tool>`: two servers may have tools of one name, and no server can pass its tool off as
 * one of the memory's.
 */
interface McpToolsOptions {
  /** For one connection, and for one call of a tool. */
  readonly timeoutMs: number;
  readonly onFailed?: (server: string, code: string) => void;
}

interface Connection {
  readonly client: Client;
  readonly tools: readonly ExtraTool[];
}

const RETRY_AFTER_MS = 30_000;
const TOOL_NAME_CHARACTERS = 64;

export class McpTools {
  readonly #servers: Readonly<Record<string, McpServerSettings>>;
  readonly #options: McpToolsOptions;
  readonly #connections = new Map<string, Promise<Connection | undefined>>();
  /** The names of their tools, as each server told them last. */
  readonly #told = new Map<string, ReadonlySet<string>>();
  #isClosed = false;

  constructor(servers: Readonly<Record<string, McpServerSettings>>, options: McpToolsOptions) {
    this.#servers = servers;
    this.#options = options;
  }

  /** Those that an agent may use, always in the same order. */
  async for(agentId: string): Promise<readonly ExtraTool[]> {
    const names = Object.keys(this.#servers)
      .filter((name) => this.#servers[name]!.agents?.includes(agentId) ?? true)
      .sort();
    const connections = await Promise.all(names.map((name) => this.#connection(name)));
    const byName = new Map<string, ExtraTool>();
    for (const tool of connections.flatMap((connection) => connection?.tools ?? []))
      if (!byName.has(tool.name)) byName.set(tool.name, tool);
    return [...byName.values()];
  }

  /** Whether a name is that of a tool of one of the servers; of one that was not reached yet, any with its prefix is. */
  mayOffer(name: string): boolean {
    return Object.keys(this.#servers).some(
      (server) => name.startsWith(toolName(server, '')) && (this.#told.get(server)?.has(name) ?? true),
    );
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connections = await Promise.all(this.#connections.values());
    await Promise.allSettled(connections.map((connection) => connection?.client.close()));
  }

  #connection(name: string): Promise<Connection | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    const known = this.#connections.get(name);
    if (known !== undefined) return known;
    const connecting = this.#connect(name).catch((error: unknown) => {
      this.#options.onFailed?.(name, codeOf(error));
      // Not at every turn: a server that is down would delay each of them.
      setTimeout(() => this.#connections.delete(name), RETRY_AFTER_MS).unref();
      return undefined;
    });
    this.#connections.set(name, connecting);
    return connecting;
  }

  async #connect(name: string): Promise<Connection> {
    const { Client } = await import('@modelcontextprotocol/client');
    const client = new Client({ name: 'longhand', version: VERSION });
    const timeout = this.#options.timeoutMs;
    try {
      await client.connect(await transportTo(this.#servers[name]!), { timeout });
      const { jsonSchema } = await import('ai');
      const tools: ExtraTool[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listTools(cursor === undefined ? {} : { cursor }, { timeout });
        for (const { name: called, description = '', inputSchema } of page.tools) {
          tools.push({
            name: toolName(name, called),
            description,
            input: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]),
            command: commandOf,
            run: async (input, { signal }) => {
              const request = { name: called, arguments: input as Record<string, unknown> };
              return textOf(await client.callTool(request, { timeout, ...(signal ? { signal } : {}) }));
            },
          });
        }
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      client.onclose = () => void this.#connections.delete(name);
      this.#told.set(name, new Set(tools.map((tool) => tool.name)));
      return { client, tools: tools.sort((left, right) => (left.name < right.name ? -1 : 1)) };
    } catch (error) {
      await client.close().catch(() => undefined);
      throw error;
    }
  }
}

function toolName(server: string, tool: string): string {
  return `${server}_${tool}`.replaceAll(/[^\w-]/g, '_').slice(0, TOOL_NAME_CHARACTERS);
}

async function transportTo(server: McpServerSettings) {
  if (server.url !== undefined) {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(server.url), {
      requestInit: { headers: { ...server.headers } },
    });
  }
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const { command, args = [], env, cwd } = server;
  return new StdioClientTransport({
    command,
    args: [...args],
    // What it says of itself is for the operator; standard error holds the log of this server.
    stderr: 'ignore',
    ...(env === undefined ? {} : { env: { ...env } }),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

/** By what a command is usually called with. */
function commandOf(input: unknown): string | undefined {
  const { command } = (input ?? {}) as { readonly command?: unknown };
  return typeof command === 'string' && command !== '' ? command : undefined;
}

type Called = Awaited<ReturnType<Client['callTool']>>;

/** What a model can read of a result. @throws Error with the text of a result that is an error */
function textOf({ content = [], structuredContent, isError }: Called): string {
  const parts = content.map((part) => {
    if (part.type === 'text') return part.text;
    if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
    return `[${part.type}${'mimeType' in part ? `, ${part.mimeType}` : ''}]`;
  });
  const text = parts.length > 0 ? parts.join('\n') : JSON.stringify(structuredContent ?? {});
  if (isError === true) throw new Error(text);
  return text;
}
