import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { NewMemory } from 'longhand';
import { textOf } from '../entries.ts';
import type { Contender } from './contender.ts';

export const SERVER_MEMORY = 'MCP server-memory';

export interface OpenServerMemory extends Contender {
  /** The entry of this name, through the server's own tool. */
  openNode(name: string): Promise<unknown>;
}

export function entityName(number: number): string {
  return `memory ${number}`;
}

/** Starts the server on its file and speaks its protocol over standard input and output. */
export async function openServerMemory(folder: string, firstNumber = 0): Promise<OpenServerMemory> {
  const client = new StdioClient(join(folder, 'server-memory.jsonl'));
  await client.initialize();
  let number = firstNumber;
  const addMany = (entries: readonly NewMemory[]): Promise<unknown> =>
    client.callTool('create_entities', {
      entities: entries.map((entry) => ({
        name: entityName(number++),
        entityType: entry.type,
        observations: [textOf(entry), ...(entry.tags ?? [])],
      })),
    });
  return {
    name: SERVER_MEMORY,
    add: (entry) => addMany([entry]),
    addMany,
    openNode: (name) => client.callTool('open_nodes', { names: [name] }),
    close: () => client.close(),
  };
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly isError?: boolean };
  readonly error?: unknown;
}

class StdioClient {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #lastId = 0;

  constructor(memoryFile: string) {
    const server = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'));
    this.#child = spawn(process.execPath, [server], {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: { ...process.env, MEMORY_FILE_PATH: memoryFile },
    });
    createInterface({ input: this.#child.stdout }).on('line', (line) => {
      const answer = JSON.parse(line) as Answer;
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  async initialize(): Promise<void> {
    await this.#request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'longhand-bench', version: '1' },
    });
    this.#send({ method: 'notifications/initialized' });
  }

  async callTool(name: string, args: object): Promise<unknown> {
    const { result, error } = await this.#request('tools/call', { name, arguments: args });
    if (error !== undefined || result?.isError) {
      throw new Error(`server-memory refused ${name}: ${JSON.stringify(error ?? result)}`);
    }
    return result;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.stdin.end();
    this.#child.kill();
    await closed;
  }

  #request(method: string, params: object): Promise<Answer> {
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
