import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { withStore } from './store-place.ts';

/** The command, run from its sources by the Node that runs the tests. */
export const LONGHAND = [
  '--conditions=longhand-source',
  '--disable-warning=ExperimentalWarning',
  join(import.meta.dirname, '../src/longhand.ts'),
] as const;

export const PROTOCOLS = {
  '2025': { mode: 'legacy' },
  '2026-07-28': { mode: { pin: '2026-07-28' } },
} as const;

export type ProtocolName = keyof typeof PROTOCOLS;

/** A real client with a server process of its own. */
export async function connectStdio(
  root: string,
  protocol: ProtocolName,
  options: {
    readonly args?: readonly string[];
    readonly env?: Record<string, string>;
    readonly name?: string;
  } = {},
): Promise<Client> {
  const client = new Client(
    { name: options.name ?? 'test client', version: '1' },
    { versionNegotiation: PROTOCOLS[protocol] },
  );
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...LONGHAND, ...(await withStore(['mcp', '--storage-root', root, ...(options.args ?? [])]))],
      env: { PATH: process.env.PATH ?? '', HOME: root, ...options.env },
      stderr: 'pipe',
    }),
  );
  return client;
}

/** Calls a tool and gives its structured result. */
export async function callTool(
  client: Client,
  name: string,
  args: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown>> {
  const { structuredContent } = await client.callTool({ name, arguments: { ...args } });
  return structuredContent as Record<string, unknown>;
}

export interface PipedRun {
  readonly stdout: readonly string[];
  readonly stderr: string;
  readonly exitCode: number | null;
}

/** Pipes lines into a server and closes its input at once, as a script does. */
export async function pipeLines(
  root: string,
  lines: readonly (string | Uint8Array)[],
  env: Readonly<Record<string, string>> = {},
): Promise<PipedRun> {
  const child = spawn(
    process.execPath,
    [...LONGHAND, ...(await withStore(['mcp', '--storage-root', root]))],
    {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: root, ...env },
    },
  );
  const stdout: string[] = [];
  let stderr = '';
  createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { stdout, stderr, exitCode };
}
