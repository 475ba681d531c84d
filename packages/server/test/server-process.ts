import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { endWithTests } from '../../longhand/test/campaign.ts';
import { storeFlags } from './store-place.ts';

export interface ServerProcess {
  readonly child: ChildProcess;
  readonly url: string;
}

/** A real server in a process of its own, once it listens. */
export async function startServerProcess(
  root: string,
  flags: Readonly<Record<string, unknown>> = {},
  nodeOptions: readonly string[] = [],
): Promise<ServerProcess> {
  const script = join(import.meta.dirname, 'processes/serve.ts');
  const child = endWithTests(
    spawn(
      process.execPath,
      [
        ...nodeOptions,
        '--conditions=longhand-source',
        script,
        root,
        JSON.stringify({ ...('database-url' in flags ? {} : await storeFlags(root)), ...flags }),
      ],
      { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] },
    ),
  );
  for await (const url of createInterface({ input: child.stdout! })) return { child, url };
  throw new Error('The server has ended before it listened.');
}

/** The exit code; `null` when the signal ended it. */
export async function endProcess(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  child.kill(signal);
  return ended;
}

/** Bytes that are in use after a collection, of a process that was started with `--expose-gc`. */
export function bytesInUse(child: ChildProcess): Promise<number> {
  const told = new Promise<number>((resolve) => child.once('message', (bytes) => resolve(bytes as number)));
  child.send('collect');
  return told;
}

/** Resident memory in bytes; `undefined` where the system does not tell. */
export function residentBytes({ pid }: ChildProcess): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const [, kilobytes] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}
