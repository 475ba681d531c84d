import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

interface Answer {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: unknown;
}

/** Speaks MCP of 2025 with a server process of its own, and does nothing else: what it costs is the server's. */
export class StdioClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  /** @param args for Node: the server's script, and what it takes */
  constructor(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.#child = spawn(process.execPath, [...args], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, ...environment },
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'longhand-bench', version: '1' },
    });
    this.#send({ method: 'notifications/initialized' });
  }

  async callTool(name: string, args: object): Promise<unknown> {
    const { result, error } = await this.request('tools/call', { name, arguments: args });
    if (error !== undefined || result?.isError) {
      throw new Error(`The server refused ${name}: ${JSON.stringify(error ?? result)}`);
    }
    return result;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    this.#child.kill();
    await closed;
  }

  request(method: string, params: object): Promise<Answer> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#send({ id, method, params });
    });
  }

  #send(message: object): void {
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}
