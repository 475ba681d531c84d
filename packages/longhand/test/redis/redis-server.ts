import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { createClient } from '@redis/client';
import { findRedis } from '../../../../scripts/install-for-campaigns.ts';

/** A Redis of the tests' own, on a port that nothing else listens on. It keeps nothing on a disk. */
export class TestRedis {
  readonly port: number;
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  /** @param port that of one that has ended; a free one when left out */
  static async start(port?: number): Promise<TestRedis> {
    const redis = new TestRedis(port ?? (await freePort()));
    await redis.start();
    return redis;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const flags = ['--port', String(this.port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    const child = spawn(findRedis()!, flags, { stdio: 'ignore' });
    process.once('exit', () => child.kill('SIGKILL'));
    this.#child = child;
    for (;;) {
      if (child.exitCode !== null) throw new Error('Redis has ended before it was ready.');
      const answer = await this.ask('PING').catch(() => undefined);
      if (answer === 'PONG') return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** A command on a connection of its own. */
  async ask(...command: readonly string[]): Promise<unknown> {
    const client = createClient({ url: this.url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(command);
    } finally {
      client.destroy();
    }
  }

  /** Stops it while something is done, and lets it go on then. Connections stay. */
  async stopped<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#child!.kill('SIGSTOP');
    try {
      return await work();
    } finally {
      this.#child!.kill('SIGCONT');
    }
  }

  async kill(): Promise<void> {
    const child = this.#child!;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address!.port : 0));
    });
  });
}
