import { Console } from 'node:console';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { McpCaller } from './caller.ts';
import { DrainingTransport } from './draining-transport.ts';
import { createMcpServer } from './mcp-server.ts';

/**
 * Serves one client over standard input and output until it closes its end or the signal says so. Standard output
 * carries the protocol and nothing else: whatever prints goes to standard error.
 */
export async function serveMcpOverStdio(
  caller: McpCaller,
  options: {
    /** The longest message. */
    readonly maxLineBytes: number;
    readonly signal: AbortSignal;
    readonly onError: (error: Error) => void;
  },
): Promise<void> {
  const { maxLineBytes, signal, onError } = options;
  globalThis.console = new Console({ stdout: process.stderr, stderr: process.stderr });
  const transport = new DrainingTransport(process.stdin, process.stdout, maxLineBytes);
  await new Promise<void>((resolve) => {
    const handle = serveStdio(() => createMcpServer(caller), { transport, onerror: onError });
    const { onclose } = transport;
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
    const stop = (): void => void handle.close().then(resolve, resolve);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
