import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { main } from '../src/cli/main.ts';
import { LONGHAND } from './mcp-clients.ts';
import { withStore } from './store-place.ts';

export interface CliRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command line, run in this process. */
export async function runCli(...args: readonly string[]): Promise<CliRun> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const read = Promise.all([text(stdout), text(stderr)]);
  const exitCode = await main(await withStore(args), { streams: { stdout, stderr } });
  stdout.end();
  stderr.end();
  const [out, err] = await read;
  return { exitCode, stdout: out, stderr: err };
}

/** The same with `--json`, parsed. Fails when the command did. */
export async function runJson<Value>(...args: readonly string[]): Promise<Value> {
  const { exitCode, stdout, stderr } = await runCli(...args, '--json');
  if (exitCode !== 0) throw new Error(`longhand ${args.join(' ')} ended with ${exitCode}: ${stderr}`);
  return JSON.parse(stdout) as Value;
}

/** A command line in a process of its own, with something on its standard input. */
export async function spawnCli(
  args: readonly string[],
  options: { readonly input?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CliRun> {
  const child = spawn(process.execPath, [...LONGHAND, ...(await withStore(args))], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...options.env },
  });
  child.stdin.end(options.input ?? '');
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { exitCode, stdout, stderr };
}
