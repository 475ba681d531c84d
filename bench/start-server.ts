import { type ChildProcess, spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Longhand as it was built. */
export const COMMAND = join(import.meta.dirname, '../packages/server/dist/longhand.js');

/** Starts a server on a free port, and waits for its first answer. */
export async function start(
  command: readonly string[],
  more: readonly string[] = [],
): Promise<{ readonly child: ChildProcess; readonly url: string; readonly startedMs: number }> {
  const port = String(await freePort());
  const isLonghand = command[0] === COMMAND;
  const all = isLonghand ? [...command, '--port', port, '--log-level', 'error'] : [...command, port, ...more];
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const child = spawn(process.execPath, all, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (;;) {
    const isUp = await fetch(`${url}/healthz`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (isUp) return { child, url, startedMs: performance.now() - startedAt };
    if (child.exitCode !== null) throw new Error(`${command.join(' ')} has ended.`);
    await sleep(2);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
